import type { Snapshot, SnapshotEntry } from '../../model/snapshot.ts';
import { gitFailure, shortRevision } from '../git-failure.ts';
import type { ByteCache } from '../objects/byte-cache.ts';
import type { ObjectDatabase } from '../objects/object-database.ts';
import { StoreDamage } from '../objects/store-damage.ts';
import { type Commit, parseCommit } from './commit.ts';
import { SnapshotBudget, type SnapshotLimits } from './snapshot-limits.ts';
import { parseTree, type TreeEntry } from './tree.ts';

/** What reading a commit needs. */
export interface CommitReading {
  readonly objects: ObjectDatabase;
  /** Contents by blob id. They are checked when they are first read, and a blob that is here is not read again. */
  readonly blobs: ByteCache<Uint8Array>;
  readonly limits: SnapshotLimits;
  readonly signal: AbortSignal;
}

/** Reads a commit object; throws StoreDamage where it is missing, a failure where the id names something else. */
export async function readCommit(objects: ObjectDatabase, revision: string): Promise<Commit> {
  return parseCommit(await readCommitBytes(objects, revision), revision);
}

/** The bytes of a commit object, as they are signed and named; throws as `readCommit` does. */
export async function readCommitBytes(objects: ObjectDatabase, revision: string): Promise<Uint8Array> {
  const object = await objects.read(revision);
  if (object.type === 'commit') return object.bytes;
  throw gitFailure({
    class: 'rejected',
    code: 'not-a-commit',
    message: `${shortRevision(revision)} is a ${object.type}, not a commit.`,
    hint: 'Point the branch at a commit.',
  });
}

/**
 * Every entry at a path of a commit, read from the object database: symbolic links, submodules and files over the
 * limit are told of, never followed or loaded. A path that is a file gives that file alone. Throws StoreDamage where
 * anything under the path is missing or broken, which makes this the proof that a fetch was complete.
 */
export async function commitSnapshot(reading: CommitReading, revision: string, path: string): Promise<Snapshot> {
  const commit = await readCommit(reading.objects, revision);
  const budget = new SnapshotBudget(reading.limits);
  const entries = new Map<string, SnapshotEntry>();
  const found = await findPath(reading, commit.tree, path, revision);
  if (found.type === 'folder') await readFolder(reading, found.id, '', 0, budget, entries);
  else entries.set(found.name, await readEntry(reading, found, found.name, budget));
  return { revision, entries };
}

async function findPath(reading: CommitReading, tree: string, path: string, revision: string): Promise<TreeEntry> {
  let current: TreeEntry = { name: '', type: 'folder', id: tree };
  const passed: string[] = [];
  for (const name of path.split('/').filter((part) => part !== '')) {
    const entries = current.type === 'folder' ? await readTree(reading.objects, current.id) : [];
    const next = entries.find((entry) => entry.name === name);
    if (next === undefined) throw pathMissing(path, passed.join('/'), current, entries, revision);
    passed.push(name);
    current = next;
  }
  return current;
}

const mostNames = 8;

function pathMissing(
  path: string,
  parent: string,
  nearest: TreeEntry,
  entries: readonly TreeEntry[],
  revision: string,
): Error {
  const where = parent === '' ? 'The repository' : JSON.stringify(`${parent}/`);
  const names = entries
    .slice(0, mostNames)
    .map((entry) => JSON.stringify(entry.name + (entry.type === 'folder' ? '/' : '')));
  if (entries.length > mostNames) names.push(`${entries.length - mostNames} more`);
  const holds = names.length === 0 ? 'is empty' : `has ${names.join(', ')}`;
  return gitFailure({
    class: 'rejected',
    code: 'path-missing',
    message: `Revision ${shortRevision(revision)} has no ${JSON.stringify(path)}.`,
    hint:
      nearest.type === 'folder'
        ? `${where} ${holds}; check repository.path.`
        : `${where} is a ${nearest.type}, not a folder; check repository.path.`,
  });
}

async function readTree(objects: ObjectDatabase, id: string): Promise<readonly TreeEntry[]> {
  const object = await objects.read(id);
  if (object.type !== 'tree') throw new StoreDamage('broken', `object ${id} is a ${object.type}, not a tree`);
  return parseTree(object.bytes, id);
}

async function readFolder(
  reading: CommitReading,
  tree: string,
  prefix: string,
  depth: number,
  budget: SnapshotBudget,
  entries: Map<string, SnapshotEntry>,
): Promise<void> {
  reading.signal.throwIfAborted();
  budget.enter(prefix, depth);
  const seen = new Set<string>();
  for (const entry of await readTree(reading.objects, tree)) {
    const path = `${prefix}${entry.name}`;
    if (seen.has(entry.name)) throw treeInvalid(path, 'stands twice in its folder');
    seen.add(entry.name);
    if (/^(|\.|\.\.)$|\//.test(entry.name)) throw treeInvalid(path, 'has a name that no file can have');
    if (entry.type === 'folder') await readFolder(reading, entry.id, `${path}/`, depth + 1, budget, entries);
    else entries.set(path, await readEntry(reading, entry, path, budget));
  }
}

async function readEntry(
  reading: CommitReading,
  entry: TreeEntry,
  path: string,
  budget: SnapshotBudget,
): Promise<SnapshotEntry> {
  switch (entry.type) {
    case 'submodule':
      budget.take(path, 0);
      return { type: 'submodule', commit: entry.id };
    case 'unknown':
    case 'folder':
      throw treeInvalid(path, 'has a mode that Git does not know');
    case 'symlink':
    case 'file': {
      const bytes = await readBlob(reading, entry.id);
      if (typeof bytes === 'number') {
        budget.take(path, 0);
        return { type: 'oversized', sizeBytes: bytes, limitBytes: reading.limits.fileBytes, blob: entry.id };
      }
      budget.take(path, bytes.length);
      if (entry.type === 'symlink') return { type: 'symlink', target: new TextDecoder().decode(bytes) };
      return { type: 'file', bytes, blob: entry.id };
    }
  }
}

/** A blob's content, or its size when it is over the limit. */
async function readBlob(reading: CommitReading, id: string): Promise<Uint8Array | number> {
  const known = reading.blobs.get(id);
  if (known !== undefined) return known;
  const size = await reading.objects.size(id);
  if (size > reading.limits.fileBytes) return size;
  const object = await reading.objects.read(id);
  if (object.type !== 'blob') throw new StoreDamage('broken', `object ${id} is a ${object.type}, not a file`);
  reading.blobs.set(id, object.bytes, object.bytes.length);
  return object.bytes;
}

function treeInvalid(path: string, says: string): Error {
  return gitFailure({
    class: 'rejected',
    code: 'tree-invalid',
    message: `The entry ${JSON.stringify(path)} ${says}.`,
    hint: 'No version of Git makes such a tree by itself; `git fsck` in the repository tells more.',
  });
}
