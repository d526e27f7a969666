import type { Identified, Outcome } from '../destination/destination.ts';
import type { Plan } from '../plan/plan.ts';
import { asFailure, type FailureFacts, faultText, ownFault } from '../platform/failure.ts';
import { backoffMs } from './backoff.ts';
import { changeWords, countChanges, type Ending, endingOf } from './ending.ts';
import type { LaneStatus } from './lane-status.ts';
import type { LaneWorld } from './lane-world.ts';
import { Mailbox } from './mailbox.ts';
import { Nudge } from './nudge.ts';
import type { Offer } from './offer.ts';
import { type PassEnd, type PassWorld, pass } from './pass.ts';
import { atRest, beingDelivered, beingRead, firstStatus, nothingOffered } from './sayings.ts';
import { tellEnding, tellKept } from './tell-ending.ts';

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
    this.#status = firstStatus(world.destination.name, world.clock.now());
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
    this.#show(atRest);
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
    this.#show({ ...beingDelivered(drift), plan });
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
    if (ended !== null) tellKept(this.#world.log, { destination: this.name, revision: kept.revision }, ended);
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
