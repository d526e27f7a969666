import type { ObjectDatabase } from '../objects/object-database.ts';
import { readCommit } from '../reading/commit-snapshot.ts';

/** What a search for a common ancestor found. */
export interface CommonAncestor {
  /** The newest common ancestor that is no ancestor of another one; null where none is at hand. */
  readonly revision: string | null;
  /** Commits whose parents are not at hand, so that there may be more to see behind them. */
  readonly isShallow: boolean;
}

interface Seen {
  readonly at: number;
  readonly parents: readonly string[];
}

/**
 * The common ancestor of two commits that a merge starts from, in what is at hand of their history, up to `limit`
 * commits on each side. Where two are equally good (branches that were merged into each other) it is the newer one,
 * while Git merges these first: that differs in conflicts that they had among themselves.
 */
export async function commonAncestor(
  objects: ObjectDatabase,
  one: string,
  other: string,
  limit: number,
): Promise<CommonAncestor> {
  const left = await history(objects, one, limit);
  const right = await history(objects, other, limit);
  const common = [...right.seen].filter(([revision]) => left.seen.has(revision));
  // An ancestor of a common ancestor is a worse one.
  const worse = new Set<string>();
  for (const [revision, commit] of common) {
    if (worse.has(revision)) continue;
    const open = [...commit.parents];
    for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
      if (worse.has(parent)) continue;
      worse.add(parent);
      for (const one of right.seen.get(parent)?.parents ?? []) open.push(one);
    }
  }
  const best = common.filter(([revision]) => !worse.has(revision)).sort(([, a], [, b]) => b.at - a.at)[0];
  return { revision: best?.[0] ?? null, isShallow: left.isShallow || right.isShallow };
}

async function history(
  objects: ObjectDatabase,
  start: string,
  limit: number,
): Promise<{ readonly seen: ReadonlyMap<string, Seen>; readonly isShallow: boolean }> {
  const seen = new Map<string, Seen>();
  let isShallow = false;
  let open = [start];
  while (open.length > 0) {
    const next: string[] = [];
    for (const revision of open) {
      if (seen.has(revision)) continue;
      if (seen.size >= limit || (revision !== start && !(await objects.has(revision)))) {
        isShallow = true;
        continue;
      }
      const { at, parents } = await readCommit(objects, revision);
      seen.set(revision, { at, parents });
      for (const one of parents) next.push(one);
    }
    open = next;
  }
  return { seen, isShallow };
}
