import { isJsonArray, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from '../model/json.ts';
import type { FieldSchema, RecordFields, ShorthandField } from './schema.ts';
import { expandShorthands, withAnsweredShorthands } from './shorthand.ts';

/** What filling needs of a record's schema. */
export interface FillableRecord {
  readonly fields: RecordFields;
  readonly shorthand_fields?: readonly ShorthandField[];
}

/**
 * The record as Kong stores it: shorthands moved to the fields they stand for, defaults filled in (the default of a
 * record before those of its fields), missing fields that need no value as null, sets without duplicates. A null that
 * was given stays. What the server makes (`auto`) and what is required and missing stays missing; unknown fields stay.
 */
export function fillDefaults(schema: FillableRecord, value: JsonObject): JsonObject {
  const expanded = expandShorthands(schema.shorthand_fields ?? [], value).value;
  const filled: { [field: string]: Json } = {};
  for (const name in schema.fields) {
    const field = schema.fields[name];
    const result = field === undefined ? undefined : fillField(field, expanded[name]);
    if (result !== undefined) filled[name] = result;
  }
  for (const name in expanded) {
    const unknown = expanded[name];
    if (!Object.hasOwn(schema.fields, name) && unknown !== undefined) setOwn(filled, name, unknown);
  }
  return filled;
}

/** A field's value as Kong stores it, or undefined where it stays missing. */
export function fillField(field: FieldSchema, given: Json | undefined): Json | undefined {
  const value = given === undefined ? defaultOf(field) : given;
  if (value === undefined || value === null) return value;
  switch (field.type) {
    case 'record':
      return field.fields !== undefined && isJsonObject(value) ? fillDefaults(fillable(field), value) : value;
    case 'array':
    case 'set': {
      if (!isJsonArray(value)) return value;
      const { elements } = field;
      const filled = elements === undefined ? value : value.map((item) => fillField(elements, item) ?? null);
      return field.type === 'set' ? withoutDuplicates(filled) : filled;
    }
    case 'map': {
      const { values } = field;
      if (values === undefined || !isJsonObject(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillField(values, item) ?? null]));
    }
    default:
      return value;
  }
}

/** What a missing field becomes, or undefined where it stays missing. */
function defaultOf(field: FieldSchema): Json | undefined {
  if (field.default !== undefined) return field.default;
  if (field.auto === true || field.abstract === true || field.transient === true) return undefined;
  if (field.required === true) return field.type === 'record' && field.fields !== undefined ? {} : undefined;
  return null;
}

/** The record schema of a field of type record. */
export function fillable(field: FieldSchema): FillableRecord {
  return { fields: field.fields ?? {}, shorthand_fields: field.shorthand_fields ?? [] };
}

function withoutDuplicates(items: readonly Json[]): readonly Json[] {
  const seen = new Set<Json>();
  return items.filter((item) => {
    if (typeof item === 'object' && item !== null) return true;
    if (seen.has(item)) return false;
    seen.add(item);
    return true;
  });
}

/**
 * A filled record as Kong answers it: with the old names of renamed fields beside the new ones, at every depth. Only an
 * emulator needs this; it must never be sent.
 */
export function answeredForm(schema: FillableRecord, filled: JsonObject): JsonObject {
  const answered: { [field: string]: Json } = {};
  for (const [name, value] of Object.entries(filled)) {
    const field = ownValue(schema.fields, name);
    setOwn(answered, name, field === undefined ? value : answeredField(field, value));
  }
  return withAnsweredShorthands(schema.shorthand_fields ?? [], answered);
}

function answeredField(field: FieldSchema, value: Json): Json {
  if (field.type === 'record' && field.fields !== undefined && isJsonObject(value)) {
    return answeredForm(fillable(field), value);
  }
  const { elements, values } = field;
  if (elements !== undefined && isJsonArray(value)) return value.map((item) => answeredField(elements, item));
  if (values !== undefined && field.type === 'map' && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, answeredField(values, item)]));
  }
  return value;
}
