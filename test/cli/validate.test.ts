import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge, type Ran } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';

const good = `_format_version: "3.0"
services:
  - name: orders
    host: orders.example.com
    routes:
      - name: orders
        paths: [/orders]
`;

const clash = `_format_version: "3.0"
consumers:
  - username: shop
    keyauth_credentials:
      - key: made-up-for-a-test
  - username: partner
    keyauth_credentials:
      - key: made-up-for-a-test
`;

const warned = good.replace('paths: [/orders]', 'paths: [/orders]\n      - name: again\n        paths: [/orders]');

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const run = (...words: readonly string[]): Promise<Ran> => konverge(['validate', ...words], folder.path);

describe('a valid folder', () => {
  beforeEach(() => folder.write({ 'a.yaml': good }));

  test('ends with 0', async () => {
    expect(await run('.')).toMatchObject({ code: 0, stderr: '' });
  });

  test('says last how much was checked', async () => {
    expect((await run('.')).stdout).toBe('Checked 2 entities in 1 file: no errors and no warnings.\n');
  });

  test('has a digest, and a count of each kind', async () => {
    const { code, stdout } = await run('--format', 'json', '.');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      revision: null,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      valid: true,
      summary: { entities: { services: 1, routes: 1 }, errors: 0, warnings: 0 },
      diagnostics: [],
    });
  });
});

describe('an invalid folder', () => {
  beforeEach(() => folder.write({ 'consumers/a.yaml': clash }));

  test.each(['text', 'json', 'sarif', 'github', 'junit'])('shows as many findings as asked, as %s', async (format) => {
    await folder.write({ 'b.yaml': good.replace('host:', 'hots:'), 'c.yaml': good.replace('paths:', 'pahts:') });
    const { code, stdout, stderr } = await run('--format', format, '--max-diagnostics', '1', '.');
    expect(code).toBe(1);
    const rules = ['unknown-field', 'unique-credential', 'entity-schema', 'unique-name', 'repeated-entity'];
    const quoted =
      { text: '[$]', json: '"rule": "$"', sarif: '"ruleId": "$"', github: 'title=$:', junit: 'type="$"' }[format] ?? '';
    const count = rules.reduce((sum, rule) => sum + stdout.split(quoted.replace('$', rule)).length - 1, 0);
    expect(count).toBe(1);
    const left = format === 'text' ? stdout : stderr;
    expect(left).toMatch(format === 'text' ? /… and \d+ more/ : /\d+ more findings left out/);
    if (format === 'text')
      expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^Checked \d+ entities in 3 files: \d+ errors/);
    if (format === 'json') expect(JSON.parse(stdout).summary.errors).toBeGreaterThan(1);
  });

  test('as text: the rule, the place, the line with the secret masked', async () => {
    const { code, stdout } = await run('.');
    expect(code).toBe(1);
    expect(stdout).toContain('error[unique-credential]');
    expect(stdout).toMatch(/--> consumers\/a\.yaml:\d+:\d+/);
    expect(stdout).not.toContain('made-up-for-a-test');
  });

  test("as JSON: both places, the reader's first", async () => {
    const { code, stdout } = await run('--format', 'json', '.');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      digest: null,
      valid: false,
      summary: { errors: 1 },
      diagnostics: [
        {
          rule: 'unique-credential',
          severity: 'error',
          entities: [{ kind: 'keyauth_credentials' }, { kind: 'keyauth_credentials' }],
          locations: [
            { file: 'consumers/a.yaml', line: 8, column: 14, pointer: '/consumers/1/keyauth_credentials/0/key' },
            { file: 'consumers/a.yaml', line: 5, column: 14 },
          ],
        },
      ],
    });
    expect(stdout).not.toContain('made-up-for-a-test');
  });

  test('as SARIF, GitHub annotations and JUnit', async () => {
    const sarif = await run('--format', 'sarif', '.');
    expect(sarif.code).toBe(1);
    expect(JSON.parse(sarif.stdout)).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'unique-credential', level: 'error' }] }],
    });
    const github = await run('--format', 'github', '.');
    expect(github.code).toBe(1);
    expect(github.stdout).toMatch(/^::error file=consumers\/a\.yaml,line=8,/m);
    const junit = await run('--format', 'junit', '.');
    expect(junit.code).toBe(1);
    expect(junit.stdout).toContain('failures="1"');
  });
});

