import type { Built, Scope } from '../build/built.ts';
import { type Withheld, withheld } from '../build/quarantine-withheld.ts';
import type { ObjectStatus } from '../dialect/kubernetes/conditions.ts';
import type { Repository } from '../git/repository.ts';
import type { Lane } from '../lane/lane.ts';
import type { LaneStatus } from '../lane/lane-status.ts';
import type { LastGood, Offer } from '../lane/offer.ts';
import { type CommitText, isSignatureFault } from '../model/commit-text.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts';
import { fileLocation } from '../model/location.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Clock } from '../platform/clock.ts';
import { type Failure, type FailureFacts, faultText } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import type { Schemas } from '../schema/schema.ts';
import { type BuildsWorld, buildsFor, revisionBuild } from './builds.ts';
import { builtClaim, Claims, type LaneClaim } from './claims.ts';
import { inPlaceBefore } from './in-place-before.ts';
import { declaredInPast, LastGoods, type LastGoodsWorld } from './last-good.ts';
import { earlierOf, type LastInPlace, nothingKnown } from './last-in-place.ts';
import { leftForInvalid, leftForOutside } from './left-as-it-is.ts';
import { leavesAsItIs, outsideFault } from './outside-fault.ts';
import { Searches } from './searches.ts';
import { Watcher, type WatcherStatus } from './watcher.ts';

/** What was found when the newest revision was checked, before any destination was asked. */
export interface Validation {
  readonly revision: string;
  readonly valid: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** What was found in the part of each destination; the same for all where it is left out. */
  readonly parts?: ReadonlyMap<string, readonly Diagnostic[]>;
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
  /** Destinations whose last good revision is being looked for; none where it is left out. */
  readonly searching?: ReadonlySet<string>;
}

/** One destination of a daemon. */
export interface DaemonLane {
  readonly lane: Lane;
  readonly scope: Scope;
  /** What becomes of a revision with errors for this destination; `reject` where it is left out. */
  readonly onInvalid?: 'reject' | 'quarantine';
  /** The schemas that are assumed of it before it is asked; those of all builds where it is left out. */
  readonly assumed?: Schemas;
  /** What an earlier process is known to have put in place there; nothing where it is left out. */
  readonly lastInPlace?: LastInPlace;
  /** What it may change, and where; not compared with others where it is left out. */
  readonly claim?: LaneClaim;
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
  /** What is claimed by all that one process follows; of its own where it is left out. */
  readonly claims?: Claims;
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
  readonly #searches: Searches;
  /** The destinations that a revision was already taken up for, where a fault ended that early for others. */
  #taken: { readonly revision: string; readonly names: Set<string> } | null = null;
  readonly #lastGoods = new Map<string, LastGoods>();
  readonly #claims: Claims;

