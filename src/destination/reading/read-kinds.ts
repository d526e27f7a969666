import type { RawEntity } from '../../model/assemble.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ApiPaths, Kind, KindName } from '../../model/kind.ts';
import { kinds } from '../../model/kinds.ts';
import type { Unlisted } from '../../model/live.ts';
import { asFailure, Failure } from '../../platform/failure.ts';
import { bounded, type RequestWorld, send } from '../requests.ts';
import { rawLive, rawMembership } from './live-entity.ts';

/** How the collections of one destination are read. */
export interface ReadWorld extends RequestWorld {
  /** Before every path: a workspace or a control plane; without a slash at its end. */
  readonly prefix: string;
  /** The paths of a kind here, or null where the destination has no such kind. */
  readonly paths: (kind: Kind) => ApiPaths | null;
  /** The kinds that are asked for; the others are not managed, for the reason given. */
  readonly skip: (kind: Kind) => string | null;
  /** All of them meant; empty for everything. */
  readonly tags: readonly string[];
  readonly concurrency: number;
}

/** What was read: every entity of every kind that could be listed, and why the other kinds could not. */
export interface ReadKinds {
  readonly raw: readonly RawEntity[];
  readonly notManaged: ReadonlyMap<KindName, string>;
  /** Of these, those whose listing was asked for and refused. */
  readonly unlisted: ReadonlyMap<KindName, Unlisted>;
}

/** The largest page that Kong and Konnect give (kong.md "Listing"). */
const pageSize = 1000;

/** What every Kong and every control plane has: where one of these is not there, the address is not that of an API. */
const everywhere: ReadonlySet<KindName> = new Set([
  'services',
  'routes',
  'plugins',
  'consumers',
  'upstreams',
  'targets',
  'certificates',
  'snis',
]);

/**
 * Reads every kind whole, in parallel. A collection that the destination refuses to list is not managed; any other
 * failure is thrown, so that a part is never taken for the whole. What all destinations have and this one has not is
 * a wrong address, and what a user may see nothing of is no empty destination: both are refused.
 */
export async function readKinds(world: ReadWorld, signal: AbortSignal): Promise<ReadKinds> {
  const notManaged = new Map<KindName, string>();
  const unlisted = new Map<KindName, Unlisted>();
  const refuse = (kind: Kind, { refused, failure }: Refused) => {
    notManaged.set(kind.name, refused);
    const { url, status } = failure.facts;
    unlisted.set(kind.name, { url: url ?? '', status: status ?? 0 });
  };
  const flat: { readonly kind: Kind; readonly path: string }[] = [];
  const nested: { readonly kind: Kind; readonly parent: Kind; readonly path: string }[] = [];
  for (const kind of Object.values(kinds)) {
    const paths = world.paths(kind);
    const why = paths === null ? 'the destination has no such kind' : world.skip(kind);
    if (why !== null || paths === null) notManaged.set(kind.name, why ?? '');
    else if (paths.flat !== null) flat.push({ kind, path: paths.flat });
    else if (paths.nested !== null) {
      const field = paths.nested.parent;
      const key = kind.foreign.find((candidate) => candidate.field === field);
      if (key !== undefined) nested.push({ kind, parent: kinds[key.kind], path: paths.nested.path });
    }
  }

  const lists = new Map<KindName, readonly RawEntity[]>();
  const refusals: Failure[] = [];
  await bounded(
    world.concurrency,
    flat.map(({ kind, path }) => async () => {
      const answers = await listOrRefusal(world, kind, path, signal);
      if ('refused' in answers) {
        refuse(kind, answers);
        if (everywhere.has(kind.name)) refusals.push(answers.failure);
      } else
        lists.set(
          kind.name,
          answers.list.map((answer) => rawLive(kind, answer, null)),
        );
    }),
  );
  const [refusal] = refusals;
  if (refusal !== undefined && ![...everywhere].some((kind) => lists.has(kind))) throw refusal;
  for (const { kind, parent, path } of nested) {
    const refused = notManaged.get(parent.name);
    if (refused !== undefined) {
      notManaged.set(kind.name, refused);
      const by = unlisted.get(parent.name);
      if (by !== undefined) unlisted.set(kind.name, by);
    } else {
      const under = await readNested(world, { kind, parent, path }, lists.get(parent.name) ?? [], signal);
      if ('refused' in under) refuse(kind, under);
      else lists.set(kind.name, under.list);
    }
  }
  return { raw: [...lists.values()].flat(), notManaged, unlisted };
}

interface NestedList {
  readonly kind: Kind;
  readonly parent: Kind;
  readonly path: string;
}

async function readNested(
  world: ReadWorld,
  nested: NestedList,
  parents: readonly RawEntity[],
  signal: AbortSignal,
): Promise<{ readonly list: readonly RawEntity[] } | Refused> {
  const { kind, path } = nested;
  // The first parent is asked alone: where it is refused for want of the collection, so would be all others.
  const [first, ...others] = parents.flatMap((parent) => (parent.id === null ? [] : [parent.id]));
  if (first === undefined) return { list: [] };
  const read = async (id: string): Promise<{ readonly list: readonly RawEntity[] } | Refused> => {
    const answers = await listOrRefusal(world, kind, path.replace('{parent}', encodeURIComponent(id)), signal);
    if (!('refused' in answers)) return { list: answers.list.map((answer) => rawUnder(kind, id, answer)) };
    if (answers.failure.facts.status === 404 && !(await isThere(world, nested.parent, id, signal))) {
      throw vanished(kind, path);
    }
    return answers;
  };
  const probed = await read(first);
  if ('refused' in probed) return probed;
  const rest = await bounded(
    world.concurrency,
    others.map((id) => () => read(id)),
  );
  const all = rest.map((answer) => ('refused' in answer ? null : answer.list));
  if (all.includes(null)) throw vanished(kind, path);
  return { list: [...probed.list, ...all.flatMap((list) => list ?? [])] };
}

