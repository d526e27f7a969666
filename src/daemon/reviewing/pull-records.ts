import type { ReviewVerdict } from '../../review/review.ts';
import type { MadeReview } from './review-maker.ts';

/** What one pull request was reviewed at: as long as none of it changes, the review stands. */
export interface ReviewedAt {
  readonly head: string;
  /** The branch's revision that it was merged with. */
  readonly base: string;
  /** What was live at each destination, as digests. */
  readonly reads: string;
}

/** The newest review of a commit, for people. */
export interface ShownReview {
  readonly number: number;
  readonly head: string;
  readonly base: string;
  readonly verdict: ReviewVerdict;
  /** The comment in Markdown, without what is hidden in it. */
  readonly comment: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** What is remembered of one open pull request. */
export interface PullRecord {
  reviewed: ReviewedAt | null;
  /** What was made of it last: what the forge is to say. */
  made: MadeReview | null;
  /** What its status says, and on which commit; null before one was posted in this run. */
  status: { readonly head: string; readonly verdict: ReviewVerdict } | null;
  /** The commit that a status was sent for without a clear answer: it may be left half made. */
  doubtful: string | null;
  /** How often the forge refused in a row what is said of a commit, and until when it is left alone, monotonic. */
  refused: { readonly head: string; readonly times: number; readonly until: number } | null;
  /** Looks in a row that failed for it. */
  failures: number;
  /** Whether a person asked for a new review. */
  asked: boolean;
}

/** More commits than this are not remembered with their reviews. */
const mostShown = 100;

/** The open pull requests of one forge, and what was said of the commits of those that are not open any more. */
export class PullRecords {
  readonly #known = new Map<number, PullRecord>();
  readonly #shown = new Map<string, ShownReview>();

  /** What is remembered of one. */
  of(number: number): PullRecord {
    const known = this.#known.get(number) ?? {
      reviewed: null,
      made: null,
      status: null,
      doubtful: null,
      refused: null,
      failures: 0,
      asked: false,
    };
    this.#known.set(number, known);
    return known;
  }

  /** Forgets all that are not open any more, and gives the commits of those that may have been left half told. */
  keepOnly(open: readonly number[]): readonly string[] {
    const wanted = new Set(open);
    const left: string[] = [];
    for (const [number, record] of this.#known) {
      if (wanted.has(number)) continue;
      this.#known.delete(number);
      if (record.doubtful !== null) left.push(record.doubtful);
    }
    return left;
  }

  /** Remembers what was said of a commit; the oldest make room. */
  show(review: ShownReview): void {
    this.#shown.delete(review.head);
    this.#shown.set(review.head, review);
    const [oldest] = this.#shown.keys();
    if (oldest !== undefined && this.#shown.size > mostShown) this.#shown.delete(oldest);
  }

  /** The newest review of a commit, or undefined. */
  shown(head: string): ShownReview | undefined {
    return this.#shown.get(head);
  }
}

/** Whether two reviews would be of the same. */
export function isSame(one: ReviewedAt | null, other: ReviewedAt): boolean {
  return one !== null && one.head === other.head && one.base === other.base && one.reads === other.reads;
}
