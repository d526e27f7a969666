import type { Clock } from '../platform/clock.ts';

/** Lets others wait until something has nothing left to do, but not for ever. */
export class Idle {
  readonly #waiting = new Set<() => void>();

  /** Nothing is left to do: whoever waits for that goes on. */
  reached(): void {
    for (const resolve of this.#waiting) resolve();
  }

  /** Waits for that, for so many milliseconds at most, or until the signal is aborted; whether it was reached. */
  async wait(limitMs: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener('abort', stop, { once: true });
    let resolve: () => void = () => undefined;
    try {
      const idle = new Promise<boolean>((settle) => {
        resolve = () => settle(true);
        this.#waiting.add(resolve);
      });
      const late = clock.sleep(limitMs, over.signal).then(
        () => false,
        () => false,
      );
      return await Promise.race([idle, late]);
    } finally {
      this.#waiting.delete(resolve);
      signal.removeEventListener('abort', stop);
      over.abort();
    }
  }
}
