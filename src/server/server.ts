import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Daemon } from '../daemon/daemon.ts';
import type { HistoryEntry } from '../daemon/history.ts';
import type { ShownReview } from '../daemon/reviewing/pull-records.ts';
import type { Clock } from '../platform/clock.ts';
import { Failure, faultText } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { authorized, isLoopback } from './authorization.ts';
import { metricsText } from './metrics.ts';
import { objectsJson } from './objects-json.ts';
import { statusPage } from './page.ts';
import { revisionPage, unknownRevisionPage } from './revision-page.ts';
import { approval, type RepositoryStatus, statusJson, steered } from './status-json.ts';

/** What the HTTP server shows and steers. */
export interface ServerWorld {
  readonly host: string;
  readonly port: number;
  /** Asked of every request but those for health; null only on loopback. */
  readonly token: string | null;
  /** The address under which people reach the server, where that is another one. */
  readonly publicUrl?: string | null;
  /** Every repository that is followed, with what is known of it now. */
  readonly repositories: () => readonly RepositoryStatus[];
  /** The lane of a destination, whichever repository feeds it; undefined where there is none. */
  readonly lane: Daemon['lane'];
  /** What happened at a destination, whichever repository feeds it; undefined where there is none. */
  readonly history: (destination: string, limit: number) => Promise<readonly HistoryEntry[]> | undefined;
  /** The newest reviews of a proposed commit; none where it is left out. */
  readonly reviews?: (head: string) => readonly ShownReview[];
  readonly clock: Clock;
  readonly log: Log;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The largest body of a request, in bytes: an approval is far smaller. */
const bodyLimitBytes = 16 * 1024;

/** What a request is answered with. */
interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const safeHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Starts the server. Throws Failure where it cannot listen, or must not. */
export async function startServer(world: ServerWorld): Promise<RunningServer> {
  if (world.token === null && !isLoopback(world.host)) {
    throw cannotListen(`server.listen is ${world.host}, which others can reach, and server.token is not set`);
  }
  const server = createServer((request, response) => {
    answer(world, request).then(
      (reply) => send(response, reply),
      (thrown: unknown) => {
        world.log.error({ stack: faultText(thrown) }, 'a fault of Konverge itself');
        send(response, json(500, { message: 'a fault of Konverge itself, which its log describes' }));
      },
    );
  });
  server.requestTimeout = 30_000;
  await listen(server, world.host, world.port);
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const host = world.host.includes(':') ? `[${world.host.replace(/[[\]]/g, '')}]` : world.host;
  return { url: `http://${host}:${port}`, close: () => close(server) };
}

async function answer(world: ServerWorld, request: IncomingMessage): Promise<Reply> {
  const target = targetOf(request.url ?? '/');
  const { path, query, host } = target ?? nowhere;
  const allowed = methodsOf(path);
  const isAllowed = allowed === null || allowed.includes(request.method ?? '');
  if (isAllowed && path === '/healthz') return json(200, { status: 'alive' });
  if (isAllowed && path === '/readyz') return ready(world);
  if (world.token === null && !isNamedRightly(host ?? request.headers.host, world)) {
    return json(421, { message: 'this server is not known under that name' });
  }
  if (world.token !== null && !authorized(request.headers.authorization, world.token)) {
    const challenge = { 'www-authenticate': 'Basic realm="konverge", charset="UTF-8"' };
    return json(401, { message: 'the token of `server.token` is needed' }, challenge);
  }
  if (target === null) return json(400, { message: 'the request names no path' });
  if (allowed === null) return json(404, { message: 'there is nothing here' });
  if (!isAllowed) return json(405, { message: `${allowed.join(' or ')} is needed` }, { allow: allowed.join(', ') });
  const [, name, verb] = steering.exec(path) ?? [];
  if (name === undefined || verb === undefined) return read(world, path, query);
  // A page of another site that is open in the same browser must not steer a server on loopback.
  if (!sameOrigin(request)) return json(403, { message: 'requests of other sites are not taken' });
  return act(world, name, verb, request);
}

interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
  /** The host, where the request names one in front of its path. */
  readonly host: string | null;
}

const nowhere: Target = { path: '', query: new URLSearchParams(), host: null };

/** Where a request goes: a path, or a whole address as proxies write it (RFC 9112, 3.2); null for anything else. */
function targetOf(written: string): Target | null {
  const isPath = written.startsWith('/');
  const address = isPath ? `http://relative.invalid${written}` : written;
  if (!URL.canParse(address)) return null;
  const { protocol, pathname: path, searchParams: query, host } = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? { path, query, host: isPath ? null : host } : null;
}

const steering = /^\/api\/v1\/destinations\/([a-z0-9-]+)\/(sync|suspend|resume|approve)$/;

const readable = new Set([
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/v1/status',
  '/api/v1/history',
  '/api/v1/objects',
]);

/** The page of a revision: a full commit id, SHA-1 or SHA-256. */
const revisionPath = /^\/revisions\/([0-9a-f]{40}|[0-9a-f]{64})$/;

/** The methods that a path takes; null where there is nothing. */
function methodsOf(path: string): readonly string[] | null {
  if (readable.has(path) || revisionPath.test(path)) return ['GET', 'HEAD'];
  return steering.test(path) ? ['POST'] : null;
}

function read(world: ServerWorld, path: string, query: URLSearchParams): Reply | Promise<Reply> {
  const [, revision] = revisionPath.exec(path) ?? [];
  if (revision !== undefined) return revisionReply(world, revision);
  switch (path) {
    case '/api/v1/history':
      return history(world, query);
    case '/api/v1/objects':
      return objects(world, query);
    case '/api/v1/status':
      return json(200, statusJson(world.repositories()));
    case '/metrics':
      return {
        status: 200,
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        body: metricsText(world.repositories(), world.clock.now()),
      };
    case '/':
      return html(200, statusPage(world.repositories()));
    default:
      return json(404, { message: 'there is nothing here' });
  }
}

