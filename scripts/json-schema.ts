import { type Doc, isDoc } from './served-facts.ts';

/** A field in the form of src/schema/schema.ts, still open to additions. */
export interface Field {
  type: string;
  fields?: { [name: string]: Field };
  elements?: Field;
  keys?: Field;
  values?: Field;
  shorthand_fields?: readonly {
    name: string;
    schema: Field;
    paths: readonly (readonly string[])[];
    answered?: boolean;
  }[];
  [attribute: string]: unknown;
}

/** What a plugin may be scoped to, and the collections they are in. */
const scopes: readonly (readonly [string, string])[] = [
  ['service', 'services'],
  ['route', 'routes'],
  ['consumer', 'consumers'],
  ['consumer_group', 'consumer_groups'],
];

/** A plugin's JSON Schema as a record. A scope that the document leaves out is one that the plugin refuses. */
export function recordFrom(document: Doc): Field {
  const properties = isDoc(document['properties']) ? document['properties'] : {};
  const fields: { [name: string]: Field } = {};
  for (const [name, reference] of scopes) {
    fields[name] = { type: 'foreign', reference, ...(properties[name] === undefined ? { eq: null } : {}) };
  }
  for (const name of ['protocols', 'config']) {
    const schema = properties[name];
    if (isDoc(schema)) fields[name] = fieldFrom(schema, name);
  }
  if (fields['protocols'] !== undefined) fields['protocols'] = { ...fields['protocols'], type: 'set', required: true };
  // A plugin without settings has an empty configuration.
  const config = fields['config'];
  fields['config'] = { ...(config?.type === 'record' ? config : { type: 'record', fields: {} }), required: true };
  const record: Field = { type: 'record', fields };
  const partials = document['x-supported-partials'];
  if (Array.isArray(partials)) {
    record['supported_partials'] = partials.filter(isDoc).map(({ name, paths }) => ({ type: name, paths }));
  }
  return record;
}

/** A property's JSON Schema as a field. */
export function fieldFrom(schema: Doc, name: string): Field {
  const field: Field = { type: typeOf(schema) };
  if (schema['default'] !== undefined) field['default'] = schema['default'];
  if (Array.isArray(schema['enum'])) field['one_of'] = schema['enum'];
  if (schema['const'] !== undefined) field['eq'] = schema['const'];
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number' || typeof maximum === 'number') {
    field['between'] = [
      typeof minimum === 'number' ? minimum : -Number.MAX_SAFE_INTEGER,
      typeof maximum === 'number' ? maximum : Number.MAX_SAFE_INTEGER,
    ];
  }
  copy(schema, 'minLength', field, 'len_min');
  copy(schema, 'maxLength', field, 'len_max');
  // A default shows what is taken: an empty text, where the document gives no length.
  if (field['default'] === '' && field['len_min'] === undefined) field['len_min'] = 0;
  // Some patterns were put into another language on their way; those are not Lua's.
  const { pattern } = schema;
  if (typeof pattern === 'string' && !/\\[/tnvfr]/.test(pattern)) field['match'] = pattern;
  copy(schema, 'not_one_of', field, 'not_one_of');
  for (const attribute of ['uuid', 'unique', 'is_regex']) copy(schema, attribute, field, attribute);
  copy(schema, 'x-encrypted', field, 'encrypted');
  copy(schema, 'x-referenceable', field, 'referenceable');
  const { match_all: all, match_any: any } = schema;
  if (isDoc(all) && typeof all['pattern'] === 'string') field['match_all'] = [{ pattern: all['pattern'] }];
  if (isDoc(any) && Array.isArray(any['patterns'])) field['match_any'] = { patterns: any['patterns'] };
  if (isDoc(schema['items']) && field.type === 'array') field.elements = fieldFrom(schema['items'], name);
  if (field.type === 'map' && isDoc(schema['additionalProperties'])) {
    field.values = fieldFrom(schema['additionalProperties'], name);
  }
  if (field.type === 'record') addFields(field, schema);
  return field;
}

function copy(schema: Doc, from: string, field: Field, to: string): void {
  if (schema[from] !== undefined) field[to] = schema[from];
}

function typeOf(schema: Doc): string {
  if (Array.isArray(schema['oneOf']) || Array.isArray(schema['anyOf'])) return 'any';
  if (schema['x-foreign'] === true) return 'foreign';
  const { type } = schema;
  if (type !== 'object') return typeof type === 'string' ? type : 'any';
  if (isDoc(schema['properties'])) return 'record';
  return schema['additionalProperties'] === undefined ? 'any' : 'map';
}

function addFields(field: Field, schema: Doc): void {
  const properties = isDoc(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields: { [name: string]: Field } = {};
  for (const [name, property] of Object.entries(properties)) {
    if (!isDoc(property)) continue;
    const inner = fieldFrom(property, name);
    if (required.includes(name) || isFilledRecord(inner)) inner['required'] = true;
    fields[name] = inner;
  }
  field.fields = fields;
  const shorthands = schema['shorthand_fields'];
  if (!isDoc(shorthands)) return;
  field.shorthand_fields = Object.entries(shorthands)
    .filter((entry): entry is [string, Doc] => isDoc(entry[1]))
    .map(([name, shorthand]) => {
      const path = pathIn(field, name, shorthand['translate_backwards']);
      const inner = fieldFrom(shorthand, name);
      delete inner['default'];
      return { name, schema: inner, paths: path === null ? [] : [path], ...(path === null ? {} : { answered: true }) };
    });
}

/**
 * JSON Schema does not say which records a server fills in. One that has defaults inside and asks for nothing is
 * filled: that is what Kong's own records of that form do.
 */
function isFilledRecord(field: Field): boolean {
  if (field.type !== 'record' || field.fields === undefined) return false;
  const inner = Object.values(field.fields);
  const asks = inner.some((one) => one['required'] === true && one['default'] === undefined && !isFilledRecord(one));
  return !asks && inner.some((one) => one['default'] !== undefined || one['required'] === true);
}

/** The path of a replacement. The documents list its steps in the order of the alphabet: the one that exists is meant. */
function pathIn(record: Field, name: string, steps: unknown): readonly string[] | null {
  const given = Array.isArray(steps) ? steps.filter((step) => typeof step === 'string') : [];
  const candidates = [given, [...given].reverse(), ...byName(name)];
  return candidates.find((path) => path.length > 0 && exists(record, path)) ?? null;
}

function byName(name: string): readonly (readonly string[])[] {
  return ['session_redis_', 'redis_', 'session_memcached_', 'session_memcache_']
    .filter((prefix) => name.startsWith(prefix))
    .map((prefix) => ['redis', name.slice(prefix.length)])
    .filter(([, field]) => field !== '');
}

function exists(record: Field, path: readonly string[]): boolean {
  let current: Field | undefined = record;
  for (const step of path) current = current?.fields?.[step];
  return current !== undefined;
}
