import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
  setOwn,
} from '../model/json.ts';
import { type FillableRecord, fillable, fillDefaults } from './defaults.ts';
import type { FieldSchema } from './schema.ts';
import { expandShorthands } from './shorthand.ts';

/** How a normal form is made. */
export interface NormalOptions {
  /**
   * The entity as it was written, on whose terms both sides are compared: what it leaves to the server to make up (a
   * generated key, say) is left out. The value itself where it is not given.
   */
  readonly written?: JsonObject;
}

/**
 * The form in which a target and a live entity are compared: equal forms mean that a server makes the same of both.
 * Shorthands are moved to the fields that replaced them and defaults are filled in; null, an empty list, an empty map and
 * a record of nothing are all left out; sets are sorted and without duplicates, lists keep their order. Ids, times, what
 * is only taken and never stored, and what the server made up unasked are left out.
 */
export function normalForm(schema: FillableRecord, value: JsonObject, options: NormalOptions = {}): JsonObject {
  return normalRecord(schema, fillDefaults(schema, value), options.written ?? value, true);
}

function normalRecord(schema: FillableRecord, filled: JsonObject, written: JsonObject, top: boolean): JsonObject {
  const asked = expandShorthands(schema.shorthand_fields ?? [], written).value;
  const normal: { [field: string]: Json } = {};
  for (const [name, value] of Object.entries(filled)) {
    const field = ownValue(schema.fields, name);
    if (field === undefined) {
      if (value !== null) setOwn(normal, name, value);
      continue;
    }
    if (field.transient === true || isServers(field, ownValue(asked, name), top && name === 'id')) continue;
    const result = normalField(field, value, ownValue(asked, name));
    if (!isNothing(result)) setOwn(normal, name, result);
  }
  return normal;
}

/** Whether a field is for the server to fill: always for ids and times, else where nobody asked for a value. */
function isServers(field: FieldSchema, asked: Json | undefined, isId: boolean): boolean {
  if (field.auto !== true) return false;
  return isId || field.timestamp === true || asked === undefined || asked === null;
}

function normalField(field: FieldSchema, value: Json, written: Json | undefined): Json {
  const { elements, values } = field;
  if (field.type === 'record' && field.fields !== undefined && isJsonObject(value)) {
    return normalRecord(fillable(field), value, isJsonObject(written) ? written : {}, false);
  }
  if ((field.type === 'array' || field.type === 'set') && isJsonArray(value)) {
    const asked = isJsonArray(written) ? written : [];
    const items =
      elements === undefined ? value : value.map((item, index) => normalField(elements, item, asked[index]));
    return field.type === 'set' ? sortedSet(items) : items;
  }
  if (field.type === 'map' && values !== undefined && isJsonObject(value)) {
    const asked = isJsonObject(written) ? written : {};
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, normalField(values, item, ownValue(asked, key))]),
    );
  }
  return value;
}

function sortedSet(items: readonly Json[]): readonly Json[] {
  const byText = new Map(items.map((item) => [canonicalJson(item), item] as const));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

function isNothing(value: Json): boolean {
  if (value === null) return true;
  if (isJsonArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