function html(status: number, body: string): Reply {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
    body,
  };
}

async function revisionReply(world: ServerWorld, revision: string): Promise<Reply> {
  const repositories = world.repositories();
  const names = repositories.flatMap(({ status }) => status.lanes.map(({ destination }) => destination));
  const entries = await Promise.all(names.map((name) => world.history(name, mostEntries) ?? []));
  const history = entries.flat().filter((entry) => entry.revision === revision);
  const page = revisionPage(revision, repositories, { history, reviews: world.reviews?.(revision) ?? [] });
  return page === null ? html(404, unknownRevisionPage(revision)) : html(200, page);
}

/** The newest entries that are given at most, and where nothing is said. */
const [mostEntries, usualEntries] = [1_000, 100];

async function history(world: ServerWorld, query: URLSearchParams): Promise<Reply> {
  const destination = query.get('destination');
  if (destination === null) return json(400, { message: 'name the destination: ?destination=NAME' });
  const limit = Number(query.get('limit') ?? usualEntries);
  if (!Number.isInteger(limit) || limit < 1)
    return json(400, { message: 'limit has to be a whole number, at least 1' });
  const entries = await world.history(destination, Math.min(limit, mostEntries));
  if (entries === undefined) return unknownDestination(world, destination);
  return json(200, { entries });
}

function unknownDestination(world: ServerWorld, name: string | null): Reply {
  const names = world.repositories().flatMap(({ status }) => status.lanes.map(({ destination }) => destination));
  return json(404, { message: `there is no destination "${name}"; there are: ${names.join(', ')}` });
}

function objects(world: ServerWorld, query: URLSearchParams): Reply {
  const [destination, kind, namespace, name] = ['destination', 'kind', 'namespace', 'name'].map((key) =>
    query.get(key),
  );
  const found = objectsJson(world.repositories(), {
    destination: destination ?? null,
    kind: kind ?? null,
    namespace: namespace ?? null,
    name: name ?? null,
  });
  return found === undefined ? unknownDestination(world, destination ?? null) : json(200, found);
}

/** Ready: a revision of every repository was read and built, so that what is shown is not an empty state. */
function ready(world: ServerWorld): Reply {
  const isRead = world.repositories().every(({ status }) => status.validation !== null);
  if (!isRead) return json(503, { status: 'no revision was read yet' });
  return json(200, { status: 'ready' });
}

type SteeredLane = NonNullable<ReturnType<ServerWorld['lane']>>;

async function act(world: ServerWorld, name: string, verb: string, request: IncomingMessage): Promise<Reply> {
  const lane = world.lane(name);
  if (lane === undefined) return unknownDestination(world, name);
  const body = await bodyJson(request);
  if (verb === 'approve') return approve(world, lane, body);
  const given = steered.safeParse(body ?? {});
  if (!given.success)
    return json(400, { message: 'the body may have "who" and "reason", texts of at most 200 characters' });
  if (verb === 'sync' && lane.isSuspended) {
    return json(409, { message: `"${name}" is suspended, so that nothing is delivered; resume it first` });
  }
  if (verb === 'sync') lane.sync();
  else if (verb === 'suspend') lane.suspend(given.data);
  else lane.resume();
  return steeredReply(world, { destination: name, action: verb }, given.data);
}

function approve(world: ServerWorld, lane: SteeredLane, body: unknown): Reply {
  const { name } = lane;
  const given = approval.safeParse(body);
  if (!given.success) return json(400, { message: 'the body has to be {"fingerprint": "sha256:…"}' });
  const { fingerprint, who, reason } = given.data;
  const { state, plan } = lane.status;
  if (state !== 'held' || plan?.fingerprint !== fingerprint) {
    const nothing = lane.isSuspended ? 'it is suspended; resume it first' : 'nothing is held there now';
    const held = state === 'held' ? `; the plan that is held is ${plan?.fingerprint}` : `; ${nothing}`;
    return json(409, { message: `"${name}" holds no plan with this fingerprint${held}` });
  }
  lane.approve(fingerprint, { who, reason });
  return steeredReply(world, { destination: name, action: 'approve' }, { who, reason });
}

function steeredReply(
  world: ServerWorld,
  done: { readonly destination: string; readonly action: string },
  given: z.infer<typeof steered>,
): Reply {
  world.log.info({ ...done, ...given }, 'steered over the API');
  return json(202, done);
}

/** The body as JSON; undefined where it is none or is over the limit. */
async function bodyJson(request: IncomingMessage): Promise<unknown> {
  request.setEncoding('utf8');
  let body = '';
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > bodyLimitBytes) return undefined;
  }
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Without a token, whoever reaches the loopback address is let in. A site whose name was made to point there (DNS
 * rebinding) would be one origin with it; but then the request names that site.
 */
function isNamedRightly(host: string | undefined, world: ServerWorld): boolean {
  if (host === undefined) return true;
  const { publicUrl } = world;
  if (publicUrl != null && URL.canParse(publicUrl) && new URL(publicUrl).host === host) return true;
  return isLoopback(host.replace(/:\d+$/, ''));
}

function sameOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

function json(status: number, value: object, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = `${JSON.stringify(value)}\n`;
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body };
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...safeHeaders, ...reply.headers });
  response.end(response.req.method === 'HEAD' ? undefined : reply.body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(`cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host.replace(/[[\]]/g, ''), () => resolve());
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function cannotListen(message: string): Failure {
  return new Failure({
    class: 'rejected',
    code: 'cannot-listen',
    message,
    hint: 'Choose another address with `server.listen`; one that others can reach needs `server.token`.',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}
