import type { Built } from '../../build/built.ts';
import { riskNotes } from '../../build/risk/risk-notes.ts';
import { forReview } from '../../build/stand-ins/for-review.ts';
import type { ReviewSettings } from '../../config/review.ts';
import type { PullRequest } from '../../forge/pull-requests.ts';
import type { Proposals, Repository } from '../../git/repository.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { asFailure, Failure } from '../../platform/failure.ts';
import type { Review, ReviewedDestination } from '../../review/review.ts';
import { type BuildsWorld, type RevisionBuild, revisionBuild } from '../builds.ts';
import type { DaemonLane } from '../daemon.ts';

/** What reviews of one repository are made with. */
export interface MakeReviewWorld {
  /** A repository of its own, so that fetching what is proposed is in no way of the branch. */
  readonly proposals: Repository & Proposals;
  /** How many commits back a common ancestor is looked for. */
  readonly history: number;
  readonly lanes: readonly DaemonLane[];
  readonly builds: BuildsWorld;
  readonly forks: ReviewSettings['forks'];
}

/** A review, and the files that it was made of. */
export interface MadeReview {
  readonly review: Review;
  /** What the branch would be after the merge; null where it cannot be merged. */
  readonly merged: Snapshot | null;
}

/**
 * Makes the reviews of one repository's pull requests: the change is merged with the branch in memory, built for every
 * destination with stand-ins for the values of the environment, and planned against what its lane read last. Nothing
 * of the change decides anything but what is said of it.
 */
export class Reviews {
  readonly #world: MakeReviewWorld;
  #base: { readonly revision: string; readonly builds: ReadonlyMap<string, RevisionBuild> } | null = null;

  constructor(world: MakeReviewWorld) {
    // No value of the environment may reach what strangers read.
    this.#world = { ...world, builds: { ...world.builds, settings: { ...world.builds.settings, standIns: true } } };
  }

  /** Reviews a pull request against a revision of the branch. Throws Failure, `rejected` where it is the change's fault. */
  async make(pullRequest: PullRequest, base: string, signal: AbortSignal): Promise<MadeReview> {
    const { proposals, history, builds, lanes } = this.#world;
    const { head } = pullRequest;
    const at = builds.now();
    const merged = await proposals.merge(base, head, history, signal);
    if (merged.outcome === 'unrelated') throw unrelated(head, base, merged.searched);
    if (merged.outcome === 'conflicts') {
      return { review: { head, base, conflicts: merged.paths, destinations: [], at }, merged: null };
    }
    const before = await this.#buildsOf(base, signal);
    const destinations: ReviewedDestination[] = [];
    for (const one of lanes) {
      signal.throwIfAborted();
      destinations.push(this.#destination(one, pullRequest, merged.snapshot, before.get(one.lane.name) ?? null));
      // A build may take long: what else this process does has its turn before the next.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { review: { head, base, conflicts: [], destinations, at }, merged: merged.snapshot };
  }

  #destination(
    one: DaemonLane,
    { isFork }: PullRequest,
    snapshot: Snapshot,
    before: RevisionBuild | null,
  ): ReviewedDestination {
    const { builds, forks } = this.#world;
    const { lane, scope } = one;
    const read = lane.lastRead;
    const schemas = read?.schemas ?? builds.assumed;
    const head = revisionBuild(builds, snapshot, scope)(schemas);
    const base = before?.(schemas) ?? null;
    const risks =
      head.valid && base?.valid === true ? riskNotes(base.state, head.state, { schemas, instant: builds.now() }) : [];
    const common = { name: lane.name, base, head, risks };
    const isCheckedOnly = isFork && forks === 'validate';
    if (isCheckedOnly || read === null || !head.valid) {
      const noPlan = isCheckedOnly ? fromFork : head.valid ? neverRead : invalid;
      return { ...common, plan: null, liveAt: null, noPlan, checkedOnly: isCheckedOnly };
    }
    const sides = forReview(read.live, base?.state ?? null, head.state, lane.stateInForce);
    const planned = lane.planFor({ ...head, state: sides.state }, sides.live);
    const plan = planned?.plan ?? null;
    return {
      ...common,
      head: withRefusals(head, planned?.refused ?? []),
      plan,
      liveAt: read.live.readAt,
      noPlan: plan === null ? neverRead : null,
      notCompared: sides.notCompared,
    };
  }

  /** What the branch itself builds to, kept for all that are open against it. */
  async #buildsOf(revision: string, signal: AbortSignal): Promise<ReadonlyMap<string, RevisionBuild>> {
    if (this.#base?.revision === revision) return this.#base.builds;
    const snapshot = await this.#snapshot(revision, signal);
    const { lanes, builds } = this.#world;
    const made = new Map(lanes.map(({ lane, scope }) => [lane.name, revisionBuild(builds, snapshot, scope)]));
    this.#base = { revision, builds: made };
    return made;
  }

  /** A branch that lacks the path has nothing there yet. */
  async #snapshot(revision: string, signal: AbortSignal): Promise<Snapshot> {
    try {
      return await this.#world.proposals.read(revision, signal);
    } catch (thrown) {
      if (asFailure(thrown)?.facts.code !== 'path-missing') throw thrown;
      return { revision, entries: new Map() };
    }
  }
}

const fromFork = 'it comes from another repository, so only its files are checked (review.forks)';
const neverRead = 'the destination was not read yet';
const invalid = 'the files are invalid';

/** What the destination cannot have is an error of the change like any other. */
function withRefusals(built: Built, refused: Built['diagnostics']): Built {
  if (refused.length === 0) return built;
  return { ...built, valid: false, diagnostics: [...built.diagnostics, ...refused] };
}

function unrelated(head: string, base: string, searched: number): Failure {
  return new Failure({
    class: 'rejected',
    code: 'no-common-commit',
    message: `${head.slice(0, 7)} has no commit in common with ${base.slice(0, 7)} in the last ${searched} of each`,
    hint: 'Rebase it onto the branch, or raise repository.history.',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}
