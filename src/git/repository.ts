import type { CommitText } from '../model/commit-text.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { FailureFacts } from '../platform/failure.ts';
import type { Merged } from './merging/merge-snapshots.ts';

/** What a poll of a branch found. */
export type Resolved =
  | {
      readonly found: true;
      readonly revision: string;
      /** What signatures are judged by: another text whenever the keys are others. Left out where none are verified. */
      readonly judgedBy?: string;
    }
  /** The remote answered, and has no such branch. Never the same as an empty repository path. */
  | { readonly found: false; readonly reason: string };

/** Merges of commits in memory, as a review of proposed changes needs them. */
export interface Proposals {
  /**
   * What merging `head` into `base` would give under the configured path: built from the two commits and their common
   * ancestor, which is looked for at most `history` commits back on each side. Both commits are fetched where they are
   * not at hand. A path that only one of them has counts as empty in the other; one that the result lacks is thrown,
   * as reading a commit throws it. Throws Failure.
   */
  merge(base: string, head: string, history: number, signal: AbortSignal): Promise<Merged>;
}

/** The objects of commits, as their signatures need them. */
export interface CommitObjects {
  /** The bytes of a commit object, fetched where it is not at hand. Throws Failure. */
  object(revision: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** A remote repository, followed without a working tree. Methods throw Failure when the remote or the store fails. */
export interface Repository {
  /** The commit that the branch points at now: one small request. */
  resolve(signal: AbortSignal): Promise<Resolved>;
  /**
   * Brings a commit into the store (nothing when it is there) and proves that all of it below the path can be read.
   * What the commit itself is refused for (it lacks the path, it holds too much) is thrown here and by `read` alike.
   */
  fetch(revision: string, signal: AbortSignal): Promise<void>;
  /** Every entry under the configured path at a fetched commit. */
  read(revision: string, signal: AbortSignal): Promise<Snapshot>;
  /** First-parent ancestors of a fetched commit, newest first, itself left out; deepens the store as far as needed. */
  ancestors(revision: string, limit: number, signal: AbortSignal): Promise<readonly string[]>;
  /** The commit's title, author and time (milliseconds since 1970), for people. */
  describe(
    revision: string,
    signal: AbortSignal,
  ): Promise<{ readonly title: string; readonly author: string; readonly at: number }>;
  /**
   * The commit's message, and what its signature is worth where this repository verifies signatures. It is given, not
   * thrown, that a signature is not accepted.
   */
  text(revision: string, signal: AbortSignal): Promise<CommitText>;
  /**
   * Why a commit that was read may not be delivered any more, since its signature is not accepted by the keys as they
   * are now; null where it may. Left out where signatures are not verified. Throws Failure, also where nobody can tell.
   */
  refusal?(revision: string, signal: AbortSignal): Promise<FailureFacts | null>;
  close(): Promise<void>;
}
