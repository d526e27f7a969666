import type { Clock } from '../../platform/clock.ts';
import type { FailureFacts } from '../../platform/failure.ts';

/** The first rest after a node did not answer, in milliseconds: shorter than the lane's own, so that each retry asks. */
const firstRestMs = 400;

/** The longest rest: a node that is back is not left without its configuration for longer. */
const longestRestMs = 30_000;

/** How a node is, as far as it said. */
export interface NodeSeen {
  /** The last that it reported; null before that. */
  readonly hash: string | null;
  /** Why it does not answer; null where it does, or was not asked yet. */
  readonly failure: FailureFacts | null;
  /** What it refused last, until it has something else. */
  readonly refusal: FailureFacts | null;
  readonly changedAt: number;
  readonly nextTryAt: number | null;
}

/**
 * The back-off of one node among several. A node that did not answer is left alone for a while, longer each time, so
 * that what waits for all nodes does not wait out its time limit again and again.
 */
export class NodeHealth {
  readonly #clock: Clock;
  readonly #rests: boolean;
  #failures = 0;
  #until = 0;
  #last: FailureFacts | null = null;
  #refusal: FailureFacts | null = null;
  #refused: string | null = null;
  #hash: string | null = null;
  #answer = 'none';
  #isLate = false;
  #changedAt: number;

  /** `rests` is false for a node that is alone: nothing else waits for it, and its lane backs off. */
  constructor(clock: Clock, rests: boolean) {
    this.#clock = clock;
    this.#rests = rests;
    this.#changedAt = clock.now();
  }

  /** Why the node is not asked now, or null where it is to be asked. */
  get resting(): FailureFacts | null {
    const leftMs = this.#until - this.#clock.monotonic();
    if (this.#last === null || leftMs <= 0) return null;
    // No time in it: a log and a history that say it would take each time for news. `seen` has when it is asked again.
    return { ...this.#last, message: `${this.#last.message}; it is left alone for a while` };
  }

  /** How the node is, as far as it said; `changedAt` and `nextTryAt` are in milliseconds since 1970. */
  get seen(): NodeSeen {
    const leftMs = this.#until - this.#clock.monotonic();
    return {
      hash: this.#hash,
      failure: this.#last,
      refusal: this.#refusal,
      changedAt: this.#changedAt,
      nextTryAt: this.#last === null || leftMs <= 0 ? null : this.#clock.now() + leftMs,
    };
  }

  /** Notes that the node answered, and the hash where it gave one. */
  answered(hash: string | null = null): void {
    this.#failures = 0;
    this.#until = 0;
    this.#last = null;
    this.#isLate = false;
    if (hash === null) return;
    // What it refused before, it has taken since, or was given something else.
    if (this.#hash !== null && hash !== this.#hash) this.#refusal = null;
    this.#hash = hash;
    this.#changes(`hash ${hash}`);
  }

  /** Notes that it was not waited for any longer: once may be chance, twice is a failure. */
  late(failure: FailureFacts): void {
    if (this.#isLate) this.failed(failure);
    this.#isLate = true;
  }

  /** Whether the node refused to take what has this hash, and has nothing else since. */
  hasRefused(hash: string): boolean {
    return this.#refusal !== null && this.#refused === hash;
  }

  /** Notes a failure, and the hash of what was sent where something was. What a node refuses is an answer. */
  failed(failure: FailureFacts, sent: string | null = null): void {
    if (failure.class === 'rejected') {
      this.answered();
      this.#refusal = failure;
      this.#refused = sent;
      return;
    }
    this.#changes('failure');
    this.#failures += 1;
    this.#last = failure;
    if (!this.#rests) return;
    const restMs = Math.min(longestRestMs, firstRestMs * 2 ** Math.min(this.#failures - 1, 20));
    this.#until = this.#clock.monotonic() + restMs;
  }

  #changes(answer: string): void {
    if (answer === this.#answer) return;
    this.#answer = answer;
    this.#changedAt = this.#clock.now();
  }
}
