import type { Plan } from '../plan/plan.ts';
import { asFailure } from '../platform/failure.ts';
import { type Approval, Approvals } from './approvals.ts';
import { before } from './before.ts';
import type { Drift } from './drift.ts';
import type { InForce } from './in-force.ts';
import type { LaneWorld } from './lane-world.ts';
import type { BuildSchemas, Offer } from './offer.ts';
import { type Applied, type PassEnd, type PassWorld, pass } from './pass.ts';
import type { Quarantining } from './quarantining.ts';
import type { Remembered } from './remembered.ts';
import { type InForceBefore, isEmptied } from './shrunk.ts';
import type { StatusBoard } from './status-board.ts';
import type { Survey } from './survey.ts';

/** What one pass is for. */
export interface Aim extends Pick<PassWorld, 'offer' | 'onDifference' | 'begins' | 'closed'> {
  /** Proves what was confirmed, before it counts; nothing is proved where it is left out. */
  readonly proves?: (ended: Applied) => Promise<PassEnd>;
  /** Whether a plan that would be held may go out all the same; none may where it is left out. */
  readonly lets?: (held: Plan) => boolean;
  /** Whether a plan is judged by what was in force before, too; it is not where that is left out. */
  readonly guards?: (offer: Offer) => boolean;
}

/** What passes are made with besides the lane's world. */
export interface AttemptsWorld {
  readonly board: StatusBoard;
  readonly inForce: InForce;
  readonly quarantining: Quarantining;
  readonly drift: Drift;
  readonly remembered: Remembered;
  readonly superseded: () => boolean;
}

const nothing: ReadonlySet<string> = new Set();

/** Makes the passes of one lane, and keeps what outlives them: what the branch declared, and a person's approval. */
export class Attempts {
  readonly #lane: LaneWorld;
  readonly #world: AttemptsWorld;
  readonly #declared = new Set<string>();
  /** What persons let through. */
  readonly approvals: Approvals;
  #read: Omit<Survey, 'built'> | null = null;
  /** Whether this process began to deliver anything that was not in force. */
  #hasBegun = false;

