import { spawn } from 'node:child_process';
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, follow, signal, texts, useScene } from './opened.ts';
import { repositorySettings } from './repository-settings.ts';

const scene = useScene();
const text = Array.from({ length: 2000 }, (_, index) => `key-${index}: ${Math.sqrt(index)}`).join('\n');

async function storeFolder(): Promise<string> {
  const names = (await readdir(scene.storePath)).filter((name) => name.endsWith('.git'));
  expect(names).toHaveLength(1);
  return join(scene.storePath, names[0] ?? '');
}

async function packFile(extension: string): Promise<string> {
  const folder = join(await storeFolder(), 'objects/pack');
  const name = (await readdir(folder)).find((candidate) => candidate.endsWith(extension));
  return join(folder, name ?? '');
}

/** Breaks the store while no repository has it open. */
const damages: readonly [string, () => Promise<void>][] = [
  ['a pack that is cut short', async () => truncate(await packFile('.pack'), 5000)],
  ['an index that is cut short', async () => truncate(await packFile('.idx'), 500)],
  ['a pack without index, as a killed process leaves it', async () => rm(await packFile('.idx'))],
  ['an index without pack', async () => rm(await packFile('.pack'))],
  ['a ref without objects', async () => rm(join(await storeFolder(), 'objects'), { recursive: true })],
  ['a ref that is rubbish', async () => writeFile(join(await storeFolder(), 'refs/heads/main'), 'rubbish')],
  [
    'a file that says which store is in force and is rubbish',
    async () => writeFile(join(scene.storePath, 'current.json'), '{"fol'),
  ],
];

describe('a damaged store', () => {
  it.each(damages)('%s: the next fetch recovers by itself', async (_, damage) => {
    await scene.remote.commit({ files: { 'a.yaml': text, 'b/c.yaml': 'c: 1' } });
    const before = await scene.open();
    await follow(before);
    await before.close();
    await damage();
    const next = await scene.remote.commit({ files: { 'b/c.yaml': 'c: 2' } });
    const repository = await scene.open();
    expect(await follow(repository)).toBe(next);
    expect(texts(await repository.read(next, signal))).toEqual({ 'a.yaml': text, 'b/c.yaml': 'c: 2' });
    await storeFolder();
  });

  it('that breaks under a reader is fetched anew for the same revision', async () => {
    const revision = await scene.remote.commit({ files: { 'a.yaml': text } });
    const repository = await scene.open({}, { blobCacheBytes: 0 });
    await follow(repository);
    await truncate(await packFile('.pack'), 3000);
    expect(texts(await repository.read(revision, signal))).toEqual({ 'a.yaml': text });
    await storeFolder();
  });

  it('stays as it is while the server cannot be reached, and recovers when it can', async () => {
    const revision = await scene.remote.commit({ files: { 'a.yaml': text } });
    const repository = await scene.open({}, { blobCacheBytes: 0 });
    await follow(repository);
    await truncate(await packFile('.pack'), 3000);
    scene.server.faults.status = 503;
    expect(await failure(repository.read(revision, signal))).toMatchObject({ class: 'transient', code: 'http-503' });
    scene.server.heal();
    expect(texts(await repository.read(revision, signal))).toEqual({ 'a.yaml': text });
  });

  it('whose folder cannot be written is a failure that says so, and recovers when it can', async () => {
    const revision = await scene.remote.commit({ files: { 'a.yaml': text } });
    const repository = await scene.open();
    await rm(scene.storePath, { recursive: true });
    await writeFile(scene.storePath, 'in the way');
    expect(await failure(follow(repository))).toMatchObject({ class: 'transient', code: 'store-failed' });
    await rm(scene.storePath);
    await mkdir(scene.storePath);
    expect(await follow(repository)).toBe(revision);
  });
});

describe('a process killed in the middle of a fetch', () => {
  it('leaves a store that the next one recovers from', async () => {
    const first = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const before = await scene.open();
    await follow(before);
    await before.close();
    const second = await scene.remote.commit({ files: { 'a.yaml': text } });
    Object.assign(scene.server.faults, { only: 'POST', stallAfterBytes: 4000 });
    const settings = JSON.stringify(repositorySettings(scene.remote.url));
    const script = join(import.meta.dirname, 'fetch-once.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, settings, scene.storePath, second], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = new Promise<string | null>((resolve) => child.once('exit', (_, by) => resolve(by)));
    await scene.server.until((request) => request.method === 'POST' && request.answerBytes === 4000);
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    scene.server.heal();
    const repository = await scene.open();
    expect(texts(await repository.read(first, signal))).toEqual({ 'a.yaml': 'a: 1' });
    expect(await follow(repository)).toBe(second);
    expect(texts(await repository.read(second, signal))).toEqual({ 'a.yaml': text });
  });
});
