import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What cannot be a chain of symbolic refs that somebody made on purpose; Git follows as many. */
const mostSteps = 5;

/**
 * The commit that a ref of this very name (`refs/heads/main`) points at in a repository on disk; null where there is
 * none. Unlike Git's search for a name that people type, no ref stands in for another: a tag that is called
 * `refs/heads/main` is not the branch. Throws what reading a file throws.
 */
export async function branchTip(gitFolder: string, ref: string): Promise<string | null> {
  let name = ref;
  for (let step = 0; step <= mostSteps; step += 1) {
    const text = (await looseRef(gitFolder, name)) ?? (await packedRef(gitFolder, name));
    if (text === null || isId(text)) return text;
    const target = /^ref: (refs\/.+)$/.exec(text)?.[1];
    if (target === undefined || target.split('/').includes('..')) return null;
    name = target;
  }
  return null;
}

function isId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** The text of a ref's own file; null where there is no such file, or a folder of longer names. */
async function looseRef(gitFolder: string, name: string): Promise<string | null> {
  try {
    return (await readFile(join(gitFolder, name), 'utf8')).trim();
  } catch (error) {
    if (isOneOf(error, ['ENOENT', 'ENOTDIR', 'EISDIR'])) return null;
    throw error;
  }
}

async function packedRef(gitFolder: string, name: string): Promise<string | null> {
  try {
    const lines = (await readFile(join(gitFolder, 'packed-refs'), 'utf8')).split('\n');
    const found = lines.find((line) => line.slice(41).trimEnd() === name && isId(line.slice(0, 40)));
    return found?.slice(0, 40) ?? null;
  } catch (error) {
    if (isOneOf(error, ['ENOENT'])) return null;
    throw error;
  }
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}
