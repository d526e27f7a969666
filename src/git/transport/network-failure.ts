import type { Failure, FailureClass } from '../../platform/failure.ts';
import { gitFailure, publicUrl } from '../git-failure.ts';

interface Cause {
  readonly code: string;
  readonly says: string;
  readonly hint: string;
}

const wait = 'The last revision stays in force; the next poll tries again.';

/** By the `code` of Node's and undici's errors. TLS is told apart by `tlsCodes`, what is not here is `connection-lost`. */
const causes: ReadonlyMap<string, Cause> = new Map([
  ['ECONNREFUSED', { code: 'connection-refused', says: 'nothing listens at that address', hint: wait }],
  ['ENOTFOUND', { code: 'dns', says: 'its host name is not known', hint: 'Check the host name in repository.url.' }],
  ['EAI_AGAIN', { code: 'dns', says: 'its host name could not be looked up', hint: wait }],
  ['ETIMEDOUT', { code: 'timeout', says: 'no connection could be made in time', hint: wait }],
  ['UND_ERR_CONNECT_TIMEOUT', { code: 'timeout', says: 'no connection could be made in time', hint: wait }],
  ['UND_ERR_HEADERS_TIMEOUT', { code: 'timeout', says: 'it took the request and did not answer in time', hint: wait }],
  ['UND_ERR_BODY_TIMEOUT', { code: 'timeout', says: 'it stopped in the middle of its answer', hint: wait }],
  ['EHOSTUNREACH', { code: 'no-route', says: 'no route leads to that host', hint: wait }],
  ['ENETUNREACH', { code: 'no-route', says: 'no route leads to that network', hint: wait }],
]);

const tlsCodes = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$)/;

/** The failure for an error that a request met before a whole answer was there. */
export function networkFailure(error: unknown, method: string, url: string, proxied: boolean): Failure {
  const code = errorCode(error);
  const shown = publicUrl(url);
  if (tlsCodes.test(code)) {
    return gitFailure({
      class: 'unreachable',
      code: 'tls',
      message: `The Git server at ${shown} could not be trusted (${code}).`,
      hint: 'If its certificate comes from an authority of your own, set repository.ca; else check its host name and dates.',
      method,
      url,
    });
  }
  const cause = causes.get(code);
  if (cause === undefined && proxied && /prox/i.test(error instanceof Error ? `${error.name} ${error.message}` : '')) {
    return gitFailure({
      class: 'unreachable',
      code: 'proxy',
      message: `The proxy made no connection to the Git server at ${shown}.`,
      hint: 'Check repository.proxy, its credentials, and that it allows CONNECT to that host and port.',
      method,
      url,
    });
  }
  const says = cause?.says ?? `the connection broke (${code === '' ? 'no reason given' : code})`;
  return gitFailure({
    class: 'unreachable',
    code: cause?.code ?? 'connection-lost',
    message: `The Git server at ${shown} could not be reached: ${says}.`,
    hint: cause?.hint ?? wait,
    method,
    url,
  });
}

/** The failure for a time limit of ours that ran out. */
export function timeoutFailure(url: string, timeoutMs: number): Failure {
  return gitFailure({
    class: 'unreachable',
    code: 'timeout',
    message: `The Git server at ${publicUrl(url)} was not done within ${timeoutMs / 1000} seconds.`,
    hint: 'If the repository is large or the line slow, raise repository.timeout.',
    url,
  });
}

interface StatusMeaning {
  readonly class: FailureClass;
  readonly code: string;
  readonly says: string;
  readonly hint: string;
}

/** The failure for an answer whose status is not 200. */
export function statusFailure(
  status: number,
  method: string,
  url: string,
  signedIn: boolean,
  retryAfterMs: number | null,
): Failure {
  const meaning = statusMeaning(status, signedIn);
  return gitFailure({
    class: meaning.class,
    code: meaning.code,
    message: `The Git server at ${publicUrl(url)} ${meaning.says}.`,
    hint: meaning.hint,
    method,
    url,
    status,
    retryAfterMs,
  });
}

function statusMeaning(status: number, signedIn: boolean): StatusMeaning {
  // Azure DevOps answers 203 with its sign-in page.
  if (status === 401 || status === 403 || status === 203) {
    return {
      class: 'rejected',
      code: 'unauthorized',
      says: signedIn ? `refused the credentials (HTTP ${status})` : `asks for credentials (HTTP ${status})`,
      hint: signedIn
        ? 'Check that the token or password of repository.auth is still valid and may read the repository.'
        : 'Set repository.auth; credentials are sent only to the host and port of repository.url.',
    };
  }
  if (status === 404 || status === 410) {
    return {
      class: 'rejected',
      code: 'repository-not-found',
      says: `has no such repository (HTTP ${status})`,
      hint: signedIn
        ? 'Check repository.url. Forges also answer so when the credentials may not see the repository.'
        : 'Check repository.url. Forges also answer so for a private repository when no credentials are sent: see repository.auth.',
    };
  }
  if (status === 408 || status === 429 || status >= 500) {
    return {
      class: 'transient',
      code: `http-${status}`,
      says: status === 429 ? 'asks for fewer requests (HTTP 429)' : `failed (HTTP ${status})`,
      hint: status === 429 ? 'Raise repository.interval.' : wait,
    };
  }
  return {
    class: 'rejected',
    code: `http-${status}`,
    says: `answered HTTP ${status}, which Git does not expect`,
    hint: 'Check that repository.url is the address that `git clone` would take.',
  };
}

function errorCode(error: unknown): string {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string') {
      // An aggregate of attempts over several addresses names none of them; a single one does.
      return current.code;
    }
  }
  return '';
}
