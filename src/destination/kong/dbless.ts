import { assemble } from '../../model/assemble.ts';
import { kinds } from '../../model/kinds.ts';
import { type State, stateOf } from '../../model/state.ts';
import type { PlannedDelivery } from '../../plan/plan.ts';
import type { Clock } from '../../platform/clock.ts';
import { asFailure } from '../../platform/failure.ts';
import type { ChangeOutcome, Destination, Outcome } from '../destination.ts';
import { readKinds } from '../reading/read-kinds.ts';
import { type Bundled, ServedSchemas } from '../reading/served-schemas.ts';
import type { Refuser } from '../writing/refusals.ts';
import { type ConfigBody, configBody, emptyHash, hashOf } from './config-body.ts';
import type { Fleet } from './fleet.ts';
import { gather } from './gather.ts';
import { type KongIdentity, sameIdentity } from './identify.ts';
import { type NodeWorld, push } from './node.ts';
import { NodeStates } from './node-states.ts';
import { nodesConfirmation, type Pushed, pushOutcome, refusalWords } from './nodes-outcome.ts';
import { hashOrFailure, latestMs, readNodes, silentMs, tooLate } from './read-nodes.ts';
import { type NodeAnswer, steadyAnswer } from './steady-answer.ts';
import { watchNodes } from './watch-nodes.ts';

/** What a set of DB-less nodes is reached with. */
export interface DblessWorld {
  readonly name: string;
  readonly fleet: Fleet;
  readonly quorum: 'all' | number;
  readonly concurrency: number;
  readonly bundled: Bundled;
  readonly clock: Clock;
  /** What the nodes are reached with and nobody may see. */
  readonly secrets: readonly string[];
}

