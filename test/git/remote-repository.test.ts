import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RepositorySettings } from '../../src/config/settings.ts';
import { openRepository, type RepositoryDeps } from '../../src/git/open-repository.ts';
import type { Repository } from '../../src/git/repository.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { Failure } from '../../src/platform/failure.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { runGit, type ServedRepository } from '../support/served-repository.ts';
import { repositorySettings } from './repository-settings.ts';

let server: GitServer;
let remote: ServedRepository;
let storePath: string;
const opened: Repository[] = [];
const signal = new AbortController().signal;

beforeEach(async () => {
  server = await startGitServer();
  remote = await server.createRepository('acme.git');
  storePath = await mkdtemp(join(tmpdir(), 'store-'));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((repository) => repository.close()));
  await server.close();
  await rm(storePath, { recursive: true, force: true });
});

async function open(
  other: Partial<RepositorySettings> = {},
  limits: RepositoryDeps['limits'] = {},
): Promise<Repository> {
  const settings = repositorySettings(remote.url, other);
  const repository = await openRepository(settings, storePath, { log: silentLog, limits });
  opened.push(repository);
  return repository;
}

function texts(snapshot: Snapshot): Record<string, string> {
  const shown = [...snapshot.entries].map(([path, entry]) => [
    path,
    entry.type === 'file' ? Buffer.from(entry.bytes).toString() : entry.type,
  ]);
  return Object.fromEntries(shown);
}

async function failure(work: Promise<unknown>): Promise<Failure['facts']> {
  const error: unknown = await work.then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw new Error('not a failure', { cause: error });
  return error.facts;
}

async function follow(repository: Repository): Promise<string> {
  const found = await repository.resolve(signal);
  if (!found.found) throw new Error(found.reason);
  await repository.fetch(found.revision, signal);
  return found.revision;
}

async function stores(): Promise<readonly string[]> {
  return (await readdir(storePath)).filter((name) => name.endsWith('.git'));
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
    await remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await open();
    const revision = await follow(repository);
    server.requests.length = 0;
    expect(await repository.resolve(signal)).toEqual({ found: true, revision });
    await repository.fetch(revision, signal);
    expect(server.requests.map((request) => request.method)).toEqual(['GET', 'POST']);
    expect(server.requests.reduce((sum, request) => sum + request.answerBytes, 0)).toBeLessThan(1000);
  });

  it('takes a branch by its exact name', async () => {
    await remote.commit({ files: { 'a.yaml': 'a: 1' }, branch: 'main-2' });
    const repository = await open();
    expect(await repository.resolve(signal)).toMatchObject({ found: false });
    const revision = await remote.commit({ files: { 'a.yaml': 'a: 2' } });
    expect(await repository.resolve(signal)).toEqual({ found: true, revision });
  });

  it('tells a deleted branch, an empty repository and a missing one apart', async () => {
    const repository = await open({ branch: 'live' });
    expect(await repository.resolve(signal)).toMatchObject({ found: false, reason: expect.stringContaining('empty') });
    await remote.commit({ files: { 'a.yaml': 'a: 1' } });
    await remote.setBranch('live', (await remote.tip()) ?? '');
    expect(await repository.resolve(signal)).toMatchObject({ found: true });
    await remote.deleteBranch('live');
    expect(await repository.resolve(signal)).toMatchObject({
      found: false,
      reason: expect.stringContaining('default branch is "main"'),
    });
    const missing = await open({ url: `${server.url}/other.git` });
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
    await remote.commit({ files });
    for (let index = 0; index < 5; index += 1) await remote.commit({ files: { 'x.yaml': noise(5000, `x${index}`) } });
    const repository = await open();
    await follow(repository);
    const full = server.requests.at(-1)?.answerBytes ?? 0;
    expect(full).toBeLessThan(260_000);
    const revision = await remote.commit({ files: { 'd1/1.yaml': 'a: 2' } });
    await follow(repository);
    expect(server.requests.at(-1)?.answerBytes).toBeLessThan(5000);
    const snapshot = await repository.read(revision, signal);
    expect(snapshot.entries.size).toBe(301);
    expect(texts(snapshot)['d1/1.yaml']).toBe('a: 2');
  });

  it('brings no history with a merge of a branch that is older than the store', async () => {
    for (let index = 0; index < 20; index += 1) await remote.commit({ files: { 'x.yaml': noise(5000, `x${index}`) } });
    const old = await remote.tip();
    await remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await open();
    const first = await follow(repository);
    const side = await remote.commit({ branch: 'side', parents: [old ?? ''], files: { 'b.yaml': 'b: 1' } });
    const merge = await remote.commit({ parents: [first, side], files: { 'b.yaml': 'b: 1' } });
    expect(await follow(repository)).toBe(merge);
    expect(server.requests.at(-1)?.answerBytes).toBeLessThan(3000);
    expect(Object.keys(texts(await repository.read(merge, signal))).sort()).toEqual(['a.yaml', 'b.yaml', 'x.yaml']);
  });

  it('follows a force push, to history that has nothing in common too, and back', async () => {
    const first = await remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await open();
    await follow(repository);
    const other = await remote.commit({ parents: [], files: { 'b.yaml': 'b: 1' } });
    expect(await follow(repository)).toBe(other);
    expect(texts(await repository.read(other, signal))).toEqual({ 'b.yaml': 'b: 1' });
    await remote.setBranch('main', first);
    expect(await follow(repository)).toBe(first);
    expect(texts(await repository.read(first, signal))).toEqual({ 'a.yaml': 'a: 1' });
  });

  it('takes the revision of the poll, not the newest, and says when it is gone', async () => {
    const repository = await open();
    const polled = await remote.commit({ files: { 'a.yaml': 'a: 1' } });
    await remote.commit({ files: { 'a.yaml': 'a: 2' } });
    await repository.fetch(polled, signal);
    expect(texts(await repository.read(polled, signal))).toEqual({ 'a.yaml': 'a: 1' });
    const lost = await failure(repository.fetch('1'.repeat(40), signal));
    expect(lost).toMatchObject({ class: 'transient', code: 'revision-gone' });
    expect(texts(await repository.read(polled, signal))).toEqual({ 'a.yaml': 'a: 1' });
  });

  it('works where HEAD of the remote names no branch', async () => {
    await remote.git('symbolic-ref', 'HEAD', 'refs/heads/gone');
    const revision = await remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await open();
    expect(await follow(repository)).toBe(revision);
  });

  it('leaves a store that Git itself finds sound', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`${index}.yaml`, `${noise(3000, `${index}`).toString('base64')}\n`]),
    );
    await remote.commit({ files });
    const repository = await open();
    await follow(repository);
    for (let index = 0; index < 3; index += 1) {
      const text = `${files['7.yaml']}changed ${index}\n`;
      await remote.commit({ files: { '7.yaml': text } });
      await follow(repository);
    }
    const [store = ''] = await stores();
    const folder = join(storePath, store);
    await runGit(['fsck', '--full', '--strict'], folder);
    expect(await runGit(['rev-parse', 'main'], folder)).toBe(await remote.git('rev-parse', 'main'));
  });
});

