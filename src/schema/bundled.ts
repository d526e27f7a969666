import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { RecordSchema, Schemas } from './schema.ts';
import { parseServedSchema } from './served.ts';

/** What offline checks assume of a Kong. `version` is `3.4` to `3.15`, or `any` for whatever some version takes. */
export interface KongFlavor {
  readonly version: string;
  readonly edition: 'oss' | 'enterprise';
  readonly router: 'traditional' | 'traditional_compatible' | 'expressions';
}

/** The schemas that come with Konverge for a version, edition and router. Documents are read when first needed. */
export async function loadSchemas(flavor: KongFlavor): Promise<Schemas> {
  const served = asObject((await import('./documents/kong-3.9.ts')).document);
  const entities = asObject(served['entities']);
  const plugins = asObject(served['plugins']);
  const vaults = asObject(served['vaults']);
  const entity = parsed((kind) =>
    kind === 'routes' && flavor.router === 'expressions' ? served['expressions'] : entities[kind],
  );
  return {
    version: flavor.version,
    edition: flavor.edition,
    router: flavor.router,
    entity,
    plugin: parsed((name) => (Object.hasOwn(plugins, name) ? plugins[name] : undefined)),
    vault: parsed((name) => (Object.hasOwn(vaults, name) ? vaults[name] : undefined)),
    partial: () => undefined,
    pluginNames: Object.keys(plugins).sort(),
  };
}

function parsed(find: (name: string) => Json | undefined): (name: string) => RecordSchema | undefined {
  const cache = new Map<string, RecordSchema | undefined>();
  return (name) => {
    if (!cache.has(name)) cache.set(name, parseServedSchema(find(name), name));
    return cache.get(name);
  };
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value as Json) ? (value as JsonObject) : {};
}
