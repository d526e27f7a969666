import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { konverge, type Ran } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { runGit } from '../support/served-repository.ts';

const service = (host: string, more = '') => `_format_version: "3.0"
services:
  - name: orders
    host: ${host}
${more}`;

const consumer = '_format_version: "3.0"\nconsumers: [{ username: shop }]\n';

let folder: Folder;
const git = (...args: readonly string[]) => runGit(args, folder.path);
const run = (...words: readonly string[]): Promise<Ran> => konverge(['plan', ...words], folder.path);

async function commit(files: Readonly<Record<string, string>>): Promise<string> {
  await folder.write(files);
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'a change');
  return (await git('rev-parse', 'HEAD')).trim();
}

describe('plan --against', () => {
  beforeEach(async () => {
    folder = await temporaryFolder();
    await git('init', '--quiet', '--initial-branch', 'main');
    await commit({ 'kong/a.yaml': service('one.example.com') });
    await git('checkout', '--quiet', '-b', 'change');
  });
  afterEach(() => folder.remove());

  test('compares files with a branch, without a configuration and without asking anybody', async () => {
    await folder.write({
      'kong/a.yaml': service('two.example.com'),
      'kong/b.yaml': consumer,
    });
    const { code, stdout, stderr } = await run('--against', 'main', '--format', 'json', 'kong');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      destination: 'files',
      revision: null,
      held: null,
      summary: { create: 1, update: 1, delete: 0 },
      changes: [
        { action: 'create', kind: 'consumers', name: 'shop' },
        {
          action: 'update',
          kind: 'services',
          name: 'orders',
          fields: [{ path: '/host', from: 'one.example.com', to: 'two.example.com' }],
        },
      ],
    });
    expect((await run('--against', 'main', '--exit-code', 'kong')).code).toBe(2);
    expect((await run('--against', 'change', '--exit-code', 'kong')).code).toBe(2);
  });

  test('takes a commit, short or long, a tag, a remote branch, and a folder that was not there', async () => {
    const first = (await git('rev-parse', 'HEAD')).trim();
    await git('tag', '--annotate', '--message', 'a release', 'v1');
    await git('update-ref', 'refs/remotes/origin/trunk', first);
    await commit({ 'kong/a.yaml': service('two.example.com'), 'new/c.yaml': consumer });
    for (const name of [first, first.slice(0, 8), 'v1', 'trunk', 'origin/trunk', 'refs/heads/main']) {
      const { code, stdout } = await run('--against', name, '--format', 'json', 'kong');
      expect([name, code, JSON.parse(stdout).summary]).toMatchObject([name, 0, { update: 1 }]);
    }
    expect(JSON.parse((await run('--against', 'HEAD', '--format', 'json', 'kong')).stdout).changes).toEqual([]);
    expect(JSON.parse((await run('--against', 'main', '--format', 'json', 'new')).stdout).summary).toMatchObject({
      create: 1,
    });
  });

  test('gives a table for each destination of the configuration, by what each gets', async () => {
    await folder.write({
      'konverge.yaml': `repository: { url: ., path: kong }
destinations:
  - name: all
    kong: { url: "http://127.0.0.1:9" }
  - name: none
    kong: { url: "http://127.0.0.1:9", headers: { Kong-Admin-Token: "\${NOT_SET}" } }
    include: [other/**]
`,
      'kong/a.yaml': service('two.example.com'),
    });
    const { code, stdout } = await run('--against', 'main', '--format', 'markdown');
    expect(code).toBe(0);
    expect(stdout).toContain('| all | 0 | 1 | 0 |');
    expect(stdout).toContain('| none | 0 | 0 | 0 |');
  });

  test('looks at no value of the environment: what changes is the expression', async () => {
    const key = (name: string) =>
      `consumers: [{ username: shop, keyauth_credentials: [{ id: 8a1f2d7e-45a6-4d1f-9a51-3f2f8f3e7c11, key: '\${{ env "DECK_${name}" }}' }] }]\n`;
    await commit({ 'kong/b.yaml': key('ONE') });
    await git('branch', '--force', 'main', 'change');
    expect(JSON.parse((await run('--against', 'main', '--format', 'json', 'kong')).stdout).changes).toEqual([]);
    await folder.write({ 'kong/b.yaml': key('TWO') });
    const { stdout } = await konverge(['plan', '--against', 'main', '--format', 'json', 'kong'], folder.path, {
      DECK_ONE: 'hush-one',
      DECK_TWO: 'hush-one',
    });
    expect(JSON.parse(stdout).changes).toMatchObject([
      {
        action: 'update',
        kind: 'keyauth_credentials',
        fields: [{ path: '/key', from: '***', to: '***', secret: true }],
      },
    ]);
    expect(stdout).not.toContain('hush');
  });

  test('invalid files have no plan, and end with 1', async () => {
    await folder.write({ 'kong/a.yaml': service('two.example.com', '    retires: 3\n') });
    const { code, stdout, stderr } = await run('--against', 'main', 'kong');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('a.yaml:5');
  });

  test('takes what goes back from another name, and what was fetched last', async () => {
    await commit({ 'kong/a.yaml': service('two.example.com') });
    await git('checkout', '--quiet', '-b', 'side', 'HEAD~1');
    await commit({ 'kong/s.yaml': consumer });
    await git('checkout', '--quiet', 'change');
    await git('merge', '--quiet', '--no-edit', 'side');
    await git('tag', '--annotate', '--message', 'a release', 'v1');
    await git('fetch', '--quiet', '.', 'main', 'side');
    const hosts = async (name: string): Promise<unknown> => {
      const ran = await run('--against', name, '--format', 'json', 'kong');
      expect([name, ran.code, ran.stderr]).toEqual([name, 0, '']);
      return JSON.parse(ran.stdout).summary;
    };
    const both = { create: 1, update: 1, delete: 0 };
    const [onlySide, onlyMain, none] = [
      { create: 1, update: 0 },
      { create: 0, update: 1 },
      { create: 0, update: 0 },
    ];
    for (const name of ['HEAD~2', '@~2', 'HEAD^^', 'HEAD~1^', 'HEAD^2~1', 'v1~2', 'change~2', 'FETCH_HEAD']) {
      expect([name, await hosts(name)]).toMatchObject([name, both]);
    }
    for (const name of ['HEAD~1', 'HEAD^', 'HEAD~', '@^1', 'v1^']) {
      expect([name, await hosts(name)]).toMatchObject([name, onlySide]);
    }
    expect(await hosts('HEAD^2')).toMatchObject(onlyMain);
    for (const name of ['@', 'HEAD', 'HEAD^0', 'HEAD~0']) expect([name, await hosts(name)]).toMatchObject([name, none]);
  });

  test('takes the HEAD of the working tree that it is run in', async () => {
    await commit({ 'kong/a.yaml': service('two.example.com') });
    const linked = await temporaryFolder();
    await git('worktree', 'add', '--quiet', '--detach', `${linked.path}/tree`, 'main');
    const ran = await konverge(['plan', '--against', 'HEAD', '--exit-code', 'kong'], `${linked.path}/tree`);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    await linked.remove();
  });

  test('what a shallow clone lacks is said, with what fetches it', async () => {
    await commit({ 'kong/a.yaml': service('two.example.com') });
    const clone = await temporaryFolder();
    await runGit(['clone', '--quiet', '--depth', '1', `file://${folder.path}`, `${clone.path}/c`], folder.path);
    const against = (name: string) => konverge(['plan', '--against', name, 'kong'], `${clone.path}/c`);
    const absent = await against('origin/main');
    expect(absent).toMatchObject({ code: 1 });
    expect(absent.stderr).toContain('`git fetch origin main:refs/remotes/origin/main`');
    expect((await against('HEAD~1')).stderr).toContain('`git fetch --unshallow`');
    await runGit(['fetch', '--quiet', 'origin', 'main:refs/remotes/origin/main'], `${clone.path}/c`);
    expect(await against('origin/main')).toMatchObject({ code: 0 });
    expect((await run('--against', 'main~1', 'kong')).stderr).toContain('before the first commit');
    await clone.remove();
  });

  test('a name that is no revision, and a folder outside of Git, are told', async () => {
    const { code, stderr } = await run('--against', 'nowhere', 'kong');
    expect(code).toBe(1);
    expect(stderr).toContain('"nowhere"');
    const other = await temporaryFolder({ 'kong/a.yaml': service('one.example.com') });
    expect(await konverge(['plan', '--against', 'main', 'kong'], other.path)).toMatchObject({ code: 64 });
    await other.remove();
  });
});
