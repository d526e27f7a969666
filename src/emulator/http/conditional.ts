import { type Answer, answer, page } from './answers.ts';
import type { WireRequest } from './request.ts';

/** nginx's limits for a request line and for one header line, in bytes. */
const lineLimitBytes = 8 * 1024;

/** What nginx answers to a request line or header that is too long, before anything else; null where neither is. */
export function tooLong(request: WireRequest, target: string): Answer | null {
  if (request.method.length + target.length + ' HTTP/1.1 '.length > lineLimitBytes) return page(414);
  const isLong = Object.entries(request.headers).some(
    ([name, value]) => name.length + (value ?? '').length + 4 > lineLimitBytes,
  );
  return isLong ? page(400) : null;
}

/**
 * What nginx makes of a finished answer and the request's conditions. Kong's answers have no ETag and no time, so that
 * `If-Match` fails although the write was made (kong.md).
 */
export function underConditions(request: WireRequest, told: Answer): Answer {
  if (told.status !== 200) return told;
  const match = request.headers['if-match'];
  if (request.headers['if-unmodified-since'] !== undefined) return page(412);
  if (match !== undefined && match.trim() !== '*') return page(412);
  const noneMatch = request.headers['if-none-match'];
  return noneMatch?.trim() === '*' ? answer(304) : told;
}
