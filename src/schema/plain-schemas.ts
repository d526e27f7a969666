import { kinds } from '../model/kinds.ts';
import type { RecordSchema, Schemas } from './schema.ts';
import { enterpriseVaults } from './versions/enterprise.ts';

/** Schemas as a plain value, which can be sent to another thread. */
export interface PlainSchemas extends Pick<Schemas, 'version' | 'edition' | 'router' | 'pluginNames'> {
  readonly entities: ReadonlyMap<string, RecordSchema>;
  readonly plugins: ReadonlyMap<string, RecordSchema>;
  readonly pluginVersions: ReadonlyMap<string, readonly RecordSchema[]> | null;
  readonly vaults: ReadonlyMap<string, RecordSchema>;
  readonly partials: ReadonlyMap<string, RecordSchema>;
}

/** What is not listed by the schemas themselves, and may be asked of them by name. */
export interface NamesInUse {
  readonly plugins: Iterable<string>;
  readonly vaults: Iterable<string>;
  /** Types of partials. */
  readonly partials: Iterable<string>;
}

/** All that schemas say, of the names that they list, that are known, and that are in use. Pure. */
export function plainSchemas(schemas: Schemas, used: NamesInUse): PlainSchemas {
  const { version, edition, router, pluginNames, pluginVersions } = schemas;
  const plugins = [...new Set([...pluginNames, ...used.plugins])];
  return {
    version,
    edition,
    router,
    pluginNames,
    entities: found(Object.keys(kinds), schemas.entity),
    plugins: found(plugins, schemas.plugin),
    pluginVersions:
      pluginVersions === undefined ? null : new Map(plugins.map((name) => [name, pluginVersions(name)] as const)),
    vaults: found([...enterpriseVaults, ...used.vaults], schemas.vault),
    partials: found([...partialTypes, ...used.partials], schemas.partial),
  };
}

/** The schemas that a plain value was made of, as far as it goes. Pure. */
export function schemasOfPlain(plain: PlainSchemas): Schemas {
  const { version, edition, router, pluginNames, pluginVersions } = plain;
  return {
    version,
    edition,
    router,
    pluginNames,
    entity: (kind) => plain.entities.get(kind),
    plugin: (name) => plain.plugins.get(name),
    ...(pluginVersions === null ? {} : { pluginVersions: (name) => pluginVersions.get(name) ?? [] }),
    vault: (name) => plain.vaults.get(name),
    partial: (type) => plain.partials.get(type),
  };
}

/** The types of partials that there are documents of. */
export const partialTypes: readonly string[] = ['embeddings', 'model', 'redis-ce', 'redis-ee', 'vectordb'];

function found(
  names: Iterable<string>,
  find: (name: string) => RecordSchema | undefined,
): ReadonlyMap<string, RecordSchema> {
  const all = new Map<string, RecordSchema>();
  for (const name of names) {
    const schema = find(name);
    if (schema !== undefined) all.set(name, schema);
  }
  return all;
}
