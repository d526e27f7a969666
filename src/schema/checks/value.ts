import { isJsonArray, isJsonObject, type Json, type JsonPath, jsonEqual } from '../../model/json.ts';
import type { Fault } from '../fault.ts';
import { LuaPatternError, luaMatches } from '../lua/pattern.ts';
import type { FieldSchema } from '../schema.ts';
import { unwantedWords, wantedWords } from './pattern-words.ts';
import { regexProblem } from './regex.ts';

const articles: { readonly [type: string]: string } = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  set: 'a list',
  map: 'a map',
  record: 'a map of fields',
  foreign: 'a reference such as {"id": …}',
};

/** The fault of a value of another type. */
export function typeFault(type: string, path: JsonPath): Fault {
  return { path, code: 'type', message: `must be ${articles[type] ?? type}`, hint: '', ofEntity: false };
}

/**
 * The first fault of a value by the attributes of its field, in the order in which Kong tries them, without what is
 * inside it; null where there is none. Null values fault only where the field says so.
 */
export function checkValue(field: FieldSchema, value: Json, path: JsonPath): Fault | null {
  const fault = (code: string, message: string, hint = ''): Fault => ({ path, code, message, hint, ofEntity: false });
  if (value === null) {
    if (field.ne === null) return fault('not-allowed', 'must not be null');
    if (field.eq !== undefined && field.eq !== null) return fault('one-of', `must be ${JSON.stringify(field.eq)}`);
    return field.required === true && field.nullable !== true
      ? fault('required', 'is required and must not be null', 'Leave the field out to have its default, if it has one.')
      : null;
  }
  if (field.eq === null) return fault('not-allowed', 'must not be set here');
  if (!hasType(field, value)) {
    // Kong reads what is no table as a reference without its key.
    return field.type === 'foreign' ? foreignFault(path) : typeFault(field.type, path);
  }
  if (field.type === 'foreign') return hasKey(value) ? null : foreignFault(path);
  for (const [code, problem] of problems(field, value)) if (problem !== null) return fault(code, problem);
  return null;
}

function hasType(field: FieldSchema, value: Json): boolean {
  switch (field.type) {
    case 'string':
    case 'function':
      return typeof value === 'string';
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
    case 'set':
      return isJsonArray(value);
    case 'map':
    case 'record':
    case 'foreign':
      return isJsonObject(value);
    case 'json':
    case 'any':
      return true;
  }
}

function hasKey(value: Json): boolean {
  return isJsonObject(value) && Object.values(value).some((key) => typeof key === 'string' && key !== '');
}

function foreignFault(path: JsonPath): Fault {
  const message = 'must name the entity by its id or its name';
  return { path: [...path, 'id'], code: 'required', message, hint: 'Write {"id": …} or {"name": …}.', ofEntity: false };
}

/** Each attribute that applies, with what is wrong by it. Lazy: Kong stops at the first. */
function* problems(field: FieldSchema, value: Json): Generator<readonly [string, string | null]> {
  if (field.eq !== undefined) {
    yield ['one-of', jsonEqual(value, field.eq) ? null : `must be ${JSON.stringify(field.eq)}`];
  }
  if (field.ne !== undefined) {
    yield ['not-allowed', jsonEqual(value, field.ne) ? `must not be ${JSON.stringify(field.ne)}` : null];
  }
  if (field.not_one_of !== undefined) {
    yield ['one-of', includes(field.not_one_of, value) ? `must not be one of ${listed(field.not_one_of)}` : null];
  }
  if (field.one_of !== undefined) {
    yield ['one-of', includes(field.one_of, value) ? null : `must be one of ${listed(field.one_of)}`];
  }
  if (typeof value === 'number') yield* numberProblems(field, value);
  if (field.is_regex === true && typeof value === 'string') yield ['pattern', regexProblem(value)];
  if (field.uuid === true && typeof value === 'string') yield ['format', isUuid(value) ? null : 'must be a UUID'];
  yield* lengthProblems(field, value);
  if (typeof value === 'string') yield* textProblems(field, value);
  if (field.contains !== undefined && isJsonArray(value)) {
    yield ['contains', includes(value, field.contains) ? null : `must contain ${JSON.stringify(field.contains)}`];
  }
  if (field.mutually_exclusive_subsets !== undefined && isJsonArray(value)) {
    yield ['mutually-exclusive', subsetProblem(field.mutually_exclusive_subsets, value)];
  }
}

