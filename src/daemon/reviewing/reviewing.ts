import { join } from 'node:path';
import type { Configuration } from '../../config/settings.ts';
import type { ForgeSettings } from '../../config/status.ts';
import { fileLink } from '../../forge/file-link.ts';
import type { Forge } from '../../forge/forge.ts';
import type { ForgeOptions } from '../../forge/forge-client.ts';
import { openForge } from '../../forge/open.ts';
import type { PullRequest } from '../../forge/pull-requests.ts';
import { openRepository } from '../../git/open-repository.ts';
import type { Proposals, Repository } from '../../git/repository.ts';
import type { MakePlan } from '../../lane/survey.ts';
import type { Live } from '../../model/live.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { digestOf } from '../../model/state.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { PostBudgets } from '../../report/post-budgets.ts';
import { reviewComment } from '../../review/comment.ts';
import { planPrint } from '../../review/plan-print.ts';
import type { Review, ReviewVerdict } from '../../review/review.ts';
import { verdictOf } from '../../review/verdict.ts';
import type { BuildsWorld } from '../builds.ts';
import type { DaemonLane } from '../daemon.ts';
import { budgetOf } from '../forge-budget.ts';
import { type MadeReview, Reviews } from './make-review.ts';
import { comparedWithReview, RevisionTrees } from './reviewed-gate.ts';
import { ReviewedPlans } from './reviewed-plans.ts';
import { commentMarker, type Reviewed, Reviewer, type ReviewerStatus } from './reviewer.ts';
import { treeKey } from './tree-key.ts';

/** What reviewing is opened with. */
export interface ReviewingWorld {
  readonly createHttpClient: ForgeOptions['createHttpClient'];
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  /** The folder of what is kept between runs. */
  readonly storePath: string;
  readonly budgets: PostBudgets;
}

/** What reviewing needs of the daemon that it belongs to. */
export interface ReviewedDaemon {
  readonly lanes: readonly DaemonLane[];
  readonly builds: BuildsWorld;
  /** The branch's newest revision; null before there is one. */
  readonly base: () => string | null;
}

/** The review of pull requests, and the comparison of what is delivered with what they showed. */
export class Reviewing {
  readonly #configuration: Configuration;
  readonly #world: ReviewingWorld;
  readonly #reviewed: ReviewedPlans;
  readonly #proposals: Repository & Proposals;
  readonly #trees = new RevisionTrees();
  readonly #digests = new WeakMap<Live, string>();
  readonly #forges: Forge[] = [];
  #reviewers: readonly Reviewer[] = [];

  private constructor(
    configuration: Configuration,
    world: ReviewingWorld,
    parts: { readonly reviewed: ReviewedPlans; readonly proposals: Repository & Proposals },
  ) {
    this.#configuration = configuration;
    this.#world = world;
    this.#reviewed = parts.reviewed;
    this.#proposals = parts.proposals;
  }

  /** Opens it where the configuration asks for reviews; null where it does not. Sends nothing yet. Throws Failure. */
  static async open(configuration: Configuration, world: ReviewingWorld): Promise<Reviewing | null> {
    const settings = configuration.repository();
    if (settings === null || configuration.review() === null) return null;
    const { log, clock, storePath } = world;
    const proposals = await openRepository(settings, join(storePath, 'reviews'), { log, clock });
    const reviewed = await ReviewedPlans.open(join(storePath, 'reviews', 'plans.json'), log);
    return new Reviewing(configuration, world, { reviewed, proposals });
  }

  /** What is known of each forge's pull requests. */
  get status(): readonly ReviewerStatus[] {
    return this.#reviewers.map((reviewer) => reviewer.status);
  }

  /** Notes the files of a revision of the branch. */
  note(snapshot: Snapshot): void {
    this.#trees.note(snapshot);
  }

