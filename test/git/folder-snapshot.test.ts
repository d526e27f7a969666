import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderSnapshot } from '../../src/git/folder-snapshot.ts';
import { defaultSnapshotLimits } from '../../src/git/reading/snapshot-limits.ts';
import { failure, texts } from './opened.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tree-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

describe('a snapshot of a working tree', () => {
  it('names the files of one folder relative to it, without its dot folders', async () => {
    await put({
      'b/c.yaml': '2',
      'a.yaml': '1',
      '.git/config': 'x',
      '.konvergeignore': 'drafts',
      'a.yaml.d/x.yaml': '3',
    });
    const { snapshot, named } = await folderSnapshot([folder]);
    expect(snapshot.revision).toBeNull();
    expect(texts(snapshot)).toEqual({
      '.konvergeignore': 'drafts',
      'a.yaml': '1',
      'a.yaml.d/x.yaml': '3',
      'b/c.yaml': '2',
    });
    expect(named.size).toBe(0);
  });

  it('keeps several paths apart and says which files were named', async () => {
    await put({ 'one/a.yaml': '1', 'two/a.yaml': '2', 'three/.kong': '3' });
    const paths = [join(folder, 'one/'), join(folder, 'two'), join(folder, 'three/.kong')];
    const { snapshot, named } = await folderSnapshot(paths);
    expect(texts(snapshot)).toEqual({
      [`${folder}/one/a.yaml`]: '1',
      [`${folder}/two/a.yaml`]: '2',
      [`${folder}/three/.kong`]: '3',
    });
    expect([...named]).toEqual([`${folder}/three/.kong`]);
  });

  it('tells of links and of files over the limit, and reads neither; a link that is named is meant', async () => {
    await put({ 'in/ok.yaml': '1', 'in/big.yaml': '', 'out/secret.yaml': 'secret' });
    await symlink('../out/secret.yaml', join(folder, 'in/link.yaml'));
    await symlink('..', join(folder, 'in/circle'));
    await truncate(join(folder, 'in/big.yaml'), 100 * 1024 * 1024);
    const { snapshot } = await folderSnapshot([join(folder, 'in')]);
    expect(Object.fromEntries(snapshot.entries)).toEqual({
      'big.yaml': { type: 'oversized', sizeBytes: 100 * 1024 * 1024, limitBytes: defaultSnapshotLimits.fileBytes },
      circle: { type: 'symlink', target: '..' },
      'link.yaml': { type: 'symlink', target: '../out/secret.yaml' },
      'ok.yaml': { type: 'file', bytes: Buffer.from('1'), blob: null },
    });
    const link = join(folder, 'in/link.yaml');
    expect(texts((await folderSnapshot([link])).snapshot)).toEqual({ [link]: 'secret' });
  });

  it('goes into no folder that is to be skipped, and fails where a path is missing or there is too much', async () => {
    await put({ 'node_modules/x/a.yaml': '1', 'b.yaml': '2', 'c.md': '3' });
    const skip = (path: string, isFolder: boolean): boolean =>
      isFolder ? path === 'node_modules' : path.endsWith('.md');
    expect(texts((await folderSnapshot([folder], { skip })).snapshot)).toEqual({ 'b.yaml': '2' });
    expect(await failure(folderSnapshot([join(folder, 'none')]))).toMatchObject({
      class: 'rejected',
      code: 'path-missing',
    });
    const limits = { ...defaultSnapshotLimits, files: 2 };
    expect(await failure(folderSnapshot([folder], { limits }))).toMatchObject({ code: 'snapshot-too-large' });
  });
});
