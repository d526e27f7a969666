import { isJsonArray, type Json, type JsonObject } from '../../model/json.ts';
import { isKindName } from '../../model/kinds.ts';
import { checkRecord, serverFaults } from '../../schema/check.ts';
import { tag } from '../../schema/custom/names.ts';
import { databaseFault } from '../../schema/custom/server-checks.ts';
import { fillDefaults } from '../../schema/defaults.ts';
import { withEmptyTables } from '../../schema/empty-tables.ts';
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
  const faults = serverFaults(checkEntity(schemas, kind, value, { asServer: true }));
  if (faults.length > 0) return { filled: value, errors: faultTree(schema, faults) };
  const fault = node.flavour === 'dbless' && kind === 'plugins' ? databaseFault(value) : null;
  return { filled: fillEntity(schemas, kind, value), errors: fault === null ? null : faultTree(schema, [fault]) };
}

/** An error tree with one more error of the entity as a whole. */
export function withEntityError(errors: JsonObject | null, error: string | null): JsonObject | null {
  if (error === null) return errors;
  const known = errors?.['@entity'];
  return { ...errors, '@entity': [...(isJsonArray(known) ? known : []), error] };
}

/** An entity as written, with every empty list or map as its schema has it: Kong takes one for the other. */
export function asWritten(schemas: Schemas, kind: string, value: JsonObject): JsonObject {
  const schema = recordSchemaOf(schemas, kind, value);
  return schema === undefined ? value : withEmptyTables(schema.fields, value);
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
