import type { Json, JsonObject } from '../../model/json.ts';
import type { UniqueConstraint } from '../../model/kind.ts';

/** What the emulator answers to one request. `html` is for what nginx answers before Kong is asked. */
export interface Answer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body: Json | undefined;
  readonly html?: boolean;
}

/** An answer with a JSON body. */
export function answer(status: number, body?: Json, headers?: { readonly [name: string]: string }): Answer {
  return headers === undefined ? { status, body } : { status, body, headers };
}

/** What is answered where there is nothing at a path, or no such entity. */
export const notFound: Answer = { status: 404, body: { message: 'Not found' } };

/** What is answered to a method that a path does not take. */
export const methodNotAllowed: Answer = { status: 405, body: { message: 'Method not allowed' } };

/** Kong's own faults: a plain 500 without a code (kong.md, "Real 500s"). */
export const unexpected: Answer = { status: 500, body: { message: 'An unexpected error occurred' } };

/** What nginx answers by itself, as a page. */
export function page(status: 400 | 412 | 413 | 414 | 415): Answer {
  const reasons = {
    400: 'Bad Request',
    412: 'Precondition Failed',
    413: 'Request Entity Too Large',
    414: 'Request-URI Too Large',
    415: 'Unsupported Media Type',
  } as const;
  const title = `${status} ${reasons[status]}`;
  return {
    status,
    html: true,
    body: `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`,
  };
}

/** The codes of Kong's error envelope that have a status of their own (kong.md, "Error envelope"). */
const names = {
  1: ['invalid primary key', 400],
  2: ['schema violation', 400],
  3: ['primary key violation', 400],
  4: ['foreign key violation', 400],
  5: ['unique constraint violation', 409],
  6: ['not found', 404],
  7: ['invalid offset', 400],
  9: ['invalid size', 400],
  10: ['invalid unique', 400],
  11: ['invalid options', 400],
  12: ['operation unsupported', 405],
  13: ['foreign keys unresolved', 400],
  14: ['invalid declarative configuration', 400],
  19: ['referenced by others', 400],
} as const;

/** An answer in Kong's error envelope. `more` is put beside the code: `fields`, `options`. */
export function envelope(code: keyof typeof names, message: string, more: JsonObject = {}, name?: string): Answer {
  const [usual, status] = names[code];
  return { status, body: { code, name: name ?? usual, message, ...more } };
}

/** What is answered to an entity that does not fit its schema. */
export function schemaViolation(fields: JsonObject): Answer {
  const count = leaves(fields);
  return envelope(2, `${count} ${count === 1 ? 'field does' : 'fields do'} not fit the schema: see fields`, { fields });
}

/** What is answered to a value that another entity has already. */
export function uniqueViolation(constraint: UniqueConstraint, entity: JsonObject): Answer {
  const fields = Object.fromEntries(constraint.fields.map((field) => [field, entity[field] ?? null]));
  return envelope(5, `another entity has these values already: ${constraint.fields.join(', ')}`, { fields });
}

/** What is answered to a reference to nothing. */
export function foreignViolation(field: string, id: string, to: string): Answer {
  return envelope(4, `${field} names an entity of ${to} that does not exist`, { fields: { [field]: { id } } });
}

/** What is answered to an id that is taken. */
export function primaryKeyViolation(id: string): Answer {
  return envelope(3, `there is an entity with the id ${id} already`, { fields: { id } });
}

/** What is answered to a change of what is not there. */
export function missingEntity(field: string, value: string): Answer {
  return envelope(6, `there is no entity with this ${field}`, { fields: { [field]: value } });
}

function leaves(value: Json): number {
  if (value === null) return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + leaves(inner), 0);
}
