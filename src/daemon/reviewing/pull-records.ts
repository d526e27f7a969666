import type { ReviewVerdict } from '../../review/review.ts';

/** What one pull request was reviewed at: as long as none of it changes, the review stands. */
export interface ReviewedAt {
  readonly head: string;
  /** The branch's revision that it was merged with. */
  readonly base: string;
  /** The read of each destination that it was planned against, as an instant; null where there was none. */
  readonly reads: string;
}

/** What is remembered of one open pull request. */
export interface PullRecord {
  reviewed: ReviewedAt | null;
  /** What its status says, and on which commit; null before one was posted in this run. */
  status: { readonly head: string; readonly verdict: ReviewVerdict } | null;
  /** What its comment says, but for what changes by itself; null before one was posted in this run. */
  comment: string | null;
  /** Comments were looked at up to this instant, in milliseconds since 1970. */
  commentsSince: number;
  /** Whether a person asked for a new review. */
  asked: boolean;
}

/** The open pull requests of one forge. */
export class PullRecords {
  readonly #known = new Map<number, PullRecord>();

  /** What is remembered of one. `now` is in milliseconds since 1970. */
  of(number: number, now: number): PullRecord {
    const known = this.#known.get(number) ?? {
      reviewed: null,
      status: null,
      comment: null,
      commentsSince: now,
      asked: false,
    };
    this.#known.set(number, known);
    return known;
  }

  /** Forgets all that are not open any more. */
  keepOnly(open: readonly number[]): void {
    const wanted = new Set(open);
    for (const number of this.#known.keys()) if (!wanted.has(number)) this.#known.delete(number);
  }
}

/** Whether two reviews would be of the same. */
export function isSame(one: ReviewedAt | null, other: ReviewedAt): boolean {
  return one !== null && one.head === other.head && one.base === other.base && one.reads === other.reads;
}
