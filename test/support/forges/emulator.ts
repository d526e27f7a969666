import type { CommitStatus } from '../../../src/forge/forge.ts';
import { type Got, startServer } from '../http-server.ts';

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
  /** Posts are taken, and the answers are lost. */
  loseAnswers: boolean;
  /** Requests that reached it, answered or not, with address and body as they came. */
  readonly got: readonly Got[];
  /** The newest status of each context on a commit. */
  held(sha: string): Readonly<Record<string, Held>>;
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
  held(sha: string): Readonly<Record<string, Held>>;
}

/** Starts an emulator on a free port of 127.0.0.1. */
export async function startEmulator(rules: (unknown: ReadonlySet<string>) => ForgeRules): Promise<ForgeEmulator> {
  const unknown = new Set<string>();
  const forge = rules(unknown);
  const server = await startServer((got, response) => {
    if (emulator.trouble === 'down') return void response.destroy();
    const given = reply(forge, emulator.trouble, got);
    if (emulator.loseAnswers && got.method === 'POST') return void response.destroy();
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
      return forge.answer(got, new URL(got.url, 'http://forge')) ?? forge.notFound;
  }
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