describe('severities', () => {
  beforeEach(() => folder.write({ 'a.yaml': `${good}plugins: []\n` }));

  test('warnings are allowed, and errors with --strict', async () => {
    await folder.write({ 'a.yaml': '_format_version: "3.0"\n' });
    const allowed = await run('--format', 'json', '.');
    expect([allowed.code, JSON.parse(allowed.stdout).summary]).toEqual([0, { entities: {}, errors: 0, warnings: 1 }]);
    expect(JSON.parse(allowed.stdout).diagnostics).toMatchObject([{ rule: 'nothing-declared', severity: 'warning' }]);
    const strict = await run('--strict', '--format', 'json', '.');
    expect([strict.code, JSON.parse(strict.stdout).valid]).toEqual([1, false]);
  });

  test('a rule can be turned off on the command line', async () => {
    await folder.write({ 'a.yaml': clash });
    expect((await run('--set', 'rules.unique-credential=off', '.')).code).toBe(0);
  });
});

describe('paths', () => {
  test('several files and folders are one state; a named file is read whatever it is called', async () => {
    await folder.write({
      'services/a.yaml': good,
      'routes.conf': '_format_version: "3.0"\nroutes:\n  - { name: more, paths: [/more], service: orders }\n',
      'services/.hidden.yaml': 'not: [valid',
      'services/notes.txt': 'not: [valid',
    });
    const ran = await run('--format', 'json', 'services', 'routes.conf');
    expect(JSON.parse(ran.stdout)).toMatchObject({ valid: true, summary: { entities: { services: 1, routes: 2 } } });
    expect((await run('routes.conf')).code).toBe(1);
  });

  test('a path that is missing is an error that names it', async () => {
    const ran = await run('nowhere');
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain('nowhere');
    expect(ran.stderr).toContain('does not exist');
  });

  test('an empty folder is valid, with a warning', async () => {
    await folder.write({ 'empty/readme.md': 'nothing' });
    const ran = await run('--format', 'json', 'empty');
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).diagnostics).toMatchObject([{ rule: 'nothing-declared' }]);
  });

  test("the default is the repository's path beside the configuration", async () => {
    await folder.write({
      'deep/konverge.yaml': 'repository: { url: ".", branch: main, path: gateway/ }\n',
      'deep/gateway/a.yaml': clash,
    });
    const ran = await konverge(['validate', '--config', 'deep/konverge.yaml', '--format', 'json'], folder.path);
    expect([ran.code, JSON.parse(ran.stdout).diagnostics[0].locations[0].file]).toEqual([1, 'a.yaml']);
    const inside = await konverge(['validate', '--format', 'json'], join(folder.path, 'deep'));
    expect(inside.stdout).toBe(ran.stdout);
  });

  test('.konvergeignore leaves files out, and the configuration is no manifest', async () => {
    await folder.write({
      'konverge.yaml': 'repository: { url: ".", branch: main }\n',
      '.konvergeignore': 'drafts/\n',
      'drafts/a.yaml': clash,
      'a.yaml': good,
    });
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    expect(await run('.')).toMatchObject({ code: 0, stderr: '' });
  });

  test('so does repository.ignore, whichever way the folder is named', async () => {
    await folder.write({
      'konverge.yaml': 'repository: { url: ".", branch: main, path: gateway, ignore: [drafts/] }\n',
      'gateway/drafts/a.yaml': clash,
      'gateway/a.yaml': good,
    });
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    expect(await run('gateway')).toMatchObject({ code: 0, stderr: '' });
  });

  test('links and folders that are called like files are told of, and nothing else is lost', async () => {
    await folder.write({ 'a.yaml': good, 'folder.yaml/b.yaml': good.replaceAll('orders', 'inside') });
    await symlink('/etc/passwd', join(folder.path, 'link.yaml'));
    await mkdir(join(folder.path, 'empty.yaml'));
    const ran = await run('--format', 'json', '.');
    const report = JSON.parse(ran.stdout);
    expect(report.summary.entities).toEqual({ services: 2, routes: 2 });
    expect(report.diagnostics).toMatchObject([{ severity: 'error', locations: [{ file: 'link.yaml' }] }]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).not.toContain('root:');
  });
});

