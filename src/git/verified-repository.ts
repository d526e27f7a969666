import type { VerifySettings } from '../config/verify.ts';
import type { CommitText, SignatureVerdict } from '../model/commit-text.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Failure, FailureFacts } from '../platform/failure.ts';
import { gitFailure, shortRevision } from './git-failure.ts';
import type { CommitObjects, Repository, Resolved } from './repository.ts';
import { KeyFiles } from './signatures/key-files.ts';
import { signedBytes } from './signatures/signed-bytes.ts';
import { verdictOn } from './signatures/verdict-on.ts';

/** How many verdicts are kept: more than commits that a look back goes through at a time. */
const keptVerdicts = 2000;

/**
 * A repository of which a commit's files are given only where the commit is signed by an accepted key: whatever is built
 * from it is. Each look at the branch reads the keys again.
 */
export class VerifiedRepository implements Repository {
  readonly #repository: Repository & CommitObjects;
  readonly #keys: KeyFiles;
  readonly #now: () => number;
  #judgedBy = '';
  readonly #verdicts = new Map<string, SignatureVerdict>();

  /** `now` gives milliseconds since 1970. */
  constructor(repository: Repository & CommitObjects, keys: KeyFiles, now: () => number) {
    this.#repository = repository;
    this.#keys = keys;
    this.#now = now;
  }

  async resolve(signal: AbortSignal): Promise<Resolved> {
    await this.#keys.refresh();
    const resolved = await this.#repository.resolve(signal);
    return resolved.found ? { ...resolved, judgedBy: this.#keys.version } : resolved;
  }

  fetch(revision: string, signal: AbortSignal): Promise<void> {
    return this.#repository.fetch(revision, signal);
  }

  async read(revision: string, signal: AbortSignal): Promise<Snapshot> {
    const verdict = await this.verdict(revision, signal);
    if (!verdict.accepted) throw notAccepted(revision, verdict);
    return await this.#repository.read(revision, signal);
  }

  async text(revision: string, signal: AbortSignal): Promise<CommitText> {
    const { message } = await this.#repository.text(revision, signal);
    const signature = await this.verdict(revision, signal);
    const signed = signedBytes(await this.#repository.object(revision, signal));
    return { message, signature, ...(signed === null ? {} : { signed }) };
  }

  ancestors(revision: string, limit: number, signal: AbortSignal): Promise<readonly string[]> {
    return this.#repository.ancestors(revision, limit, signal);
  }

  describe(revision: string, signal: AbortSignal): ReturnType<Repository['describe']> {
    return this.#repository.describe(revision, signal);
  }

  async refusal(revision: string, signal: AbortSignal): Promise<FailureFacts | null> {
    await this.#keys.refresh();
    const verdict = await this.verdict(revision, signal);
    return verdict.accepted ? null : notAccepted(revision, verdict).facts;
  }

  close(): Promise<void> {
    return this.#repository.close();
  }

  /** What the signature of a commit is worth by the keys as they were read last. */
  async verdict(revision: string, signal: AbortSignal): Promise<SignatureVerdict> {
    const { version, keys } = this.#keys;
    if (version !== this.#judgedBy) this.#verdicts.clear();
    this.#judgedBy = version;
    const known = this.#verdicts.get(revision);
    if (known !== undefined) return known;
    const verdict = await verdictOn(await this.#repository.object(revision, signal), keys, this.#now());
    // The keys may have been read again meanwhile.
    if (this.#keys.version === version && this.#verdicts.size < keptVerdicts) this.#verdicts.set(revision, verdict);
    return verdict;
  }
}

/**
 * The repository that `open` gives, verified where that is configured: `now` gives milliseconds since 1970. Throws
 * ConfigurationError for keys that cannot be used, and nothing is opened then.
 */
export async function verified(
  settings: VerifySettings | null,
  open: () => Promise<Repository & CommitObjects>,
  now: () => number,
): Promise<Repository> {
  if (settings === null) return await open();
  const keys = await KeyFiles.open(settings.keys);
  return new VerifiedRepository(await open(), keys, now);
}

/** That a commit is not accepted, as a failure with the code of its signature. */
export function notAccepted(revision: string, verdict: SignatureVerdict & { readonly accepted: false }): Failure {
  const { code, message, hint } = verdict;
  return gitFailure({
    class: 'rejected',
    code,
    message: `Revision ${shortRevision(revision)} is not accepted: ${message}.`,
    hint,
  });
}
