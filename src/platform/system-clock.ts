import { performance } from 'node:perf_hooks';
import { setTimeout as timer } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    let left = Math.max(0, ms);
    try {
      // A timer of Node's holds at most 2^31 - 1 ms and fires at once beyond that.
      for (; left > longestTimer; left -= longestTimer) await timer(longestTimer, undefined, { signal });
      await timer(left, undefined, { signal });
    } catch (thrown) {
      signal.throwIfAborted();
      throw thrown;
    }
  },
};

const longestTimer = 2_147_483_647;
