import { createHash } from 'node:crypto';
import type { CommitStatus } from '../../../src/forge/forge.ts';
import { type Got, startServer } from '../http-server.ts';
import { PullWorld } from './pull-world.ts';

/** What can be wrong with a forge, or with what we are allowed there. */
export type Trouble =
  | 'down'
  | 'failing'
  | 'revoked'
  | 'forbidden'
  | 'moved'
  | 'limited'
  | 'limited-without-saying-how-long';

/** How long an emulator that is limited asks to wait, in seconds. */
export const limitSeconds = 40;

/** The token that every emulator takes. */
export const forgeToken = 'forge-token-7f3a';

/** A status as an emulator holds it, in our words. */
export type Held = Pick<CommitStatus, 'state' | 'description' | 'targetUrl'>;

/** A forge on loopback that answers as its documentation says. */
export interface ForgeEmulator {
  readonly url: string;
  trouble: Trouble | null;
  /** Commits that it does not have. */
  readonly unknown: Set<string>;
  /** What is posted or edited is taken, and the answers are lost. */
  loseAnswers: boolean;
  /** Requests that reached it, answered or not, with address and body as they came. */
  readonly got: readonly Got[];
  /** The newest status of each context on a commit. */
  held(sha: string): Readonly<Record<string, Held>>;
  /** The newest status of each context that the merge rules of a pull request see. */
  heldOn(number: number): Readonly<Record<string, Held>>;
  /** Its pull requests and what people say on them. */
  readonly pulls: PullWorld;
  close(): Promise<void>;
}

/** An answer of an emulator. */
export interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What one forge answers. */
export interface ForgeRules {
  /** Whether a request carries the token in the forge's way. */
  isSignedIn(got: Got): boolean;
  /** To a request whose token is not known. */
  readonly unauthorized: Answer;
  /** To a request whose token may not do it. */
  readonly forbidden: Answer;
  /** To a request for a repository that has moved. */
  moved(got: Got): Answer;
  /** When too many requests came; null where it does not say how long to wait. */
  limited(seconds: number | null): Answer;
  /** To all else. Null for what it does not have. */
  answer(got: Got, url: URL): Answer | null;
  readonly notFound: Answer;
  /** Whether its answers have entity tags. */
  readonly hasTags?: boolean;
  /** Headers of every answer to who is signed in. */
  readonly always?: Readonly<Record<string, string>>;
  held(sha: string): Readonly<Record<string, Held>>;
  /** Where it is not what the head holds. */
  heldOn?(number: number): Readonly<Record<string, Held>>;
}

/** Starts an emulator on a free port of 127.0.0.1. */
export async function startEmulator(
  rules: (unknown: ReadonlySet<string>, pulls: PullWorld) => ForgeRules,
): Promise<ForgeEmulator> {
  const unknown = new Set<string>();
  const pulls = new PullWorld();
  const forge = rules(unknown, pulls);
  const server = await startServer((got, response) => {
    if (emulator.trouble === 'down') return void response.destroy();
    const answer = reply(forge, emulator.trouble, got);
    const given = forge.hasTags === true ? conditional(got, answer, pulls) : answer;
    if (emulator.loseAnswers && got.method !== 'GET') return void response.destroy();
    const type = given.text === undefined ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8';
    response.writeHead(given.status, { 'content-type': type, ...given.headers });
    response.end(given.text ?? (given.json === undefined ? '' : JSON.stringify(given.json)));
  });
  const emulator: ForgeEmulator = {
    url: server.url,
    trouble: null,
    unknown,
    loseAnswers: false,
    got: server.got,
    held: (sha) => forge.held(sha),
    heldOn: (number) => forge.heldOn?.(number) ?? forge.held(pulls.pull(number)?.head ?? ''),
    pulls,
    close: () => server.close(),
  };
  return emulator;
}

function reply(forge: ForgeRules, trouble: Trouble | null, got: Got): Answer {
  switch (trouble) {
    case 'failing':
      return { status: 502, text: '<html>Bad Gateway</html>' };
    case 'revoked':
      return forge.unauthorized;
    case 'forbidden':
      return forge.forbidden;
    case 'moved':
      return forge.moved(got);
    case 'limited':
      return forge.limited(limitSeconds);
    case 'limited-without-saying-how-long':
      return forge.limited(null);
    default:
      if (!forge.isSignedIn(got)) return forge.unauthorized;
      return withHeaders(forge.answer(got, new URL(got.url, 'http://forge')) ?? forge.notFound, forge.always);
  }
}

function withHeaders(answer: Answer, headers: Readonly<Record<string, string>> | undefined): Answer {
  return headers === undefined ? answer : { ...answer, headers: { ...headers, ...answer.headers } };
}

/** An answer with its entity tag, or without itself where the request's condition names that one. */
export function conditional(got: Got, answer: Answer, pulls: PullWorld): Answer {
  if (got.method !== 'GET' || answer.status !== 200) return answer;
  const etag = `W/"${createHash('sha256').update(JSON.stringify(answer.json)).digest('hex').slice(0, 32)}"`;
  if (got.headers['if-none-match'] !== etag) return { ...answer, headers: { ...answer.headers, etag } };
  pulls.notModified += 1;
  return { status: 304, headers: { etag } };
}

/** A `Link` header to the next page, by `page`; none on the last one. */
export function linkTo(url: URL, total: number, page: number, size: number): Readonly<Record<string, string>> {
  if (page * size >= total) return {};
  const at = (number: number) => {
    const query = new URLSearchParams(url.searchParams);
    query.set('page', String(number));
    return `<https://forge.example.com${url.pathname}?${query}>`;
  };
  return { link: `${at(1)}; rel="first", ${at(page + 1)}; rel="next", ${at(Math.ceil(total / size))}; rel="last"` };
}

/** A body of a request, whose fields are of any kind. */
export function bodyOf(got: Got): Readonly<Record<string, unknown>> {
  return JSON.parse(got.body) as Readonly<Record<string, unknown>>;
}

/** A field that has to be a text; an empty one where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A page of a list, by numbers from 1. */
export function pageOf<T>(list: readonly T[], page: number, size: number): readonly T[] {
  return list.slice((page - 1) * size, page * size);
}

/** A list's newest item of each name, which stands last. */
export function newestOf<T>(list: readonly T[], name: (item: T) => string): readonly T[] {
  return [...new Map(list.map((item) => [name(item), item])).values()];
}
