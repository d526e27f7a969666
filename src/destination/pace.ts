import type { Clock } from '../platform/clock.ts';

/** Keeps all requests to one server still for as long as it asked for (429 with Retry-After). */
export class Pace {
  #until = 0;

  /** Lets no request begin for so many milliseconds from now. */
  pause(ms: number, clock: Clock): void {
    this.#until = Math.max(this.#until, clock.monotonic() + ms);
  }

  /** Waits until requests may begin. Rejects with the signal's reason when it is aborted. */
  async ready(clock: Clock, signal: AbortSignal): Promise<void> {
    const left = this.#until - clock.monotonic();
    if (left > 0) await clock.sleep(left, signal);
  }
}
