import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge, type Ran } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

/** Names that every JavaScript object answers to, though nobody gave them to it. */
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

const map = (value: string) => `{ ${names.map((name) => `"${name}": ${value}`).join(', ')} }`;

const gateway = `_format_version: "3.0"
services:
  - name: orders
    host: orders.example.com
    routes:
      - name: orders
        paths: [/orders]
        headers: ${map('[one]')}
    plugins:
      - name: tcp-log
        config: { host: logs.example.com, port: 9000, custom_fields_by_lua: ${map('"return 1"')} }
`;

let folder: Folder;
let kong: RunningEmulator;
let node: RunningEmulator;
let konnect: RunningEmulator;

beforeAll(async () => {
  kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  node = await startEmulator({ flavour: 'dbless', port: 0, controlPort: null });
  konnect = await startEmulator({ flavour: 'konnect', port: 0, controlPort: null, controlPlanes: ['test'] });
});
afterAll(() => Promise.all([kong, node, konnect].map((emulator) => emulator.close())));
beforeEach(async () => {
  for (const emulator of [kong, node, konnect]) emulator.reset();
  folder = await temporaryFolder({
    'gateway/kong.yaml': gateway,
    'konverge.yaml': `repository: { url: ".", branch: main, path: gateway }
destinations:
  - { name: gateway, kong: { url: "${kong.url}" } }
  - { name: edge, kong: { nodes: ["${node.url}"] } }
  - { name: konnect, konnect: { url: "${konnect.url}", controlPlane: test, token: a-made-up-token } }
`,
  });
});
afterEach(() => folder.remove());

const run = (...words: readonly string[]): Promise<Ran> => konverge(words, folder.path);

/** How often each name stands in a text as a key. */
const counts = (text: string) =>
  names.map((name) => text.split(`${name}"`).length - 1 || text.split(`${name}:`).length - 1);

describe('keys by the names of what every object has', () => {
  test.each(['deck', 'json', 'dbless'])('are rendered as %s', async (format) => {
    const { code, stdout } = await run('render', '--format', format);
    expect(code).toBe(0);
    expect(counts(stdout)).toEqual(names.map(() => 2));
  });

  test('render to the same again', async () => {
    const { stdout } = await run('render', 'gateway');
    await folder.write({ 'again.yaml': stdout });
    expect((await run('render', 'again.yaml')).stdout).toBe(stdout);
  });

  test('tell two states apart', async () => {
    const digest = async () => JSON.parse((await run('validate', '--format', 'json', 'gateway')).stdout).digest;
    const before = await digest();
    await folder.write({ 'gateway/kong.yaml': gateway.replace('"__proto__": [one]', '"__proto__": [two]') });
    expect(await digest()).not.toBe(before);
  });

  test.each(['gateway', 'edge', 'konnect'])('reach %s, and are seen to be there', async (name) => {
    expect(await run('apply', '--to', name)).toMatchObject({ code: 0 });
    const unchanged = await run('plan', '--to', name, '--exit-code');
    expect(unchanged.stdout + unchanged.stderr).not.toContain('~');
    expect(unchanged.code).toBe(0);
    expect(counts((await run('export', '--from', name)).stdout)).toEqual(names.map(() => 2));
    for (const key of names) {
      await folder.write({ 'gateway/kong.yaml': gateway.replaceAll(`"${key}": [one]`, `"${key}": [two]`) });
      expect((await run('plan', '--to', name, '--exit-code')).code).toBe(2);
    }
    await folder.write({ 'gateway/kong.yaml': gateway.replaceAll('"return 1"', '"return 2"') });
    expect((await run('plan', '--to', name, '--exit-code')).code).toBe(2);
  });

  test.each(names)('are no known fields: %s', async (name) => {
    await folder.write({
      'gateway/kong.yaml': `_format_version: "3.0"
services:
  - name: orders
    host: orders.example.com
    "${name}": 1
    plugins:
      - name: tcp-log
        config: { host: logs.example.com, port: 9000, "${name}": 1 }
"${name}": []
`,
    });
    const { code, stdout } = await run('validate', '--format', 'json', 'gateway');
    expect(code).toBe(1);
    const found: readonly { readonly rule: string; readonly locations: readonly { readonly line: number }[] }[] =
      JSON.parse(stdout).diagnostics;
    expect(found.map(({ locations: [first] }) => first?.line)).toEqual([5, 8, 9]);
  });
});
