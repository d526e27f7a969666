import { isJsonArray, type Json, type JsonObject } from '../../model/json.ts';
import { type Answer, answer, envelope } from '../http/answers.ts';
import { type Collection, carriesTags } from '../state/collections.ts';
import type { Gateway } from '../state/gateway.ts';
import type { Stored } from '../state/store.ts';
import { answered } from './answered.ts';
import { alive } from './select.ts';

/** The workspace that a DB-less Kong has (a constant of its source), as it stands in the paging tokens. */
const declarativeWorkspace = '0dc6f45b-8f8d-40d2-a504-473544ee190b';

/** Where a list starts and how long it is. */
export interface PageRequest {
  readonly size: number;
  readonly offset: string | null;
  readonly tags: TagFilter | null;
  /** Whether an entity is asked for: by its tags, and on Konnect by its name. */
  readonly matches: (entity: JsonObject) => boolean;
}

/** Which tags must be there: all of them, or any. */
export interface TagFilter {
  readonly tags: readonly string[];
  readonly all: boolean;
  /** As it was given. */
  readonly text: string;
}

/** Reads `size`, `offset` and `tags` of a query, or gives the refusal. */
export function readPage(
  gateway: Gateway,
  collection: Collection | null,
  query: ReadonlyMap<string, string>,
): PageRequest | Answer {
  const tags = query.get('tags');
  let filter: TagFilter | null = null;
  if (tags !== undefined && (collection === null || carriesTags(collection, gateway.schemas))) {
    const read = readTags(tags);
    if ('status' in read) return read;
    filter = read;
  }
  const size = query.get('size');
  const count = size === undefined ? 100 : Number(size);
  if (size !== undefined && (size.trim() === '' || Number.isNaN(count))) return envelope(9, 'size is not a number');
  if (!Number.isInteger(count) || count < 1 || count > 1000)
    return envelope(9, 'size must be a whole number from 1 to 1000');
  const byName = gateway.flavour === 'konnect' ? nameFilter(query) : null;
  const matches = (entity: JsonObject) => passes(entity, filter) && (byName === null || byName(entity));
  return { size: count, offset: query.get('offset') ?? null, tags: filter, matches };
}

/** Konnect's `filter[name][eq]` and `filter[name][contains]`; null where neither is asked for. */
function nameFilter(query: ReadonlyMap<string, string>): ((entity: JsonObject) => boolean) | null {
  const [equal, part] = [query.get('filter[name][eq]'), query.get('filter[name][contains]')];
  if (equal === undefined && part === undefined) return null;
  return (entity) => {
    const name = entity['name'] ?? entity['username'];
    if (typeof name !== 'string') return false;
    return (equal === undefined || name === equal) && (part === undefined || name.includes(part));
  };
}

// The reasons under `options` are values that clients may compare, and so Kong's own.
function readTags(text: string): TagFilter | Answer {
  const refuse = (why: string) => envelope(11, `tags: ${why}`, { options: { tags: why } });
  if (text === '' || text === 'true') return refuse('cannot be null');
  if (text.includes(',') && text.includes('/')) return refuse('invalid filter syntax');
  const all = !text.includes('/');
  const tags = text.split(all ? ',' : '/').filter((tag) => tag !== '');
  if (tags.length > 5) return refuse('cannot query more than 5 tags');
  return { tags, all, text };
}

/** Whether an entity's tags pass a filter. */
function passes(entity: JsonObject, filter: TagFilter | null): boolean {
  if (filter === null) return true;
  const own = entity['tags'];
  if (!isJsonArray(own)) return false;
  return filter.all ? filter.tags.every((tag) => own.includes(tag)) : filter.tags.some((tag) => own.includes(tag));
}

