import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { isKindName } from '../../model/kinds.ts';
import { checkRecord } from '../../schema/check.ts';
import { tag } from '../../schema/custom/names.ts';
import { fillDefaults } from '../../schema/defaults.ts';
import { checkEntity, fillEntity } from '../../schema/entity.ts';
import { entitySchema } from '../../schema/entity-schema.ts';
import { faultTree } from '../../schema/fault-tree.ts';
import type { RecordSchema, Schemas } from '../../schema/schema.ts';

/** The schema of one entity: that of its kind, with what its plugin or vault adds; undefined where none is known. */
export function recordSchemaOf(schemas: Schemas, kind: string, value: JsonObject): RecordSchema | undefined {
  return isKindName(kind) ? entitySchema(schemas, kind, value) : schemas.entity(kind);
}

/** What a check needs to know of the node. */
export interface CheckingNode {
  readonly schemas: Schemas;
  readonly flavour: 'kong' | 'dbless' | 'konnect';
}

/** An entity with its defaults, and what is wrong with it as a tree like Kong's `fields`; null where nothing is. */
export function checkedEntity(
  node: CheckingNode,
  kind: string,
  value: JsonObject,
): { readonly filled: JsonObject; readonly errors: JsonObject | null } {
  const { schemas } = node;
  const schema = recordSchemaOf(schemas, kind, value);
  if (schema === undefined) return { filled: value, errors: null };
  if (!isKindName(kind)) {
    const faults = checkRecord(schema, value, { asServer: true });
    return faults.length > 0
      ? { filled: value, errors: faultTree(schema, faults) }
      : { filled: fillDefaults(schema, value), errors: null };
  }
  const faults = checkEntity(schemas, kind, value, { asServer: true });
  if (faults.length > 0) return { filled: value, errors: faultTree(schema, faults) };
  const errors = node.flavour === 'dbless' && kind === 'plugins' ? needsDatabase(value) : null;
  return { filled: fillEntity(schemas, kind, value), errors };
}

/** What a plugin is set to that needs a database, which a DB-less node refuses (kong.md, "Plugin configs refused"). */
const databaseSettings: { readonly [plugin: string]: { readonly field: string; readonly value: string } } = {
  'rate-limiting': { field: 'policy', value: 'cluster' },
  'response-ratelimiting': { field: 'policy', value: 'cluster' },
  acme: { field: 'storage', value: 'kong' },
};

function needsDatabase(plugin: JsonObject): JsonObject | null {
  const { name, config } = plugin;
  const setting =
    typeof name === 'string' && Object.hasOwn(databaseSettings, name) ? databaseSettings[name] : undefined;
  if (setting === undefined || !isJsonObject(config) || config[setting.field] !== setting.value) return null;
  return { config: { [setting.field]: `"${setting.value}" needs a database, which this node has not` } };
}

/** An entity with its defaults, unchecked. */
export function filledEntity(schemas: Schemas, kind: string, value: JsonObject): JsonObject {
  if (isKindName(kind)) return fillEntity(schemas, kind, value);
  const schema = schemas.entity(kind);
  return schema === undefined ? value : fillDefaults(schema, value);
}

/** What is wrong with one value for one field of a kind, or null. */
export function fieldError(schemas: Schemas, kind: string, field: string, value: Json): string | null {
  if (!isKindName(kind)) return value === '' ? 'must not be empty' : null;
  const faults = checkEntity(schemas, kind, { [field]: value }, { asServer: true, partial: true });
  return faults.find((fault) => !fault.ofEntity && fault.path[0] === field)?.message ?? null;
}

/** What is wrong with a text as a tag, or null. */
export function tagProblem(text: string): string | null {
  return tag(text)?.message ?? null;
}
