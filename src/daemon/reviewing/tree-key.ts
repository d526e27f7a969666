import { createHash } from 'node:crypto';
import type { Snapshot, SnapshotEntry } from '../../model/snapshot.ts';

/**
 * A name for the files of a snapshot, whatever commit they stand in: the merge of a pull request that was made in
 * memory and the commit that the forge made of it, squashed or not, have the same.
 */
export function treeKey(snapshot: Snapshot): string {
  const hash = createHash('sha256');
  const paths = [...snapshot.entries].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, entry] of paths) hash.update(`${JSON.stringify(path)} ${contentName(entry)}\n`);
  return hash.digest('hex');
}

function contentName(entry: SnapshotEntry): string {
  switch (entry.type) {
    case 'file':
      return entry.blob ?? blobName(entry.bytes);
    case 'symlink':
      return `-> ${JSON.stringify(entry.target)}`;
    case 'submodule':
      return `at ${entry.commit}`;
    case 'special':
      return 'special';
    case 'oversized':
      return entry.blob ?? `of ${entry.sizeBytes} bytes`;
  }
}

/** The id that Git gives a content (gitformat-loose), so that a file merged in memory counts as the one committed. */
function blobName(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
