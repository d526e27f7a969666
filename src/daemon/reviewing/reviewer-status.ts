import type { PullRequest } from '../../forge/pull-requests.ts';
import type { FailureFacts } from '../../platform/failure.ts';
import type { ReviewVerdict } from '../../review/review.ts';

/** What is known of one open pull request. */
export interface PullStatus extends Pick<PullRequest, 'number' | 'head' | 'base'> {
  /** What the newest review of this head says; null before there is one. */
  readonly verdict: ReviewVerdict | null;
  /** When it was made, in milliseconds since 1970; null before there is one. */
  readonly reviewedAt: number | null;
}

/** What is known of the reviews of one forge. Holds no secret. */
export interface ReviewerStatus {
  readonly forge: string;
  /** Where it is, and the repository there. */
  readonly repository: string;
  /** How many pull requests are open and reviewed; null before the forge answered. */
  readonly open: number | null;
  /** When the forge last answered, in milliseconds since 1970. */
  readonly checkedAt: number | null;
  /** Why the last look did not succeed; null where it did. */
  readonly failure: FailureFacts | null;
  /** When it is looked again at the latest, in milliseconds since 1970; null while it is looked at. */
  readonly nextLookAt: number | null;
  /** By their numbers. */
  readonly pullRequests: readonly PullStatus[];
  readonly counts: ReviewCounts;
}

/** What was done since the start. */
export interface ReviewCounts {
  /** Reviews that were made. */
  readonly reviews: number;
  /** Looks, reviews and posts that failed. */
  readonly failures: number;
  /** Statuses and comments that were sent. */
  readonly posts: number;
}
