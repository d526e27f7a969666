import type { Built } from '../build/built.ts';
import type { State } from '../model/state.ts';
import type { Plan } from '../plan/plan.ts';
import { asFailure } from '../platform/failure.ts';
import { backoffMs } from './backoff.ts';
import { before } from './before.ts';
import { changeWords, type Ending, endingOf } from './ending.ts';
import type { LaneStatus } from './lane-status.ts';
import type { LaneWorld } from './lane-world.ts';
import { LastGoodSearch } from './last-good-search.ts';
import { Mailbox } from './mailbox.ts';
import { Nudge } from './nudge.ts';
import type { BuildSchemas, Offer } from './offer.ts';
import { type PassEnd, type PassWorld, pass } from './pass.ts';
import { Quarantining } from './quarantining.ts';
import { atRest, beingDelivered, beingRead, nothingOffered } from './sayings.ts';
import { StatusBoard } from './status-board.ts';
import { tellEnding, tellKept } from './tell-ending.ts';

/** The loop that owns one destination: it alone reads, plans, writes and reports for it. */
export class Lane {
  readonly #world: LaneWorld;
  readonly #mailbox = new Mailbox();
  readonly #nudge = new Nudge();
  readonly #declared = new Set<string>();
  readonly #board: StatusBoard;
  readonly #quarantining: Quarantining;
  readonly #search = new LastGoodSearch();
  #current: Offer | null = null;
  /** The last offer that was confirmed in place: what drift is measured against. */
  #inForce: Offer | null = null;
  /** What was confirmed for it. */
  #stateInForce: State | null = null;
  /** What was delivered last for the offer in force: `3 created`. */
  #deliveredWords: string | null = null;
  #failures = 0;
  #unconfirmed: string | null = null;
  #approved: string | null = null;
  #suspended = false;

