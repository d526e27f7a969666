import { join } from 'node:path';
import { build } from '../build/build.ts';
import { claimOf } from '../config/claims.ts';
import type { Configuration } from '../config/settings.ts';
import type { Destination } from '../destination/destination.ts';
import { type OpenWorld, openDestination } from '../destination/open.ts';
import { openRepository } from '../git/open-repository.ts';
import { verified } from '../git/verified-repository.ts';
import { Lane } from '../lane/lane.ts';
import { alone } from '../lane/lease.ts';
import { DocumentCache } from '../manifest/document-cache.ts';
import { collapsing } from '../platform/collapsing-log.ts';
import type { Log } from '../platform/log.ts';
import { PostBudgets } from '../report/post-budgets.ts';
import { assumptions, pulledWords } from './assumed.ts';
import type { BuildsWorld } from './builds.ts';
import { type Claims, laneClaim } from './claims.ts';
import { contentMark } from './content-mark.ts';
import { Daemon, type DaemonLane, type DaemonStatus } from './daemon.ts';
import { gateAfterStart, gateOf } from './gates.ts';
import { type ContentMark, History } from './history.ts';
import { type LastInPlace, nothingKnown } from './last-in-place.ts';
import { planOf } from './plan-of.ts';
import { openProbes } from './probes.ts';
import { Reporting } from './reporting.ts';
import type { ShownReview } from './reviewing/pull-records.ts';
import type { OpenReviews } from './reviewing/review-maker.ts';
import type { ReviewerStatus } from './reviewing/reviewer-status.ts';
import { Reviewing } from './reviewing/reviewing.ts';
import { scopeOf } from './scope.ts';

/** What a daemon is started with besides its configuration. */
export interface StartWorld extends OpenWorld {
  readonly log: Log;
  readonly env: (name: string) => string | undefined;
  /** Values of the environment that files may name: never shown. None where left out. */
  readonly hidden?: readonly string[];
  /** The folder of the Git store; the configuration's own where it is not given. */
  readonly store?: string;
  /** What may be posted, shared by all that one process starts; of its own where it is left out. */
  readonly budgets?: PostBudgets;
  /** What is claimed, shared in the same way. */
  readonly claims?: Claims;
  /** How reviews are made; in a thread of their own where it is left out. */
  readonly openReviews?: OpenReviews;
  /** Told whenever anything changed. Must not wait. */
  readonly changed: (status: DaemonStatus) => void;
}

