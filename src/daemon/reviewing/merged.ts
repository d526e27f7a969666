import type { Merged } from '../../git/merging/merge-snapshots.ts';
import type { Proposals, Repository } from '../../git/repository.ts';
import { asFailure, Failure } from '../../platform/failure.ts';
import type { ReviewJob } from './review-maker.ts';

/**
 * What a proposed commit and the branch give together. Throws Failure; `rejected` where it will be the same until the
 * pull request or the branch is another one.
 */
export async function mergedWithBase(
  proposals: Repository & Proposals,
  { pullRequest, base }: Pick<ReviewJob, 'pullRequest' | 'base'>,
  history: number,
  signal: AbortSignal,
): Promise<Exclude<Merged, { readonly outcome: 'unrelated' }>> {
  const { head } = pullRequest;
  await bringHead(proposals, pullRequest, signal);
  const merged = await proposals.merge(base, head, history, signal);
  if (merged.outcome !== 'unrelated') return merged;
  throw refused({
    code: 'no-common-commit',
    message: `${head.slice(0, 7)} has no commit in common with ${base.slice(0, 7)} in the last ${merged.searched} of each`,
    hint: 'Rebase it onto the branch, or raise repository.history.',
  });
}

/** What a commit that is not there is told by: a server that has no such commit, a folder that has none. */
const missing: ReadonlySet<string> = new Set(['revision-gone', 'repository-damaged']);

/** Fetches the head on its own, so that it can be told which of the two commits is missing. */
async function bringHead(
  proposals: Repository,
  { head, headRef, isFork }: ReviewJob['pullRequest'],
  signal: AbortSignal,
): Promise<void> {
  try {
    await proposals.fetch(head, signal);
  } catch (thrown) {
    const code = asFailure(thrown)?.facts.code;
    // It is at hand, and has nothing below the path.
    if (code === 'path-missing') return;
    if (code === undefined || !missing.has(code)) throw thrown;
    const hint =
      isFork && headRef === null
        ? 'This forge serves the commits of other repositories to nobody: open it from a branch of this repository.'
        : 'Push it again, or close the pull request if its branch is gone.';
    throw refused({ code: 'head-missing', message: `its commit ${head.slice(0, 7)} cannot be fetched`, hint });
  }
}

function refused(texts: { readonly code: string; readonly message: string; readonly hint: string }): Failure {
  return new Failure({
    class: 'rejected',
    ...texts,
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}
