import type { CommitStatus } from '../forge/forge.ts';
import { type Report, supersededWords } from './commit-status.ts';
import { type ContextRecord, nextPost, type Post, pendingEndsAt } from './next-post.ts';

/** What is known of the statuses of one revision: what they should be, and what the forge holds. */
export class RevisionRecord {
  readonly revision: string;
  readonly #contexts = new Map<string, ContextRecord>();
  /** The revision that replaced this one; null while it is the newest. */
  #superseded: string | null = null;
  /** Whether the forge's list was read since an answer was last lost. */
  listed = false;
  /** Whether the forge refused, so that nothing more is tried for this revision. */
  givenUp = false;

  constructor(revision: string) {
    this.revision = revision;
  }

  /** Makes it the newest revision, with these statuses. Returns whether anything changed. */
  want(report: Report, now: number): boolean {
    let changed = this.#superseded !== null;
    this.#superseded = null;
    const kept = new Set<string>();
    for (const desired of report.statuses) {
      kept.add(keyOf(desired.context));
      const record = this.#contexts.get(keyOf(desired.context));
      const pendingSince = desired.state === 'pending' ? (record?.pendingSince ?? now) : null;
      if (record === undefined) {
        this.#contexts.set(keyOf(desired.context), {
          context: desired.context,
          desired,
          pendingSince,
          posted: null,
          posts: 0,
        });
        changed = true;
        continue;
      }
      changed ||= JSON.stringify(record.desired) !== JSON.stringify(desired);
      record.desired = desired;
      record.pendingSince = pendingSince;
    }
    for (const [key, record] of this.#contexts) {
      if (kept.has(key)) continue;
      changed ||= !('gone' in record.desired);
      record.desired = { gone: true };
      record.pendingSince = null;
    }
    return changed;
  }

  /** Says that a newer revision has come. */
  supersede(by: string): void {
    this.#superseded = by;
    for (const record of this.#contexts.values()) {
      record.desired = { superseded: by };
      record.pendingSince = null;
    }
  }

  /** Takes what the forge holds. Contexts that nobody asked for were left by an earlier run. */
  take(statuses: readonly CommitStatus[]): void {
    this.listed = true;
    for (const { context, state, description } of statuses) {
      const key = keyOf(context);
      if (key.endsWith('/plan')) continue;
      const ended = state === 'error' && description.startsWith(supersededWords);
      const settled = state === 'success' || state === 'failure' || ended;
      const known = this.#contexts.get(key);
      if (known !== undefined) {
        if (known.posted?.state === state && known.posted.description === description) continue;
        known.posted = { state, description, settled };
        continue;
      }
      this.#contexts.set(key, {
        context,
        desired: this.#superseded === null ? { gone: true } : { superseded: this.#superseded },
        pendingSince: null,
        posted: { state, description, settled },
        posts: 0,
      });
    }
  }

  /** Whether a status of it is pending on the forge, as far as is known. */
  get isOpen(): boolean {
    return !this.givenUp && [...this.#contexts.values()].some(({ posted }) => posted?.state === 'pending');
  }

  /** All that is to be posted now, in the order of the report. */
  due(now: number): readonly { readonly record: ContextRecord; readonly post: Post }[] {
    return [...this.#contexts.values()].flatMap((record) => {
      const post = nextPost(record, now);
      return post === null ? [] : [{ record, post }];
    });
  }

  /** When the first pending status has to be ended, on the monotonic clock; null where none has to. */
  endsAt(): number | null {
    const times = [...this.#contexts.values()].map(pendingEndsAt).filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }
}

/** GitHub tells contexts apart without regard to case. */
function keyOf(context: string): string {
  return context.toLowerCase();
}
