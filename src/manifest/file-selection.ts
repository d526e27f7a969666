import { compileGlob } from './glob.ts';
import { type Ignore, ignorePatterns } from './ignore.ts';

/** Which files of a snapshot are read. All paths and patterns are relative to the snapshot. */
export interface FileSelection {
  /** Patterns of the configuration (`repository.ignore`), in the manner of gitignore. */
  readonly ignore: readonly string[];
  /** Globs, one of which a file has to fit; empty for all files. */
  readonly include: readonly string[];
  /** Globs, none of which a file may fit. */
  readonly exclude: readonly string[];
  /** Konverge's own configuration files, which are no manifests. */
  readonly configuration: readonly string[];
  /** Files that a person named: read whatever they are called and whatever leaves others out. */
  readonly named: readonly string[];
}

/** The selection that leaves out nothing but what is no manifest by its name. */
export const everyFile: FileSelection = { ignore: [], include: [], exclude: [], configuration: [], named: [] };

/** The file at the root of a snapshot whose lines are ignore patterns. */
export const ignoreFile = '.konvergeignore';

/** What a path is to a selection. */
export interface Selector {
  /** Whether a regular file of this path is read. */
  reads(path: string): boolean;
  /** Whether files below this path would be read, were it a folder. */
  readsBelow(path: string): boolean;
}

/** Compiles a selection together with the lines of the snapshot's ignore file. */
export function compileSelection(selection: FileSelection, ignoreLines: readonly string[]): Selector {
  const named = new Set(selection.named);
  const configuration = new Set(selection.configuration);
  const include = selection.include.map(compileGlob);
  const exclude = selection.exclude.map(compileGlob);
  // Two lists, so that the repository cannot take back what the operator leaves out.
  const ignores: readonly Ignore[] = [ignorePatterns(selection.ignore), ignorePatterns(ignoreLines)];
  const isLeftOut = (path: string) =>
    isHidden(path) ||
    configuration.has(path) ||
    ignores.some((ignore) => ignore.ignores(path)) ||
    exclude.some((glob) => glob.matches(path));
  return {
    reads: (path) => {
      if (named.has(path)) return true;
      if (!hasManifestName(path) || isLeftOut(path)) return false;
      return include.length === 0 || include.some((glob) => glob.matches(path));
    },
    readsBelow: (path) =>
      !isLeftOut(path) && (include.length === 0 || include.some((glob) => glob.mayMatchUnder(path))),
  };
}

/** Whether a path ends as manifests do, in any letter case, or is the third name of a kustomization. */
export function hasManifestName(path: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(path) || /(?:^|\/)Kustomization$/.test(path);
}

function isHidden(path: string): boolean {
  return path.startsWith('.') || path.includes('/.');
}
