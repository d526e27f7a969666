import { z } from 'zod';
import { Failure } from '../platform/failure.ts';
import type { HttpAnswer, HttpRequest } from '../platform/http-client.ts';

/** What GitHub asks for at least where it says no more than that there were too many requests, in milliseconds. */
const leastWaitMs = 60_000;

const errorBody = z.object({ message: z.string() });

/**
 * The failure that an answer 403 or 429 means: a limit, with the time to wait for, or a refusal. By GitHub's "Best
 * practices for using the REST API": obey `retry-after`, else wait for `x-ratelimit-reset` when nothing remains, else
 * for a minute.
 */
export function limitFailure(request: HttpRequest, answer: HttpAnswer, now: number): Failure {
  const wait = waitOf(answer, now);
  const path = request.path.replace(/\?.*/, '');
  const common = { method: request.method, url: null, status: answer.status, body: null };
  if (wait === null) {
    return new Failure({
      ...common,
      class: 'rejected',
      code: 'http-403',
      message: `${request.method} ${path} answered 403 (not allowed)`,
      hint: 'The token needs the permission to write commit statuses of this repository.',
      retryAfterMs: null,
    });
  }
  return new Failure({
    ...common,
    class: 'transient',
    code: 'rate-limited',
    message: `${request.method} ${path} answered ${answer.status} (too many requests)`,
    hint: 'Nothing to do: statuses are posted when the limit allows it.',
    retryAfterMs: wait,
  });
}

/** Milliseconds to wait, or null where the answer is not about a limit. */
function waitOf(answer: HttpAnswer, now: number): number | null {
  const { headers } = answer;
  const asked = headers['retry-after'];
  if (asked !== undefined && /^\d{1,6}$/.test(asked)) return Number(asked) * 1000;
  const reset = headers['x-ratelimit-reset'];
  if (headers['x-ratelimit-remaining'] === '0' && reset !== undefined && /^\d{1,12}$/.test(reset)) {
    // Both from the same server, so that a clock of ours that is wrong does no harm.
    const sentAt = Date.parse(headers['date'] ?? '');
    return Math.max(1000, Number(reset) * 1000 - (Number.isNaN(sentAt) ? now : sentAt));
  }
  const body = errorBody.safeParse(answer.json);
  const secondary = body.success && /secondary rate limit|abuse detection/i.test(body.data.message);
  return answer.status === 429 || secondary ? leastWaitMs : null;
}
