import { type Json, jsonEqual } from '../../model/json.ts';
import type { FieldSchema, RecordFields, RecordSchema, ShorthandField } from '../schema.ts';

/**
 * A schema that takes whatever one of the given ones takes, as far as that can be said field by field: every field of
 * any of them, allowed values together, the widest bounds, and only what all of them require or check. Later schemas
 * win where one must (a default, a type).
 */
export function unionSchemas(schemas: readonly RecordSchema[]): RecordSchema | undefined {
  return schemas.reduce<RecordSchema | undefined>(
    (all, next) => (all === undefined || all === next ? next : unionRecord(all, next)),
    undefined,
  );
}

function unionRecord(a: RecordSchema, b: RecordSchema): RecordSchema {
  const partials = b.supported_partials ?? a.supported_partials;
  const fields = unionFields(a.fields, b.fields);
  return {
    fields,
    entity_checks: common(a.entity_checks, b.entity_checks),
    shorthand_fields: unionShorthands(a.shorthand_fields, b.shorthand_fields, fields),
    ...(partials === undefined ? {} : { supported_partials: partials }),
  };
}

function unionFields(a: RecordFields, b: RecordFields): RecordFields {
  const fields: { [name: string]: FieldSchema } = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [first, second] = [a[name], b[name]];
    if (first !== undefined && second !== undefined) fields[name] = unionField(first, second);
    else if (first !== undefined) fields[name] = optional(first);
    else if (second !== undefined) fields[name] = optional(second);
  }
  return fields;
}

/** A field that some version lacks cannot be required in all. */
function optional(field: FieldSchema): FieldSchema {
  if (field.required !== true || field.default !== undefined) return field;
  const { required: _, ...rest } = field;
  return rest;
}

/** Attributes that may only narrow what is taken: kept where both say the same. */
const narrowing = [
  'eq',
  'ne',
  'gt',
  'len_eq',
  'starts_with',
  'match',
  'not_match',
  'match_all',
  'match_any',
  'match_none',
  'not_one_of',
  'contains',
  'is_regex',
  'uuid',
  'mutually_exclusive_subsets',
] as const;

function unionField(a: FieldSchema, b: FieldSchema): FieldSchema {
  if (a === b) return a;
  if (a.type !== b.type) return looseType(a, b);
  const result: { -readonly [K in keyof FieldSchema]: FieldSchema[K] } = { ...a, ...b };
  for (const attribute of narrowing) {
    if (!jsonEqual(a[attribute] as Json | undefined, b[attribute] as Json | undefined)) delete result[attribute];
  }
  if (a.required !== true || b.required !== true) delete result.required;
  if (a.one_of === undefined || b.one_of === undefined) delete result.one_of;
  else
    result.one_of = [...b.one_of, ...a.one_of.filter((value) => !b.one_of?.some((other) => jsonEqual(value, other)))];
  if (a.between === undefined || b.between === undefined) delete result.between;
  else result.between = [Math.min(a.between[0], b.between[0]), Math.max(a.between[1], b.between[1])];
  if (a.len_min !== undefined || b.len_min !== undefined) result.len_min = Math.min(leastOf(a), leastOf(b));
  if (a.len_max === undefined || b.len_max === undefined) delete result.len_max;
  else result.len_max = Math.max(a.len_max, b.len_max);
  if (a.elements !== undefined && b.elements !== undefined) result.elements = unionField(a.elements, b.elements);
  if (a.keys !== undefined && b.keys !== undefined) result.keys = unionField(a.keys, b.keys);
  if (a.values !== undefined && b.values !== undefined) result.values = unionField(a.values, b.values);
  if (a.fields !== undefined && b.fields !== undefined) {
    result.fields = unionFields(a.fields, b.fields);
    result.entity_checks = common(a.entity_checks ?? [], b.entity_checks ?? []);
    result.shorthand_fields = unionShorthands(a.shorthand_fields ?? [], b.shorthand_fields ?? [], result.fields);
  }
  return result;
}

/** A text's least length is one where the schema does not say. */
function leastOf(field: FieldSchema): number {
  return field.len_min ?? (field.type === 'string' ? 1 : 0);
}

/** A field that changed its type takes both. */
function looseType(a: FieldSchema, b: FieldSchema): FieldSchema {
  const types = new Set([a.type, b.type]);
  if (types.has('integer') && types.has('number'))
    return unionField({ ...a, type: 'number' }, { ...b, type: 'number' });
  if (types.has('array') && types.has('set')) return unionField({ ...a, type: 'set' }, { ...b, type: 'set' });
  return {
    type: 'any',
    ...(a.encrypted === true || b.encrypted === true ? { encrypted: true } : {}),
    ...(a.referenceable === true || b.referenceable === true ? { referenceable: true } : {}),
  };
}

function common<T extends Json>(a: readonly T[], b: readonly T[]): readonly T[] {
  return a.filter((item) => b.some((other) => jsonEqual(item, other)));
}

/** A name that is a field of its own in some version is taken as that. */
function unionShorthands(
  a: readonly ShorthandField[],
  b: readonly ShorthandField[],
  fields: RecordFields,
): readonly ShorthandField[] {
  const all = [...b, ...a.filter(({ name }) => !b.some((other) => other.name === name))];
  return all.filter(({ name }) => !Object.hasOwn(fields, name));
}
