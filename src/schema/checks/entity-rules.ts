import { isJsonArray, isJsonObject, type Json, type JsonObject, valueAt } from '../../model/json.ts';
import type { Fault } from '../fault.ts';
import type { FieldSchema, RecordFields } from '../schema.ts';
import { checkValue } from './value.ts';

/** How the checks of a record are run. */
export interface EntityCheckOptions {
  readonly partial: boolean;
  readonly asServer: boolean;
  readonly skipForeign: boolean;
}

interface Context {
  readonly fields: RecordFields;
  readonly entity: JsonObject;
  readonly isFaulty: (...path: string[]) => boolean;
  readonly options: EntityCheckOptions;
}

/**
 * Runs the checks that a record's schema states between its fields (`entity_checks`) over the record with its defaults.
 * As in Kong, most are skipped where a field they read has a fault of its own. Paths start at the record. Checks that
 * the document only names (`custom_entity_check`) are in custom/.
 */
export function checkEntityRules(
  record: { readonly fields: RecordFields },
  checks: readonly JsonObject[],
  entity: JsonObject,
  isFaulty: (...path: string[]) => boolean,
  options: EntityCheckOptions,
): readonly Fault[] {
  const context: Context = { fields: record.fields, entity, isFaulty, options };
  return checks.flatMap((check) =>
    Object.entries(check).flatMap(([name, argument]) => runCheck(context, name, argument)),
  );
}

function runCheck(context: Context, name: string, argument: Json): readonly Fault[] {
  switch (name) {
    case 'at_least_one_of':
      return runGroup(context, argument, 'at-least-one-of', { evenIfFaulty: true }, (set) =>
        set > 0 ? null : 'at least one of these fields must be set',
      );
    case 'only_one_of':
      return runGroup(context, argument, 'only-one-of', {}, (set) =>
        set === 1 ? null : 'exactly one of these fields must be set',
      );
    case 'exactly_one_of':
      return runGroup(context, argument, 'exactly-one-of', {}, (set) =>
        set === 1 ? null : 'exactly one of these fields must be set',
      );
    case 'mutually_exclusive':
      return runGroup(context, argument, 'mutually-exclusive', {}, (set) =>
        set <= 1 ? null : 'at most one of these fields may be set',
      );
    case 'mutually_required':
      return runGroup(context, argument, 'mutually-required', {}, (set, all) =>
        set === 0 || set === all ? null : 'all of these fields or none must be set',
      );
    case 'mutually_exclusive_sets':
      return runExclusiveSets(context, argument);
    case 'distinct':
      return runDistinct(context, argument);
    case 'conditional':
      return isJsonObject(argument) ? runConditional(context, argument) : [];
    case 'conditional_at_least_one_of':
      return isJsonObject(argument) ? runConditionalAtLeastOne(context, argument) : [];
    default:
      return [];
  }
}

function runGroup(
  context: Context,
  argument: Json,
  code: string,
  { evenIfFaulty = false }: { evenIfFaulty?: boolean },
  judge: (set: number, all: number) => string | null,
): readonly Fault[] {
  const names = textList(argument);
  if (skipped(context, names) || (!evenIfFaulty && names.some((name) => faulty(context, name)))) return [];
  const message = judge(names.filter((name) => isSet(read(context, name))).length, names.length);
  return message === null ? [] : [ofEntity(code, `${message}: ${names.join(', ')}`, names)];
}

/** A change that names none of the fields says nothing about them; nor does an entity without its foreign keys. */
function skipped(context: Context, names: readonly string[]): boolean {
  const { options, fields } = context;
  if (options.skipForeign && names.some((name) => fields[name]?.type === 'foreign')) return true;
  return options.partial && names.some((name) => read(context, name) === undefined);
}

function runExclusiveSets(context: Context, argument: Json): readonly Fault[] {
  if (!isJsonObject(argument)) return [];
  const [first, second] = [textList(argument['set1'] ?? null), textList(argument['set2'] ?? null)];
  const usedFirst = first.filter((name) => isSet(read(context, name)));
  const usedSecond = second.filter((name) => isSet(read(context, name)));
  if (usedFirst.length === 0 || usedSecond.length === 0) return [];
  const message = `these fields must not be set together: ${[...usedFirst, ...usedSecond].join(', ')}`;
  return [ofEntity('mutually-exclusive-sets', message, [...usedFirst, ...usedSecond])];
}

function runDistinct(context: Context, argument: Json): readonly Fault[] {
  const names = textList(argument);
  if (names.some((name) => faulty(context, name))) return [];
  const values = names.map((name) => read(context, name)).filter(isSet);
  const keys = new Set(values.map((value) => JSON.stringify(value)));
  if (keys.size === values.length) return [];
  return [ofEntity('distinct', `these fields must have different values: ${names.join(', ')}`, names)];
}

