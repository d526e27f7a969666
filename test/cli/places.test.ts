import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { gitEnvironment } from '../support/served-repository.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

test('without a configuration file, it is said where it was looked for and what to do', async () => {
  const ran = await konverge(['run'], folder.path);
  expect(ran.code).toBe(78);
  expect(ran.stderr).toContain(join(folder.path, 'konverge.yaml'));
  expect(ran.stderr).toContain('--config FILE');
  expect(ran.stderr).toContain('docs/configuration.md');
});

test('relative paths of the configuration start from its folder, wherever the process is', async () => {
  await folder.write({
    'sub/konverge.yaml': `repository: { url: ./nothing-here }
destinations: [{ name: edge, kong: { url: "http://127.0.0.1:1" } }]
server: { listen: "127.0.0.1:0" }
storage: { path: ./kept }
`,
  });
  const ran = await konverge(['run', '--once', '--config', 'sub/konverge.yaml'], folder.path);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(join(folder.path, 'sub/nothing-here'));
  expect(statSync(join(folder.path, 'sub/kept')).isDirectory()).toBe(true);
  const named = await konverge(['validate', '--repo', './elsewhere'], folder.path);
  expect(named.stderr).toContain(join(folder.path, 'elsewhere'));
});

test('a folder that is not there is said to be taken from where it is taken from', async () => {
  await folder.write({
    'cfg/konverge.yaml':
      'repository: { url: ., path: kong }\ndestinations: [{ name: a, kong: { url: "http://127.0.0.1:1" } }]\n',
    'real/kong/a.yaml': '',
  });
  for (const command of ['validate', 'render', 'plan', 'convert']) {
    const words = [command, '--config', '../cfg/konverge.yaml'];
    const ran = await konverge(words, join(folder.path, 'real'));
    expect([command, ran.code]).toEqual([command, 1]);
    expect(ran.stderr).toContain(join(folder.path, 'cfg/kong'));
    expect(ran.stderr).toContain('the folder of the configuration file');
    const named = await konverge([...words, 'nowhere'], join(folder.path, 'real'));
    expect(named.stderr).toContain('the folder that the command runs in');
  }
});

test('what is kept between runs is left out of commits, and a folder that holds something is left as it is', async () => {
  const configuration = (storage: string) => `repository: { url: ./nothing-here }
destinations: [{ name: edge, kong: { url: "http://127.0.0.1:1" } }]
${storage}
`;
  await folder.write({
    'konverge.yaml': configuration(''),
    'tree/konverge.yaml': configuration('storage: { path: . }'),
  });
  execFileSync('git', ['init', '--quiet', folder.path], { env: gitEnvironment(), stdio: 'pipe' });
  await konverge(['run', '--once'], folder.path);
  await konverge(['run', '--once', '--config', 'tree/konverge.yaml'], folder.path);
  execFileSync('git', ['add', '.'], { cwd: folder.path, env: gitEnvironment() });
  const added = execFileSync('git', ['ls-files'], { cwd: folder.path, env: gitEnvironment(), encoding: 'utf8' });
  expect(added.trim().split('\n')).toEqual(['konverge.yaml', 'tree/konverge.yaml']);
  expect(readdirSync(join(folder.path, '.konverge'))).toContain('.gitignore');
});

test('storage that can never be made is a wrong configuration', async () => {
  await folder.write({
    taken: 'a file',
    'konverge.yaml': `repository: { url: "http://127.0.0.1:1/a.git" }
destinations: [{ name: edge, kong: { url: "http://127.0.0.1:1" } }]
storage: { path: ./taken/kept }
`,
  });
  const ran = await konverge(['run', '--once'], folder.path);
  expect(ran.code).toBe(78);
  expect(ran.stderr).toContain('storage.path');
});

test('a file that is there is written over by force only, and is nobody else’s to read then', async () => {
  const kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  try {
    mkdirSync(join(folder.path, 'out'));
    const file = join(folder.path, 'out/kong.yaml');
    writeFileSync(file, 'mine\n', { mode: 0o644 });
    const words = ['export', '--kong', kong.url, '--from', 'kong', '--out', 'out'];
    const refused = await konverge(words, folder.path);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('--force');
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
    expect((await konverge([...words, '--force'], folder.path)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toBe('mine\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  } finally {
    await kong.close();
  }
});
