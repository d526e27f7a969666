import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, valueAt } from '../../../model/json.ts';

/** The text at a path, or null where there is none. */
export function textAt(value: Json | undefined, ...path: JsonPath): string | null {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : null;
}

/** The number at a path, or null where there is none. */
export function numberAt(value: Json | undefined, ...path: JsonPath): number | null {
  const found = valueAt(value, path);
  return typeof found === 'number' ? found : null;
}

/** Whether `true` stands at a path. */
export function isTrueAt(value: Json | undefined, ...path: JsonPath): boolean {
  return valueAt(value, path) === true;
}

/** The mapping at a path, or null where there is none. */
export function objectAt(value: Json | undefined, ...path: JsonPath): JsonObject | null {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : null;
}

/** The list at a path; empty where there is none. */
export function listAt(value: Json | undefined, ...path: JsonPath): readonly Json[] {
  const found = valueAt(value, path);
  return isJsonArray(found) ? found : [];
}

/** The texts of a list at a path. */
export function textsAt(value: Json | undefined, ...path: JsonPath): readonly string[] {
  return listAt(value, ...path).filter((item) => typeof item === 'string');
}

/** The mappings of a list at a path, each with its place in the list. */
export function objectsAt(
  value: Json | undefined,
  ...path: JsonPath
): readonly { readonly index: number; readonly item: JsonObject }[] {
  return listAt(value, ...path).flatMap((item, index) => (isJsonObject(item) ? [{ index, item }] : []));
}

/** The mapping without the keys whose value is undefined. */
export function withoutUndefined(value: { readonly [key: string]: Json | undefined }): JsonObject {
  const kept: { [key: string]: Json } = {};
  for (const [key, inner] of Object.entries(value)) if (inner !== undefined) kept[key] = inner;
  return kept;
}
