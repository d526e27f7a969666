import type { Offer } from './offer.ts';

/**
 * A mailbox of one: a newer offer replaces an older one that waits, and one whose generation does not grow is refused,
 * whatever order offers arrive in.
 */
export class Mailbox {
  #waiting: Offer | null = null;
  #newest = 0;

  /** Takes an offer in; false when its generation does not grow. */
  put(offer: Offer): boolean {
    if (offer.generation <= this.#newest) return false;
    this.#newest = offer.generation;
    this.#waiting = offer;
    return true;
  }

  /** The waiting offer, which waits no longer; null when none does. */
  take(): Offer | null {
    const offer = this.#waiting;
    this.#waiting = null;
    return offer;
  }

  /** Whether an offer waits. */
  get full(): boolean {
    return this.#waiting !== null;
  }
}
