import type { Hold, Plan } from '../plan/plan.ts';
import { asFailure } from '../platform/failure.ts';
import type { Attempts } from './attempts.ts';
import type { Closed } from './gate.ts';
import type { InForce } from './in-force.ts';
import type { LaneWorld } from './lane-world.ts';
import { LastGoodSearch } from './last-good-search.ts';
import type { Offer } from './offer.ts';
import type { Applied } from './pass.ts';
import type { Remembered } from './remembered.ts';
import type { DeliveryReason, StatusBoard } from './status-board.ts';
import { tellKept } from './tell-ending.ts';

/** Why a revision does not take the place of the one before it. */
export type NotTaken = 'refused' | 'waits' | 'held';

/** An offer that was taken back, to what, and why. */
export interface BackAgain {
  readonly offer: Offer;
  readonly kept: Offer;
  /** Whether that is known to have been in force here before: it is nothing new then, and no gate holds it back. */
  readonly isKnown: boolean;
  readonly why: string;
}

/** What keeping the last good revision in force needs of its lane. */
export interface KeepingWorld {
  readonly attempts: Attempts;
  readonly inForce: InForce;
  readonly board: StatusBoard;
  readonly remembered: Remembered;
  readonly superseded: () => boolean;
  readonly closed: (offer: Offer) => Closed | null;
  readonly drifted: (offer: Offer, plan: Plan) => 'deliver' | 'report';
  /** Told when a delivery for what is kept begins. */
  readonly begins: (kept: Offer, plan: Plan, why: DeliveryReason) => void;
  /** Told what is in force where that was not known. */
  readonly found: (kept: Offer, ended: Applied) => void;
}

/** Why plans are held that delete much, or that nobody saw. */
const forTheDeleted: ReadonlySet<Hold['code']> = new Set(['mass-delete', 'last-of-kind', 'not-reviewed']);

/** Keeps the last good revision in force while a newer one is refused, waits, or is held. */
export class Keeping {
  readonly #lane: LaneWorld;
  readonly #world: KeepingWorld;
  readonly #search = new LastGoodSearch();
  /** The offer that was looked up in what earlier processes did. */
  #lookedUp: Offer | null = null;

  constructor(lane: LaneWorld, world: KeepingWorld) {
    this.#lane = lane;
    this.#world = world;
  }

  /** What is to be in force in the place of a revision; one that is only known from the past has to pass the gate. */
  async lastGood(refused: Offer, signal: AbortSignal): Promise<Offer | null> {
    const { inForce, closed } = this.#world;
    if (inForce.offer !== null) return inForce.insteadOf(refused);
    const found = await this.#next(refused, signal);
    return found === null || closed(found) !== null ? null : found;
  }

  /**
   * What to take a revision back to whose content, of this digest, does not work: something else. Null where none is
   * known, or where it was in force before: then it is not this revision that broke it.
   */
  async insteadOfUnhealthy(
    offer: Offer,
    digest: string,
    signal: AbortSignal,
  ): Promise<Pick<BackAgain, 'kept' | 'isKnown'> | null> {
    const { inForce, attempts, board } = this.#world;
    if (inForce.offer !== null) {
      const kept = inForce.otherThan(offer, digest);
      return kept === null ? null : { kept, isKnown: true };
    }
    if (offer.earlier?.applied === true) return null;
    const schemas = attempts.lastRead?.schemas ?? null;
    for (;;) {
      const found = await this.lastGood(offer, signal);
      if (found === null) return null;
      try {
        if (found.build(schemas).digest !== digest) return { kept: found, isKnown: false };
      } catch (thrown) {
        board.ownFault(thrown);
        return null;
      }
      this.#search.passOver();
    }
  }

  /**
   * Whether all that a plan deletes is what a revision declares: to take that revision back deletes nothing that was
   * there before it, and needs nobody.
   */
  undoes(offer: Offer, { held, changes }: Plan): boolean {
    const { attempts, board } = this.#world;
    const read = attempts.lastRead;
    if (held === null || read === null || !forTheDeleted.has(held.code)) return false;
    try {
      const { state } = offer.build(read.schemas);
      return changes.every(({ action, kind, id }) => {
        const live = action === 'delete' ? read.live.state.byId(kind, id) : undefined;
        return action !== 'delete' || (live !== undefined && state.byIdentity(live.kind, live.identity) !== undefined);
      });
    } catch (thrown) {
      board.ownFault(thrown);
      return false;
    }
  }