function rawUnder(kind: Kind, parent: string, answer: JsonObject): RawEntity {
  const consumer = answer['id'];
  return kind.name === 'consumer_group_consumers' && typeof consumer === 'string'
    ? rawMembership(kind, parent, consumer)
    : rawLive(kind, answer, parent);
}

/** Whether a parent is still there, where the list of its children was not found. */
async function isThere(world: ReadWorld, parent: Kind, id: string, signal: AbortSignal): Promise<boolean> {
  const path = `${world.prefix}/${world.paths(parent)?.flat ?? ''}/${encodeURIComponent(id)}`;
  return (await send(world, { method: 'GET', path, accept: [404] }, signal)).status !== 404;
}

/** Why a collection is not managed that the user may not list. */
export const notListed = 'the destination does not let this user list it';

interface Refused {
  readonly refused: string;
  readonly failure: Failure;
}

type Listed = { readonly list: readonly JsonObject[] } | Refused;

async function listOrRefusal(world: ReadWorld, kind: Kind, path: string, signal: AbortSignal): Promise<Listed> {
  try {
    return { list: await listAll(world, kind, path, signal) };
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure === undefined) throw thrown;
    const { status } = failure.facts;
    if (status === 403) return { refused: notListed, failure };
    if (status === 404 || status === 405) {
      if (everywhere.has(kind.name) && kind.parent !== 'upstream') throw noApi(failure);
      return { refused: 'the destination has no such collection', failure };
    }
    // Kong with filter chains switched off answers 400 to their listing (deck.md 3.1).
    if (status === 400 && kind.name === 'filter_chains') {
      return { refused: 'filter chains are switched off there', failure };
    }
    throw thrown;
  }
}

function noApi({ facts }: Failure): Failure {
  return new Failure({
    ...facts,
    code: 'no-such-collection',
    message: `${facts.message}, which every Kong and control plane has`,
    hint: 'Check the address and, where one is configured, that the workspace exists.',
  });
}

/** One page of a list, and the offset of the next one; null where the answer is no list. Checked by hand: pages are long. */
function pageOf(json: unknown): { readonly list: readonly JsonObject[]; readonly offset: string | null } | null {
  if (!isRecord(json)) return null;
  const list = json['data'] ?? json['consumers'];
  if (!Array.isArray(list) || !list.every(isRecord)) return null;
  const { next, offset } = json;
  if (next === null || next === undefined) return { list, offset: null };
  if (typeof next !== 'string') return null;
  return { list, offset: typeof offset === 'string' ? offset : offsetOf(next) };
}

/** What JSON text has given is JSON, so that an object is a JSON object. */
function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every entity of one collection, page by page. Throws Failure, also where the answer is no list. */
export async function listAll(
  world: Pick<ReadWorld, keyof RequestWorld | 'prefix' | 'tags'>,
  kind: Kind,
  path: string,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const tags = world.tags.length > 0 && kind.tags ? `&tags=${world.tags.map(encodeURIComponent).join(',')}` : '';
  const entities: JsonObject[] = [];
  let offset: string | null = null;
  do {
    const after: string = offset === null ? '' : `&offset=${encodeURIComponent(offset)}`;
    const request = { method: 'GET', path: `${world.prefix}/${path}?size=${pageSize}${tags}${after}` } as const;
    const answer = await send(world, request, signal);
    const page = pageOf(answer.json);
    // A page may be empty while there are more (kong.md "Listing"): only the absence of a next one ends the list.
    if (page === null || (page.offset !== null && page.offset === offset)) throw notAList(request.path, answer.status);
    for (const entity of page.list) entities.push(entity);
    offset = page.offset;
  } while (offset !== null);
  return entities;
}

function offsetOf(next: string): string | null {
  return new URL(next, 'http://relative.invalid').searchParams.get('offset');
}

function notAList(path: string, status: number): Failure {
  return new Failure({
    class: 'unreachable',
    code: 'not-a-list',
    message: 'the answer to a listing is not what Kong answers',
    hint: 'Check that the address is that of an Admin API or of Konnect, and that no proxy answers in its place.',
    method: 'GET',
    url: path.replace(/\?.*$/, ''),
    status,
    retryAfterMs: null,
    body: null,
  });
}

/** A parent that was listed and whose children cannot be: it was deleted between the two, so the read is no whole. */
function vanished(kind: Kind, path: string): Failure {
  return new Failure({
    class: 'transient',
    code: 'changed-while-reading',
    message: `the list of a ${kind.label}'s siblings vanished while the live state was read`,
    hint: 'Another client changes the destination at the same time.',
    method: 'GET',
    url: path,
    status: 404,
    retryAfterMs: null,
    body: null,
  });
}
