import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import type { ServedRepository } from '../support/served-repository.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const group = '_format_version: "3.0"\nconsumer_groups: [{ name: gold }]\n';
const enterprisePlugin = `_format_version: "3.0"
plugins: [{ name: canary, config: { percentage: 10, upstream_host: canary.test } }]
`;
const enterpriseField = `_format_version: "3.0"
services: [{ name: chat, host: chat.test, protocol: wss }]
`;

let git: GitServer;
let folder: Folder;
let repository: ServedRepository;
let oss: RunningEmulator;
let enterprise: RunningEmulator;
let konnect: RunningEmulator;
beforeAll(async () => {
  git = await startGitServer();
  const common = { port: 0, controlPort: null } as const;
  oss = await startEmulator({ flavour: 'kong', ...common });
  enterprise = await startEmulator({ flavour: 'kong', edition: 'enterprise', ...common });
  konnect = await startEmulator({ flavour: 'konnect', controlPlanes: ['test'], ...common });
  folder = await temporaryFolder();
});
let made = 0;
beforeEach(async () => {
  made += 1;
  repository = await git.createRepository(`r${made}.git`);
});
afterAll(async () => {
  await Promise.all([git.close(), oss.close(), enterprise.close(), konnect.close()]);
  await folder.remove();
});

const ossAt = (more = '') => `{ name: oss, kong: { url: "${oss.url}" }${more} }`;
const enterpriseAt = () => `{ name: enterprise, kong: { url: "${enterprise.url}" } }`;
const konnectAt = () => `{ name: konnect, konnect: { url: "${konnect.url}", controlPlane: test, token: "made-up" } }`;

async function configured(destinations: readonly string[], more = ''): Promise<void> {
  const text = `repository: { url: "${repository.url}", branch: main, path: files }
policy: { adopt: true, maxDelete: { share: 100%, atLeast: 9 } }
destinations: [${destinations.join(', ')}]
${more}`;
  await folder.write({ 'konverge.yaml': text });
}

async function committed(text: string): Promise<void> {
  await folder.write({ 'files/a.yaml': text });
  await repository.commit({ files: { 'files/a.yaml': text } });
}

describe.each([
  ['a consumer group', group],
  ['a plugin', enterprisePlugin],
])('%s of Enterprise', (_, files) => {
  test('goes to Konnect, and is no finding there', async () => {
    await configured([konnectAt()], 'kong: { edition: oss }');
    await committed(files);
    const checked = await konverge(['validate'], folder.path);
    expect(checked.stdout).toContain('no errors and no warnings');
    expect((await konverge(['validate', 'files'], folder.path)).stdout).toContain('no errors and no warnings');
    const ran = await konverge(['run', '--once'], folder.path);
    expect(ran.stdout).toMatch(/^konnect: \w+ applied/);
  });

  test('goes to a Kong that says it is Enterprise, where nothing says the edition', async () => {
    await configured([enterpriseAt()]);
    await committed(files);
    const checked = await konverge(['validate'], folder.path);
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.stdout).toMatch(/warning.*(Enterprise or Konnect|Open-source Kong)[\s\S]*Set kong\.edition/);
    const asked = await konverge(['validate', '--to', 'enterprise'], folder.path);
    expect(asked.stdout).toContain('no errors and no warnings');
    expect((await konverge(['run', '--once'], folder.path)).stdout).toMatch(/^enterprise: \w+ applied/);
  });

  test('is refused for a Kong that says it is open source, without advice to say something else', async () => {
    await configured([ossAt()]);
    await committed(files);
    const asked = await konverge(['validate', '--to', 'oss'], folder.path);
    expect(asked.code).toBe(1);
    expect(asked.stdout).not.toContain('kong.edition');
    const ran = await konverge(['run', '--once'], folder.path);
    expect(ran.code).toBe(1);
    expect(ran.stdout).not.toContain('kong.edition');
    await configured([ossAt()], 'kong: { edition: oss }');
    const said = await konverge(['validate'], folder.path);
    expect(said.code).toBe(1);
    expect(said.stdout).toContain('kong.edition');
  });
});

test('a value of Enterprise is only a warning where nothing says the edition, and a wrong one an error', async () => {
  await configured([ossAt()]);
  await committed(enterpriseField);
  expect(await konverge(['validate'], folder.path)).toMatchObject({ code: 0 });
  await configured([ossAt()]);
  await committed(enterprisePlugin.replace('percentage: 10', 'percentage: 1000'));
  const wrong = await konverge(['validate'], folder.path);
  expect(wrong.stdout).toMatch(/error.*percentage/);
});

test('one revision goes to Konnect and, without the groups, to an open-source Kong', async () => {
  await configured([ossAt(', exclude: { kinds: [consumer_groups] }'), konnectAt()]);
  await committed(`${group}services: [{ name: shop, host: shop.test }]\n`);
  expect((await konverge(['validate'], folder.path)).stdout).toContain('no errors and no warnings');
  const ran = await konverge(['run', '--once'], folder.path);
  expect(ran.stdout).toMatch(/oss: \w+ applied[\s\S]*konnect: \w+ applied/);
});
