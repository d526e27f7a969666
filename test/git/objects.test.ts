import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByteCache } from '../../src/git/objects/byte-cache.ts';
import { applyDelta } from '../../src/git/objects/delta.ts';
import { ObjectDatabase } from '../../src/git/objects/object-database.ts';
import { indexPack } from '../../src/git/objects/pack-index.ts';
import { StoreDamage } from '../../src/git/objects/store-damage.ts';
import { remoteError } from '../../src/git/transport/upload-pack-answer.ts';
import { createServedRepository, type ServedRepository } from '../support/served-repository.ts';
import { signal } from './opened.ts';

let folder: string;
let repository: ServedRepository;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'objects-'));
  repository = await createServedRepository(join(folder, 'a.git'), '');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Commits that make deltas, long chains of them too. */
async function commitDeltas(): Promise<void> {
  const lines = Array.from({ length: 400 }, (_, index) => createHash('md5').update(`${index}`).digest('hex'));
  for (let index = 0; index < 12; index += 1) {
    lines[index * 7] = `changed ${index}`;
    lines.push(`appended ${index}`);
    await repository.commit({ files: { 'long.yaml': lines.join('\n'), [`s${index}/a.yaml`]: `a: ${index}` } });
  }
}

async function allObjects(): Promise<readonly { id: string; type: string; size: number }[]> {
  const text = await repository.git('cat-file', '--batch-all-objects', '--batch-check');
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', type = '', size = ''] = line.split(' ');
      return { id, type, size: Number(size) };
    });
}

describe('the object database', () => {
  it.each([
    ['loose objects', []],
    ['offset deltas', ['repack', '-adfq', '--depth=50', '--window=50']],
    ['id deltas', ['-c', 'repack.useDeltaBaseOffset=false', 'repack', '-adfq', '--depth=50', '--window=50']],
  ])('gives every object of a repository, hashed, with its size: %s', async (_, args) => {
    await commitDeltas();
    if (args.length > 0) await repository.git(...args);
    const objects = new ObjectDatabase(join(repository.path, 'objects'));
    const all = await allObjects();
    expect(all.length).toBeGreaterThan(50);
    for (const { id, type, size } of all) {
      const object = await objects.read(id);
      expect([object.type, object.bytes.length, await objects.size(id)]).toEqual([type, size, size]);
    }
    await expect(objects.read('0'.repeat(40))).rejects.toBeInstanceOf(StoreDamage);
    expect(await objects.has('0'.repeat(40))).toBe(false);
    await objects.close();
  });
});

describe('the index of a pack', () => {
  it.each([true, false])('is the same as the one that Git makes, with offset deltas: %s', async (offsets) => {
    await commitDeltas();
    await repository.git('-c', `repack.useDeltaBaseOffset=${offsets}`, 'repack', '-adfq', '--depth=50', '--window=50');
    const packs = join(repository.path, 'objects/pack');
    const name = (await readdir(packs)).find((file) => file.endsWith('.pack')) ?? '';
    const received = await readFile(join(packs, name));
    const { pack, index } = await indexPack(received, () => Promise.reject(new Error('nothing is missing')), signal);
    expect(pack.equals(received)).toBe(true);
    expect(index.equals(await readFile(join(packs, name.replace('.pack', '.idx'))))).toBe(true);
  });

  it('is refused for every pack with a byte that is wrong', async () => {
    await repository.commit({ files: { 'a.yaml': 'a: 1' } });
    await repository.git('repack', '-adfq');
    const packs = join(repository.path, 'objects/pack');
    const name = (await readdir(packs)).find((file) => file.endsWith('.pack')) ?? '';
    const received = await readFile(join(packs, name));
    for (let at = 0; at < received.length; at += 1) {
      const flipped = Buffer.from(received);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      const indexing = indexPack(flipped, () => Promise.reject(new Error('nothing is missing')), signal);
      await expect(indexing).rejects.toBeInstanceOf(StoreDamage);
    }
  });
});

describe('a delta', () => {
  const base = Buffer.from('0123456789');

  it('copies from its base and inserts', () => {
    const delta = Buffer.from([10, 7, 0x91, 2, 3, 2, 65, 66, 0x91, 0, 2]);
    expect(applyDelta(base, delta).toString()).toBe('234AB01');
  });

  it.each([
    ['a base of another size', [9, 1, 1, 65]],
    ['a copy past the base', [10, 5, 0x91, 8, 5]],
    ['more than its result', [10, 1, 2, 65, 66]],
    ['less than its result', [10, 3, 1, 65]],
    ['nothing to do', [10, 1, 0]],
    ['a result of absurd size', [10, 255, 255, 255, 255, 127, 1, 65]],
    ['half a number', [10, 255]],
  ])('with %s is refused', (_, bytes) => {
    expect(() => applyDelta(base, Buffer.from(bytes))).toThrow(StoreDamage);
  });
});

describe('an answer of upload-pack', () => {
  const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

  it.each([
    ['an ERR line', `0000${line('ERR upload-pack: not our ref abc\n')}`, 'upload-pack: not our ref abc'],
    [
      'side band 3',
      `${line('NAK\n')}${line('\u0002progress')}${line('\u0003fatal: \u001b[1mno\n')}0000`,
      'fatal: [1mno',
    ],
    ['no error', `${line('NAK\n')}${line('\u0001PACK ERR \u0003')}0000`, null],
    ['a bare pack', 'PACK\0\0\0\u0002ERR ', null],
  ])('with %s', (_, text, error) => {
    const bytes = Buffer.from(text, 'latin1');
    expect(remoteError([bytes])).toBe(error);
    // However the answer is cut into chunks.
    for (const size of [1, 3, 7]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(remoteError(chunks)).toBe(error);
    }
  });
});

describe('a cache by bytes', () => {
  it('drops what was used longest ago, and does not take what would fill half of it', () => {
    const cache = new ByteCache<string>(10);
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 3);
    cache.get('a');
    cache.set('d', 'd', 4);
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd']);
    cache.set('e', 'e', 6);
    expect([cache.get('e'), cache.bytes]).toEqual([undefined, 10]);
  });
});