describe('the configuration', () => {
  test('is needed where nothing else says what to check', async () => {
    const ran = await run();
    expect([ran.code, ran.stdout]).toEqual([78, '']);
    expect(ran.stderr).toContain('konverge.yaml');
  });

  test('that was named and is missing ends with 78, also with a path', async () => {
    await folder.write({ 'a.yaml': good });
    const ran = await run('--config', 'other.yaml', 'a.yaml');
    expect(ran.code).toBe(78);
    expect(ran.stderr).toContain('other.yaml');
  });

  test('that is wrong ends with 78, with every fault and its place', async () => {
    await folder.write({ 'konverge.yaml': 'repositry: {}\npolicy: { onInvalid: maybe }\n', 'a.yaml': good });
    const ran = await run('a.yaml');
    expect(ran.code).toBe(78);
    expect(ran.stderr).toMatch(/konverge\.yaml:1:1.*repository/s);
    expect(ran.stderr).toContain('onInvalid');
  });

  test('offline needs no secret of it', async () => {
    await folder.write({
      'konverge.yaml':
        `repository: { url: "https://git.example.com/a.git", branch: main, auth: { token: "\${GIT_TOKEN}" } }\n` +
        `destinations:\n  - { name: eu, konnect: { region: eu, controlPlane: prod, token: "\${KONNECT_TOKEN}" } }\n`,
      'a.yaml': good,
    });
    expect(await run()).toMatchObject({ code: 0 });
    const online = await run('--to', 'eu');
    expect(online.code).toBe(78);
    expect(online.stderr).toContain('KONNECT_TOKEN');
  });

  test("builds each destination's part", async () => {
    await folder.write({
      'konverge.yaml':
        'repository: { url: ".", branch: main }\ndestinations:\n' +
        '  - { name: one, kong: { url: "http://127.0.0.1:1" }, include: [one/**] }\n' +
        '  - { name: two, kong: { url: "http://127.0.0.1:2" }, include: [two/**] }\n',
      'one/a.yaml': good,
      'two/a.yaml': good.replace('orders.example.com', 'other.example.com'),
    });
    // As one state they would clash.
    expect((await run('.')).code).toBe(1);
    expect(await run()).toMatchObject({
      code: 0,
      stdout: 'Checked 4 entities in 2 files for 2 destinations: no errors and no warnings.\n',
      stderr: '',
    });
  });

  test('says which files go to no destination, but for those that one leaves out by name', async () => {
    await folder.write({
      'konverge.yaml':
        'repository: { url: ".", branch: main, path: all, ignore: [ignored.yaml] }\ndestinations:\n' +
        '  - { name: one, kong: { url: "http://127.0.0.1:1" }, include: [one/**], exclude: { files: [ci/**] } }\n' +
        '  - { name: two, kong: { url: "http://127.0.0.1:2" }, include: [two/**, base/**] }\n' +
        '  - { name: three, kong: { url: "http://127.0.0.1:3" }, include: [base/**] }\n',
      'all/one/a.yaml': good,
      'all/two/a.yaml': good.replaceAll('orders', 'shop'),
      'all/base/a.yaml': good.replaceAll('orders', 'base'),
      'all/new-team/a.yaml': 'nonsense: [',
      'all/ci/pipeline.yaml': 'steps: []',
      'all/ignored.yaml': 'steps: []',
      'all/README.md': '# Files',
    });
    const { code, stdout, stderr } = await run();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Checked 6 entities in 3 files for 3 destinations: no errors and no warnings.\n',
    });
    expect(stderr).toBe('konverge: 1 file goes to no destination, as no include takes it: new-team/a.yaml\n');
    expect((await run('--format', 'json')).stderr).toBe(stderr);
    // What one destination gets is asked about, and not all that there is.
    expect((await run('all')).stderr).toBe('');
  });
});

