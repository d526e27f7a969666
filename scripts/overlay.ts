import type { Field } from './json-schema.ts';
import { type Doc, isDoc } from './served-facts.ts';

/** What a served schema says that JSON Schema has no words for. */
const carried = [
  'match',
  'not_match',
  'match_all',
  'match_any',
  'match_none',
  'starts_with',
  'is_regex',
  'uuid',
  'mutually_exclusive_subsets',
  'contains',
  'auto',
  'encrypted',
  'referenceable',
] as const;

/**
 * Documents of older versions do not mark what is encrypted or may stand in a vault, and say of few plugins that they
 * may be scoped to a consumer group. What the next version says holds for them too.
 */
export function markAsLater(record: Field, later: Field): void {
  for (const attribute of ['encrypted', 'referenceable']) {
    if (record[attribute] === undefined && later[attribute] === true && record.type === later.type) {
      record[attribute] = true;
    }
  }
  for (const [name, field] of Object.entries(record.fields ?? {})) {
    const next = later.fields?.[name];
    if (next === undefined) continue;
    if (name === 'consumer_group' && next['eq'] === undefined) delete field['eq'];
    markAsLater(field, next);
  }
  for (const part of ['elements', 'values'] as const) {
    const [own, next] = [record[part], later[part]];
    if (own !== undefined && next !== undefined) markAsLater(own, next);
  }
}

/** Adds to a record what the served document of the same plugin says of the same fields. */
export function enrich(record: Field, served: Doc | undefined): void {
  if (served === undefined) return;
  enrichRecord(record, served);
}

function enrichRecord(record: Field, served: Doc): void {
  const fields = record.fields ?? {};
  for (const [name, document] of pairs(served['fields'])) {
    const field = fields[name];
    if (field !== undefined) enrichField(field, document);
  }
  const checks = Array.isArray(served['entity_checks']) ? served['entity_checks'].filter(isDoc) : [];
  const whole = checks.filter((check) => namesOf(check).every((name) => exists(record, name.split('.'))));
  if (whole.length > 0) record['entity_checks'] = whole;
  for (const [name, document] of pairs(served['shorthand_fields'])) {
    if (fields[name] !== undefined) continue;
    const listed = record.shorthand_fields?.find((shorthand) => shorthand.name === name);
    if (listed !== undefined && listed.paths.length > 0) continue;
    const paths = replacements(document).filter((path) => exists(record, path));
    if (listed === undefined && paths.length === 0) continue;
    const schema: Field = listed?.schema ?? { type: String(document['type'] ?? 'any') };
    const shorthand = { name, schema, paths, ...(paths.length > 0 ? { answered: true } : {}) };
    record.shorthand_fields = [...(record.shorthand_fields ?? []).filter((other) => other !== listed), shorthand];
  }
}

function enrichField(field: Field, served: Doc): void {
  if (field.type === 'array' && served['type'] === 'set') field.type = 'set';
  if (field.type === 'record' && served['type'] === 'record') {
    if (served['required'] === true) field['required'] = true;
    if (isDoc(served['default']) && field['default'] === undefined) field['default'] = served['default'];
  }
  if (field.type === 'record' && served['type'] === 'record') enrichRecord(field, served);
  if (field.type !== served['type']) return;
  // "Above zero" is told as "zero at least" there.
  const [least, most] = Array.isArray(field['between']) ? field['between'] : [];
  if (typeof served['gt'] === 'number' && least === served['gt'] && most === Number.MAX_SAFE_INTEGER) {
    field['gt'] = served['gt'];
    delete field['between'];
  }
  if (field['between'] === undefined && served['gt'] !== undefined) field['gt'] = served['gt'];
  if (served['required'] === true && field['default'] !== undefined) field['required'] = true;
  if (served['auto'] === true) delete field['default'];
  for (const attribute of carried) {
    if (field[attribute] === undefined && served[attribute] !== undefined) field[attribute] = served[attribute];
  }
  for (const part of ['elements', 'keys', 'values'] as const) {
    const inner = served[part];
    if (!isDoc(inner)) continue;
    const own = field[part];
    if (own !== undefined) enrichField(own, inner);
    else if (part === 'keys' && inner['type'] === 'string') {
      field.keys = { type: 'string' };
      enrichField(field.keys, inner);
    }
  }
}

function pairs(list: unknown): readonly (readonly [string, Doc])[] {
  return (Array.isArray(list) ? list.filter(isDoc) : []).flatMap((entry) =>
    Object.entries(entry).filter((pair): pair is [string, Doc] => isDoc(pair[1])),
  );
}

function replacements(document: Doc): readonly (readonly string[])[] {
  const deprecation = document['deprecation'];
  const list = isDoc(deprecation) ? deprecation['replaced_with'] : undefined;
  return (Array.isArray(list) ? list.filter(isDoc) : []).map(({ path }) =>
    Array.isArray(path) ? path.filter((step) => typeof step === 'string') : [],
  );
}

/** The fields that a check names. */
function namesOf(check: Doc): readonly string[] {
  return Object.values(check).flatMap((argument) => {
    if (Array.isArray(argument)) return argument.filter((name) => typeof name === 'string');
    if (!isDoc(argument)) return [];
    const { if_field: first, then_field: then, then_at_least_one_of: oneOf, field_sources: sources } = argument;
    return [first, then, ...(Array.isArray(oneOf) ? oneOf : []), ...(Array.isArray(sources) ? sources : [])].filter(
      (name) => typeof name === 'string',
    );
  });
}

function exists(record: Field, path: readonly string[]): boolean {
  let current: Field | undefined = record;
  for (const step of path) current = current?.fields?.[step];
  return current !== undefined;
}
