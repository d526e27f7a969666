import type { SnapshotEntry } from '../../model/snapshot.ts';

type Entries = ReadonlyMap<string, SnapshotEntry>;

/** How much of a file's content has to stay for it to be the same file under another name: Git's usual measure. */
const likeness = 0.5;

/** Beyond so many pairs only files that kept their content are taken for renamed, as Git does. */
const mostPairs = 20_000;

/** Files that one side renamed: from the old path to the new one. What was only copied is no rename. */
export function renames(original: Entries, side: Entries): ReadonlyMap<string, string> {
  const gone = [...original].filter(([path]) => !side.has(path));
  const added = new Map([...side].filter(([path]) => !original.has(path)));
  const found = new Map<string, string>();
  const take = (from: string, to: string) => {
    found.set(from, to);
    added.delete(to);
  };
  const byContent = new Map<string, string[]>();
  for (const [path, entry] of added) {
    const key = contentKey(entry);
    byContent.set(key, [...(byContent.get(key) ?? []), path]);
  }
  for (const [path, entry] of gone) {
    const same = byContent.get(contentKey(entry))?.shift();
    if (same !== undefined) take(path, same);
  }
  const left = gone.filter(([path]) => !found.has(path));
  if (left.length * added.size > mostPairs) return found;
  const pairs = left.flatMap(([from, entry]) =>
    [...added].map(([to, other]) => ({ from, to, score: alike(entry, other) })),
  );
  pairs.sort((a, b) => b.score - a.score || (a.from < b.from ? -1 : 1));
  for (const { from, to, score } of pairs) {
    if (score >= likeness && !found.has(from) && added.has(to)) take(from, to);
  }
  return found;
}

/** Whether two entries are the same in all that a commit holds of them. */
export function sameContent(one: SnapshotEntry, other: SnapshotEntry): boolean {
  if (one.type === 'file' && other.type === 'file') {
    if (one.blob !== null && other.blob !== null) return one.blob === other.blob;
    return Buffer.compare(one.bytes, other.bytes) === 0;
  }
  if (one.type === 'symlink' && other.type === 'symlink') return one.target === other.target;
  if (one.type === 'submodule' && other.type === 'submodule') return one.commit === other.commit;
  if (one.type === 'oversized' && other.type === 'oversized') return one.blob !== undefined && one.blob === other.blob;
  return false;
}

function contentKey(entry: SnapshotEntry): string {
  switch (entry.type) {
    case 'file':
      return `file ${entry.blob ?? Buffer.from(entry.bytes).toString('latin1')}`;
    case 'symlink':
      return `symlink ${entry.target}`;
    case 'submodule':
      return `submodule ${entry.commit}`;
    case 'special':
      return 'special';
    case 'oversized':
      return `oversized ${entry.blob ?? entry.sizeBytes}`;
  }
}

/** How much of the longer of two files is in both, from 0 to 1, counted by lines. */
function alike(one: SnapshotEntry, other: SnapshotEntry): number {
  if (one.type !== 'file' || other.type !== 'file') return 0;
  const longer = Math.max(one.bytes.length, other.bytes.length);
  if (longer === 0 || Math.min(one.bytes.length, other.bytes.length) / longer < likeness) return 0;
  const counts = new Map<string, number>();
  for (const line of lines(one.bytes)) counts.set(line, (counts.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of lines(other.bytes)) {
    const count = counts.get(line) ?? 0;
    if (count === 0) continue;
    counts.set(line, count - 1);
    common += line.length;
  }
  return common / longer;
}

function lines(bytes: Uint8Array): readonly string[] {
  return (
    Buffer.from(bytes)
      .toString('latin1')
      .match(/[^\n]*\n|[^\n]+$/g) ?? []
  );
}
