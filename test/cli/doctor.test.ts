import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { startForge } from '../support/forge-server.ts';
import { createServedRepository } from '../support/served-repository.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let kong: RunningEmulator;
let konnect: RunningEmulator;
let folder: Folder;
beforeAll(async () => {
  kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  konnect = await startEmulator({ flavour: 'konnect', port: 0, controlPort: null, controlPlanes: ['test'] });
});
afterAll(() => Promise.all([kong, konnect].map((emulator) => emulator.close())));
beforeEach(async () => {
  for (const emulator of [kong, konnect]) emulator.reset();
});
afterEach(() => folder.remove());

async function doctor(destinations: readonly string[], more = '') {
  const text = `${more}destinations:\n${destinations.map((one) => `  - ${one}\n`).join('')}`;
  folder = await temporaryFolder({ 'konverge.yaml': text });
  return konverge(['doctor'], folder.path);
}

const gateway = () => `{ name: gateway, kong: { url: "${kong.url}" } }`;

test('says that everything is there, and changes nothing', async () => {
  const plane = `{ name: cloud, konnect: { url: "${konnect.url}", controlPlane: test, token: made-up } }`;
  const ran = await doctor([gateway(), plane]);
  expect(ran.stdout).toMatch(/^ok {6}gateway: reach it: Kong 3\.9/m);
  expect(ran.stdout).toMatch(/^ok {6}gateway: read its schemas: \d+ plugins$/m);
  expect(ran.stdout).toMatch(/^ok {6}cloud: list what it holds: 0 entities/m);
  expect(ran.stdout).toMatch(/Everything that is needed is there\.\n$/);
  expect(ran.code).toBe(0);
  expect(kong.counters().writes + konnect.counters().writes).toBe(0);
});

test('says what is missing at each place, with what helps', async () => {
  konnect.behaviour({ fail: { status: 401 } });
  const plane = `{ name: cloud, konnect: { url: "${konnect.url}", controlPlane: test, token: marker-of-a-token } }`;
  const nowhere = '{ name: edge, kong: { url: "http://127.0.0.1:1" } }';
  const ran = await doctor(
    [gateway(), plane, nowhere, `{ name: unset, kong: { url: "http://127.0.0.1:2", headers: { a: "\${NOT_SET}" } } }`],
    'repository: { url: "./not-there", branch: main }\n',
  );
  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(/^FAILED {2}repository .*not-there: /m);
  expect(ran.stdout).toMatch(/^ok {6}gateway: reach it/m);
  expect(ran.stdout).toMatch(/^FAILED {2}cloud: reach it: /m);
  expect(ran.stdout).toMatch(/^FAILED {2}edge: reach it: /m);
  expect(ran.stdout).toMatch(/^FAILED {2}unset: .*NOT_SET/m);
  expect(ran.stdout).toMatch(/4 of \d+ are missing\.\n$/);
  expect(ran.stdout + ran.stderr).not.toContain('marker-of');
});

test('names the collections that a user may not list', async () => {
  kong.behaviour({ fail: { status: 403, path: '/vaults' } });
  const ran = await doctor([gateway()]);
  expect(ran.stdout).toMatch(/it may not list vaults, which are left alone/);
  expect(ran.code).toBe(0);
});

test('says whether the schemas that are kept are of what the destination is now', async () => {
  await doctor([gateway()]);
  await konverge(['schemas', 'pull'], folder.path);
  const same = await konverge(['doctor'], folder.path);
  expect(same.stdout).toMatch(
    /^ok {6}gateway: the schemas that are kept: the schemas of gateway \(open-source Kong 3\.9\)/m,
  );
  const file = join(folder.path, 'schemas/gateway.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"version":"3.9"', '"version":"3.6"'));
  const older = await konverge(['doctor'], folder.path);
  expect(older.stdout).toMatch(/^FAILED {2}gateway: the schemas that are kept: .*Kong 3\.6.*; this is Kong 3\.9/m);
  expect(older.stdout).toContain('konverge schemas pull --from gateway');
  expect(older.code).toBe(1);
});

test('takes no PATH', async () => {
  folder = await temporaryFolder({});
  expect((await konverge(['doctor', 'x'], folder.path)).code).toBe(64);
});

