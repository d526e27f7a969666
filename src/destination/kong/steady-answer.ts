import type { Clock } from '../../platform/clock.ts';
import { gather } from './gather.ts';
import { identifyKong, type KongIdentity, sameIdentity } from './identify.ts';
import type { NodeWorld } from './node.ts';
import { latestMs } from './read-nodes.ts';

/** What one node says of itself. */
export interface NodeAnswer {
  readonly node: NodeWorld;
  readonly said: KongIdentity;
}

/**
 * Asks all nodes who they are, and takes one that says what was said before: while nodes are upgraded one after another,
 * what is judged by their answer must not turn with whoever is quickest. Where none says it in time, the first answer
 * counts. Throws the first failure where no node answers.
 */
export async function steadyAnswer(
  nodes: readonly NodeWorld[],
  before: Pick<NodeAnswer, 'said'> | null,
  clock: Clock,
  signal: AbortSignal,
): Promise<NodeAnswer> {
  const isSame = ({ said }: NodeAnswer) => before !== null && sameIdentity(said, before.said);
  const ask = async (node: NodeWorld, stop: AbortSignal): Promise<NodeAnswer | { readonly failure: unknown }> => {
    try {
      return { node, said: await identifyKong(node, '', stop) };
    } catch (failure) {
      return { failure };
    }
  };
  const answers = await gather(
    nodes,
    {
      ask,
      clock,
      patienceMs: (given) => {
        const found = [...given.values()].filter(isAnswer);
        if (found.length === 0) return null;
        return before === null || found.some(isSame) ? 0 : latestMs;
      },
    },
    signal,
  );
  const found = [...answers.values()].filter(isAnswer);
  const chosen = found.find(isSame) ?? found[0];
  if (chosen !== undefined) return chosen;
  const [first] = [...answers.values()].flatMap((answer) => (isAnswer(answer) ? [] : [answer.failure]));
  throw first;
}

function isAnswer(answer: NodeAnswer | { readonly failure: unknown }): answer is NodeAnswer {
  return 'said' in answer;
}