  constructor(world: DaemonWorld) {
    this.#world = world;
    this.#claims = world.claims ?? new Claims();
    this.#watcher = new Watcher({
      ...world,
      taken: (revision, snapshot, commit) => this.#take(revision, snapshot, commit),
      unreadable: (revision, failure) => this.#refuse(revision, failure),
      answered: () => this.#searches.answered(),
      changed: () => this.#changed(),
    });
    this.#searches = new Searches({ ...world, changed: () => this.#changed() });
  }

  /** What the daemon knows now. */
  get status(): DaemonStatus {
    const { lanes } = this.#world;
    const isSearching = ({ lane }: DaemonLane) => lane.status.generation === 0 && this.#searches.isLooking(lane.name);
    return {
      watcher: this.#watcher.status,
      validation: this.#validation,
      searching: new Set(lanes.filter(isSearching).map(({ lane }) => lane.name)),
      lanes: lanes.map(({ lane: { name, status } }) => {
        const saying = status.state === 'pending' && status.generation === 0 ? this.#searches.saying(name) : null;
        return saying === null ? status : { ...status, ...saying };
      }),
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
    await this.#searches.settled();
  }

  /**
   * Checks a revision for every destination and offers it to those whose part of it is valid. A fault of ours with one
   * destination's part keeps it from no other; it is thrown in the end, and the same revision may be taken again.
   */
  #take(revision: string, snapshot: Snapshot, commit: CommitText): void {
    const { lanes, builds, clock } = this.#world;
    // The last good revision that a lane may need instead is older, whenever it is found.
    const [fallback, generation] = [this.#generation + 1, this.#generation + 2];
    // The number after it is left for a roll-back from it.
    this.#generation = generation + 1;
    if (this.#taken?.revision !== revision) this.#taken = { revision, names: new Set() };
    const { names } = this.#taken;
    const parts = new Map<string, readonly Diagnostic[]>();
    const objects = new Map<string, readonly ObjectStatus[]>();
    const faults: unknown[] = [];
    const offered: { readonly one: DaemonLane; readonly offer: Offer; readonly built: Built }[] = [];
    const invalid: { readonly one: DaemonLane; readonly left: Failure | null }[] = [];
    const held = new Map<string, Withheld>();
    for (const one of lanes) {
      try {
        const build = revisionBuild(buildsFor(builds, one), snapshot, one.scope);
        const built = this.#checked(one, build);
        const left = this.#leaves(one, snapshot, built);
        parts.set(one.lane.name, built.diagnostics);
        objects.set(one.lane.name, built.objects ?? []);
        // With quarantine the lane itself finds out what of it can go out.
        if (built.valid || (one.onInvalid === 'quarantine' && left === null)) {
          offered.push({ one, offer: this.#offer(generation, revision, one, build, commit), built });
        } else {
          invalid.push({ one, left });
          held.set(one.lane.name, withheld(built, one.lane.stateInForce));
        }
      } catch (thrown) {
        faults.push(thrown);
      }
    }
    const refused = this.#judge(offered);
    for (const [name, findings] of refused) parts.set(name, [...(parts.get(name) ?? []), ...findings]);
    const diagnostics = sortDiagnostics([...parts.values()].flat());
    const invalidFor = new Set([...invalid.map(({ one: { lane } }) => lane.name), ...refused.keys()]);
    const at = clock.now();
    // A verdict that leaves a destination out would not be true.
    if (faults.length === 0) {
      const valid = !hasErrors(diagnostics);
      this.#validation = { revision, valid, diagnostics, parts, invalidFor, withheld: held, objects, at };
      this.#tell(this.#validation);
    }
    for (const { one, offer } of offered) {
      const { lane } = one;
      this.#searches.end(lane.name);
      // What is in force stays; an older revision, built by itself, could clash just as well.
      if (refused.has(lane.name)) continue;
      if (!names.has(lane.name)) lane.offer(offer);
      names.add(lane.name);
    }
    for (const { one, left } of invalid) {
      if (!names.has(one.lane.name)) this.#search(one, revision, fallback, left);
      names.add(one.lane.name);
    }
    this.#changed();
    if (faults.length > 0) throw faults[0];
    this.#taken = null;
  }

  /**
   * What a revision builds to by what is assumed of a destination; where that finds errors and the destination was asked
   * before, by its own word.
   */
  #checked(one: DaemonLane, build: Offer['build']): Built {
    const built = build(null);
    const asked = one.lane.lastRead?.schemas;
    if (built.valid || asked === undefined) return built;
    return build(asked);
  }

  /**
   * Why a destination is left as it is after a restart on an invalid revision, and nothing older is looked for: the
   * revision may itself be what is in force. Null where that is not so, or what is in force is known.
   */
  #leaves(one: DaemonLane, snapshot: Snapshot, built: Built): Failure | null {
    if (built.valid || one.lane.status.generation > 0) return null;
    const { scope, onInvalid, lastInPlace = nothingKnown } = one;
    const revision = snapshot.revision ?? '';
    const outside = outsideFault(buildsFor(this.#world.builds, one), { snapshot, scope, built });
    if (outside !== null && leavesAsItIs(outside, onInvalid ?? 'reject')) return leftForOutside(revision, outside);
    const isLast = revision === lastInPlace.whole || (onInvalid !== 'quarantine' && revision === lastInPlace.attempted);
    return isLast ? leftForInvalid(revision) : null;
  }

  /** The destinations that would undo what another one delivers, with why. */
  #judge(
    offered: readonly { readonly one: DaemonLane; readonly built: Built }[],
  ): ReadonlyMap<string, readonly Diagnostic[]> {
    return this.#claims.judge(
      this,
      offered.flatMap(({ one: { lane, claim }, built }) =>
        claim === undefined ? [] : [builtClaim(lane.name, claim, built)],
      ),
    );
  }

  #tell({ revision, diagnostics, invalidFor, withheld: held }: Validation): void {
    const { log, lanes } = this.#world;
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
    if (errors === 0) {
      log.info({ revision, warnings: diagnostics.length }, 'a revision is valid');
      return;
    }
    log.warn(
      {
        revision,
        errors,
        first: firstError(diagnostics),
        refusedFor: [...invalidFor],
        withheld: [...(held ?? [])].map(([name, what]) => `${name}: ${what.text}`).join('; '),
        unaffected: unaffectedWords(invalidFor.size, lanes.length),
      },
      'a revision is invalid',
    );
  }

  /** A revision whose configured path cannot be read is invalid as a whole. */
  #refuse(revision: string, failure: FailureFacts): void {
    const { clock, log, lanes } = this.#world;
    const isOfSignature = isSignatureFault(failure.code);
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
          locations: isOfSignature ? [] : [fileLocation('.')],
          entities: [],
        },
      ],
    };
    log.warn(
      { revision, code: failure.code, failure: failure.message, unaffected: 'the last good revision stays in force' },
      isOfSignature ? 'a revision is not accepted' : 'a revision is invalid',
    );
    for (const one of lanes) this.#search(one, revision, this.#generation);
    // What waits to go out, and was accepted once, says so at once.
    const waits = ({ attempted, applied }: LaneStatus) => attempted === revision && applied !== revision;
    if (isOfSignature) for (const { lane } of lanes) if (waits(lane.status)) lane.lookAgain();
    this.#changed();
  }

  #offer(generation: number, revision: string, one: DaemonLane, build: Offer['build'], commit?: CommitText): Offer {
    const { repository, builds, history } = this.#world;
    const { scope } = one;
    return {
      generation,
      revision,
      build,
      ...(commit === undefined ? {} : { commit }),
      earlier: earlierOf(one.lastInPlace ?? nothingKnown, revision, commit?.signed),
      refusal: async (asked, signal) => (await repository.refusal?.(asked, signal)) ?? null,
      declaredEarlier: (wanted, signal) =>
        declaredInPast(repository, buildsFor(builds, one), { revision, scope, history }, wanted, signal),
      lastGood: (schemas, passedOver, signal) => this.#lastGoodsOf(one).before(revision, schemas, passedOver, signal),
      lastInPlace: (schemas, signal) =>
        inPlaceBefore(this.#pastOf(one), this.#lastGoodsOf(one), { revision, schemas }, signal),
    };
  }

  /**
   * After a restart on an invalid revision: the newest ancestor that is valid is put, or found to be, in force, unless
   * the destination is left as it is.
   */
  #search(one: DaemonLane, revision: string, generation: number, left: Failure | null = null): void {
    if (one.lane.status.generation > 0) return;
    const find = (signal: AbortSignal) =>
      left === null ? this.#lastGoodsOf(one).before(revision, null, new Set(), signal) : Promise.reject(left);
    const found = (lastGood: LastGood) =>
      void one.lane.offer(this.#offer(generation, lastGood.revision, one, lastGood.build));
    this.#searches.begin({ destination: one.lane.name, revision, find, found }, this.#running);
  }

  /** Whoever listens may break without breaking what is under way. */
  #changed(): void {
    const { changed, log } = this.#world;
    try {
      changed(this.status);
    } catch (thrown) {
      log.error({ revision: this.#watcher.status.revision, stack: faultText(thrown) }, 'a fault of Konverge itself');
    }
  }

  #lastGoodsOf(one: DaemonLane): LastGoods {
    const known = this.#lastGoods.get(one.lane.name);
    if (known !== undefined) return known;
    const made = new LastGoods(this.#pastOf(one));
    this.#lastGoods.set(one.lane.name, made);
    return made;
  }

  #pastOf(one: DaemonLane): LastGoodsWorld {
    const { repository, builds, history } = this.#world;
    const { scope, onInvalid = 'reject', lastInPlace = nothingKnown } = one;
    return { repository, builds: buildsFor(builds, one), scope, history, onInvalid, lastInPlace };
  }
}

function firstError(diagnostics: readonly Diagnostic[]): string {
  const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  const place = first?.locations[0];
  return first === undefined ? '' : `${place === undefined ? '' : `${place.file}:${place.line} `}${first.message}`;
}

/** What goes on in spite of errors in a revision that so many of all destinations refuse. */
function unaffectedWords(refusing: number, all: number): string {
  const rest = 'what is sound of it goes out';
  if (refusing === 0) return rest;
  const stays = 'the last good revision stays in force';
  return refusing < all ? `${stays} where it is refused; elsewhere ${rest}` : stays;
}