  /**
   * That an earlier process took this revision back here, and to what: it stays so. Said once, so that a person can
   * have it tried again; null where nothing of the kind is known.
   */
  async takenBackEarlier(offer: Offer, signal: AbortSignal): Promise<BackAgain | null> {
    const why = offer.earlier?.takenBack ?? null;
    const isAsked = this.#lookedUp === offer || this.#world.inForce.offer !== null;
    if (why === null || isAsked || this.#lane.health?.onUnhealthy !== 'rollback') return null;
    this.#lookedUp = offer;
    const { kept, isKnown } = await this.#toKeep(offer, 'held', signal);
    return kept === null ? null : { offer, kept, isKnown, why };
  }

  /** A fault of ours in what is built of the past ends no lane. */
  async #next(refused: Offer, signal: AbortSignal): Promise<Offer | null> {
    const { board } = this.#world;
    try {
      return await this.#search.next(refused, this.#lane.log, board.fields(refused.revision), signal);
    } catch (thrown) {
      if (!signal.aborted) board.ownFault(thrown);
      return null;
    }
  }

  /** What was found in the past is no good here either: the next time another one is looked for. */
  passOver(): void {
    this.#search.passOver();
  }

  /**
   * Has what is in force looked at, and put right or fed to nodes that lack it, as the policy asks. Whether anything was
   * delivered.
   */
  async keep(refused: Offer, why: NotTaken, signal: AbortSignal): Promise<boolean> {
    const { attempts, inForce, board, superseded, closed, begins, found } = this.#world;
    const { policy, log, destination } = this.#lane;
    const corrects = policy.drift === 'correct';
    // Nodes that lost what they had are no drift: they are fed whatever the policy.
    if (!corrects && board.status.identified?.mode !== 'dbless') return false;
    let delivered = false;
    for (;;) {
      if (superseded() || signal.aborted) return delivered;
      const { kept, isKnown } = await this.#toKeep(refused, why, signal);
      if (kept === null || superseded() || signal.aborted) return delivered;
      const ended = await attempts.make(
        {
          offer: () => kept,
          onDifference: (_, plan) => {
            if (!corrects) return 'report';
            if (attempts.isInForce(kept, plan.digest)) return this.#world.drifted(kept, plan);
            return isKnown ? 'deliver' : 'report';
          },
          closed: (candidate) =>
            isKnown && why === 'held' ? null : candidate === inForce.offer ? null : closed(candidate),
          // The status stays that of the refused revision: it is what people wait for.
          begins: (_, plan, behind) => {
            delivered = true;
            begins(kept, plan, behind ? 'nodes' : 'drift');
          },
        },
        signal,
      );
      if (ended === null) return delivered;
      const isSilent = ended.end === 'drifted' && kept !== inForce.offer;
      if (!isSilent && (corrects || ended.end !== 'drifted'))
        tellKept(log, { destination: destination.name, revision: kept.revision }, ended);
      if (ended.end === 'applied' && inForce.offer === null) found(kept, ended);
      if (ended.end === 'refused-in-part') continue;
      // What was taken in part, or could not be asked about, is not undone for one that is older still.
      if (ended.end !== 'rejected' || ended.leaves !== 'last-good' || inForce.offer !== null) return delivered;
      // What an earlier process put in place is what is in force, or nothing is.
      if (why === 'held' && isKnown) return delivered;
      this.#search.passOver();
    }
  }

  /**
   * What is to be kept, and whether it is known to be in force. A revision that waits or is held takes nothing back: what
   * an earlier process put in place last stays, not what is newer and never went out. Where that is not known, what was
   * found in the past has to pass the gate; beside one that is held it is taken for that where it is live, and otherwise
   * given to nodes alone that have nothing.
   */
  async #toKeep(
    refused: Offer,
    why: NotTaken,
    signal: AbortSignal,
  ): Promise<{ readonly kept: Offer | null; readonly isKnown: boolean }> {
    const { inForce, remembered, board } = this.#world;
    if (why === 'refused' || inForce.offer !== null) {
      return { kept: await this.lastGood(refused, signal), isKnown: true };
    }
    try {
      const was = await remembered.before(refused, null, signal);
      if (was === 'itself') return { kept: null, isKnown: false };
      if (was !== null) return { kept: was, isKnown: true };
      if (why === 'waits') return { kept: await this.lastGood(refused, signal), isKnown: true };
    } catch (thrown) {
      if (signal.aborted) return { kept: null, isKnown: false };
      const facts = asFailure(thrown)?.facts ?? board.ownFault(thrown);
      const fields = { ...board.fields(refused.revision), code: facts.code, failure: facts.message };
      this.#lane.log.warn(fields, 'what was applied last could not be read; the destination is left as it is');
      return { kept: null, isKnown: false };
    }
    return { kept: await this.lastGood(refused, signal), isKnown: false };
  }
}
