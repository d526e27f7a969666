import type { LiveNode } from '../../model/live.ts';
import type { Clock } from '../../platform/clock.ts';
import { asFailure, Failure, type FailureFacts } from '../../platform/failure.ts';
import { emptyHash } from './config-body.ts';
import { gather } from './gather.ts';
import { type NodeWorld, nodeHash } from './node.ts';

/** The node's hash, or why it is not known. A node that rests after a failure is not asked. */
export async function hashOrFailure(node: NodeWorld, signal: AbortSignal): Promise<string | FailureFacts> {
  const resting = node.health.resting;
  if (resting !== null) return resting;
  try {
    const hash = await nodeHash(node, signal);
    node.health.answered(hash);
    return hash;
  } catch (thrown) {
    signal.throwIfAborted();
    const failure = asFailure(thrown);
    if (failure === undefined) throw thrown;
    node.health.failed(failure.facts);
    return failure.facts;
  }
}

/** What the nodes report, and which of them the plan is to be made against. */
export interface NodesRead {
  readonly nodes: readonly LiveNode[];
  /** One that differs: what holds something before what is empty. Null where none that answered differs. */
  readonly differing: { readonly world: NodeWorld; readonly hash: string } | null;
}

/** What nodes are read with. */
export interface ReadingNodes {
  /** The hash of what is to be in place. */
  readonly wanted: string;
  /** So many nodes that have it are enough. */
  readonly quorum: number;
  readonly clock: Clock;
}

/** How long a node that is late is waited for where the others have said enough, in milliseconds. */
export const latestMs = 1_000;

/** The same where they have not; also how long a node may think about what the others answered long ago. */
export const silentMs = 5_000;

/**
 * Asks all nodes at once for their hash. As soon as one is known to hold something else, what has not answered yet is
 * waited for no longer: there is something to push, and one dead node is not to hold that up. Where the others are empty,
 * or enough of them have what is wanted, it is waited for a moment longer. Throws the first failure where no node answers.
 */
export async function readNodes(
  worlds: readonly NodeWorld[],
  { wanted, quorum, clock }: ReadingNodes,
  signal: AbortSignal,
): Promise<NodesRead> {
  let patienceMs: number | null = null;
  const answers = await gather<NodeWorld, string | FailureFacts>(
    worlds,
    {
      clock,
      ask: hashOrFailure,
      patienceMs: (known) => {
        patienceMs = patienceOf(known, wanted, quorum);
        return patienceMs;
      },
    },
    signal,
  );
  for (const world of worlds) {
    if (answers.has(world)) continue;
    if (patienceMs === silentMs) world.health.failed(tooLate(world));
    if (patienceMs === latestMs) world.health.late(tooLate(world));
  }
  const failures = [...answers.values()].filter((answer) => typeof answer !== 'string');
  const [first] = failures;
  if (first !== undefined && failures.length === worlds.length) throw new Failure(first);
  return { nodes: worlds.map((world) => liveNode(world, answers.get(world))), differing: differing(answers, wanted) };
}

function patienceOf(
  answers: ReadonlyMap<NodeWorld, string | FailureFacts>,
  wanted: string,
  quorum: number,
): number | null {
  const hashes = [...answers].flatMap(([world, answer]) => (typeof answer === 'string' ? [{ world, answer }] : []));
  if (hashes.length === 0) return null;
  // Nor is there anything to push because of a node that has refused just that.
  const lacking = hashes.filter(({ world, answer }) => answer !== wanted && !world.health.hasRefused(wanted));
  // An empty node alone does not tell what the plan would take from the others.
  if (lacking.some(({ answer }) => answer !== emptyHash)) return 0;
  const having = hashes.filter(({ answer }) => answer === wanted);
  return lacking.length > 0 || having.length >= quorum ? latestMs : silentMs;
}

/** Why a node counts as silent that the others were waited for without. */
export function tooLate({ url }: NodeWorld): FailureFacts {
  return {
    class: 'unreachable',
    code: 'timeout',
    message: `GET ${url}/status: no answer, while other nodes answered`,
    hint: 'Look at the node: it takes connections, and answers nothing.',
    method: 'GET',
    url: `${url}/status`,
    status: null,
    retryAfterMs: null,
    body: null,
  };
}

function liveNode({ url }: NodeWorld, answer: string | FailureFacts | undefined): LiveNode {
  if (typeof answer === 'string') return { url, hash: answer, failure: null };
  return { url, hash: null, failure: answer?.message ?? 'no answer yet' };
}

function differing(answers: ReadonlyMap<NodeWorld, string | FailureFacts>, wanted: string): NodesRead['differing'] {
  const others = [...answers].flatMap(([world, hash]) =>
    typeof hash !== 'string' || hash === wanted ? [] : [{ world, hash }],
  );
  return others.find(({ hash }) => hash !== emptyHash) ?? others[0] ?? null;
}
