import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runGit } from '../support/served-repository.ts';
import { failure, follow, signal, texts, useScene } from './opened.ts';

const scene = useScene();

async function stores(): Promise<readonly string[]> {
  return (await readdir(scene.storePath)).filter((name) => name.endsWith('.git'));
}

/** Text that does not compress to nothing, the same every time. */
function noise(size: number, seed: string): Buffer {
  const parts: Buffer[] = [];
  for (let index = 0; index * 32 < size; index += 1)
    parts.push(createHash('sha256').update(`${seed}${index}`).digest());
  return Buffer.concat(parts).subarray(0, size);
}

describe('a poll', () => {
  it('costs two small requests when nothing is new, and a fetch of what is there none', async () => {
    await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await scene.open();
    const revision = await follow(repository);
    scene.server.requests.length = 0;
    expect(await repository.resolve(signal)).toEqual({ found: true, revision });
    await repository.fetch(revision, signal);
    expect(scene.server.requests.map((request) => request.method)).toEqual(['GET', 'POST']);
    expect(scene.server.requests.reduce((sum, request) => sum + request.answerBytes, 0)).toBeLessThan(1000);
  });

  it('takes a branch by its exact name', async () => {
    await scene.remote.commit({ files: { 'a.yaml': 'a: 1' }, branch: 'main-2' });
    const repository = await scene.open();
    expect(await repository.resolve(signal)).toMatchObject({ found: false });
    const revision = await scene.remote.commit({ files: { 'a.yaml': 'a: 2' } });
    expect(await repository.resolve(signal)).toEqual({ found: true, revision });
  });

  it('tells a deleted branch, an empty repository and a missing one apart', async () => {
    const repository = await scene.open({ branch: 'live' });
    expect(await repository.resolve(signal)).toMatchObject({ found: false, reason: expect.stringContaining('empty') });
    await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    await scene.remote.setBranch('live', (await scene.remote.tip()) ?? '');
    expect(await repository.resolve(signal)).toMatchObject({ found: true });
    await scene.remote.deleteBranch('live');
    expect(await repository.resolve(signal)).toMatchObject({
      found: false,
      reason: expect.stringContaining('default branch is "main"'),
    });
    const missing = await scene.open({ url: `${scene.server.url}/other.git` });
    expect(await failure(missing.resolve(signal))).toMatchObject({
      class: 'rejected',
      code: 'repository-not-found',
      status: 404,
      hint: expect.stringContaining('repository.url'),
    });
  });
});

describe('a fetch', () => {
  it('brings a commit without its history, and later ones without what is there already', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`d${index % 10}/${index}.yaml`, noise(600, `${index}`)]),
    );
    await scene.remote.commit({ files });
    for (let index = 0; index < 5; index += 1)
      await scene.remote.commit({ files: { 'x.yaml': noise(5000, `x${index}`) } });
    const repository = await scene.open();
    await follow(repository);
    const full = scene.server.requests.at(-1)?.answerBytes ?? 0;
    expect(full).toBeLessThan(260_000);
    const revision = await scene.remote.commit({ files: { 'd1/1.yaml': 'a: 2' } });
    await follow(repository);
    expect(scene.server.requests.at(-1)?.answerBytes).toBeLessThan(5000);
    const snapshot = await repository.read(revision, signal);
    expect(snapshot.entries.size).toBe(301);
    expect(texts(snapshot)['d1/1.yaml']).toBe('a: 2');
  });

  it('brings no history with a merge of a branch that is older than the store', async () => {
    for (let index = 0; index < 20; index += 1)
      await scene.remote.commit({ files: { 'x.yaml': noise(5000, `x${index}`) } });
    const old = await scene.remote.tip();
    await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await scene.open();
    const first = await follow(repository);
    const side = await scene.remote.commit({ branch: 'side', parents: [old ?? ''], files: { 'b.yaml': 'b: 1' } });
    const merge = await scene.remote.commit({ parents: [first, side], files: { 'b.yaml': 'b: 1' } });
    expect(await follow(repository)).toBe(merge);
    expect(scene.server.requests.at(-1)?.answerBytes).toBeLessThan(3000);
    expect(Object.keys(texts(await repository.read(merge, signal))).sort()).toEqual(['a.yaml', 'b.yaml', 'x.yaml']);
  });

  it('follows a force push, to history that has nothing in common too, and back', async () => {
    const first = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await scene.open();
    await follow(repository);
    const other = await scene.remote.commit({ parents: [], files: { 'b.yaml': 'b: 1' } });
    expect(await follow(repository)).toBe(other);
    expect(texts(await repository.read(other, signal))).toEqual({ 'b.yaml': 'b: 1' });
    await scene.remote.setBranch('main', first);
    expect(await follow(repository)).toBe(first);
    expect(texts(await repository.read(first, signal))).toEqual({ 'a.yaml': 'a: 1' });
  });

  it('takes the revision of the poll, not the newest, and says when it is gone', async () => {
    const repository = await scene.open();
    const polled = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    await scene.remote.commit({ files: { 'a.yaml': 'a: 2' } });
    await repository.fetch(polled, signal);
    expect(texts(await repository.read(polled, signal))).toEqual({ 'a.yaml': 'a: 1' });
    const lost = await failure(repository.fetch('1'.repeat(40), signal));
    expect(lost).toMatchObject({ class: 'transient', code: 'revision-gone' });
    expect(texts(await repository.read(polled, signal))).toEqual({ 'a.yaml': 'a: 1' });
  });

  it('works where HEAD of the remote names no branch', async () => {
    await scene.remote.git('symbolic-ref', 'HEAD', 'refs/heads/gone');
    const revision = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await scene.open();
    expect(await follow(repository)).toBe(revision);
  });

  it('leaves a store that Git itself finds sound', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`${index}.yaml`, `${noise(3000, `${index}`).toString('base64')}\n`]),
    );
    await scene.remote.commit({ files });
    const repository = await scene.open();
    await follow(repository);
    for (let index = 0; index < 3; index += 1) {
      const text = `${files['7.yaml']}changed ${index}\n`;
      await scene.remote.commit({ files: { '7.yaml': text } });
      await follow(repository);
    }
    const [store = ''] = await stores();
    const folder = join(scene.storePath, store);
    await runGit(['fsck', '--full', '--strict'], folder);
    expect(await runGit(['rev-parse', 'main'], folder)).toBe(await scene.remote.git('rev-parse', 'main'));
  });
});

