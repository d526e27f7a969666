import type { Destination, Identified, Outcome } from '../destination/destination.ts';
import type { Plan } from '../plan/plan.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure, type FailureFacts, faultText, ownFault } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { backoffMs } from './backoff.ts';
import { changeWords, countChanges, type Ending, endingOf, refusal } from './ending.ts';
import type { LaneStatus } from './lane-status.ts';
import { Mailbox } from './mailbox.ts';
import { Nudge } from './nudge.ts';
import type { Offer } from './offer.ts';
import { type PassEnd, type PassWorld, pass } from './pass.ts';
import type { MakePlan } from './survey.ts';
import { tellEnding } from './tell-ending.ts';

/** The right to write to a destination. One process always has it; several share it through a lease. */
export interface Lease {
  readonly held: () => boolean;
}

/** The lease of a process that is alone. */
export const alone: Lease = { held: () => true };

/** What a lane is made with. Nothing in it is shared with another lane in a way that can wait. */
export interface LaneWorld {
  readonly destination: Destination;
  readonly plan: MakePlan;
  readonly policy: { readonly drift: 'correct' | 'report' | 'ignore'; readonly driftIntervalMs: number };
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly lease: Lease;
  /** Told every new status, at once. Must not wait. */
  readonly report: (status: LaneStatus) => void;
}

type Saying = Pick<LaneStatus, 'state' | 'detail' | 'waitingFor' | 'nextTryAt'>;

const nothingOffered: Saying = {
  state: 'pending',
  detail: 'no revision was offered yet',
  waitingFor: 'the first revision',
  nextTryAt: null,
};

const beingRead: Saying = {
  state: 'delivering',
  detail: 'the live state is being read',
  waitingFor: "the destination's answer",
  nextTryAt: null,
};

/** The loop that owns one destination: it alone reads, plans, writes and reports for it. */
export class Lane {
  readonly #world: LaneWorld;
  readonly #mailbox = new Mailbox();
  readonly #nudge = new Nudge();
  readonly #declared = new Set<string>();
  #current: Offer | null = null;
  /** The last offer that was confirmed in place: what drift is measured against. */
  #inForce: Offer | null = null;
  /** What was delivered last for the offer in force: `3 created`. */
  #deliveredWords: string | null = null;
  #failures = 0;
  #unconfirmed: string | null = null;
  #approved: string | null = null;
  #suspended = false;
  #status: LaneStatus;

