import type { State } from '../model/state.ts';
import type { Plan } from '../plan/plan.ts';
import { Attempts } from './attempts.ts';
import { backoffMs } from './backoff.ts';
import { Drift, driftText } from './drift.ts';
import { countChanges, type Ending, endingOf, isInPlace, refusal, type TakenBack, takenBack } from './ending.ts';
import type { Closed } from './gate.ts';
import { InForce, quarantineAfter } from './in-force.ts';
import type { LaneStatus } from './lane-status.ts';
import type { LaneWorld } from './lane-world.ts';
import { LastGoodSearch } from './last-good-search.ts';
import { Mailbox } from './mailbox.ts';
import { Nudge } from './nudge.ts';
import type { Offer } from './offer.ts';
import type { Applied, PassEnd } from './pass.ts';
import { Proving } from './proving.ts';
import { Quarantining } from './quarantining.ts';
import { atRest, beingDelivered, beingProbed, beingRead, beingTakenBack, nothingOffered } from './sayings.ts';
import { type DeliveryReason, StatusBoard } from './status-board.ts';
import type { Survey } from './survey.ts';
import { tellEnding, tellKept } from './tell-ending.ts';

/** The loop that owns one destination: it alone reads, plans, writes and reports for it. */
export class Lane {
  readonly #world: LaneWorld;
  readonly #mailbox = new Mailbox();
  readonly #nudge = new Nudge();
  readonly #board: StatusBoard;
  readonly #quarantining: Quarantining;
  readonly #proving: Proving;
  readonly #drift: Drift;
  readonly #attempts: Attempts;
  readonly #search = new LastGoodSearch();
  #current: Offer | null = null;
  readonly #inForce = new InForce();
  #failures = 0;
  #unconfirmed: string | null = null;
  #suspended = false;
  /** The offer that a gate holds back. */
  #waits: Offer | null = null;
  /** The offer that was taken back, to what, and why. */
  #takenBack: { readonly offer: Offer; readonly kept: Offer; readonly why: string } | null = null;

