import type { PostedStatus } from './forge.ts';

/** A pull request (GitLab: merge request) that is open, as its forge describes it. Nothing in it is trusted. */
export interface PullRequest {
  /** How the forge and its people number it: 7. */
  readonly number: number;
  readonly title: string;
  readonly author: string;
  /** Whether the forge says that no person made it. */
  readonly isBot: boolean;
  /** Whether its head lies in another repository than the one asked; a repository that is gone is another one. */
  readonly isFork: boolean;
  readonly isDraft: boolean;
  /** The commit that is proposed: a full SHA. */
  readonly head: string;
  /** The branch of the followed repository that it asks to be merged into. */
  readonly base: string;
  /** A full ref of the followed repository under which Git serves the head; null where the forge has none. */
  readonly headRef: string | null;
  /** Where people look at it. */
  readonly url: string | null;
}

/** A comment of a person that may hold a command. */
export interface PullRequestComment {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The pull requests of a forge's repository. Methods throw Failure. */
export interface PullRequests {
  /** The longest body of a comment, in characters. */
  readonly commentLimit: number;
  /**
   * Those that are open against a branch, all pages. Asked with the condition of the last answer where the forge knows
   * such, so that nothing new costs next to nothing.
   */
  listOpen(branch: string, signal: AbortSignal): Promise<readonly PullRequest[]>;
  /**
   * Makes our comment on a pull request say this. Ours is the one that we wrote ourselves and that holds the marker;
   * it is edited where there is one, and made where there is none. No request is made that would change nothing.
   */
  say(number: number, marker: string, body: string, signal: AbortSignal): Promise<void>;
  /** The branch that one asks to be merged into; null where it is not open, or not there. */
  base(number: number, signal: AbortSignal): Promise<string | null>;
  /**
   * Changes what our comment says, where we wrote one: `change` gives what is to stand there instead, or null to leave it.
   * Whether it was changed.
   */
  amend(number: number, marker: string, change: (body: string) => string | null, signal: AbortSignal): Promise<boolean>;
  /** Makes another comment of ours, whatever there is. */
  comment(number: number, body: string, signal: AbortSignal): Promise<void>;
  /** Posts a status where the forge's merge rules look for it: on the head, or on the pull request itself. */
  status(pullRequest: PullRequest, status: PostedStatus, signal: AbortSignal): Promise<void>;
  /** Comments by others since an instant (milliseconds since 1970), oldest first. */
  comments(number: number, since: number, signal: AbortSignal): Promise<readonly PullRequestComment[]>;
  /** Whether a person may write to the repository. */
  mayWrite(author: string, signal: AbortSignal): Promise<boolean>;
}
