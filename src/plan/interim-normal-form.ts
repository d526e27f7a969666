import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { FieldSchema, RecordFields, RecordSchema, ShorthandField } from '../schema/schema.ts';

/** A record with its defaults filled, its short forms folded and its sets sorted. */
export function normalForm(schema: RecordSchema, value: JsonObject): JsonObject {
  return normalRecord(schema.fields, schema.shorthand_fields, value);
}

function normalRecord(fields: RecordFields, shorthands: readonly ShorthandField[], value: JsonObject): JsonObject {
  const result: { [field: string]: Json } = { ...value };
  for (const shorthand of shorthands) {
    const written = result[shorthand.name];
    delete result[shorthand.name];
    if (written === undefined) continue;
    for (const path of shorthand.paths) putAbsent(result, path, written);
  }
  for (const [name, field] of Object.entries(fields)) {
    const filled = normalValue(field, result[name]);
    if (filled !== undefined) result[name] = filled;
  }
  return result;
}

function putAbsent(record: { [field: string]: Json }, path: readonly string[], value: Json): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    if (record[head] === undefined) record[head] = value;
    return;
  }
  const inner = record[head];
  const copy: { [field: string]: Json } = isJsonObject(inner) ? { ...inner } : {};
  putAbsent(copy, rest, value);
  record[head] = copy;
}

function normalValue(field: FieldSchema, value: Json | undefined): Json | undefined {
  if (value === undefined) {
    if (field.default !== undefined) return normalValue(field, field.default);
    if (field.type === 'record' && field.fields !== undefined) return normalValue(field, {});
    return undefined;
  }
  const elements = field.elements;
  if (isJsonArray(value)) {
    const items = elements === undefined ? value : value.map((item) => normalValue(elements, item) ?? null);
    return field.type === 'set'
      ? [...new Map(items.map((item) => [canonicalJson(item), item])).entries()]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, item]) => item)
      : items;
  }
  if (!isJsonObject(value)) return value;
  if (field.type === 'record' && field.fields !== undefined) {
    return normalRecord(field.fields, field.shorthand_fields ?? [], value);
  }
  const values = field.values;
  if (field.type === 'map' && values !== undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normalValue(values, item) ?? null]));
  }
  return value;
}
