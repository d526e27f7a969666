import { z } from 'zod';
import type { HttpAnswer } from '../platform/http-client.ts';
import { retryAfter } from '../platform/http-failure.ts';

/** What is waited at least where a forge says no more than that there were too many requests, in milliseconds. */
const leastWaitMs = 60_000;

const errorBody = z.object({ message: z.string() });

/**
 * How long a forge asks to wait, in milliseconds, or null where its answer is not about a limit. `retry-after` comes
 * first, then the time at which a limit that is used up starts anew, then a minute: by GitHub's "Best practices for
 * using the REST API"; GitLab, Azure DevOps and Bitbucket have headers of the same meaning, which may be missing.
 */
export function rateLimitWait(answer: HttpAnswer, now: number): number | null {
  const { headers, status } = answer;
  if (status !== 403 && status !== 429) return null;
  // Both from the same server, so that a clock of ours that is wrong does no harm.
  const sentAt = Date.parse(headers['date'] ?? '');
  const serverNow = Number.isNaN(sentAt) ? now : sentAt;
  const asked = retryAfter(headers['retry-after'], serverNow);
  if (asked !== null) return asked;
  const reset = resetOf(headers);
  if (reset !== null) return Math.max(1000, reset - serverNow);
  const body = errorBody.safeParse(answer.json);
  const secondary = body.success && /secondary rate limit|abuse detection/i.test(body.data.message);
  return status === 429 || secondary ? leastWaitMs : null;
}

/** When a limit that is used up starts anew, in milliseconds since 1970; null where none is. */
function resetOf(headers: HttpAnswer['headers']): number | null {
  for (const prefix of ['x-ratelimit', 'ratelimit']) {
    const reset = headers[`${prefix}-reset`];
    if (headers[`${prefix}-remaining`] === '0' && reset !== undefined && /^\d{1,12}$/.test(reset)) {
      return Number(reset) * 1000;
    }
  }
  return null;
}
