import { StoreDamage } from '../objects/store-damage.ts';

/** What an entry of a tree is, by its mode; `unknown` is one that Git itself does not write. */
export type TreeEntryType = 'folder' | 'file' | 'symlink' | 'submodule' | 'unknown';

/** One entry of a tree. */
export interface TreeEntry {
  readonly name: string;
  readonly type: TreeEntryType;
  readonly id: string;
}

/** Parses a tree object. Names are kept as they are: it is for the caller to refuse those that no tree should hold. */
export function parseTree(bytes: Buffer, id: string): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space + 1);
    if (space === -1 || end === -1 || end + 21 > bytes.length) {
      throw new StoreDamage('broken', `tree ${id} ends in the middle of an entry`);
    }
    entries.push({
      name: bytes.toString('utf8', space + 1, end),
      type: entryType(Number.parseInt(bytes.toString('latin1', at, space), 8)),
      id: bytes.toString('hex', end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries;
}

function entryType(mode: number): TreeEntryType {
  switch (mode & 0o170000) {
    case 0o040000:
      return 'folder';
    case 0o100000:
      return 'file';
    case 0o120000:
      return 'symlink';
    case 0o160000:
      return 'submodule';
    default:
      return 'unknown';
  }
}
