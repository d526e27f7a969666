/** The first wait after a failure, in milliseconds. */
export const firstWaitMs = 1_000;

/** The longest wait between two tries, in milliseconds (DESIGN.md 7). */
export const longestWaitMs = 5 * 60_000;

/** What the length of a wait depends on. */
export interface BackoffInput {
  /** Failures in a row, from 1. */
  readonly failures: number;
  /** What the server asked for, in milliseconds, or null. Obeyed even beyond the longest wait. */
  readonly retryAfterMs: number | null;
  /** From 0 up to 1: spreads tries, so that what failed together is not tried together. */
  readonly random: number;
}

/**
 * How long to wait before the next try, in milliseconds: doubled with every failure from one second up to five
 * minutes, spread between half and the whole of that, and never shorter than the server asked for.
 */
export function backoffMs(input: BackoffInput): number {
  const doubled = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(input.failures - 1, 30));
  const spread = Math.round(doubled * (0.5 + input.random / 2));
  return Math.max(spread, input.retryAfterMs ?? 0);
}
