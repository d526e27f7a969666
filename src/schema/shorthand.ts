import { isJsonObject, type Json, type JsonObject, jsonEqual, valueAt } from '../model/json.ts';
import type { ShorthandField } from './schema.ts';

/** A shorthand that contradicts the field that replaced it. */
export interface ShorthandConflict {
  readonly name: string;
  readonly path: readonly string[];
}

/** A record with its shorthands moved to the fields they stand for. */
export interface Expanded {
  readonly value: JsonObject;
  /** For the path of a field that a shorthand filled, as `a.b`, the name of that shorthand. */
  readonly origin: ReadonlyMap<string, string>;
  readonly conflicts: readonly ShorthandConflict[];
}

/**
 * Moves the shorthand fields of one record (not of the records inside it) to the fields that replaced them, as Kong does
 * before it checks and fills. A field that was given and is not null wins over its shorthand; one with nowhere to go is
 * taken out.
 */
export function expandShorthands(shorthands: readonly ShorthandField[], value: JsonObject): Expanded {
  const used = shorthands.filter((shorthand) => value[shorthand.name] !== undefined);
  if (used.length === 0) return { value, origin: new Map(), conflicts: [] };
  let result: JsonObject = value;
  const origin = new Map<string, string>();
  const conflicts: ShorthandConflict[] = [];
  for (const shorthand of used) {
    const given = result[shorthand.name] ?? null;
    const { [shorthand.name]: _, ...rest } = result;
    result = rest;
    for (const path of shorthand.paths) {
      const existing = valueAt(value, path);
      if (existing === undefined || existing === null) {
        if (given === null) continue;
        result = withValue(result, path, given);
        origin.set(path.join('.'), shorthand.name);
      } else if (shorthand.answered === true && given !== null && !jsonEqual(existing, given)) {
        conflicts.push({ name: shorthand.name, path });
      }
    }
  }
  return { value: result, origin, conflicts };
}

/** The record with the value of each answered shorthand beside the fields that replaced it, as Kong answers. */
export function withAnsweredShorthands(shorthands: readonly ShorthandField[], value: JsonObject): JsonObject {
  const added: { [name: string]: Json } = {};
  for (const shorthand of shorthands) {
    const [path] = shorthand.paths;
    if (shorthand.answered === true && path !== undefined) added[shorthand.name] = valueAt(value, path) ?? null;
  }
  return Object.keys(added).length === 0 ? value : { ...value, ...added };
}

function withValue(record: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [step, ...rest] = path;
  if (step === undefined) return record;
  if (rest.length === 0) return { ...record, [step]: value };
  const inner = record[step];
  return { ...record, [step]: withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}
