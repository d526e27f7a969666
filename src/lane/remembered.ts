import { type BuildSchemas, inPlaceOf, type Offer } from './offer.ts';

/** The offer itself is what was in place; or another revision was, as an offer; null where that is not known. */
export type WasInPlace = 'itself' | Offer | null;

/**
 * What an earlier process is known to have put in place at a destination, where nothing is known of this one: it counts
 * as in force while a newer revision is held.
 */
export class Remembered {
  #for: Offer | null = null;
  #found: Offer | null = null;

  /** What was in place before an offer. Throws Failure where the repository cannot be asked. */
  async before(offer: Offer, schemas: BuildSchemas | null, signal: AbortSignal): Promise<WasInPlace> {
    if (this.#for === offer) return this.#found;
    const found = (await offer.lastInPlace?.(schemas, signal)) ?? null;
    if (found?.revision === offer.revision) return 'itself';
    this.#found = found === null ? null : inPlaceOf(offer, found);
    this.#for = offer;
    return this.#found;
  }
}
