import type { Json, JsonObject } from '../../model/json.ts';
import { isKindName } from '../../model/kinds.ts';
import { checkEntity, fillEntity } from '../../schema/entity.ts';
import { entitySchema } from '../../schema/entity-schema.ts';
import { faultTree } from '../../schema/fault-tree.ts';
import type { RecordSchema, Schemas } from '../../schema/schema.ts';

/** The schema of one entity: that of its kind, with what its plugin or vault adds; undefined where none is known. */
export function recordSchemaOf(schemas: Schemas, kind: string, value: JsonObject): RecordSchema | undefined {
  return isKindName(kind) ? entitySchema(schemas, kind, value) : schemas.entity(kind);
}

/** An entity with its defaults, and what is wrong with it as a tree like Kong's `fields`; null where nothing is. */
export function checkedEntity(
  schemas: Schemas,
  kind: string,
  value: JsonObject,
): { readonly filled: JsonObject; readonly errors: JsonObject | null } {
  const schema = recordSchemaOf(schemas, kind, value);
  if (schema === undefined || !isKindName(kind)) return { filled: value, errors: null };
  const faults = checkEntity(schemas, kind, value, { asServer: true });
  if (faults.length > 0) return { filled: value, errors: faultTree(schema, faults) };
  return { filled: fillEntity(schemas, kind, value), errors: null };
}

/** An entity with its defaults, unchecked. */
export function filledEntity(schemas: Schemas, kind: string, value: JsonObject): JsonObject {
  return isKindName(kind) ? fillEntity(schemas, kind, value) : value;
}

/** What is wrong with one value for one field of a kind, or null. */
export function fieldError(schemas: Schemas, kind: string, field: string, value: Json): string | null {
  if (!isKindName(kind)) return null;
  const faults = checkEntity(schemas, kind, { [field]: value }, { asServer: true, partial: true });
  return faults.find((fault) => !fault.ofEntity && fault.path[0] === field)?.message ?? null;
}
