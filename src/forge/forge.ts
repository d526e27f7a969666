import type { PullRequests } from './pull-requests.ts';

/** A commit status as every forge knows it: `failure` is "your change is wrong", `error` is "we could not". */
export interface CommitStatus {
  readonly revision: string;
  /** `konverge/prod-eu` and the like. */
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  /** Leads with the fact; already cut to what the forge takes. */
  readonly description: string;
  readonly targetUrl: string | null;
}

/** A status to be posted. */
export interface PostedStatus extends CommitStatus {
  /** What it found at lines of the commit's files; shown there by forges that can, and passed over by all others. */
  readonly annotations?: readonly Annotation[];
}

/** Something that is said of a line. Neither text holds a secret. */
export interface Annotation {
  readonly level: 'failure' | 'warning' | 'notice';
  /** From the repository's root. */
  readonly file: string;
  /** Lines start at 1; the last one is part of it. */
  readonly line: number;
  readonly endLine: number;
  /** One line. */
  readonly title: string;
  readonly message: string;
}

/** A forge that can be told about commits. Throws Failure; `rejected` means that no retry of the same call will help. */
export interface Forge {
  readonly name: string;
  /** The longest description it takes, in code points. */
  readonly descriptionLimit: number;
  post(status: PostedStatus, signal: AbortSignal): Promise<void>;
  /** The newest status of each context of ours on a commit. */
  list(revision: string, signal: AbortSignal): Promise<readonly CommitStatus[]>;
  /** Whether it takes statuses of commits that it does not have, so that none can be posted to see whether it may be. */
  readonly takesAnyCommit?: true;
  /** Its pull requests; left out where this forge's cannot be read. */
  readonly pullRequests?: PullRequests;
  close(): Promise<void>;
}
