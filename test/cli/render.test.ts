import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder({
    'open.yaml': '_format_version: "3.0"\nservices: [{ name: a, host: a.example.com }]\n',
    'secret.yaml':
      '_format_version: "3.0"\nconsumers: [{ username: shop, keyauth_credentials: [{ key: not-a-real-key }] }]\n',
  });
});
afterAll(() => folder.remove());

async function onTerminal(...words: readonly string[]): Promise<string> {
  let said = '';
  await runCommandLine(words, {
    stdout: () => undefined,
    stderr: (text) => {
      said += text;
    },
    env: () => undefined,
    cwd: folder.path,
    colour: { stdout: false, stderr: false },
    resultsToTerminal: true,
    logsToTerminal: false,
    signal: new AbortController().signal,
  });
  return said;
}

test('render says that it prints secrets: in its help, and on a terminal where there are some', async () => {
  expect((await konverge(['render', '--help'], folder.path)).stdout).toContain('Secrets are in it, in clear');
  expect(await onTerminal('render', 'secret.yaml')).toBe(
    'konverge: the state holds secrets, which are printed in clear\n',
  );
  expect(await onTerminal('render', 'open.yaml')).toBe('');
  const piped = await konverge(['render', 'secret.yaml'], folder.path);
  expect(piped).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('not-a-real-key') });
});
