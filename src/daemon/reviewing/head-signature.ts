import { ConfigurationError } from '../../config/configuration-error.ts';
import type { VerifySettings } from '../../config/verify.ts';
import type { CommitObjects } from '../../git/repository.ts';
import { KeyFiles } from '../../git/signatures/key-files.ts';
import { verdictOn } from '../../git/signatures/verdict-on.ts';
import { asFailure } from '../../platform/failure.ts';

/** Judges proposed commits by the keys that the branch's have to be signed by. */
export class HeadSignatures {
  readonly #settings: VerifySettings | null;
  #keys: KeyFiles | null = null;

  /** Null where signatures are not verified. */
  constructor(settings: VerifySettings | null) {
    this.#settings = settings;
  }

  /**
   * Why a commit that was fetched would not be accepted as the branch's newest: a sentence without a full stop, and null
   * where it would be, or nothing is asked of it. `now` is in milliseconds since 1970. Throws Failure where the
   * repository cannot be asked.
   */
  async refusal(repository: CommitObjects, head: string, now: number, signal: AbortSignal): Promise<string | null> {
    if (this.#settings === null) return null;
    const keys = await this.#current(this.#settings);
    if (keys === null)
      return 'the files of keys (repository.verify.keys) cannot be used, which the log of Konverge explains';
    const verdict = await verdictOn(await repository.object(head, signal), keys.keys, now);
    return verdict.accepted ? null : verdict.message;
  }

  /** The keys as they are now; null where they cannot be used, which whoever follows the branch tells people of. */
  async #current({ keys }: VerifySettings): Promise<KeyFiles | null> {
    try {
      if (this.#keys === null) this.#keys = await KeyFiles.open(keys);
      else await this.#keys.refresh();
      return this.#keys;
    } catch (thrown) {
      if (thrown instanceof ConfigurationError || asFailure(thrown) !== undefined) return null;
      throw thrown;
    }
  }
}
