import type { ReviewSettings } from '../../config/review.ts';
import { fitDescription } from '../../forge/description.ts';
import type { Forge } from '../../forge/forge.ts';
import type { PullRequest, PullRequests } from '../../forge/pull-requests.ts';
import { backoffMs } from '../../lane/backoff.ts';
import { Nudge } from '../../lane/nudge.ts';
import type { Clock } from '../../platform/clock.ts';
import { asFailure, type FailureFacts, faultText, ownFault } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { PostBudget } from '../../report/post-budget.ts';
import type { Answers } from './answers.ts';
import { type ObeyingWorld, obey } from './obeying.ts';
import { isSame, type PullRecord, PullRecords, type ReviewedAt, type ShownReview } from './pull-records.ts';
import type { MadeReview } from './review-maker.ts';
import type { ReviewerStatus } from './reviewer-status.ts';
import { commentMarker, Telling } from './telling.ts';

/** What a reviewer is made with. */
export interface ReviewerWorld extends Omit<ObeyingWorld, 'pullRequests' | 'forge' | 'answers'> {
  readonly forge: Forge & { readonly pullRequests: PullRequests };
  /** Names the forge and its repository. */
  readonly place: string;
  readonly settings: ReviewSettings;
  /** What contexts begin with: `konverge/plan` is ours. */
  readonly context: string;
  readonly branch: string;
  /** The branch's newest revision; null before there is one. */
  readonly base: () => string | null;
  /** Whether every destination was read, and none is on its way to the branch's revision. */
  readonly isSettled: () => boolean;
  /** What is live at each destination, as a text that changes when that does. Throws Failure. */
  readonly reads: (signal: AbortSignal) => Promise<string>;
  /** Reviews one pull request against a revision of the branch. Throws Failure. */
  readonly review: (pullRequest: PullRequest, base: string, signal: AbortSignal) => Promise<MadeReview>;
  readonly answers: Answers;
  /** Where the status page is, or null. */
  readonly publicUrl: string | null;
  readonly budget: PostBudget;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
}

/** How long a look waits at most for destinations to have what the branch has, and how often it is tried, in milliseconds. */
const [settlingMs, betweenMs] = [60_000, 2_000];

/** So many pull requests that fail on their own in one look are taken for a trouble of all. */
const mostFailing = 3;

/**
 * Reviews the open pull requests of one forge: each again when it, the branch or what is live has changed. It runs on
 * its own: nobody waits for it, and it asks no destination anything. What it posts counts towards the same limits as
 * commit statuses, and leaves these what they need.
 */
export class Reviewer {
  readonly #world: ReviewerWorld;
  readonly #records = new PullRecords();
  readonly #nudge = new Nudge();
  readonly #telling: Telling;
  #open: readonly PullRequest[] = [];
  #failures = 0;
  /** Since when destinations are on their way, on the monotonic clock; null while none is. */
  #unsettledSince: number | null = null;
  #counts = { reviews: 0, failures: 0 };
  #status: Pick<ReviewerStatus, 'open' | 'checkedAt' | 'failure' | 'nextLookAt'>;

  constructor(world: ReviewerWorld) {
    this.#world = world;
    this.#telling = new Telling(world);
    this.#status = { open: null, checkedAt: null, failure: null, nextLookAt: null };
  }

