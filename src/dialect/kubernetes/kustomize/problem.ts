import type { Place } from './traced.ts';

/** Why a folder cannot be built, with the place in its files. Ends the building of that folder. */
export class KustomizeProblem extends Error {
  readonly hint: string;
  readonly place: Place;

  /** A problem, what to do about it, and where it is. */
  constructor(message: string, hint: string, place: Place) {
    super(message);
    this.hint = hint;
    this.place = place;
  }
}
