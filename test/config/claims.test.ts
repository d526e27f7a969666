import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/configuration-error.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';
import { konverge } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';

function faultsOf(...destinations: readonly string[]): readonly string[] {
  const text = `destinations:\n${destinations.map((one, at) => `  - { name: d${at}, ${one} }\n`).join('')}`;
  try {
    loadConfiguration(['a.yaml'], noOverrides, { env: () => undefined, readFile: () => text });
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return thrown.faults.map(({ key, message }) => `${key} ${message}`);
  }
}

const kong = (url: string, more = '') => `kong: { url: "${url}"${more} }`;
const konnect = (more: string) => `konnect: { ${more}, token: t }`;

describe('two destinations that claim one place are refused', () => {
  test.each([
    ['an address, however it is written', kong('http://kong:8001'), kong('http://KONG:8001/')],
    ['the default workspace', kong('http://kong:8001'), kong('http://kong:8001', ', workspace: default')],
    ['a workspace', kong('http://kong', ', workspace: a'), kong('http://kong', ', workspace: a')],
    ['a node', 'kong: { nodes: ["http://a", "http://b"] }', 'kong: { nodes: ["http://b", "http://c"] }'],
    ['a node that is named as a Kong too', 'kong: { nodes: ["http://a"] }', `${kong('http://a')}, tags: [x]`],
    ['a control plane', konnect('region: eu, controlPlane: p'), konnect('region: eu, controlPlane: p')],
    ['the same tags', `${kong('http://a')}, tags: [x, y]`, `${kong('http://a')}, tags: [y, x]`],
    ['tags among those of the other', `${kong('http://a')}, tags: [x]`, `${kong('http://a')}, tags: [x, y]`],
  ])('%s', (_, one, other) => {
    expect(faultsOf(one, other)).toEqual([expect.stringMatching(/^destinations\.d1 claims .*as `d0` does/)]);
  });
});

describe('what cannot meet is no clash', () => {
  test.each([
    ['other workspaces', kong('http://a', ', workspace: a'), kong('http://a', ', workspace: b')],
    ['other regions', konnect('region: eu, controlPlane: p'), konnect('region: us, controlPlane: p')],
    ['tags of which neither has all', `${kong('http://a')}, tags: [x, y]`, `${kong('http://a')}, tags: [x, z]`],
    ['files that may say other tags', `${kong('http://a')}, include: [a/**]`, `${kong('http://a')}, include: [b/**]`],
    ['kinds that are the other’s', `${kong('http://a')}, exclude: { kinds: [consumers] }`, kong('http://a')],
  ])('%s', (_, one, other) => {
    expect(faultsOf(one, other)).toEqual([]);
  });
});

test('two files that claim one node are refused, with both named', async () => {
  const text = (name: string, url: string) => `repository: { url: "${url}" }
destinations: [{ name: ${name}, kong: { nodes: ["http://127.0.0.1:1"] } }]
`;
  const folder = await temporaryFolder({ 'a.yaml': text('a', './a'), 'b.yaml': text('b', './b') });
  try {
    const ran = await konverge(['run', '--once', '--config', 'a.yaml', '--config', 'b.yaml'], folder.path);
    expect(ran.code).toBe(78);
    expect(ran.stderr).toMatch(/destinations\.b of b\.yaml claims .*`a` of `a\.yaml`/);
  } finally {
    await folder.remove();
  }
});
