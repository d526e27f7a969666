import type { BuildSettings, Built } from '../build/built.ts';
import type { CommitText } from '../model/commit-text.ts';
import type { FailureFacts } from '../platform/failure.ts';

/** What a build is checked against. */
export type BuildSchemas = BuildSettings['schemas'];

/**
 * One revision offered to a lane. Generations grow; a lane refuses one that does not. The number after an offer's is
 * that of a roll-back from it: a new generation with older content. `build` is pure: it builds the
 * revision for the lane's destination, with the destination's own schemas where they are known and else (null) with
 * those that the configuration assumes.
 */
export interface Offer {
  readonly generation: number;
  readonly revision: string;
  /**
   * The message of the revision's commit and who signed it, where it is the branch's newest; left out where an older
   * one is offered in its place.
   */
  readonly commit?: CommitText;
  readonly build: (schemas: BuildSchemas | null) => Built;
  /**
   * Which of the wanted entities (`kind/identity`) an earlier revision of the branch declared, as far back as the
   * configuration looks, and what it declared whose identity comes from the environment, as `declaredNames` has it. It is
   * what tells an entity that was removed from one that was never ours.
   */
  readonly declaredEarlier: (wanted: ReadonlySet<string>, signal: AbortSignal) => Promise<ReadonlySet<string>>;
  /**
   * The newest earlier revision of the branch that is good for this destination, judged with its schemas where they are
   * known, besides those that are passed over; null where there is none as far back as the configuration looks. Throws
   * Failure: with the code `left-as-it-is` where what is in force may be newer than any that could be taken.
   */
  readonly lastGood?: (
    schemas: BuildSchemas | null,
    passedOver: ReadonlySet<string>,
    signal: AbortSignal,
  ) => Promise<LastGood | null>;
  /**
   * The revision that an earlier process is known to have put in place, this one or another, built where it is still
   * valid; null where that is not known. Throws Failure where the repository cannot be asked.
   */
  readonly lastInPlace?: (schemas: BuildSchemas | null, signal: AbortSignal) => Promise<LastGood | null>;
  /**
   * Why a revision that was built, by its name, may not go out after all, since its commit is not accepted any more;
   * null where it may. Asked before the first write. Throws Failure where that cannot be told.
   */
  readonly refusal?: (revision: string, signal: AbortSignal) => Promise<FailureFacts | null>;
  /** What became of this very revision here in an earlier process; not known where it is left out. */
  readonly earlier?: Earlier;
}

/** What is kept of a revision at a destination from an earlier process. */
export interface Earlier {
  /** Whether it was the last that was confirmed, as it was written. */
  readonly applied: boolean;
  /** Why it was taken back, where nothing came of it since; null where it was not. */
  readonly takenBack: string | null;
  /** Whether anything of it was ever delivered or approved there; it was not where that is left out. */
  readonly wasTried?: boolean;
}

/** The code of a failure that says that nothing earlier may be put in the place of what is in force. */
export const leftAsItIs = 'left-as-it-is';

/** An earlier revision in the place of one that was offered: nothing that is known of that commit is said of it. */
export function inPlaceOf({ commit: _, earlier: __, ...offer }: Offer, { revision, build }: LastGood): Offer {
  return { ...offer, generation: offer.generation - 1, revision, build };
}

/** An earlier revision that is good, or what remained of it in quarantine. Its build may be delivered. */
export interface LastGood {
  readonly revision: string;
  readonly build: (schemas: BuildSchemas | null) => Built;
}

export { declaredName } from '../model/declared-names.ts';
