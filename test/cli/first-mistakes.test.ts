// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is decK's and a shell's way of writing
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { konverge, type Ran } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const header = '_format_version: "3.0"\n';

async function checked(text: string, env: { readonly [name: string]: string } = {}): Promise<string> {
  await folder.write({ 'files/kong.yaml': text.startsWith('#') ? text : `${header}${text}` });
  return (await konverge(['validate', 'files', '--set', 'kong.edition=enterprise'], folder.path, env)).stdout;
}

describe('a variable', () => {
  const credential = (key: string) => `consumers:
- username: web
  keyauth_credentials:
  - key: ${key}
`;

  test.each([['\'${{ env "DECK_X" }}\''], ['${{ env "DECK_X" }}']])('that is empty is named for %s', async (key) => {
    const stdout = await checked(credential(key), { DECK_X: '' });
    expect(stdout).toContain('The environment variable DECK_X is empty: give it a value.');
    expect(stdout).not.toMatch(/Give it a name|\*\*\*\n/);
  });

  test('that is not set is not told to be left empty', async () => {
    const stdout = await checked(credential('\'${{ env "DECK_X" }}\''));
    expect(stdout).toContain('`DECK_X` is not set');
    expect(stdout).not.toContain('empty');
  });

  test('without quotes is shown with them', async () => {
    expect(await checked(credential("'${{ env DECK_X }}'"))).toContain('${{ env "DECK_X" }}');
  });

  test.each([
    'url: "http://${DECK_HOST}"',
    'url: "http://${DECK_HOST}:80/x"',
    'host: "${HOST}"',
    'host: "${DECK_HOST}.test"',
  ])('as a shell has it, in %s, is shown as it is written here', async (field) => {
    expect(await checked(`services: [{ name: a, ${field} }]\n`)).toContain('${{ env "DECK_HOST" }}');
  });

  test('as a shell has it is not repeated where it may be a part of a secret', async () => {
    const stdout = await checked(
      'plugins: [{ name: http-log, config: { http_endpoint: "x", headers: "${SECRETPART}" } }]\n',
    );
    expect(stdout).not.toMatch(/help.*SECRETPART/);
  });
});

test('a file of something else is told how to be left out', async () => {
  const stdout = await checked('#\nreplicaCount: 2\nimage: { repository: nginx }\n');
  expect(stdout).toMatch(/repository\.ignore.*\.konvergeignore/);
  expect(await checked('servces: []\nservices: []\n')).not.toContain('.konvergeignore');
});

test('a dash in another column is told where it belongs', async () => {
  const stdout = await checked('services:\n- name: a\n  host: a.test\n - name: b\n   host: b.test\n');
  expect(stdout).toContain('exactly below the first one');
});

test('a shared configuration that is not there is the only finding, with what was meant', async () => {
  const stdout = await checked(`_plugin_configs:
  limits: { minute: 5, policy: local }
services:
- name: a
  host: a.test
  plugins: [{ name: rate-limiting, _config: limit }, { name: rate-limiting-advanced, config: {} }]
`);
  expect(stdout).toContain('Did you mean "limits"?');
  expect(stdout.match(/plugin "rate-limiting:service\/a"/)).toBeNull();
  // What is wrong with another plugin stays.
  expect(stdout).toContain('rate-limiting-advanced:service/a');
});

test('every wrong word of the configuration is told at once, with its place', async () => {
  await folder.write({
    'konverge.yaml': `rules: { acl-grup: error, shadowed-rute: off }
destinations:
  - name: oss
    kong: { url: "http://127.0.0.1:1", x: 1 }
    exclude: { kinds: [plugin, vaultz, services] }
`,
  });
  const { code, stderr } = await konverge(['validate', '.'], folder.path);
  expect(code).toBe(78);
  expect(stderr.split('\n').map((line) => line.replace(/^konverge: /, '').replace(/\. .*/, ''))).toEqual([
    'konverge.yaml:1:10: rules.acl-grup is no rule',
    'konverge.yaml:1:27: rules.shadowed-rute is no rule',
    'konverge.yaml:4:40: destinations.oss.kong.x is not a known key',
    'konverge.yaml:5:24: destinations.oss.exclude.kinds[0] is "plugin", which is no kind of entity',
    'konverge.yaml:5:32: destinations.oss.exclude.kinds[1] is "vaultz", which is no kind of entity',
    '',
  ]);
});

test('convert --check does not say that it changed anything', async () => {
  await folder.write({ 'a.yaml': '_format_version: "1.1"\nservices: [{ name: a, host: a.test }]\n' });
  const check: Ran = await konverge(['convert', '--check', 'a.yaml'], folder.path);
  expect(check.stdout).toContain('_format_version would become "3.0"');
  expect(check.stdout).not.toContain('is now');
  expect((await konverge(['convert', 'a.yaml'], folder.path)).stdout).toContain('_format_version is now "3.0"');
});
