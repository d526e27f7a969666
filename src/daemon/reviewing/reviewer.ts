import type { ReviewSettings } from '../../config/review.ts';
import { fitDescription } from '../../forge/description.ts';
import type { CommitStatus, Forge } from '../../forge/forge.ts';
import type { PullRequest, PullRequests } from '../../forge/pull-requests.ts';
import { backoffMs } from '../../lane/backoff.ts';
import { Nudge } from '../../lane/nudge.ts';
import type { Clock } from '../../platform/clock.ts';
import { asFailure, type FailureFacts, ownFault } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { PostBudget } from '../../report/post-budget.ts';
import type { ReviewVerdict } from '../../review/review.ts';
import { commandsIn } from './commands.ts';
import { isSame, type PullRecord, PullRecords, type ReviewedAt } from './pull-records.ts';

/** What one review comes to. */
export interface Reviewed {
  readonly verdict: ReviewVerdict;
  /** The comment, and what of it does not change by itself: as long as that is the same, it is not edited. */
  readonly comment: { readonly body: string; readonly lasting: string };
}

/** What a reviewer is made with. */
export interface ReviewerWorld {
  readonly forge: Forge & { readonly pullRequests: PullRequests };
  readonly settings: ReviewSettings;
  /** What contexts begin with: `konverge/plan` is ours. */
  readonly context: string;
  readonly branch: string;
  /** The branch's newest revision; null before there is one. */
  readonly base: () => string | null;
  /** When each destination was read last, as a text that changes when one was read again. */
  readonly reads: () => string;
  /** Reviews one pull request against a revision of the branch. Throws Failure. */
  readonly review: (pullRequest: PullRequest, base: string, signal: AbortSignal) => Promise<Reviewed>;
  /** Carries out a command of a person who may write. */
  readonly approve: (number: number, destination: string, by: string) => boolean;
  /** Has the destinations read again, between deliveries. */
  readonly readAgain: () => void;
  /** Where a status leads to, or null. */
  readonly targetUrl: string | null;
  readonly budget: PostBudget;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
}

/** What is known of the reviews of one forge. Holds no secret. */
export interface ReviewerStatus {
  readonly forge: string;
  /** How many pull requests are open and reviewed; null before the forge answered. */
  readonly open: number | null;
  /** When the forge last answered, in milliseconds since 1970. */
  readonly checkedAt: number | null;
  readonly failure: FailureFacts | null;
}

/** The mark that our comment is found again by. It is hidden, and one for each prefix of contexts. */
export function commentMarker(context: string): string {
  return `<!-- ${context}:review -->`;
}

/**
 * Reviews the open pull requests of one forge: each again when it, the branch or what is live has changed. It runs on
 * its own: nobody waits for it, and it asks no destination anything. What it posts counts towards the same limits as
 * commit statuses, and leaves these what they need.
 */
export class Reviewer {
  readonly #world: ReviewerWorld;
  readonly #records = new PullRecords();
  readonly #nudge = new Nudge();
  #failures = 0;
  #status: ReviewerStatus;

  constructor(world: ReviewerWorld) {
    this.#world = world;
    this.#status = { forge: world.forge.name, open: null, checkedAt: null, failure: null };
  }

  /** What is known now. */
  get status(): ReviewerStatus {
    return this.#status;
  }

  /** Looks at the pull requests now instead of at the next interval: the branch has moved, say. */
  lookAgain(): void {
    this.#nudge.nudge();
  }

  /** Reviews until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#nudge.clear();
      const waitMs = await this.#round(signal);
      if (signal.aborted) return;
      await this.#nudge.rest(waitMs, this.#world.clock, signal);
    }
  }

  /** One look at all that are open, and how long to rest after it, in milliseconds. */
  async #round(signal: AbortSignal): Promise<number> {
    const { forge, branch, clock, random, settings, base } = this.#world;
    if (base() === null) return settings.intervalMs;
    try {
      const open = (await forge.pullRequests.listOpen(branch, signal)).filter((one) => this.#isWanted(one));
      this.#records.keepOnly(open.map(({ number }) => number));
      this.#status = { ...this.#status, open: open.length, checkedAt: clock.now(), failure: null };
      for (const pullRequest of open) {
        if (signal.aborted) break;
        await this.#one(pullRequest, signal);
      }
      this.#failures = 0;
      return settings.intervalMs;
    } catch (thrown) {
      if (signal.aborted) return 0;
      const failure = asFailure(thrown)?.facts ?? ownFault();
      this.#failures += 1;
      this.#status = { ...this.#status, failure };
      this.#tell(failure, {}, 'pull requests could not be reviewed');
      const { retryAfterMs } = failure;
      return Math.max(settings.intervalMs, backoffMs({ failures: this.#failures, retryAfterMs, random: random() }));
    }
  }

  #isWanted({ isFork, isBot, isDraft }: PullRequest): boolean {
    const { forks, bots, drafts } = this.#world.settings;
    return !(isFork && forks === 'ignore') && (bots || !isBot) && (drafts || !isDraft);
  }

  /** What concerns one pull request alone is told and left; what concerns the forge ends the round. */
  async #one(pullRequest: PullRequest, signal: AbortSignal): Promise<void> {
    const { clock, settings, reads, base } = this.#world;
    const record = this.#records.of(pullRequest.number, clock.now());
    try {
      if (settings.commands) await this.#obey(pullRequest, record, signal);
      const at = (): ReviewedAt => ({ head: pullRequest.head, base: base() ?? '', reads: reads() });
      if (isSame(record.reviewed, at()) && !record.asked) return;
      await this.#budgetAllows(signal);
      const reviewing = at();
      await this.#review(pullRequest, record, reviewing.base, signal);
      record.reviewed = reviewing;
      record.asked = false;
    } catch (thrown) {
      const failure = asFailure(thrown)?.facts;
      if (signal.aborted || failure === undefined || failure.class !== 'rejected') throw thrown;
      record.reviewed = { head: pullRequest.head, base: base() ?? '', reads: reads() };
      this.#tell(failure, { pullRequest: pullRequest.number }, 'a pull request could not be reviewed');
    }
  }

  async #review(pullRequest: PullRequest, record: PullRecord, base: string, signal: AbortSignal): Promise<void> {
    const { settings, log, context, forge } = this.#world;
    const { verdict: full, comment } = await this.#reviewed(pullRequest, base, signal);
    // Cut as the forge will have it, so that what it holds can be compared.
    const verdict = { ...full, description: fitDescription(full.description, forge.descriptionLimit) };
    await this.#postStatus(pullRequest, record, verdict, signal);
    if (!settings.comment || record.comment === comment.lasting) return;
    this.#spend();
    await forge.pullRequests.say(pullRequest.number, commentMarker(context), comment.body, signal);
    record.comment = comment.lasting;
    log.info({ pullRequest: pullRequest.number, revision: pullRequest.head }, 'a review was posted');
  }

