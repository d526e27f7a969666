import type { Document } from '../../../manifest/document.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../../model/diagnostic.ts';
import { isJsonArray, isJsonObject } from '../../../model/json.ts';
import type { SnapshotEntry } from '../../../model/snapshot.ts';
import { isClusterScoped, objectKind } from '../objects/kinds.ts';
import { isManifest } from '../objects/read-objects.ts';
import { FolderBuilder } from './build-folder.ts';
import { followKongNames } from './kong-references.ts';
import { isKustomization } from './kustomization.ts';
import { KustomizeProblem } from './problem.ts';
import type { Resource } from './resource.ts';
import { folderOf, joined, SourceFiles } from './source-files.ts';
import { Budget, tracedDocument } from './traced.ts';

/** What folders are built from. */
export interface KustomizeOptions {
  readonly entries: ReadonlyMap<string, SnapshotEntry>;
  /** The documents of a file of the snapshot that is not among those that were read. */
  readonly read: (path: string) => readonly Document[];
  /** The folders to build; where it is empty, those with a kustomization that no other one refers to. */
  readonly folders: readonly string[];
  /** Whether references that Kustomize itself does not know follow the names of objects; they do where it is left out. */
  readonly followsKong?: boolean;
}

/** What documents are once the folders with a kustomization are built. */
export interface Kustomized {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
  /** Files that were used as they are, so that it means nothing whether they can be read as manifests. */
  readonly texts: ReadonlySet<string>;
}

/** So many values at most are built of one snapshot; a hundred of them are a large object. */
const valueLimit = 2_000_000;

/**
 * Builds the folders that have a kustomization, as Kustomize would, and takes what it builds in place of the files that
 * stand there. Nothing is fetched, and what is not carried out is an error rather than left out.
 */
export function kustomize(documents: readonly Document[], options: KustomizeOptions): Kustomized {
  if (options.folders.length === 0 && !documents.some(isKustomization)) {
    return { documents, diagnostics: [], texts: new Set() };
  }
  return new Kustomizing(documents, options).run();
}

class Kustomizing {
  readonly #documents: readonly Document[];
  readonly #folders: readonly string[];
  readonly #files: SourceFiles;
  readonly #budget = new Budget(valueLimit);
  readonly #diagnostics: Diagnostic[] = [];
  readonly #visited = new Set<string>();
  readonly #built: (readonly Resource[])[] = [];
  readonly #followsKong: boolean;

  constructor(documents: readonly Document[], { entries, read, folders, followsKong = true }: KustomizeOptions) {
    this.#documents = documents;
    this.#folders = folders;
    this.#followsKong = followsKong;
    this.#files = new SourceFiles(entries, documents, read);
  }

  run(): Kustomized {
    const known = new Map(
      this.#documents.filter(isKustomization).map((document) => [folderOf(document.file), document]),
    );
    if (this.#folders.length > 0) for (const folder of this.#folders) this.#buildNamed(folder);
    else this.#buildAll(known);
    const { used, usedAsText } = this.#files;
    const isSound = !hasErrors(this.#diagnostics);
    const others = this.#documents.filter((document) => {
      if (isKustomization(document) || used.has(document.file) || usedAsText.has(document.file)) return false;
      const folder = nearest(folderOf(document.file), known);
      if (folder === null || !isManifest(document)) return true;
      if (isSound && this.#visited.has(folder)) this.#tellUnlisted(document, known.get(folder));
      return false;
    });
    if (this.#followsKong) this.#follow(others);
    return {
      documents: [...others, ...this.#built.flat().map(({ tree }) => tracedDocument(tree))],
      diagnostics: sortDiagnostics(this.#diagnostics),
      texts: new Set([...usedAsText].filter((file) => !used.has(file))),
    };
  }

  #buildAll(known: ReadonlyMap<string, Document>): void {
    const inUse = new Set([...known].flatMap(([folder, { value }]) => referred(folder, value)));
    const folders = [...known.keys()].sort().filter((folder) => !isComponent(known.get(folder)));
    const usedBy = new Map<string, string>();
    for (const folder of folders) {
      if (inUse.has(folder)) continue;
      const parts = [...this.#build(folder)];
      const shared = parts.find((part) => usedBy.has(part));
      if (shared !== undefined) this.#tellShared(shared, [folder, usedBy.get(shared) ?? ''], known);
      for (const part of parts) if (!usedBy.has(part)) usedBy.set(part, folder);
    }
    // What is left refers to each other in a circle.
    for (const folder of folders) if (!this.#visited.has(folder)) this.#build(folder);
  }

  #buildNamed(written: string): void {
    const folder = joined('', written);
    try {
      if (folder !== null && this.#files.kustomization(folder) !== null) {
        this.#build(folder);
        return;
      }
    } catch (error) {
      this.#tell(error);
      return;
    }
    this.#diagnostics.push({
      rule: 'kustomize',
      severity: 'error',
      message: `There is no kustomization in ${JSON.stringify(written)}, which kubernetes.kustomize names.`,
      hint: 'Name a folder under `repository.path`.',
      locations: [],
      entities: [],
    });
  }

  /** Gives the folders that it is built of. */
  #build(folder: string): ReadonlySet<string> {
    const builder = new FolderBuilder(this.#files, this.#budget);
    this.#visited.add(folder);
    try {
      const document = this.#files.kustomization(folder);
      if (document === null) return builder.visited;
      this.#built.push(builder.build(folder, document));
    } catch (error) {
      this.#tell(error);
    }
    for (const { document, path } of builder.idlePatches) {
      this.#diagnostics.push({
        rule: 'kustomize-patch',
        severity: 'warning',
        message: 'This patch changes nothing, for its target fits no object.',
        hint: 'Correct the target: each of its fields is an expression for the whole of a name.',
        locations: [document.at(path)],
        entities: [],
      });
    }
    for (const visited of builder.visited) this.#visited.add(visited);
    return builder.visited;
  }

