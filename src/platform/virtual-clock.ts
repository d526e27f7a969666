import type { Clock } from './clock.ts';

/** A sleep that has not ended. `due` is on the monotonic scale, in milliseconds. */
export interface PendingTimer {
  readonly id: number;
  readonly due: number;
}

interface Sleeper extends PendingTimer {
  readonly wake: () => void;
}

/**
 * Time that stands still until it is told to move, for simulations and demonstrations. Everything that sleeps on it is
 * woken in order of its due time, and in order of arrival where two are due together, so that a run replays exactly.
 */
export class VirtualClock implements Clock {
  readonly #sleepers = new Map<number, Sleeper>();
  #monotonic = 0;
  #offset: number;
  #nextId = 1;

  /** A clock whose wall time starts at `start` (milliseconds since 1970). */
  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#offset = start;
  }

  now(): number {
    return this.#offset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const id = this.#nextId;
      this.#nextId += 1;
      const onAbort = () => {
        this.#sleepers.delete(id);
        reject(signal.reason);
      };
      const wake = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.set(id, { id, due: this.#monotonic + Math.max(0, ms), wake });
    });
  }

  /** The sleeps that have not ended, the next one first. */
  pending(): readonly PendingTimer[] {
    return [...this.#sleepers.values()]
      .sort((a, b) => a.due - b.due || a.id - b.id)
      .map(({ id, due }) => ({ id, due }));
  }

  /**
   * Ends one pending sleep, whichever it is, moving time to its due time or leaving time as it is where that has passed:
   * a simulation may so let a timer be late. Returns false where there is no such sleep.
   */
  fire(id: number): boolean {
    const sleeper = this.#sleepers.get(id);
    if (sleeper === undefined) return false;
    this.#sleepers.delete(id);
    this.#monotonic = Math.max(this.#monotonic, sleeper.due);
    sleeper.wake();
    return true;
  }

  /** Ends the sleep that is due next, moving time to it. Returns false where nothing sleeps. */
  fireEarliest(): boolean {
    const next = this.pending()[0];
    return next !== undefined && this.fire(next.id);
  }

  /**
   * Moves time forward by `ms`, ending on the way each sleep that falls due, also those begun meanwhile, and letting
   * what was woken run to its next wait before the next one ends.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await this.settle();
    for (;;) {
      const next = this.pending()[0];
      if (next === undefined || next.due > end) break;
      this.fire(next.id);
      await this.settle();
    }
    this.#monotonic = Math.max(this.#monotonic, end);
  }

  /** Lets everything that can go on without time or I/O go on. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets the wall clock jump, as when a machine's time is set; sleeps and `monotonic` do not notice. */
  jump(ms: number): void {
    this.#offset += ms;
  }

  /** Throws when something still sleeps: a timer that leaked. */
  assertIdle(): void {
    const left = this.pending();
    if (left.length > 0) {
      throw new Error(
        `${left.length} timers are pending, due in ${left.map((t) => t.due - this.#monotonic).join(', ')} ms`,
      );
    }
  }
}