  /** A pull request that cannot be reviewed has a verdict too: nobody is to wait for one. */
  async #reviewed(pullRequest: PullRequest, base: string, signal: AbortSignal): Promise<Reviewed> {
    try {
      return await this.#world.review(pullRequest, base, signal);
    } catch (thrown) {
      const failure = asFailure(thrown)?.facts;
      if (signal.aborted || failure === undefined || failure.class !== 'rejected') throw thrown;
      const { message, hint } = failure;
      const body = `**This change could not be reviewed:** ${message}\n\n${hint}\n`;
      return { verdict: { state: 'error', description: message }, comment: { body, lasting: body } };
    }
  }

  async #postStatus(
    pullRequest: PullRequest,
    record: PullRecord,
    verdict: ReviewVerdict,
    signal: AbortSignal,
  ): Promise<void> {
    const { forge, context, targetUrl, log } = this.#world;
    const { head } = pullRequest;
    if (record.status?.head !== head) record.status = await this.#statusOf(head, signal);
    const known = record.status?.verdict;
    if (known?.state === verdict.state && known.description === verdict.description) return;
    const status: CommitStatus = { revision: head, context: `${context}/plan`, ...verdict, targetUrl };
    this.#spend();
    await forge.pullRequests.status(pullRequest, status, signal);
    record.status = { head, verdict };
    log.info({ pullRequest: pullRequest.number, ...status }, 'posted a commit status');
  }

  /** What an earlier run may have said of a commit. */
  async #statusOf(head: string, signal: AbortSignal): Promise<PullRecord['status']> {
    const { forge, context } = this.#world;
    const known = (await forge.list(head, signal)).find((one) => one.context === `${context}/plan`);
    if (known === undefined || known.state === 'pending') return null;
    return { head, verdict: { state: known.state, description: known.description } };
  }

  /** Carries out what people who may write ask for in comments. */
  async #obey({ number }: PullRequest, record: PullRecord, signal: AbortSignal): Promise<void> {
    const { forge, approve, readAgain, log } = this.#world;
    for (const comment of await forge.pullRequests.comments(number, record.commentsSince, signal)) {
      record.commentsSince = Math.max(record.commentsSince, comment.at + 1);
      const commands = commandsIn(comment.body);
      if (commands.length === 0) continue;
      const fields = { pullRequest: number, by: comment.author };
      if (!(await forge.pullRequests.mayWrite(comment.author, signal))) {
        log.warn(fields, 'a command in a comment is of a person who may not write, and is not carried out');
        continue;
      }
      for (const one of commands) {
        record.asked = true;
        if (one.command === 'plan') {
          readAgain();
          log.info(fields, 'a new plan was asked for in a comment');
        } else if (approve(number, one.destination, comment.author)) {
          log.info({ ...fields, destination: one.destination }, 'a plan was approved in a comment');
        } else {
          log.warn({ ...fields, destination: one.destination }, 'there is no plan to approve');
        }
      }
    }
  }

  /** Waits until a review may be posted without taking from what commit statuses need. */
  async #budgetAllows(signal: AbortSignal): Promise<void> {
    const { budget, clock } = this.#world;
    for (;;) {
      const waitMs = budget.waitMs('pending', clock.monotonic(), null);
      if (waitMs === 0) return;
      await clock.sleep(waitMs, signal);
    }
  }

  #spend(): void {
    this.#world.budget.spend(this.#world.clock.monotonic());
  }

  #tell(failure: FailureFacts, fields: object, words: string): void {
    const { log, forge } = this.#world;
    const { code, message, hint } = failure;
    log.warn({ forge: forge.name, code, failure: message, hint, ...fields, unaffected: 'every destination' }, words);
  }
}