describe('with a destination', () => {
  let kong: RunningEmulator;
  beforeAll(async () => {
    kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  });
  afterAll(() => kong.close());

  test('its own schemas judge, and nothing is written', async () => {
    kong.reset();
    await folder.write({
      'konverge.yaml': `repository: { url: ".", branch: main }\ndestinations:\n  - { name: here, kong: { url: "${kong.url}" } }\n`,
      'a.yaml': good,
    });
    expect(await run('--to', 'here')).toMatchObject({ code: 0 });
    expect(await run('--kong', kong.url, 'a.yaml')).toMatchObject({ code: 0 });
    await folder.write({ 'a.yaml': good.replace('paths: [/orders]', 'path: /orders') });
    expect((await run('--to', 'here')).code).toBe(1);
    expect(kong.counters()).toMatchObject({ writes: 0 });
    expect(kong.counters().reads).toBeGreaterThan(0);
  });

  test('that cannot be reached ends with 1 and says which', async () => {
    await folder.write({ 'a.yaml': good });
    const ran = await run('--kong', 'http://127.0.0.1:9', 'a.yaml');
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain('http://127.0.0.1:9');
  });

  test('that there is none of ends with 64', async () => {
    await folder.write({ 'konverge.yaml': 'repository: { url: ".", branch: main }\n', 'a.yaml': good });
    const ran = await run('--to', 'elsewhere');
    expect(ran.code).toBe(64);
    expect(ran.stderr).toContain('there is no destination "elsewhere"');
  });
});

describe('a commit of a repository', () => {
  let git: GitServer;
  beforeAll(async () => {
    git = await startGitServer();
  });
  afterAll(() => git.close());

  test('is read at a branch or a revision, at a path', async () => {
    const repository = await git.createRepository('commit.git');
    const first = await repository.commit({ files: { 'gateway/a.yaml': good, 'other/b.yaml': clash } });
    const second = await repository.commit({ files: { 'gateway/a.yaml': clash } });
    const json = async (...words: readonly string[]) => {
      const ran = await run('--format', 'json', '--repo', repository.url, ...words);
      return [ran.code, JSON.parse(ran.stdout).revision, JSON.parse(ran.stdout).valid];
    };
    expect(await json('--revision', first, 'gateway')).toEqual([0, first, true]);
    expect(await json('--revision', 'main', 'gateway')).toEqual([1, second, false]);
    expect(await json('gateway')).toEqual([1, second, false]);
    expect(await json('--revision', first)).toEqual([1, first, false]);
    const local = await run('--format', 'json', '--repo', repository.path, '--revision', first, 'gateway');
    expect(local.code).toBe(0);
  });

  test('that is not there ends with 1 and says what is missing', async () => {
    const repository = await git.createRepository('missing.git');
    const empty = await run('--repo', repository.url);
    expect([empty.code, empty.stdout]).toEqual([1, '']);
    expect(empty.stderr).toContain('main');
    const tip = await repository.commit({ files: { 'a.yaml': good } });
    const path = await run('--repo', repository.url, 'nowhere');
    expect([path.code, path.stdout]).toEqual([1, '']);
    expect(path.stderr).toContain('nowhere');
    const branch = await run('--repo', repository.url, '--revision', 'other');
    expect(branch).toMatchObject({ code: 1, stdout: '' });
    const wrong = tip.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    expect(await run('--repo', repository.url, '--revision', wrong)).toMatchObject({ code: 1, stdout: '' });
    const nobody = await run('--repo', `${git.url}/nobody.git`);
    expect(nobody).toMatchObject({ code: 1, stdout: '' });
    expect(nobody.stderr).toContain('nobody.git');
  });
});

test('the same routes twice are valid with a warning, in text too', async () => {
  await folder.write({ 'a.yaml': warned });
  const ran = await run('.');
  expect(ran.code).toBe(0);
});

describe('--stand-ins', () => {
  beforeEach(() =>
    folder.write({
      'a.yaml': good.replace('orders.example.com', `\${{ env "DECK_HOST" }}`),
      'b.yaml': clash.replaceAll('made-up-for-a-test', `\${{ env "DECK_KEY" }}`),
    }),
  );

  test('finds what is wrong whatever the values are, and asks for none of them', async () => {
    const { code, stdout } = await run('--stand-ins', '--format', 'json', '.');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).diagnostics.map(({ rule }: { rule: string }) => rule)).toEqual(['unique-credential']);
  });

  test('is not for what a destination is asked', async () => {
    expect(await run('--stand-ins', '--kong', 'http://127.0.0.1:9', '.')).toMatchObject({ code: 64 });
  });
});
