import { createHash } from 'node:crypto';
import { assemble } from '../../model/assemble.ts';
import { renderDbless } from '../../model/dbless-form.ts';
import { kinds } from '../../model/kinds.ts';
import type { LiveNode } from '../../model/live.ts';
import { type State, stateOf } from '../../model/state.ts';
import type { PlannedDelivery } from '../../plan/plan.ts';
import { asFailure, Failure, type FailureFacts } from '../../platform/failure.ts';
import type { ChangeOutcome, Confirmation, Destination, Outcome } from '../destination.ts';
import { readKinds } from '../reading/read-kinds.ts';
import { type Bundled, ServedSchemas } from '../reading/served-schemas.ts';
import { leftAlone } from '../wording.ts';
import type { Refuser } from '../writing/refusals.ts';
import { configRefusal } from './config-refusal.ts';
import { identifyKong, type KongIdentity, sameIdentity } from './identify.ts';
import { emptyHash, type NodeWorld, nodeHash, type Push, push } from './node.ts';

/** What a set of DB-less nodes is reached with. */
export interface DblessWorld {
  readonly name: string;
  readonly nodes: readonly NodeWorld[];
  readonly quorum: 'all' | number;
  readonly concurrency: number;
  readonly bundled: Bundled;
  readonly now: () => number;
}

/** A set of Kong nodes without a database, each of which takes the whole state at once. */
export function kongDbless(world: DblessWorld): Destination {
  let known: { readonly is: KongIdentity; readonly node: NodeWorld; readonly schemas: ServedSchemas } | null = null;
  const quorum = world.quorum === 'all' ? world.nodes.length : Math.min(world.quorum, world.nodes.length);

  const servedBy = (node: NodeWorld, is: KongIdentity): ServedSchemas =>
    new ServedSchemas(
      { ...node, prefix: '', concurrency: world.concurrency, servesEntities: true, bundled: world.bundled[is.edition] },
      is,
    );
  const ask = async (signal: AbortSignal) => {
    const { node, value } = await firstAnswer(world.nodes, (candidate) => identifyKong(candidate, '', signal), signal);
    const description = `${value.description}, ${world.nodes.length} node${world.nodes.length === 1 ? '' : 's'}`;
    const is = { ...value, description };
    const schemas = known !== null && sameIdentity(known.is, is) ? known.schemas : servedBy(node, is);
    known = { is, node, schemas };
    return known;
  };
  const settled = async (signal: AbortSignal) => known ?? (await ask(signal));
  const refuser = (): Refuser => ({ name: world.name, schemas: known?.schemas.current ?? world.bundled.enterprise });

  return {
    name: world.name,
    identify: async (signal) => (await ask(signal)).is,
    schemas: async (state, signal) => {
      const { is, node, schemas } = await settled(signal);
      try {
        return await schemas.for(state, signal);
      } catch (thrown) {
        // The node that was asked first may be gone, while the one that answered last is there.
        if (asFailure(thrown)?.facts.class !== 'unreachable') throw thrown;
        const anew = servedBy(node, is);
        known = { is, node, schemas: anew };
        return anew.for(state, signal);
      }
    },
    read: async (expected, signal) => {
      const { is, schemas } = await settled(signal);
      const { edition } = is;
      const nodes = await readHashes(world.nodes, signal);
      const node = differing(world.nodes, nodes, hashOf(expected));
      const notManaged = unmanaged(edition);
      const common = { notManaged, nodes, readAt: world.now() };
      // A node that reports the hash has the state, to the byte (kong.md): there is nothing to be read.
      if (node === null) return { ...common, state: expected };
      if (node.hash === emptyHash) return { ...common, state: stateOf([]) };
      const read = await readKinds(
        {
          ...node.world,
          prefix: '',
          tags: [],
          concurrency: world.concurrency,
          paths: (kind) => kind.admin,
          skip: (kind) => notManaged.get(kind.name) ?? null,
        },
        signal,
      );
      const state = assemble(read.raw, { workspace: null, selectTags: [] });
      await schemas.for(state, signal);
      return { ...common, state, notManaged: read.notManaged };
    },
    preflight: async () => [],
    apply: async (state, delivery, signal, goOn): Promise<Outcome> => {
      if (!goOn(0, 1)) return skippedAll(delivery, 'a newer revision is taken up instead');
      const wanted = hashOf(state);
      const body = configBody(state);
      const pushes = await Promise.all(
        world.nodes.map(async (node): Promise<Push & { readonly sent: boolean }> => {
          const hash = await hashOrFailure(node, signal);
          if (hash === wanted) return { url: node.url, result: 'taken', sent: false };
          if (typeof hash !== 'string') return { url: node.url, result: 'failed', failure: hash, sent: false };
          return { ...(await push(node, body(), signal)), sent: true };
        }),
      );
      signal.throwIfAborted();
      return outcomeOf(refuser(), state, delivery, pushes, quorum);
    },
    inPlace: (state, live, { plan }) => confirmation(hashOf(state), live.nodes, quorum, leftAlone(plan)),
    close: async () => {
      await Promise.all(world.nodes.map((node) => node.http.close()));
    },
  };
}

/**
 * The body that all nodes are sent, made once and when it is first needed: the text of the state in the form whose hash
 * is known beforehand (kong.md).
 */
