import { type Diagnostic, sortDiagnostics } from '../model/diagnostic.ts';
import { fileLocation } from '../model/location.ts';
import { isPulledSchemas } from '../model/pulled-mark.ts';
import type { Snapshot, SnapshotEntry } from '../model/snapshot.ts';
import { decode } from './decode.ts';
import type { DocumentCache } from './document-cache.ts';
import { compileSelection, type FileSelection, ignoreFile, type Selector } from './file-selection.ts';
import { Findings, finding } from './findings.ts';
import { isRelevant, notRegular, oversized } from './irregular-entry.ts';
import { defaultManifestLimits, type ManifestLimits } from './limits.ts';
import { type ParsedFile, parseFile } from './parse.ts';
import type { ParsedDocument } from './parsed-document.ts';
import { escapeName } from './shown-text.ts';

/** What a snapshot holds. */
export interface ReadSnapshot {
  /** By file name (code units), then by their order in the file. */
  readonly documents: readonly ParsedDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** Files that can be read only once their templates are carried out, by name. Nothing of them is in the rest. */
  readonly templates: readonly ParsedFile[];
}

type RegularFile = Extract<SnapshotEntry, { type: 'file' }>;

/**
 * The documents of all manifests of a snapshot that are selected, whatever the order of its entries. What has the name
 * of a manifest and cannot be read is reported, never passed over; a snapshot that is too large gives no document.
 */
export function readSnapshot(
  snapshot: Snapshot,
  selection: FileSelection,
  limits: ManifestLimits = defaultManifestLimits,
  cache: DocumentCache | null = null,
): ReadSnapshot {
  const diagnostics: Diagnostic[] = [];
  const selector = compileSelection(selection, ignoreLines(snapshot, diagnostics, limits));
  const files = selectFiles(snapshot, selector, diagnostics);
  const excess = excessOf(files, limits);
  if (excess !== null) return { documents: [], diagnostics: sortDiagnostics([...diagnostics, excess]), templates: [] };
  const documents: ParsedDocument[] = [];
  const templates: ParsedFile[] = [];
  for (const [path, entry] of files) {
    const file = escapeName(path);
    const known = cache === null || entry.blob === null ? null : cache.get(entry.blob, file, limits);
    const parsed = known ?? parseFile(file, entry.bytes, limits);
    if (known === null && entry.blob !== null) cache?.set(entry.blob, file, limits, parsed, entry.bytes.length);
    if (parsed.template !== null) {
      templates.push(parsed);
      continue;
    }
    for (const document of parsed.documents) documents.push(document);
    for (const diagnostic of parsed.diagnostics) diagnostics.push(diagnostic);
  }
  return { documents, diagnostics: sortDiagnostics(diagnostics), templates };
}

/** The names of the files that a selection reads of a snapshot, in order; what is wrong with any is not told. */
export function selectedFiles(snapshot: Snapshot, selection: FileSelection): readonly string[] {
  const selector = compileSelection(selection, ignoreLines(snapshot, [], defaultManifestLimits));
  return selectFiles(snapshot, selector, []).map(([path]) => path);
}

/** The files to read, by name; what stands in the place of one and is none is reported. */
function selectFiles(
  snapshot: Snapshot,
  selector: Selector,
  diagnostics: Diagnostic[],
): readonly (readonly [path: string, entry: RegularFile])[] {
  const files: (readonly [string, RegularFile])[] = [];
  for (const [path, entry] of snapshot.entries) {
    if (entry.type === 'file') {
      if (selector.reads(path) && !isPulledSchemas(entry.bytes)) files.push([path, entry]);
    } else if (entry.type === 'oversized') {
      if (selector.reads(path)) diagnostics.push(oversized(path, entry));
    } else if (isRelevant(path, entry, snapshot, selector)) diagnostics.push(notRegular(path, entry));
  }
  return files.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function excessOf(
  files: readonly (readonly [path: string, entry: RegularFile])[],
  limits: ManifestLimits,
): Diagnostic | null {
  const extra = files[limits.files];
  if (extra !== undefined) {
    const message = `There are ${files.length} manifests; at most ${limits.files} are read.`;
    return tooMuch(message, extra[0]);
  }
  let bytes = 0;
  for (const [path, entry] of files) {
    bytes += entry.bytes.length;
    if (bytes > limits.snapshotBytes) {
      return tooMuch(`With this file the manifests are larger than ${limits.snapshotBytes} bytes in all.`, path);
    }
  }
  return null;
}

function tooMuch(message: string, path: string): Diagnostic {
  const hint = 'Nothing was read. Leave files out with `ignore` patterns, or follow a narrower `repository.path`.';
  return finding({ rule: 'snapshot-too-large', message, hint }, fileLocation(escapeName(path)));
}

/** The lines of the ignore file at the snapshot's root. */
function ignoreLines(snapshot: Snapshot, diagnostics: Diagnostic[], limits: ManifestLimits): readonly string[] {
  const entry = snapshot.entries.get(ignoreFile);
  if (entry === undefined) return [];
  if (entry.type !== 'file') {
    diagnostics.push(entry.type === 'oversized' ? oversized(ignoreFile, entry) : notRegular(ignoreFile, entry));
    return [];
  }
  const findings = new Findings(limits.findingsPerFile);
  const source = decode(ignoreFile, entry.bytes, findings);
  for (const one of findings.list) diagnostics.push(one);
  return source === null ? [] : source.text.split('\n');
}
