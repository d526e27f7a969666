import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../model/json.ts';
import { loadSchemas } from '../schema/bundled.ts';
import type { Schemas } from '../schema/schema.ts';
import { type Answer, answer } from './http/answers.ts';
import { type Behaviour, type Counters, countersOf, type LogEntry, Misbehaviour } from './http/behaviour.ts';
import { tooLong } from './http/conditional.ts';
import { controlApi } from './http/control-api.ts';
import { bodyLimitBytes, formPairs, type WireRequest } from './http/request.ts';
import { type EmulatedKong, emulatedKong } from './kong/workspaces.ts';
import { ControlPlanes } from './konnect/control-planes.ts';
import { konnectApi } from './konnect/konnect-api.ts';
import { type Chance, newGateway } from './state/gateway.ts';

/** What is emulated, and how. */
export interface EmulatorOptions {
  readonly flavour: 'kong' | 'dbless' | 'konnect';
  /** The port of the API; 0 takes a free one. */
  readonly port: number;
  /** The port of the control server; 0 takes a free one, null has none. */
  readonly controlPort: number | null;
  readonly host?: string;
  readonly edition?: 'oss' | 'enterprise';
  /** A minor version such as `3.9`. */
  readonly version?: string;
  readonly router?: Schemas['router'];
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
  readonly randomBytes?: (count: number) => Uint8Array;
  /** Waits before an answer that is to be late, and is done early when the server closes. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** Names of the control planes that a Konnect starts with. */
  readonly controlPlanes?: readonly string[];
}

/** An emulator that listens. */
export interface RunningEmulator {
  readonly url: string;
  readonly port: number;
  readonly controlUrl: string | null;
  readonly controlPort: number | null;
  /** Sets switches; null turns one off. */
  readonly behaviour: (changes: { readonly [K in keyof Behaviour]?: Behaviour[K] | null }) => void;
  readonly counters: () => Counters;
  readonly log: () => readonly LogEntry[];
  /** Empties the server, its log, and turns every switch off. */
  readonly reset: () => void;
  /** Forgets the log only. */
  readonly clearLog: () => void;
  /** Starts a DB-less node anew, with what it had on disk or without; connections are cut. */
  readonly restart: (keep: boolean) => void;
  /** Does a request as another client would, uncounted and unharmed by the switches. */
  readonly request: (method: string, path: string, body?: JsonObject | string) => Answer;
  readonly close: () => Promise<void>;
}

/** Starts an emulator on loopback. Fails where a port is taken. */
export async function startEmulator(options: EmulatorOptions): Promise<RunningEmulator> {
  const version = options.version ?? '3.9';
  const schemas = await loadSchemas({
    version: version.split('.').slice(0, 2).join('.'),
    edition: options.edition ?? (options.flavour === 'konnect' ? 'enterprise' : 'oss'),
    router: options.router ?? 'traditional_compatible',
  });
  const now = options.now ?? Date.now;
  const chance = { now, randomBytes: options.randomBytes ?? randomBytes };
  const { api, empty, setReachable } = emulated(options, version, schemas, chance);
  const misbehaviour = new Misbehaviour();
  const sleep = options.sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
  let log: LogEntry[] = [];
  const hanging = new Set<ServerResponse>();

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { request, path } = await readRequest(incoming);
    const fate = misbehaviour.fateOf(request.method, path, now());
    const note = (status: number | null, workMs = 0) =>
      log.push({ at: now(), method: request.method, path, status, workMs });
    if (fate.fate === 'cut') {
      note(null);
      incoming.socket.destroy();
      return;
    }
    if (fate.fate === 'hang') {
      note(null);
      hanging.add(outgoing);
      outgoing.once('close', () => hanging.delete(outgoing));
      return;
    }
    const wait = misbehaviour.current.latencyMs ?? 0;
    if (wait > 0) await sleep(wait);
    if (outgoing.destroyed && misbehaviour.current.answerLate !== true) {
      note(null);
      return;
    }
    const does = fate.fate !== 'fail' || fate.afterWrite;
    const started = performance.now();
    const done = does ? (tooLong(request, path) ?? api(request)) : answer(204);
    const workMs = performance.now() - started;
    if (fate.fate === 'lose') {
      note(null, workMs);
      incoming.socket.destroy();
      return;
    }
    const told =
      fate.fate === 'fail'
        ? answer(
            fate.status,
            fate.body,
            fate.retryAfterSeconds === null ? {} : { 'Retry-After': String(fate.retryAfterSeconds) },
          )
        : done;
    note(told.status, workMs);
    send(outgoing, told, request.method, options.flavour, schemas);
  };

  // Above nginx's limits, so that what is over those is answered as nginx does.
  const server = createServer({ keepAliveTimeout: 60_000, maxHeaderSize: 256 * 1024 }, (incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => {
      if (!outgoing.headersSent)
        send(outgoing, answer(500, { message: 'An unexpected error occurred' }), 'GET', options.flavour, schemas);
    });
  });
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, host, options.port);
  const release = () => {
    for (const outgoing of hanging) outgoing.destroy();
    hanging.clear();
  };
  const running = {
    behaviour: (changes: { readonly [K in keyof Behaviour]?: Behaviour[K] | null }) => {
      misbehaviour.set(changes);
      setReachable(misbehaviour.current.databaseDown !== true);
      if ('hang' in changes && (changes.hang === null || changes.hang === false)) release();
    },
    counters: () => countersOf(log),
    log: () => [...log],
    clearLog: () => {
      log = [];
    },
    reset: () => {
      empty();
      misbehaviour.clear();
      setReachable(true);
      log = [];
      release();
    },
    restart: (keep: boolean) => {
      if (!keep) empty();
      server.closeAllConnections();
    },
    request: (method: string, path: string, body?: JsonObject | string) => api(wireRequest(method, path, body)),
  };
  const control = options.controlPort === null ? null : createServer(controlApi(running));
  const controlPort = control === null ? null : await listen(control, host, options.controlPort ?? 0);
  return {
    ...running,
    url: `http://${host}:${port}`,
    port,
    controlUrl: controlPort === null ? null : `http://${host}:${controlPort}`,
    controlPort,
    close: async () => {
      await Promise.all([server, ...(control === null ? [] : [control])].map(close));
    },
  };
}

