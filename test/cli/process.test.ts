import { type ChildProcess, spawn } from 'node:child_process';
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

function start(words: readonly string[], cwd = root): Process {
  const child = spawn(process.execPath, ['--import', loader, join(root, 'src/main.ts'), ...words], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'ignore'],
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
    if (flavour === 'kong') expect(versionAnswer.parse(await answer.json()).version).toContain('3.10');
    expect((await fetch(`${controlUrl}/reset`, { method: 'POST' })).ok).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('a port that is taken is wrong usage', async () => {
    const first = start(['emulate', 'dbless']);
    await until('the emulator to listen', () => first.out().includes('listens at'));
    const port = /:(\d+)\n/.exec(first.out())?.[1] ?? '';
    expect(await start(['emulate', 'kong', '--port', port]).ended).toBe(64);
  });
});

test('a reader that goes away ends the process in silence', async () => {
  const { child, ended } = start(['schema']);
  child.stdout?.destroy();
  expect(await ended).toBe(0);
});

test('the exit code is that of the command', async () => {
  folder = await temporaryFolder({ 'a.yaml': 'services: [' });
  expect(await start(['validate', 'a.yaml'], folder.path).ended).toBe(1);
  expect(await start(['validate'], folder.path).ended).toBe(78);
  expect(await start(['validate', '--what'], folder.path).ended).toBe(64);
});
