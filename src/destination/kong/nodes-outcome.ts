import type { LiveNode } from '../../model/live.ts';
import type { State } from '../../model/state.ts';
import type { PlannedDelivery } from '../../plan/plan.ts';
import { deniesAccess, type FailureFacts } from '../../platform/failure.ts';
import type { ChangeOutcome, Confirmation, Outcome } from '../destination.ts';
import { withServerWords } from '../server-words.ts';
import { hideSecrets } from '../writing/hide-secrets.ts';
import type { Refuser } from '../writing/refusals.ts';
import { emptyHash } from './config-body.ts';
import { configRefusal } from './config-refusal.ts';
import type { Push } from './node.ts';

/** What became of one node in a delivery, and whether it was sent anything. */
export type Pushed = Push & { readonly sent: boolean };

/** So many nodes are named one by one; of more, the number is said. */
const mostNamed = 5;

/** By what nodes are judged. */
export interface Judged {
  readonly quorum: number;
  /** The hashes of what was delivered earlier. */
  readonly ours: ReadonlySet<string>;
  /** Why a node does not take what is wanted, in words; null where it did not refuse it. */
  readonly refused: (url: string) => string | null;
}

/** Whether enough nodes report a hash; in words, how many do, and what is with the others. */
export function nodesConfirmation(
  wanted: string,
  nodes: readonly LiveNode[],
  { quorum, ours, refused }: Judged,
): Confirmation {
  const live = nodes.filter((node) => node.hash === wanted);
  const silent = nodes.filter((node) => node.hash === null);
  const others = nodes.filter((node) => node.hash !== null && node.hash !== wanted);
  const named = [
    ...others.map(({ url }) => {
      const why = refused(url);
      return why === null ? `${url} has another configuration` : `${url} refuses it: ${why}`;
    }),
    ...silent.map((node) => `${node.url}: ${node.failure ?? 'no answer'}`),
  ];
  const more = named.length - mostNamed;
  const count = `live on ${live.length}/${nodes.length} nodes`;
  const words = [count, ...named.slice(0, mostNamed), ...(more > 0 ? [`and ${more} more`] : [])];
  return {
    confirmed: live.length >= quorum,
    incomplete: others.length > 0,
    behind: others.length > 0 && others.every(({ hash }) => hash === emptyHash || (hash !== null && ours.has(hash))),
    detail: words.join('; '),
    unread: [],
  };
}

/**
 * What became of a delivery to nodes. Changes that some node took are live there, even where the quorum is not reached:
 * the failure then says how many took them, and which node it was that did not.
 */
export function pushOutcome(
  refuser: Refuser,
  state: State,
  delivery: PlannedDelivery,
  pushes: readonly Pushed[],
  quorum: number,
): Outcome {
  const failed = pushes.flatMap((one) => (one.result === 'failed' ? [one] : []));
  const taken = pushes.length - failed.length;
  const deciding = taken >= quorum ? null : worst(failed);
  const explained = deciding === null ? null : { ...deciding, failure: inWords(deciding.failure, refuser, state) };
  const failure = explained === null ? null : named(explained, taken, pushes.length);
  const result = failure?.class === 'rejected' ? 'rejected' : 'unknown';
  const changes = delivery.plan.changes.map(
    (_, change): ChangeOutcome =>
      failure === null || taken > 0 ? { change, result: 'applied' } : { change, result, failure },
  );
  const refused = failed.find((one) => one.failure.class === 'rejected')?.failure;
  const diagnostics = refused === undefined || deniesAccess(refused) ? [] : configRefusal(refuser, state, refused);
  return { changes, failure, diagnostics, writes: pushes.filter(({ sent }) => sent).length };
}

/** Why a node refuses a state, in one sentence with the place of the first thing that it objects to. */
export function refusalWords(refuser: Refuser, state: State, failure: FailureFacts): string {
  const [first] = configRefusal(refuser, state, failure);
  if (first === undefined) return failure.message;
  const [place] = first.locations;
  const where = place === undefined || first.entities.length === 0 ? '' : `${place.file}:${place.line} `;
  return `${where}${first.message}`;
}

/** What is refused is told entity by entity. */
function inWords(failure: FailureFacts, refuser: Refuser, state: State): FailureFacts {
  if (failure.class === 'rejected' && !deniesAccess(failure)) return failure;
  return withServerWords(failure, (words) => hideSecrets(words, refuser, state, null));
}

type Failed = Extract<Pushed, { readonly result: 'failed' }>;

/** A refusal by any node decides: the others would refuse the same state. */
function worst(failed: readonly Failed[]): Failed | null {
  const rank: { readonly [C in FailureFacts['class']]: number } = { rejected: 3, unreachable: 2, transient: 1 };
  return failed.reduce<Failed | null>(
    (found, next) => (found === null || rank[next.failure.class] > rank[found.failure.class] ? next : found),
    null,
  );
}

function named({ url, failure }: Failed, taken: number, all: number): FailureFacts {
  if (all === 1) return failure;
  const who = failure.message.includes(url) ? '' : `${url}: `;
  return { ...failure, message: `${who}${failure.message} (${taken} of ${all} nodes have the configuration)` };
}
