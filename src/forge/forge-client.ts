import type { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { asFailure, Failure, type FailureFacts } from '../platform/failure.ts';
import type { HttpAnswer, HttpClient, HttpClientOptions, HttpRequest } from '../platform/http-client.ts';
import { rateLimitWait } from './rate-limit.ts';

/** What every forge is reached with. */
export interface ForgeOptions {
  /** Where its API starts, as the configuration has it. */
  readonly url: string;
  readonly token: string;
  /** What our contexts begin with: `konverge` is ours, and so is `konverge/…`. */
  readonly context: string;
  readonly clock: Clock;
  readonly createHttpClient: (options: HttpClientOptions) => HttpClient;
}

/** What people are told who have to put a forge's refusal right. */
export interface ForgeWords {
  /** The section of the configuration: `status.gitlab`. */
  readonly section: string;
  /** The key that names the repository: `status.gitlab.project`. */
  readonly repository: string;
  /** What the token needs: `the scope api`. */
  readonly permission: string;
  /** What a refusal of other kinds means there, by its HTTP status. */
  readonly hints?: Readonly<Record<number, string>>;
}

/** One HTTP client with the failures of a forge put into words. */
export interface ForgeClient {
  /** Throws Failure; a limit is `rate-limited` and says how long to wait. */
  ask(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  /** An answer's JSON in the form that is expected. Throws Failure where it has another. */
  read<S extends z.ZodType>(request: HttpRequest, schema: S, signal: AbortSignal): Promise<z.output<S>>;
  /** The same with what came beside it. */
  readWhole<S extends z.ZodType>(request: HttpRequest, schema: S, signal: AbortSignal): Promise<Whole<z.output<S>>>;
  /** The same connections, for requests that need something else of the token. */
  needing(words: Pick<ForgeWords, 'permission' | 'hints'>): ForgeClient;
  close(): Promise<void>;
}

/** An answer's JSON with its headers. */
export interface Whole<T> {
  /** Null where the forge says that what the request's condition names still holds (304). */
  readonly data: T | null;
  readonly headers: HttpAnswer['headers'];
  /** How long the answer was, in characters. */
  readonly length: number;
}

/** A client of a forge's API. `headers` hold what signs in. */
export function forgeClient(
  options: Pick<ForgeOptions, 'url' | 'clock' | 'createHttpClient'>,
  headers: Readonly<Record<string, string>>,
  words: ForgeWords,
): ForgeClient {
  const http = options.createHttpClient({
    baseUrl: options.url,
    headers: { accept: 'application/json', 'user-agent': 'konverge', ...headers },
    timeoutMs: 20_000,
    // A page of pull requests has all that their authors wrote of them, and of their repositories.
    bodyLimitBytes: 16 * 1024 ** 2,
    // One for statuses, one for pull requests, so that neither waits for the other's answer.
    connections: 2,
    tls: { ca: null, cert: null, key: null, serverName: null },
    proxy: null,
  });
  return withWords(http, options.clock, words);
}

function withWords(http: HttpClient, clock: Clock, words: ForgeWords): ForgeClient {
  const ask = async (request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> => {
    let answer: HttpAnswer;
    try {
      // Forges speak of limits in 403 as well as in 429, and in headers that a failure does not carry.
      answer = await http.request({ ...request, accept: [403, 429, ...(request.accept ?? [])] }, signal);
    } catch (thrown) {
      throw withHint(thrown, words);
    }
    if (answer.status !== 403 && answer.status !== 429) return answer;
    throw limited(request, answer, clock.now(), words);
  };
  const parsed = <S extends z.ZodType>(request: HttpRequest, answer: HttpAnswer, schema: S): z.output<S> => {
    const result = schema.safeParse(answer.json);
    if (result.success) return result.data;
    throw refusal(request, answer.status, 'unexpected-answer', 'answered something other than what was asked for', {
      hint: `Check \`${words.section}.url\`.`,
    });
  };
  return {
    ask,
    read: async (request, schema, signal) => parsed(request, await ask(request, signal), schema),
    readWhole: async (request, schema, signal) => {
      const answer = await ask(request, signal);
      const data = answer.status === 304 ? null : parsed(request, answer, schema);
      return { data, headers: answer.headers, length: answer.text.length };
    },
    needing: (other) => withWords(http, clock, { section: words.section, repository: words.repository, ...other }),
    close: () => http.close(),
  };
}

/** A failure that no retry helps with. */
export function refusal(
  request: HttpRequest,
  status: number,
  code: string,
  what: string,
  more: Partial<FailureFacts>,
): Failure {
  return new Failure({
    class: 'rejected',
    code,
    message: `${request.method} ${request.path.replace(/\?.*/s, '')} ${what}`,
    hint: '',
    method: request.method,
    url: null,
    status,
    retryAfterMs: null,
    body: null,
    ...more,
  });
}

function limited(request: HttpRequest, answer: HttpAnswer, now: number, words: ForgeWords): Failure {
  const retryAfterMs = rateLimitWait(answer, now);
  if (retryAfterMs === null) {
    return refusal(request, answer.status, 'http-403', 'answered 403 (not allowed)', {
      hint: `The token of \`${words.section}\` needs ${words.permission}.`,
    });
  }
  return refusal(request, answer.status, 'rate-limited', `answered ${answer.status} (too many requests)`, {
    class: 'transient',
    hint: 'Nothing to do: it is tried again when the limit allows it.',
    retryAfterMs,
  });
}

function withHint(thrown: unknown, words: ForgeWords): unknown {
  const facts = asFailure(thrown)?.facts;
  if (facts === undefined || facts.status === null) return thrown;
  const hint = facts.code === 'redirect' ? movedHint(words) : (words.hints?.[facts.status] ?? hintOf(facts, words));
  return hint === null ? thrown : new Failure({ ...facts, hint });
}

function movedHint({ section, repository }: ForgeWords): string {
  return `The repository has moved, or the forge has: correct \`${repository}\` or \`${section}.url\`.`;
}

function hintOf({ status }: FailureFacts, { section, repository, permission }: ForgeWords): string | null {
  switch (status) {
    case 401:
      return `The token of \`${section}\` is wrong, has expired or was revoked.`;
    case 404:
      // Forges say so of what a token may not see, too, so that nobody learns that it is there.
      return `Check \`${repository}\`, and that the token has ${permission}; or the forge does not have what was asked for.`;
    default:
      return null;
  }
}