  constructor(world: LaneWorld) {
    this.#world = world;
    this.#board = new StatusBoard(world);
    this.#quarantining = new Quarantining(world.onInvalid ?? 'reject');
    this.#proving = new Proving(world.health);
    this.#drift = new Drift(world.policy.driftIntervalMs);
    this.#attempts = new Attempts(world, {
      board: this.#board,
      inForce: this.#inForce,
      quarantining: this.#quarantining,
      drift: this.#drift,
      superseded: () => this.#superseded(),
    });
  }

  /** The destination's name. */
  get name(): string {
    return this.#world.destination.name;
  }

  /** What the lane says about its destination now. */
  get status(): LaneStatus {
    return this.#board.status;
  }

  /** What is known to be in force: the state that was confirmed last; null before there is one. */
  get stateInForce(): State | null {
    return this.#inForce.state;
  }

  /** What was read of the destination last, complete: what a review plans against. Null before there is any. */
  get lastRead(): Omit<Survey, 'built'> | null {
    return this.#attempts.lastRead;
  }

  /** Entities (`kind/identity`) that the branch is known to have declared, as far as a delivery had to know. Grows. */
  get declared(): ReadonlySet<string> {
    return this.#attempts.declared;
  }

  /** Offers a revision. False, and nothing happens, when its generation does not grow. Cuts a wait short. */
  offer(offer: Offer): boolean {
    if (!this.#mailbox.put(offer)) return false;
    // The mailbox itself remembers the offer: a nudge that outlived it would cut a later wait short for nothing.
    this.#nudge.wake();
    return true;
  }

  /** Has the destination looked at now instead of at the next interval. */
  sync(): void {
    this.#failures = 0;
    this.#quarantining.forget();
    this.#drift.forget();
    this.#takenBack = null;
    this.#nudge.nudge();
  }

  /** Lets the held plan with this fingerprint through, once. A plan that changed meanwhile is held anew. */
  approve(fingerprint: string): void {
    this.#attempts.approve(fingerprint);
    this.#nudge.nudge();
  }

  /** Stops delivering after what is under way, until `resume`. */
  suspend(): void {
    this.#suspended = true;
    this.#nudge.nudge();
  }

  /** Whether a person has suspended it. What was under way then may still be. */
  get isSuspended(): boolean {
    return this.#suspended;
  }

  /** Looks again whether what waits may go out: something that it waits for has changed. Cuts no other wait short. */
  reconsider(): void {
    const waits = this.#waits;
    if (waits === null || this.#suspended || this.#mailbox.full) return;
    const closed = this.#closed(waits);
    if (closed !== null) {
      if (this.#board.waitsOn(closed)) this.#nudge.nudge();
      return;
    }
    this.#waits = null;
    this.#board.show(beingRead);
    this.#nudge.nudge();
  }

  /** Goes on delivering. */
  resume(): void {
    this.#suspended = false;
    this.#nudge.nudge();
  }

  /** Runs until the signal is aborted; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#world;
    while (!signal.aborted) {
      this.#nudge.clear();
      const restMs = this.#suspended ? this.#rest() : await this.#pass(signal);
      if (signal.aborted) return;
      if (restMs === 0 || (this.#mailbox.full && !this.#suspended)) continue;
      await this.#nudge.rest(restMs, clock, signal);
    }
  }

  #rest(): null {
    if (this.status.state === 'suspended') return null;
    this.#board.rests(atRest);
    return null;
  }

  /** What is said between the end of a suspension and the end of the next pass. */
  #wakeUp(): void {
    if (this.status.state !== 'suspended') return;
    this.#board.show(this.#current === null ? nothingOffered : beingRead);
  }

  /** The newest offer: what waits in the mailbox, or what the lane already works on. */
  #newest(): Offer | null {
    const waiting = this.#mailbox.take();
    if (waiting !== null) {
      this.#current = waiting;
      this.#failures = 0;
      this.#unconfirmed = null;
      this.#proving.forget();
      this.#takenBack = null;
      this.#board.show({
        ...beingRead,
        generation: waiting.generation,
        revision: waiting.revision,
        attempted: waiting.revision,
        failure: null,
        diagnostics: [],
        plan: null,
      });
    }
    return this.#current;
  }

  /** One pass, and how long to rest after it: milliseconds, null for until nudged. */
  async #pass(signal: AbortSignal): Promise<number | null> {
    const first = this.#newest();
    this.#wakeUp();
    if (first === null) return null;
    if (this.status.nextTryAt !== null) this.#board.show({ nextTryAt: null });
    this.#quarantining.refresh(this.#world.clock.now());
    this.#waits = null;
    if (this.#takenBack !== null) return this.#takeBack(this.#takenBack, signal);
    let offer = first;
    const ended = await this.#attempts.make(
      {
        offer: () => {
          offer = this.#newest() ?? first;
          return offer;
        },
        onDifference: (candidate, plan) => (this.#isDrift(candidate) ? this.#drifted(candidate, plan) : 'deliver'),
        closed: (candidate) => (this.#isDrift(candidate) ? null : this.#closed(candidate)),
        begins: (started, plan, behind) => this.#begins(started, plan, behind),
        proves: (ended) => this.#prove(offer, ended, signal),
      },
      signal,
    );
    if (ended === null) return null;
    if (ended.end === 'unhealthy' && this.#world.health?.onUnhealthy === 'rollback') {
      const kept = await this.#lastGood(offer, signal);
      if (kept !== null) {
        this.#takenBack = { offer, kept, why: refusal(ended) };
        return this.#takeBack(this.#takenBack, signal);
      }
    }
    const ending = this.#settle(offer, ended);
    const leavesLastGood = ended.end === 'waiting' || (ended.end === 'rejected' && ended.leaves === 'last-good');
    if (leavesLastGood) await this.#keepInForce(offer, signal);
    if (ended.end !== 'waiting') return ending.restMs;
    // It may have opened meanwhile, when nobody asked.
    if (this.#closed(offer) === null) return 0;
    this.#waits = offer;
    return ending.restMs;
  }

  async #prove(offer: Offer, ended: Applied, signal: AbortSignal): Promise<PassEnd> {
    if (offer === this.#inForce.offer && !this.#proving.asksAgain(offer, this.#world.clock.now())) return ended;
    const proven = await this.#proving.prove(
      offer,
      ended,
      {
        clock: this.#world.clock,
        mode: this.status.identified?.mode ?? 'database',
        superseded: () => this.#superseded(),
        approved: (fingerprint) => this.#attempts.isApproved(fingerprint),
        begins: () => this.#board.show(beingProbed),
      },
      signal,
    );
    if (proven.end === 'applied') this.#attempts.useApproval();
    return proven;
  }

  /** Puts the last good revision in the place of one that does not work, and keeps it there. */
  async #takeBack(
    { offer, kept, why }: { readonly offer: Offer; readonly kept: Offer; readonly why: string },
    signal: AbortSignal,
  ): Promise<number | null> {
    const isBack = this.#inForce.offer === kept && this.status.state === 'rolled-back';
    const ended = await this.#attempts.make(
      {
        offer: () => kept,
        onDifference: (_, plan) => (isBack ? this.#drifted(kept, plan) : 'deliver'),
        closed: (candidate) => (candidate === this.#inForce.offer ? null : this.#closed(candidate)),
        begins: (_, plan, behind) => {
          this.#countDelivery(kept, plan, isBack ? (behind ? 'nodes' : 'drift') : 'roll-back');
          this.#board.show({ ...beingTakenBack, generation: offer.generation + 1, plan });
        },
      },
      signal,
    );
    if (ended === null) return null;
    if (ended.end === 'rejected' && ended.leaves === 'last-good' && kept !== this.#inForce.offer) {
      // One that was only found in the past may be no good here either: what is live stays, until another is found.
      this.#search.passOver();
      this.#takenBack = null;
      return 0;
    }
    const ending = this.#settle(kept, ended, { revision: offer.revision, why });
    return ending.restMs;
  }

  /** What is to be in force in the place of a revision; one that is only known from the past has to pass the gate. */
  async #lastGood(refused: Offer, signal: AbortSignal): Promise<Offer | null> {
    if (this.#inForce.offer !== null) return this.#inForce.insteadOf(refused);
    const found = await this.#search.next(refused, this.#world.log, this.#board.fields(refused.revision), signal);
    return found === null || this.#closed(found) !== null ? null : found;
  }

  #closed(offer: Offer): Closed | null {
    return this.#world.gate?.(offer, this.#world.clock.now()) ?? null;
  }

  #superseded(): boolean {
    return this.#mailbox.full || this.#suspended;
  }

  /** Another writer changed what is in force: what it did is told before anything is done about it. */
  #drifted(offer: Offer, plan: Plan): 'deliver' | 'report' {
    const { clock, log, policy } = this.#world;
    const corrects = policy.drift === 'correct';
    const isFlapping = this.#drift.found(plan, corrects, clock.now());
    const { seen } = this.#drift;
    this.#board.show({ drift: seen });
    const fields = { ...this.#board.fields(offer.revision), ...countChanges(plan), what: driftText(seen) };
    const words = isFlapping ? 'another writer keeps changing the same, and is left to it' : 'another writer was here';
    log.warn({ ...fields, policy: policy.drift }, words);
    return corrects && !isFlapping ? 'deliver' : 'report';
  }

  #isDrift(offer: Offer): boolean {
    return this.#attempts.isDrift(offer);
  }

  #begins(offer: Offer, plan: Plan, behind: boolean): void {
    const drift = this.#isDrift(offer);
    if (!drift) this.#proving.delivers(offer, plan);
    const why = drift ? (behind ? 'nodes' : 'drift') : 'revision';
    this.#countDelivery(offer, plan, why);
    this.#board.show({ ...beingDelivered(why), plan });
  }

  #countDelivery(offer: Offer, plan: Plan, why: DeliveryReason): void {
    this.#attempts.useApproval();
    if (why === 'drift') this.#drift.corrected(plan, this.#world.clock.now());
    this.#board.countDelivery(offer.revision, plan, why);
  }

  /** Turns the end of a pass into a status and a rest. */
  #settle(offer: Offer, ended: PassEnd, back: TakenBack | null = null): Ending {
    const { clock, policy, random } = this.#world;
    if (ended.end === 'failed') this.#failures += 1;
    else if (ended.end !== 'unconfirmed') this.#failures = 0;
    const repeated = ended.end === 'unconfirmed' && this.#unconfirmed === ended.plan.fingerprint;
    this.#unconfirmed = ended.end === 'unconfirmed' ? ended.plan.fingerprint : null;
    if (ended.end === 'unconfirmed') this.#failures += 1;
    if (ended.end === 'applied') this.#confirmed(offer, ended);
    const said = endingOf(ended, {
      now: clock.now(),
      backoffMs: (failure) =>
        backoffMs({ failures: this.#failures, retryAfterMs: failure?.retryAfterMs ?? null, random: random() }),
      driftIntervalMs: policy.drift === 'ignore' ? null : policy.driftIntervalMs,
      isWatched: this.#proving.watches(offer, clock.now()),
      retryIntervalMs: policy.driftIntervalMs,
      repeated,
      deliveredWords: this.#inForce.words,
      drift: this.#drift.seen,
      inForce: offer === this.#inForce.offer ? null : (this.#inForce.offer?.revision ?? null),
      corrects: policy.drift === 'correct',
    });
    const ending = back === null ? said : takenBack(said, back, offer.revision);
    if (ending.status !== null) {
      const { counts } = this.status;
      this.#board.show({
        ...ending.status,
        drift: this.#drift.seen,
        quarantine: quarantineAfter(this.status.quarantine, ended, offer.revision, clock.now()),
        nextTryAt: ending.restMs === null ? null : clock.now() + ending.restMs,
        counts: { ...counts, failures: counts.failures + (ended.end === 'failed' ? 1 : 0) },
        ...(isInPlace(ending.status.state) ? { applied: offer.revision, appliedAt: clock.now() } : {}),
      });
      tellEnding({ log: this.#world.log, now: clock.now() }, offer.revision, this.status, ended);
    }
    return ending;
  }

  #confirmed(offer: Offer, ended: Applied): void {
    if (offer !== this.#inForce.offer) this.#drift.forget();
    const now = this.#world.clock.now();
    this.#drift.left(ended.left, now);
    this.#drift.reported(ended.reported, now);
    this.#inForce.confirmed(offer, ended);
    this.#quarantining.asked();
  }

  /** While a revision is refused, the last good one stays in force, and keeps being corrected against drift. */
  async #keepInForce(refused: Offer, signal: AbortSignal): Promise<void> {
    if (this.#world.policy.drift !== 'correct') return;
    for (;;) {
      if (this.#superseded() || signal.aborted) return;
      const kept = await this.#lastGood(refused, signal);
      if (kept === null || this.#superseded() || signal.aborted) return;
      const ended = await this.#attempts.make(
        {
          offer: () => kept,
          onDifference: (_, plan) => (kept === this.#inForce.offer ? this.#drifted(kept, plan) : 'deliver'),
          closed: (candidate) => (candidate === this.#inForce.offer ? null : this.#closed(candidate)),
          // The status stays that of the refused revision: it is what people wait for.
          begins: (_, plan, behind) => this.#countDelivery(kept, plan, behind ? 'nodes' : 'drift'),
        },
        signal,
      );
      if (ended === null) return;
      tellKept(this.#world.log, { destination: this.name, revision: kept.revision }, ended);
      if (ended.end === 'applied' && this.#inForce.offer === null) this.#found(kept, ended);
      if (ended.end === 'refused-in-part') continue;
      // What was taken in part, or could not be asked about, is not undone for one that is older still.
      if (ended.end !== 'rejected' || ended.leaves !== 'last-good' || this.#inForce.offer !== null) return;
      this.#search.passOver();
    }
  }

  /** What is in force was not known, and is now. */
  #found(kept: Offer, ended: Applied): void {
    this.#confirmed(kept, ended);
    const degraded = (ended.built.quarantine?.leftOut ?? []).length > 0;
    if (!degraded) this.#board.show({ applied: kept.revision, appliedAt: this.#world.clock.now() });
  }
}
