import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import type { ServedRepository } from '../support/served-repository.ts';
import { until } from '../support/until.ts';

// Processes and servers take their time where much else runs; every wait is for something that ends it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let git: GitServer;
let folder: Folder;
const repositories: ServedRepository[] = [];
const kongs: RunningEmulator[] = [];

beforeAll(async () => {
  git = await startGitServer();
  folder = await temporaryFolder();
  for (const name of ['one', 'two']) {
    const kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
    const repository = await git.createRepository(`${name}.git`);
    kongs.push(kong);
    repositories.push(repository);
    await folder.write({ [`${name}.yaml`]: configuration(name, repository.url, kong.url) });
  }
});
afterAll(async () => {
  await Promise.all([git.close(), ...kongs.map((kong) => kong.close())]);
  await folder.remove();
});

function configuration(name: string, url: string, kong: string, more = ''): string {
  // The storage folder is the same on purpose.
  return `repository: { url: "${url}", branch: main, interval: 1s }
destinations: [{ name: ${name}, kong: { url: "${kong}" } }]
server: { listen: "127.0.0.1:0" }
storage: { path: "${folder.path}/store" }
${more}`;
}

const service = (name: string) => ({
  'a.yaml': `_format_version: "3.0"\nservices: [{ name: ${name}, host: a.example.com }]\n`,
});

const configs = () => ['one', 'two'].flatMap((name) => ['--config', `${folder.path}/${name}.yaml`]);

test('one process follows two repositories, and shows both', async () => {
  const revisions = [
    await repositories[0]?.commit({ files: service('first') }),
    await repositories[1]?.commit({ files: service('second') }),
  ];
  const stop = new AbortController();
  let log = '';
  const running = konverge(['run', ...configs()], folder.path, {}, stop.signal, (text) => {
    log += text;
  });
  const address = /"url":"(http:[^"]+)","message":"the status page is up"/;
  await until('the server to listen', () => address.test(log), { shown: () => log });
  const url = address.exec(log)?.[1] ?? '';
  const shape = z.object({
    repositories: z.array(
      z.object({
        url: z.string(),
        destinations: z.array(z.object({ name: z.string(), revisionApplied: z.string().nullable() })),
      }),
    ),
  });
  const status = async () => shape.parse(await (await fetch(`${url}/api/v1/status`)).json()).repositories;
  await until('both to be applied', async () =>
    (await status()).every(({ destinations }, index) =>
      destinations.every(({ revisionApplied }) => revisionApplied === revisions[index]),
    ),
  );
  expect((await status()).map(({ url: of, destinations }) => [of, destinations.map(({ name }) => name)])).toEqual([
    [repositories[0]?.url, ['one']],
    [repositories[1]?.url, ['two']],
  ]);
  expect(kongs.map((kong) => kong.request('GET', '/services/first').status)).toEqual([200, 404]);
  expect(kongs.map((kong) => kong.request('GET', '/services/second').status)).toEqual([404, 200]);
  const page = await (await fetch(url)).text();
  for (const repository of repositories) expect(page).toContain(repository.url);
  expect((await fetch(`${url}/api/v1/destinations/two/sync`, { method: 'POST' })).status).toBe(202);
  stop.abort();
  expect((await running).code).toBe(0);
});

test('--once passes over all of them, and fails when one does', async () => {
  const words = ['run', '--once', ...configs()];
  const both = await konverge(words, folder.path);
  expect([both.code, both.stdout.match(/^(?:one|two): /gm)]).toEqual([0, ['one: ', 'two: ']]);
  kongs[1]?.behaviour({ fail: { status: 503 } });
  const one = await konverge(words, folder.path);
  expect(one.code).toBe(1);
  expect(one.stdout).toMatch(/^one: .* applied/m);
  kongs[1]?.behaviour({ fail: null });
});

test('destinations of one name, and statuses under one context, are refused', async () => {
  const [kong] = kongs;
  const status = 'status: { github: { repository: a/b, token: not-a-token } }\n';
  await folder.write({
    'same.yaml': configuration('one', `${git.url}/one.git`, kong?.url ?? ''),
    'x.yaml': configuration('x', `${git.url}/one.git`, kong?.url ?? '', status),
    'y.yaml': configuration('y', `${git.url}/two.git`, kong?.url ?? '', status),
  });
  const run = (...names: readonly string[]) =>
    konverge(['run', '--once', ...names.flatMap((name) => ['--config', `${folder.path}/${name}.yaml`])], folder.path);
  const names = await run('one', 'same');
  expect([names.code, names.stderr.includes('`one`')]).toEqual([78, true]);
  const contexts = await run('x', 'y');
  expect([contexts.code, contexts.stderr.includes('status.github.context')]).toEqual([78, true]);
  expect((await run('one', 'missing')).code).toBe(78);
});
