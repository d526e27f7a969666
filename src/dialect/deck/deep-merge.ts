import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPath,
  ownValue,
  setOwn,
} from '../../model/json.ts';

/**
 * The values of `own` over those of `shared`: mappings are merged at every depth, anything else of `own` replaces what
 * is shared, null included (deck.md 2.4).
 */
export function mergedOver(own: JsonObject, shared: JsonObject): JsonObject {
  return merge(own, shared, (value) => value === undefined);
}

/** As `mergedOver`, but an empty list counts as left out, as decK fills its defaults (deck.md 2.1). */
export function filledFrom(own: JsonObject, defaults: JsonObject): JsonObject {
  return merge(own, defaults, (value) => value === undefined || (isJsonArray(value) && value.length === 0));
}

function merge(own: JsonObject, under: JsonObject, isAbsent: (value: Json | undefined) => boolean): JsonObject {
  const merged: { [key: string]: Json } = { ...own };
  for (const [key, below] of Object.entries(under)) {
    const above = Object.hasOwn(own, key) ? own[key] : undefined;
    if (above === undefined || isAbsent(above)) setOwn(merged, key, below);
    else if (isJsonObject(above) && isJsonObject(below)) setOwn(merged, key, merge(above, below, isAbsent));
  }
  return merged;
}

/** A value with another one in the place of what a path leads to. */
export function withValueAt(value: JsonObject, path: JsonPath, put: Json): JsonObject {
  const replaced = (current: Json | undefined, depth: number): Json => {
    const step = path[depth];
    if (step === undefined) return put;
    if (isJsonArray(current))
      return current.map((item, index) => (index === Number(step) ? replaced(item, depth + 1) : item));
    return isJsonObject(current)
      ? { ...current, [step]: replaced(ownValue(current, String(step)), depth + 1) }
      : (current ?? null);
  };
  const result = replaced(value, 0);
  return isJsonObject(result) ? result : value;
}

/** Keys whose values keep their nulls: free maps, and what plugins, partials and vaults define. */
const free = new Set(['config', 'headers']);

/** An object without the keys that hold null, at every depth: null means left out in decK's typed fields (deck.md 1.1). */
export function withoutNulls(value: JsonObject): JsonObject {
  if (!holdsNull(value)) return value;
  const kept: { [key: string]: Json } = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner !== null) setOwn(kept, key, free.has(key) ? inner : cleaned(inner));
  }
  return kept;
}

function cleaned(value: Json): Json {
  if (isJsonArray(value)) return value.some(holdsNull) ? value.map(cleaned) : value;
  return isJsonObject(value) ? withoutNulls(value) : value;
}

function holdsNull(value: Json): boolean {
  if (isJsonArray(value)) return value.some(holdsNull);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => inner === null || (!free.has(key) && holdsNull(inner)));
}
