import { isUuid } from '../../model/derived-id.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Collection } from './collections.ts';

/** What is wrong with the form of an entity's references, by field: each must be an object with an id. Null where nothing is. */
export function referenceErrors(collection: Collection, value: JsonObject): JsonObject | null {
  const errors: { [field: string]: Json } = {};
  for (const { field } of collection.foreign) {
    const reference = value[field];
    if (!isJsonObject(reference)) continue;
    const { id } = reference;
    if (id === undefined) errors[field] = { id: 'is the key and missing' };
    else if (typeof id !== 'string' || !isUuid(id)) errors[field] = { id: 'must be a UUID' };
  }
  return Object.keys(errors).length === 0 ? null : errors;
}
