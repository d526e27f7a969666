import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { startEmulator } from '../../src/emulator/server.ts';
import { gitEnvironment } from '../support/served-repository.ts';
import { blocks, read, shownCommands, words } from './pages.ts';

const readme = read('README.md');
const [, konvergeYaml = '', ordersYaml = ''] = blocks(readme, 'yaml');
const commands = shownCommands(readme.slice(readme.indexOf('## First steps'), readme.indexOf('## What happens')));

const kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
const work = mkdtempSync(join(tmpdir(), 'konverge-readme-'));
const folder = join(work, 'gateway');
afterAll(async () => {
  await kong.close();
  rmSync(work, { recursive: true, force: true });
});

/** What stands for `run`, which a person stops. */
const onePass = ['run', '--once', '--config', join(folder, 'konverge.yaml')];

const here = (text: string) => text.replaceAll('http://localhost:8001', kong.url);

async function konverge(...given: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  let output = '';
  const print = (text: string) => {
    output += text;
  };
  const code = await runCommandLine(given.map(here), {
    stdout: print,
    stderr: print,
    env: () => undefined,
    cwd: folder,
    colour: { stdout: false, stderr: false },
    logsToTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, output };
}

const git = (...given: string[]) => execFileSync('git', given, { cwd: folder, env: gitEnvironment(), stdio: 'pipe' });

test('the first steps of the README, command by command', async () => {
  for (const [path, body] of [
    ['/services', { name: 'legacy', url: 'http://legacy.internal' }],
    ['/consumers', { username: 'bob' }],
  ] as const) {
    expect(kong.request('POST', path, body).status).toBe(201);
  }
  const outputs = new Map<string, string>();
  let plans = 0;
  for (const line of commands) {
    if (line.startsWith('npm ')) continue;
    if (line.startsWith('git init')) {
      mkdirSync(folder);
      git('init', '--initial-branch', 'main');
      continue;
    }
    if (line.startsWith('git add')) {
      git('add', '.');
      git('commit', '--message', 'Orders');
      continue;
    }
    const [, ...given] = words(line);
    if (given[0] === 'validate') {
      writeFileSync(join(folder, 'konverge.yaml'), here(konvergeYaml));
      expect((await konverge('plan', '--exit-code')).code).toBe(0);
      writeFileSync(join(folder, 'kong', 'orders.yaml'), ordersYaml);
    }
    if (given[0] === 'plan') plans += 1;
    const { code, output } = await konverge(...(given[0] === 'run' ? onePass : given));
    expect(`${line}: ${code}`).toBe(`${line}: 0`);
    outputs.set(`${given[0]} ${given[0] === 'plan' ? plans : 1}`, output);
  }
  expect(outputs.get('plan 1')).toContain('2 to create, none to update, none to delete');
  expect(outputs.get('apply 1')).toContain('2 created');
  expect(outputs.get('plan 2')).toContain('no changes');
  expect(outputs.get('run 1')).toContain('nothing to change');
});

test('a bad commit is told as the README shows it, and changes nothing', async () => {
  const key = '    keyauth_credentials: [{ key: not-a-real-key }]';
  const lines = ['_format_version: "3.0"', 'consumers:', '  - username: shop', key, '  - username: partner', key];
  writeFileSync(join(folder, 'kong', 'partner.yaml'), `${lines.join('\n')}\n`);
  const { code, output } = await konverge('validate');
  expect(code).toBe(1);
  const shown = blocks(readme, '').find((block) => block.startsWith('error['));
  for (const line of (shown ?? 'nothing').trim().split('\n')) expect(output).toContain(line);
  git('add', '.');
  git('commit', '--message', 'A key twice');
  const passed = await konverge(...onePass);
  expect(passed.code).toBe(1);
  expect(passed.output).toMatch(/ invalid; [0-9a-f]{10} before it is applied: nothing to change/);
  expect(JSON.stringify(kong.request('GET', '/consumers').body)).not.toContain('partner');
});
