import { asFailure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { inPlaceOf, leftAsItIs, type Offer } from './offer.ts';

/** How many earlier revisions are tried in place of one that the destination refused. */
const triesLimit = 5;

/**
 * After a restart on a revision that the destination refuses, nothing is known to be in force: finds the earlier
 * revision that is to be put, or found to be, in force. One that is refused too is passed over the next time.
 */
export class LastGoodSearch {
  #for: Offer | null = null;
  #found: Offer | null = null;
  #passedOver = new Set<string>();
  /** The branch's past has none that may be taken: it does not change, and is not gone through again. */
  #hasNone = false;

  /** The revision to keep in force while another is refused; null where there is none, or none can be looked for now. */
  async next(
    refused: Offer,
    log: Log,
    fields: { readonly destination: string; readonly revision: string },
    signal: AbortSignal,
  ): Promise<Offer | null> {
    if (this.#for !== refused) {
      this.#for = refused;
      this.#found = null;
      this.#passedOver = new Set();
      this.#hasNone = false;
    }
    if (this.#hasNone) return null;
    if (this.#found !== null || refused.lastGood === undefined) return this.#found;
    if (this.#passedOver.size >= triesLimit) return null;
    try {
      const found = await refused.lastGood(null, this.#passedOver, signal);
      if (found === null) {
        this.#hasNone = true;
        log.warn(fields, 'there is no earlier revision to keep in force; the destination is left as it is');
        return null;
      }
      log.info({ ...fields, lastGood: found.revision }, 'the last good revision was found');
      this.#found = inPlaceOf(refused, found);
      return this.#found;
    } catch (thrown) {
      if (signal.aborted) return null;
      const facts = asFailure(thrown)?.facts;
      if (facts === undefined) throw thrown;
      this.#hasNone = facts.code === leftAsItIs;
      log.warn(
        { ...fields, code: facts.code, failure: facts.message },
        'the last good revision could not be looked for; the destination is left as it is',
      );
      return null;
    }
  }

  /** The revision that was found is refused as well. */
  passOver(): void {
    if (this.#found !== null) this.#passedOver.add(this.#found.revision);
    this.#found = null;
  }
}
