import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from '../model/json.ts';
import { didYouMean } from '../model/suggest.ts';
import { checkEntityRules } from './checks/entity-rules.ts';
import { checkValue, typeFault } from './checks/value.ts';
import { isVaultReference } from './checks/vault-reference.ts';
import { type FillableRecord, fillable, fillDefaults } from './defaults.ts';
import type { Fault } from './fault.ts';
import type { FieldSchema, RecordSchema, ShorthandField } from './schema.ts';
import { expandShorthands } from './shorthand.ts';

/** A check of one value that no document states: what is wrong, or null. Nothing of the value may be in the text. */
export type FieldCheck = (value: Json) => { readonly message: string; readonly hint?: string } | null;

/** Says whether a field has a fault, or lies inside or around one that has. */
export type IsFaulty = (...path: string[]) => boolean;

/**
 * A check of a whole entity that no document states. It gets the entity with its defaults, what is faulty already, and
 * whether to tell a condition's fault twice (`CheckOptions.asServer`).
 */
export type EntityCheck = (entity: JsonObject, isFaulty: IsFaulty, asServer: boolean) => readonly Fault[];

/** What is checked beside the document. Fields are named `a/b/*`, with `*` for any index or key. */
export interface ExtraChecks {
  readonly fields: { readonly [path: string]: FieldCheck };
  readonly entity: readonly EntityCheck[];
  /** What the server changes beyond filling defaults, before it checks the whole entity. */
  readonly stored?: (filled: JsonObject) => JsonObject;
}

/** How a record is checked. */
export interface CheckOptions {
  /** Whether the value is a change to an entity (PATCH): what is missing is then no fault. */
  readonly partial?: boolean;
  /** Whether foreign keys are left unchecked: they are kept apart from the fields. */
  readonly skipForeign?: boolean;
  readonly extra?: ExtraChecks;
  /**
   * Whether a fault of a condition between fields is told twice, of the field and of the entity, as Kong's answers do.
   * People are told once.
   */
  readonly asServer?: boolean;
}

/** The walk's own state. */
interface Walk {
  readonly options: CheckOptions;
  readonly faults: Fault[];
  /** The whole entity with its defaults, once something needed it. */
  filled: JsonObject | null;
}

/**
 * Checks a value against a schema as Kong's server would before it writes, and gives every fault there is, in the order
 * of the schema's fields. Messages hold nothing of the value.
 */
export function checkRecord(schema: RecordSchema, value: Json, options: CheckOptions = {}): readonly Fault[] {
  const walk: Walk = { options, faults: [], filled: null };
  if (!isJsonObject(value)) return [typeFault('record', [])];
  checkRecordAt(walk, schema, value, [], []);
  const { extra } = options;
  if (extra !== undefined && extra.entity.length > 0) {
    const filled = filledForm(walk, schema, value, true);
    const stored = extra.stored?.(filled) ?? filled;
    const known = [...walk.faults];
    for (const check of extra.entity) {
      for (const one of check(stored, faultyIn(known, []), options.asServer === true)) walk.faults.push(one);
    }
  }
  return walk.faults;
}

/** A record with its defaults; of a change, only with its shorthands moved. */
function filledForm(walk: Walk, record: FillableRecord, given: JsonObject, whole: boolean): JsonObject {
  if (walk.options.partial === true) return expandShorthands(record.shorthand_fields ?? [], given).value;
  if (!whole) return fillDefaults(record, given);
  walk.filled ??= fillDefaults(record, given);
  return walk.filled;
}

type CheckableRecord = FillableRecord & Pick<FieldSchema, 'entity_checks'>;

function checkRecordAt(
  walk: Walk,
  record: CheckableRecord,
  given: JsonObject,
  path: JsonPath,
  pattern: JsonPath,
): void {
  const shorthands = record.shorthand_fields ?? [];
  const first = walk.faults.length;
  const { value, origin, conflicts } = expandShorthands(shorthands, given);
  for (const shorthand of shorthands) {
    const old = given[shorthand.name];
    const at = [...path, shorthand.name];
    if (old !== undefined && old !== null) checkShorthand(walk, shorthand, old, at, [...pattern, shorthand.name]);
    const conflict = conflicts.find((candidate) => candidate.name === shorthand.name);
    if (conflict !== undefined) walk.faults.push(conflictFault(at, conflict.path));
  }
  checkUnknown(walk, record, given, path);
  for (const [name, field] of Object.entries(record.fields)) {
    if (field.type === 'foreign' && walk.options.skipForeign === true) continue;
    checkField(walk, field, value[name], [...path, name], [...pattern, name]);
  }
  if (origin.size > 0 && walk.options.asServer !== true) renameToShorthand(walk, first, path, origin);
  const checks = record.entity_checks ?? [];
  if (checks.length === 0) return;
  const filled = filledForm(walk, record, given, path.length === 0);
  const found = checkEntityRules(record, checks, filled, faultyIn(walk.faults.slice(first), path), {
    partial: walk.options.partial === true,
    asServer: walk.options.asServer === true,
    skipForeign: walk.options.skipForeign === true,
  });
  for (const fault of found) walk.faults.push(below(path, fault));
}

