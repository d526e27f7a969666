import { z } from 'zod';
import type { Log } from '../../platform/log.ts';
import { KeptFile } from './kept-file.ts';

const print = z.object({
  changes: z.array(z.object({ words: z.string(), digest: z.string() })).readonly(),
  digest: z.string(),
  count: z.number(),
});

const reviewed = z.object({
  /** The files that were reviewed. */
  tree: z.string(),
  /** The forge and repository whose pull request it was. */
  forge: z.string().default(''),
  number: z.number(),
  head: z.string(),
  /** When these plans were shown first, in milliseconds since 1970. */
  at: z.number().default(0),
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

/** An approval as a person gives it on a pull request. */
export interface Approval {
  readonly forge: string;
  readonly number: number;
  /** What is proposed now. */
  readonly head: string;
  readonly destination: string;
  readonly by: string;
  /** When it was written, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * What became of an approval: `no-plan` where no review showed one for that destination, `not-reviewed` where another
 * commit is proposed by now, `changed` where the plan was shown only after the approval was written.
 */
export type Approved =
  | { readonly outcome: 'approved'; readonly changes: number }
  | { readonly outcome: 'no-plan' | 'not-reviewed' | 'changed' };

/** How many reviews are kept; an open pull request that is older is reviewed again with the next commit anyway. */
const mostReviews = 300;

/**
 * The plans that reviews showed, newest last, in one file that is replaced whole, so that they are still known after a
 * restart between a merge and its delivery. Losing it costs a comparison: what was reviewed counts as not reviewed.
 */
export class ReviewedPlans {
  readonly #file: KeptFile;
  readonly #byTree = new Map<string, ReviewedPlan>();
  readonly #inForce = new Map<string, string>();

  private constructor(kept: KeptFile) {
    this.#file = kept;
  }

  /** Reads the file; one that is missing or cannot be read is as if nothing was reviewed. */
  static async open(path: string, log: Log): Promise<ReviewedPlans> {
    const failed = 'the plans of reviews cannot be written; they are known until the next restart';
    const plans = new ReviewedPlans(new KeptFile(path, log, failed));
    const text = await plans.#file.read();
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
    const isSamePlan = (destination: string) => before?.plans[destination]?.digest === one.plans[destination]?.digest;
    const approvals = Object.fromEntries(
      Object.entries(before?.approvals ?? {}).filter(([destination]) => isSamePlan(destination)),
    );
    const isOld = before?.forge === one.forge && before.number === one.number && before.head === one.head;
    const plans = [...Object.keys(one.plans), ...Object.keys(before?.plans ?? {})];
    // People have seen it since it was shown first, not since it was looked at again.
    const at = isOld && plans.every(isSamePlan) ? before.at : one.at;
    const after = { ...one, at, approvals };
    const isNewest = [...this.#byTree.keys()].at(-1) === one.tree;
    if (isNewest && JSON.stringify(before) === JSON.stringify(after)) return;
    this.#byTree.delete(one.tree);
    this.#byTree.set(one.tree, after);
    for (const oldest of this.#byTree.keys()) {
      if (this.#byTree.size <= mostReviews) break;
      this.#byTree.delete(oldest);
    }
    this.#write();
  }

  /** Approves the plan of a destination that a person has seen in the newest review of a pull request. */
  approve({ forge, number, head, destination, by, at }: Approval): Approved {
    const newest = [...this.#byTree.values()].filter((one) => one.forge === forge && one.number === number).at(-1);
    if (newest?.plans[destination] === undefined) return { outcome: 'no-plan' };
    if (newest.head !== head) return { outcome: 'not-reviewed' };
    if (newest.at >= at) return { outcome: 'changed' };
    this.#byTree.set(newest.tree, { ...newest, approvals: { ...newest.approvals, [destination]: by } });
    this.#write();
    return { outcome: 'approved', changes: newest.plans[destination].count };
  }

  /** Resolves when all that was kept is on disk, or could not be written. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  #write(): void {
    this.#file.write(() =>
      JSON.stringify({ reviews: [...this.#byTree.values()], inForce: Object.fromEntries(this.#inForce) }),
    );
  }
}
