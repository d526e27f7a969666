import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonEqual, valueAt } from '../../model/json.ts';
import type { Collection } from './collections.ts';

/**
 * Kong's check of what a stored value is computed from: `input` and `needs` must come together, and anew when what is
 * needed changes (kong.md: PATCH of a basic-auth password). No schema that Kong serves states it.
 */
const transformations: {
  readonly [kind: string]: { readonly input: readonly string[]; readonly needs: readonly string[] };
} = {
  basicauth_credentials: { input: ['password'], needs: ['consumer.id'] },
};

/** What that check finds in a body, or null; `known` is the entity that the body changes, or null. */
export function transformationError(
  collection: Collection,
  given: JsonObject,
  known: JsonObject | null,
): string | null {
  const rule = transformations[collection.name];
  if (rule === undefined) return null;
  const read = (from: JsonObject, field: string): Json | undefined => valueAt(from, field.split('.'));
  const isSet = (field: string) => {
    const value = read(given, field) ?? null;
    return value !== null && value !== '' && !(isJsonObject(value) && Object.keys(value).length === 0);
  };
  const needsChanged = known !== null && rule.needs.some((field) => !jsonEqual(read(given, field), read(known, field)));
  if (!needsChanged && !rule.input.some(isSet)) return null;
  const all = [...rule.input, ...rule.needs];
  const set = all.filter(isSet).length;
  if (set === 0 || set === all.length) return null;
  return `all of these fields or none must be set: ${all.join(', ')}`;
}

/** An error tree with one more error of the entity as a whole. */
export function withEntityError(errors: JsonObject | null, error: string | null): JsonObject | null {
  if (error === null) return errors;
  const known = errors?.['@entity'];
  return { ...errors, '@entity': [...(isJsonArray(known) ? known : []), error] };
}
