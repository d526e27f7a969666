import { fileLink } from '../../forge/file-link.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { annotationsOf } from '../../report/annotations.ts';
import { reviewComment } from '../../review/comment.ts';
import { findingsOf } from '../../review/findings.ts';
import { planPrint } from '../../review/plan-print.ts';
import type { Review } from '../../review/review.ts';
import { verdictOf } from '../../review/verdict.ts';
import type { MadeReview, Telling } from './review-maker.ts';
import { treeKey } from './tree-key.ts';

/** All that is said of a review on one forge, and what is kept of it. `path` is where the files are in the repository. */
export function toldReview(
  review: Review,
  merged: Snapshot | null,
  { marker, limit, forge, fail, path }: Telling & { readonly fail: readonly string[]; readonly path: string },
): MadeReview {
  const verdict = verdictOf(review, { fail });
  const prefix = path === '' ? '' : `${path}/`;
  const comment = reviewComment(review, verdict, {
    fail,
    marker,
    limit,
    link: (revision, file, line) => fileLink(forge, revision, `${prefix}${file}`, line),
    folds: forge.kind !== 'bitbucket' && forge.kind !== 'bitbucketDataCenter',
  });
  const plans = review.destinations.flatMap(({ name, plan }) =>
    plan === null ? [] : [[name, planPrint(plan)] as const],
  );
  return {
    verdict,
    comment,
    annotations: annotationsOf(
      findingsOf(review).map(({ diagnostic }) => diagnostic),
      path,
    ),
    shown: merged === null ? null : { tree: treeKey(merged), plans: Object.fromEntries(plans) },
  };
}
