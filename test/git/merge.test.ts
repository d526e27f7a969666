import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Proposals } from '../../src/git/repository.ts';
import { failure, signal, texts, useScene } from './opened.ts';

const scene = useScene();

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

/** The merge as plain values. */
async function merged(repository: Proposals, base: string, head: string, history = 500): Promise<unknown> {
  const result = await repository.merge(base, head, history, signal);
  return result.outcome === 'merged' ? texts(result.snapshot) : result;
}

describe.each(['over HTTP', 'on this machine'])('a merge in memory, %s', (where) => {
  const open = (path = '') => scene.open({ path, ...(where === 'over HTTP' ? {} : { url: scene.remote.path }) });

  it('takes what either side changed, and what both changed in other lines', async () => {
    const { remote } = scene;
    const start = numbered(9);
    await remote.commit({ files: { 'a.yaml': lines(...start), 'b.yaml': 'b: 1\n', 'c.yaml': 'c: 1\n' } });
    await remote.setBranch('change', (await remote.tip()) ?? '');
    const base = await remote.commit({
      files: { 'a.yaml': lines('first', ...start.slice(1)), 'b.yaml': 'b: 2\n', 'new/of-base.yaml': 'n: 1\n' },
    });
    const head = await remote.commit({
      branch: 'change',
      files: { 'a.yaml': lines(...start.slice(0, 8), 'last'), 'c.yaml': null, 'new/of-head.yaml': 'n: 2\n' },
    });
    const result = await (await open()).merge(base, head, 500, signal);
    expect(result).toMatchObject({ outcome: 'merged', snapshot: { revision: head } });
    expect(await merged(await open(), base, head)).toEqual({
      'a.yaml': lines('first', ...start.slice(1, 8), 'last'),
      'b.yaml': 'b: 2\n',
      'new/of-base.yaml': 'n: 1\n',
      'new/of-head.yaml': 'n: 2\n',
    });
  });

  it('is the proposed commit itself where the branch has not moved on', async () => {
    const { remote } = scene;
    const base = await remote.commit({ files: { 'a.yaml': 'a: 1\n' } });
    await remote.setBranch('change', base);
    const head = await remote.commit({ branch: 'change', files: { 'a.yaml': 'a: 2\n' } });
    expect(await merged(await open(), base, head)).toEqual({ 'a.yaml': 'a: 2\n' });
  });

  it('names the files that do not go together', async () => {
    const { remote } = scene;
    await remote.commit({
      files: { 'same.yaml': 'a: 1\n', 'gone.yaml': 'b: 1\n', 'binary.yaml': 'a\0b', 'fine.yaml': 'c: 1\n' },
    });
    await remote.setBranch('change', (await remote.tip()) ?? '');
    const base = await remote.commit({
      files: {
        'same.yaml': 'a: 2\n',
        'gone.yaml': null,
        'binary.yaml': 'c\0b',
        'fine.yaml': 'c: 2\n',
        'both.yaml': 'd: 1\n',
      },
    });
    const head = await remote.commit({
      branch: 'change',
      files: {
        'same.yaml': 'a: 3\n',
        'gone.yaml': 'b: 2\n',
        'binary.yaml': 'a\0c',
        'fine.yaml': 'c: 2\n',
        'both.yaml': 'd: 2\n',
      },
    });
    expect(await merged(await open(), base, head)).toEqual({
      outcome: 'conflicts',
      paths: ['binary.yaml', 'both.yaml', 'gone.yaml', 'same.yaml'],
    });
  });

  it('a file where the other side has a folder is a conflict', async () => {
    const { remote } = scene;
    await remote.commit({ files: { 'a.yaml': 'a: 1\n' } });
    await remote.setBranch('change', (await remote.tip()) ?? '');
    const base = await remote.commit({ files: { team: 'a file\n' } });
    const head = await remote.commit({ branch: 'change', files: { 'team/b.yaml': 'b: 1\n' } });
    expect(await merged(await open(), base, head)).toEqual({ outcome: 'conflicts', paths: ['team/b.yaml'] });
  });

  it('finds a file that one side renamed and the other changed', async () => {
    const { remote } = scene;
    const start = numbered(20);
    await remote.commit({ files: { 'old.yaml': lines(...start), 'other.yaml': 'o: 1\n' } });
    await remote.setBranch('change', (await remote.tip()) ?? '');
    const base = await remote.commit({ files: { 'old.yaml': lines(...start.slice(0, 19), 'of base') } });
    const head = await remote.commit({
      branch: 'change',
      files: { 'old.yaml': null, 'team/new.yaml': lines('of head', ...start.slice(1)) },
    });
    expect(await merged(await open(), base, head)).toEqual({
      'other.yaml': 'o: 1\n',
      'team/new.yaml': lines('of head', ...start.slice(1, 19), 'of base'),
    });
  });

  it('looks only below the path, where a commit without it counts as empty there', async () => {
    const { remote } = scene;
    await remote.commit({ files: { 'other/a.txt': 'a\n' } });
    await remote.setBranch('change', (await remote.tip()) ?? '');
    const base = await remote.commit({ files: { 'other/a.txt': 'b\n' } });
    const head = await remote.commit({ branch: 'change', files: { 'other/a.txt': 'c\n', 'kong/k.yaml': 'k: 1\n' } });
    expect(await merged(await open('kong'), base, head)).toEqual({ 'k.yaml': 'k: 1\n' });
    expect(await failure((await open('nowhere')).merge(base, head, 500, signal))).toMatchObject({
      code: 'path-missing',
    });
  });

  it('finds an ancestor that lies far back, also behind merges', async () => {
    const { remote } = scene;
    const root = await remote.commit({ files: { 'a.yaml': 'a: 0\n', 'b.yaml': 'b: 0\n' } });
    await remote.setBranch('change', root);
    let base = root;
    for (let index = 1; index <= 70; index += 1) base = await remote.commit({ files: { 'a.yaml': `a: ${index}\n` } });
    const side = await remote.commit({ branch: 'change', files: { 'b.yaml': 'b: 1\n' } });
    const merge = await remote.commit({ branch: 'change', parents: [side, root], files: { 'c.yaml': 'c: 1\n' } });
    expect(await merged(await open(), base, merge)).toEqual({
      'a.yaml': 'a: 70\n',
      'b.yaml': 'b: 1\n',
      'c.yaml': 'c: 1\n',
    });
    expect(await merged(await open(), base, merge, 60)).toEqual({ outcome: 'unrelated', searched: 60 });
  }, 60_000);

  it('histories without a common commit are unrelated', async () => {
    const { remote } = scene;
    const base = await remote.commit({ files: { 'a.yaml': 'a: 1\n' } });
    const head = await remote.commit({ branch: 'change', parents: [], files: { 'a.yaml': 'a: 2\n' } });
    expect(await merged(await open(), base, head)).toEqual({ outcome: 'unrelated', searched: 500 });
  });
});

