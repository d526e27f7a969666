import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { FieldSchema, RecordSchema, Schemas } from './schema.ts';
import { parseServedSchema } from './served.ts';
import { enterpriseKinds, enterpriseVaults, openVault, withEnterpriseFields } from './versions/enterprise.ts';
import { minor, openVersionStore, type VersionStore } from './versions/store.ts';
import { unionSchemas } from './versions/union.ts';

/** What offline checks assume of a Kong. `version` is `3.4` to `3.15`, or `any` for whatever some version takes. */
export interface KongFlavor {
  readonly version: string;
  readonly edition: 'oss' | 'enterprise';
  readonly router: 'traditional' | 'traditional_compatible' | 'expressions';
  /** Whether somebody said which edition it is; taken for true where it is left out. */
  readonly editionSaid?: boolean;
}

type LookUp = (name: string) => RecordSchema | undefined;

/** The version that the served documents are of. */
const servedVersion = '3.9';

/**
 * The schemas that come with Konverge for a version, edition and router; of a version that there are none of, those of
 * the nearest older one. Open-source 3.9 is as a real gateway served it. The entities of other versions are those of
 * 3.9, with what Enterprise adds; their plugins have their own fields, and 3.9's checks between the fields that are
 * still there. Documents are read when first needed.
 */
export async function loadSchemas(flavor: KongFlavor): Promise<Schemas> {
  const schemas = { ...(await bundled(flavor)), assumed: true };
  if (flavor.editionSaid !== false || flavor.edition === 'enterprise') return schemas;
  return { ...schemas, orEnterprise: await loadSchemas({ ...flavor, edition: 'enterprise' }) };
}

async function bundled(flavor: KongFlavor): Promise<Schemas> {
  const served = asObject((await import('./documents/kong-3.9.ts')).document);
  const enterprise = flavor.edition === 'enterprise';
  const common = { version: flavor.version, edition: flavor.edition, router: flavor.router };
  const entity = enterprise
    ? enterpriseEntities(servedEntities(served, flavor), flavor.version === 'any' ? 99 : minor(flavor.version))
    : servedEntities(served, flavor);
  const ossPlugins = asObject(served['plugins']);
  const envVault = servedLookUp(asObject(served['vaults']));
  const vault: LookUp = enterprise ? (name) => (enterpriseVaults.includes(name) ? openVault : undefined) : envVault;
  if (!enterprise && flavor.version === servedVersion) {
    const plugin = servedLookUp(ossPlugins);
    return { ...common, entity, plugin, vault, partial: () => undefined, pluginNames: Object.keys(ossPlugins).sort() };
  }
  const store = openVersionStore(asObject((await import('./documents/versions.ts')).document));
  const partials = enterprise ? asObject((await import('./documents/partials.ts')).document) : {};
  const versions = flavor.version === 'any' ? store.versions : [flavor.version];
  const named = versions.flatMap((version) => store.pluginNames(version));
  const pluginNames = [...new Set(named)].filter((name) => enterprise || Object.hasOwn(ossPlugins, name)).sort();
  return {
    ...common,
    entity,
    plugin: versionPlugins(store, versions, new Set(pluginNames)),
    ...(versions.length > 1 ? { pluginVersions: singleVersions(store, versions) } : {}),
    vault,
    partial: cached((type) => (Object.hasOwn(partials, type) ? partialRecord(partials[type]) : undefined)),
    pluginNames,
  };
}

function servedEntities(served: JsonObject, flavor: KongFlavor): LookUp {
  const entities = asObject(served['entities']);
  const withExpressions = servedLookUp({ ...entities, routes: served['expressions'] ?? null });
  if (flavor.router === 'expressions') return withExpressions;
  const plain = servedLookUp(entities);
  if (flavor.version !== 'any') return plain;
  // Where no Kong in particular is meant, either router may be the one that the routes are for.
  return cached((kind) => (kind === 'routes' ? unionOf(plain(kind), withExpressions(kind)) : plain(kind)));
}

function unionOf(...schemas: readonly (RecordSchema | undefined)[]): RecordSchema | undefined {
  return unionSchemas(schemas.filter((schema) => schema !== undefined));
}

function servedLookUp(documents: JsonObject): LookUp {
  return cached((name) => parseServedSchema(Object.hasOwn(documents, name) ? documents[name] : undefined, name));
}

function enterpriseEntities(oss: LookUp, minorVersion: number): LookUp {
  return cached((kind) => {
    const own = Object.hasOwn(enterpriseKinds, kind) ? enterpriseKinds[kind] : undefined;
    if (own !== undefined) return own;
    const base = oss(kind);
    return base === undefined ? undefined : withEnterpriseFields(kind, base, minorVersion);
  });
}

function versionPlugins(store: VersionStore, versions: readonly string[], names: ReadonlySet<string>): LookUp {
  return cached((name) => {
    if (!names.has(name)) return undefined;
    return unionOf(...versions.map((version) => store.plugin(version, name)));
  });
}

function singleVersions(store: VersionStore, versions: readonly string[]): (name: string) => readonly RecordSchema[] {
  const newestFirst = [...versions].reverse();
  return (name) => newestFirst.flatMap((version) => store.plugin(version, name) ?? []);
}

function partialRecord(config: Json | undefined): RecordSchema {
  return {
    fields: { config: { ...(config as unknown as FieldSchema), required: true } },
    entity_checks: [],
    shorthand_fields: [],
  };
}

function cached(find: LookUp): LookUp {
  const known = new Map<string, RecordSchema | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, find(name));
    return known.get(name);
  };
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value as Json) ? (value as JsonObject) : {};
}