/** A daemon for one configuration, with everything that it opened. */
export interface StartedDaemon {
  readonly daemon: Daemon;
  /** What happened at each destination, for looking back. */
  readonly history: History;
  /** What is known of the reviews of pull requests, by forge; none where nothing is reviewed. */
  readonly reviews: () => readonly ReviewerStatus[];
  /** The newest reviews of a proposed commit. */
  readonly review: (head: string) => readonly ShownReview[];
  /** Follows, delivers and reports until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** Waits until every commit status was posted or given up, for so many milliseconds at most. */
  reported(limitMs: number, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** Sources of parsed files that are kept, in bytes. */
const documentCacheBytes = 16 * 1024 * 1024;

/**
 * Opens all that a configuration names and wires it: repository, lanes, reporter. Sends nothing yet. Throws
 * ConfigurationError or Failure where something cannot be opened.
 */
export async function startDaemon(configuration: Configuration, world: StartWorld): Promise<StartedDaemon> {
  const settings = configuration.repository();
  if (settings === null) throw new TypeError('a daemon needs a repository');
  const { clock, random } = world;
  const log = collapsing(world.log, clock);
  const storePath = world.store ?? configuration.storage().path;
  const mark: ContentMark = (name, digest) => contentMark(configuration.destination(name), digest);
  const history = new History(join(storePath, 'history'), log, clock, mark);
  const watches: ((signal: AbortSignal) => Promise<void> | undefined)[] = [];
  const assumed = await assumptions(configuration);
  const destinations: Pick<Destination, 'close'>[] = [];
  let daemon: Daemon | null = null;
  const budgets = world.budgets ?? new PostBudgets();
  const reporting = new Reporting(configuration, { ...world, budgets });
  const reviewing = await Reviewing.open(configuration, { ...world, log, storePath, budgets });
  let reviewedBase: string | null = null;
  const changed = () => {
    if (daemon === null) return;
    // Who waits for another destination looks again; nobody else is touched.
    for (const { lane } of lanes) lane.reconsider();
    const { status } = daemon;
    world.changed(status);
    history.note(status.lanes, status.validation);
    reporting.update(status);
    if (status.watcher.revision === reviewedBase) return;
    reviewedBase = status.watcher.revision;
    reviewing?.moved();
  };

  const lastInPlace = new Map<string, LastInPlace>();
  for (const name of configuration.destinationNames) lastInPlace.set(name, await history.lastInPlace(name));
  const lanes: readonly DaemonLane[] = configuration.destinationNames.map((name) => {
    const one = configuration.destination(name);
    const destination = openDestination(one, world);
    destinations.push(destination);
    const soaksMs = soaksFor(configuration, name);
    const probes = openProbes(one.rollout, one.policy.onUnhealthy, world, Math.max(0, ...soaksMs));
    if (probes !== null) destinations.push(probes);
    const gate = gateOf(
      one.rollout,
      (other) => lanes.find(({ lane }) => lane.name === other)?.lane.status,
      (other, revision) => daemon?.isInvalidFor(other, revision) === true,
      (other) => configuration.destination(other).policy.drift !== 'ignore',
    );
    const known = lastInPlace.get(name) ?? nothingKnown;
    const makePlan = planOf(one, true, world.hidden);
    const lane: Lane = new Lane({
      ...(gate === undefined ? {} : { gate: gateAfterStart(gate, known, () => lane.status.applied !== null) }),
      ...(probes === null ? {} : { health: probes.health }),
      destination,
      plan: reviewing?.compared(makePlan) ?? makePlan,
      policy: one.policy,
      wasConfirmed: (revision, digest) => revision === known.whole && mark(name, digest) === known.content,
      approved: known.approval ?? null,
      soaksMs,
      onInvalid: one.policy.onInvalid,
      clock,
      random,
      log,
      lease: alone,
      report: changed,
    });
    if (known.suspended !== undefined) lane.suspend(known.suspended);
    watches.push((signal) => destination.watch?.(() => lane.lookAgain(), signal));
    const { pulled, schemas } = assumed.of(name);
    if (pulled !== null) log.info({ destination: name, file: pulled.path }, `checked by ${pulledWords(pulled.of)}`);
    const scope = scopeOf(configuration, name);
    const claim = laneClaim(claimOf(one), scope, one.policy, configuration.file);
    return { lane, scope, onInvalid: one.policy.onInvalid, assumed: schemas, lastInPlace: known, claim };
  });
  const repository = await verified(
    configuration.verify(),
    () => openRepository(settings, storePath, { log, clock }),
    () => clock.now(),
  );
  const builds: BuildsWorld = {
    build,
    assumed: assumed.plain,
    now: () => clock.now(),
    settings: {
      rules: configuration.rules(),
      environment: world.env,
      ignore: settings.ignore,
      kubernetes: configuration.kubernetes(),
      configuration: configuration.file === null ? [] : ['konverge.yaml'],
      cache: new DocumentCache(documentCacheBytes),
    },
  };
  daemon = new Daemon({
    repository,
    branch: settings.branch,
    intervalMs: settings.intervalMs,
    history: settings.history,
    lanes,
    ...(world.claims === undefined ? {} : { claims: world.claims }),
    clock,
    random,
    log,
    changed,
    builds: {
      ...builds,
      build: (snapshot, how) => {
        reviewing?.note(snapshot);
        return build(snapshot, how);
      },
    },
  });
  const running = daemon;
  return {
    daemon: running,
    history,
    reviews: () => reviewing?.status ?? [],
    review: (head) => reviewing?.shown(head) ?? [],
    run: async (signal) => {
      const watching = watches.map((watch) => watch(signal));
      const reviews = reviewing?.run({ lanes, builds, base: () => running.status.watcher.revision }, signal);
      await Promise.all([running.run(signal), reporting.run(repository, signal), reviews, ...watching]);
    },
    reported: (limitMs, signal) => reporting.drained(limitMs, signal),
    close: async () => {
      await Promise.all([
        repository.close(),
        history.close(),
        reporting.close(),
        reviewing?.close(),
        ...destinations.map((destination) => destination.close()),
      ]);
    },
  };
}

/** For how long the destinations that come after one want it to have stayed as it is, in milliseconds. */
function soaksFor(configuration: Configuration, name: string): readonly number[] {
  const rollouts = configuration.destinationNames.map((other) => configuration.destination(other).rollout);
  return rollouts.flatMap(({ after, soakMs }) => (after.includes(name) && soakMs > 0 ? [soakMs] : []));
}
