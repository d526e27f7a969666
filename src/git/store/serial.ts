/** Runs pieces of work one after the other, in the order they came. A piece whose signal is aborted leaves the queue. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  /** Gives what the work gives; rejects with the signal's reason when it is aborted before the work began. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const mine = before.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#last = mine.catch(() => undefined);
    return await unlessAborted(mine, before, signal);
  }
}

/** The work's outcome, or the signal's reason where that comes while the work still waits for its turn. */
function unlessAborted<T>(work: Promise<T>, turn: Promise<unknown>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const leave = (): void => signal.removeEventListener('abort', stop);
    void turn.then(leave);
    work.then(resolve, reject);
  });
}
