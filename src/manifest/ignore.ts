import { compileGlob, type Glob } from './glob.ts';

interface IgnoreLine {
  readonly glob: Glob;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** Says which paths patterns leave out. */
export interface Ignore {
  /** Whether a file is left out, itself or by a folder that it is in. */
  ignores(path: string): boolean;
}

/**
 * Patterns in the manner of gitignore(5): the last that fits decides, `!` takes back, a slash at the end means folders
 * only, one before means from the root on, a pattern without slashes fits at any depth, `#` begins a comment, and
 * nothing in a folder that is left out can be taken back. Beyond gitignore, `{a,b}` stands for either.
 */
export function ignorePatterns(lines: readonly string[]): Ignore {
  const patterns = lines.map(readLine).filter((line) => line !== null);
  const folders = new Map<string, boolean>();
  const decide = (path: string, folder: boolean): boolean => {
    for (let index = patterns.length - 1; index >= 0; index -= 1) {
      const line = patterns[index];
      if (line === undefined || (line.foldersOnly && !folder)) continue;
      if (line.glob.matches(path)) return !line.negated;
    }
    return false;
  };
  const ignoresFolder = (path: string): boolean => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const parent = parentOf(path);
    const ignored = (parent !== null && ignoresFolder(parent)) || decide(path, true);
    folders.set(path, ignored);
    return ignored;
  };
  return {
    ignores: (path) => {
      if (patterns.length === 0) return false;
      const parent = parentOf(path);
      return (parent !== null && ignoresFolder(parent)) || decide(path, false);
    },
  };
}

function readLine(line: string): IgnoreLine | null {
  let pattern = line.replace(/\r$/, '').replace(/(?<!\\)[ \t]+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return null;
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.replace(/\/+$/, '');
  if (pattern === '') return null;
  const glob = compileGlob(pattern.includes('/') ? pattern : `**/${pattern}`);
  return { glob, negated, foldersOnly };
}

function parentOf(path: string): string | null {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? null : path.slice(0, slash);
}
