import { isDegraded } from '../build/built.ts';
import type { State } from '../model/state.ts';
import type { Plan } from '../plan/plan.ts';
import { anotherWriter } from './another-writer.ts';
import { Attempts } from './attempts.ts';
import { Drift } from './drift.ts';
import { type Ending, endingOf, isInPlace, refusal, type TakenBack, takenBack } from './ending.ts';
import type { Closed } from './gate.ts';
import { type GivenBy, unsaid } from './given-by.ts';
import { InForce, quarantineAfter } from './in-force.ts';
import { type BackAgain, Keeping } from './keeping.ts';
import type { LaneStatus } from './lane-status.ts';
import type { LaneWorld } from './lane-world.ts';
import { Mailbox } from './mailbox.ts';
import { Nudge } from './nudge.ts';
import type { Offer } from './offer.ts';
import type { Applied, PassEnd } from './pass.ts';
import { Proving } from './proving.ts';
import { Quarantining } from './quarantining.ts';
import { Remembered } from './remembered.ts';
import { beingDelivered, beingProbed, beingPutBack, beingRead, beingTakenBack } from './sayings.ts';
import { type DeliveryReason, StatusBoard } from './status-board.ts';
import type { Survey } from './survey.ts';
import { Suspension } from './suspension.ts';
import { tellEnding } from './tell-ending.ts';
import { Tries } from './tries.ts';

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
  readonly #keeping: Keeping;
  #current: Offer | null = null;
  readonly #inForce = new InForce();
  readonly #tries = new Tries();
  readonly #suspension: Suspension;
  /** The offer that a gate holds back. */
  #waits: Offer | null = null;
  /** The offer that is held before anything of it was delivered. */
  #held: Offer | null = null;
  /** An offer whose delivery was begun since anything was confirmed: it may be live in part. */
  #begun: Offer | null = null;
  /** The offer that was taken back, to what, and why. */
  #takenBack: BackAgain | null = null;

  constructor(world: LaneWorld) {
    this.#world = world;
    this.#board = new StatusBoard(world);
    this.#suspension = new Suspension(this.#board);
    this.#quarantining = new Quarantining(world.onInvalid ?? 'reject');
    this.#proving = new Proving(world.health);
    this.#drift = new Drift(world.policy.driftIntervalMs);
    const remembered = new Remembered();
    const shared = { board: this.#board, inForce: this.#inForce, remembered, superseded: () => this.#superseded() };
    this.#attempts = new Attempts(world, { ...shared, quarantining: this.#quarantining, drift: this.#drift });
    this.#keeping = new Keeping(world, {
      ...shared,
      attempts: this.#attempts,
      closed: (offer) => this.#closed(offer),
      drifted: (offer, plan) => this.#drifted(offer, plan),
      begins: (kept, plan, why) => this.#countDelivery(kept, plan, why),
      found: (kept, ended) => this.#found(kept, ended),
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

  /** A person has the destination looked at now, and what did not go well tried again. */
  sync(): void {
    this.#tries.startOver();
    this.#quarantining.forget();
    this.#drift.forget();
    this.#takenBack = null;
    this.#nudge.nudge();
  }

  /**
   * Has the destination looked at now: something about it has changed. Nobody asks for another try of what was taken
   * back, refused, or left to another writer.
   */
  lookAgain(): void {
    this.#nudge.nudge();
  }

  /** Lets the held plan with this fingerprint through, once. A plan that changed meanwhile is held anew. */
  approve(fingerprint: string, given: GivenBy = unsaid): void {
    this.#attempts.approvals.give(fingerprint, given);
    this.#nudge.nudge();
  }

  /** Stops delivering after what is under way, until `resume`. */
  suspend(given: GivenBy = unsaid): void {
    this.#suspension.asked = given;
    this.#board.show({ suspension: given });
    this.#nudge.nudge();
  }

  /** Whether a person has suspended it. */
  get isSuspended(): boolean {
    return this.#suspension.asked !== null;
  }

  /** Looks again whether what waits may go out: something that it waits for has changed. Cuts no other wait short. */
  reconsider(): void {
    const waits = this.#waits;
    if (waits === null || this.isSuspended || this.#mailbox.full) return;
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
    this.#suspension.asked = null;
    this.#board.show({ suspension: null });
    this.#nudge.nudge();
  }

  /** Runs until the signal is aborted; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#world;
    while (!signal.aborted) {
      this.#nudge.clear();
      const { asked } = this.#suspension;
      const restMs = asked !== null ? this.#suspension.rests(asked) : await this.#pass(signal);
      if (signal.aborted) return;
      if (restMs === 0 || (this.#mailbox.full && !this.isSuspended)) continue;
      await this.#nudge.rest(restMs, clock, signal);
    }
  }

  /** The newest offer: what waits in the mailbox, or what the lane already works on. */
  #newest(): Offer | null {
    const waiting = this.#mailbox.take();
    if (waiting !== null) {
      this.#current = waiting;
      this.#tries.forget();
      this.#proving.forget();
      this.#takenBack = null;
      this.#board.show({
        ...beingRead,
        generation: waiting.generation,
        revision: waiting.revision,
        attempted: waiting.revision,
        signed: waiting.commit?.signed ?? null,
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
    this.#suspension.wakesUp(first !== null);
    if (first === null) return null;
    if (this.status.nextTryAt !== null) this.#board.show({ nextTryAt: null });
    this.#quarantining.refresh(this.#world.clock.now());
    this.#waits = null;
    this.#takenBack ??= await this.#keeping.takenBackEarlier(first, signal);
    if (this.#takenBack !== null) return this.#takeBack(this.#takenBack, signal);
    // What waits for a person is planned from what it would replace, as that has to be.
    const isKept = first === this.#held;
    if (isKept) await this.#keeping.keep(first, 'held', signal);
    const tried = await this.#try(first, signal);
    const again = tried.ended?.end === 'held' && tried.ended.lost === true && this.#isBefore(tried.offer);
    if (again) this.#board.show(beingPutBack);
    const isPutBack = again && (await this.#keeping.keep(tried.offer, 'held', signal));
    const { offer, ended } = isPutBack ? await this.#try(tried.offer, signal) : tried;
    if (ended === null) return null;
    if (ended.end === 'unhealthy' && this.#world.health?.onUnhealthy === 'rollback') {
      const instead = await this.#keeping.insteadOfUnhealthy(offer, ended.plan.digest, signal);
      if (instead !== null) {
        this.#takenBack = { offer, ...instead, why: refusal(ended) };
        return this.#takeBack(this.#takenBack, signal);
      }
    }
    const ending = this.#settle(offer, ended);
    // The plan that was shown starts from what is not live any more, where that is put right.
    if (offer === this.#held && !isKept && !again && (await this.#keeping.keep(offer, 'held', signal))) return 0;
    if (ended.end === 'rejected' && ended.leaves === 'last-good') await this.#keeping.keep(offer, 'refused', signal);
    if (ended.end !== 'waiting') return ending.restMs;
    await this.#keeping.keep(offer, 'waits', signal);
    this.#waits = offer;
    // It may have opened meanwhile, or wait for something else, when nobody asked.
    const closed = this.#closed(offer);
    return closed === null || this.#board.waitsOn(closed) ? 0 : ending.restMs;
  }

  /** One try to put the newest offer in place, and which one that was. */
  async #try(first: Offer, signal: AbortSignal): Promise<{ readonly offer: Offer; readonly ended: PassEnd | null }> {
    let offer = first;
    const ended = await this.#attempts.make(
      {
        offer: () => {
          offer = this.#newest() ?? first;
          return offer;
        },
        guards: (candidate) => candidate !== this.#begun,
        onDifference: (one, plan) => (this.#isDrift(one, plan) ? this.#drifted(one, plan) : 'deliver'),
        closed: (candidate, plan) => (this.#isDrift(candidate, plan) ? null : this.#closed(candidate)),
        begins: (started, plan, behind) => this.#begins(started, plan, behind),
        proves: (ended) => this.#prove(offer, ended, signal),
      },
      signal,
    );
    return { offer, ended };
  }

  /** Whether what was confirmed last is what an offer would replace: nothing was begun since, or all is sent whole. */
  #isBefore(offer: Offer): boolean {
    if (offer === this.#inForce.offer || offer === this.#begun) return false;
    return this.#begun === null || this.status.identified?.mode === 'dbless';
  }

  async #prove(offer: Offer, ended: Applied, signal: AbortSignal): Promise<PassEnd> {
    if (this.#proving.isProven(offer, ended, this.#world.clock.now())) return ended;
    const proven = await this.#proving.prove(
      offer,
      ended,
      {
        clock: this.#world.clock,
        mode: this.status.identified?.mode ?? 'database',
        superseded: () => this.#superseded(),
        approved: (fingerprint) => this.#attempts.approvals.isApproved(fingerprint),
        begins: () => this.#board.show(beingProbed),
      },
      signal,
    );
    if (proven.end === 'applied') this.#attempts.approvals.use();
    return proven;
  }

  /** Puts the last good revision in the place of one that does not work, and keeps it there. */
  async #takeBack({ offer, kept, isKnown, why }: BackAgain, signal: AbortSignal): Promise<number | null> {
    const isBack = this.#inForce.offer === kept && this.status.state === 'rolled-back';
    const ended = await this.#attempts.make(
      {
        offer: () => kept,
        onDifference: (_, plan) => (isBack ? this.#drifted(kept, plan) : 'deliver'),
        closed: (candidate) => (isKnown || candidate === this.#inForce.offer ? null : this.#closed(candidate)),
        lets: (held) => isKnown && !isBack && this.#keeping.undoes(offer, held),
        begins: (_, plan, behind) => {
          this.#attempts.approvals.use();
          this.#countDelivery(kept, plan, isBack ? (behind ? 'nodes' : 'drift') : 'roll-back');
          this.#board.show({ ...beingTakenBack, generation: offer.generation + 1, plan });
        },
      },
      signal,
    );
    if (ended === null) return null;
    if (ended.end === 'rejected' && ended.leaves === 'last-good' && !isKnown && kept !== this.#inForce.offer) {
      // One that was only found in the past may be no good here either: what is live stays, until another is found.
      this.#keeping.passOver();
      this.#takenBack = null;
      return 0;
    }
    return this.#settle(kept, ended, { revision: offer.revision, why }).restMs;
  }

  #closed(offer: Offer): Closed | null {
    return this.#world.gate?.(offer, this.#world.clock.now()) ?? null;
  }

  #superseded(): boolean {
    return this.#mailbox.full || this.isSuspended;
  }

  #drifted(offer: Offer, plan: Plan): 'deliver' | 'report' {
    return anotherWriter(this.#world, { drift: this.#drift, board: this.#board }, offer.revision, plan);
  }

  #isDrift(offer: Offer, { digest }: Plan): boolean {
    return this.#attempts.isDrift(offer, digest);
  }

  #begins(offer: Offer, plan: Plan, behind: boolean): void {
    const drift = this.#isDrift(offer, plan);
    if (!drift) {
      this.#proving.delivers(offer, plan);
      this.#begun = offer;
    }
    const why = drift ? (behind ? 'nodes' : 'drift') : 'revision';
    this.#attempts.approvals.use();
    this.#countDelivery(offer, plan, why);
    this.#board.show({ ...beingDelivered(why), plan });
  }

  #countDelivery(offer: Offer, plan: Plan, why: DeliveryReason): void {
    // What is put right while another plan waits leaves that one its approval.
    if (this.#attempts.approvals.isApproved(plan.fingerprint)) this.#attempts.approvals.use();
    if (why === 'drift') this.#drift.corrected(plan, this.#world.clock.now());
    this.#board.countDelivery(offer.revision, plan, why);
  }

  /** How long it is to the end of each soak from here, in milliseconds, where what is in place is found to be so. */
  #untilSoaked(): readonly number[] {
    const { clock, soaksMs = [] } = this.#world;
    const since = this.status.state === 'applied' ? this.status.since : clock.now();
    return soaksMs.map((ms) => since + ms - clock.now()).filter((ms) => ms > 0);
  }

  /** Turns the end of a pass into a status and a rest. */
  #settle(offer: Offer, ended: PassEnd, back: TakenBack | null = null): Ending {
    const { clock, policy, random } = this.#world;
    const repeated = this.#tries.ended(ended);
    if (ended.end === 'applied') this.#confirmed(offer, ended);
    const isNew = ended.end === 'held' && !this.#attempts.wasInForce(offer, ended.plan.digest);
    this.#held = isNew && this.#isBefore(offer) ? offer : null;
    const said = endingOf(ended, {
      now: clock.now(),
      backoffMs: (failure) => this.#tries.waitMs(failure, random()),
      driftIntervalMs: policy.drift === 'ignore' ? null : policy.driftIntervalMs,
      isWatched: this.#proving.watches(offer, clock.now()),
      untilSoakedMs: this.#untilSoaked(),
      retryIntervalMs: policy.driftIntervalMs,
      repeated,
      deliveredWords: this.#inForce.words,
      drift: this.#drift.seen,
      inForce: offer === this.#inForce.offer ? null : (this.#inForce.offer?.revision ?? null),
      trailer: this.#attempts.approvals.whyNot(offer),
      corrects: policy.drift === 'correct' && (ended.end !== 'held' || this.#held === offer),
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
        ...(isInPlace(ending.status.state) ? this.#inForce.said(clock.now()) : {}),
      });
      tellEnding({ log: this.#world.log, now: clock.now() }, offer.revision, this.status, ended);
    }
    return ending;
  }

  #confirmed(offer: Offer, ended: Applied): void {
    this.#attempts.approvals.confirmed(offer);
    this.#begun = null;
    if (!this.#attempts.isInForce(offer, ended.built.digest ?? '')) this.#drift.forget();
    const now = this.#world.clock.now();
    this.#drift.left(ended.left, now);
    this.#drift.reported(ended.reported, now);
    this.#inForce.confirmed(offer, ended);
    this.#quarantining.asked();
  }

  /** What is in force was not known, and is now. */
  #found(kept: Offer, ended: Applied): void {
    this.#confirmed(kept, ended);
    if (!isDegraded(ended.built)) this.#board.show(this.#inForce.said(this.#world.clock.now()));
  }
}
