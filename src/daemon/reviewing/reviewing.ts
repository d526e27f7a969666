import { join } from 'node:path';
import type { Configuration } from '../../config/settings.ts';
import type { ForgeSettings } from '../../config/status.ts';
import type { Forge } from '../../forge/forge.ts';
import type { ForgeOptions } from '../../forge/forge-client.ts';
import { openForge } from '../../forge/open.ts';
import type { PullRequest } from '../../forge/pull-requests.ts';
import type { MakePlan } from '../../lane/survey.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { PostBudgets } from '../../report/post-budgets.ts';
import { plainSchemas } from '../../schema/plain-schemas.ts';
import type { BuildsWorld } from '../builds.ts';
import type { DaemonLane } from '../daemon.ts';
import { budgetOf } from '../forge-budget.ts';
import { planSettingsOf } from '../plan-of.ts';
import { Answers, answersRoom } from './answers.ts';
import type { ShownReview } from './pull-records.ts';
import type { MadeReview, OpenReviews, ReviewMaker, ReviewSetup } from './review-maker.ts';
import { comparedWithReview, RevisionTrees } from './reviewed-gate.ts';
import { ReviewedPlans } from './reviewed-plans.ts';
import { Reviewer } from './reviewer.ts';
import type { ReviewerStatus } from './reviewer-status.ts';
import { commentMarker } from './telling.ts';
import { ThreadReviews } from './thread-reviews.ts';

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
  /** Values of the environment that files may name: never shown. */
  readonly hidden?: readonly string[];
  /** How reviews are made; in a thread of their own where it is left out. */
  readonly openReviews?: OpenReviews;
}

/** What reviewing needs of the daemon that it belongs to. */
export interface ReviewedDaemon {
  readonly lanes: readonly DaemonLane[];
  readonly builds: BuildsWorld;
  /** The branch's newest revision; null before there is one. */
  readonly base: () => string | null;
}

/** What is kept of reviews between runs. */
interface Kept {
  readonly reviewed: ReviewedPlans;
  readonly answers: Answers;
}

/** The review of pull requests, and the comparison of what is delivered with what they showed. */
export class Reviewing {
  readonly #configuration: Configuration;
  readonly #world: ReviewingWorld;
  readonly #kept: Kept;
  readonly #trees = new RevisionTrees();
  readonly #forges: Forge[] = [];
  #reviewers: readonly Reviewer[] = [];
  #reviews: ReviewMaker | null = null;

  private constructor(configuration: Configuration, world: ReviewingWorld, kept: Kept) {
    this.#configuration = configuration;
    this.#world = world;
    this.#kept = kept;
  }

  /** Opens it where the configuration asks for reviews; null where it does not. Sends nothing yet. */
  static async open(configuration: Configuration, world: ReviewingWorld): Promise<Reviewing | null> {
    if (configuration.repository() === null || configuration.review() === null) return null;
    const { log, storePath } = world;
    const folder = join(storePath, 'reviews');
    const reviewed = await ReviewedPlans.open(join(folder, 'plans.json'), log);
    const answers = await Answers.open(join(folder, 'answers.json'), log);
    return new Reviewing(configuration, world, { reviewed, answers });
  }

  /** What is known of each forge's pull requests. */
  get status(): readonly ReviewerStatus[] {
    return this.#reviewers.map((reviewer) => reviewer.status);
  }

  /** The newest reviews of a proposed commit. */
  shown(head: string): readonly ShownReview[] {
    return this.#reviewers.flatMap((reviewer) => reviewer.shown(head) ?? []);
  }

  /** Notes the files of a revision of the branch. */
  note(snapshot: Snapshot): void {
    this.#trees.note(snapshot);
  }