  constructor(lane: LaneWorld, world: AttemptsWorld) {
    this.#lane = lane;
    this.#world = world;
    const { approved = null } = lane;
    this.approvals = new Approvals(lane.destination.name, approved, (approval) => this.#tellApproval(approval));
    if (approved !== null) world.board.show({ approval: approved });
  }

  /** What was read of the destination last, complete; null before there is any. */
  get lastRead(): Omit<Survey, 'built'> | null {
    return this.#read;
  }

  /** Entities (`kind/identity`) that the branch is known to have declared, as far as was asked. Grows. */
  get declared(): ReadonlySet<string> {
    return this.#declared;
  }

  #tellApproval(approval: Approval | null): void {
    const { board } = this.#world;
    board.show({ approval });
    if (approval?.by !== 'trailer') return;
    const { fingerprint, who } = approval;
    this.#lane.log.info(
      { ...board.fields(board.status.revision), fingerprint, who },
      'the trailer of the commit lets a plan through that would be held',
    );
  }

  /** Whether what differs from this offer, with content of this digest, was done by another writer. */
  isDrift(offer: Offer, digest: string): boolean {
    const { board, quarantining } = this.#world;
    const asks = quarantining.asking && board.status.quarantine.length > 0;
    return this.isInForce(offer, digest) && !asks;
  }

  /** Whether this content of an offer is in force, by this process or as an earlier one left it. */
  isInForce(offer: Offer, digest: string): boolean {
    return offer === this.#world.inForce.offer || this.wasInForce(offer, digest);
  }

  /**
   * Whether this content of an offer is known to have been in force when this process began, which changed nothing of it.
   * Nodes that take their state whole may have been left behind, which only who delivered it could tell from drift.
   */
  wasInForce(offer: Offer, digest: string): boolean {
    const { board, inForce } = this.#world;
    if (inForce.offer !== null || this.#hasBegun || board.status.identified?.mode === 'dbless') return false;
    return this.#lane.wasConfirmed?.(offer.revision, digest) === true;
  }

  /** A pass whose failures are values; null when it was stopped. */
  async make(aim: Aim, signal: AbortSignal): Promise<PassEnd | null> {
    const { board, quarantining, inForce, drift, superseded } = this.#world;
    const { destination, plan, policy, lease, clock } = this.#lane;
    try {
      const ended = await pass(
        {
          ...aim,
          destination,
          plan,
          superseded,
          // A trailer is for what its own commit changes, not for what others did to it afterwards.
          approved: (offer, held) =>
            aim.lets?.(held) === true ||
            (this.isDrift(offer, held.digest)
              ? this.approvals.isApproved(held.fingerprint)
              : this.approvals.letsThrough(offer, held)),
          // What is in force stays so, whatever becomes of the key that it was signed by.
          refusal: async (offer) =>
            offer === inForce.offer ? null : ((await offer.refusal?.(offer.revision, signal)) ?? null),
          isDrift: (offer, digest) => this.isDrift(offer, digest),
          begins: (offer, made, behind) => {
            const isDrift = this.isDrift(offer, made.digest);
            aim.begins(offer, made, behind);
            this.#hasBegun ||= !isDrift;
          },
          declared: this.#declared,
          mayWrite: () => lease.held(),
          ended: (outcome) => board.countWrites(outcome),
          seen: ({ identified, live, schemas }) => {
            this.#read = { identified, live, schemas };
          },
          identified: (identified) => {
            if (board.identified(identified)) quarantining.forget();
          },
          judge: (offer, schemas) => quarantining.judge(offer, schemas),
          lacks: (offer, judged) => quarantining.lacks(offer, judged),
          prepare: (offer, schemas) => quarantining.prepare(offer, schemas, inForce, signal),
          leave: (offer) => (offer === inForce.offer ? drift.leave(clock.now()) : nothing),
          report: (offer, { digest }) =>
            policy.drift === 'correct' && this.isDrift(offer, digest ?? '') ? (policy.driftReport ?? []) : [],
          before: async (offer, state, live, schemas) => {
            // A DB-less node is owned whole, whatever its tags.
            if (board.status.identified?.mode === 'dbless') return null;
            const read = destination.read.bind(destination);
            return before(inForce.state, { offer, state, live, schemas, read }, signal);
          },
          inForce: async (offer, live, schemas) =>
            aim.guards?.(offer) === true ? this.#inForceBefore(offer, live, schemas, signal) : null,
          refused: (offer, built, diagnostics) => quarantining.refuse(offer, built, diagnostics, clock.now()),
        },
        signal,
      );
      return ended.end === 'applied' && aim.proves !== undefined ? await aim.proves(ended) : ended;
    } catch (thrown) {
      if (signal.aborted) return null;
      const failure = asFailure(thrown)?.facts ?? board.ownFault(thrown);
      return failure.class === 'rejected'
        ? { end: 'rejected', diagnostics: [], failure, plan: null, leaves: 'unknown' }
        : { end: 'failed', failure, plan: null };
    }
  }

  /** What others may change is theirs to delete; what nodes had before they were restarted never is. */
  async #inForceBefore(
    offer: Offer,
    live: Survey['live'],
    schemas: BuildSchemas,
    signal: AbortSignal,
  ): Promise<InForceBefore> {
    const { inForce, remembered } = this.#world;
    if (offer === inForce.offer) return null;
    const emptied = isEmptied(live);
    if (!emptied && this.#lane.policy.drift !== 'correct') return null;
    if (inForce.state !== null) return inForce.state;
    const was = await remembered.before(offer, schemas, signal);
    if (was === 'itself') return null;
    if (was !== null) return was.build(schemas).state;
    return emptied ? 'unknown' : null;
  }
}
