import { createHash } from 'node:crypto';
import { assemble } from '../../model/assemble.ts';
import { renderDbless } from '../../model/dbless-form.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { kinds } from '../../model/kinds.ts';
import type { LiveNode } from '../../model/live.ts';
import { type State, stateOf } from '../../model/state.ts';
import type { PlannedDelivery } from '../../plan/plan.ts';
import { asFailure, Failure, type FailureFacts } from '../../platform/failure.ts';
import type { Schemas } from '../../schema/schema.ts';
import type { ChangeOutcome, Confirmation, Destination, Outcome } from '../destination.ts';
import { readKinds } from '../read-kinds.ts';
import { ServedSchemas } from '../served-schemas.ts';
import { type Objection, objections, refusalDiagnostics } from '../server-answer.ts';
import { identifyKong, type KongIdentity } from './identify.ts';
import { emptyHash, flattened, type NodeWorld, nodeHash, type Push, push } from './node.ts';

/** What a set of DB-less nodes is reached with. */
export interface DblessWorld {
  readonly name: string;
  readonly nodes: readonly NodeWorld[];
  readonly quorum: 'all' | number;
  readonly concurrency: number;
  readonly bundled: Schemas;
  readonly now: () => number;
}

/** A set of Kong nodes without a database, each of which takes the whole state at once. */
export function kongDbless(world: DblessWorld): Destination {
  let identity: { readonly is: KongIdentity; readonly node: NodeWorld } | null = null;
  let schemas: ServedSchemas | null = null;
  const quorum = world.quorum === 'all' ? world.nodes.length : Math.min(world.quorum, world.nodes.length);

  const identify = async (signal: AbortSignal): Promise<KongIdentity> => {
    const { node, value } = await firstAnswer(world.nodes, (candidate) => identifyKong(candidate, '', signal), signal);
    const description = `${value.description}, ${world.nodes.length} node${world.nodes.length === 1 ? '' : 's'}`;
    const found = { ...value, description };
    if (identity === null || identity.is.description !== description) {
      schemas = new ServedSchemas(
        { ...node, prefix: '', concurrency: world.concurrency, servesEntities: true, bundled: world.bundled },
        found,
      );
    }
    identity = { is: found, node };
    return found;
  };

  return {
    name: world.name,
    identify,
    schemas: async (state, signal) => {
      if (schemas === null) await identify(signal);
      return schemas === null ? world.bundled : schemas.for(state, signal);
    },
    read: async (expected, signal) => {
      const { edition } = identity?.is ?? (await identify(signal));
      const nodes = await readHashes(world.nodes, signal);
      const wanted = configHash(expected);
      const node = differing(world.nodes, nodes, wanted);
      const common = { notManaged: unmanaged(edition), nodes, readAt: world.now() };
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
          skip: (kind) => unmanaged(edition).get(kind.name) ?? null,
        },
        signal,
      );
      const state = assemble(read.raw, { workspace: null, selectTags: [] });
      return { ...common, state, notManaged: read.notManaged };
    },
    preflight: async () => [],
    apply: async (state, delivery, signal, goOn): Promise<Outcome> => {
      if (!goOn(0, 1)) return skippedAll(delivery, 'a newer revision is taken up instead');
      const text = configText(state);
      const body = `{"config":${JSON.stringify(text)}}`;
      const wanted = hashOf(text);
      const pushes = await Promise.all(
        world.nodes.map(async (node): Promise<Push & { readonly sent: boolean }> => {
          const hash = await hashOrFailure(node, signal);
          if (hash === wanted) return { url: node.url, result: 'taken', sent: false };
          if (typeof hash !== 'string') return { url: node.url, result: 'failed', failure: hash, sent: false };
          return { ...(await push(node, body, signal)), sent: true };
        }),
      );
      signal.throwIfAborted();
      return outcomeOf(world.name, state, delivery, pushes, quorum);
    },
    inPlace: (state, live) => confirmation(configHash(state), live.nodes, quorum),
    close: async () => {
      await Promise.all(world.nodes.map((node) => node.http.close()));
    },
  };
}

/** The text that a node is sent for a state: canonical, so that equal states have equal hashes. */
function configText(state: State): string {
  return renderDbless(state);
}

const hashes = new WeakMap<State, string>();

/** The hash that a node reports once it has a state: the MD5 of the text it was sent (kong.md). */
function configHash(state: State): string {
  const known = hashes.get(state);
  if (known !== undefined) return known;
  const hash = hashOf(configText(state));
  hashes.set(state, hash);
  return hash;
}

function hashOf(text: string): string {
  return createHash('md5').update(text, 'utf8').digest('hex');
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

function confirmation(wanted: string, nodes: readonly LiveNode[], quorum: number): Confirmation {
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
    detail: named.length === 0 ? count : `${count}; ${named.join('; ')}`,
    unread: [],
  };
}

function skippedAll(delivery: PlannedDelivery, because: string): Outcome {
  const changes = delivery.plan.changes.map((_, change): ChangeOutcome => ({ change, result: 'skipped', because }));
  return { changes, failure: null, diagnostics: [], writes: 0 };
}

function outcomeOf(
  destination: string,
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
  const diagnostics = refused === undefined ? [] : diagnosticsOf(destination, state, refused);
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

function diagnosticsOf(destination: string, state: State, failure: FailureFacts): readonly Diagnostic[] {
  const entries = flattened(failure.body);
  if (entries.length > 0) {
    return entries.flatMap((entry) => {
      const kind = Object.values(kinds).find((candidate) => candidate.singular === entry.entity_type);
      const entity =
        kind === undefined || entry.entity_id === undefined ? undefined : state.byId(kind.name, entry.entity_id);
      if (entity === undefined) return [];
      const found = entry.errors.map(
        (error): Objection => ({
          path: error.field === undefined ? [] : error.field.split('.'),
          words: typeof error.message === 'string' ? error.message : JSON.stringify(error.message),
        }),
      );
      return refusalDiagnostics(destination, entity, found);
    });
  }
  return objections(failure).flatMap((objection) => byPosition(destination, state, objection));
}

/** `fields` of an answer that is not flattened go by collection and place in the list, as the text was ordered. */
function byPosition(destination: string, state: State, objection: Objection): readonly Diagnostic[] {
  const [collection, place, ...rest] = objection.path;
  const kind = Object.values(kinds).find((candidate) => candidate.dbless === collection);
  if (kind === undefined || place === undefined) return [];
  const list = state.entities.get(kind.name) ?? [];
  const entity = typeof place === 'number' ? list[place] : list.find((candidate) => candidate.fields['name'] === place);
  return entity === undefined ? [] : refusalDiagnostics(destination, entity, [{ path: rest, words: objection.words }]);
}