/** A server stops at the shorthands that do not fit (see serverFaults), and tells of nothing else. */
function checkShorthand(walk: Walk, shorthand: ShorthandField, given: Json, path: JsonPath, pattern: JsonPath): void {
  const first = walk.faults.length;
  checkField(walk, shorthand.schema, given, path, pattern);
  if (walk.options.asServer !== true) return;
  for (const one of walk.faults.splice(first).map((fault) => ({ ...fault, code: 'shorthand' }))) walk.faults.push(one);
}

/** What of all faults a server tells: where shorthands do not fit, nothing but those. */
export function serverFaults(faults: readonly Fault[]): readonly Fault[] {
  const early = faults.filter(({ code }) => code === 'shorthand' || code === 'deprecated-conflict');
  return early.length > 0 ? early : faults;
}

/** A fault of a record inside another, with its paths from the outer one. */
function below(path: JsonPath, fault: Fault): Fault {
  const moved = { ...fault, path: [...path, ...fault.path] };
  return fault.basis === undefined ? moved : { ...moved, basis: fault.basis.map((field) => [...path, ...field]) };
}

function checkUnknown(walk: Walk, record: CheckableRecord, given: JsonObject, path: JsonPath): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(record.fields, name)) continue;
    if (record.shorthand_fields?.some((shorthand) => shorthand.name === name)) continue;
    const known = [
      ...Object.keys(record.fields),
      ...(record.shorthand_fields ?? []).map((shorthand) => shorthand.name),
    ];
    walk.faults.push({
      path: [...path, name],
      code: 'unknown-field',
      message: `there is no field "${name}" here`,
      hint: didYouMean(name, known),
      ofEntity: false,
    });
  }
}

function checkField(walk: Walk, field: FieldSchema, given: Json | undefined, path: JsonPath, pattern: JsonPath): void {
  if (given === undefined) {
    checkMissing(walk, field, path, pattern);
    return;
  }
  if (field.referenceable === true && isVaultReference(given)) return;
  const found = checkValue(field, given, path);
  if (found !== null) {
    walk.faults.push(found);
    return;
  }
  if (given === null) return;
  const before = walk.faults.length;
  checkInside(walk, field, given, path, pattern);
  if (walk.faults.length > before) return;
  const extra = walk.options.extra?.fields[pattern.join('/')]?.(given);
  if (extra !== undefined && extra !== null) walk.faults.push(fault(path, 'format', extra.message, extra.hint ?? ''));
}

/** A missing field is a fault where it is required; where a record is, what is required inside it counts. */
function checkMissing(walk: Walk, field: FieldSchema, path: JsonPath, pattern: JsonPath): void {
  if (walk.options.partial === true || field.required !== true || field.auto === true) return;
  // The schema answers for its own defaults.
  if (field.default !== undefined) return;
  if (field.type === 'record' && field.fields !== undefined) checkInside(walk, field, {}, path, pattern);
  else walk.faults.push(fault(path, 'required', 'is required', ''));
}

function checkInside(walk: Walk, field: FieldSchema, value: Json, path: JsonPath, pattern: JsonPath): void {
  const { elements, keys, values } = field;
  if ((field.type === 'array' || field.type === 'set') && elements !== undefined && isJsonArray(value)) {
    for (const [index, item] of value.entries()) checkField(walk, elements, item, [...path, index], [...pattern, '*']);
  } else if (field.type === 'map' && isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (keys !== undefined) checkField(walk, keys, key, [...path, key], [...pattern, '**']);
      if (values !== undefined) checkField(walk, values, item, [...path, key], [...pattern, '*']);
    }
  } else if (field.type === 'record' && field.fields !== undefined && isJsonObject(value)) {
    const record = { ...fillable(field), ...(field.entity_checks ? { entity_checks: field.entity_checks } : {}) };
    checkRecordAt(walk, record, value, path, pattern);
  }
}

/** Faults of fields that a shorthand filled are told of the shorthand, once. */
function renameToShorthand(walk: Walk, first: number, path: JsonPath, origin: ReadonlyMap<string, string>): void {
  const renamed = walk.faults.splice(first).map((candidate) => {
    const name = origin.get(candidate.path.slice(path.length).join('.'));
    return name === undefined ? candidate : { ...candidate, path: [...path, name] };
  });
  const seen = new Set<string>();
  for (const candidate of renamed) {
    const key = JSON.stringify([candidate.path, candidate.code, candidate.ofEntity]);
    if (!seen.has(key)) walk.faults.push(candidate);
    seen.add(key);
  }
}

function conflictFault(path: JsonPath, replacement: readonly string[]): Fault {
  const now = replacement.join('.');
  return fault(
    path,
    'deprecated-conflict',
    `contradicts "${now}", which replaced it`,
    `Leave "${String(path.at(-1))}" out, and keep "${now}".`,
  );
}

function fault(path: JsonPath, code: string, message: string, hint: string): Fault {
  return { path, code, message, hint, ofEntity: false };
}

/** Says whether a field, named from `base`, has a fault, or lies inside or around one that has. */
function faultyIn(faults: readonly Fault[], base: JsonPath): IsFaulty {
  return (...path) =>
    faults.some((candidate) => {
      if (candidate.ofEntity) return false;
      const found = candidate.path.slice(base.length).map(String);
      const common = Math.min(found.length, path.length);
      return common > 0 && found.slice(0, common).every((step, index) => step === path[index]);
    });
}
