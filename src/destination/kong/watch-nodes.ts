import type { Clock } from '../../platform/clock.ts';
import type { Fleet } from './fleet.ts';
import { gather } from './gather.ts';
import { hashOrFailure, latestMs, tooLate } from './read-nodes.ts';

/** What is needed to look after nodes between deliveries. */
export interface WatchWorld {
  readonly fleet: Fleet;
  /** The hash of what was delivered last; null before that. */
  readonly wanted: () => string | null;
  readonly clock: Clock;
}

/** How often nodes are looked at, in milliseconds: a request to each that costs it next to nothing. */
const everyMs = 5_000;

/**
 * Looks at every node from time to time, until the signal is aborted, and says so when one of them lacks what was
 * delivered and did not before: it was restarted, has joined, is back, or was given something else. Failures are the
 * lane's to tell.
 */
export async function watchNodes(
  { fleet, wanted, clock }: WatchWorld,
  changed: () => void,
  signal: AbortSignal,
): Promise<void> {
  let before = new Map<string, string | null>(fleet.nodes.map(({ url }) => [url, wanted()]));
  while (!signal.aborted) {
    try {
      await clock.sleep(everyMs, signal);
      const nodes = await fleet.refresh(signal);
      // One that is late is looked at next time: the others are not fed later for it.
      const answers = await gather(
        nodes,
        { clock, ask: hashOrFailure, patienceMs: ({ size }) => (size === 0 ? null : latestMs) },
        signal,
      );
      const now = new Map<string, string | null>();
      for (const node of nodes) {
        const answer = answers.get(node);
        if (answer === undefined) node.health.late(tooLate(node));
        now.set(node.url, typeof answer === 'string' ? answer : null);
      }
      const hash = wanted();
      if (hash !== null && [...now].some(([url, one]) => one !== null && one !== hash && one !== before.get(url))) {
        changed();
      }
      before = now;
    } catch {
      // Not answering is no news here: the lane finds out, and says so, when it delivers or looks for drift.
    }
  }
}
