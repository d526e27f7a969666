import type { BuildSettings, Scope } from '../../build/built.ts';
import type { ReviewSettings } from '../../config/review.ts';
import type { RepositorySettings } from '../../config/settings.ts';
import type { VerifySettings } from '../../config/verify.ts';
import type { LinkedForge } from '../../forge/file-link.ts';
import type { Annotation } from '../../forge/forge.ts';
import type { PullRequest } from '../../forge/pull-requests.ts';
import type { LanePlanSettings } from '../../lane/lane-plan.ts';
import type { Survey } from '../../lane/survey.ts';
import type { State } from '../../model/state.ts';
import type { Log } from '../../platform/log.ts';
import type { PlanPrint } from '../../review/plan-print.ts';
import type { ReviewVerdict } from '../../review/review.ts';
import type { KongFlavor } from '../../schema/bundled.ts';
import type { PlainSchemas } from '../../schema/plain-schemas.ts';
import type { LaneClaim } from '../claims.ts';

/** What the reviews of one repository are made with. Plain: it can be sent to another thread. */
export interface ReviewSetup {
  readonly repository: RepositorySettings;
  /** Whose signature the branch's newest commit has to have; null where nobody's. */
  readonly verify: VerifySettings | null;
  /** The folder of a store of its own, so that fetching what is proposed is in no way of the branch. */
  readonly storePath: string;
  /** What the configuration assumes of a Kong that was not asked yet. */
  readonly kong: KongFlavor;
  readonly build: Omit<BuildSettings, 'scope' | 'schemas' | 'instant' | 'environment' | 'cache'>;
  readonly destinations: readonly {
    readonly name: string;
    readonly scope: Scope;
    /** The schemas that are assumed of it before it is asked; null for those of `kong`. */
    readonly assumed: PlainSchemas | null;
    readonly plan: LanePlanSettings;
    /** What it may change at its place, which another destination may claim as well; null where that is not known. */
    readonly claim: LaneClaim | null;
  }[];
  readonly review: Pick<ReviewSettings, 'forks' | 'fail'>;
}

/** How a review is told on one forge. */
export interface Telling {
  /** What our comment is found again by. */
  readonly marker: string;
  /** The longest comment that the forge takes, in characters. */
  readonly limit: number;
  readonly forge: LinkedForge;
}

/** What is to be reviewed. Plain. */
export interface ReviewJob {
  readonly pullRequest: Pick<PullRequest, 'head' | 'headRef' | 'isFork'>;
  /** The branch's revision that it is merged with. */
  readonly base: string;
  /** Now, in milliseconds since 1970. */
  readonly at: number;
  readonly telling: Telling;
}

/** What one review comes to. Plain, and holds no secret. */
export interface MadeReview {
  readonly verdict: ReviewVerdict;
  /** The comment, and what of it does not change by itself: as long as that is the same, it is not edited. */
  readonly comment: { readonly body: string; readonly lasting: string };
  /** What was found at lines of the proposed files. */
  readonly annotations: readonly Annotation[];
  /** What the merge gate compares with: the files after the merge, and the plans; null where it cannot be merged. */
  readonly shown: { readonly tree: string; readonly plans: Readonly<Record<string, PlanPrint>> } | null;
}

/** What a review knows of a destination without asking it. */
export interface Seen {
  /** What the lane read last. */
  readonly read: Omit<Survey, 'built'>;
  /** Entities (`kind/identity`) that the branch is known to have declared. Grows. */
  readonly declared: ReadonlySet<string>;
  /** The state that was confirmed last; null before there is one. */
  readonly inForce: State | null;
}

/** Makes reviews. All that takes time is done off the caller's back. */
export interface ReviewMaker {
  /**
   * Takes what was seen of a destination for the reviews that follow, and gives a digest of what was live. The same as
   * before costs nothing.
   */
  see(destination: string, seen: Seen, signal: AbortSignal): Promise<string>;
  /** Throws Failure, `rejected` where nothing but another change or another branch helps. */
  make(job: ReviewJob, signal: AbortSignal): Promise<MadeReview>;
  close(): Promise<void>;
}

/** How reviews are made: in a thread of their own, unless a test wants another way. */
export type OpenReviews = (setup: ReviewSetup, log: Log) => ReviewMaker;
