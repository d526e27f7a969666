import type { JsonObject } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import type { FieldSchema, RecordSchema, Schemas } from './schema.ts';

/** Merged schemas by the schemas they come from, so that ten thousand plugins are merged once per plugin's name. */
const merged = new WeakMap<Schemas, Map<string, RecordSchema | undefined>>();

/**
 * The schema that one entity is checked and filled by: its kind's, with the configuration that its plugin, vault type
 * or partial type has. Where that is unknown, the kind's own schema, which takes any configuration; undefined where the
 * kind itself is unknown.
 */
export function entitySchema(schemas: Schemas, kind: KindName, value: JsonObject): RecordSchema | undefined {
  switch (kind) {
    case 'plugins':
      return typeof value['name'] === 'string' ? pluginSchema(schemas, value['name']) : schemas.entity(kind);
    case 'vaults':
      return typeof value['name'] === 'string' ? vaultSchema(schemas, value['name']) : schemas.entity(kind);
    case 'partials':
      return typeof value['type'] === 'string' ? partialSchema(schemas, value['type']) : schemas.entity(kind);
    default:
      return schemas.entity(kind);
  }
}

/**
 * The schema of a plugin entity: the fields that all plugins have, with the plugin's own configuration, protocols, and
 * the scopes that it forbids. The plain schema of plugins where there is no such plugin.
 */
export function pluginSchema(schemas: Schemas, name: string): RecordSchema | undefined {
  return withSubschema(schemas, 'plugins', name, schemas.plugin);
}

/** Where a plugin's schema is that of several versions at once: the distinct ones of the single versions, newest first. */
export function pluginSchemaVersions(schemas: Schemas, name: string): readonly RecordSchema[] {
  const known = mergedVersions.get(schemas) ?? new Map<string, readonly RecordSchema[]>();
  mergedVersions.set(schemas, known);
  const before = known.get(name);
  if (before !== undefined) return before;
  const base = schemas.entity('plugins');
  const own = base === undefined ? [] : (schemas.pluginVersions?.(name) ?? []);
  const result = base === undefined ? [] : own.map((schema) => merge(base, schema));
  known.set(name, result);
  return result;
}

const mergedVersions = new WeakMap<Schemas, Map<string, readonly RecordSchema[]>>();

/** The schema of a vault entity of a type such as `env`. */
export function vaultSchema(schemas: Schemas, name: string): RecordSchema | undefined {
  return withSubschema(schemas, 'vaults', name, schemas.vault);
}

/** The schema of a partial of a type such as `redis-ee`. */
export function partialSchema(schemas: Schemas, type: string): RecordSchema | undefined {
  return withSubschema(schemas, 'partials', type, schemas.partial);
}

function withSubschema(
  schemas: Schemas,
  kind: 'plugins' | 'vaults' | 'partials',
  name: string,
  lookUp: (name: string) => RecordSchema | undefined,
): RecordSchema | undefined {
  const cache = merged.get(schemas) ?? new Map<string, RecordSchema | undefined>();
  merged.set(schemas, cache);
  const key = `${kind}/${name}`;
  if (cache.has(key)) return cache.get(key);
  const base = schemas.entity(kind);
  const own = base === undefined ? undefined : lookUp(name);
  const result = base === undefined || own === undefined ? base : merge(base, own);
  cache.set(key, result);
  return result;
}

function merge(base: RecordSchema, own: RecordSchema): RecordSchema {
  const fields: { [name: string]: FieldSchema } = { ...base.fields };
  for (const [name, field] of Object.entries(own.fields)) {
    const common = base.fields[name];
    // A scope that this edition does not know is no field at all.
    if (common === undefined && field.type === 'foreign') continue;
    // A foreign key keeps what it refers to; all else is as the plugin says.
    fields[name] = common?.type === 'foreign' ? { ...common, ...field } : field;
  }
  return {
    fields,
    entity_checks: [...base.entity_checks, ...own.entity_checks],
    shorthand_fields: [...base.shorthand_fields, ...own.shorthand_fields],
    ...(own.supported_partials === undefined ? {} : { supported_partials: own.supported_partials }),
  };
}
