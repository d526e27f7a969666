import pRetry from 'p-retry';
import type { Clock } from './clock.ts';
import { asFailure, type FailureFacts } from './failure.ts';

/** How one request is tried again. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Tries after the first one. */
  readonly retries: number;
  /** The first wait, in milliseconds; it doubles with each try. */
  readonly firstWaitMs: number;
  /** The longest wait. A server that asks for more is not waited for: the failure goes to the caller. */
  readonly longestWaitMs: number;
  /** Whether sending the request twice does the same as sending it once. */
  readonly idempotent: boolean;
  /** Which failures are tried again, where that is not left to their class. */
  readonly mayRetry?: (facts: FailureFacts) => boolean;
  /** A number from 0 to below 1, by which a wait is shortened by up to a half, so that clients fall out of step. */
  readonly random: () => number;
}

/**
 * Runs one request, again and a few times at most where that can help: transient and unreachable failures of an
 * idempotent request, and 429 of any, which says that nothing was done. Only for what a single request may bridge: the
 * long back-off of a destination is its lane's. All waiting is on the clock passed in; p-retry's own timers are off.
 */
export async function withRetry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  return await pRetry(attempt, {
    retries: options.retries,
    minTimeout: 0,
    signal: options.signal,
    onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
      options.signal.throwIfAborted();
      const failure = asFailure(error);
      if (failure === undefined || retriesLeft === 0) throw error;
      const wait = waitBefore(failure.facts, attemptNumber, options);
      if (wait === null) throw error;
      await options.clock.sleep(wait, options.signal);
    },
  });
}

/** The wait before the next try in milliseconds, or null when there must be none. */
function waitBefore(facts: FailureFacts, attempt: number, options: RetryOptions): number | null {
  if (!(options.mayRetry?.(facts) ?? mayRetry(facts, options.idempotent))) return null;
  if (facts.retryAfterMs !== null) return facts.retryAfterMs > options.longestWaitMs ? null : facts.retryAfterMs;
  const full = Math.min(options.longestWaitMs, options.firstWaitMs * 2 ** (attempt - 1));
  return full * (1 - options.random() / 2);
}

function mayRetry(facts: FailureFacts, idempotent: boolean): boolean {
  switch (facts.class) {
    case 'rejected':
      return false;
    case 'transient':
      return idempotent || facts.status === 429;
    case 'unreachable':
      return idempotent;
  }
}
