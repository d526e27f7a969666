import type { Clock } from '../platform/clock.ts';

/** What ended a rest. */
export type Wakening = 'nudged' | 'due' | 'stopped';

/** Lets one loop rest until it is nudged, until a time has passed, or until it is stopped: whichever comes first. */
export class Nudge {
  #nudged = false;
  #wake: (() => void) | null = null;

  /** Ends the rest under way, or the next one before it begins. */
  nudge(): void {
    this.#nudged = true;
    this.wake();
  }

  /** Ends the rest under way, if any. */
  wake(): void {
    this.#wake?.();
  }

  /** Forgets the nudges so far: what the loop does next is about them all. */
  clear(): void {
    this.#nudged = false;
  }

  /** Rests for `ms` milliseconds, or for ever where that is null. Leaves neither timer nor listener behind. */
  async rest(ms: number | null, clock: Clock, signal: AbortSignal): Promise<Wakening> {
    if (signal.aborted) return 'stopped';
    if (this.#nudged) {
      this.#nudged = false;
      return 'nudged';
    }
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const nudged = new Promise<Wakening>((resolve) => {
        this.#wake = () => resolve('nudged');
        over.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
      });
      const due =
        ms === null
          ? nudged
          : clock.sleep(ms, over.signal).then(
              (): Wakening => 'due',
              (): Wakening => 'stopped',
            );
      const woken = await Promise.race([nudged, due]);
      if (woken === 'nudged') this.#nudged = false;
      return signal.aborted ? 'stopped' : woken;
    } finally {
      this.#wake = null;
      over.abort();
      signal.removeEventListener('abort', stop);
    }
  }
}
