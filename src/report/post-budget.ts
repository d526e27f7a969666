import type { CommitStatus } from '../forge/forge.ts';

/** Posts that may follow each other at once. */
export const burst = 60;

/** Milliseconds after which one more may follow: 400 an hour. */
export const everyMs = 9_000;

/**
 * What has to be left of the burst for a status of each state, so that saying that something is under way, and that
 * something was superseded, never uses up what a verdict needs.
 */
const reserves: { readonly [S in CommitStatus['state']]: number } = { pending: 30, error: 15, failure: 0, success: 0 };

/** A status that has been pending for so many milliseconds is no passing one: people look for what it waits for. */
export const lastingMs = 10_000;

/** What has to be left of the burst for the first word on a context that lasts pending. */
const lastingReserve = 5;

/**
 * How many statuses may be posted to one forge: 60 at once, and one more every nine seconds, however many commits come.
 * That is at most 67 in a minute and 460 in an hour, below the 80 and 500 requests that create content which GitHub
 * allows ("Rate limits for the REST API", secondary limits), the strictest of all forges.
 */
export class PostBudget {
  #left = burst;
  #countedAt = 0;

  /**
   * How long a status of this state has to wait, in milliseconds; 0 where it need not. `now` is monotonic.
   * `unsaidSince` is since when a context is pending of which nothing was said yet; null for everything else.
   */
  waitMs(state: CommitStatus['state'], now: number, unsaidSince: number | null): number {
    const usual = this.#untilLeft(reserves[state], now);
    if (unsaidSince === null) return usual;
    return Math.min(usual, Math.max(unsaidSince + lastingMs - now, this.#untilLeft(lastingReserve, now)));
  }

  #untilLeft(reserve: number, now: number): number {
    const lacking = reserve + 1 - this.#leftAt(now);
    return lacking <= 0 ? 0 : Math.ceil(lacking * everyMs);
  }

  /** Takes one off. */
  spend(now: number): void {
    this.#left = this.#leftAt(now) - 1;
    this.#countedAt = now;
  }

  #leftAt(now: number): number {
    return Math.min(burst, this.#left + Math.max(0, now - this.#countedAt) / everyMs);
  }
}