describe('history', () => {
  it('is looked up by deepening, first parents only, as far as asked', async () => {
    const revisions: string[] = [];
    for (let index = 0; index < 75; index += 1) {
      revisions.unshift(await scene.remote.commit({ files: { 'a.yaml': `a: ${index}` } }));
    }
    const [tip = '', parent = ''] = revisions;
    const side = await scene.remote.commit({ branch: 'side', parents: [parent], files: { 'b.yaml': 'b: 1' } });
    const merge = await scene.remote.commit({ parents: [tip, side], files: { 'b.yaml': 'b: 1' } });
    const repository = await scene.open();
    await follow(repository);
    expect(await repository.ancestors(merge, 60, signal)).toEqual(revisions.slice(0, 60));
    scene.server.requests.length = 0;
    expect(await repository.ancestors(merge, 40, signal)).toEqual(revisions.slice(0, 40));
    expect(scene.server.requests).toEqual([]);
    expect(await repository.ancestors(merge, 500, signal)).toEqual(revisions);
    expect(texts(await repository.read(revisions[70] ?? '', signal))).toEqual({ 'a.yaml': 'a: 4' });
  });

  it('describes a commit without control characters', async () => {
    const revision = await scene.remote.commit({ files: { 'a.yaml': '' }, message: 'Add \u001b[31mred\n\nMore.' });
    const repository = await scene.open();
    await repository.fetch(revision, signal);
    expect(await repository.describe(revision, signal)).toEqual({
      title: 'Add [31mred',
      author: 'Test Author',
      at: 1_700_000_060_000,
    });
  });
});

describe('a store', () => {
  it('is used again after a restart, and what a killed process left is removed', async () => {
    const revision = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    await follow(await scene.open());
    await runGit(['init', '--quiet', '--bare', join(scene.storePath, 'store-9.git')], '/');
    const repository = await scene.open();
    expect(await stores()).toEqual(['store-1.git']);
    scene.server.requests.length = 0;
    await repository.fetch(revision, signal);
    expect(texts(await repository.read(revision, signal))).toEqual({ 'a.yaml': 'a: 1' });
    expect(scene.server.requests).toEqual([]);
  });

  it('stays bounded over many commits', async () => {
    await scene.remote.commit({ files: { 'a.yaml': noise(20_000, 'a') } });
    const repository = await scene.open({}, { store: { packs: 4, bytes: 1_000_000, growth: 4 } });
    for (let index = 0; index < 18; index += 1) {
      const revision = await scene.remote.commit({ files: { 'b.yaml': `b: ${index}` } });
      expect(await follow(repository)).toBe(revision);
      expect(texts(await repository.read(revision, signal))['b.yaml']).toBe(`b: ${index}`);
      const names = await stores();
      expect(names).toHaveLength(1);
      const packs = await readdir(join(scene.storePath, names[0] ?? '', 'objects/pack'));
      expect(packs.length).toBeLessThanOrEqual(10);
    }
    expect(Number(/\d+/.exec((await stores())[0] ?? '')?.[0])).toBeGreaterThanOrEqual(4);
  });

  it('reads an older revision that went with a store that was replaced', async () => {
    const first = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await scene.open({}, { store: { packs: 0, bytes: 1_000_000, growth: 4 } });
    await follow(repository);
    await scene.remote.commit({ files: { 'a.yaml': 'a: 2' } });
    await follow(repository);
    expect(await stores()).toEqual(['store-2.git']);
    expect(texts(await repository.read(first, signal))).toEqual({ 'a.yaml': 'a: 1' });
  });
});
