import type { Offer } from './offer.ts';

/** Why a revision does not go out yet. */
export interface Closed {
  /** In one sentence, for people. */
  readonly reason: string;
  /** What would open the gate. */
  readonly waitingFor: string;
  /** When it opens, in milliseconds since 1970; null where that depends on something else than time. */
  readonly until: number | null;
}

/** Says whether a revision may go out now; null where it may. Never waits. */
export type Gate = (offer: Pick<Offer, 'revision'>, now: number) => Closed | null;