  /** Compares the plans of a destination with what was reviewed. */
  compared(make: MakePlan): MakePlan {
    const isRequired = this.#configuration.review()?.requireReviewedPlan ?? false;
    return comparedWithReview(make, { reviewed: this.#kept.reviewed, trees: this.#trees, isRequired });
  }

  /** The branch has moved: what is open is looked at again. */
  moved(): void {
    for (const reviewer of this.#reviewers) reviewer.lookAgain();
  }

  /** Reviews until the signal is aborted. */
  async run(daemon: ReviewedDaemon, signal: AbortSignal): Promise<void> {
    const setup = this.#setup(daemon);
    if (setup === null) return;
    const { openReviews = (how, log) => new ThreadReviews(how, log), log } = this.#world;
    const reviews = openReviews(setup, log);
    this.#reviews = reviews;
    this.#reviewers = this.#configuration
      .status()
      .forges.flatMap((forge) => this.#reviewer(forge, reviews, daemon) ?? []);
    await Promise.all(this.#reviewers.map((reviewer) => reviewer.run(signal)));
  }

  async close(): Promise<void> {
    const { reviewed, answers } = this.#kept;
    await Promise.all([
      this.#reviews?.close(),
      reviewed.close(),
      answers.close(),
      ...this.#forges.map((forge) => forge.close()),
    ]);
  }

  #setup({ lanes, builds }: ReviewedDaemon): ReviewSetup | null {
    const configuration = this.#configuration;
    const [repository, review] = [configuration.repository(), configuration.review()];
    if (repository === null || review === null) return null;
    // What else a build is told cannot be sent to another thread, and is made there.
    const { environment: _, cache: __, ...build } = builds.settings;
    return {
      repository,
      verify: configuration.verify(),
      storePath: join(this.#world.storePath, 'reviews'),
      kong: configuration.kong(),
      build,
      destinations: lanes.map(({ lane: { name }, scope, assumed = builds.assumed, claim = null }) => ({
        name,
        scope,
        assumed: assumed === builds.assumed ? null : plainSchemas(assumed, noNames),
        plan: planSettingsOf(configuration.destination(name), true, this.#world.hidden),
        claim,
      })),
      review: { forks: review.forks, fail: review.fail },
    };
  }

  #reviewer(settings: ForgeSettings, reviews: ReviewMaker, daemon: ReviewedDaemon): Reviewer | null {
    const { clock, createHttpClient, budgets } = this.#world;
    const { answers, reviewed } = this.#kept;
    const review = this.#configuration.review();
    const branch = this.#configuration.repository()?.branch ?? '';
    const forge = openForge(settings, { clock, createHttpClient, branch });
    this.#forges.push(forge);
    const { pullRequests } = forge;
    if (pullRequests === undefined || review === null) return null;
    const { kind, url, repository } = settings;
    const telling = {
      marker: commentMarker(settings.context),
      limit: pullRequests.commentLimit - answersRoom,
      forge: { kind, url, repository },
    };
    const place = `${url.replace(/\/+$/, '')}/${repository}`;
    return new Reviewer({
      ...this.#world,
      forge: { ...forge, pullRequests },
      place,
      settings: review,
      context: settings.context,
      branch,
      base: daemon.base,
      isSettled: () => daemon.lanes.every(({ lane }) => isSettled(lane, daemon.base())),
      reads: (signal) => this.#seeAll(reviews, daemon.lanes, signal),
      review: async (pullRequest, base, signal) => {
        const made = await reviews.make({ pullRequest: toReview(pullRequest), base, at: clock.now(), telling }, signal);
        this.#keep(place, pullRequest, made);
        return made;
      },
      answers,
      destinations: daemon.lanes.map(({ lane }) => lane.name),
      approve: (approval) => reviewed.approve(approval),
      readAgain: () => {
        for (const { lane } of daemon.lanes) lane.lookAgain();
      },
      publicUrl: this.#configuration.server().publicUrl,
      budget: budgetOf(budgets, settings),
    });
  }

  /** What was read of each destination, by its content: reading the same again is no reason for a new review. */
  async #seeAll(reviews: ReviewMaker, lanes: readonly DaemonLane[], signal: AbortSignal): Promise<string> {
    const digests: string[] = [];
    for (const { lane } of lanes) {
      const { lastRead: read, declared, stateInForce: inForce } = lane;
      digests.push(read === null ? '-' : await reviews.see(lane.name, { read, declared, inForce }, signal));
    }
    return digests.join(' ');
  }

  #keep(forge: string, { number, head }: PullRequest, { shown, verdict }: MadeReview): void {
    if (shown === null) return;
    const at = this.#world.clock.now();
    this.#kept.reviewed.keep({ ...shown, forge, number, head, at, passed: verdict.state === 'success' });
  }
}

/** Whether what was read of a destination is not about to change by a delivery, as far as is known. */
function isSettled({ lastRead, status }: DaemonLane['lane'], base: string | null): boolean {
  const { failure, revision, state } = status;
  if (failure !== null || state === 'suspended') return true;
  return lastRead !== null && revision === base && state !== 'pending' && state !== 'delivering';
}

const noNames = { plugins: [], vaults: [], partials: [] };

function toReview({ head, headRef, isFork }: PullRequest): Pick<PullRequest, 'head' | 'headRef' | 'isFork'> {
  return { head, headRef, isFork };
}
