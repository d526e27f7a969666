import { z } from 'zod';
import { Failure, type FailureFacts } from '../platform/failure.ts';
import type { HttpAnswer, HttpClient } from '../platform/http-client.ts';
import { shownUrl } from '../platform/redact.ts';
import { createHttpClient } from '../platform/undici-client.ts';
import { isLoopback } from '../server/authorization.ts';
import type { Arguments, Options } from './arguments.ts';
import type { Io } from './io.ts';
import type { Session } from './session.ts';

/** Options of the commands that ask or steer a running daemon. */
export const daemonOptions: Options = {
  url: { value: 'URL', help: "the daemon's address (default: server.publicUrl, else server.listen)" },
};

/** How long a daemon may take to answer, in milliseconds. */
const timeoutMs = 15_000;

/** The largest status that is read, in bytes. */
const bodyLimitBytes = 32 * 1024 * 1024;

/** What a daemon answered: the text, and what was read of it. */
export interface Answered<T> {
  readonly text: string;
  readonly value: T;
}

/** The API of a running daemon. */
export interface DaemonApi {
  /** Asks for something of this shape. */
  get<T>(path: string, shape: z.ZodType<T>): Promise<Answered<T>>;
  /** Has something done. */
  post(path: string, body?: object): Promise<void>;
  close(): Promise<void>;
}

/** Reaches the daemon that a configuration describes. The requests throw Failure, also where no Konverge answers. */
export function daemonApi(args: Arguments, io: Io, session: Session): DaemonApi {
  const { host, port, token, publicUrl } = session.configuration.server();
  const shownHost = isLoopback(host) ? host : '127.0.0.1';
  const baseUrl =
    args.value('url') ?? publicUrl ?? `http://${shownHost.includes(':') ? `[${shownHost}]` : shownHost}:${port}`;
  const http: HttpClient = createHttpClient({
    baseUrl,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    timeoutMs,
    bodyLimitBytes,
    connections: 1,
    tls: { ca: null, cert: null, key: null, serverName: null },
    proxy: null,
  });
  const told = async (asked: Promise<HttpAnswer>): Promise<HttpAnswer> => {
    try {
      return await asked;
    } catch (thrown) {
      throw explained(thrown);
    }
  };
  const url = (path: string) => shownUrl(`${baseUrl.replace(/\/+$/, '')}${path}`);
  return {
    get: async (path, shape) => {
      const { text, status, json } = await told(http.request({ method: 'GET', path }, io.signal));
      const read = shape.safeParse(json);
      if (!read.success) throw noKonverge({ method: 'GET', url: url(path), status });
      return { text, value: read.data };
    },
    post: async (path, body) => {
      const { status, json } = await told(http.request({ method: 'POST', path, json: body ?? {} }, io.signal));
      if (!done.safeParse(json).success) throw noKonverge({ method: 'POST', url: url(path), status });
    },
    close: () => http.close(),
  };
}

/** What the daemon answers where it took something up. */
const done = z.object({ destination: z.string(), action: z.string() });

/** What answers at an address, and is not what was meant. */
function noKonverge(exchange: Pick<FailureFacts, 'method' | 'url' | 'status'>): Failure {
  return new Failure({
    ...exchange,
    class: 'rejected',
    code: 'no-konverge',
    message: 'what answers there is no Konverge, or one of another version',
    hint: `${whereItIs} \`konverge run\` logs it as it starts.`,
    retryAfterMs: null,
    body: null,
  });
}

const whereItIs = "The daemon's address is `server.listen` of the configuration, or --url.";

const message = z.strictObject({ message: z.string() });

/** What the daemon says of what is not there: anything else that is not found is not asked of a Konverge. */
const notThere = /^there is (no destination|nothing here)/;

/** A refusal in the daemon's own words, and an absent daemon as what it probably is. */
function explained(thrown: unknown): unknown {
  if (!(thrown instanceof Failure)) return thrown;
  const { facts } = thrown;
  const said = message.safeParse(facts.body);
  if (facts.status === 404 || facts.status === 405) {
    if (!said.success || !notThere.test(said.data.message)) return noKonverge(facts);
  }
  if (said.success) {
    const hint = facts.status === 401 ? 'It is `server.token` of the configuration that is sent.' : '';
    return new Failure({ ...facts, message: said.data.message, hint });
  }
  if (facts.class !== 'unreachable') return thrown;
  return new Failure({
    ...facts,
    hint: `Is the daemon running (\`konverge run\`)? ${whereItIs}`,
  });
}
