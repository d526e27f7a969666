import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { Claims } from '../daemon/claims.ts';
import type { DaemonStatus } from '../daemon/daemon.ts';
import { openWorld } from '../daemon/edge.ts';
import { hiddenValues } from '../daemon/plan-of.ts';
import { type StartedDaemon, startDaemon } from '../daemon/start.ts';
import { isSettled } from '../lane/deliver-once.ts';
import type { LaneStatus } from '../lane/lane-status.ts';
import { shownUrl } from '../platform/redact.ts';
import { systemClock } from '../platform/system-clock.ts';
import { PostBudgets } from '../report/post-budgets.ts';
import { type RunningServer, startServer } from '../server/server.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions } from './common-options.ts';
import { watchConfigurations } from './configuration-watch.ts';
import { exitCode, type Io } from './io.ts';
import { checkRunnable, checkStorage, storesOf } from './run-checks.ts';
import { openSessions, type Session } from './session.ts';
import { version } from './version.ts';

/** How long `--once` waits for the last commit statuses, in milliseconds. */
const reportLimitMs = 30_000;

/** `konverge run`: the daemon. */
export const run: Command = {
  name: 'run',
  summary: 'Follow the repository and deliver to every destination',
  positionals: '',
  options: {
    ...configurationOptions,
    config: { value: 'FILE', repeatable: true, help: 'a configuration file (default: konverge.yaml)' },
    once: { help: 'make one full pass over all destinations and end: exit 1 if one did not reach the revision' },
    verbose: { help: 'also log what changes nothing' },
  },
  run: async (args, io) => {
    if (args.positionals.length > 0) throw new UsageError('run takes no PATH; the configuration names the repository');
    const sessions = await openSessions(args, io, { needsFile: true, level: args.has('verbose') ? 'debug' : 'info' });
    const [first] = sessions;
    if (first === undefined) throw new TypeError('there is always a configuration');
    checkRunnable(sessions.map(({ configuration }) => configuration));
    return args.has('once') ? runOnce(sessions, io) : runOn(first, sessions, io);
  },
};

/** One configuration's daemon. */
interface Running {
  readonly session: Session;
  readonly started: StartedDaemon;
}

/** Runs until the process is asked to end. The settings of the server are those of the first configuration. */
async function runOn(first: Session, sessions: readonly Session[], io: Io): Promise<number> {
  for (const { log, configuration } of sessions) {
    const { file, destinationNames } = configuration;
    log.info({ version, configuration: file, destinations: destinationNames }, 'starting');
  }
  const files = sessions.flatMap(({ configuration: { file } }) => (file === null ? [] : [resolve(io.cwd, file)]));
  const stop = new AbortController();
  const watched = AbortSignal.any([io.signal, stop.signal]);
  const watching = watchConfigurations(files, { log: first.log, clock: systemClock }, watched);
  let all: readonly Running[] = [];
  let server: RunningServer | null = null;
  try {
    all = await startAll(sessions, io, () => undefined);
    server = await listen(first, all);
    first.log.info({ url: server.url }, 'the status page is up');
    await Promise.all(all.map(({ started }) => started.run(io.signal)));
  } finally {
    stop.abort();
    await watching;
    await server?.close();
    await closeAll(all);
  }
  first.log.info({}, 'stopped');
  return exitCode.ok;
}

/** One full pass: every destination's first try at the newest revision, and the statuses that say how it went. */
async function runOnce(sessions: readonly Session[], io: Io): Promise<number> {
  const stop = new AbortController();
  const signal = AbortSignal.any([io.signal, stop.signal]);
  // Every request under way listens to it.
  setMaxListeners(1_000, signal);
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const statuses = new Map<Session, DaemonStatus>();
  const all = await startAll(sessions, io, (session, status) => {
    statuses.set(session, status);
    if (sessions.every((one) => isDone(statuses.get(one)))) settle();
  });
  try {
    const running = Promise.all(all.map(({ started }) => started.run(signal)));
    await Promise.race([settled, running]);
    const ended = all.map(({ started }) => started.daemon.status);
    await Promise.all(all.map(({ started }) => started.reported(reportLimitMs, io.signal)));
    stop.abort();
    await running;
    const reached = ended.map((status) => tell(status, io));
    return reached.every(Boolean) ? exitCode.ok : exitCode.failed;
  } finally {
    await closeAll(all);
  }
}

async function startAll(
  sessions: readonly Session[],
  io: Io,
  changed: (session: Session, status: DaemonStatus) => void,
): Promise<readonly Running[]> {
  const stores = storesOf(sessions.map(({ configuration }) => configuration));
  const all: Running[] = [];
  const budgets = new PostBudgets();
  const claims = new Claims();
  try {
    for (const [index, session] of sessions.entries()) {
      const store = stores[index] ?? session.configuration.storage().path;
      await checkStorage(store);
      const started = await startDaemon(session.configuration, {
        ...(await openWorld()),
        log: session.log,
        env: io.env,
        hidden: hiddenValues(io),
        store,
        budgets,
        claims,
        changed: (status) => changed(session, status),
      });
      all.push({ session, started });
    }
    return all;
  } catch (thrown) {
    await closeAll(all);
    throw thrown;
  }
}

async function closeAll(all: readonly Running[]): Promise<void> {
  await Promise.all(all.map(({ started }) => started.close()));
}

function listen(first: Session, all: readonly Running[]): Promise<RunningServer> {
  const { host, port, token, publicUrl } = first.configuration.server();
  return startServer({
    host,
    port,
    token,
    publicUrl,
    clock: systemClock,
    log: first.log,
    repositories: () =>
      all.map(({ session, started }) => {
        const { url = '', branch = '', path = '' } = session.configuration.repository() ?? {};
        return {
          label: { url: shownUrl(url), branch, path },
          status: started.daemon.status,
          reviews: started.reviews(),
        };
      }),
    lane: (name) => all.map(({ started }) => started.daemon.lane(name)).find((lane) => lane !== undefined),
    reviews: (head) => all.flatMap(({ started }) => started.review(head)),
    history: (name, limit) =>
      all.find(({ started }) => started.daemon.lane(name) !== undefined)?.started.history.entries(name, limit),
  });
}

/** Whether nothing more comes of a first pass: the repository failed, or every destination was tried. */
function isDone(status: DaemonStatus | undefined): boolean {
  if (status === undefined) return false;
  const { watcher, validation, lanes, searching } = status;
  if (validation === null) return watcher.failure !== null;
  return lanes.every((lane) => {
    const { destination, revision, state } = lane;
    // Only a person ends that: what is suspended from the start on takes no revision up.
    if (state === 'suspended') return true;
    // What waits for a window, or for another destination that has ended, is not waited for.
    const isTried = isSettled(state) || state === 'waiting';
    if (!validation.invalidFor.has(destination)) return revision === validation.revision && isTried;
    // An earlier revision is put in force as `run` does it, or none is.
    return searching?.has(destination) !== true && (revision === null || isTried);
  });
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
    const words = invalid ? invalidWords(lane) : `${lane.state}: ${lane.detail}`;
    io.stdout(`${lane.destination}: ${validation.revision.slice(0, 10)} ${words}\n`);
    return inPlace;
  });
  return reached.every(Boolean);
}

function invalidWords({ revision, state, detail }: LaneStatus): string {
  if (revision === null) return `invalid, left as it is: ${detail}`;
  return `invalid; ${revision.slice(0, 10)} before it is ${state}: ${detail}`;
}
