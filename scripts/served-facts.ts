/** A JSON object of a served schema. */
export type Doc = { [key: string]: unknown };

/** Whether a value is a JSON object. */
export function isDoc(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Attributes of a field that are words for people, or that only Kong's own process reads. */
const dropped = new Set(['description', 'err', 'json_schema', 'unique_across_ws', 'prefix_ws', 'examples', 'example']);

/** Defaults that a server makes up at random when it starts: the field is the server's to fill. */
const madeUp: { readonly [plugin: string]: readonly string[] } = { session: ['secret'] };

/** A served schema with the words taken out. Names of fields are no words, even one called "description". */
export function withoutWords(document: Doc, name: string): Doc {
  return record(document, name);
}

function record(document: Doc, name: string): Doc {
  const facts: Doc = {};
  for (const [key, value] of Object.entries(document)) {
    if (key === 'fields' || key === 'shorthand_fields') facts[key] = fieldList(value, name);
    else if (key === 'entity_checks') facts[key] = Array.isArray(value) ? value.filter(isDoc).map(check) : [];
  }
  return facts;
}

function fieldList(list: unknown, name: string): unknown[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isDoc).map((entry) =>
    Object.fromEntries(
      Object.entries(entry).map(([fieldName, schema]) => {
        const facts = isDoc(schema) ? field(schema, name) : {};
        if (madeUp[name]?.includes(fieldName)) {
          const { default: _, ...rest } = facts;
          return [fieldName, { ...rest, auto: true }];
        }
        return [fieldName, facts];
      }),
    ),
  );
}

function field(schema: Doc, name: string): Doc {
  const facts: Doc = {};
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key) || key === 'fields' || key === 'shorthand_fields' || key === 'entity_checks') continue;
    // A gateway without filters serves an empty list of their names, which would refuse them all.
    if (key === 'one_of' && Array.isArray(value) && value.length === 0) continue;
    if (key === 'deprecation') facts[key] = deprecation(value);
    else if (key === 'elements' || key === 'keys' || key === 'values')
      facts[key] = isDoc(value) ? field(value, name) : {};
    else facts[key] = withoutErrors(value);
  }
  return 'fields' in schema || 'shorthand_fields' in schema ? { ...facts, ...record(schema, name) } : facts;
}

function deprecation(value: unknown): Doc {
  return isDoc(value) && Array.isArray(value['replaced_with']) ? { replaced_with: value['replaced_with'] } : {};
}

function check(value: Doc): unknown {
  return withoutErrors(value);
}

/** Match lists and checks carry the text of their error beside the pattern. */
function withoutErrors(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutErrors);
  if (!isDoc(value)) return value;
  const { err: _err, then_err: _thenErr, else_then_err: _elseErr, description: _description, ...rest } = value;
  return Object.fromEntries(
    Object.entries(rest).map(([key, inner]) => [key, key === 'default' ? inner : withoutErrors(inner)]),
  );
}
