import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A plugin that no release of Kong has, as a Kong that has it serves its schema. */
const house = {
  fields: [
    { protocols: { type: 'set', elements: { type: 'string' }, default: ['http', 'https'] } },
    {
      config: {
        type: 'record',
        required: true,
        fields: [
          { realm: { type: 'string', required: true, description: 'words that nobody needs' } },
          { level: { type: 'integer', between: [1, 9], default: 3 } },
        ],
      },
    },
  ],
};

let kong: RunningEmulator;
let dbless: RunningEmulator;
let konnect: RunningEmulator;
let folder: Folder;
beforeAll(async () => {
  const plugins = { 'house-rules': house };
  kong = await startEmulator({ flavour: 'kong', version: '3.8', port: 0, controlPort: null, plugins });
  dbless = await startEmulator({ flavour: 'dbless', port: 0, controlPort: null, plugins });
  konnect = await startEmulator({ flavour: 'konnect', port: 0, controlPort: null, controlPlanes: ['test'], plugins });
});
afterAll(() => Promise.all([kong, dbless, konnect].map((emulator) => emulator.close())));
beforeEach(() => {
  for (const emulator of [kong, dbless, konnect]) emulator.reset();
});
afterEach(() => folder.remove());

const entry = {
  gateway: () => `{ name: gateway, kong: { url: "${kong.url}", headers: { Kong-Admin-Token: marker-of-a-token } } }`,
  edge: () => `{ name: edge, kong: { nodes: ["${dbless.url}"] } }`,
  cloud: () => `{ name: cloud, konnect: { url: "${konnect.url}", controlPlane: test, token: marker-of-a-token } }`,
};

async function withDestinations(
  destinations: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  folder = await temporaryFolder({
    'konverge.yaml': `destinations:\n${destinations.map((one) => `  - ${one}\n`).join('')}`,
    'kong.yaml': declaring('{ realm: shop, level: 4 }'),
    ...files,
  });
  return folder.path;
}

function declaring(config: string): string {
  return `_format_version: "3.0"\nplugins:\n  - name: house-rules\n    config: ${config}\n`;
}

describe.each(['gateway', 'edge', 'cloud'] as const)('of %s', (name) => {
  test('a plugin of its own is known to offline checks, with its fields', async () => {
    const at = await withDestinations([entry[name]()]);
    const before = await konverge(['validate'], at);
    expect(before.stdout).toContain('has no plugin "house-rules"');
    expect(before.code).toBe(1);

    const ran = await konverge(['schemas', 'pull', '--from', name], at);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(new RegExp(`^schemas/${name}\\.json: \\d+ plugins and \\d+ kinds of entities; `));
    expect(ran.code).toBe(0);

    const after = await konverge(['validate'], at);
    expect(after.stdout).toBe('Checked 1 entity in 1 file: no errors and no warnings.\n');
    expect(after.stderr).toMatch(
      new RegExp(`checked by the schemas of ${name} \\(.+\\), pulled on \\d{4}-\\d\\d-\\d\\d`),
    );
    expect(after.code).toBe(0);

    await writeFile(join(at, 'kong.yaml'), declaring('{ level: 12, colour: red }'));
    const wrong = await konverge(['validate', '--format', 'json'], at);
    const { diagnostics } = JSON.parse(wrong.stdout) as { diagnostics: { rule: string; message: string }[] };
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['plugin-config', 'plugin-config', 'unknown-field']);
    const said = diagnostics.map(({ message }) => message).join(' ');
    for (const field of ['realm', 'level', 'colour']) expect(said).toContain(field);
    expect(wrong.code).toBe(1);
  });

  test('is the same to the byte, holds no secret and no words, and changes nothing there', async () => {
    const at = await withDestinations([entry[name]()]);
    await konverge(['schemas', 'pull', '--from', name, '--out', 'a.json'], at);
    await konverge(['schemas', 'pull', '--from', name, '--out', 'b.json'], at);
    const [a, b] = await Promise.all(['a.json', 'b.json'].map((file) => readFile(join(at, file), 'utf8')));
    expect(a).toBe(b);
    expect(a).not.toMatch(/marker-of|words that nobody needs/);
    expect([kong, dbless, konnect].map((emulator) => emulator.counters().writes)).toEqual([0, 0, 0]);
  });
});

