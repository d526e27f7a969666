import { fitDescription } from '../forge/description.ts';
import type { Forge, PostedStatus } from '../forge/forge.ts';
import { backoffMs } from '../lane/backoff.ts';
import { Nudge } from '../lane/nudge.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { annotationsOf } from './annotations.ts';
import type { Report } from './commit-status.ts';
import { Idle } from './idle.ts';
import type { ContextRecord, Post } from './next-post.ts';
import { PostBudget } from './post-budget.ts';
import { revisionLink } from './revision-link.ts';
import { RevisionRecord } from './revision-record.ts';

/** What a reporter is made with. */
export interface ReporterWorld {
  readonly forge: Forge;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Where the status page is, or null: a status leads to the page of its revision there. */
  readonly publicUrl: string | null;
  /** Where the files that are checked are in the repository; at its root where it is left out. */
  readonly path?: string;
  /** What may be posted; one of its own where it is left out. */
  readonly budget?: PostBudget;
  /** How long changes are gathered before the first of them is posted, in milliseconds. */
  readonly gatherMs: number;
}

/** How many revisions are remembered. What is older and was never ended is a matter of an earlier run. */
const rememberedRevisions = 20;

/** How many are remembered at most where the statuses of older ones still wait to be ended. */
const mostRevisions = 500;

type Job =
  | { readonly do: 'list'; readonly of: RevisionRecord }
  | { readonly do: 'post'; readonly of: RevisionRecord; readonly record: ContextRecord; readonly post: Post };

/** What there is to do now, and when the first of what the budget holds back may follow; both null where all is done. */
interface Work {
  readonly job: Job | null;
  readonly waitMs: number | null;
}

/**
 * Keeps a forge's commit statuses equal to what is wanted. It runs on its own: nobody waits for it, and a forge that is
 * down or limits requests delays nothing but itself. What changed meanwhile is gathered, so that only the latest is
 * posted. What the forge holds is read before the first post for a revision, and again when an answer was lost.
 */
export class Reporter {
  readonly #world: ReporterWorld;
  readonly #nudge = new Nudge();
  readonly #budget: PostBudget;
  /** In order of arrival; the newest revision is the one named by `#head`. */
  readonly #records = new Map<string, RevisionRecord>();
  readonly #idle = new Idle();
  #head: string | null = null;
  #findings: Pick<Report, 'revision' | 'findings'> | null = null;
  #failures = 0;
  /** On the monotonic clock: nothing is sent before. */
  #notBefore = 0;
  #working = false;

  constructor(world: ReporterWorld) {
    this.#world = world;
    this.#budget = world.budget ?? new PostBudget();
  }