test('names a path that the branch does not have, and variables that its files ask for and nothing sets', async () => {
  const path = join((await temporaryFolder()).path, 'gateway.git');
  const repository = await createServedRepository(path, path);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is decK's way of writing
  const host = '${{ env "DECK_NOWHERE_SET" }}';
  const text = `_format_version: "3.0"\nservices: [{ name: a, host: '${host}' }]\n`;
  await repository.commit({ files: { 'gateway/kong.yaml': text } });
  const wrong = await doctor([gateway()], `repository: { url: "${path}", branch: main, path: gatewy }\n`);
  expect(wrong.stdout).toMatch(/^FAILED {2}repository\.path gatewy: .*has no "gatewy"/m);
  expect(wrong.code).toBe(1);
  await folder.remove();
  const right = await doctor([gateway()], `repository: { url: "${path}", branch: main, path: gateway }\n`);
  expect(right.stdout).toMatch(/^ok {6}repository\.path gateway: 1 files$/m);
  expect(right.stdout).toMatch(/^FAILED {2}variables that the files ask for: not set: DECK_NOWHERE_SET$/m);
  expect(right.code).toBe(1);
});

test('tries the rights that reviews need at the forge, and leaves nothing there', async () => {
  const forge = await startForge('test/gateway', 'made-up');
  const path = join((await temporaryFolder()).path, 'gateway.git');
  const repository = await createServedRepository(path, path);
  const head = await repository.commit({ files: { 'kong.yaml': '_format_version: "3.0"\n' } });
  forge.switches.unknown.add('0'.repeat(40));
  const more = `repository: { url: "${path}", branch: main }
status: { github: { url: "${forge.url}", repository: test/gateway, token: made-up } }
review: { commands: true }
`;
  try {
    const none = await doctor([gateway()], more);
    expect(none.stdout).toMatch(/^ok {6}who may write .*: not tried, for want of an open pull request$/m);
    await folder.remove();
    forge.pulls.open({ head });
    forge.pulls.writers.add('ann');
    const right = await doctor([gateway()], more);
    for (const what of [
      'commit statuses on GitHub (test/gateway): 0 statuses on',
      'posting commit statuses on GitHub (test/gateway): not refused (422 for a commit that there is not)',
      'pull requests on GitHub (test/gateway): 1 open against main',
      'comments of pull requests on GitHub (test/gateway): 0 by others on #1 read',
      'writing comments on GitHub (test/gateway): not refused (404 for a pull request that there is not)',
      'who may write on GitHub (test/gateway): the author of #1 may',
    ])
      expect(right.stdout).toContain(`ok      ${what}`);
    expect(right.code).toBe(0);
    for (const [of, what] of [
      ['/statuses/', 'posting commit statuses'],
      ['/comments', 'writing comments'],
    ] as const) {
      await folder.remove();
      const message = 'Resource not accessible by personal access token';
      const isOf = (request: string) => request.startsWith('POST') && request.includes(of);
      forge.switches.limited = { status: 403, headers: {}, message, of: isOf };
      const wrong = await doctor([gateway()], more);
      expect(wrong.stdout).toMatch(
        new RegExp(`^FAILED {2}${what} on GitHub .*403.*\n +The token of .status.github. needs`, 'm'),
      );
      expect(wrong.code).toBe(1);
    }
    expect(forge.statuses).toEqual([]);
    expect(forge.pulls.comments).toEqual([]);
  } finally {
    await forge.close();
  }
});

test('a token that is not set keeps no other destination from its plan', async () => {
  folder = await temporaryFolder({
    'konverge.yaml': `destinations:
  - ${gateway()}
  - { name: cloud, konnect: { url: "${konnect.url}", controlPlane: test, token: "\${NOT_SET}" } }
`,
    'kong/kong.yaml': '_format_version: "3.0"\nservices: [{ name: a, host: a.example.com }]\n',
  });
  const ran = await konverge(['plan', 'kong'], folder.path);
  expect(ran.stdout).toContain('gateway');
  expect(ran.stderr).toMatch(/konverge: cloud: .*NOT_SET/);
  expect(ran.code).toBe(1);
});
