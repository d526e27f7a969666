import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { knownShorthandPaths } from './known-shorthands.ts';
import type { FieldSchema, RecordFields, RecordSchema, ShorthandField } from './schema.ts';

const types: ReadonlySet<string> = new Set<FieldSchema['type']>([
  'string',
  'integer',
  'number',
  'boolean',
  'array',
  'set',
  'map',
  'record',
  'foreign',
  'json',
  'function',
  'any',
]);

/** Attributes that are taken over as they stand, with the type that their value must have to count. */
const attributes: { readonly [name: string]: 'boolean' | 'number' | 'string' | 'array' | 'object' | 'any' } = {
  auto: 'boolean',
  unique: 'boolean',
  encrypted: 'boolean',
  referenceable: 'boolean',
  uuid: 'boolean',
  timestamp: 'boolean',
  transient: 'boolean',
  abstract: 'boolean',
  is_regex: 'boolean',
  required: 'boolean',
  default: 'any',
  eq: 'any',
  ne: 'any',
  contains: 'any',
  gt: 'number',
  len_eq: 'number',
  len_min: 'number',
  len_max: 'number',
  between: 'array',
  one_of: 'array',
  not_one_of: 'array',
  starts_with: 'string',
  match: 'string',
  not_match: 'string',
  match_all: 'array',
  match_none: 'array',
  match_any: 'object',
  mutually_exclusive_subsets: 'array',
  reference: 'string',
  on_delete: 'string',
};

/**
 * Reads a schema as Kong's Admin API serves it (`GET /schemas/…`). What it does not know it leaves out, so that a newer
 * Kong's schema still checks and fills all the rest; gives undefined only where the document is no schema at all.
 * `name` is the entity kind or plugin it belongs to: some of what Kong accepts is in no document.
 */
export function parseServedSchema(document: Json | undefined, name: string): RecordSchema | undefined {
  if (!isJsonObject(document) || document['fields'] === undefined) return undefined;
  const record = parseRecord(document, name);
  return {
    fields: withUnserved(record.fields, name),
    entity_checks: record.entity_checks,
    shorthand_fields: record.shorthand_fields,
  };
}

function parseRecord(document: JsonObject, name: string): RecordSchema {
  const fields: { [field: string]: FieldSchema } = {};
  for (const [field, schema] of entries(document['fields'])) fields[field] = parseField(schema, name);
  const shorthands = entries(document['shorthand_fields']).map(([field, schema]) =>
    parseShorthand(field, schema, name, fields),
  );
  const checks = document['entity_checks'];
  return {
    fields,
    entity_checks: isJsonArray(checks) ? checks.filter(isJsonObject) : [],
    shorthand_fields: shorthands,
  };
}

/** The pairs of an array of one-key objects; an object is read as one whose keys are the names. */
function entries(list: Json | undefined): readonly (readonly [string, JsonObject])[] {
  const objects = isJsonArray(list) ? list : isJsonObject(list) ? [list] : [];
  return objects.flatMap((entry) =>
    isJsonObject(entry)
      ? Object.entries(entry).flatMap(([name, schema]) => (isJsonObject(schema) ? [[name, schema] as const] : []))
      : [],
  );
}

function parseField(document: JsonObject, name: string): FieldSchema {
  const type = document['type'];
  const field: { -readonly [K in keyof FieldSchema]?: FieldSchema[K] } & { type: FieldSchema['type'] } = {
    type: typeof type === 'string' && types.has(type) ? (type as FieldSchema['type']) : 'any',
  };
  const copied: { [attribute: string]: Json } = {};
  for (const [attribute, shape] of Object.entries(attributes)) {
    const value = document[attribute];
    if (value !== undefined && fits(value, shape)) copied[attribute] = value;
  }
  Object.assign(field, copied);
  const { elements, keys, values, deprecation } = document;
  if (isJsonObject(elements)) field.elements = parseField(elements, name);
  if (isJsonObject(keys)) field.keys = parseField(keys, name);
  if (isJsonObject(values)) field.values = parseField(values, name);
  if (deprecation !== undefined && deprecation !== null) field.deprecated = true;
  if (field.type === 'record' && field.abstract !== true) {
    const record = parseRecord(document, name);
    field.fields = record.fields;
    field.entity_checks = record.entity_checks;
    field.shorthand_fields = record.shorthand_fields;
  }
  return field;
}

function fits(value: Json, shape: 'boolean' | 'number' | 'string' | 'array' | 'object' | 'any'): boolean {
  switch (shape) {
    case 'any':
      return true;
    case 'array':
      return isJsonArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return typeof value === shape;
  }
}

/** Where a shorthand's value goes: what the document says, else what is known of it. */
function parseShorthand(name: string, document: JsonObject, owner: string, fields: RecordFields): ShorthandField {
  const schema = parseField(document, owner);
  const deprecation = document['deprecation'];
  const replaced = isJsonObject(deprecation) ? deprecation['replaced_with'] : undefined;
  const said = isJsonArray(replaced)
    ? replaced.flatMap((item) => (isJsonObject(item) ? [pathOf(item['path'])] : []))
    : [pathOf(document['translate_backwards'])];
  const paths = said.filter((path) => path.length > 0);
  if (paths.length > 0) return { name, schema, paths, answered: true };
  return { name, schema, paths: knownShorthandPaths(name, fields) };
}

function pathOf(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((step) => typeof step === 'string') : [];
}

/** Fields that Kong takes though its schema does not list them: the time to live of a key-auth key. */
function withUnserved(fields: RecordFields, name: string): RecordFields {
  if (name !== 'keyauth_credentials' || fields['ttl'] !== undefined) return fields;
  return { ...fields, ttl: { type: 'integer', between: [0, 100_000_000] } };
}

/** A schema in the form in which Kong serves it: fields as an array of one-key objects. */
export function serveSchema(schema: RecordSchema): JsonObject {
  return { entity_checks: schema.entity_checks, ...serveRecord(schema) };
}

function serveRecord(schema: Pick<RecordSchema, 'fields' | 'shorthand_fields'>): { readonly [key: string]: Json } {
  const served: { [key: string]: Json } = {
    fields: Object.entries(schema.fields).map(([name, field]) => ({ [name]: serveField(field) })),
  };
  if (schema.shorthand_fields.length > 0) {
    served['shorthand_fields'] = schema.shorthand_fields.map((shorthand) => ({
      [shorthand.name]: {
        ...serveField(shorthand.schema),
        ...(shorthand.answered === true
          ? { deprecation: { replaced_with: shorthand.paths.map((path) => ({ path })) } }
          : {}),
      },
    }));
  }
  return served;
}

function serveField(field: FieldSchema): JsonObject {
  const served: { [key: string]: Json } = { type: field.type };
  const source = field as unknown as JsonObject;
  for (const attribute of Object.keys(attributes)) {
    const value = source[attribute];
    if (value !== undefined) served[attribute] = value;
  }
  if (field.elements !== undefined) served['elements'] = serveField(field.elements);
  if (field.keys !== undefined) served['keys'] = serveField(field.keys);
  if (field.values !== undefined) served['values'] = serveField(field.values);
  if (field.deprecated === true) served['deprecation'] = {};
  if (field.fields !== undefined) {
    Object.assign(served, serveRecord({ fields: field.fields, shorthand_fields: field.shorthand_fields ?? [] }));
    if ((field.entity_checks?.length ?? 0) > 0) served['entity_checks'] = field.entity_checks ?? [];
  }
  return served;
}
