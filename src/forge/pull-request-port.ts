import type { PostedStatus } from './forge.ts';
import type { ForgeOptions } from './forge-client.ts';
import type { PullRequest, PullRequestComment, PullRequests } from './pull-requests.ts';
import { StickyComments } from './sticky-comments.ts';

/** A comment on a pull request as a whole. `R` is what it takes to edit it. */
export interface PortComment<R> extends PullRequestComment {
  readonly ref: R;
  /** Whether the token's user wrote it; null where the forge does not tell who that is. */
  readonly isOwn: boolean | null;
}

/** What each forge does in its own way. Methods throw Failure. */
export interface PullRequestPort<R> {
  /** The longest body of a comment, in characters. */
  readonly commentLimit: number;
  /** Those that are open against a branch, in any order. */
  listOpen(branch: string, signal: AbortSignal): AsyncIterable<PullRequest>;
  /** The branch that one asks to be merged into; null where it is not open, or not there. */
  base(number: number, signal: AbortSignal): Promise<string | null>;
  /** Comments on the whole in any order; with an instant, older ones may be left out. */
  comments(number: number, since: number | null, signal: AbortSignal): AsyncIterable<PortComment<R>>;
  create(number: number, body: string, signal: AbortSignal): Promise<R>;
  /** Null where the comment cannot be edited: it is gone, was edited in between, or is not ours. */
  edit(number: number, ref: R, body: string, signal: AbortSignal): Promise<R | null>;
  status(pullRequest: PullRequest, status: PostedStatus, signal: AbortSignal): Promise<void>;
  mayWrite(author: string, signal: AbortSignal): Promise<boolean>;
}

/** The pull requests of a forge, of what it does in its own way. */
export function pullRequests<R>(port: PullRequestPort<R>, { clock }: Pick<ForgeOptions, 'clock'>): PullRequests {
  const sticky = new StickyComments(port, clock);
  return {
    commentLimit: port.commentLimit,
    listOpen: async (branch, signal) => {
      // One that moved from a page to the next while they were read comes twice.
      const found = new Map<number, PullRequest>();
      for await (const one of port.listOpen(branch, signal)) if (one.base === branch) found.set(one.number, one);
      sticky.keepOnly(found);
      return [...found.values()].sort((a, b) => a.number - b.number);
    },
    say: (number, marker, body, signal) => sticky.say(number, marker, body, signal),
    base: (number, signal) => port.base(number, signal),
    amend: (number, marker, change, signal) => sticky.amend(number, marker, change, signal),
    comment: async (number, body, signal) => {
      await port.create(number, body, signal);
    },
    status: (pullRequest, status, signal) =>
      port.status(pullRequest, { ...status, revision: pullRequest.head }, signal),
    comments: async (number, since, signal) => {
      const found = new Map<string, PullRequestComment>();
      for await (const { id, author, body, at, isOwn } of port.comments(number, since, signal)) {
        if (isOwn !== true && at >= since) found.set(id, { id, author, body, at });
      }
      return [...found.values()].sort((a, b) => a.at - b.at);
    },
    mayWrite: (author, signal) => port.mayWrite(author, signal),
  };
}
