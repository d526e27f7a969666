import { isJsonArray, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from '../../model/json.ts';
import type { FieldSchema, RecordFields } from '../../schema/schema.ts';
import { type Answer, answer, page, unexpected } from './answers.ts';

/** One request as it came over the wire. `path` is the raw path without the query. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: Uint8Array;
}

/** What a body holds, or the answer that a body which cannot be read gets. */
export type ReadBody =
  | { readonly kind: 'json'; readonly value: JsonObject; readonly isForm: boolean }
  | { readonly kind: 'empty' }
  | { readonly kind: 'raw'; readonly text: string }
  | { readonly kind: 'refused'; readonly answer: Answer };

const mayHaveBody = new Set(['POST', 'PUT', 'PATCH']);

/** Kong's limit for a body (nginx_admin_client_max_body_size), in bytes. */
export const bodyLimitBytes = 10 * 1024 * 1024;

/**
 * Reads a body as Kong's Admin API does: JSON and forms; 415 for anything else, before it is looked at. `yaml` lets
 * YAML through as text, which only `/config` takes.
 */
export function readBody(request: WireRequest, yaml: boolean): ReadBody {
  if (request.body.byteLength > bodyLimitBytes) return { kind: 'refused', answer: page(413) };
  if (!mayHaveBody.has(request.method)) return { kind: 'empty' };
  const given = request.headers['content-type'];
  if (given === undefined) {
    return request.body.byteLength === 0 ? { kind: 'empty' } : { kind: 'refused', answer: page(415) };
  }
  const type = given.toLowerCase();
  const text = new TextDecoder().decode(request.body);
  if (type.includes('application/json')) return readJson(text);
  if (type.includes('application/x-www-form-urlencoded'))
    return { kind: 'json', isForm: true, value: nest(formPairs(text)) };
  if (type.includes('multipart/form-data')) {
    return { kind: 'json', isForm: true, value: nest(multipartPairs(text, given)) };
  }
  if (yaml && (type.includes('text/yaml') || type.includes('application/yaml'))) return { kind: 'raw', text };
  return { kind: 'refused', answer: page(415) };
}

function readJson(text: string): ReadBody {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { kind: 'refused', answer: answer(400, { message: 'Cannot parse JSON body' }) };
  }
  if (value === false) return { kind: 'refused', answer: answer(400, { message: 'Cannot parse JSON body' }) };
  if (isJsonObject(value)) return { kind: 'json', isForm: false, value };
  if (isJsonArray(value) && value.length === 0) return { kind: 'json', isForm: false, value: {} };
  return { kind: 'refused', answer: unexpected };
}

/** The pairs of a query or form, with `+` as a space and escapes undone; a key without `=` has the value `true`. */
export function formPairs(text: string): readonly (readonly [string, string])[] {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      return equals === -1
        ? ([unescapeText(part), 'true'] as const)
        : ([unescapeText(part.slice(0, equals)), unescapeText(part.slice(equals + 1))] as const);
    });
}

/** A text with `+` as a space and percent escapes undone; an escape that is none stays as it stands. */
export function unescapeText(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replace(/(%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  }
}

function multipartPairs(text: string, type: string): readonly (readonly [string, string])[] {
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary === undefined) return [];
  return text.split(`--${boundary}`).flatMap((part) => {
    const [head, ...rest] = part.split('\r\n\r\n');
    const name = /name="([^"]*)"/i.exec(head ?? '')?.[1];
    return name === undefined ? [] : [[name, rest.join('\r\n\r\n').replace(/\r\n$/, '')] as const];
  });
}

/** A form's pairs as an object: `a.b` and `a[b]` go into records, `a[]` and `a[1]` into arrays. */
function nest(pairs: readonly (readonly [string, string])[]): JsonObject {
  const root: { [key: string]: Json } = {};
  for (const [key, value] of pairs) {
    const steps = key
      .replaceAll(/\[([^\]]*)\]/g, '.$1')
      .split('.')
      .filter((step, index) => step !== '' || index > 0);
    place(root, steps, value);
  }
  return root;
}

function place(record: { [key: string]: Json }, steps: readonly string[], value: Json): void {
  const [step = '', ...rest] = steps;
  const next = rest[0];
  if (next === undefined) {
    const known = ownValue(record, step);
    setOwn(record, step, known === undefined ? value : isJsonArray(known) ? [...known, value] : [known, value]);
    return;
  }
  const known = ownValue(record, step);
  if (rest.length === 1 && (next === '' || /^\d+$/.test(next))) {
    setOwn(record, step, isJsonArray(known) ? [...known, value] : [value]);
    return;
  }
  const inner: { [key: string]: Json } = isJsonObject(known) ? { ...known } : {};
  place(inner, rest, value);
  setOwn(record, step, inner);
}

/** A form's values in the types that a schema asks for: a form knows only texts. */
export function inferTypes(fields: RecordFields, value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const field = ownValue(fields, name);
      return [name, field === undefined ? inner : inferred(field, inner)];
    }),
  );
}

function inferred(field: FieldSchema, value: Json): Json {
  // Nothing between the signs is null, and a text only for fields that hold one.
  if (value === '' && field.type !== 'string') return null;
  switch (field.type) {
    case 'integer':
    case 'number':
      return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'array':
    case 'set': {
      const { elements } = field;
      const items = isJsonArray(value) ? value : isNumbered(value) ? Object.values(value) : [value];
      return elements === undefined ? items : items.map((item) => inferred(elements, item));
    }
    case 'record':
      return isJsonObject(value) && field.fields !== undefined ? inferTypes(field.fields, value) : value;
    case 'map': {
      const { values } = field;
      if (values === undefined || !isJsonObject(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inferred(values, inner)]));
    }
    default:
      return value;
  }
}

function isNumbered(value: Json): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).every((key) => /^\d+$/.test(key));
}
