import type { Built } from '../build/built.ts';
import type { RiskNote } from '../build/risk/risk.ts';
import type { Plan } from '../plan/plan.ts';

/** What a proposed change does at one destination. */
export interface ReviewedDestination {
  readonly name: string;
  /** What the branch builds to today; null where it could not be built. */
  readonly base: Built | null;
  /** What the branch would build to after the merge. */
  readonly head: Built;
  /** The change to what is live; null where it is not known. */
  readonly plan: Plan | null;
  /** When the destination was read last, in milliseconds since 1970; null where it never was. */
  readonly liveAt: number | null;
  /** Why there is no plan, in one sentence; null where there is one. */
  readonly noPlan: string | null;
  /** Whether no plan was to be made, because the configuration wants such changes checked only; `noPlan` says so. */
  readonly checkedOnly?: boolean;
  /** What could not be compared with what is live, since it hangs on values of the environment; a sentence each. */
  readonly notCompared?: readonly string[];
  readonly risks: readonly RiskNote[];
}

/** All that is said about one proposed change. */
export interface Review {
  /** The proposed commit, and the commit of the branch that it was merged with in memory. */
  readonly head: string;
  readonly base: string;
  /** Paths on which the merge conflicts: there is nothing else to say then. */
  readonly conflicts: readonly string[];
  readonly destinations: readonly ReviewedDestination[];
  /**
   * Why the proposed commit would not be accepted as the branch's newest: a sentence without a full stop; null, and left
   * out, where it would be or no signature is asked for.
   */
  readonly unaccepted?: string | null;
  /** When the review was made, in milliseconds since 1970. */
  readonly at: number;
}

/** The verdict of a review: what `konverge/plan` says. */
export interface ReviewVerdict {
  readonly state: 'success' | 'failure' | 'error';
  /** One line that leads with the fact. */
  readonly description: string;
}
