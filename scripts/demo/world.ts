import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';
import type { Configuration } from '../../src/config/settings.ts';
import { openWorld } from '../../src/daemon/edge.ts';
import { type StartedDaemon, startDaemon } from '../../src/daemon/start.ts';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import { createLog } from '../../src/platform/pino-log.ts';
import { Redactor } from '../../src/platform/redact.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { type ForgeServer, startForge } from '../../test/support/forge-server.ts';
import { type GitServer, startGitServer } from '../../test/support/git-server.ts';
import type { ServedRepository } from '../../test/support/served-repository.ts';
import { configuration } from './files.ts';

/** Everything that the demo runs on: servers on loopback, and the daemon in this process. */
export interface DemoWorld {
  readonly repository: ServedRepository;
  readonly kong: RunningEmulator;
  readonly nodes: readonly RunningEmulator[];
  readonly konnect: RunningEmulator;
  readonly forge: ForgeServer;
  /** What the daemon says of a destination now. */
  lane(name: string): LaneStatus;
  daemon(): StartedDaemon;
  statusPage(): string;
  /** Starts the daemon, or starts it anew; `freshStore` forgets what was fetched. */
  start(freshStore: boolean): Promise<void>;
  stop(): Promise<void>;
  /** Stops everything and removes what was written. */
  close(): Promise<void>;
}

interface Running {
  readonly started: StartedDaemon;
  readonly server: RunningServer;
  readonly end: () => Promise<void>;
}

/** Starts the servers; the daemon is started by `start`. */
export async function openDemo(colour: boolean): Promise<DemoWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-demo-'));
  const git: GitServer = await startGitServer();
  const repository = await git.createRepository('gateway.git');
  const forgeToken = 'demo-forge-token';
  const forge = await startForge('demo/gateway', forgeToken);
  const emulator = (flavour: 'kong' | 'dbless' | 'konnect') =>
    startEmulator({ flavour, port: 0, controlPort: 0, ...(flavour === 'konnect' ? { controlPlanes: ['demo'] } : {}) });
  const kong = await emulator('kong');
  const nodes = [await emulator('dbless'), await emulator('dbless')];
  const konnect = await emulator('konnect');
  const file = join(folder, 'konverge.yaml');
  await writeFile(
    file,
    configuration({
      repository: repository.url,
      kong: kong.url,
      nodes: nodes.map((node) => node.url),
      konnect: konnect.url,
      forge: forge.url,
    }),
  );
  const env = (name: string) => ({ DEMO_KONNECT_TOKEN: 'demo-konnect-token', DEMO_FORGE_TOKEN: forgeToken })[name];
  let running: Running | null = null;
  const isRunning = (): Running => {
    if (running === null) throw new TypeError('the daemon is not running');
    return running;
  };
  const stop = async () => {
    const was = running;
    running = null;
    await was?.end();
  };
  return {
    repository,
    kong,
    nodes,
    konnect,
    forge,
    daemon: () => isRunning().started,
    lane: (name) => {
      const lane = isRunning().started.daemon.lane(name);
      if (lane === undefined) throw new TypeError(`no lane ${name}`);
      return lane.status;
    },
    statusPage: () => isRunning().server.url,
    start: async (freshStore) => {
      await stop();
      if (freshStore) await rm(join(folder, 'store'), { recursive: true, force: true });
      running = await startAll(file, env, colour);
    },
    stop,
    close: async () => {
      await stop();
      await Promise.all([git, forge, kong, konnect, ...nodes].map((server) => server.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startAll(file: string, env: (name: string) => string | undefined, colour: boolean): Promise<Running> {
  const redactor = new Redactor();
  const settings: Configuration = loadConfiguration([file], noOverrides, {
    env,
    readFile: (path) => readFileSync(path, 'utf8'),
    secret: (value) => redactor.register(value),
  });
  const log = createLog({
    format: 'pretty',
    level: 'info',
    stream: { write: (line) => process.stdout.write(`    ${line}`) },
    colour,
    redactor,
    now: () => Date.now(),
  });
  const abort = new AbortController();
  const started = await startDaemon(settings, { ...(await openWorld()), log, env, changed: () => undefined });
  const { host, port, token } = settings.server();
  const server = await startServer({
    host,
    port,
    token,
    clock: systemClock,
    log,
    lane: (name) => started.daemon.lane(name),
    history: (name, limit) => started.history.entries(name, limit),
    repositories: () => [
      {
        label: { url: settings.repository()?.url ?? '', branch: 'main', path: 'gateway' },
        status: started.daemon.status,
      },
    ],
  });
  const ended = started.run(abort.signal);
  return {
    started,
    server,
    end: async () => {
      abort.abort();
      await ended;
      await server.close();
      await started.close();
    },
  };
}
