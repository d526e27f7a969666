import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import type { ServedRepository } from '../support/served-repository.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const house = { fields: [{ config: { type: 'record', required: true, fields: [{ realm: { type: 'string' } }] } }] };

let git: GitServer;
let folder: Folder;
let kong: RunningEmulator;
let repository: ServedRepository;
beforeAll(async () => {
  git = await startGitServer();
  kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null, plugins: { 'house-rules': house } });
  repository = await git.createRepository('r.git');
  folder = await temporaryFolder({
    'konverge.yaml': `repository: { url: "${repository.url}", branch: main }
destinations: [{ name: prod, kong: { url: "${kong.url}" } }]
`,
  });
});
afterAll(async () => {
  await Promise.all([git.close(), kong.close()]);
  await folder.remove();
});

test('a running Konverge takes up a commit with a plugin that only the pulled schemas know', async () => {
  await konverge(['schemas', 'pull', '--from', 'prod'], folder.path);
  const schemas = await readFile(join(folder.path, 'schemas/prod.json'), 'utf8');
  const plugin = '_format_version: "3.0"\nplugins: [{ name: house-rules, config: { realm: shop } }]\n';
  // The file lies in the repository as well, and is no configuration there.
  await repository.commit({ files: { 'a.yaml': plugin, 'schemas/prod.json': schemas } });
  const known = await konverge(['run', '--once'], folder.path);
  expect(known.stdout).toMatch(/^prod: \w+ applied/);
  expect(known.stderr).toMatch(/checked by the schemas of prod \(open-source Kong 3\.9\)/);
  expect(kong.request('GET', '/plugins').body).toMatchObject({ data: [{ name: 'house-rules' }] });

  await rm(join(folder.path, 'schemas'), { recursive: true });
  const unknown = await konverge(['run', '--once'], folder.path);
  expect(unknown.stderr).toContain('has no plugin');
  expect(unknown.code).toBe(1);
});
