import type { FailureFacts } from '../platform/failure.ts';
import { backoffMs } from './backoff.ts';
import type { PassEnd } from './pass.ts';

/** How tries at one revision went, as far as the next wait depends on it. */
export class Tries {
  #failures = 0;
  #unconfirmed: string | null = null;

  /** How long to wait before the next one, in milliseconds; `random` is from 0 up to 1. */
  waitMs(failure: FailureFacts | null, random: number): number {
    return backoffMs({ failures: this.#failures, retryAfterMs: failure?.retryAfterMs ?? null, random });
  }

  /** A person wants another try: the next wait is as short as the first. */
  startOver(): void {
    this.#failures = 0;
  }

  /** Another revision is tried. */
  forget(): void {
    this.#failures = 0;
    this.#unconfirmed = null;
  }

  /** A try ended. Whether it left the same difference unconfirmed as the one before it. */
  ended(end: PassEnd): boolean {
    const unconfirmed = end.end === 'unconfirmed' ? end.plan.fingerprint : null;
    this.#failures = end.end === 'failed' || unconfirmed !== null ? this.#failures + 1 : 0;
    const isRepeated = unconfirmed !== null && unconfirmed === this.#unconfirmed;
    this.#unconfirmed = unconfirmed;
    return isRepeated;
  }
}