  /** Takes everything that is read together, for what is built may refer to what stands elsewhere. */
  #follow(others: readonly Document[]): void {
    const there = new Set<string>();
    for (const { value } of others) {
      const metadata = isJsonObject(value) ? value['metadata'] : undefined;
      if (!isJsonObject(value) || !isJsonObject(metadata)) continue;
      there.add(nameKey(String(value['kind']), String(metadata['namespace'] ?? ''), String(metadata['name'])));
    }
    for (const { kind, namespace, name } of this.#built.flat()) there.add(nameKey(kind, namespace, name));
    const isThere = (kind: string, namespace: string, name: string) => there.has(nameKey(kind, namespace, name));
    for (const resources of this.#built) {
      for (const { place, shown, name } of followKongNames(resources, isThere)) {
        this.#diagnostics.push({
          rule: 'kustomize-reference',
          severity: 'info',
          message: `This reference follows ${shown} to its new name ${JSON.stringify(name)}, which Kustomize would not do.`,
          hint: 'Where a cluster is to get the same, add a `nameReference` under `configurations`.',
          locations: [place.document.at(place.path)],
          entities: [],
        });
      }
    }
  }

  #tell(error: unknown): void {
    if (!(error instanceof KustomizeProblem)) throw error;
    const { document, path } = error.place;
    this.#diagnostics.push({
      rule: 'kustomize',
      severity: 'error',
      message: `${error.message}.`,
      hint: error.hint,
      locations: [document.at(path)],
      entities: [],
    });
  }

  /** Overlays of one base are meant for several places, as a rule. */
  #tellShared(shared: string, folders: readonly string[], known: ReadonlyMap<string, Document>): void {
    const documents = folders.flatMap((folder) => known.get(folder) ?? []);
    const [one, other] = folders.map((folder) => (folder === '' ? 'the root' : folder));
    this.#diagnostics.push({
      rule: 'kustomize-overlays',
      severity: 'warning',
      message: `${one} and ${other} are both built, and both of ${shared === '' ? 'the root' : shared}.`,
      hint: 'Where one of them is meant, name it in kubernetes.kustomize, or in `include` of a destination.',
      locations: documents.map((document) => document.at([])),
      entities: [],
    });
  }

  #tellUnlisted(document: Document, kustomization: Document | undefined): void {
    const { value } = document;
    const [apiVersion, kind] = isJsonObject(value) ? [String(value['apiVersion']), String(value['kind'])] : ['', ''];
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    if (objectKind(group, kind) === undefined) return;
    const others = kustomization === undefined ? [] : [kustomization.at([])];
    this.#diagnostics.push({
      rule: 'kustomize-unlisted',
      severity: 'warning',
      message: `This ${kind} is not read, for the kustomization of its folder does not list the file.`,
      hint: 'Name it under `resources`, or leave it out with an `ignore` pattern.',
      locations: [document.at(['kind']), ...others],
      entities: [],
    });
  }
}

/** The folder nearest to a file that has a kustomization. */
function nearest(start: string, known: ReadonlyMap<string, unknown>): string | null {
  for (let folder = start; ; folder = folderOf(folder)) {
    if (known.has(folder)) return folder;
    if (folder === '') return null;
  }
}

function nameKey(kind: string, namespace: string, name: string): string {
  const within = isClusterScoped(kind) === true ? '' : namespace === '' ? 'default' : namespace;
  return `${kind}/${within}/${name}`;
}

function isComponent(document: Document | undefined): boolean {
  return isJsonObject(document?.value) && document.value['kind'] === 'Component';
}

/** The folders that a kustomization refers to. */
function referred(folder: string, value: Document['value']): readonly string[] {
  if (!isJsonObject(value)) return [];
  return ['resources', 'bases', 'components'].flatMap((field) => {
    const list = value[field];
    if (!isJsonArray(list)) return [];
    return list
      .flatMap((item) => (typeof item === 'string' ? [joined(folder, item)] : []))
      .filter((path) => path !== null);
  });
}
