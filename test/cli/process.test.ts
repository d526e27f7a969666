import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';

// Processes and servers take their time where much else runs; every wait is for something that ends it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const loader = fileURLToPath(import.meta.resolve('tsx'));

interface Process {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly ended: Promise<number | null>;
}

const children: ChildProcess[] = [];
let folder: Folder | null = null;
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await folder?.remove();
  folder = null;
});

function start(words: readonly string[], cwd = root, errors: 'ignore' | 'pipe' = 'ignore'): Process {
  const child = spawn(process.execPath, ['--import', loader, join(root, 'src/main.ts'), ...words], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', errors],
  });
  children.push(child);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return { child, out: () => text, ended };
}

const versionAnswer = z.object({ version: z.string() });

describe('emulate', () => {
  test.each([
    ['kong', ['--edition', 'enterprise', '--version', '3.10'], '/'],
    ['dbless', [], '/'],
    ['konnect', [], '/v2/control-planes'],
  ] as const)('%s listens until it is told to end, which is no failure', async (flavour, options, path) => {
    const { child, out, ended } = start(['emulate', flavour, ...options]);
    const address = /listens at (\S+)\ncontrol listens at (\S+)\n/;
    await until('the emulator to listen', () => address.test(out()));
    const [, url = '', controlUrl = ''] = address.exec(out()) ?? [];
    const answer = await fetch(url + path, { headers: { authorization: 'Bearer any' } });
    expect(answer.status).toBe(200);
    if (flavour === 'konnect') {
      const planes = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(await answer.json());
      const groups = `${path}/${planes.data[0]?.id}/core-entities/consumer_groups`;
      expect((await fetch(url + groups, { headers: { authorization: 'Bearer any' } })).status).toBe(200);
    }
    if (flavour === 'kong') expect(versionAnswer.parse(await answer.json()).version).toContain('3.10');
    expect((await fetch(`${controlUrl}/reset`, { method: 'POST' })).ok).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('a port that is taken is wrong usage', async () => {
    const first = start(['emulate', 'dbless']);
    await until('the emulator to listen', () => first.out().includes('listens at'));
    const port = /:(\d+)\n/.exec(first.out())?.[1] ?? '';
    for (const option of ['--port', '--control-port']) {
      const { child, ended } = start(['emulate', 'kong', option, port], root, 'pipe');
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      expect(await ended).toBe(64);
      expect(said).toContain(`port ${port} is taken`);
    }
  });
});

describe('a reader that goes away', () => {
  test('is no fault', async () => {
    const { child, ended } = start(['schema']);
    child.stdout?.destroy();
    expect(await ended).toBe(0);
  });

  test('hides no failure', async () => {
    const wrong = Array.from({ length: 3_000 }, (_, at) => `  - { name: s${at}, host: h, hots: x }\n`).join('');
    folder = await temporaryFolder({ 'a.yaml': `_format_version: "3.0"\nservices:\n${wrong}` });
    const { child, ended } = start(['validate', 'a.yaml'], folder.path);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended).toBe(1);
  });

  test('of messages keeps the exit code as it is', async () => {
    folder = await temporaryFolder();
    const { child, ended } = start(['validate'], folder.path, 'pipe');
    child.stderr?.destroy();
    expect(await ended).toBe(78);
  });

  test('of the log ends no daemon', async () => {
    folder = await temporaryFolder({
      'konverge.yaml': `repository: { url: "http://127.0.0.1:1/a.git", interval: 1s }
destinations: [{ name: edge, kong: { url: "http://127.0.0.1:1" } }]
server: { listen: "127.0.0.1:0" }
`,
    });
    const { child, ended } = start(['run', '--verbose'], folder.path, 'pipe');
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const address = /"url":"(http:[^"]+)","message":"the status page is up"/;
    await until('the daemon to listen', () => address.test(log));
    const [, url = ''] = address.exec(log) ?? [];
    child.stderr?.destroy();
    const shape = z.object({ repositories: z.array(z.object({ nextPollAt: z.string().nullable() })) });
    const polls = async () =>
      shape.parse(await (await fetch(`${url}/api/v1/status`)).json()).repositories[0]?.nextPollAt ?? '';
    // Each poll that fails says so in the log.
    const first = await polls();
    await until('two more polls', async () => Date.parse(await polls()) > Date.parse(first) + 1_500);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

test('what only computes and prints ends at once when it is told to', async () => {
  const services = Array.from({ length: 3_000 }, (_, index) => `- {name: s${index}, host: h, prt: 1}\n`);
  folder = await temporaryFolder({ 'kong.yaml': `_format_version: "3.0"\nservices:\n${services.join('')}` });
  const file = join(folder.path, 'kong.yaml');
  const child = spawn(process.execPath, ['--import', loader, join(root, 'src/main.ts'), 'validate', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  const signal = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_, by) => resolve(by));
  });
  // More is printed than the pipe takes, and nobody reads it.
  await new Promise<void>((resolve) => {
    child.stdout.once('readable', () => resolve());
  });
  child.kill('SIGTERM');
  expect(await signal).toBe('SIGTERM');
});

test.skipIf(!existsSync('/dev/full'))('a result that cannot be written down is a failure', async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--import', loader, join(root, 'src/main.ts'), 'schema'], {
    stdio: ['ignore', full, 'ignore'],
  });
  children.push(child);
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  closeSync(full);
  expect(code).toBe(1);
});

test('the exit code is that of the command', async () => {
  folder = await temporaryFolder({ 'a.yaml': 'services: [' });
  expect(await start(['validate', 'a.yaml'], folder.path).ended).toBe(1);
  expect(await start(['validate'], folder.path).ended).toBe(78);
  expect(await start(['validate', '--what'], folder.path).ended).toBe(64);
});
