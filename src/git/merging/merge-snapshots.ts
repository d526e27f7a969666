import type { Snapshot, SnapshotEntry } from '../../model/snapshot.ts';
import { mergeText } from './merge-text.ts';
import { renames, sameContent } from './renames.ts';

/** What a merge in memory gives. */
export type Merged =
  | { readonly outcome: 'merged'; readonly snapshot: Snapshot }
  /** Paths, below the configured one, that both sides changed in ways that do not go together. */
  | { readonly outcome: 'conflicts'; readonly paths: readonly string[] }
  /** No common ancestor was found in so many generations. */
  | { readonly outcome: 'unrelated'; readonly searched: number };

type Entries = ReadonlyMap<string, SnapshotEntry>;

/**
 * The three-way merge of two snapshots whose last common one is `original`, under the revision of `theirs`. It follows
 * what `git merge` does by default: files that one side renamed are found again, and a file that both changed is merged
 * line by line. It does not follow a renamed folder with files that the other side added to it. Pure.
 */
export function mergeSnapshots(ours: Snapshot, original: Snapshot, theirs: Snapshot): Merged {
  const oursMoved = renames(original.entries, ours.entries);
  const theirsMoved = renames(original.entries, theirs.entries);
  const conflicts = new Set<string>();
  const merged = new Map<string, SnapshotEntry>();
  const put = (path: string, entry: SnapshotEntry) => {
    const there = merged.get(path);
    if (there !== undefined && !sameContent(there, entry)) conflicts.add(path);
    merged.set(path, entry);
  };
  for (const [path, before] of original.entries) {
    const mine = sideOf(ours.entries, oursMoved, path);
    const other = sideOf(theirs.entries, theirsMoved, path);
    const place = placeOf(path, mine.path, other.path);
    const entry = place === null ? 'conflict' : mergeEntry(mine.entry, before, other.entry);
    if (entry === 'conflict') conflicts.add(path);
    else if (entry !== null) put(place ?? path, entry);
  }
  for (const [path, entry] of added(original.entries, ours.entries, oursMoved)) put(path, entry);
  for (const [path, entry] of added(original.entries, theirs.entries, theirsMoved)) put(path, entry);
  for (const path of merged.keys()) if (isInsideFile(path, merged)) conflicts.add(path);
  if (conflicts.size > 0) return { outcome: 'conflicts', paths: [...conflicts].sort() };
  const entries = new Map([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { outcome: 'merged', snapshot: { revision: theirs.revision, entries } };
}

interface Side {
  readonly path: string;
  readonly entry: SnapshotEntry | null;
}

function sideOf(entries: Entries, moved: ReadonlyMap<string, string>, path: string): Side {
  const to = moved.get(path) ?? path;
  return { path: to, entry: entries.get(to) ?? null };
}

/** Where a file of the original ends up; null where each side moved it to a place of its own. */
function placeOf(path: string, mine: string, other: string): string | null {
  if (mine === other || other === path) return mine;
  return mine === path ? other : null;
}

function mergeEntry(
  mine: SnapshotEntry | null,
  before: SnapshotEntry,
  other: SnapshotEntry | null,
): SnapshotEntry | null | 'conflict' {
  if (mine === null || other === null) {
    const kept = mine ?? other;
    return kept === null || sameContent(kept, before) ? null : 'conflict';
  }
  if (sameContent(other, before) || sameContent(mine, other)) return mine;
  if (sameContent(mine, before)) return other;
  if (mine.type !== 'file' || before.type !== 'file' || other.type !== 'file') return 'conflict';
  const bytes = mergeText(mine.bytes, before.bytes, other.bytes);
  return bytes === null ? 'conflict' : { type: 'file', bytes, blob: null };
}

function added(
  original: Entries,
  side: Entries,
  moved: ReadonlyMap<string, string>,
): readonly [string, SnapshotEntry][] {
  const targets = new Set(moved.values());
  return [...side].filter(([path]) => !original.has(path) && !targets.has(path));
}

/** Whether a folder of this path is a file of the other side's. */
function isInsideFile(path: string, entries: Entries): boolean {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    if (entries.has(path.slice(0, at))) return true;
  }
  return false;
}
