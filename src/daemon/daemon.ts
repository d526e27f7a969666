import type { Scope } from '../build/built.ts';
import { type Withheld, withheld } from '../build/quarantine-withheld.ts';
import type { ObjectStatus } from '../dialect/kubernetes/conditions.ts';
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
import { declaredInPast, LastGoods } from './last-good.ts';
import { Watcher, type WatcherStatus } from './watcher.ts';

/** What was found when the newest revision was checked, before any destination was asked. */
export interface Validation {
  readonly revision: string;
  readonly valid: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Destinations whose part of the revision is invalid: they keep their last good one. */
  readonly invalidFor: ReadonlySet<string>;
  /** What quarantine would have let out for each of these. */
  readonly withheld?: ReadonlyMap<string, Withheld>;
  /** What a controller would write to the status of each Kubernetes object, by destination. */
  readonly objects?: ReadonlyMap<string, readonly ObjectStatus[]>;
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
  /** What becomes of a revision with errors for this destination; `reject` where it is left out. */
  readonly onInvalid?: 'reject' | 'quarantine';
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
  readonly #lastGoods = new Map<string, LastGoods>();

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

  /** Whether the newest revision is this one, and was found to be invalid for a destination. */
  isInvalidFor(name: string, revision: string): boolean {
    return this.#validation?.revision === revision && this.#validation.invalidFor.has(name);
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
    // The number after it is left for a roll-back from it.
    this.#generation = generation + 1;
    const found: Diagnostic[] = [];
    const invalidFor = new Set<string>();
    const valid: { readonly lane: Lane; readonly offer: Offer }[] = [];
    const invalid: DaemonLane[] = [];
    const held = new Map<string, Withheld>();
    const objects = new Map<string, readonly ObjectStatus[]>();
    for (const one of lanes) {
      const build = revisionBuild(builds, snapshot, one.scope);
      const built = build(null);
      found.push(...built.diagnostics);
      objects.set(one.lane.name, built.objects ?? []);
      // With quarantine the lane itself finds out what of it can go out.
      if (built.valid || one.onInvalid === 'quarantine') {
        valid.push({ lane: one.lane, offer: this.#offer(generation, revision, one, build) });
      } else {
        invalidFor.add(one.lane.name);
        invalid.push(one);
        held.set(one.lane.name, withheld(built, one.lane.stateInForce));
      }
    }
    const diagnostics = sortDiagnostics(found);
    const at = clock.now();
    this.#validation = {
      revision,
      valid: !hasErrors(diagnostics),
      diagnostics,
      invalidFor,
      withheld: held,
      objects,
      at,
    };
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
    if (errors === 0) log.info({ revision, warnings: diagnostics.length }, 'a revision is valid');
    else {
      log.warn(
        {
          revision,
          errors,
          first: firstError(diagnostics),
          refusedFor: [...invalidFor],
          withheld: [...held].map(([name, what]) => `${name}: ${what.text}`).join('; '),
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
      withheld: new Map(),
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

  #offer(generation: number, revision: string, one: DaemonLane, build: Offer['build']): Offer {
    const { repository, builds, history } = this.#world;
    const { scope } = one;
    return {
      generation,
      revision,
      build,
      declaredEarlier: (wanted, signal) =>
        declaredInPast(repository, builds, { revision, scope, history }, wanted, signal),
      lastGood: (schemas, passedOver, signal) => this.#lastGoodsOf(one).before(revision, schemas, passedOver, signal),
    };
  }

  /** After a restart on an invalid revision: the newest ancestor that is valid is put, or found to be, in force. */
  #search(one: DaemonLane, revision: string, generation: number): void {
    if (one.lane.status.generation > 0) return;
    const search = this.#findLastGood(one, revision, generation).finally(() => this.#searches.delete(search));
    this.#searches.add(search);
  }

  async #findLastGood(one: DaemonLane, revision: string, generation: number): Promise<void> {
    const { history, log } = this.#world;
    const { lane } = one;
    const fields = { destination: lane.name, revision };
    try {
      const found = await this.#lastGoodsOf(one).before(revision, null, new Set(), this.#running);
      if (found === null) {
        log.warn({ ...fields, searched: history }, 'no earlier revision is valid; the destination is left as it is');
        return;
      }
      log.info({ ...fields, lastGood: found.revision }, 'the last good revision was found');
      lane.offer(this.#offer(generation, found.revision, one, found.build));
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

  #lastGoodsOf(one: DaemonLane): LastGoods {
    const known = this.#lastGoods.get(one.lane.name);
    if (known !== undefined) return known;
    const { repository, builds, history } = this.#world;
    const { scope, onInvalid = 'reject' } = one;
    const made = new LastGoods({ repository, builds, scope, history, onInvalid });
    this.#lastGoods.set(one.lane.name, made);
    return made;
  }
}

function firstError(diagnostics: readonly Diagnostic[]): string {
  const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  const place = first?.locations[0];
  return first === undefined ? '' : `${place === undefined ? '' : `${place.file}:${place.line} `}${first.message}`;
}
