import { describe, expect, it } from 'vitest';
import { defaultSnapshotLimits } from '../../src/git/reading/snapshot-limits.ts';
import { failure, follow, signal, useScene } from './opened.ts';

const scene = useScene();

describe('a repository with what no configuration should hold', () => {
  it('is read with every entry told for what it is', async () => {
    const submodule = '2'.repeat(40);
    const revision = await scene.remote.commit({
      files: {
        'ok.yaml': 'a: 1',
        'out.yaml': { symlink: '../../etc/passwd' },
        sub: { submodule },
        'a.yaml/inner.yaml': 'b: 1',
        'new\nline.yaml': 'c: 1',
        'binary.yaml': Uint8Array.of(0, 255, 254, 1),
        'Case.yaml': '1',
        'case.yaml': '2',
        'empty.yaml': '',
        '.hidden/x.yaml': 'd: 1',
      },
    });
    const repository = await scene.open();
    await follow(repository);
    const { entries } = await repository.read(revision, signal);
    expect([...entries.keys()].sort()).toEqual([
      '.hidden/x.yaml',
      'Case.yaml',
      'a.yaml/inner.yaml',
      'binary.yaml',
      'case.yaml',
      'empty.yaml',
      'new\nline.yaml',
      'ok.yaml',
      'out.yaml',
      'sub',
    ]);
    expect(entries.get('out.yaml')).toEqual({ type: 'symlink', target: '../../etc/passwd' });
    expect(entries.get('sub')).toEqual({ type: 'submodule', commit: submodule });
    expect(entries.get('binary.yaml')).toMatchObject({ type: 'file', bytes: Buffer.from([0, 255, 254, 1]) });
    expect(entries.get('ok.yaml')).toMatchObject({
      blob: (await scene.remote.git('rev-parse', 'main:ok.yaml')).trim(),
    });
  });

  it('tells the size of a file of 100 MB, and reads the rest', async () => {
    const sizeBytes = 100 * 1024 * 1024;
    const big = Buffer.alloc(sizeBytes, 'x: 1\n');
    await scene.remote.commit({ files: { 'big.yaml': big, 'ok.yaml': 'a: 1' } });
    const repository = await scene.open();
    const { entries } = await repository.read(await follow(repository), signal);
    const { fileBytes: limitBytes } = defaultSnapshotLimits;
    expect(entries.get('big.yaml')).toMatchObject({ type: 'oversized', sizeBytes, limitBytes });
    expect(entries.get('ok.yaml')).toMatchObject({ type: 'file' });
  });

  it('is refused as a whole past the bounds on files, bytes and depth', async () => {
    const deep = Array.from({ length: 30 }, () => 'd').join('/');
    await scene.remote.commit({ files: { [`${deep}/a.yaml`]: 'a: 1', 'b.yaml': 'b: 1', 'c.yaml': 'c: 1' } });
    for (const bound of [{ files: 2 }, { totalBytes: 6 }, { depth: 20 }]) {
      const repository = await scene.open({}, { snapshot: { ...defaultSnapshotLimits, ...bound } });
      expect(await failure(follow(repository))).toMatchObject({ class: 'rejected', code: 'snapshot-too-large' });
    }
  });

  it('is refused where a tree has an entry twice or with a name that is none', async () => {
    const revision = await scene.remote.commit({ files: { 'a.yaml': 'a: 1', 'b.yaml': 'b: 1' } });
    const blob = (await scene.remote.git('rev-parse', 'main:a.yaml')).trim();
    for (const [first, second] of [
      ['a.yaml', 'a.yaml'],
      ['..', 'a.yaml'],
    ]) {
      const entry = (name: string | undefined): Buffer =>
        Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
      const tree = await scene.remote.hashObject('tree', Buffer.concat([entry(first), entry(second)]));
      const text = `tree ${tree}\nparent ${revision}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`;
      await scene.remote.setBranch('main', await scene.remote.hashObject('commit', Buffer.from(text)));
      expect(await failure(follow(await scene.open()))).toMatchObject({ class: 'rejected', code: 'tree-invalid' });
    }
  });
});

describe('the path', () => {
  it('limits what is read, with names relative to it', async () => {
    const revision = await scene.remote.commit({ files: { 'gw/eu/a.yaml': '1', 'gw/b.yaml': '2', 'gw2/c.yaml': '3' } });
    const repository = await scene.open({ path: 'gw' });
    await follow(repository);
    expect([...(await repository.read(revision, signal)).entries.keys()].sort()).toEqual(['b.yaml', 'eu/a.yaml']);
    const file = await scene.open({ path: 'gw/eu/a.yaml' });
    await follow(file);
    expect([...(await file.read(revision, signal)).entries.keys()]).toEqual(['a.yaml']);
  });

  it('that is not there is a failure that says what is, and never an empty snapshot', async () => {
    const revision = await scene.remote.commit({ files: { 'gateway/a.yaml': '1', 'readme.md': '2' } });
    const repository = await scene.open({ path: 'gatewy/eu' });
    const facts = { class: 'rejected', code: 'path-missing', hint: expect.stringContaining('"gateway/", "readme.md"') };
    expect(await failure(repository.fetch(revision, signal))).toMatchObject(facts);
    scene.server.requests.length = 0;
    expect(await failure(repository.fetch(revision, signal))).toMatchObject(facts);
    expect(scene.server.requests).toEqual([]);
    const below = await scene.open({ path: 'readme.md/x' });
    expect(await failure(below.fetch(revision, signal))).toMatchObject({
      hint: expect.stringContaining('"readme.md/" is a file'),
    });
  });
});