  /** Compares the plans of a destination with what was reviewed. */
  compared(make: MakePlan): MakePlan {
    const isRequired = this.#configuration.review()?.requireReviewedPlan ?? false;
    return comparedWithReview(make, { reviewed: this.#reviewed, trees: this.#trees, isRequired });
  }

  /** The branch has moved: what is open is looked at again. */
  moved(): void {
    for (const reviewer of this.#reviewers) reviewer.lookAgain();
  }

  /** Reviews until the signal is aborted. */
  async run(daemon: ReviewedDaemon, signal: AbortSignal): Promise<void> {
    const settings = this.#configuration.review();
    if (settings === null) return;
    const reviews = new Reviews({
      ...daemon,
      proposals: this.#proposals,
      history: this.#configuration.repository()?.history ?? 0,
      forks: settings.forks,
    });
    this.#reviewers = this.#configuration
      .status()
      .forges.flatMap((forge) => this.#reviewer(forge, reviews, daemon) ?? []);
    await Promise.all(this.#reviewers.map((reviewer) => reviewer.run(signal)));
  }

  async close(): Promise<void> {
    await Promise.all([this.#proposals.close(), this.#reviewed.close(), ...this.#forges.map((forge) => forge.close())]);
  }

  #reviewer(settings: ForgeSettings, reviews: Reviews, daemon: ReviewedDaemon): Reviewer | null {
    const { clock, random, log, createHttpClient, budgets } = this.#world;
    const review = this.#configuration.review();
    const branch = this.#configuration.repository()?.branch ?? '';
    const forge = openForge(settings, { clock, createHttpClient, branch });
    this.#forges.push(forge);
    const { pullRequests } = forge;
    if (pullRequests === undefined || review === null) return null;
    return new Reviewer({
      forge: { ...forge, pullRequests },
      settings: review,
      context: settings.context,
      branch,
      base: daemon.base,
      reads: () => daemon.lanes.map(({ lane }) => this.#digest(lane.lastRead?.live)).join(' '),
      review: async (pullRequest, base, signal) => {
        const made = await reviews.make(pullRequest, base, signal);
        const verdict = verdictOf(made.review, review);
        this.#keep(pullRequest, made, verdict);
        return { verdict, comment: this.#comment(made.review, verdict, settings, pullRequests.commentLimit) };
      },
      approve: (number, destination, by) => this.#reviewed.approve(number, destination, by),
      readAgain: () => {
        for (const { lane } of daemon.lanes) lane.sync();
      },
      targetUrl: this.#configuration.server().publicUrl,
      budget: budgetOf(budgets, settings),
      clock,
      random,
      log,
    });
  }

  #comment(review: Review, verdict: ReviewVerdict, settings: ForgeSettings, limit: number): Reviewed['comment'] {
    const { path } = this.#configuration.files();
    const prefix = path === '' ? '' : `${path}/`;
    return reviewComment(review, verdict, {
      fail: this.#configuration.review()?.fail ?? [],
      marker: commentMarker(settings.context),
      limit,
      link: (revision, file, line) => fileLink(settings, revision, `${prefix}${file}`, line),
      folds: settings.kind !== 'bitbucket' && settings.kind !== 'bitbucketDataCenter',
    });
  }

  #keep({ number, head }: PullRequest, { review, merged }: MadeReview, verdict: ReviewVerdict): void {
    if (merged === null) return;
    const plans = review.destinations.flatMap(({ name, plan }) => (plan === null ? [] : [[name, planPrint(plan)]]));
    this.#reviewed.keep({
      tree: treeKey(merged),
      number,
      head,
      passed: verdict.state === 'success',
      plans: Object.fromEntries(plans),
    });
  }

  /** What was read, by its content: reading the same again is no reason for a new review. */
  #digest(live: Live | undefined): string {
    if (live === undefined) return '-';
    const known = this.#digests.get(live) ?? digestOf(live.state);
    this.#digests.set(live, known);
    return known;
  }
}