function configBody(state: State): () => Uint8Array {
  let body: Uint8Array | null = null;
  return () => {
    body ??= Buffer.from(`{"config":${JSON.stringify(renderDbless(state))}}`);
    return body;
  };
}

const hashes = new WeakMap<State, string>();

/**
 * The hash that a node reports once it has a state: the MD5 of the text it was sent, or zeros for a configuration that
 * holds nothing (kong.md).
 */
function hashOf(state: State): string {
  const known = hashes.get(state);
  if (known !== undefined) return known;
  const isEmpty = [...state.entities].every(([kind, list]) => kinds[kind].dbless === null || list.length === 0);
  const hash = isEmpty ? emptyHash : createHash('md5').update(renderDbless(state), 'utf8').digest('hex');
  hashes.set(state, hash);
  return hash;
}

function unmanaged(edition: 'oss' | 'enterprise'): ReadonlyMap<keyof typeof kinds, string> {
  const left = new Map<keyof typeof kinds, string>();
  for (const kind of Object.values(kinds)) {
    if (kind.dbless === null) left.set(kind.name, 'a DB-less Kong takes no such kind');
    else if (kind.edition === 'enterprise' && edition === 'oss')
      left.set(kind.name, 'an open-source Kong has no such kind');
  }
  return left;
}

async function hashOrFailure(node: NodeWorld, signal: AbortSignal): Promise<string | FailureFacts> {
  try {
    return await nodeHash(node, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const failure = asFailure(thrown);
    if (failure === undefined) throw thrown;
    return failure.facts;
  }
}

/** Every node's hash, read in parallel. Throws the first failure where no node answers. */
async function readHashes(nodes: readonly NodeWorld[], signal: AbortSignal): Promise<readonly LiveNode[]> {
  const answers = await Promise.all(nodes.map((node) => hashOrFailure(node, signal)));
  const failures = answers.filter((answer) => typeof answer !== 'string');
  const [first] = failures;
  if (first !== undefined && failures.length === nodes.length) throw new Failure(first);
  return answers.map((answer, index) => {
    const url = nodes[index]?.url ?? '';
    return typeof answer === 'string'
      ? { url, hash: answer, failure: null }
      : { url, hash: null, failure: answer.message };
  });
}

/** The first node that answers and differs; one that holds something before one that is empty. Null where none differs. */
function differing(
  worlds: readonly NodeWorld[],
  nodes: readonly LiveNode[],
  wanted: string,
): { readonly world: NodeWorld; readonly hash: string } | null {
  const others = nodes.flatMap((node, index) => {
    const world = worlds[index];
    return node.hash === null || node.hash === wanted || world === undefined ? [] : [{ world, hash: node.hash }];
  });
  return others.find((node) => node.hash !== emptyHash) ?? others[0] ?? null;
}

async function firstAnswer<T>(
  nodes: readonly NodeWorld[],
  ask: (node: NodeWorld) => Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly node: NodeWorld; readonly value: T }> {
  try {
    return await Promise.any(nodes.map(async (node) => ({ node, value: await ask(node) })));
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  }
}

function confirmation(wanted: string, nodes: readonly LiveNode[], quorum: number, left: string): Confirmation {
  const live = nodes.filter((node) => node.hash === wanted);
  const silent = nodes.filter((node) => node.hash === null);
  const others = nodes.filter((node) => node.hash !== null && node.hash !== wanted);
  const named = [
    ...others.map((node) => `${node.url} has another configuration`),
    ...silent.map((node) => `${node.url}: ${node.failure ?? 'no answer'}`),
  ];
  const count = `live on ${live.length}/${nodes.length} nodes`;
  return {
    confirmed: live.length >= quorum,
    incomplete: others.length > 0,
    detail: `${[count, ...named].join('; ')}${left}`,
    unread: [],
  };
}

function skippedAll(delivery: PlannedDelivery, because: string): Outcome {
  const changes = delivery.plan.changes.map((_, change): ChangeOutcome => ({ change, result: 'skipped', because }));
  return { changes, failure: null, diagnostics: [], writes: 0 };
}

function outcomeOf(
  refuser: Refuser,
  state: State,
  delivery: PlannedDelivery,
  pushes: readonly (Push & { readonly sent: boolean })[],
  quorum: number,
): Outcome {
  const failures = pushes.flatMap((one) => (one.result === 'failed' ? [one.failure] : []));
  const writes = pushes.filter((one) => one.sent).length;
  const failure = pushes.length - failures.length >= quorum ? null : worst(failures);
  const changes = delivery.plan.changes.map((_, change): ChangeOutcome => {
    if (failure === null) return { change, result: 'applied' };
    return { change, result: failure.class === 'rejected' ? 'rejected' : 'unknown', failure };
  });
  const refused = failures.find((candidate) => candidate.class === 'rejected');
  const diagnostics = refused === undefined ? [] : configRefusal(refuser, state, refused);
  return { changes, failure, diagnostics, writes };
}

/** A refusal by any node decides: the others would refuse the same state. */
function worst(failures: readonly FailureFacts[]): FailureFacts | null {
  const rank: { readonly [C in FailureFacts['class']]: number } = { rejected: 3, unreachable: 2, transient: 1 };
  return failures.reduce<FailureFacts | null>(
    (found, next) => (found === null || rank[next.class] > rank[found.class] ? next : found),
    null,
  );
}
