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

/** A forge that can be told about commits. Throws Failure; `rejected` means that no retry of the same call will help. */
export interface Forge {
  readonly name: string;
  /** The longest description it takes, in code points. */
  readonly descriptionLimit: number;
  post(status: CommitStatus, signal: AbortSignal): Promise<void>;
  /** The newest status of each context of ours on a commit. */
  list(revision: string, signal: AbortSignal): Promise<readonly CommitStatus[]>;
  /** Its pull requests; left out where this forge's cannot be read. */
  readonly pullRequests?: PullRequests;
  close(): Promise<void>;
}