it('a head that only a pull request’s ref leads to is fetched', async () => {
  const { remote } = scene;
  const base = await remote.commit({ files: { 'a.yaml': 'a: 1\n' } });
  await remote.setBranch('change', base);
  const head = await remote.commit({ branch: 'change', files: { 'a.yaml': 'a: 2\n' } });
  await remote.git('update-ref', 'refs/pull/7/head', head);
  await remote.deleteBranch('change');
  expect(await merged(await scene.open(), base, head)).toEqual({ 'a.yaml': 'a: 2\n' });
});

it('many proposals one after the other leave a store that is bounded and whole', async () => {
  const { remote } = scene;
  const repository = await scene.open({}, { store: { packs: 12, bytes: 1_000_000, growth: 2 } });
  let base = await remote.commit({ files: { 'a.yaml': 'a: 0\n' } });
  for (let index = 1; index <= 30; index += 1) {
    await remote.setBranch(`change-${index}`, base);
    const files = { [`b-${index}.yaml`]: `b: ${index}\n` };
    const head = await remote.commit({ branch: `change-${index}`, files });
    if (index % 3 === 0) base = await remote.commit({ files: { 'a.yaml': `a: ${index}\n` } });
    expect(await merged(repository, base, head)).toEqual({
      'a.yaml': `a: ${index - (index % 3)}\n`,
      [`b-${index}.yaml`]: `b: ${index}\n`,
    });
  }
  const stores = (await readdir(scene.storePath)).filter((name) => name.endsWith('.git'));
  expect(stores).toHaveLength(1);
  const packs = await readdir(join(scene.storePath, stores[0] ?? '', 'objects', 'pack'));
  expect(packs.filter((name) => name.endsWith('.pack')).length).toBeLessThanOrEqual(16);
}, 60_000);

it('agrees with Git on random changes', async () => {
  const { remote } = scene;
  const repository = await scene.open({ url: remote.path });
  let seed = 7;
  const random = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * limit);
  };
  const edited = (text: string): string => {
    const list = text.split('\n').slice(0, -1);
    const at = random(list.length + 1);
    const made = `made ${random(1000)}`;
    if (random(3) === 0) list.splice(at, 1);
    else if (random(2) === 0) list.splice(at, 0, made);
    else list.splice(at, 1, made);
    return lines(...list);
  };
  let conflicts = 0;
  for (let round = 0; round < 20; round += 1) {
    const start: Record<string, string> = {};
    for (let file = 0; file < 4; file += 1)
      start[`f${file}.yaml`] = lines(...numbered(6 + random(10)).map((text) => `${file} ${text}`));
    const root = await remote.commit({ branch: `root-${round}`, parents: [], files: start });
    const change = async (branch: string) => {
      await remote.setBranch(branch, root);
      const files: Record<string, string | null> = {};
      for (let index = 0; index < 2; index += 1) {
        const path = `f${random(4)}.yaml`;
        files[path] = random(12) === 0 ? null : edited(start[path] ?? '');
      }
      return await remote.commit({ branch, files });
    };
    const [base, head] = [await change(`base-${round}`), await change(`head-${round}`)];
    const tree = await remote.git('merge-tree', '--write-tree', base, head).catch(() => null);
    const ours = await merged(repository, base, head);
    if (tree === null) {
      conflicts += 1;
      expect([round, ours]).toMatchObject([round, { outcome: 'conflicts' }]);
      continue;
    }
    const listed = (await remote.git('ls-tree', '-r', '--name-only', tree.trim())).split('\n').filter(Boolean);
    const theirs = await Promise.all(
      listed.map(async (path) => [path, await remote.git('cat-file', 'blob', `${tree.trim()}:${path}`)] as const),
    );
    expect([round, ours]).toEqual([round, Object.fromEntries(theirs)]);
  }
  expect(conflicts).toBeGreaterThan(1);
}, 120_000);
