import { Failure, type FailureClass, type FailureFacts } from './failure.ts';

/** The request that failed, as it may be shown. */
export interface Exchange {
  readonly method: string;
  /** Without userinfo and query. */
  readonly url: string;
}

/** The failure that an answer's status means. Its message has nothing of the answer's text, which may hold secrets. */
export function statusFailure(
  exchange: Exchange,
  answer: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: unknown },
  now: number,
): Failure {
  const { status, headers } = answer;
  const redirect = redirects.has(status);
  const transient = status === 408 || status === 425 || status === 429 || status >= 500;
  return new Failure({
    class: transient ? 'transient' : 'rejected',
    code: redirect ? 'redirect' : `http-${status}`,
    message: redirect
      ? `${exchange.method} ${exchange.url} answered ${status}, a redirect, which is not followed`
      : `${exchange.method} ${exchange.url} answered ${status}${meaning(status)}`,
    hint: statusHint(status),
    method: exchange.method,
    url: exchange.url,
    status,
    retryAfterMs: retryAfter(headers['retry-after'], now),
    body: answer.body,
  });
}

/** A failure of a client's own making or one without a whole answer. */
export function exchangeFailure(
  exchange: Exchange,
  facts: { readonly class: FailureClass; readonly code: string; readonly message: string; readonly hint: string },
  more: Partial<Pick<FailureFacts, 'status' | 'body'>> = {},
): Failure {
  return new Failure({
    ...facts,
    message: `${exchange.method} ${exchange.url}: ${facts.message}`,
    method: exchange.method,
    url: exchange.url,
    status: more.status ?? null,
    retryAfterMs: null,
    body: more.body ?? null,
  });
}

/** Milliseconds that a Retry-After header asks for (RFC 9110, 10.2.3), or null where it cannot be read. */
export function retryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const redirects = new Set([301, 302, 303, 307, 308]);

const meanings: { readonly [status: number]: string } = {
  400: 'the request was refused',
  401: 'not signed in',
  403: 'not allowed',
  404: 'not found',
  405: 'not allowed there',
  408: 'timed out',
  409: 'conflict',
  413: 'the body is too large',
  429: 'too many requests',
  500: 'fault of the server',
  502: 'bad gateway',
  503: 'not available now',
  504: 'gateway timed out',
};

function meaning(status: number): string {
  const words = meanings[status];
  return words === undefined ? '' : ` (${words})`;
}

function statusHint(status: number): string {
  if (redirects.has(status)) return 'Configure the address that the server redirects to.';
  switch (status) {
    case 401:
      return 'Check the token or password in the configuration: missing, expired, or for another server.';
    case 403:
      return 'Check what the token or user is allowed to do.';
    case 404:
      return 'Check the address in the configuration, its path included, and that the token may see what it names.';
    case 407:
      return 'Check the proxy’s user name and password.';
    case 413:
      return 'Raise the server’s limit on the size of a request body.';
    case 429:
      return 'The server takes no more requests for now, and says when it does again.';
    default:
      return status >= 500 || status === 408 ? 'A fault of the server: look at its log if it goes on.' : '';
  }
}
