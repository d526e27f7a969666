import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge, type Ran } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { certificate } from '../support/pem.ts';

let folder: Folder;
let kong: RunningEmulator;
let other: RunningEmulator;

beforeAll(async () => {
  kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  other = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
});
afterAll(() => Promise.all([kong, other].map((emulator) => emulator.close())));
beforeEach(async () => {
  for (const emulator of [kong, other]) emulator.reset();
  folder = await temporaryFolder({
    'konverge.yaml': `repository: { url: ".", branch: main, path: gateway }
destinations:
  - { name: here, kong: { url: "${kong.url}" } }
  - { name: there, kong: { url: "${other.url}" } }
`,
  });
});
afterEach(() => folder.remove());

const run = (...words: readonly string[]): Promise<Ran> => konverge(words, folder.path);

const pair = certificate({ commonName: 'a.example.com', names: ['a.example.com'] });

interface Made {
  readonly path: string;
  readonly body: object;
}

/** Makes what the emulator takes; what it refuses is no part of the state. Ids of what was made fill `{N}` in later ones. */
async function make(list: readonly Made[]): Promise<void> {
  const ids: string[] = [];
  for (const { path, body } of list) {
    const fill = (text: string) => text.replace(/\{(\d+)\}/g, (_, index: string) => ids[Number(index)] ?? 'none');
    const answer = await fetch(`${kong.url}${fill(path)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: fill(JSON.stringify(body)),
    });
    const made: unknown = await answer.json();
    const id = typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : 'none';
    ids.push(answer.status === 201 ? id : 'none');
  }
}

/** The state is read back from its export as the same, and written elsewhere as the same. */
async function expectSame(): Promise<void> {
  const exported = await run('export', '--from', 'here');
  expect(exported.code).toBe(0);
  await folder.write({ 'gateway/kong.yaml': exported.stdout });
  const rendered = await run('render');
  expect(rendered).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error') });
  expect(rendered.stdout).toBe(exported.stdout);
  const plan = await run('plan', '--to', 'here', '--exit-code');
  expect(plan).toMatchObject({ code: 0 });
  expect(await run('apply', '--to', 'there')).toMatchObject({ code: 0 });
  expect((await run('export', '--from', 'there')).stdout).toBe(exported.stdout);
}

test('what is the default, and the old name of a field, is left out', async () => {
  await make([
    { path: '/services', body: { name: 'a', host: 'a.example.com', read_timeout: 5_000 } },
    {
      path: '/services/{0}/plugins',
      body: { name: 'rate-limiting', config: { minute: 5, policy: 'redis', redis: { host: 'cache' } } },
    },
    { path: '/upstreams', body: { name: 'u' } },
  ]);
  await expectSame();
  expect((await run('export', '--from', 'here')).stdout).toBe(`_format_version: '3.0'
services:
  - name: a
    host: a.example.com
    read_timeout: 5000
    plugins:
      - name: rate-limiting
        config:
          minute: 5
          policy: redis
          redis:
            host: cache
upstreams:
  - name: u
`);
});

test('that secrets are hashes is said, and in the file as well', async () => {
  await make([
    { path: '/consumers', body: { username: 'bob' } },
    { path: '/consumers/bob/basic-auth', body: { username: 'bob-signs-in', password: 'open sesame' } },
  ]);
  const exported = await run('export', '--from', 'here');
  expect(exported.stderr).toContain('the passwords of 1 basic-auth credential are hashes');
  expect(exported.stderr).toContain('bob-signs-in');
  expect(exported.stdout).toMatch(
    /^# The passwords of 1 basic-auth credential are hashes\.\n# .*new secret.*\n_format/,
  );
  await folder.write({ 'gateway/kong.yaml': exported.stdout });
  expect(await run('plan', '--to', 'here', '--exit-code')).toMatchObject({ code: 0 });
  const toFile = await run('export', '--from', 'here', '--out', 'out');
  expect(toFile.stderr).toContain('are hashes');
});

test('of a DB-less node it is said that the next delivery spoils them', async () => {
  const node = await startEmulator({ flavour: 'dbless', port: 0, controlPort: null });
  await folder.write({
    'node/a.yaml': `_format_version: "3.0"
services: [{ name: a, host: a.example.com, plugins: [{ name: cors }] }]
consumers: [{ username: bob, basicauth_credentials: [{ username: bob-signs-in, password: open sesame }] }]
`,
  });
  expect(await run('apply', '--kong', node.url, 'node')).toMatchObject({ code: 0 });
  const exported = await run('export', '--kong', node.url, '--from', 'kong');
  expect(exported.stderr).toContain('at this destination too');
  await folder.write({ 'node/a.yaml': exported.stdout });
  expect(await run('plan', '--kong', node.url, '--exit-code', 'node')).toMatchObject({ code: 0 });
  await node.close();
});

const service = { host: 'a.example.com' };
const route = { paths: ['/a'], service: { id: '{0}' } };

describe('an export is read back as what was exported', () => {
  test.each<readonly [string, readonly Made[]]>([
    [
      'services without names',
      [
        { path: '/services', body: service },
        { path: '/services', body: service },
      ],
    ],
    [
      'routes without names',
      [
        { path: '/services', body: service },
        { path: '/routes', body: route },
        { path: '/routes', body: route },
      ],
    ],
    [
      'routes without services',
      [
        { path: '/routes', body: { paths: ['/a'] } },
        { path: '/routes', body: { paths: ['/a'] } },
      ],
    ],
    [
      'equal routes of services without names',
      [
        { path: '/services', body: service },
        { path: '/services', body: service },
        { path: '/services/{0}/routes', body: { paths: ['/a'] } },
        { path: '/services/{1}/routes', body: { paths: ['/a'] } },
      ],
    ],
    [
      'plugins of what has no name',
      [
        { path: '/services', body: service },
        { path: '/services', body: service },
        { path: '/services/{0}/plugins', body: { name: 'cors' } },
        { path: '/services/{1}/plugins', body: { name: 'cors' } },
      ],
    ],
    [
      'equal certificates',
      [
        { path: '/certificates', body: pair },
        { path: '/certificates', body: pair },
      ],
    ],
    [
      'equal certificates, one with a name',
      [
        { path: '/certificates', body: pair },
        { path: '/certificates', body: pair },
        { path: '/snis', body: { name: 'a.example.com', certificate: { id: '{1}' } } },
      ],
    ],
    [
      "consumers of which one has the name that is the other one's custom_id",
      [
        { path: '/consumers', body: { username: 'a' } },
        { path: '/consumers', body: { custom_id: 'a' } },
        { path: '/consumers/{0}/acls', body: { group: 'x' } },
        { path: '/consumers/{1}/acls', body: { group: 'x' } },
      ],
    ],
  ])('%s', async (_, made) => {
    await make(made);
    await expectSame();
  });

  const name = fc.constantFrom(undefined, undefined, 'a', 'b');
  const parent = fc.constantFrom(undefined, '{0}', '{1}', '{2}', '{3}');
  const under = (field: string, id: string | undefined) => (id === undefined ? {} : { [field]: { id } });
  const some = fc.oneof(
    fc
      .record({
        name,
        host: fc.constantFrom('a.example.com', 'b.example.com'),
        retries: fc.constantFrom(undefined, 5, 6),
        protocol: fc.constantFrom(undefined, 'http', 'https'),
      })
      .map((body) => ({ path: '/services', body })),
    fc
      .tuple(name, parent, fc.constantFrom('/a', '/b'))
      .map(([named, of, path]) => ({ path: '/routes', body: { name: named, paths: [path], ...under('service', of) } })),
    fc
      .tuple(fc.constantFrom('cors', 'key-auth'), fc.constantFrom('service', 'route'), parent)
      .map(([plugin, field, of]) => ({ path: '/plugins', body: { name: plugin, ...under(field, of) } })),
    fc.constantFrom({}, { window_size: [60], limit: [5] }, { minute: 5, policy: 'local' }).map((config) => ({
      path: '/plugins',
      body: { name: 'rate-limiting', config: { minute: 1, ...config } },
    })),
    fc
      .constantFrom({}, { active: { type: 'tcp' } }, { passive: { unhealthy: { timeouts: 3 } } })
      .map((healthchecks) => ({
        path: '/upstreams',
        body: { name: 'c', healthchecks },
      })),
    fc.record({ username: name, custom_id: name }).map((body) => ({ path: '/consumers', body })),
    parent.map((of) => ({ path: `/consumers/${of ?? 'a'}/acls`, body: { group: 'x' } })),
    fc.constant({ path: '/certificates', body: pair }),
    fc.record({ name: fc.constantFrom('a', 'b') }).map((body) => ({ path: '/upstreams', body })),
    parent.map((of) => ({ path: `/upstreams/${of ?? 'a'}/targets`, body: { target: '192.0.2.1:80' } })),
  );

  test('whatever was made', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 2, maxLength: 8 }), async (made) => {
        for (const emulator of [kong, other]) emulator.reset();
        await make(made);
        const empty = (await run('export', '--from', 'here')).stdout.split('\n').length < 3;
        if (!empty) await expectSame();
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});

test('a file that cannot be written is no fault of Konverge', async () => {
  await make([{ path: '/services', body: { name: 'a', host: 'a.example.com' } }]);
  await folder.write({ 'gateway/kong.yaml': '_format_version: "3.0"\n', taken: 'a file' });
  const out = await run('plan', '--to', 'here', '--out', 'none/x.json');
  expect(out.code).toBe(1);
  expect(out.stderr).toMatch(/none\/x\.json cannot be opened: a part of the path is not there \(ENOENT\)\n$/);
  const exported = await run('export', '--from', 'here', '--out', 'taken/below');
  expect(exported.code).toBe(1);
  expect(exported.stderr).toMatch(/cannot be made: .+ \(E[A-Z]+\)\n$/);
  expect(out.stderr + exported.stderr).not.toContain('fault of Konverge');
});

test('a release is taken from --set as it is written', async () => {
  await folder.write({ 'gateway/kong.yaml': '_format_version: "3.0"\nservices: [{name: a, host: a.example.com}]\n' });
  expect((await run('validate', '--set', 'kong.version=3.10')).code).toBe(0);
  const old = await run('validate', '--set', 'kong.version=2.8');
  expect(old).toMatchObject({ code: 78, stderr: expect.stringContaining('must be a release from 3.4 to 3.15') });
});
