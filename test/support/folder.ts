import { mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of a test's own. */
export interface Folder {
  readonly path: string;
  /** Writes files by their paths inside of it. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  remove(): Promise<void>;
}

/** Makes a folder with files in it. */
export async function temporaryFolder(files: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'konverge-test-'));
  const folder: Folder = {
    path,
    write: async (more) => {
      for (const [name, text] of Object.entries(more)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), text);
      }
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
  await folder.write(files);
  return folder;
}
