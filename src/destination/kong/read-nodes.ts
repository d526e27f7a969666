import type { LiveNode } from '../../model/live.ts';
import { asFailure, Failure, type FailureFacts } from '../../platform/failure.ts';
import { emptyHash } from './config-body.ts';
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

/**
 * Asks all nodes at once for their hash. As soon as one is known to hold something else, what has not answered yet is
 * waited for no longer: there is something to push, and one dead node is not to hold that up. Throws the first failure
 * where no node answers.
 */
export async function readNodes(worlds: readonly NodeWorld[], wanted: string, signal: AbortSignal): Promise<NodesRead> {
  signal.throwIfAborted();
  const answers = new Map<NodeWorld, string | FailureFacts>();
  const enough = new AbortController();
  const stop = () => enough.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      const all = worlds.map(async (world) => {
        const answer = await hashOrFailure(world, enough.signal);
        answers.set(world, answer);
        // An empty node alone does not tell what the plan would take from the others, nor is there anything to push
        // because of one that has refused just that.
        if (typeof answer !== 'string' || answer === wanted || answer === emptyHash) return;
        if (!world.health.hasRefused(wanted)) resolve();
      });
      Promise.all(all).then(
        () => resolve(),
        (thrown: unknown) => reject(thrown),
      );
    });
  } finally {
    signal.removeEventListener('abort', stop);
    enough.abort(new Error('enough is known'));
  }
  signal.throwIfAborted();
  const failures = [...answers.values()].filter((answer) => typeof answer !== 'string');
  const [first] = failures;
  if (first !== undefined && failures.length === worlds.length) throw new Failure(first);
  return { nodes: worlds.map((world) => liveNode(world, answers.get(world))), differing: differing(answers, wanted) };
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
