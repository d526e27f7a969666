import { gitFailure } from '../git-failure.ts';

/** Bounds on what is taken in for one snapshot. A file over its own bound is reported, the others refuse the whole. */
export interface SnapshotLimits {
  /** The largest file whose content is read. */
  readonly fileBytes: number;
  /** The most files, and the most bytes of all of them. */
  readonly files: number;
  readonly totalBytes: number;
  /** The deepest folder. */
  readonly depth: number;
}

/** The limits where nothing else is said. */
export const defaultSnapshotLimits: SnapshotLimits = {
  fileBytes: 10 * 1024 * 1024,
  files: 100_000,
  totalBytes: 256 * 1024 * 1024,
  depth: 100,
};

/** Counts what a snapshot takes in; throws a failure with the code `snapshot-too-large` at the first bound met. */
export class SnapshotBudget {
  readonly limits: SnapshotLimits;
  #files = 0;
  #bytes = 0;

  constructor(limits: SnapshotLimits) {
    this.limits = limits;
  }

  /** Counts one entry at a path, with the bytes of its content. */
  take(path: string, bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
    if (this.#files > this.limits.files) throw this.#tooLarge(path, `more than ${this.limits.files} files`);
    if (this.#bytes > this.limits.totalBytes) {
      throw this.#tooLarge(path, `more than ${Math.round(this.limits.totalBytes / 1024 / 1024)} MiB`);
    }
  }

  /** Checks the depth of a folder, the root's being 0. */
  enter(path: string, depth: number): void {
    if (depth > this.limits.depth) throw this.#tooLarge(path, `folders more than ${this.limits.depth} deep`);
  }

  #tooLarge(path: string, says: string): Error {
    return gitFailure({
      class: 'rejected',
      code: 'snapshot-too-large',
      message: `There are ${says}, counted up to ${JSON.stringify(path)}.`,
      hint: 'Point repository.path (or the command) at the folder that holds the configuration, and nothing else.',
    });
  }
}
