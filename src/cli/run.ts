import { ConfigurationError } from '../config/configuration-error.ts';
import type { Configuration } from '../config/settings.ts';
import type { DaemonStatus } from '../daemon/daemon.ts';
import { openWorld } from '../daemon/edge.ts';
import { type StartedDaemon, startDaemon } from '../daemon/start.ts';
import { isSettled } from '../lane/deliver-once.ts';
import { shownUrl } from '../platform/redact.ts';
import { systemClock } from '../platform/system-clock.ts';
import { type RunningServer, startServer } from '../server/server.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions } from './common-options.ts';
import { exitCode, type Io } from './io.ts';
import { openSession, type Session } from './session.ts';

/** How long `--once` waits for the last commit statuses, in milliseconds. */
const reportLimitMs = 30_000;

/** `konverge run`: the daemon. */
export const run: Command = {
  name: 'run',
  summary: 'Follow the repository and deliver to every destination',
  positionals: '',
  options: {
    ...configurationOptions,
    once: { help: 'make one full pass over all destinations and end: exit 1 if one did not reach the revision' },
    verbose: { help: 'also log what changes nothing' },
  },
  run: async (args, io) => {
    if (args.positionals.length > 0) throw new UsageError('run takes no PATH; the configuration names the repository');
    const session = await openSession(args, io, { needsFile: true, level: args.has('verbose') ? 'debug' : 'info' });
    checkComplete(session.configuration);
    return args.has('once') ? runOnce(session, io) : runOn(session, io);
  },
};

/** Runs until the process is asked to end. */
async function runOn(session: Session, io: Io): Promise<number> {
  const started = await start(session, io, () => undefined);
  let server: RunningServer | null = null;
  try {
    server = await listen(session, started);
    session.log.info({ url: server.url }, 'the status page is up');
    await started.run(io.signal);
  } finally {
    await server?.close();
    await started.close();
  }
  session.log.info({}, 'stopped');
  return exitCode.ok;
}

/** One full pass: every destination's first try at the newest revision, and the statuses that say how it went. */
async function runOnce(session: Session, io: Io): Promise<number> {
  const stop = new AbortController();
  let settle: (status: DaemonStatus) => void = () => undefined;
  const settled = new Promise<DaemonStatus>((resolve) => {
    settle = resolve;
  });
  const started = await start(session, io, (status) => {
    if (isDone(status)) settle(status);
  });
  try {
    const running = started.run(AbortSignal.any([io.signal, stop.signal]));
    const status = await Promise.race([settled, running.then(() => started.daemon.status)]);
    await started.reported(reportLimitMs, io.signal);
    stop.abort();
    await running;
    return tell(status, io) ? exitCode.ok : exitCode.failed;
  } finally {
    await started.close();
  }
}

async function start(session: Session, io: Io, changed: (status: DaemonStatus) => void): Promise<StartedDaemon> {
  return startDaemon(session.configuration, { ...(await openWorld()), log: session.log, env: io.env, changed });
}

function listen(session: Session, started: StartedDaemon): Promise<RunningServer> {
  const { host, port, token } = session.configuration.server();
  const repository = session.configuration.repository();
  return startServer({
    host,
    port,
    token,
    clock: systemClock,
    log: session.log,
    status: () => started.daemon.status,
    lane: (name) => started.daemon.lane(name),
    repository: {
      url: shownUrl(repository?.url ?? ''),
      branch: repository?.branch ?? '',
      path: repository?.path ?? '',
    },
  });
}

/** Whether nothing more comes of a first pass: the repository failed, or every destination was tried. */
function isDone({ watcher, validation, lanes }: DaemonStatus): boolean {
  if (validation === null) return watcher.failure !== null;
  return lanes.every(
    (lane) =>
      validation.invalidFor.has(lane.destination) || (lane.revision === validation.revision && isSettled(lane.state)),
  );
}

/** Says how each destination fared; true when all of them have the revision. */
function tell({ watcher, validation, lanes }: DaemonStatus, io: Io): boolean {
  if (validation === null) {
    io.stderr(
      `konverge: ${watcher.failure?.message ?? 'stopped before a revision was read'}\n  ${watcher.failure?.hint ?? ''}\n`,
    );
    return false;
  }
  const reached = lanes.map((lane) => {
    const inPlace = lane.applied === validation.revision;
    const invalid = validation.invalidFor.has(lane.destination);
    const words = invalid ? 'invalid, left as it is' : `${lane.state}: ${lane.detail}`;
    io.stdout(`${lane.destination}: ${validation.revision.slice(0, 10)} ${words}\n`);
    return inPlace;
  });
  return reached.every(Boolean);
}

function checkComplete(configuration: Configuration): void {
  const lacking = (key: string, message: string, hint: string) =>
    new ConfigurationError([{ key, message, hint, place: null }]);
  if (configuration.repository() === null) {
    throw lacking('repository', 'is missing', 'Say which repository to follow: repository.url and repository.branch');
  }
  if (configuration.destinationNames.length === 0) {
    throw lacking('destinations', 'has none', 'Say what to deliver to');
  }
}
