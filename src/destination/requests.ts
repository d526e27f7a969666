import type { Clock } from '../platform/clock.ts';
import { asFailure } from '../platform/failure.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../platform/http-client.ts';
import { withRetry } from '../platform/retry.ts';

/** What a destination's requests need besides the client. */
export interface RequestWorld {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Tries after the first, for what one request may bridge itself: the lane's back-off is for the rest. */
const retries = 2;
const firstWaitMs = 200;

/** The longest `Retry-After` that a single request waits for; a longer one is the lane's to wait out. */
const longestWaitMs = 10_000;

/** Sends a request, again where that can help and does no harm. Throws Failure. */
export function send(world: RequestWorld, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  return withRetry(() => world.http.request(request, signal), {
    clock: world.clock,
    signal,
    retries,
    firstWaitMs,
    longestWaitMs,
    idempotent: request.method !== 'POST' && request.method !== 'PATCH',
    random: world.random,
  });
}

/** Runs tasks with at most `limit` at a time; the first that throws ends the rest, and its error is thrown. */
export async function bounded<T>(limit: number, tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = new Array(tasks.length);
  let next = 0;
  let stopped = false;
  const worker = async () => {
    while (!stopped) {
      const index = next;
      next += 1;
      const task = tasks[index];
      if (task === undefined) return;
      try {
        results[index] = await task();
      } catch (thrown) {
        stopped = true;
        throw thrown;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, tasks.length)) }, worker));
  return results;
}

/** The HTTP status of a thrown failure, or null where there was no answer or something else was thrown. */
export function statusOf(thrown: unknown): number | null {
  return asFailure(thrown)?.facts.status ?? null;
}
