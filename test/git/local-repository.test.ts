import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRepository } from '../../src/git/open-repository.ts';
import type { Repository } from '../../src/git/repository.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createServedRepository, runGit, type ServedRepository } from '../support/served-repository.ts';
import { failure, follow, signal, texts } from './opened.ts';
import { repositorySettings } from './repository-settings.ts';

let folder: string;
let bare: ServedRepository;
const opened: Repository[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-'));
  bare = await createServedRepository(join(folder, 'bare.git'), '');
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((repository) => repository.close()));
  await rm(folder, { recursive: true, force: true });
});

async function open(path: string, branch = 'main'): Promise<Repository> {
  const repository = await openRepository(repositorySettings(path, { branch }), null, { log: silentLog });
  opened.push(repository);
  return repository;
}

describe('a repository at a local path', () => {
  it('is read at its commits: bare, by file URL, with a working tree, and as a worktree', async () => {
    const revision = await bare.commit({ files: { 'a.yaml': 'a: 1' }, message: 'One' });
    const clone = join(folder, 'clone');
    await runGit(['clone', '--quiet', bare.path, clone], folder);
    await writeFile(join(clone, 'a.yaml'), 'never committed');
    const worktree = join(folder, 'worktree');
    await runGit(['worktree', 'add', '--quiet', '--detach', worktree], clone);
    for (const path of [bare.path, pathToFileURL(bare.path).href, clone, worktree]) {
      const repository = await open(path);
      expect(await follow(repository)).toBe(revision);
      expect(texts(await repository.read(revision, signal))).toEqual({ 'a.yaml': 'a: 1' });
      expect(await repository.describe(revision, signal)).toMatchObject({ title: 'One' });
      expect(await repository.text(revision, signal)).toEqual({ message: 'One', signature: null });
    }
  });

  it('takes no tag and no other branch for one that is gone', async () => {
    const revision = await bare.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await open(bare.path);
    expect(await follow(repository)).toBe(revision);
    for (const name of ['refs/tags/refs/heads/main', 'refs/heads/refs/heads/main', 'refs/remotes/refs/heads/main']) {
      await bare.git('update-ref', name, revision);
    }
    await bare.git('update-ref', '-d', 'refs/heads/main');
    expect(await repository.resolve(signal)).toMatchObject({ found: false });
    await bare.git('pack-refs', '--all');
    expect(await repository.resolve(signal)).toMatchObject({ found: false });
    // A folder in its place, too.
    await bare.git('update-ref', 'refs/heads/main/next', revision);
    expect(await repository.resolve(signal)).toMatchObject({ found: false });
    await bare.git('update-ref', '-d', 'refs/heads/main/next');
    await bare.git('update-ref', 'refs/heads/other', revision);
    await bare.git('symbolic-ref', 'refs/heads/main', 'refs/heads/other');
    expect(await repository.resolve(signal)).toEqual({ found: true, revision });
    await bare.git('pack-refs', '--all');
    expect(await repository.resolve(signal)).toEqual({ found: true, revision });
  });

  it('sees new commits, packed refs, repacked objects and borrowed ones', async () => {
    const revisions = [await bare.commit({ files: { 'a.yaml': 'a: 1' } })];
    const repository = await open(bare.path);
    expect(await follow(repository)).toBe(revisions[0]);
    revisions.unshift(await bare.commit({ files: { 'a.yaml': 'a: 2' } }));
    await bare.git('pack-refs', '--all');
    await bare.git('repack', '-adfq');
    expect(await follow(repository)).toBe(revisions[0]);
    revisions.unshift(await bare.commit({ files: { 'b.yaml': 'b: 1' } }));
    await bare.git('repack', '-adfq');
    expect(await follow(repository)).toBe(revisions[0]);
    expect(await repository.ancestors(revisions[0] ?? '', 10, signal)).toEqual(revisions.slice(1));
    const borrower = join(folder, 'borrower');
    await runGit(['clone', '--quiet', '--shared', bare.path, borrower], folder);
    expect(texts(await (await open(borrower)).read(revisions[0] ?? '', signal))).toEqual({
      'a.yaml': 'a: 2',
      'b.yaml': 'b: 1',
    });
  });

  it('whose folder is gone is not taken for one without its branch, and is followed again when it is back', async () => {
    const revision = await bare.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await open(bare.path);
    expect(await follow(repository)).toBe(revision);
    await rename(bare.path, `${bare.path}-away`);
    expect(await failure(repository.resolve(signal))).toMatchObject({
      class: 'transient',
      code: 'repository-unreadable',
      message: expect.stringContaining('is gone'),
    });
    await rename(`${bare.path}-away`, bare.path);
    expect(await follow(repository)).toBe(revision);
  });

  it('has no branch, is none, or has a format that cannot be read: each is told', async () => {
    await bare.commit({ files: { 'a.yaml': 'a: 1' } });
    expect(await (await open(bare.path, 'live')).resolve(signal)).toEqual({
      found: false,
      reason: 'The repository has no branch "live"; it has "main".',
    });
    await mkdir(join(folder, 'plain'));
    expect(await failure(open(join(folder, 'plain')))).toMatchObject({ code: 'repository-not-found' });
    await runGit(['init', '--quiet', '--bare', '--object-format=sha256', join(folder, 'new.git')], folder);
    expect(await failure(open(join(folder, 'new.git')))).toMatchObject({ code: 'repository-format' });
    const repository = await open(bare.path);
    expect(await failure(repository.read('1'.repeat(40), signal))).toMatchObject({ code: 'repository-damaged' });
  });
});