  /** What is known now. */
  get status(): ReviewerStatus {
    const { forge, place } = this.#world;
    const pullRequests = this.#open.map(({ number, head, base }) => {
      const shown = this.#records.shown(head);
      const isOwn = shown?.number === number;
      return { number, head, base, verdict: isOwn ? shown.verdict : null, reviewedAt: isOwn ? shown.at : null };
    });
    const counts = { ...this.#counts, posts: this.#telling.posts };
    return { forge: forge.name, repository: place, ...this.#status, pullRequests, counts };
  }

  /** The newest review of a proposed commit, or undefined. */
  shown(head: string): ShownReview | undefined {
    return this.#records.shown(head);
  }

  /** Looks at the pull requests now instead of at the next interval: the branch has moved, say. */
  lookAgain(): void {
    this.#nudge.nudge();
  }

  /** Reviews until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#world;
    while (!signal.aborted) {
      this.#nudge.clear();
      this.#status = { ...this.#status, nextLookAt: null };
      const waitMs = await this.#round(signal);
      if (signal.aborted) return;
      this.#status = { ...this.#status, nextLookAt: clock.now() + waitMs };
      await this.#nudge.rest(waitMs, clock, signal);
    }
  }

  /** One look at all that are open, and how long to rest after it, in milliseconds. */
  async #round(signal: AbortSignal): Promise<number> {
    const { random, settings } = this.#world;
    if (!this.#mayLook()) return Math.min(betweenMs, settings.intervalMs);
    try {
      await this.#look(signal);
      const isDone = await this.#comments(signal);
      this.#failures = 0;
      this.#status = { ...this.#status, failure: null };
      return isDone ? settings.intervalMs : 0;
    } catch (thrown) {
      if (signal.aborted) return 0;
      const failure = this.#failureOf(thrown);
      this.#failures += 1;
      this.#status = { ...this.#status, failure };
      this.#tell(failure, {}, 'pull requests could not be reviewed');
      const { retryAfterMs } = failure;
      return Math.max(settings.intervalMs, backoffMs({ failures: this.#failures, retryAfterMs, random: random() }));
    }
  }

  /**
   * A plan against what a delivery is about to change would be another one a moment later; and after a start, what was
   * said before stands until more is known than that nothing was read yet.
   */
  #mayLook(): boolean {
    const { base, isSettled, clock } = this.#world;
    if (base() === null) return false;
    if (isSettled()) {
      this.#unsettledSince = null;
      return true;
    }
    this.#unsettledSince ??= clock.monotonic();
    return clock.monotonic() - this.#unsettledSince >= settlingMs;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { forge, branch, clock } = this.#world;
    const before = this.#status.checkedAt;
    const listed = await forge.pullRequests.listOpen(branch, signal);
    const numbers = listed.map(({ number }) => number);
    const open = listed.filter((one) => this.#isWanted(one));
    this.#open = open;
    this.#telling.left(this.#records.keepOnly(numbers));
    const now = clock.now();
    this.#status = { ...this.#status, open: open.length, checkedAt: now };
    await this.#telling.endLeft(signal);
    await this.#telling.amendMoved(branch, numbers, signal);
    // Those that failed before come last, so that they keep nobody from a turn.
    const failuresOf = ({ number }: PullRequest) => this.#records.of(number).failures;
    let failed = 0;
    for (const [at, pullRequest] of [...open].sort((a, b) => failuresOf(a) - failuresOf(b)).entries()) {
      if (signal.aborted) return;
      const record = this.#records.of(pullRequest.number);
      try {
        await this.#one(pullRequest, before ?? now, signal);
        record.failures = 0;
      } catch (thrown) {
        const facts = asFailure(thrown)?.facts;
        if (signal.aborted || facts?.class === 'unreachable' || facts?.code === 'rate-limited') throw thrown;
        record.failures += 1;
        failed += 1;
        // What one of them fails for is no matter of the others; what all fail for is.
        if (failed === at + 1 && failed >= Math.min(mostFailing, open.length)) throw thrown;
        this.#tell(
          this.#failureOf(thrown),
          { pullRequest: pullRequest.number },
          'a pull request could not be reviewed; it is tried again with the next look',
        );
      }
    }
  }

  /**
   * Edits the comments, once all statuses are right: these are what a merge waits for. False where that takes longer
   * than until the next look, or the branch moves: what is true by then goes first.
   */
  async #comments(signal: AbortSignal): Promise<boolean> {
    const { base, clock, settings } = this.#world;
    const began = { base: base(), at: clock.monotonic() };
    for (const pullRequest of this.#open) {
      const record = this.#records.of(pullRequest.number);
      for (;;) {
        const waitMs = this.#telling.commentWaitMs(pullRequest, record);
        if (waitMs === null || signal.aborted) break;
        if (base() !== began.base) return false;
        if (waitMs === 0) {
          await this.#comment(pullRequest, record, signal);
          break;
        }
        if (clock.monotonic() - began.at >= settings.intervalMs) return false;
        if ((await this.#nudge.rest(waitMs, clock, signal)) === 'nudged') return false;
      }
    }
    return true;
  }

  async #comment(pullRequest: PullRequest, record: PullRecord, signal: AbortSignal): Promise<void> {
    try {
      await this.#telling.tell(pullRequest, record, 'comment', signal);
    } catch (thrown) {
      const facts = asFailure(thrown)?.facts;
      if (signal.aborted || facts?.class === 'unreachable' || facts?.code === 'rate-limited') throw thrown;
      record.failures += 1;
      const fields = { pullRequest: pullRequest.number };
      this.#tell(this.#failureOf(thrown), fields, 'a review could not be posted; it is tried again with the next look');
    }
  }

  #isWanted({ isFork, isBot, isDraft }: PullRequest): boolean {
    const { forks, bots, drafts } = this.#world.settings;
    return !(isFork && forks === 'ignore') && (bots || !isBot) && (drafts || !isDraft);
  }

  /** Reviews one where that is due, and has the forge say what came of it. */
  async #one(pullRequest: PullRequest, first: number, signal: AbortSignal): Promise<void> {
    const { settings, reads, base, forge, place } = this.#world;
    const record = this.#records.of(pullRequest.number);
    if (settings.commands) {
      const world = { ...this.#world, pullRequests: forge.pullRequests, forge: place };
      if (await obey(world, pullRequest, first, signal)) record.asked = true;
    }
    const at = async (): Promise<ReviewedAt> => {
      return { head: pullRequest.head, base: base() ?? '', reads: await reads(signal) };
    };
    if (record.asked || !isSame(record.reviewed, await at())) {
      const reviewing = await at();
      await this.#review(pullRequest, record, reviewing.base, signal);
      record.reviewed = reviewing;
      record.asked = false;
    }
    await this.#telling.tell(pullRequest, record, 'status', signal);
  }

  async #review(pullRequest: PullRequest, record: PullRecord, base: string, signal: AbortSignal): Promise<void> {
    const { forge, clock, context } = this.#world;
    const made = await this.#made(pullRequest, base, signal);
    // Cut as the forge will have it, so that what it holds can be compared.
    const description = fitDescription(made.verdict.description, forge.descriptionLimit);
    const verdict = { ...made.verdict, description };
    record.made = { ...made, verdict };
    this.#counts.reviews += 1;
    const { number, head } = pullRequest;
    const comment = made.comment.body.replace(`${commentMarker(context)}\n`, '');
    this.#records.show({ number, head, base, verdict, comment, at: clock.now() });
  }

  /** A pull request that cannot be reviewed has a verdict too: nobody is to wait for one. */
  async #made(pullRequest: PullRequest, base: string, signal: AbortSignal): Promise<MadeReview> {
    try {
      return await this.#world.review(pullRequest, base, signal);
    } catch (thrown) {
      const failure = asFailure(thrown)?.facts;
      if (signal.aborted || failure === undefined || failure.class !== 'rejected') throw thrown;
      this.#counts.failures += 1;
      this.#tell(failure, { pullRequest: pullRequest.number }, 'a pull request could not be reviewed');
      const { message, hint } = failure;
      const body = `### ⚠️ This change could not be reviewed: ${message}\n\n${hint}\n`;
      const verdict = { state: 'error', description: `could not be reviewed: ${message}` } as const;
      return { verdict, comment: { body, lasting: body }, annotations: [], shown: null };
    }
  }

  #failureOf(thrown: unknown): FailureFacts {
    const facts = asFailure(thrown)?.facts;
    this.#counts.failures += 1;
    if (facts !== undefined) return facts;
    this.#world.log.error({ stack: faultText(thrown) }, 'a fault of Konverge itself');
    return ownFault();
  }

  #tell(failure: FailureFacts, fields: object, words: string): void {
    const { log, forge } = this.#world;
    const { code, message, hint } = failure;
    log.warn({ forge: forge.name, code, failure: message, hint, ...fields, unaffected: 'every destination' }, words);
  }
}