describe('history', () => {
  it('is looked up by deepening, first parents only, as far as asked', async () => {
    const revisions: string[] = [];
    for (let index = 0; index < 130; index += 1) {
      revisions.unshift(await remote.commit({ files: { 'a.yaml': `a: ${index}` } }));
    }
    const [tip = '', parent = ''] = revisions;
    const side = await remote.commit({ branch: 'side', parents: [parent], files: { 'b.yaml': 'b: 1' } });
    const merge = await remote.commit({ parents: [tip, side], files: { 'b.yaml': 'b: 1' } });
    const repository = await open();
    await follow(repository);
    expect(await repository.ancestors(merge, 70, signal)).toEqual(revisions.slice(0, 70));
    server.requests.length = 0;
    expect(await repository.ancestors(merge, 40, signal)).toEqual(revisions.slice(0, 40));
    expect(server.requests).toEqual([]);
    expect(await repository.ancestors(merge, 500, signal)).toEqual(revisions);
    expect(texts(await repository.read(revisions[100] ?? '', signal))).toEqual({ 'a.yaml': 'a: 29' });
  });

  it('describes a commit without control characters', async () => {
    const revision = await remote.commit({ files: { 'a.yaml': '' }, message: 'Add \u001b[31mred\n\nMore.' });
    const repository = await open();
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
    const revision = await remote.commit({ files: { 'a.yaml': 'a: 1' } });
    await follow(await open());
    await runGit(['init', '--quiet', '--bare', join(storePath, 'store-9.git')], '/');
    const repository = await open();
    expect(await stores()).toEqual(['store-1.git']);
    server.requests.length = 0;
    await repository.fetch(revision, signal);
    expect(texts(await repository.read(revision, signal))).toEqual({ 'a.yaml': 'a: 1' });
    expect(server.requests).toEqual([]);
  });

  it('stays bounded over many commits', async () => {
    await remote.commit({ files: { 'a.yaml': noise(20_000, 'a') } });
    const repository = await open({}, { store: { packs: 8, bytes: 1_000_000, growth: 4 } });
    for (let index = 0; index < 30; index += 1) {
      const revision = await remote.commit({ files: { 'b.yaml': `b: ${index}` } });
      expect(await follow(repository)).toBe(revision);
      expect(texts(await repository.read(revision, signal))['b.yaml']).toBe(`b: ${index}`);
      const names = await stores();
      expect(names).toHaveLength(1);
      const packs = await readdir(join(storePath, names[0] ?? '', 'objects/pack'));
      expect(packs.length).toBeLessThanOrEqual(18);
    }
    expect(Number(/\d+/.exec((await stores())[0] ?? '')?.[0])).toBeGreaterThan(3);
  });

  it('reads an older revision that went with a store that was replaced', async () => {
    const first = await remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await open({}, { store: { packs: 0, bytes: 1_000_000, growth: 4 } });
    await follow(repository);
    await remote.commit({ files: { 'a.yaml': 'a: 2' } });
    await follow(repository);
    expect(await stores()).toEqual(['store-2.git']);
    expect(texts(await repository.read(first, signal))).toEqual({ 'a.yaml': 'a: 1' });
  });
});