function runConditional(context: Context, argument: JsonObject): readonly Fault[] {
  const { if_field: ifField, then_field: thenField } = argument;
  if (typeof ifField !== 'string' || typeof thenField !== 'string') return [];
  if (!applies(context, ifField, argument['if_match'])) return [];
  if (skipped(context, [thenField]) || (ifField !== thenField && faulty(context, thenField))) return [];
  const value = read(context, thenField) ?? null;
  const wanted = conditionField(context, thenField, argument['then_match']);
  const path = thenField.split('.');
  const found = checkValue(wanted, value, path) ?? firstElementFault(wanted, value, path);
  if (found === null) return [];
  const told = {
    ...found,
    code: 'conditional',
    message: because(context, found.message, ifField),
    basis: [ifField.split('.')],
  };
  if (!context.options.asServer) return [told];
  const message = `"${thenField}" does not go with the value of "${ifField}"`;
  return [told, ofEntity('conditional', message, [thenField])];
}

/** The field's fault with what it depends on; the other field's value is told only where it is a word of the schema. */
function because(context: Context, message: string, ifField: string): string {
  const value = read(context, ifField);
  const field = fieldAt(context.fields, ifField.split('.'));
  const known = field?.one_of !== undefined || field?.elements?.one_of !== undefined || typeof value === 'boolean';
  const is = known && value !== undefined ? `is ${JSON.stringify(value)}` : 'has the value it has';
  return `${message} when "${ifField}" ${is}`;
}

function runConditionalAtLeastOne(context: Context, argument: JsonObject): readonly Fault[] {
  const ifField = argument['if_field'];
  if (typeof ifField !== 'string') return [];
  const found: Fault[] = [];
  const branches = [
    ['if_match', 'then_at_least_one_of'],
    ['else_match', 'else_then_at_least_one_of'],
  ] as const;
  for (const [match, then] of branches) {
    if (argument[match] === undefined || !applies(context, ifField, argument[match])) continue;
    const names = textList(argument[then] ?? null);
    if (names.length > 0 && !skipped(context, names) && !names.some((name) => isSet(read(context, name)))) {
      found.push(
        ofEntity('conditional-at-least-one-of', because(context, `must set one of ${names.join(', ')}`, ifField), [
          ifField,
        ]),
      );
    }
    break;
  }
  return found;
}

/** Whether a condition holds: the field is set, has no fault, and its value passes the match. */
function applies(context: Context, name: string, match: Json | undefined): boolean {
  const value = read(context, name);
  if (value === undefined || value === null || faulty(context, name)) return false;
  const field = conditionField(context, name, match);
  return checkValue(field, value, []) === null && firstElementFault(field, value, []) === null;
}

function firstElementFault(field: FieldSchema, value: Json, path: readonly string[]): Fault | null {
  const { elements } = field;
  if (elements === undefined || !isJsonArray(value)) return null;
  for (const [index, item] of value.entries()) {
    const found = checkValue(elements, item, [...path, index]);
    if (found !== null) return found;
  }
  return null;
}

/** The condition's own attributes, as a field of the type that the named field has. */
function conditionField(context: Context, name: string, match: Json | undefined): FieldSchema {
  const type = fieldAt(context.fields, name.split('.'))?.type ?? 'any';
  const attributes = (isJsonObject(match) ? match : {}) as Partial<FieldSchema>;
  // A condition states its own lengths; the least length that every text has must not make it stricter.
  return { len_min: 0, ...attributes, type: type === 'foreign' ? 'any' : type };
}

function fieldAt(fields: RecordFields, path: readonly string[]): FieldSchema | undefined {
  const [step, ...rest] = path;
  const field = step === undefined ? undefined : fields[step];
  return rest.length === 0 || field === undefined ? field : fieldAt(field.fields ?? {}, rest);
}

function read(context: Context, name: string): Json | undefined {
  return valueAt(context.entity, name.split('.'));
}

function faulty(context: Context, name: string): boolean {
  return context.isFaulty(...name.split('.'));
}

/** Kong counts empty texts, lists and maps as not set. */
function isSet(value: Json | undefined): value is Json {
  if (value === undefined || value === null || value === '') return false;
  if (isJsonArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : true;
}

function textList(value: Json): readonly string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function ofEntity(code: string, message: string, fields: readonly string[] = []): Fault {
  return { path: [], code, message, hint: '', ofEntity: true, basis: fields.map((field) => field.split('.')) };
}
