import { z } from 'zod';
import { Failure } from '../platform/failure.ts';
import type { HttpAnswer, HttpClient } from '../platform/http-client.ts';
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

/** The API of a running daemon. */
export interface DaemonApi {
  get(path: string): Promise<HttpAnswer>;
  post(path: string, body?: object): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** Reaches the daemon that a configuration describes. The requests throw Failure. */
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
  return {
    get: (path) => told(http.request({ method: 'GET', path }, io.signal)),
    post: (path, body) => told(http.request({ method: 'POST', path, json: body ?? {} }, io.signal)),
    close: () => http.close(),
  };
}

const message = z.object({ message: z.string() });

/** A refusal in the daemon's own words, and an absent daemon as what it probably is. */
function explained(thrown: unknown): unknown {
  if (!(thrown instanceof Failure)) return thrown;
  const { facts } = thrown;
  const said = message.safeParse(facts.body);
  if (said.success) return new Failure({ ...facts, message: said.data.message, hint: '' });
  if (facts.class !== 'unreachable') return thrown;
  return new Failure({
    ...facts,
    hint: 'Is the daemon running (`konverge run`)? Its address is `server.listen` of the configuration, or --url.',
  });
}