function* numberProblems(field: FieldSchema, value: number): Generator<readonly [string, string | null]> {
  if (field.timestamp === true) yield ['between', value > 0 ? null : 'must be a time after 1970'];
  if (field.gt !== undefined) yield ['between', value > field.gt ? null : `must be greater than ${field.gt}`];
  if (field.between !== undefined) {
    const [low, high] = field.between;
    yield ['between', value >= low && value <= high ? null : `must be ${rangeText(low, high)}`];
  }
}

/** Documents with one bound have the largest safe number as the other. */
function rangeText(low: number, high: number): string {
  if (high >= Number.MAX_SAFE_INTEGER) return `at least ${low}`;
  return low <= Number.MIN_SAFE_INTEGER ? `at most ${high}` : `between ${low} and ${high}`;
}

/** Kong measures texts in bytes, and refuses an empty one where the schema does not allow it outright. */
function* lengthProblems(field: FieldSchema, value: Json): Generator<readonly [string, string | null]> {
  const length = lengthOf(value);
  if (length === null) return;
  const unit = typeof value === 'string' ? 'characters long' : 'long';
  const least = field.len_min ?? (field.type === 'string' ? 1 : 0);
  if (field.len_eq !== undefined) {
    yield [
      'length',
      length === field.len_eq ? null : field.len_eq === 0 ? 'must be empty' : `must be ${field.len_eq} ${unit}`,
    ];
  }
  const short = least === 1 ? 'must not be empty' : `must be at least ${least} ${unit}`;
  yield ['length', length >= least ? null : short];
  if (field.len_max !== undefined) {
    yield ['length', length <= field.len_max ? null : `must be at most ${field.len_max} ${unit}`];
  }
}

function lengthOf(value: Json): number | null {
  if (typeof value === 'string') return Buffer.byteLength(value, 'utf8');
  if (isJsonArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : null;
}

function* textProblems(field: FieldSchema, value: string): Generator<readonly [string, string | null]> {
  const { match, not_match: unwanted, match_all: all, match_any: any, match_none: none } = field;
  if (match !== undefined) yield ['pattern', matches(value, match) ? null : wantedWords(match)];
  if (unwanted !== undefined) {
    yield ['pattern', matches(value, unwanted) ? unwantedWords(unwanted) : null];
  }
  if (all !== undefined) {
    const missed = all.find(({ pattern }) => !matches(value, pattern));
    yield ['pattern', missed === undefined ? null : wantedWords(missed.pattern)];
  }
  if (none !== undefined) {
    const met = none.find(({ pattern }) => matches(value, pattern));
    yield ['pattern', met === undefined ? null : unwantedWords(met.pattern)];
  }
  if (any !== undefined) {
    const met = any.patterns.some((pattern) => matches(value, pattern));
    yield ['pattern', met ? null : wantedWords(...any.patterns)];
  }
  if (field.starts_with !== undefined) {
    yield ['pattern', value.startsWith(field.starts_with) ? null : `must start with ${field.starts_with}`];
  }
}

/** A pattern that this interpreter cannot run does not count against the value. */
function matches(value: string, pattern: string): boolean {
  try {
    return luaMatches(value, pattern);
  } catch (error) {
    if (error instanceof LuaPatternError) return true;
    throw error;
  }
}

/** Whether a text is a UUID in the form in which Kong takes it, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

function includes(list: readonly Json[], value: Json): boolean {
  return list.some((candidate) => jsonEqual(candidate, value));
}

function listed(list: readonly Json[]): string {
  return list.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ');
}

/** Values of two groups that exclude each other may not stand together. */
function subsetProblem(subsets: Json, value: readonly Json[]): string | null {
  if (!isJsonArray(subsets)) return null;
  const used = subsets.filter(isJsonArray).filter((subset) => value.some((item) => includes(subset, item)));
  if (used.length < 2) return null;
  return `must not mix ${used.map((subset) => `(${listed(subset)})`).join(' and ')}`;
}
