import type { Built } from '../build/built.ts';
import type { State } from '../model/state.ts';
import { changeWords } from './ending.ts';
import type { InQuarantine, LaneStatus } from './lane-status.ts';
import type { Offer } from './offer.ts';
import type { Applied, PassEnd } from './pass.ts';

/** What was confirmed last at a destination: what drift is measured against. Nothing is known after a start. */
export class InForce {
  /** The offer that was confirmed. */
  offer: Offer | null = null;
  /** The last one before it with other content; null where none is known. */
  before: Offer | null = null;
  /** The digest of what was confirmed. */
  #digest: string | null = null;
  /** What was confirmed for it. */
  state: State | null = null;
  /** The files that this was built from. */
  files: Built['entries'] | null = null;
  /** What was delivered last for it: `3 created`. */
  words: string | null = null;

  /** What was confirmed, other than an offer that is not to stay; null where none is known. */
  insteadOf(refused: Offer): Offer | null {
    return this.offer === refused ? this.before : this.offer;
  }

  /** What was in force in the place of content that does not work; null where none is known, or it is no other. */
  otherThan(offer: Offer, digest: string): Offer | null {
    if (offer === this.offer) return this.before;
    return digest === this.#digest ? null : this.offer;
  }

  /** An offer was confirmed. */
  confirmed(offer: Offer, { delivered, built }: Applied): void {
    if (delivered !== null) this.words = changeWords(delivered);
    else if (offer !== this.offer) this.words = null;
    if (offer !== this.offer && built.digest !== this.#digest) this.before = this.offer;
    this.#digest = built.digest;
    this.offer = offer;
    this.state = built.state;
    this.files = built.entries ?? null;
  }

  /** What a status says of it; it was confirmed at `now`, in milliseconds since 1970. */
  said(now: number): Pick<LaneStatus, 'applied' | 'appliedAt' | 'appliedDigest'> {
    return { applied: this.offer?.revision ?? null, appliedAt: now, appliedDigest: this.#digest };
  }
}

/**
 * What is in quarantine after a pass, each entity since it was first. A pass that did not end with something in place
 * leaves it as it was.
 */
export function quarantineAfter(
  before: readonly InQuarantine[],
  ended: PassEnd,
  revision: string,
  at: number,
): readonly InQuarantine[] {
  if (ended.end !== 'applied') return before;
  const known = new Map(before.map((one) => [`${one.entity.kind}\n${one.entity.name}`, one]));
  return (ended.built.quarantine?.leftOut ?? []).map((one) => {
    const { since = at, sinceRevision = revision } = known.get(`${one.entity.kind}\n${one.entity.name}`) ?? {};
    return { ...one, since, sinceRevision };
  });
}
