import type { CommitStatus } from '../forge/forge.ts';
import { type DesiredStatus, supersededText, supersededWords } from './commit-status.ts';

/** How long a status may be pending, in milliseconds (DESIGN.md 7). */
export const pendingLimitMs = 10 * 60_000;

/** The most posts for one commit and context (DESIGN.md 7). */
export const postLimit = 20;

/**
 * How many posts each state may use up, so that a commit whose destination comes and goes all day still gets its
 * verdict: nothing stays pending because the posts were used on saying that it is.
 */
const shares: { readonly [S in CommitStatus['state']]: number } = {
  pending: postLimit - 10,
  error: postLimit - 2,
  failure: postLimit - 1,
  success: postLimit,
};

/** What is known of one context of one revision. */
export interface ContextRecord {
  readonly context: string;
  /** What it should say; `superseded` names the newer revision; null where nothing is wanted any more. */
  desired: DesiredStatus | { readonly superseded: string } | { readonly gone: true };
  /** Since when it should be pending without a break, on the monotonic clock; null where it should not. */
  pendingSince: number | null;
  posted: { readonly state: CommitStatus['state']; readonly description: string; readonly settled: boolean } | null;
  posts: number;
}

/** What is to be posted. */
export interface Post {
  readonly state: CommitStatus['state'];
  readonly description: string;
  readonly settled: boolean;
}

/** What has to be posted for a context now, or null. Pure; `now` is monotonic. */
export function nextPost(record: ContextRecord, now: number): Post | null {
  const wanted = wantedNow(record, now);
  if (wanted === null || record.posts >= shares[wanted.state]) return null;
  return wanted;
}

/** When a pending status has to be ended, on the monotonic clock, or null where none has to. */
export function pendingEndsAt(record: ContextRecord): number | null {
  if (record.pendingSince === null || record.posted?.state !== 'pending' || record.posts >= shares.error) return null;
  return record.pendingSince + pendingLimitMs;
}

function wantedNow(record: ContextRecord, now: number): Post | null {
  const { desired, posted } = record;
  if ('superseded' in desired) return ending(posted, supersededText(desired.superseded));
  if ('gone' in desired) return posted?.state === 'pending' ? ending(posted, 'no longer a destination') : null;
  switch (desired.state) {
    case 'success':
      // What a later look for drift changed is no news about the commit.
      return posted?.state === 'success' ? null : post(desired);
    case 'failure':
      return posted?.state === 'failure' && posted.description === desired.description ? null : post(desired);
    case 'pending':
      return waiting(record, desired, now);
  }
}

function waiting(record: ContextRecord, desired: DesiredStatus, now: number): Post | null {
  const { posted, pendingSince } = record;
  const again = posted?.state === 'error' && posted.description.startsWith(supersededWords);
  // A verdict stands until there is another one: that it is being tried once more is none.
  if (posted !== null && posted.state !== 'pending' && !again) return null;
  if (pendingSince !== null && now - pendingSince >= pendingLimitMs) {
    const description = `${desired.description}; not in place after ${pendingLimitMs / 60_000} minutes`;
    return { state: 'error', description, settled: false };
  }
  return posted?.state === 'pending' && posted.description === desired.description ? null : post(desired);
}

/** An error that ends a status which will get no verdict; one that had none gets none. */
function ending(posted: ContextRecord['posted'], description: string): Post | null {
  if (posted === null || posted.settled || posted.description === description) return null;
  return { state: 'error', description, settled: true };
}

function post(desired: DesiredStatus): Post {
  return { state: desired.state, description: desired.description, settled: desired.settled };
}
