import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { loadSchemas } from '../schema/bundled.ts';
import type { Schemas } from '../schema/schema.ts';
import { Misbehaviour } from './http/behaviour.ts';
import { type Controlled, controlApi } from './http/control-api.ts';
import { fatedHandler } from './http/fated-handler.ts';
import { RequestLog } from './http/request-log.ts';
import { close, innerRequest, listen } from './http/wire.ts';
import { type EmulatedKong, emulatedKong } from './kong/workspaces.ts';
import { ControlPlanes } from './konnect/control-planes.ts';
import { konnectApi } from './konnect/konnect-api.ts';
import { type AddedPlugins, withAddedPlugins } from './state/added-plugins.ts';
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
  /** Plugins beyond those of the release: schemas as Kong serves them, by name. None of their code is run. */
  readonly plugins?: AddedPlugins;
  /** Names of the control planes that a Konnect starts with. */
  readonly controlPlanes?: readonly string[];
}

/** An emulator that listens. */
export interface RunningEmulator extends Controlled {
  readonly url: string;
  readonly port: number;
  readonly controlUrl: string | null;
  readonly controlPort: number | null;
  readonly close: () => Promise<void>;
}

/** Starts an emulator on loopback. Fails where a port is taken, or an added plugin has no schema. */
export async function startEmulator(options: EmulatorOptions): Promise<RunningEmulator> {
  const version = options.version ?? '3.9';
  const released = await loadSchemas({
    version: version.split('.').slice(0, 2).join('.'),
    edition: options.edition ?? (options.flavour === 'konnect' ? 'enterprise' : 'oss'),
    router: options.router ?? 'traditional_compatible',
  });
  const schemas = withAddedPlugins(released, options.plugins ?? {});
  const now = options.now ?? Date.now;
  const emulated = emulate(options, version, schemas, { now, randomBytes: options.randomBytes ?? randomBytes });
  const misbehaviour = new Misbehaviour();
  const log = new RequestLog();
  const { handle, release } = fatedHandler({
    api: emulated.api,
    misbehaviour,
    log,
    now,
    sleep: options.sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))),
    headers: {
      Server: `kong/${version}`,
      ...(options.flavour === 'konnect' ? {} : { 'Access-Control-Allow-Origin': '*' }),
    },
  });
  // Above nginx's limits, so that what is over those is answered as nginx does.
  const server = createServer({ keepAliveTimeout: 60_000, maxHeaderSize: 256 * 1024 }, handle);
  server.on('connection', (socket) => {
    if (misbehaviour.current.refuse === true) socket.destroy();
  });
  const controlled = controls(emulated, misbehaviour, log, release, () => server.closeAllConnections());
  const control = options.controlPort === null ? null : createServer(controlApi(controlled));
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, host, options.port);
  const controlPort = control === null ? null : await listenBeside(server, control, host, options.controlPort ?? 0);
  return {
    ...controlled,
    url: `http://${host}:${port}`,
    port,
    controlUrl: controlPort === null ? null : `http://${host}:${controlPort}`,
    controlPort,
    close: async () => {
      await Promise.all([server, ...(control === null ? [] : [control])].map(close));
    },
  };
}

/** Has a second server listen. Where it cannot, the first one ends as well: it would keep the process alive. */
async function listenBeside(first: Server, second: Server, host: string, port: number): Promise<number> {
  try {
    return await listen(second, host, port);
  } catch (thrown) {
    await close(first);
    throw thrown;
  }
}

function emulate(options: EmulatorOptions, version: string, schemas: Schemas, chance: Chance): EmulatedKong {
  if (options.flavour !== 'konnect') return emulatedKong(newGateway(options.flavour, version, schemas, chance));
  const planes = new ControlPlanes(schemas, version, chance);
  const names = options.controlPlanes ?? ['default'];
  planes.reset(names);
  return {
    api: konnectApi(planes, chance.now, Object.keys(options.plugins ?? {}).sort()),
    empty: () => planes.reset(names),
    setReachable: () => {},
    setNodes: (nodes) => planes.setNodes(nodes),
  };
}

function controls(
  emulated: EmulatedKong,
  misbehaviour: Misbehaviour,
  log: RequestLog,
  release: () => void,
  cutConnections: () => void,
): Controlled {
  return {
    behaviour: (changes) => {
      misbehaviour.set(changes);
      emulated.setReachable(misbehaviour.current.databaseDown !== true);
      if ('nodes' in changes) emulated.setNodes(misbehaviour.current.nodes ?? null);
      if ('hang' in changes) release();
    },
    counters: () => log.counters(),
    log: () => log.entries(),
    clearLog: () => log.clear(),
    reset: () => {
      emulated.empty();
      misbehaviour.clear();
      emulated.setReachable(true);
      emulated.setNodes(null);
      log.clear();
      release();
    },
    restart: (keep) => {
      if (!keep) emulated.empty();
      cutConnections();
    },
    request: (method, path, body) => emulated.api(innerRequest(method, path, body)),
  };
}
