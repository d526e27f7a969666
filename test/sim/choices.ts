/** Where a simulation asks what happens next. Every source of chance of a run goes through one of these. */
export interface Choices {
  /** The place of one of the options, each of which has a weight above zero. */
  pick(weights: readonly number[]): number;
}

/** Pseudo-random numbers from 0 up to 1: the same for the same seed, on every machine. */
export function randomFrom(seed: number): () => number {
  let state = (seed * 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Chooses by weight from a seed, for volume. */
export class Seeded implements Choices {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  pick(weights: readonly number[]): number {
    let left = this.#random() * weights.reduce((sum, weight) => sum + weight, 0);
    for (const [index, weight] of weights.entries()) {
      left -= weight;
      if (left < 0) return index;
    }
    return weights.length - 1;
  }
}

/** Always the first option: for the parts of a run that are not to be varied. */
export const firstOption: Choices = { pick: () => 0 };

/**
 * Chooses every option at every place, one schedule after the other, whatever the weights. A schedule that is replayed
 * must offer as many options at each place as before: a difference is chance that went round the choices.
 */
export class Exhaustive implements Choices {
  readonly #path: { readonly count: number; taken: number }[] = [];
  #at = 0;

  pick(weights: readonly number[]): number {
    const place = this.#path[this.#at];
    this.#at += 1;
    if (place === undefined) {
      this.#path.push({ count: weights.length, taken: 0 });
      return 0;
    }
    if (place.count !== weights.length) {
      throw new Error(`choice ${this.#at} had ${place.count} options and has ${weights.length} when it is replayed`);
    }
    return place.taken;
  }

  /** Goes to the next schedule; false when there is none. */
  next(): boolean {
    this.#at = 0;
    for (;;) {
      const last = this.#path.at(-1);
      if (last === undefined) return false;
      last.taken += 1;
      if (last.taken < last.count) return true;
      this.#path.pop();
    }
  }

  /** The schedule under way, to be told where it fails. */
  get schedule(): string {
    return this.#path.map(({ taken }) => taken).join('.');
  }
}
