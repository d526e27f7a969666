import type { Clock } from '../../platform/clock.ts';

/** What several nodes are asked, and how long those that are late are waited for. */
export interface Gathering<K, T> {
  readonly ask: (item: K, stop: AbortSignal) => Promise<T>;
  /**
   * For how many milliseconds after the last answer the next one is waited for, given the answers so far: 0 for no
   * longer, null for as long as it takes. Asked again when the time is over, for what an item does may have changed.
   */
  readonly patienceMs: (answers: ReadonlyMap<K, T>) => number | null;
  readonly clock: Clock;
}

/**
 * The answers of all, asked at once, or of those that gave one in time; the requests of the others are ended. Rejects
 * with what an `ask` throws, and with the signal's reason.
 */
export async function gather<K, T>(
  items: readonly K[],
  { ask, patienceMs, clock }: Gathering<K, T>,
  signal: AbortSignal,
): Promise<ReadonlyMap<K, T>> {
  signal.throwIfAborted();
  const answers = new Map<K, T>();
  const enough = new AbortController();
  const stop = () => enough.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  let waiting = new AbortController();
  const stopWaiting = () => waiting.abort(new Error('another answer came'));
  try {
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        stopWaiting();
        waiting = new AbortController();
        if (answers.size === items.length) return resolve();
        const ms = patienceMs(answers);
        if (ms === 0) return resolve();
        if (ms === null) return;
        clock.sleep(ms, waiting.signal).then(
          () => {
            if (patienceMs(answers) !== null) resolve();
          },
          // Another answer came meanwhile, or all is over.
          () => undefined,
        );
      };
      look();
      for (const item of items) {
        ask(item, enough.signal).then((answer) => {
          answers.set(item, answer);
          look();
        }, reject);
      }
    });
  } finally {
    signal.removeEventListener('abort', stop);
    stopWaiting();
    enough.abort(new Error('enough is known'));
  }
  signal.throwIfAborted();
  return answers;
}
