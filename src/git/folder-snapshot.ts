import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { basename, join, normalize, sep } from 'node:path';
import type { Snapshot, SnapshotEntry } from '../model/snapshot.ts';
import { gitFailure } from './git-failure.ts';
import { defaultSnapshotLimits, SnapshotBudget, type SnapshotLimits } from './reading/snapshot-limits.ts';

/** A snapshot of a working tree, and which of its files were named one by one. */
export interface FolderSnapshot {
  readonly snapshot: Snapshot;
  /** Files that were given by name: they are read whatever they are called. */
  readonly named: ReadonlySet<string>;
}

/** Options of a folder snapshot. */
export interface FolderSnapshotOptions {
  readonly limits?: SnapshotLimits;
  /** Says of a path, as it is named in the snapshot, that it is of no interest; a folder is then not gone into. */
  readonly skip?: (path: string, isFolder: boolean) => boolean;
}

/**
 * The files at paths of a working tree. Files of a single folder are named relative to it; a file that is given has
 * the name it was given by, and with several paths the files of a folder have its name before theirs. Folders whose
 * name starts with a dot are left out. Symbolic links are told of and not followed, unless one is itself what was
 * given. Throws a failure where a path does not exist or cannot be read.
 */
export async function folderSnapshot(
  paths: readonly string[],
  options: FolderSnapshotOptions = {},
): Promise<FolderSnapshot> {
  const entries = new Map<string, SnapshotEntry>();
  const named = new Set<string>();
  const walk: Walk = {
    budget: new SnapshotBudget(options.limits ?? defaultSnapshotLimits),
    skip: options.skip ?? (() => false),
    entries,
  };
  for (const path of paths) {
    const stats = await given(path);
    const name = shownName(path);
    if (stats.isDirectory()) {
      await walkFolder(walk, path, paths.length === 1 || name === '.' ? '' : `${name}/`, 0);
    } else {
      named.add(name);
      await addEntry(walk, path, name, stats);
    }
  }
  return { snapshot: { revision: null, entries }, named };
}

interface Walk {
  readonly budget: SnapshotBudget;
  readonly skip: (path: string, isFolder: boolean) => boolean;
  readonly entries: Map<string, SnapshotEntry>;
}

/** What is at a path that was given. A link that was named is meant, so that it is followed. */
async function given(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function shownName(path: string): string {
  const name = normalize(path).split(sep).join('/').replace(/\/+$/, '');
  return name === '' ? basename(path) : name;
}

async function walkFolder(walk: Walk, folder: string, prefix: string, depth: number): Promise<void> {
  walk.budget.enter(prefix, depth);
  const items = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  // The order of a folder is the file system's own.
  items.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const item of items) {
    const name = `${prefix}${item.name}`;
    if (item.isDirectory()) {
      if (item.name.startsWith('.') || walk.skip(name, true)) continue;
      await walkFolder(walk, join(folder, item.name), `${name}/`, depth + 1);
    } else if (!walk.skip(name, false)) {
      await addEntry(walk, join(folder, item.name), name, null);
    }
  }
}

async function addEntry(walk: Walk, path: string, name: string, known: Stats | null): Promise<void> {
  try {
    const stats = known ?? (await lstat(path));
    const entry = await readEntry(walk, path, stats);
    walk.budget.take(name, entry.type === 'file' ? entry.bytes.length : 0);
    walk.entries.set(name, entry);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** What is at a path as an entry. What is neither a file nor a link (a pipe, say) is not read: that might never end. */
async function readEntry(walk: Walk, path: string, stats: Stats): Promise<SnapshotEntry> {
  if (stats.isSymbolicLink()) return { type: 'symlink', target: await readlink(path) };
  if (!stats.isFile()) return { type: 'special' };
  const limitBytes = walk.budget.limits.fileBytes;
  if (stats.size > limitBytes) return { type: 'oversized', sizeBytes: stats.size, limitBytes };
  return { type: 'file', bytes: await readFile(path), blob: null };
}

function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const missing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  return gitFailure({
    class: 'rejected',
    code: missing ? 'path-missing' : 'path-unreadable',
    message: missing
      ? `${JSON.stringify(path)} does not exist.`
      : `${JSON.stringify(path)} cannot be read (${String(error.code)}).`,
    hint: missing ? 'Check the path; it is taken from the folder that the command runs in.' : 'Check its permissions.',
  });
}
