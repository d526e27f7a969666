import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { findCommand } from '../../src/cli/commands.ts';
import { startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

vi.setConfig({ testTimeout: 60_000 });

let folder: Folder;
afterEach(() => folder.remove());

const text = (path: string) => readFile(join(folder.path, path), 'utf8');

test('writes a repository that is valid, and that a Kong takes', async () => {
  folder = await temporaryFolder({});
  const ran = await konverge(['init'], folder.path);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect((await readdir(folder.path)).sort()).toEqual(['.gitignore', 'README.md', 'gateway', 'konverge.yaml']);
  expect(await text('.gitignore')).toContain('\n.konverge/\n');

  const checked = await konverge(['validate', '--strict'], folder.path);
  expect(checked.stdout).toBe('Checked 3 entities in 1 file: no errors and no warnings.\n');

  const kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  try {
    const to = ['--set', `destinations.local.kong.url=${kong.url}`];
    expect((await konverge(['apply', '--all', ...to], folder.path)).stdout).toMatch(/^local: applied/);
    expect((await konverge(['plan', '--exit-code', ...to], folder.path)).code).toBe(0);
    // As its README says of a Kong that holds something.
    expect(
      (await konverge(['export', '--from', 'local', '--out', 'gateway', '--force', ...to], folder.path)).code,
    ).toBe(0);
    expect((await konverge(['plan', '--exit-code', ...to], folder.path)).code).toBe(0);
  } finally {
    await kong.close();
  }
});

test('what stands there as a comment is right as well', async () => {
  folder = await temporaryFolder({});
  await konverge(['init'], folder.path);
  const [prose = '', ...lines] = (await text('konverge.yaml')).split('\n');
  const uncommented = lines.map((line) => line.replace(/^( *)# /, '$1'));
  expect(uncommented.join('\n')).toContain('\npolicy:\n  onInvalid: quarantine');
  const commented = [prose, ...uncommented].join('\n');
  await folder.write({ 'konverge.yaml': commented });
  const ran = await konverge(['validate'], folder.path);
  expect([ran.stderr, ran.code]).toEqual(['', 0]);
});

test('the commands of its README exist', async () => {
  folder = await temporaryFolder({});
  await konverge(['init'], folder.path);
  const names = [...(await text('README.md')).matchAll(/konverge ([a-z]+)\b/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(4);
  for (const name of names) expect([name, await findCommand(name)]).not.toEqual([name, undefined]);
});

test('makes the folder that is named, and never writes over anything', async () => {
  folder = await temporaryFolder({ 'mine/README.md': '# Mine\n' });
  const ran = await konverge(['init', 'mine'], folder.path);
  expect(ran.stdout).toMatch(/^mine\/README\.md: left as it is\./m);
  expect(ran.stdout).toContain('cd mine && konverge validate');
  expect(await text('mine/README.md')).toBe('# Mine\n');
  await folder.write({ 'mine/konverge.yaml': 'destinations: []\n' });
  const again = await konverge(['init', 'mine'], folder.path);
  expect([again.code, again.stderr]).toEqual([
    1,
    'konverge: mine/konverge.yaml and mine/gateway/kong.yaml are there already, so nothing was written\n  Name another folder.\n',
  ]);
  expect(await text('mine/konverge.yaml')).toBe('destinations: []\n');
  expect((await konverge(['init', 'new/deep'], folder.path)).code).toBe(0);
  expect((await konverge(['validate'], join(folder.path, 'new/deep'))).code).toBe(0);
});

test('says where it cannot write', async () => {
  folder = await temporaryFolder({ file: 'x' });
  const ran = await konverge(['init', 'file'], folder.path);
  expect(ran.code).toBe(64);
  expect(ran.stderr).toMatch(/cannot write file\/konverge\.yaml/);
  expect((await konverge(['init', 'a', 'b'], folder.path)).code).toBe(64);
});