  constructor(world: LaneWorld) {
    this.#world = world;
    this.#status = {
      destination: world.destination.name,
      since: world.clock.now(),
      generation: 0,
      revision: null,
      attempted: null,
      applied: null,
      appliedAt: null,
      ...nothingOffered,
      failure: null,
      diagnostics: [],
      plan: null,
      identified: null,
      counts: { deliveries: 0, failures: 0, writes: 0, driftsCorrected: 0 },
    };
  }

  /** The destination's name. */
  get name(): string {
    return this.#world.destination.name;
  }

  /** What the lane says about its destination now. */
  get status(): LaneStatus {
    return this.#status;
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
    this.#nudge.nudge();
  }

  /** Lets the held plan with this fingerprint through, once. A plan that changed meanwhile is held anew. */
  approve(fingerprint: string): void {
    this.#approved = fingerprint;
    this.#nudge.nudge();
  }

  /** Stops delivering after what is under way, until `resume`. */
  suspend(): void {
    this.#suspended = true;
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
    if (this.#status.state === 'suspended') return null;
    this.#show({
      state: 'suspended',
      detail: 'suspended: nothing is delivered and drift is not corrected',
      waitingFor: 'resume',
      nextTryAt: null,
    });
    return null;
  }

  /** What is said between the end of a suspension and the end of the next pass. */
  #wakeUp(): void {
    if (this.#status.state !== 'suspended') return;
    this.#show(this.#current === null ? nothingOffered : beingRead);
  }

  /** The newest offer: what waits in the mailbox, or what the lane already works on. */
  #newest(): Offer | null {
    const waiting = this.#mailbox.take();
    if (waiting !== null) {
      this.#current = waiting;
      this.#failures = 0;
      this.#unconfirmed = null;
      this.#show({
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
    if (this.#status.nextTryAt !== null) this.#show({ nextTryAt: null });
    let offer = first;
    const ended = await this.#attempt(
      {
        offer: () => {
          offer = this.#newest() ?? first;
          return offer;
        },
        onDifference: (candidate) => this.#onDifference(candidate),
        begins: (started, plan) => this.#begins(started, plan),
      },
      signal,
    );
    if (ended === null) return null;
    const ending = this.#settle(offer, ended);
    if (ended.end === 'rejected' && ended.leaves === 'last-good') await this.#keepInForce(offer, signal);
    return ending.restMs;
  }

  #superseded(): boolean {
    return this.#mailbox.full || this.#suspended;
  }

  /** A pass whose failures are values; null when it was stopped. */
  async #attempt(
    aim: Pick<PassWorld, 'offer' | 'onDifference' | 'begins'>,
    signal: AbortSignal,
  ): Promise<PassEnd | null> {
    try {
      return await pass(
        {
          ...aim,
          destination: this.#world.destination,
          plan: this.#world.plan,
          superseded: () => this.#superseded(),
          approved: (fingerprint) => this.#approved === fingerprint,
          declared: this.#declared,
          mayWrite: () => this.#world.lease.held(),
          ended: (outcome) => this.#count(outcome),
          identified: (identified) => this.#identified(identified),
        },
        signal,
      );
    } catch (thrown) {
      if (signal.aborted) return null;
      const failure = asFailure(thrown)?.facts ?? this.#ownFault(thrown);
      return failure.class === 'rejected'
        ? { end: 'rejected', diagnostics: [], failure, plan: null, leaves: 'unknown' }
        : { end: 'failed', failure, plan: null };
    }
  }

  /** A fault of ours in one lane is told and tried again, so that it ends neither the lane nor another. */
  #ownFault(thrown: unknown): FailureFacts {
    this.#world.log.error(
      { ...this.#fields(this.#status.revision), stack: faultText(thrown) },
      'a fault of Konverge itself',
    );
    return ownFault();
  }

  #onDifference(offer: Offer): 'deliver' | 'report' {
    return offer === this.#inForce && this.#world.policy.drift !== 'correct' ? 'report' : 'deliver';
  }

  #begins(offer: Offer, plan: Plan): void {
    const drift = offer === this.#inForce;
    this.#countDelivery(offer, plan, drift);
    this.#show({
      state: 'delivering',
      detail: drift ? 'putting drift right' : 'being delivered',
      waitingFor: 'the end of the delivery',
      nextTryAt: null,
      plan,
    });
  }

  #countDelivery(offer: Offer, plan: Plan, drift: boolean): void {
    const { counts } = this.#status;
    this.#approved = null;
    this.#world.log.info(
      { ...this.#fields(offer.revision), ...countChanges(plan) },
      drift ? 'putting drift right' : 'delivering a revision',
    );
    this.#show({
      counts: {
        ...counts,
        deliveries: counts.deliveries + 1,
        driftsCorrected: counts.driftsCorrected + (drift ? 1 : 0),
      },
    });
  }

  #count(outcome: Outcome): void {
    const { counts } = this.#status;
    this.#show({ counts: { ...counts, writes: counts.writes + outcome.writes } });
  }

  #identified(identified: Identified): void {
    if (this.#status.identified?.description === identified.description) return;
    this.#world.log.info({ ...this.#fields(null), is: identified.description }, 'asked who the destination is');
    this.#show({ identified });
  }

  /** Turns the end of a pass into a status and a rest. */
  #settle(offer: Offer, ended: PassEnd): Ending {
    const { clock, policy, random } = this.#world;
    if (ended.end === 'failed') this.#failures += 1;
    else if (ended.end !== 'unconfirmed') this.#failures = 0;
    const repeated = ended.end === 'unconfirmed' && this.#unconfirmed === ended.plan.fingerprint;
    this.#unconfirmed = ended.end === 'unconfirmed' ? ended.plan.fingerprint : null;
    if (ended.end === 'unconfirmed') this.#failures += 1;
    if (ended.end === 'applied') this.#confirmed(offer, ended.delivered);
    const ending = endingOf(ended, {
      backoffMs: (failure) =>
        backoffMs({ failures: this.#failures, retryAfterMs: failure?.retryAfterMs ?? null, random: random() }),
      driftIntervalMs: policy.drift === 'ignore' ? null : policy.driftIntervalMs,
      retryIntervalMs: policy.driftIntervalMs,
      repeated,
      deliveredWords: this.#deliveredWords,
    });
    if (ending.status !== null) {
      const { counts } = this.#status;
      this.#show({
        ...ending.status,
        nextTryAt: ending.restMs === null ? null : clock.now() + ending.restMs,
        counts: { ...counts, failures: counts.failures + (ended.end === 'failed' ? 1 : 0) },
        ...(ended.end === 'applied' ? { applied: offer.revision, appliedAt: clock.now() } : {}),
      });
      tellEnding({ log: this.#world.log, now: clock.now() }, offer.revision, this.#status, ended);
    }
    return ending;
  }

  #confirmed(offer: Offer, delivered: Plan | null): void {
    if (delivered !== null) this.#deliveredWords = changeWords(delivered);
    else if (offer !== this.#inForce) this.#deliveredWords = null;
    this.#inForce = offer;
  }

  async #keepInForce(refused: Offer, signal: AbortSignal): Promise<void> {
    const kept = this.#inForce;
    if (kept === null || kept === refused || this.#world.policy.drift !== 'correct') return;
    if (this.#superseded() || signal.aborted) return;
    const ended = await this.#attempt(
      {
        offer: () => kept,
        onDifference: () => 'deliver',
        // The status stays that of the refused revision: it is what people wait for.
        begins: (_, plan) => this.#countDelivery(kept, plan, true),
      },
      signal,
    );
    if (ended === null || ended.end === 'applied' || ended.end === 'superseded' || ended.end === 'not-ours') return;
    this.#world.log.warn(
      {
        ...this.#fields(kept.revision),
        why: refusal(ended),
        // The status shows the refused revision's plan: this is the one place that names what could be approved.
        fingerprint: ended.end === 'held' ? ended.plan.fingerprint : undefined,
      },
      'the last good revision could not be kept in force',
    );
  }

  #fields(revision: string | null): { destination: string; revision: string | null } {
    return { destination: this.name, revision };
  }

  #show(change: Partial<LaneStatus>): void {
    const since = change.state !== undefined && change.state !== this.#status.state ? this.#world.clock.now() : null;
    this.#status = { ...this.#status, ...change, ...(since === null ? {} : { since }) };
    try {
      this.#world.report(this.#status);
    } catch (thrown) {
      // Whoever listens may break without breaking the delivery.
      this.#ownFault(thrown);
    }
  }
}