/** One page of a whole collection. */
export function listCollection(
  gateway: Gateway,
  collection: Collection,
  path: string,
  query: ReadonlyMap<string, string>,
): Answer {
  const request = readPage(gateway, collection, query);
  if ('status' in request) return request;
  const { size, offset, tags, matches } = request;
  const start = offset === null ? { after: null } : readToken(gateway, offset);
  if (start === null) {
    if (gateway.flavour === 'dbless') return answer(200, { data: [], next: null });
    return envelope(7, 'offset is not a token of a page');
  }
  let page: readonly Stored[];
  let last: string | null;
  if (gateway.flavour === 'dbless') {
    const walked = gateway.store.after(collection.name, start.after, size);
    page = walked.filter(matches);
    last = walked.length === size ? (walked[walked.length - 1]?.id ?? null) : null;
  } else {
    const isPlain = tags === null && !query.has('filter[name][eq]') && !query.has('filter[name][contains]');
    const walked = collect(gateway, collection, start.after, size + 1, isPlain ? null : matches);
    page = walked.slice(0, size);
    last = walked.length > size ? (page[page.length - 1]?.id ?? null) : null;
  }
  const token = last === null ? null : pageToken(gateway, collection, last, tags !== null);
  const tail = `${tags === null ? '' : `&tags=${encodeURIComponent(tags.text)}`}${query.has('size') ? `&size=${query.get('size')}` : ''}`;
  return pageAnswer(
    page.map((entity) => answered(gateway, collection, entity)),
    token,
    path,
    tail,
  );
}

/** One page of what names a parent. The token is not followed by size and tags here: Kong forgets them. */
export function listChildren(
  gateway: Gateway,
  collection: Collection,
  entities: readonly Stored[],
  path: string,
  query: ReadonlyMap<string, string>,
): Answer {
  const request = readPage(gateway, collection, query);
  if ('status' in request) return request;
  const { size, offset, tags, matches } = request;
  const start = offset === null ? { after: null } : readToken(gateway, offset);
  if (start === null) {
    if (gateway.flavour === 'dbless') return answer(200, { data: [], next: null });
    return envelope(7, 'offset is not a token of a page');
  }
  const { after } = start;
  const rest = entities.filter(
    (entity) => (after === null || entity.id > after) && matches(entity) && alive(gateway, entity) !== undefined,
  );
  const page = rest.slice(0, size);
  const isFull = gateway.flavour === 'dbless' ? page.length === size : rest.length > size;
  const last = isFull ? page[page.length - 1]?.id : undefined;
  return pageAnswer(
    page.map((entity) => answered(gateway, collection, entity)),
    last === undefined ? null : pageToken(gateway, collection, last, tags !== null),
    path,
    '',
  );
}

/** A page as Kong answers it. */
export function pageAnswer(data: readonly Json[], token: string | null, path: string, tail: string): Answer {
  if (token === null) return answer(200, { data, next: null });
  return answer(200, { data, offset: token, next: `${path}?offset=${encodeURIComponent(token)}${tail}` });
}

function collect(
  gateway: Gateway,
  collection: Collection,
  after: string | null,
  count: number,
  matches: ((entity: JsonObject) => boolean) | null,
): readonly Stored[] {
  if (matches === null && gateway.ends.size === 0) return gateway.store.after(collection.name, after, count);
  const found: Stored[] = [];
  for (const entity of gateway.store.after(collection.name, after, Number.POSITIVE_INFINITY)) {
    if (matches?.(entity) === false || alive(gateway, entity) === undefined) continue;
    found.push(entity);
    if (found.length === count) break;
  }
  return found;
}

function pageToken(gateway: Gateway, collection: Collection, id: string, filtered: boolean): string {
  const text =
    gateway.flavour === 'dbless'
      ? `${collection.name}|${filtered ? '*' : declarativeWorkspace}|*|${id}\0`
      : JSON.stringify([id]);
  return Buffer.from(text, 'utf8').toString('base64url');
}

function readToken(gateway: Gateway, token: string): { readonly after: string } | null {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  if (gateway.flavour === 'dbless') {
    const id = /\|([0-9a-f-]{36})\0$/.exec(text)?.[1];
    return id === undefined ? null : { after: id };
  }
  try {
    const parsed: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(parsed) ? parsed[0] : undefined;
    return typeof first === 'string' ? { after: first } : null;
  } catch {
    return null;
  }
}
