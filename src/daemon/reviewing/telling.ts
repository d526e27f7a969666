import type { ReviewSettings } from '../../config/review.ts';
import type { CommitStatus, Forge } from '../../forge/forge.ts';
import type { PullRequest, PullRequests } from '../../forge/pull-requests.ts';
import { backoffMs } from '../../lane/backoff.ts';
import type { Clock } from '../../platform/clock.ts';
import { asFailure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { codeSpan } from '../../render/markdown-text.ts';
import type { PostBudget } from '../../report/post-budget.ts';
import { revisionLink } from '../../report/revision-link.ts';
import type { Answers } from './answers.ts';
import type { PullRecord } from './pull-records.ts';
import type { MadeReview } from './review-maker.ts';

/** What reviews are told with. */
export interface TellingWorld {
  readonly forge: Forge & { readonly pullRequests: PullRequests };
  /** Names the forge and its repository. */
  readonly place: string;
  readonly settings: Pick<ReviewSettings, 'comment'>;
  readonly context: string;
  readonly answers: Answers;
  readonly publicUrl: string | null;
  readonly budget: PostBudget;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
}

/** How a review is told. */
export type Told = 'status' | 'comment';

/** As the budget knows what has to be left: comments never use up what the statuses of reviews need, nor these those of deliveries. */
const reserveOf = { status: 'error', comment: 'pending' } as const;

/** The mark that our comment is found again by. It is hidden, and one for each prefix of contexts. */
export function commentMarker(context: string): string {
  return `<!-- ${context}:review -->`;
}

/** Has a forge say what reviews came to: the status on the head, and the one comment. Nothing is said twice. */
export class Telling {
  readonly #world: TellingWorld;
  /** Commits of pull requests that are not open any more, whose status may be left half made. */
  readonly #left = new Set<string>();
  #posts = 0;

  constructor(world: TellingWorld) {
    this.#world = world;
  }

  /** How many statuses and comments were sent. */
  get posts(): number {
    return this.#posts;
  }

  /**
   * Says what the newest review of a pull request came to, where the forge does not say that yet: by its status, which
   * a merge may wait for, or by its comment. What the forge refuses
   * for this one is tried again after a growing wait, with what is true by then. Throws Failure where it does not answer.
   */
  async tell(pullRequest: PullRequest, record: PullRecord, what: Told, signal: AbortSignal): Promise<void> {
    const { made } = record;
    const { clock, forge, log, random } = this.#world;
    const refused = record.refused?.head === pullRequest.head ? record.refused : null;
    if (made === null || (refused !== null && clock.monotonic() < refused.until)) return;
    try {
      if (what === 'status') await this.#status(pullRequest, record, made, signal);
      else {
        await this.#comment(pullRequest, made, signal);
        record.refused = null;
      }
    } catch (thrown) {
      const facts = asFailure(thrown)?.facts;
      if (signal.aborted || facts === undefined || facts.class !== 'rejected') throw thrown;
      const times = (refused?.times ?? 0) + 1;
      const waitMs = backoffMs({ failures: times + quickTries, retryAfterMs: null, random: random() });
      record.refused = { head: pullRequest.head, times, until: clock.monotonic() + waitMs };
      record.doubtful = null;
      const { code, message, hint } = facts;
      const fields = { forge: forge.name, pullRequest: pullRequest.number, code, failure: message, hint };
      const nextTryInSeconds = Math.round(waitMs / 1000);
      log.warn({ ...fields, nextTryInSeconds, unaffected: 'every destination' }, 'the forge refuses a review');
    }
  }

  /** How long the comment of a pull request has to wait, in milliseconds; null where it says all already. */
  commentWaitMs({ number }: PullRequest, { made, refused }: PullRecord): number | null {
    const { settings, answers, place, clock, budget } = this.#world;
    if (!settings.comment || made === null || (refused !== null && clock.monotonic() < refused.until)) return null;
    if (answers.isTold(place, number, `${made.comment.lasting}${answers.text(place, number)}`)) return null;
    return budget.waitMs(reserveOf.comment, clock.monotonic(), null);
  }

  /** Waits until something may be posted without taking from what commit statuses need. */
  async #allowed(what: Told, signal: AbortSignal): Promise<void> {
    const { budget, clock } = this.#world;
    for (;;) {
      const waitMs = budget.waitMs(reserveOf[what], clock.monotonic(), null);
      if (waitMs === 0) return;
      await clock.sleep(waitMs, signal);
    }
  }

  /** Notes commits whose status may be left half made, though nobody will review them any more. */
  left(heads: readonly string[]): void {
    for (const head of heads) this.#left.add(head);
  }

  /** Ends what is pending on them. Throws Failure where the forge does not answer; it is tried again with the next look. */
  async endLeft(signal: AbortSignal): Promise<void> {
    const { forge, context, publicUrl } = this.#world;
    for (const revision of this.#left) {
      const name = `${context}/plan`;
      const isPending = (await forge.list(revision, signal)).some(
        (one) => one.context === name && one.state === 'pending',
      );
      if (isPending) {
        await this.#send('status', signal);
        const targetUrl = revisionLink(publicUrl, revision);
        const description = 'closed before its review was told';
        await forge.post({ revision, context: name, state: 'error', description, targetUrl }, signal);
      }
      this.#left.delete(revision);
    }
  }

  /**
   * Says on those that are not among the open ones any more, where they are open against another branch now, that they are
   * not reviewed against this one; unless our comment says something else since, as where that branch is followed too. The
   * others are closed, and what was said of them stands. Throws Failure where the forge does not answer; it is tried again
   * with the next look.
   */
  async amendMoved(branch: string, open: readonly number[], signal: AbortSignal): Promise<void> {
    const { forge, context, answers, place, log } = this.#world;
    for (const number of answers.others(place, open)) {
      const base = answers.hasSent(place, number)
        ? await this.#orRefused(forge.pullRequests.base(number, signal))
        : null;
      if (base !== null && base !== branch) {
        await this.#send('comment', signal);
        const marker = commentMarker(context);
        const words = `${marker}\n${movedWords(branch, base)}`;
        const change = (body: string) => (answers.isSent(place, number, body) ? words : null);
        const isChanged = await this.#orRefused(forge.pullRequests.amend(number, marker, change, signal));
        if (isChanged === true) log.info({ pullRequest: number, base }, 'a pull request is for another branch now');
      }
      answers.forget(place, number);
    }
  }

  /** What the forge refuses is not tried again: nobody waits for it. */
  async #orRefused<T>(asked: Promise<T>): Promise<T | null> {
    try {
      return await asked;
    } catch (thrown) {
      if (asFailure(thrown)?.facts.class === 'rejected') return null;
      throw thrown;
    }
  }

  async #status(pullRequest: PullRequest, record: PullRecord, made: MadeReview, signal: AbortSignal): Promise<void> {
    const { forge, context, publicUrl, log } = this.#world;
    const { head } = pullRequest;
    const { verdict, annotations } = made;
    if (record.status?.head !== head) record.status = await this.#statusOf(head, signal);
    const known = record.status?.verdict;
    if (known?.state === verdict.state && known.description === verdict.description) return;
    const targetUrl = revisionLink(publicUrl, head);
    const status: CommitStatus = { revision: head, context: `${context}/plan`, ...verdict, targetUrl };
    await this.#send('status', signal);
    record.doubtful = head;
    record.status = null;
    await forge.pullRequests.status(pullRequest, { ...status, annotations }, signal);
    record.doubtful = null;
    record.status = { head, verdict };
    log.info({ pullRequest: pullRequest.number, ...status }, 'posted a commit status');
  }

  /** What an earlier run, or a post without an answer, may have said of a commit. */
  async #statusOf(head: string, signal: AbortSignal): Promise<PullRecord['status']> {
    const { forge, context } = this.#world;
    const known = (await forge.list(head, signal)).find((one) => one.context === `${context}/plan`);
    if (known === undefined || known.state === 'pending') return null;
    return { head, verdict: { state: known.state, description: known.description } };
  }

  async #comment({ number, head }: PullRequest, { comment }: MadeReview, signal: AbortSignal): Promise<void> {
    const { settings, forge, context, answers, place, log } = this.#world;
    if (!settings.comment) return;
    const answered = answers.text(place, number);
    const lasting = `${comment.lasting}${answered}`;
    if (answers.isTold(place, number, lasting)) return;
    await this.#send('comment', signal);
    answers.told(place, number, null);
    const body = `${comment.body}${answered}`;
    await forge.pullRequests.say(number, commentMarker(context), body, signal);
    answers.told(place, number, { lasting, body });
    log.info({ pullRequest: number, revision: head }, 'a review was posted');
  }

  /** Counted before it is known whether it arrives: a limit has to hold for answers that get lost, too. */
  async #send(what: Told, signal: AbortSignal): Promise<void> {
    const { budget, clock } = this.#world;
    await this.#allowed(what, signal);
    budget.spend(clock.monotonic());
    this.#posts += 1;
  }
}

function movedWords(branch: string, base: string): string {
  const [was, is] = [codeSpan(branch), codeSpan(base)];
  return `### ⏸️ No longer reviewed against ${was}\n\nIt asks to be merged into ${is} now. What was said here was about ${was}.\n`;
}

/** A refusal is tried again a minute later at first: what it was for is put right by people. */
const quickTries = 5;
