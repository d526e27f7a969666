import type { Repository, Resolved } from '../git/repository.ts';
import type { CommitText, SignatureVerdict } from '../model/commit-text.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure, type FailureFacts, faultText, ownFault } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { isContentFault } from './content-faults.ts';

/** What is known of the followed branch. Holds no secret. */
export interface WatcherStatus {
  /** The newest revision that was taken up, or null before the first. */
  readonly revision: string | null;
  /** What the signature of its commit is worth; null where signatures are not verified, or before the first. */
  readonly signature: SignatureVerdict | null;
  /** When the remote last answered, in milliseconds since 1970; null before the first answer. */
  readonly checkedAt: number | null;
  /** What keeps the branch from being followed, and since when; null when nothing does. */
  readonly failure: FailureFacts | null;
  readonly failingSince: number | null;
  /** When the next poll is due, in milliseconds since 1970. */
  readonly nextPollAt: number | null;
}

/** What a watcher is made with. */
export interface WatcherWorld {
  readonly repository: Repository;
  readonly branch: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  /** From 0 up to 1: spreads polls by a tenth of the interval either way. */
  readonly random: () => number;
  readonly log: Log;
  /** Told each new revision with all of its files and its commit's text, in order. */
  readonly taken: (revision: string, snapshot: Snapshot, commit: CommitText) => void;
  /** Told that the remote has answered, and that its revision is taken up. */
  readonly answered: () => void;
  /** Told whenever the status changed. Must not wait. */
  readonly changed: () => void;
  /** Told a new revision whose files cannot be read as they are. */
  readonly unreadable: (revision: string, failure: FailureFacts) => void;
}

/** The files and the text of a revision, or why they cannot be read as they are. */
type Content = { readonly signature: SignatureVerdict | null } & (
  | { readonly snapshot: Snapshot; readonly commit: CommitText }
  | { readonly failure: FailureFacts }
);

/** Follows one branch: polls, fetches what is new, and hands on complete snapshots. What fails leaves the last revision in force. */
export class Watcher {
  readonly #world: WatcherWorld;
  #status: WatcherStatus = {
    revision: null,
    signature: null,
    checkedAt: null,
    failure: null,
    failingSince: null,
    nextPollAt: null,
  };
  /** What the revision's signature was judged by. */
  #judgedBy: string | undefined;

  constructor(world: WatcherWorld) {
    this.#world = world;
  }

  /** What is known of the branch now. */
  get status(): WatcherStatus {
    return this.#status;
  }

  /** Polls until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, random } = this.#world;
    while (!signal.aborted) {
      await this.poll(signal);
      if (signal.aborted) return;
      const waitMs = Math.round(intervalMs * (0.9 + random() * 0.2));
      this.#status = { ...this.#status, nextPollAt: clock.now() + waitMs };
      await clock.sleep(waitMs, signal).catch((reason: unknown) => {
        if (!signal.aborted) throw reason;
      });
    }
  }

  /** One poll: true when the remote answered and its revision is taken up. */
  async poll(signal: AbortSignal): Promise<boolean> {
    const { repository, clock, answered } = this.#world;
    let asked = this.#status.revision;
    try {
      const resolved = await repository.resolve(signal);
      if (!resolved.found) {
        this.#failed(branchMissing(this.#world.branch, resolved.reason));
        return false;
      }
      asked = resolved.revision;
      if (asked !== this.#status.revision || (await this.#isJudgedAnew(resolved, signal))) {
        this.#hand(asked, await this.#content(asked, signal));
      }
      this.#judgedBy = resolved.judgedBy;
      this.#recovered();
      this.#status = { ...this.#status, checkedAt: clock.now() };
      answered();
      this.#world.changed();
      return true;
    } catch (thrown) {
      if (signal.aborted) return false;
      const failure = asFailure(thrown);
      if (failure === undefined) {
        this.#world.log.error({ revision: asked, stack: faultText(thrown) }, 'a fault of Konverge itself');
      }
      this.#failed(failure?.facts ?? ownFault());
      return false;
    }
  }

  /** Hands a revision on. One that a fault keeps from being taken up is not taken for known, so that it comes again. */
  #hand(revision: string, content: Content): void {
    const { taken, unreadable } = this.#world;
    const { signature } = content;
    const before = this.#status;
    this.#status = { ...before, revision, signature };
    if (signature?.accepted === true) {
      this.#world.log.info({ revision, signedBy: signature.by }, 'the signature of a revision is accepted');
    }
    try {
      if ('snapshot' in content) taken(revision, content.snapshot, content.commit);
      else unreadable(revision, content.failure);
    } catch (thrown) {
      this.#status = { ...this.#status, revision: before.revision, signature: before.signature };
      throw thrown;
    }
  }

  /** All files of a revision. That they cannot be read as they are is a fact about the revision, not a failed poll. */
  async #content(revision: string, signal: AbortSignal): Promise<Content> {
    const { repository } = this.#world;
    let signature: SignatureVerdict | null = null;
    try {
      await repository.fetch(revision, signal);
      const commit = await repository.text(revision, signal);
      signature = commit.signature;
      return { signature, snapshot: await repository.read(revision, signal), commit };
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failure === undefined || !isContentFault(thrown)) throw thrown;
      return { signature, failure: failure.facts };
    }
  }

  /** Whether the keys have changed since the revision in hand was judged, and it is judged otherwise by them. */
  async #isJudgedAnew(resolved: Resolved & { readonly found: true }, signal: AbortSignal): Promise<boolean> {
    const { signature: before } = this.#status;
    if (resolved.judgedBy === this.#judgedBy || before === null) return false;
    const { signature } = await this.#world.repository.text(resolved.revision, signal);
    return faultOf(signature) !== faultOf(before);
  }

  #failed(failure: FailureFacts): void {
    const { clock, log } = this.#world;
    const repeated = this.#status.failure?.code === failure.code;
    this.#status = { ...this.#status, failure, failingSince: this.#status.failingSince ?? clock.now() };
    const fields = {
      revision: this.#status.revision,
      code: failure.code,
      failure: failure.message,
      url: failure.url,
      hint: failure.hint,
      since: new Date(this.#status.failingSince ?? clock.now()).toISOString(),
      unaffected: 'the last revision stays in force',
    };
    if (repeated) log.debug(fields, 'the repository still cannot be followed');
    else log.warn(fields, 'the repository cannot be followed');
    this.#world.changed();
  }

  #recovered(): void {
    if (this.#status.failure === null) return;
    this.#world.log.info({ revision: this.#status.revision }, 'the repository is followed again');
    this.#status = { ...this.#status, failure: null, failingSince: null };
  }
}

/** Why a signature is not accepted; null where it is. */
function faultOf(signature: SignatureVerdict | null): string | null {
  return signature === null || signature.accepted ? null : signature.code;
}

function branchMissing(branch: string, reason: string): FailureFacts {
  return {
    class: 'rejected',
    code: 'branch-missing',
    message: `the branch ${branch} is not there: ${reason}`,
    hint: 'Correct `repository.branch`, or push the branch. Nothing is changed at any destination until then.',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  };
}
