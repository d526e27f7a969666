import type { Scope } from '../build/built.ts';
import type { Repository } from '../git/repository.ts';
import type { Lane } from '../lane/lane.ts';
import type { LaneStatus } from '../lane/lane-status.ts';
import type { Offer } from '../lane/offer.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts';
import { fileLocation } from '../model/location.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure, type FailureFacts, faultText, ownFault } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { type BuildsWorld, revisionBuild } from './builds.ts';
import { declaredInPast, past } from './last-good.ts';
import { Watcher, type WatcherStatus } from './watcher.ts';

/** What was found when the newest revision was checked, before any destination was asked. */
export interface Validation {
  readonly revision: string;
  readonly valid: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Destinations whose part of the revision is invalid: they keep their last good one. */
  readonly invalidFor: ReadonlySet<string>;
  /** When it was found, in milliseconds since 1970. */
  readonly at: number;
}

/** All that a daemon knows, as one value. Holds no secret. */
export interface DaemonStatus {
  readonly watcher: WatcherStatus;
  readonly validation: Validation | null;
  readonly lanes: readonly LaneStatus[];
}

/** One destination of a daemon. */
export interface DaemonLane {
  readonly lane: Lane;
  readonly scope: Scope;
}

/** What a daemon is made with. */
export interface DaemonWorld {
  readonly repository: Repository;
  readonly branch: string;
  readonly intervalMs: number;
  /** How many commits back a last good revision is looked for. */
  readonly history: number;
  readonly lanes: readonly DaemonLane[];
  readonly builds: BuildsWorld;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Told whenever anything changed. Must not wait. */
  readonly changed: (status: DaemonStatus) => void;
}

/** One running process: a watcher that offers each revision to every lane, and the lanes. */
export class Daemon {
  readonly #world: DaemonWorld;
  readonly #watcher: Watcher;
  #generation = 0;
  #validation: Validation | null = null;
  #running: AbortSignal = AbortSignal.abort();
  readonly #searches = new Set<Promise<void>>();

  constructor(world: DaemonWorld) {
    this.#world = world;
    this.#watcher = new Watcher({
      ...world,
      taken: (revision, snapshot) => this.#take(revision, snapshot),
      unreadable: (revision, failure) => this.#refuse(revision, failure),
      changed: () => world.changed(this.status),
    });
  }

  /** What the daemon knows now. */
  get status(): DaemonStatus {
    return {
      watcher: this.#watcher.status,
      validation: this.#validation,
      lanes: this.#world.lanes.map(({ lane }) => lane.status),
    };
  }

  /** The lane of a destination, or undefined. */
  lane(name: string): Lane | undefined {
    return this.#world.lanes.find(({ lane }) => lane.name === name)?.lane;
  }

  /** Follows and delivers until the signal is aborted; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    this.#running = signal;
    await Promise.all([this.#watcher.run(signal), ...this.#world.lanes.map(({ lane }) => lane.run(signal))]);
    await Promise.all(this.#searches);
  }

  /** Checks a revision for every destination and offers it to those whose part of it is valid. */
  #take(revision: string, snapshot: Snapshot): void {
    const { lanes, builds, clock, log } = this.#world;
    // The last good revision that a lane may need instead is older, whenever it is found.
    const [fallback, generation] = [this.#generation + 1, this.#generation + 2];
    this.#generation = generation;
    const found: Diagnostic[] = [];
    const invalidFor = new Set<string>();
    const valid: { readonly lane: Lane; readonly offer: Offer }[] = [];
    const invalid: DaemonLane[] = [];
    for (const one of lanes) {
      const build = revisionBuild(builds, snapshot, one.scope);
      const built = build(null);
      found.push(...built.diagnostics);
      if (built.valid) valid.push({ lane: one.lane, offer: this.#offer(generation, revision, one.scope, build) });
      else {
        invalidFor.add(one.lane.name);
        invalid.push(one);
      }
    }
    const diagnostics = sortDiagnostics(found);
    this.#validation = { revision, valid: !hasErrors(diagnostics), diagnostics, invalidFor, at: clock.now() };
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
    if (errors === 0) log.info({ revision, warnings: diagnostics.length }, 'a revision is valid');
    else {
      log.warn(
        {
          revision,
          errors,
          first: firstError(diagnostics),
          refusedFor: [...invalidFor],
          unaffected: 'the last good revision stays in force',
        },
        'a revision is invalid',
      );
    }
    for (const { lane, offer } of valid) lane.offer(offer);
    for (const one of invalid) this.#search(one, revision, fallback);
    this.#world.changed(this.status);
  }

  /** A revision whose configured path cannot be read is invalid as a whole. */
  #refuse(revision: string, failure: FailureFacts): void {
    const { clock, log, lanes } = this.#world;
    this.#generation += 1;
    this.#validation = {
      revision,
      valid: false,
      invalidFor: new Set(lanes.map(({ lane }) => lane.name)),
      at: clock.now(),
      diagnostics: [
        {
          rule: failure.code,
          severity: 'error',
          message: failure.message,
          hint: failure.hint,
          locations: [fileLocation('.')],
          entities: [],
        },
      ],
    };
    log.warn(
      { revision, code: failure.code, failure: failure.message, unaffected: 'the last good revision stays in force' },
      'a revision is invalid',
    );
    for (const one of lanes) this.#search(one, revision, this.#generation);
    this.#world.changed(this.status);
  }

  #offer(generation: number, revision: string, scope: Scope, build: Offer['build']): Offer {
    const { repository, builds, history } = this.#world;
    return {
      generation,
      revision,
      build,
      declaredEarlier: (wanted, signal) =>
        declaredInPast(repository, builds, { revision, scope, history }, wanted, signal),
    };
  }

  /** After a restart on an invalid revision: the newest ancestor that is valid is put, or found to be, in force. */
  #search(one: DaemonLane, revision: string, generation: number): void {
    if (one.lane.status.generation > 0) return;
    const search = this.#findLastGood(one, revision, generation).finally(() => this.#searches.delete(search));
    this.#searches.add(search);
  }

  async #findLastGood({ lane, scope }: DaemonLane, revision: string, generation: number): Promise<void> {
    const { repository, builds, history, log } = this.#world;
    const fields = { destination: lane.name, revision };
    try {
      for await (const candidate of past(repository, builds, { revision, scope, history }, this.#running)) {
        if (!candidate.built.valid) continue;
        log.info({ ...fields, lastGood: candidate.revision }, 'the last good revision was found');
        lane.offer(this.#offer(generation, candidate.revision, scope, candidate.build));
        return;
      }
      log.warn({ ...fields, searched: history }, 'no earlier revision is valid; the destination is left as it is');
    } catch (thrown) {
      if (this.#running.aborted) return;
      const failure = asFailure(thrown)?.facts ?? ownFault();
      if (asFailure(thrown) === undefined)
        log.error({ ...fields, stack: faultText(thrown) }, 'a fault of Konverge itself');
      log.warn(
        { ...fields, code: failure.code, failure: failure.message },
        'the last good revision could not be looked for; the destination is left as it is',
      );
    }
  }
}

function firstError(diagnostics: readonly Diagnostic[]): string {
  const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  const place = first?.locations[0];
  return first === undefined ? '' : `${place === undefined ? '' : `${place.file}:${place.line} `}${first.message}`;
}