/** A set of Kong nodes without a database, each of which takes the whole state at once. */
export function kongDbless(world: DblessWorld): Destination {
  let known: (NodeAnswer & { readonly is: KongIdentity; readonly schemas: ServedSchemas }) | null = null;
  const { fleet } = world;
  let delivered: string | null = null;
  /** The hash of what was sent last, confirmed or not. */
  let sent: string | null = null;
  /** The hashes of what was sent before, so that a node that was left behind is told from one that others changed. */
  const ours = new Set<string>();
  const states = new NodeStates();
  /** What each node refused last, and why, in words. */
  const refusals = new Map<string, { readonly hash: string; readonly words: string }>();
  const quorumOf = (count: number) => (world.quorum === 'all' ? count : Math.min(world.quorum, count));

  const servedBy = (node: NodeWorld, is: KongIdentity): ServedSchemas =>
    new ServedSchemas(
      { ...node, prefix: '', concurrency: world.concurrency, servesEntities: true, bundled: world.bundled[is.edition] },
      is,
    );
  const ask = async (signal: AbortSignal) => {
    const nodes = await fleet.refresh(signal);
    const answer = await steadyAnswer(nodes, known, world.clock, signal);
    const { node, said } = answer;
    const description = `${said.description}, ${nodes.length} node${nodes.length === 1 ? '' : 's'}`;
    const is = { ...said, description };
    const schemas = known !== null && sameIdentity(known.is, is) ? known.schemas : servedBy(node, is);
    const made = { ...answer, is, schemas };
    known = made;
    return made;
  };
  const settled = async (signal: AbortSignal) => known ?? (await ask(signal));
  let live: State | null = null;
  const refuser = (): Refuser => ({
    name: world.name,
    connection: world.secrets,
    schemas: known?.schemas.current ?? world.bundled.enterprise,
    live: live === null ? [] : [live],
  });

  return {
    name: world.name,
    identify: async (signal) => (await ask(signal)).is,
    schemas: async (state, signal) => {
      const { said, is, node, schemas } = await settled(signal);
      try {
        return await schemas.for(state, signal);
      } catch (thrown) {
        // The node that was asked first may be gone, while the one that answered last is there.
        if (asFailure(thrown)?.facts.class !== 'unreachable') throw thrown;
        const anew = servedBy(node, is);
        known = { said, is, node, schemas: anew };
        return anew.for(state, signal);
      }
    },
    read: async (expected, signal) => {
      const { is, schemas } = await settled(signal);
      const { edition } = is;
      const { nodes, differing: node } = await readNodes(
        fleet.nodes,
        { wanted: hashOf(expected), quorum: quorumOf(fleet.nodes.length), clock: world.clock },
        signal,
      );
      const notManaged = unmanaged(edition);
      const common = { notManaged, nodes, readAt: world.clock.now() };
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
      live = state;
      return { ...common, state, notManaged: read.notManaged, unlisted: read.unlisted };
    },
    preflight: async () => [],
    apply: async (state, delivery, signal, goOn): Promise<Outcome> => {
      if (!goOn(0, 1)) return skippedAll(delivery, 'a newer revision is taken up instead');
      const wanted = hashOf(state);
      sent = wanted;
      remember(ours, wanted);
      let body: ConfigBody | null = null;
      const { nodes } = fleet;
      const pushing = new Set<NodeWorld>();
      const pushed = await gather<NodeWorld, Pushed>(
        nodes,
        {
          clock: world.clock,
          ask: async (node, stop) => {
            const hash = await hashOrFailure(node, stop);
            if (hash === wanted) return { url: node.url, result: 'taken', sent: false };
            if (typeof hash !== 'string') return { url: node.url, result: 'failed', failure: hash, sent: false };
            pushing.add(node);
            body ??= configBody(state);
            const end = await push(node, body, stop);
            if (end.result === 'failed') node.health.failed(end.failure, wanted);
            pushing.delete(node);
            return { ...end, sent: true };
          },
          // A push may take as long as it takes; what has not even said what it has is not waited for by all others.
          patienceMs: (ends) => {
            const taken = [...ends.values()].filter(({ result }) => result === 'taken').length;
            if (ends.size === 0 || pushing.size > 0) return null;
            return taken >= quorumOf(nodes.length) ? latestMs : silentMs;
          },
        },
        signal,
      );
      const pushes = nodes.map((node): Pushed => {
        const end = pushed.get(node);
        if (end !== undefined) return end;
        const failure = tooLate(node);
        node.health.failed(failure);
        return { url: node.url, result: 'failed', failure, sent: false };
      });
      signal.throwIfAborted();
      for (const end of pushes) {
        if (end.result !== 'failed' || !end.sent) continue;
        const words = end.failure.class === 'rejected' ? refusalWords(refuser(), state, end.failure) : null;
        if (words === null) refusals.delete(end.url);
        else refusals.set(end.url, { hash: wanted, words });
      }
      return pushOutcome(refuser(), state, delivery, pushes, quorumOf(pushes.length));
    },
    inPlace: (state, live) => {
      const wanted = hashOf(state);
      const refused = (url: string) => {
        const refusal = refusals.get(url);
        return refusal?.hash === wanted ? refusal.words : null;
      };
      const seen = nodesConfirmation(wanted, live.nodes, { quorum: quorumOf(live.nodes.length), ours, refused });
      if (seen.confirmed) [delivered, sent] = [wanted, wanted];
      if (seen.confirmed) remember(ours, wanted);
      return seen;
    },
    watch: (changed, signal) => watchNodes({ fleet, wanted: () => delivered, clock: world.clock }, changed, signal),
    nodes: () => states.look(fleet.nodes, sent, world.clock.now()),
    close: () => fleet.close(),
  };
}

/** So many deliveries are remembered. */
const mostRemembered = 50;

function remember(hashes: Set<string>, hash: string): void {
  hashes.delete(hash);
  hashes.add(hash);
  for (const oldest of hashes) {
    if (hashes.size <= mostRemembered) return;
    hashes.delete(oldest);
  }
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

function skippedAll(delivery: PlannedDelivery, because: string): Outcome {
  const changes = delivery.plan.changes.map((_, change): ChangeOutcome => ({ change, result: 'skipped', because }));
  return { changes, failure: null, diagnostics: [], writes: 0 };
}
