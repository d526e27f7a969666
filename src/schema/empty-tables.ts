import { isJsonArray, isJsonObject, type Json, type JsonObject, setOwn } from '../model/json.ts';
import type { FieldSchema, RecordFields } from './schema.ts';

/**
 * A record with `[]` for an empty list and `{}` for an empty map or record, whichever of the two was written: Kong's
 * language has one empty table, so that a server takes either. The same object where there is nothing to change.
 */
export function withEmptyTables(fields: RecordFields, value: JsonObject): JsonObject {
  let changed: { [field: string]: Json } | null = null;
  for (const [name, given] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const table = field === undefined ? given : tableOf(field, given);
    if (table === given) continue;
    changed ??= { ...value };
    setOwn(changed, name, table);
  }
  return changed ?? value;
}

function tableOf(field: FieldSchema, value: Json): Json {
  switch (field.type) {
    case 'array':
    case 'set': {
      if (isJsonObject(value)) return Object.keys(value).length === 0 ? [] : value;
      const { elements } = field;
      if (elements === undefined || !isJsonArray(value)) return value;
      const items = value.map((item) => tableOf(elements, item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    case 'record':
      if (isJsonArray(value)) return value.length === 0 ? {} : value;
      return isJsonObject(value) && field.fields !== undefined ? withEmptyTables(field.fields, value) : value;
    case 'map': {
      if (isJsonArray(value)) return value.length === 0 ? {} : value;
      const { values } = field;
      if (values === undefined || !isJsonObject(value)) return value;
      return withEmptyTables(Object.fromEntries(Object.keys(value).map((key) => [key, values])), value);
    }
    default:
      return value;
  }
}
