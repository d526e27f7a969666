import { build } from '../build/build.ts';
import type { Configuration } from '../config/settings.ts';
import type { Destination } from '../destination/destination.ts';
import { type OpenWorld, openDestination } from '../destination/open.ts';
import type { Forge } from '../forge/forge.ts';
import { github } from '../forge/github.ts';
import { openRepository } from '../git/open-repository.ts';
import type { Repository } from '../git/repository.ts';
import { Lane } from '../lane/lane.ts';
import { alone } from '../lane/lease.ts';
import { DocumentCache } from '../manifest/document-cache.ts';
import { asFailure, ownFault } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { commitStatuses } from '../report/commit-status.ts';
import { Reporter } from '../report/reporter.ts';
import { loadSchemas } from '../schema/bundled.ts';
import { Daemon, type DaemonLane, type DaemonStatus } from './daemon.ts';
import { planOf } from './plan-of.ts';
import { scopeOf } from './scope.ts';

/** What a daemon is started with besides its configuration. */
export interface StartWorld extends OpenWorld {
  readonly log: Log;
  readonly env: (name: string) => string | undefined;
  /** The folder of the Git store; the configuration's own where it is not given. */
  readonly store?: string;
  /** Told whenever anything changed. Must not wait. */
  readonly changed: (status: DaemonStatus) => void;
}

/** A daemon for one configuration, with everything that it opened. */
export interface StartedDaemon {
  readonly daemon: Daemon;
  /** Follows, delivers and reports until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** Waits until every commit status was posted or given up, for so many milliseconds at most. */
  reported(limitMs: number, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** Sources of parsed files that are kept, in bytes. */
const documentCacheBytes = 16 * 1024 * 1024;

/** How long changes of statuses are gathered before the first is posted, in milliseconds. */
const gatherMs = 500;

/** How many earlier commits are looked at for statuses that an earlier run left pending. */
const putRightCommits = 20;

/**
 * Opens all that a configuration names and wires it: repository, lanes, reporter. Sends nothing yet. Throws
 * ConfigurationError or Failure where something cannot be opened.
 */
export async function startDaemon(configuration: Configuration, world: StartWorld): Promise<StartedDaemon> {
  const settings = configuration.repository();
  if (settings === null) throw new TypeError('a daemon needs a repository');
  const { clock, random, log } = world;
  const assumed = await loadSchemas(configuration.kong());
  const destinations: Destination[] = [];
  let daemon: Daemon | null = null;
  const reporter = openReporter(configuration, world);
  const first = new FirstRevision();
  const changed = () => {
    if (daemon === null) return;
    const { status } = daemon;
    world.changed(status);
    if (reporter === null) return;
    const report = commitStatuses({ ...status, context: reporter.context });
    if (report === null) return;
    reporter.reporter.update(report);
    first.is(report.revision);
  };

  const lanes = configuration.destinationNames.map((name): DaemonLane => {
    const one = configuration.destination(name);
    const destination = openDestination(one, world);
    destinations.push(destination);
    const lane = new Lane({
      destination,
      plan: planOf(one, true),
      policy: one.policy,
      onInvalid: one.policy.onInvalid,
      clock,
      random,
      log,
      lease: alone,
      report: changed,
    });
    return { lane, scope: scopeOf(configuration, name), onInvalid: one.policy.onInvalid };
  });
  const repository = await openRepository(settings, world.store ?? configuration.storage().path, { log, clock });
  daemon = new Daemon({
    repository,
    branch: settings.branch,
    intervalMs: settings.intervalMs,
    history: settings.history,
    lanes,
    clock,
    random,
    log,
    changed,
    builds: {
      build,
      assumed,
      now: () => clock.now(),
      settings: {
        rules: configuration.rules(),
        environment: world.env,
        ignore: settings.ignore,
        kubernetes: configuration.kubernetes(),
        configuration: configuration.file === null ? [] : ['konverge.yaml'],
        cache: new DocumentCache(documentCacheBytes),
      },
    },
  });
  const running = daemon;
  return {
    daemon: running,
    run: async (signal) => {
      const reporting =
        reporter === null
          ? []
          : [reporter.reporter.run(signal), putRight(reporter.reporter, repository, first, log, signal)];
      await Promise.all([running.run(signal), ...reporting]);
    },
    reported: async (limitMs, signal) => (await reporter?.reporter.drained(limitMs, signal)) ?? true,
    close: async () => {
      await Promise.all([
        repository.close(),
        reporter?.forge.close(),
        ...destinations.map((destination) => destination.close()),
      ]);
    },
  };
}

function openReporter(
  configuration: Configuration,
  world: StartWorld,
): { readonly forge: Forge; readonly reporter: Reporter; readonly context: string } | null {
  const { github: settings } = configuration.status();
  if (settings === null) return null;
  const { clock, random, log, createHttpClient } = world;
  const forge = github({ ...settings, clock, createHttpClient });
  const targetUrl = configuration.server().publicUrl;
  return {
    forge,
    context: settings.context,
    reporter: new Reporter({ forge, clock, random, log, targetUrl, gatherMs }),
  };
}

/** The first revision that was checked in this run, for who waits for it. */
class FirstRevision {
  readonly #known: Promise<string>;
  #settle: (revision: string) => void = () => undefined;

  constructor() {
    this.#known = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  is(revision: string): void {
    this.#settle(revision);
  }

  /** The revision, or null when the signal is aborted first. */
  async wait(signal: AbortSignal): Promise<string | null> {
    const stopped = new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    return signal.aborted ? null : Promise.race([this.#known, stopped]);
  }
}

/** Ends what an earlier run may have left pending on the commits before the first one of this run. */
async function putRight(
  reporter: Reporter,
  repository: Repository,
  first: FirstRevision,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const revision = await first.wait(signal);
  if (revision === null) return;
  try {
    reporter.putRight(await repository.ancestors(revision, putRightCommits, signal));
  } catch (thrown) {
    if (signal.aborted) return;
    const failure = asFailure(thrown)?.facts ?? ownFault();
    log.warn(
      { revision, code: failure.code, failure: failure.message, unaffected: 'every destination' },
      'statuses that an earlier run left pending were not looked for',
    );
  }
}