function emulated(options: EmulatorOptions, version: string, schemas: Schemas, chance: Chance): EmulatedKong {
  if (options.flavour !== 'konnect') return emulatedKong(newGateway(options.flavour, version, schemas, chance));
  const planes = new ControlPlanes(schemas, version, chance);
  const names = options.controlPlanes ?? ['default'];
  planes.reset(names);
  return { api: konnectApi(planes, chance.now), empty: () => planes.reset(names), setReachable: () => {} };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function readRequest(
  incoming: IncomingMessage,
): Promise<{ readonly request: WireRequest; readonly path: string }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    // What is over the limit is read, so that the client gets its answer, and not kept.
    if (length <= bodyLimitBytes + 1) chunks.push(chunk);
  }
  const path = incoming.url ?? '/';
  const kept = Buffer.concat(chunks);
  const body = length > bodyLimitBytes ? Buffer.alloc(bodyLimitBytes + 1) : kept;
  const headers: { [name: string]: string | undefined } = {};
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return { request: { method: incoming.method ?? 'GET', ...split(path), headers, body }, path };
}

function wireRequest(method: string, path: string, body?: JsonObject | string): WireRequest {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...type, authorization: 'Bearer emulator' };
  return { method, ...split(path), headers, body: Buffer.from(text) };
}

function split(target: string): { readonly path: string; readonly query: ReadonlyMap<string, string> } {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: new Map() };
  return { path: target.slice(0, mark), query: new Map(formPairs(target.slice(mark + 1))) };
}

function send(
  outgoing: ServerResponse,
  told: Answer,
  method: string,
  flavour: EmulatorOptions['flavour'],
  schemas: Schemas,
): void {
  const headers: { [name: string]: string } = { Server: `kong/${schemas.version ?? ''}`, ...told.headers };
  if (flavour !== 'konnect') headers['Access-Control-Allow-Origin'] = '*';
  if (told.body === undefined || told.status === 204 || told.status === 304) {
    outgoing.writeHead(told.status, {
      ...headers,
      ...(told.status === 204 || told.status === 304 ? {} : { 'Content-Length': '0' }),
    });
    outgoing.end();
    return;
  }
  const text = told.html === true ? String(told.body) : JSON.stringify(told.body);
  const type = told.html === true ? 'text/html' : 'application/json; charset=utf-8';
  outgoing.writeHead(told.status, {
    'Content-Type': type,
    'Content-Length': String(Buffer.byteLength(text)),
    ...headers,
  });
  outgoing.end(method === 'HEAD' ? undefined : text);
}
