import type { Plan } from '../plan/plan.ts';
import type { GivenBy } from './given-by.ts';
import type { Offer } from './offer.ts';
import { type TrailerApproval, trailerApproval } from './trailer-approval.ts';

/** That a person lets one plan through, once. */
export interface Approval {
  readonly fingerprint: string;
  /** `person`: over the API; `trailer`: in the message of the commit. */
  readonly by: 'person' | 'trailer';
  /** Who: by their own word, or by the signature of the commit. And why, where they said so. */
  readonly who: string | null;
  readonly reason: string | null;
}

/** The approvals of one lane: one at a time, for one fingerprint, used by the next delivery. */
export class Approvals {
  readonly #destination: string;
  readonly #tell: (approval: Approval | null) => void;
  #given: Approval | null;
  /** What was signed where its trailer counts no more: a commit that the branch is taken back to approves nothing again. */
  readonly #trailersUsed = new Set<string>();

  /** `given` is what an earlier process had and did not use; each change is told. */
  constructor(destination: string, given: Approval | null, tell: (approval: Approval | null) => void) {
    this.#destination = destination;
    this.#given = given;
    this.#tell = tell;
  }

  /** Lets the plan with this fingerprint through, once. */
  give(fingerprint: string, given: GivenBy): void {
    this.#take({ fingerprint, by: 'person', ...given });
  }

  /** Whether the plan with this fingerprint is let through. */
  isApproved(fingerprint: string): boolean {
    return this.#given?.fingerprint === fingerprint;
  }

  /** The same of a plan that is held for an offer: the first such plan is the one that a trailer is for. */
  letsThrough(offer: Offer, { fingerprint }: Plan): boolean {
    const trailer = this.#trailer(offer);
    if (!this.isApproved(fingerprint) && trailer?.counts === true && !this.#isSpent(offer)) {
      this.#trailersUsed.add(nameOf(offer));
      this.#take({ fingerprint, by: 'trailer', who: trailer.who, reason: null });
    }
    return this.isApproved(fingerprint);
  }

  /** Why the trailer of an offer does not let a plan through; null where there is none. */
  whyNot(offer: Offer): string | null {
    const trailer = this.#trailer(offer);
    if (trailer === null) return null;
    return trailer.counts ? 'it counts once, for the first plan that is held' : trailer.why;
  }

  /** An approval is for one plan, once: something was delivered. */
  use(): void {
    if (this.#given !== null) this.#take(null);
  }

  /** An offer is in place: what its trailer was for is done. */
  confirmed(offer: Offer): void {
    if (this.#trailer(offer) !== null) this.#trailersUsed.add(nameOf(offer));
  }

  #trailer({ commit }: Offer): TrailerApproval | null {
    return commit === undefined ? null : trailerApproval(commit, this.#destination);
  }

  #isSpent(offer: Offer): boolean {
    return this.#trailersUsed.has(nameOf(offer)) || offer.earlier?.wasTried === true;
  }

  #take(approval: Approval | null): void {
    this.#given = approval;
    this.#tell(approval);
  }
}

/** What tells a commit from others: not its name, which anybody can change without breaking the signature. */
function nameOf({ revision, commit }: Offer): string {
  return commit?.signed ?? revision;
}