  constructor(world: LaneWorld) {
    this.#world = world;
    this.#board = new StatusBoard(world);
    this.#quarantining = new Quarantining(world.onInvalid ?? 'reject');
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
    return this.#stateInForce;
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
    if (this.status.state === 'suspended') return null;
    this.#board.show(atRest);
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
          ended: (outcome) => this.#board.countWrites(outcome),
          identified: (identified) => {
            if (this.#board.identified(identified)) this.#quarantining.forget();
          },
          judge: (offer, schemas) => this.#quarantining.judge(offer, schemas),
          prepare: (offer, judged, schemas) => this.#prepare(offer, judged, schemas, signal),
          before: (offer, state, live, schemas) => before(this.#stateInForce, { offer, state, live, schemas }, signal),
          refused: (offer, built, diagnostics) =>
            this.#quarantining.refuse(offer, built, diagnostics, this.#world.clock.now()),
        },
        signal,
      );
    } catch (thrown) {
      if (signal.aborted) return null;
      const failure = asFailure(thrown)?.facts ?? this.#board.ownFault(thrown);
      return failure.class === 'rejected'
        ? { end: 'rejected', diagnostics: [], failure, plan: null, leaves: 'unknown' }
        : { end: 'failed', failure, plan: null };
    }
  }

  async #prepare(offer: Offer, judged: Built, schemas: BuildSchemas, signal: AbortSignal): Promise<boolean> {
    if (!this.#quarantining.lacks(offer, judged)) return false;
    await this.#quarantining.prepare(offer, schemas, this.#stateInForce, signal);
    return true;
  }

  #onDifference(offer: Offer): 'deliver' | 'report' {
    return this.#isDrift(offer) && this.#world.policy.drift !== 'correct' ? 'report' : 'deliver';
  }

  #isDrift(offer: Offer): boolean {
    return offer === this.#inForce && !this.#quarantining.asking;
  }

  #begins(offer: Offer, plan: Plan): void {
    const drift = this.#isDrift(offer);
    this.#countDelivery(offer, plan, drift);
    this.#board.show({ ...beingDelivered(drift), plan });
  }

  #countDelivery(offer: Offer, plan: Plan, drift: boolean): void {
    this.#approved = null;
    this.#board.countDelivery(offer.revision, plan, drift ? 'drift' : 'revision');
  }

  /** Turns the end of a pass into a status and a rest. */
  #settle(offer: Offer, ended: PassEnd): Ending {
    const { clock, policy, random } = this.#world;
    if (ended.end === 'failed') this.#failures += 1;
    else if (ended.end !== 'unconfirmed') this.#failures = 0;
    const repeated = ended.end === 'unconfirmed' && this.#unconfirmed === ended.plan.fingerprint;
    this.#unconfirmed = ended.end === 'unconfirmed' ? ended.plan.fingerprint : null;
    if (ended.end === 'unconfirmed') this.#failures += 1;
    if (ended.end === 'applied') this.#confirmed(offer, ended);
    const ending = endingOf(ended, {
      backoffMs: (failure) =>
        backoffMs({ failures: this.#failures, retryAfterMs: failure?.retryAfterMs ?? null, random: random() }),
      driftIntervalMs: policy.drift === 'ignore' ? null : policy.driftIntervalMs,
      retryIntervalMs: policy.driftIntervalMs,
      repeated,
      deliveredWords: this.#deliveredWords,
    });
    if (ending.status !== null) {
      const { counts } = this.status;
      this.#board.show({
        ...ending.status,
        quarantine: this.#quarantineAfter(offer, ended),
        nextTryAt: ending.restMs === null ? null : clock.now() + ending.restMs,
        counts: { ...counts, failures: counts.failures + (ended.end === 'failed' ? 1 : 0) },
        ...(ending.status.state === 'applied' ? { applied: offer.revision, appliedAt: clock.now() } : {}),
      });
      tellEnding({ log: this.#world.log, now: clock.now() }, offer.revision, this.status, ended);
    }
    return ending;
  }

  #confirmed(offer: Offer, { delivered, built }: Extract<PassEnd, { readonly end: 'applied' }>): void {
    if (delivered !== null) this.#deliveredWords = changeWords(delivered);
    else if (offer !== this.#inForce) this.#deliveredWords = null;
    this.#inForce = offer;
    this.#stateInForce = built.state;
    this.#quarantining.asked();
  }

  /** What is in quarantine now, each since it was first. What is refused or not read leaves it as it was. */
  #quarantineAfter(offer: Offer, ended: PassEnd): LaneStatus['quarantine'] {
    const before = this.status.quarantine;
    if (ended.end !== 'applied') return before;
    const at = this.#world.clock.now();
    return (ended.built.quarantine?.leftOut ?? []).map((one) => {
      const known = before.find(({ entity }) => entity.kind === one.entity.kind && entity.name === one.entity.name);
      return { ...one, since: known?.since ?? at, sinceRevision: known?.sinceRevision ?? offer.revision };
    });
  }

  /** While a revision is refused, the last good one stays in force, and keeps being corrected against drift. */
  async #keepInForce(refused: Offer, signal: AbortSignal): Promise<void> {
    if (this.#world.policy.drift !== 'correct') return;
    for (;;) {
      if (this.#superseded() || signal.aborted) return;
      const kept =
        this.#inForce ??
        (await this.#search.next(refused, this.#world.log, this.#board.fields(refused.revision), signal));
      if (kept === null || kept === refused || this.#superseded() || signal.aborted) return;
      const ended = await this.#attempt(
        {
          offer: () => kept,
          onDifference: () => 'deliver',
          // The status stays that of the refused revision: it is what people wait for.
          begins: (_, plan) => this.#countDelivery(kept, plan, true),
        },
        signal,
      );
      if (ended === null) return;
      tellKept(this.#world.log, { destination: this.name, revision: kept.revision }, ended);
      if (ended.end === 'applied' && this.#inForce === null) this.#found(kept, ended);
      if (ended.end === 'refused-in-part') continue;
      // What was taken in part, or could not be asked about, is not undone for one that is older still.
      if (ended.end !== 'rejected' || ended.leaves !== 'last-good' || this.#inForce !== null) return;
      this.#search.passOver();
    }
  }

  /** What is in force was not known, and is now. */
  #found(kept: Offer, ended: Extract<PassEnd, { readonly end: 'applied' }>): void {
    this.#confirmed(kept, ended);
    const degraded = (ended.built.quarantine?.leftOut ?? []).length > 0;
    if (!degraded) this.#board.show({ applied: kept.revision, appliedAt: this.#world.clock.now() });
  }
}
