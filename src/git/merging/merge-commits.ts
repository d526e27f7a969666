import type { Snapshot } from '../../model/snapshot.ts';
import { asFailure } from '../../platform/failure.ts';
import { type CommitReading, commitSnapshot } from '../reading/commit-snapshot.ts';
import { commonAncestor } from './merge-base.ts';
import { type Merged, mergeSnapshots } from './merge-snapshots.ts';

/** Brings more of the history of both commits; false where there is no more to bring. */
export type Deepen = (depth: number) => Promise<boolean>;

/** The generations of history that are looked at first, and by which factor more where they do not do. */
const firstDepth = 50;

/** Two commits to merge, and how far back their common ancestor is looked for. */
export interface MergeRequest {
  readonly base: string;
  readonly head: string;
  readonly path: string;
  readonly history: number;
}

/** The merge of two commits that are at hand; `deepen` is asked for what of their history is not. */
export async function mergeCommits(reading: CommitReading, request: MergeRequest, deepen: Deepen): Promise<Merged> {
  const { base, head, history } = request;
  for (let depth = firstDepth; ; depth *= 2) {
    const { revision, isShallow } = await commonAncestor(reading.objects, base, head, history);
    if (revision !== null) return await mergeFrom(reading, request, revision);
    // The last look went as far back as may be.
    const isDone = depth / 2 >= history || !isShallow;
    if (isDone || !(await deepen(Math.min(depth, history)))) return { outcome: 'unrelated', searched: history };
  }
}

async function mergeFrom(reading: CommitReading, request: MergeRequest, original: string): Promise<Merged> {
  const { base, head, path } = request;
  if (original === base) return { outcome: 'merged', snapshot: await commitSnapshot(reading, head, path) };
  const [ours, before, theirs] = await Promise.all(
    [base, original, head].map((revision) => snapshotOrEmpty(reading, revision, path)),
  );
  if (ours === undefined || before === undefined || theirs === undefined) throw new TypeError('three snapshots');
  const merged = mergeSnapshots(ours, before, theirs);
  // What the branch would lack after the merge is said in the words of reading a commit.
  if (merged.outcome === 'merged' && merged.snapshot.entries.size === 0) await commitSnapshot(reading, head, path);
  return merged;
}

async function snapshotOrEmpty(reading: CommitReading, revision: string, path: string): Promise<Snapshot> {
  try {
    return await commitSnapshot(reading, revision, path);
  } catch (error) {
    if (asFailure(error)?.facts.code !== 'path-missing') throw error;
    return { revision, entries: new Map() };
  }
}