test('what a destination says of itself wins over what the configuration assumes', async () => {
  const at = await withDestinations([entry.gateway()]);
  await konverge(['schemas', 'pull'], at);
  // 3.9 brought it, and this Kong is of 3.8.
  await writeFile(
    join(at, 'kong.yaml'),
    '_format_version: "3.0"\nservices:\n  - { name: a, url: "http://a.internal", plugins: [{ name: redirect, config: { location: "http://b.internal" } }] }\n',
  );
  const ran = await konverge(['validate', '--set', 'kong.version="3.9"'], at);
  expect(ran.stdout).toContain('Open-source Kong 3.8 has no plugin "redirect"');
});

test('each destination is checked by its own file, and the others by what is shared', async () => {
  const at = await withDestinations([entry.gateway(), '{ name: other, kong: { url: "http://127.0.0.1:1" } }']);
  await konverge(['schemas', 'pull', '--from', 'gateway'], at);
  const own = await konverge(['validate'], at);
  expect(own.stdout).toContain('Open-source Kong 3.9 has no plugin "house-rules"');
  const shared = await konverge(['validate', '--set', 'kong.schemas=schemas/gateway.json'], at);
  expect(shared.stderr.match(/checked by/g)).toHaveLength(1);
  expect(shared.code).toBe(0);
  const named = await konverge(['validate', '--set', 'destinations.other.schemas=schemas/gateway.json'], at);
  expect(named.code).toBe(0);
});

test('a DB-less node is known for one offline', async () => {
  const at = await withDestinations([`{ name: edge, kong: { url: "${dbless.url}" } }`], {
    'kong.yaml': '_format_version: "3.0"\nplugins: [{ name: rate-limiting, config: { minute: 5, policy: cluster } }]\n',
  });
  expect((await konverge(['validate'], at)).code).toBe(0);
  await konverge(['schemas', 'pull'], at);
  const ran = await konverge(['validate'], at);
  expect(ran.stdout).toContain('needs-database');
});

test('asks a Kong that is in no configuration', async () => {
  folder = await temporaryFolder({ 'kong.yaml': declaring('{ realm: shop }') });
  const ran = await konverge(['schemas', 'pull', '--kong', kong.url], folder.path);
  expect(ran.stdout).toMatch(/^schemas\/kong\.json: /);
  const checked = await konverge(['validate', 'kong.yaml', '--set', 'kong.schemas=schemas/kong.json'], folder.path);
  expect(checked.code).toBe(0);
});

test('--check says whether the file is what the destination has, and writes nothing', async () => {
  const at = await withDestinations([entry.gateway()]);
  const none = await konverge(['schemas', 'pull', '--check'], at);
  expect([none.code, none.stdout]).toEqual([1, 'schemas/gateway.json is not there, or cannot be used\n']);
  await konverge(['schemas', 'pull'], at);
  const file = join(at, 'schemas/gateway.json');
  const text = await readFile(file, 'utf8');
  // A file that was pulled on another day and says the same is left as it is.
  const earlier = text.replace(/"pulled":"[\d-]+"/, '"pulled":"2020-01-31"');
  await writeFile(file, earlier);
  expect(await konverge(['schemas', 'pull'], at)).toMatchObject({ code: 0 });
  expect(await konverge(['schemas', 'pull', '--check'], at)).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(file, 'utf8')).toBe(earlier);
  const other = text.replace('"between":[1,9]', '"between":[1,8]');
  await writeFile(file, other);
  const ran = await konverge(['schemas', 'pull', '--check'], at);
  expect([ran.code, ran.stdout]).toEqual([1, 'schemas/gateway.json is not what gateway has: house-rules\n']);
  expect(await readFile(file, 'utf8')).toBe(other);
});

