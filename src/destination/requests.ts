import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { asFailure, Failure, type FailureFacts } from '../platform/failure.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../platform/http-client.ts';
import { withRetry } from '../platform/retry.ts';
import type { Pace } from './pace.ts';
import { withServerWords } from './server-words.ts';
import { withoutSecrets } from './writing/hide-secrets.ts';

/** What a destination's requests need besides the client. */
export interface RequestWorld {
  readonly http: HttpClient;
  /** What keeps to the rate that the server allows: one for all requests to it. */
  readonly pace: Pace;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** What the server is reached with and nobody may see; nothing where left out. */
  readonly secrets?: readonly string[];
}

/** Tries after the first, for what one request may bridge itself: the lane's back-off is for the rest. */
const retries = 2;
const firstWaitMs = 200;

/** The longest `Retry-After` of a broken server that a single request waits for; a longer one is the lane's to wait out. */
const longestWaitMs = 10_000;

/** How often, and for how long in all, one request keeps still because of 429 before the lane is told. */
const mostPauses = 10;
const longestPauseMs = 60_000;

/** The wait after a 429 that does not say how long, or says none; it doubles with each. */
const firstPauseMs = 1_000;

/**
 * Sends a request, again where that can help and does no harm. After a 429 every request to the server keeps still for
 * as long as it asked for. A request that ran into its time limit is not sent again: a server that hangs would hold
 * up the lane for a multiple of the limit. Throws Failure.
 */
export async function send(
  world: RequestWorld,
  request: HttpRequest,
  signal: AbortSignal,
  idempotent = request.method !== 'POST' && request.method !== 'PATCH',
): Promise<HttpAnswer> {
  let pausedMs = 0;
  for (let pauses = 0; ; pauses += 1) {
    await world.pace.ready(world.clock, signal);
    try {
      const answer = await withRetry(() => asked(world.http, request, signal), {
        clock: world.clock,
        signal,
        retries,
        firstWaitMs,
        longestWaitMs,
        idempotent,
        mayRetry: (facts) => idempotent && mayHelp(facts),
        random: world.random,
      });
      const restMs = restOf(answer.headers);
      if (restMs !== null) world.pace.pause(restMs, world.clock);
      return answer;
    } catch (thrown) {
      const facts = asFailure(thrown)?.facts;
      if (facts === undefined) throw thrown;
      if (facts.status !== 429) throw explained(world, request, facts);
      // One that lets it be asked at once, and refuses again, would be asked in a storm.
      const told = facts.retryAfterMs ?? 0;
      const pauseMs = told > 0 ? told : firstPauseMs * 2 ** pauses;
      pausedMs += pauseMs;
      if (pauses === mostPauses || pausedMs > longestPauseMs) throw explained(world, request, facts);
      world.pace.pause(pauseMs, world.clock);
    }
  }
}

/** With the server's words. What it says of a body may repeat secrets that are not known here: that is left out. */
function explained(world: RequestWorld, request: HttpRequest, facts: FailureFacts): Failure {
  const hasBody = request.json !== undefined || request.text !== undefined || request.made !== undefined;
  return new Failure(hasBody ? facts : withServerWords(facts, (words) => withoutSecrets(words, world.secrets ?? [])));
}

/**
 * One request to what should be an Admin API. A Kong's proxy answers any path with 404 as well, which must be taken
 * neither for what is not there nor, after a DELETE, for what is gone.
 */
async function asked(http: HttpClient, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  try {
    const answer = await http.request(request, signal);
    if (answer.status === 404 && isFromProxy(answer.json)) throw new Failure(answeredByProxy(request, null));
    return answer;
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    if (facts?.status === 404 && isFromProxy(facts.body)) throw new Failure(answeredByProxy(request, facts.url));
    throw thrown;
  }
}

function isFromProxy(body: unknown): boolean {
  const parsed = proxyAnswer.safeParse(body);
  return parsed.success && /^no route matched/i.test(parsed.data.message);
}

const proxyAnswer = z.object({ message: z.string() });

function answeredByProxy({ method, path }: HttpRequest, shown: string | null): FailureFacts {
  const url = shown ?? path.replace(/\?.*$/, '');
  return {
    class: 'rejected',
    code: 'kong-proxy',
    message: `${method} ${url} answered 404 (no Route matched): this looks like Kong's proxy, not its Admin API`,
    hint: 'Configure the address of the Admin API (port 8001, or 8444 with TLS, by default), not that of the proxy (8000, 8443).',
    method,
    url,
    status: 404,
    retryAfterMs: null,
    body: null,
  };
}

/** How long a server wants nothing more when its rate is used up, by the headers that say so; null where it is not. */
function restOf(headers: HttpAnswer['headers']): number | null {
  const left = headers['ratelimit-remaining'] ?? headers['x-ratelimit-remaining'];
  if (left === undefined || Number(left) > 0) return null;
  const seconds = Number(headers['ratelimit-reset'] ?? headers['x-ratelimit-reset']);
  return seconds > 0 && seconds * 1000 <= longestPauseMs ? seconds * 1000 : null;
}

function mayHelp(facts: FailureFacts): boolean {
  switch (facts.class) {
    case 'rejected':
      return false;
    case 'transient':
      return facts.status !== 429;
    case 'unreachable':
      return facts.code !== 'timeout' && facts.code !== 'connect-timeout';
  }
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
