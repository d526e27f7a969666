import type { GivenBy } from './given-by.ts';
import { atRest, beingRead, nothingOffered } from './sayings.ts';
import type { StatusBoard } from './status-board.ts';

/** Whether a person has a lane stand still, and what it says of that. What was under way then may still be. */
export class Suspension {
  /** Who has it stand still and why; null where it is not to. */
  asked: GivenBy | null = null;
  readonly #board: StatusBoard;

  constructor(board: StatusBoard) {
    this.#board = board;
  }

  /** The lane stands still from now on, until nudged. */
  rests(given: GivenBy): null {
    if (this.#board.status.state !== 'suspended') this.#board.rests(atRest(given));
    return null;
  }

  /** The lane goes on: what is said until its next pass ends, of what was offered if anything was. */
  wakesUp(isOffered: boolean): void {
    if (this.#board.status.state === 'suspended') this.#board.show(isOffered ? beingRead : nothingOffered);
  }
}
