import type { Document } from '../../../manifest/document.ts';
import { escapeName } from '../../../manifest/shown-text.ts';
import type { SnapshotEntry } from '../../../model/snapshot.ts';
import { isKustomization, kustomizationNames } from './kustomization.ts';
import { KustomizeProblem } from './problem.ts';
import type { Place } from './traced.ts';

/** The files from which folders are built, and which of them were used. */
export class SourceFiles {
  /** The files of which documents were used, and those that were used as they are, by the names in documents. */
  readonly used = new Set<string>();
  readonly usedAsText = new Set<string>();
  readonly #entries: ReadonlyMap<string, SnapshotEntry>;
  readonly #documents = new Map<string, Document[]>();
  readonly #readFurther: (path: string) => readonly Document[];
  readonly #folders = new Set<string>(['']);

  /** The files of a snapshot: the documents that were read of it already, and how to read the others. */
  constructor(
    entries: ReadonlyMap<string, SnapshotEntry>,
    documents: readonly Document[],
    readFurther: (path: string) => readonly Document[],
  ) {
    this.#entries = entries;
    this.#readFurther = readFurther;
    for (const document of documents) {
      const known = this.#documents.get(document.file);
      if (known === undefined) this.#documents.set(document.file, [document]);
      else known.push(document);
    }
    for (const path of entries.keys()) {
      for (let folder = folderOf(path); !this.#folders.has(folder); folder = folderOf(folder))
        this.#folders.add(folder);
    }
  }

  /** The kustomization of a folder, or null. */
  kustomization(folder: string, place: Place | null = null): Document | null {
    const found = kustomizationNames.flatMap((name) => {
      const path = folder === '' ? name : `${folder}/${name}`;
      return this.#entries.has(path) ? this.#read(path, place).filter(isKustomization) : [];
    });
    const [first, second] = found;
    if (second !== undefined) {
      const hint = 'Keep one of them.';
      throw new KustomizeProblem('A folder has one kustomization', hint, { document: second, path: [] });
    }
    if (first !== undefined) this.used.add(first.file);
    return first ?? null;
  }

  /** What a path of a kustomization is: a file or a folder of the snapshot. */
  resolve(folder: string, written: string, place: Place): { readonly path: string; readonly isFolder: boolean } {
    if (isRemote(written)) {
      const hint = 'Nothing is fetched from the network: commit what it holds.';
      throw new KustomizeProblem(`${JSON.stringify(written)} is not a file of this repository`, hint, place);
    }
    const path = joined(folder, written);
    if (path === null) {
      const hint =
        'Read a folder that holds both (`repository.path`, or the PATH given), and name what is to be built in kubernetes.kustomize.';
      throw new KustomizeProblem(`${JSON.stringify(written)} is outside of what is read`, hint, place);
    }
    if (this.#entries.has(path)) return { path, isFolder: false };
    if (this.#folders.has(path)) return { path, isFolder: true };
    throw new KustomizeProblem(`There is no ${path === '' ? written : path}`, 'Correct the path.', place);
  }

  /** The documents of a file. */
  documents(folder: string, written: string, place: Place): readonly Document[] {
    const { path, isFolder } = this.resolve(folder, written, place);
    if (isFolder) throw new KustomizeProblem(`${path} is a folder`, 'Name a file.', place);
    const documents = this.#read(path, place);
    this.used.add(escapeName(path));
    return documents;
  }

  /** The bytes of a file that something is generated from. */
  bytes(folder: string, written: string, place: Place): Uint8Array {
    const path = isRemote(written) ? null : joined(folder, written);
    const entry = path === null ? undefined : this.#entries.get(path);
    // Told without what is written, for a value that was put in the place of a path may be a secret.
    if (path === null || entry?.type !== 'file') {
      throw new KustomizeProblem('There is no such file here', 'Name a file under the path that is followed.', place);
    }
    this.usedAsText.add(escapeName(path));
    return entry.bytes;
  }

  #read(path: string, place: Place | null): readonly Document[] {
    const entry = this.#entries.get(path);
    if (entry?.type !== 'file') {
      if (place === null) return [];
      throw new KustomizeProblem(`${path} is no regular file`, 'Commit the file itself.', place);
    }
    const file = escapeName(path);
    const known = this.#documents.get(file);
    if (known !== undefined) return known;
    const documents = [...this.#readFurther(path)];
    this.#documents.set(file, documents);
    return documents;
  }
}

/** The folder that holds a path; the root's is empty. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** A path from a folder; null where it leaves the snapshot. */
export function joined(folder: string, written: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  if (written.startsWith('/')) return null;
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

function isRemote(written: string): boolean {
  return /^[a-z+]+:\/\/|^git@|[?&](?:ref|version|timeout)=|^[\w.-]+\.(?:com|org|io|net)[/:]/i.test(written);
}
