import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createServedRepository, gitEnvironment, type ServedRepository } from './served-repository.ts';

/** What a server does wrong, changed while it runs. Nothing is set: it serves as Git does. */
export interface GitServerFaults {
  /** Only requests of this method are touched; all, where it is not given. */
  only?: 'GET' | 'POST';
  /** Answers with this status and a page of HTML. */
  status?: number;
  /** Takes the request and never answers. */
  hang?: boolean;
  /** Waits before it answers. */
  delayMs?: number;
  /** Sends so many bytes of the body, then drops the connection. */
  cutAfterBytes?: number;
  /** Sends so many bytes of the body, then nothing more, with the connection left open. */
  stallAfterBytes?: number;
  /** Changes the body before it is sent. */
  rewrite?: (body: Buffer) => Buffer;
  /** Answers with a redirect to what this gives for the request's path and query; null serves it. */
  redirect?: (path: string) => { readonly status: number; readonly location: string } | null;
}

/** A request as it came in. */
export interface GitServerRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
  readonly bodyBytes: number;
  /** Bytes of the answer's body; grows while it is sent. */
  answerBytes: number;
}

/** How a server is made. */
export interface GitServerOptions {
  /** The exact Authorization header that is asked for. */
  readonly authorization?: string;
  /** PEM texts; with them the server speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly port?: number;
}

/** A Git smart-HTTP server on loopback: `git http-backend` behind Node's HTTP server. */
export interface GitServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly faults: GitServerFaults;
  readonly requests: GitServerRequest[];
  createRepository(name: string): Promise<ServedRepository>;
  /** Waits for a request, one that was already made counts too. */
  until(wanted: (request: GitServerRequest) => boolean): Promise<GitServerRequest>;
  /** Takes every fault away. */
  heal(): void;
  close(): Promise<void>;
}

/** Starts a server over an empty folder of its own; closing it removes the folder. */
export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'git-server-'));
  const faults: GitServerFaults = {};
  const requests: GitServerRequest[] = [];
  const watchers = new Set<() => void>();
  const children = new Set<ChildProcess>();
  const sockets = new Set<Socket>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response, { root, options, faults, requests, watchers, children }).catch(() => response.destroy());
  };
  const server = options.tls ? createTlsServer({ ...options.tls }, handle) : createServer(handle);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    faults,
    requests,
    createRepository: (name) => createServedRepository(join(root, name), `${url}/${name}`),
    until: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = requests.find(wanted);
          if (found === undefined) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    heal: () => {
      for (const key of Object.keys(faults)) Reflect.deleteProperty(faults, key);
    },
    close: async () => {
      for (const child of children) child.kill('SIGKILL');
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(root, { recursive: true, force: true });
    },
  };
}

interface Serving {
  readonly root: string;
  readonly options: GitServerOptions;
  readonly faults: GitServerFaults;
  readonly requests: GitServerRequest[];
  /** Called whenever something about a request changed. */
  readonly watchers: Set<() => void>;
  readonly children: Set<ChildProcess>;
}

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const path = request.url ?? '/';
  const body = await buffer(request);
  const record: GitServerRequest = {
    method: request.method ?? 'GET',
    path,
    authorization: request.headers.authorization ?? null,
    bodyBytes: body.length,
    answerBytes: 0,
  };
  serving.requests.push(record);
  const tell = (): void => {
    for (const watcher of serving.watchers) watcher();
  };
  tell();
  // What was asked for is fixed when the request comes in, so that healing does not release one that hangs.
  const { only, ...set } = serving.faults;
  const faults: GitServerFaults = only === undefined || only === request.method ? set : {};
  if (faults.hang) return;
  if (faults.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, faults.delayMs));
  const redirect = faults.redirect?.(path) ?? null;
  if (redirect) {
    response.writeHead(redirect.status, { location: redirect.location }).end();
    return;
  }
  const wanted = serving.options.authorization;
  if (wanted !== undefined && record.authorization !== wanted) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('sign in');
    return;
  }
  if (faults.status !== undefined) {
    response.writeHead(faults.status, { 'content-type': 'text/html' }).end('<html>something else</html>');
    return;
  }
  const answer = await runBackend(request, body, serving);
  send(response, answer, faults, (bytes) => {
    record.answerBytes = bytes;
    tell();
  });
}

interface BackendAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

async function runBackend(request: IncomingMessage, body: Buffer, serving: Serving): Promise<BackendAnswer> {
  const [pathInfo = '/', query = ''] = (request.url ?? '/').split('?');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...gitEnvironment(),
      GIT_PROJECT_ROOT: serving.root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathInfo),
      QUERY_STRING: query,
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  serving.children.add(child);
  child.on('close', () => serving.children.delete(child));
  // A backend that ends before it has read its input is no fault of the test.
  child.stdin.on('error', () => undefined);
  child.stdin.end(body);
  return parseCgi(await buffer(child.stdout));
}

function parseCgi(output: Buffer): BackendAnswer {
  const end = output.indexOf('\r\n\r\n');
  const headers: Record<string, string> = {};
  for (const line of output.subarray(0, end).toString('latin1').split('\r\n')) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const { status = '200', ...rest } = headers;
  return { status: Number.parseInt(status, 10), headers: rest, body: output.subarray(end + 4) };
}

function send(
  response: ServerResponse,
  answer: BackendAnswer,
  faults: GitServerFaults,
  onSent: (bytes: number) => void,
): void {
  const body = faults.rewrite ? faults.rewrite(answer.body) : answer.body;
  const limit = faults.cutAfterBytes ?? faults.stallAfterBytes;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(body.length) });
  if (limit === undefined || limit >= body.length) {
    onSent(body.length);
    response.end(body);
    return;
  }
  response.write(body.subarray(0, limit), () => {
    onSent(limit);
    if (faults.cutAfterBytes !== undefined) response.destroy();
  });
}
