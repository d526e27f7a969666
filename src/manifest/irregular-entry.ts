import type { Diagnostic } from '../model/diagnostic.ts';
import { fileLocation } from '../model/location.ts';
import type { Snapshot, SnapshotEntry } from '../model/snapshot.ts';
import { hasManifestName, type Selector } from './file-selection.ts';
import { finding } from './findings.ts';
import { escapeName } from './shown-text.ts';

type Irregular = Extract<SnapshotEntry, { type: 'symlink' | 'submodule' | 'special' }>;

/**
 * Whether a link or submodule could bring manifests that are not read: it has the name of one, or could be a folder of
 * them. A link without such a name is let pass when it leads to a file of the snapshot, or names a file of another kind.
 */
export function isRelevant(path: string, entry: Irregular, snapshot: Snapshot, selector: Selector): boolean {
  if (selector.reads(path)) return true;
  if (hasManifestName(path) || !selector.readsBelow(path)) return false;
  if (entry.type === 'submodule') return true;
  if (entry.type === 'special') return false;
  const leadsTo = resolveLink(path, entry.target);
  if (leadsTo !== null && snapshot.entries.get(leadsTo)?.type === 'file') return hasManifestName(leadsTo);
  return !hasOtherExtension(entry.target) && !hasOtherExtension(path);
}

/** Whether a path's last part ends in something like `.md`, which folders seldom do and manifests never. */
function hasOtherExtension(path: string): boolean {
  return !hasManifestName(path) && /[^./]\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(path);
}

/** Where a link leads within the snapshot, or null where it leads out. */
function resolveLink(path: string, target: string): string | null {
  if (target.startsWith('/')) return null;
  const parts = path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** The finding for a link or a submodule. */
export function notRegular(path: string, entry: Irregular): Diagnostic {
  const place = fileLocation(escapeName(path));
  if (entry.type === 'symlink') {
    return finding(
      {
        rule: 'file-not-regular',
        message: 'This is a symbolic link, and links are not followed.',
        hint: 'Commit the file itself, or leave the link out with an `ignore` pattern.',
      },
      place,
    );
  }
  if (entry.type === 'special') {
    return finding(
      {
        rule: 'file-not-regular',
        message: 'This is no regular file (a pipe, a socket or a device), and is not read.',
        hint: 'Put a file in its place, or leave it out with an `ignore` pattern.',
      },
      place,
    );
  }
  return finding(
    {
      rule: 'file-not-regular',
      message: 'This is a submodule, and submodules are not read.',
      hint: 'Commit its files to this repository, or leave it out with an `ignore` pattern.',
    },
    place,
  );
}

/** The finding for a file that was not even loaded. */
export function oversized(path: string, entry: Extract<SnapshotEntry, { type: 'oversized' }>): Diagnostic {
  return finding(
    {
      rule: 'file-too-large',
      message: `This file has ${entry.sizeBytes} bytes; at most ${entry.limitBytes} are read.`,
      hint: 'Split the file, or leave it out with an `ignore` pattern.',
    },
    fileLocation(escapeName(path)),
  );
}