  /** Says what the newest revision's statuses should be now. Returns at once. */
  update(report: Report): void {
    const now = this.#world.clock.monotonic();
    const isNew = this.#head !== report.revision;
    this.#head = report.revision;
    this.#findings = report;
    const known = this.#records.get(report.revision);
    const record = known ?? new RevisionRecord(report.revision);
    if (isNew) {
      // Last in order of arrival again, so that it is not forgotten as an old one.
      this.#records.delete(report.revision);
      this.#records.set(report.revision, record);
      record.givenUp = false;
      for (const other of this.#records.values()) if (other !== record) other.supersede(report.revision);
      this.#forget();
    }
    if (!record.want(this.#fitting(report), now) && !isNew) return;
    if (this.#notBefore <= now) this.#notBefore = now + this.#world.gatherMs;
    this.#nudge.nudge();
  }

  /** Ends what an earlier run may have left pending on these older revisions. To be called after the first `update`. */
  putRight(revisions: readonly string[]): void {
    const head = this.#head;
    if (head === null) return;
    for (const revision of revisions.slice(0, rememberedRevisions - 1)) {
      if (this.#records.has(revision)) continue;
      const record = new RevisionRecord(revision);
      record.supersede(head);
      this.#records.set(revision, record);
    }
    this.#nudge.nudge();
  }

  /** Posts until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#world;
    while (!signal.aborted) {
      const now = clock.monotonic();
      const { job, waitMs } = this.#work(now);
      if (job === null) {
        if (waitMs === null) this.#idle.reached();
        await this.#nudge.rest(sooner(waitMs, this.#untilDeadline(now)), clock, signal);
      } else if (now < this.#notBefore) {
        await this.#nudge.rest(this.#notBefore - now, clock, signal);
      } else {
        this.#working = true;
        await this.#carryOut(job, signal);
        this.#working = false;
      }
    }
  }

  /** Waits until all that is wanted was posted or given up, or the time is over. Returns whether nothing is left. */
  async drained(limitMs: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#world;
    if (!this.#working && this.#isDone(clock.monotonic())) return true;
    return this.#idle.wait(limitMs, clock, signal);
  }

  /** Cut as the forge will have them, so that what it holds can be compared. */
  #fitting(report: Report): Report {
    const limit = this.#world.forge.descriptionLimit;
    const statuses = report.statuses.map((one) => ({ ...one, description: fitDescription(one.description, limit) }));
    return { ...report, statuses };
  }

  #isDone(now: number): boolean {
    const { job, waitMs } = this.#work(now);
    return job === null && waitMs === null;
  }

  /** The newest revision first: it is what people look at. */
  #work(now: number): Work {
    let wait: number | null = null;
    const head = this.#head === null ? undefined : this.#records.get(this.#head);
    const others = [...this.#records.values()].filter((record) => record !== head);
    for (const record of [...(head === undefined ? [] : [head]), ...others]) {
      if (record.givenUp) continue;
      if (!record.listed) return { job: { do: 'list', of: record }, waitMs: null };
      for (const one of record.due(now)) {
        const unsaidSince = one.record.posted === null ? one.record.pendingSince : null;
        const waitMs = this.#budget.waitMs(one.post.state, now, unsaidSince);
        if (waitMs === 0) return { job: { do: 'post', of: record, ...one }, waitMs: null };
        wait = sooner(wait, waitMs);
      }
    }
    return { job: null, waitMs: wait };
  }

  #untilDeadline(now: number): number | null {
    const head = this.#head === null ? undefined : this.#records.get(this.#head);
    const at = head === undefined || head.givenUp ? null : head.endsAt();
    return at === null ? null : Math.max(0, at - now);
  }

  async #carryOut(job: Job, signal: AbortSignal): Promise<void> {
    const { forge } = this.#world;
    try {
      if (job.do === 'list') job.of.take(await forge.list(job.of.revision, signal));
      else await this.#post(job.of.revision, job.record, job.post, signal);
      this.#failures = 0;
    } catch (thrown) {
      if (signal.aborted) return;
      this.#failed(job, thrown);
    }
  }

  async #post(revision: string, record: ContextRecord, post: Post, signal: AbortSignal): Promise<void> {
    const { forge, log, publicUrl } = this.#world;
    const { context } = record;
    const description = fitDescription(post.description, forge.descriptionLimit);
    // Counted before it is known whether it arrived: a limit has to hold for answers that get lost, too.
    record.posts += 1;
    this.#budget.spend(this.#world.clock.monotonic());
    const annotations = this.#annotations(revision, context);
    const targetUrl = revisionLink(publicUrl, revision);
    await forge.post({ revision, context, state: post.state, description, targetUrl, ...annotations }, signal);
    record.posted = { ...post, description };
    log.info({ revision, context, state: post.state, description }, 'posted a commit status');
  }

  /** What the check found at lines, for the context that says whether the revision is valid. */
  #annotations(revision: string, context: string): Pick<PostedStatus, 'annotations'> {
    const known = this.#findings;
    if (known?.revision !== revision || known.findings?.context !== context) return {};
    return { annotations: annotationsOf(known.findings.diagnostics, this.#world.path ?? '') };
  }

  #failed(job: Job, thrown: unknown): void {
    const { clock, forge, log, random } = this.#world;
    const facts = asFailure(thrown)?.facts ?? null;
    const fields = {
      revision: job.of.revision,
      forge: forge.name,
      code: facts?.code ?? 'own-fault',
      failure: facts?.message ?? (thrown instanceof Error ? thrown.name : 'unknown'),
      hint: facts?.hint ?? '',
      unaffected: 'every destination',
    };
    const notTaken = facts?.class === 'rejected' || facts?.code === 'rate-limited';
    if (job.do === 'post') {
      if (notTaken) job.record.posts -= 1;
      else job.of.listed = false;
    }
    if (facts?.class === 'rejected') {
      job.of.givenUp = true;
      log.warn(fields, 'the forge refuses statuses of this commit; the next commit is tried again');
      return;
    }
    this.#failures += 1;
    const wait = backoffMs({ failures: this.#failures, retryAfterMs: facts?.retryAfterMs ?? null, random: random() });
    this.#notBefore = clock.monotonic() + wait;
    log.warn({ ...fields, nextTryInSeconds: Math.round(wait / 1000) }, 'a commit status could not be posted');
  }

  #forget(): void {
    for (const [revision, record] of this.#records) {
      if (this.#records.size <= rememberedRevisions) return;
      const isNeeded = record.isOpen && this.#records.size <= mostRevisions;
      if (revision !== this.#head && !isNeeded) this.#records.delete(revision);
    }
  }
}

/** The shorter of two waits, where null is none. */
function sooner(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
