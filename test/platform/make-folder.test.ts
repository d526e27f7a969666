import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../../src/platform/make-folder.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder({ file: 'text' });
});
afterAll(() => folder.remove());

test('makes a folder and those above it, and takes those that are there', async () => {
  const path = join(folder.path, 'a/b/c');
  await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(folder.path, 'a/b/d'))]);
  await makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

test('fails where a file is in the way', async () => {
  await expect(makeFolder(join(folder.path, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(folder.path, 'file/a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.skipIf(!existsSync('/proc/self'))('fails at once where no folder can ever be made', async () => {
  await expect(makeFolder('/proc/nope/a')).rejects.toMatchObject({ code: 'ENOENT' });
});
