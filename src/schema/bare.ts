import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  ownValue,
  setOwn,
} from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { type FillableRecord, fillable, fillField } from './defaults.ts';
import { normalEntity } from './entity.ts';
import { entitySchema } from './entity-schema.ts';
import type { FieldSchema, Schemas } from './schema.ts';
import { expandShorthands } from './shorthand.ts';

/**
 * An entity, as a server answers it, without what a server with these schemas fills in by itself: fields that have their
 * default, and old names of fields beside the new ones. Filled in again it is what it was.
 */
export function bareEntity(schemas: Schemas, kind: KindName, value: JsonObject): JsonObject {
  const schema = entitySchema(schemas, kind, value);
  if (schema === undefined) return value;
  const bare = bareRecord(schema, value);
  const compared = (one: JsonObject) => canonicalJson(normalEntity(schemas, kind, one, value));
  // What a kind does besides its schema is none of this: where it would tell, nothing is left out.
  return compared(bare) === compared(value) ? bare : value;
}

/** A record without the fields whose defaults give the same. */
export function bareRecord(schema: FillableRecord, value: JsonObject): JsonObject {
  const expanded = expandShorthands(schema.shorthand_fields ?? [], value).value;
  const bare: { [field: string]: Json } = {};
  for (const [name, inner] of Object.entries(expanded)) {
    const field = ownValue(schema.fields, name);
    if (field === undefined) setOwn(bare, name, inner);
    else if (!isDefault(field, inner)) setOwn(bare, name, bareField(field, inner));
  }
  return bare;
}

function isDefault(field: FieldSchema, value: Json): boolean {
  const left = fillField(field, undefined);
  const given = fillField(field, value);
  return left !== undefined && given !== undefined && jsonEqual(inOrder(field, left), inOrder(field, given));
}

/** A set has no order. */
function inOrder(field: FieldSchema, value: Json): Json {
  return field.type === 'set' && isJsonArray(value) ? value.map(canonicalJson).sort() : value;
}

function bareField(field: FieldSchema, value: Json): Json {
  const { elements, values } = field;
  if (field.type === 'record' && field.fields !== undefined && isJsonObject(value)) {
    const bare = bareRecord(fillable(field), value);
    // An empty record would say the same, and look as if it said nothing.
    return Object.keys(bare).length === 0 ? value : bare;
  }
  if (elements !== undefined && isJsonArray(value)) return value.map((item) => bareField(elements, item));
  if (field.type === 'map' && values !== undefined && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bareField(values, item)]));
  }
  return value;
}
