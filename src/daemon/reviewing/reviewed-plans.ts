import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../platform/log.ts';

const print = z.object({
  changes: z.array(z.object({ words: z.string(), digest: z.string() })),
  digest: z.string(),
  count: z.number(),
});

const reviewed = z.object({
  /** The files that were reviewed. */
  tree: z.string(),
  number: z.number(),
  head: z.string(),
  passed: z.boolean(),
  /** By destination; one that was not planned is missing. */
  plans: z.record(z.string(), print),
  /** Who approved the plan of which destination. */
  approvals: z.record(z.string(), z.string()),
});

const file = z.object({
  reviews: z.array(reviewed),
  /** By destination: the files that it was last seen to have. What changes there without a change of them is drift. */
  inForce: z.record(z.string(), z.string()),
});

/** What is kept of one review. */
export type ReviewedPlan = z.output<typeof reviewed>;

/** How many reviews are kept; an open pull request that is older is reviewed again with the next commit anyway. */
const mostReviews = 300;

/**
 * The plans that reviews showed, newest last, in one file that is replaced whole, so that they are still known after a
 * restart between a merge and its delivery. Losing it costs a comparison: what was reviewed counts as not reviewed.
 */
export class ReviewedPlans {
  readonly #path: string;
  readonly #log: Log;
  readonly #byTree = new Map<string, ReviewedPlan>();
  readonly #inForce = new Map<string, string>();
  #writing: Promise<void> = Promise.resolve();
  #isDirty = false;

  private constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Reads the file; one that is missing or cannot be read is as if nothing was reviewed. */
  static async open(path: string, log: Log): Promise<ReviewedPlans> {
    const plans = new ReviewedPlans(path, log);
    const text = await readFile(path, 'utf8').catch(() => null);
    try {
      const { reviews, inForce } = text === null ? { reviews: [], inForce: {} } : file.parse(JSON.parse(text));
      for (const one of reviews) plans.#byTree.set(one.tree, one);
      for (const [destination, tree] of Object.entries(inForce)) plans.#inForce.set(destination, tree);
    } catch {
      log.warn({ unaffected: 'every destination' }, 'the plans of earlier reviews cannot be read and are forgotten');
    }
    return plans;
  }

  /** What was reviewed with these files, or undefined. */
  of(tree: string): ReviewedPlan | undefined {
    return this.#byTree.get(tree);
  }

  /** Whether a destination was last seen to have these files. */
  isInForce(destination: string, tree: string): boolean {
    return this.#inForce.get(destination) === tree;
  }

  /** A destination was seen to have these files. */
  confirm(destination: string, tree: string): void {
    if (this.isInForce(destination, tree)) return;
    this.#inForce.set(destination, tree);
    this.#write();
  }

  /** Keeps what a review showed. An approval stands as long as the plan that it was given to. */
  keep(one: Omit<ReviewedPlan, 'approvals'>): void {
    const before = this.#byTree.get(one.tree);
    const approvals = Object.fromEntries(
      Object.entries(before?.approvals ?? {}).filter(
        ([destination]) => before?.plans[destination]?.digest === one.plans[destination]?.digest,
      ),
    );
    const after = { ...one, approvals };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    this.#byTree.delete(one.tree);
    this.#byTree.set(one.tree, after);
    for (const oldest of this.#byTree.keys()) {
      if (this.#byTree.size <= mostReviews) break;
      this.#byTree.delete(oldest);
    }
    this.#write();
  }

  /** Approves the plan of a destination in the newest review of a pull request; false where there is none. */
  approve(number: number, destination: string, by: string): boolean {
    const newest = [...this.#byTree.values()].filter((one) => one.number === number).at(-1);
    if (newest?.plans[destination] === undefined) return false;
    this.#byTree.set(newest.tree, { ...newest, approvals: { ...newest.approvals, [destination]: by } });
    this.#write();
    return true;
  }

  /** Resolves when all that was kept is on disk, or could not be written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  #write(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#writing = this.#writing.then(async () => {
      this.#isDirty = false;
      const kept = { reviews: [...this.#byTree.values()], inForce: Object.fromEntries(this.#inForce) };
      await this.#replace(JSON.stringify(kept));
    });
  }

  async #replace(text: string): Promise<void> {
    try {
      await mkdir(dirname(this.#path), { recursive: true });
      await writeFile(`${this.#path}.new`, text);
      await rename(`${this.#path}.new`, this.#path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      this.#log.warn(
        { code, unaffected: 'every destination' },
        'the plans of reviews cannot be written; they are known until the next restart',
      );
    }
  }
}