test('a damaged file, one of a newer Konverge and one of something else are told by name, and pulled anew', async () => {
  const at = await withDestinations([entry.gateway()]);
  await konverge(['schemas', 'pull'], at);
  const file = join(at, 'schemas/gateway.json');
  const text = await readFile(file, 'utf8');
  for (const [content, said] of [
    [text.slice(0, 4000), /schemas\/gateway\.json is damaged: it is no JSON\. Write it anew/],
    [text.replace('"edition":"oss"', '"edition":"gold"'), /is damaged at kong\.edition/],
    [text.replace('"_konverge_schemas":1', '"_konverge_schemas":2'), /written by a newer Konverge \(form 2/],
  ] as const) {
    await writeFile(file, content);
    const ran = await konverge(['validate'], at);
    expect(ran.stderr).toMatch(said);
    expect(ran.code).toBe(78);
    expect((await konverge(['schemas', 'pull'], at)).code).toBe(0);
    expect((await konverge(['validate'], at)).code).toBe(0);
  }
  await writeFile(join(at, 'mine.json'), '{"services": []}');
  const named = await konverge(['validate', '--set', 'kong.schemas=mine.json'], at);
  expect(named.stderr).toMatch(
    /kong\.schemas names .*mine\.json, which holds no schemas that `konverge schemas pull` wrote/,
  );
  const missing = await konverge(['validate', '--set', 'destinations.gateway.schemas=none.json'], at);
  expect(missing.stderr).toMatch(/destinations\.gateway\.schemas names a file that cannot be read \(ENOENT\)/);
});

test('a file of the same name that was not pulled is a configuration file like any other', async () => {
  const at = await withDestinations([entry.gateway()], {
    'kong.yaml': '_format_version: "3.0"\n',
    'schemas/gateway.json': '{"_format_version": "3.0", "services": [{"name": "a", "url": "http://a.internal"}]}',
  });
  expect((await konverge(['validate'], at)).stdout).toMatch(/^Checked 1 entity in 2 files/);
});

test('says what it may not read, and that a destination cannot be asked', async () => {
  const at = await withDestinations([entry.gateway(), '{ name: nowhere, kong: { url: "http://127.0.0.1:1" } }']);
  kong.behaviour({ fail: { status: 403, path: '/schemas/plugins/acl' } });
  const some = await konverge(['schemas', 'pull', '--from', 'gateway'], at);
  expect(some.stderr).toMatch(/1 left out, which this user may not read: plugins\/acl\n/);
  expect(some.code).toBe(0);
  await writeFile(
    join(at, 'kong.yaml'),
    '_format_version: "3.0"\nplugins: [{ name: acl, config: { allow: [a], colour: red } }]\nservices: []\n',
  );
  const withheld = await konverge(['validate', '--format', 'json', '--set', 'kong.schemas=schemas/gateway.json'], at);
  expect(withheld.stdout).toContain('colour');
  expect(withheld.stdout).not.toContain('unknown-plugin');

  kong.behaviour({ fail: { status: 403, path: '/schemas' } });
  const nothing = await konverge(['schemas', 'pull', '--from', 'gateway', '--out', 'x.json'], at);
  expect(nothing.stderr).toMatch(/gave the schema of no plugin, so nothing was written/);
  expect(nothing.code).toBe(1);
  kong.behaviour({ fail: { status: 401 } });
  expect((await konverge(['schemas', 'pull', '--from', 'gateway'], at)).code).toBe(1);
  const nowhere = await konverge(['schemas', 'pull', '--from', 'nowhere'], at);
  expect(nowhere.stderr).toMatch(/^konverge: .*127\.0\.0\.1:1/);
  expect(nowhere.code).toBe(1);
  expect((await konverge(['schemas', 'pull', '--from', 'other'], at)).code).toBe(64);
  expect((await konverge(['schemas'], at)).code).toBe(64);
  expect((await konverge(['schemas', 'pull'], at)).stderr).toContain('there are: gateway, nowhere');
});
