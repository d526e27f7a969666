import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it where they are not there. Rejects with the system's error where that cannot be: Node
 * itself, asked to make all of a path, tries for ever in a folder that takes no others, such as /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  try {
    await mkdir(folder);
    return;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
  }
  await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: unknown) => {
    // Another process may have been quicker.
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
