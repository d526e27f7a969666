import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

const marker = 'mArKeR7-of-a-secret-value';
const encoded = Buffer.from(marker).toString('base64');
/** What no output may have: the value, its encoding, and most of either. */
const traces = [marker, encoded, marker.slice(4, 20), encoded.slice(4, 24)];

let folder: Folder;
let kong: RunningEmulator;
beforeAll(async () => {
  kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
});
afterAll(() => kong.close());
beforeEach(async () => {
  kong.reset();
  folder = await temporaryFolder({
    'konverge.yaml': `repository: { url: ".", branch: main, path: k8s }
kubernetes: { undeclaredServices: assume }
destinations:
  - { name: gateway, kong: { url: "${kong.url}" } }
`,
  });
});
afterEach(() => folder.remove());

async function expectHidden(files: Readonly<Record<string, string>>): Promise<string> {
  await folder.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`k8s/${path}`, text])));
  let said = '';
  for (const format of ['text', 'json', 'sarif', 'github', 'junit']) {
    const { stdout, stderr } = await konverge(['validate', '--format', format, 'k8s'], folder.path);
    said += stdout + stderr;
  }
  for (const format of ['text', 'json', 'markdown']) {
    const { stdout, stderr } = await konverge(['plan', '--format', format], folder.path);
    said += stdout + stderr;
  }
  for (const trace of traces) expect(said).not.toContain(trace);
  return said;
}

const consumer = `apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: alice, namespace: shop, annotations: { kubernetes.io/ingress.class: kong } }
username: alice
credentials: [one]
---
`;

function secret(body: string, label = 'konghq.com/credential: key-auth'): string {
  return `apiVersion: v1
kind: Secret
metadata: { name: one, namespace: shop, labels: { ${label} } }
${body}
`;
}

describe('a value of a credential is never printed', () => {
  const types: Readonly<Record<string, readonly string[]>> = {
    'key-auth': ['key'],
    'basic-auth': ['username', 'password'],
    'hmac-auth': ['username', 'secret'],
    jwt: ['key', 'secret'],
    oauth2: ['name', 'client_id', 'client_secret'],
    'mtls-auth': ['subject_name'],
    acl: ['group'],
    'key-atuh': ['key'],
  };
  // Names are shown: what a JWT's key is, is said by whoever presents it.
  const isName = (type: string, key: string) =>
    (type === 'jwt' && key === 'key') || ['username', 'name', 'client_id', 'subject_name', 'group'].includes(key);
  const cases = Object.entries(types).flatMap(([type, keys]) => {
    const pairs = (value: string) =>
      keys.map((key) => `  ${key}: ${isName(type, key) ? 'bmFtZQ==' : value}`).join('\n');
    const plain = (value: string) => keys.map((key) => `  ${key}: ${isName(type, key) ? 'name' : value}`).join('\n');
    return [
      [type, 'in stringData', `stringData:\n${plain(marker)}`],
      [type, 'in data', `data:\n${pairs(encoded)}`],
      [type, 'in data, not encoded', `data:\n${pairs(marker)}`],
      [type, 'in data, as a block', `data:\n${pairs(`|\n    ${encoded}`)}`],
      [type, 'as a folded block', `stringData:\n${plain(`>-\n    ${marker}\n    ${marker}`)}`],
      [type, 'as a list', `stringData:\n${plain(`[${marker}]`)}`],
      [type, 'as a mapping', `stringData:\n${plain(`{ ${marker}: ${marker} }`)}`],
      [type, 'under a misspelt key', `stringData:\n${plain(marker).replaceAll(/^ {2}(\w+)/gm, '  $1x')}`],
      [type, 'under misspelt stringData', `stringdata:\n${plain(marker)}`],
      [type, 'in place of stringData', `stringData: ${marker}`],
      [type, 'in place of data', `data: [${encoded}]`],
      [type, 'with an unknown type', `type: Opaque\ndata:\n  ttl: ${encoded}\n${pairs(encoded)}`],
      [type, 'in a file that cannot be read', `stringData:\n${plain(marker)}\n  broken: [`],
    ] as const;
  });

  test.each(cases)('%s %s', async (type, _, body) => {
    await expectHidden({ 'a.yaml': consumer + secret(body, `konghq.com/credential: ${type}`) });
  });
});

describe('a value of another Secret is never printed', () => {
  const plugin = `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: limit, namespace: shop }
plugin: openid-connect
configFrom: { secretKeyRef: { name: one, key: config } }
---
apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: alice, namespace: shop, annotations: { kubernetes.io/ingress.class: kong, konghq.com/plugins: limit } }
username: alice
---
`;
  const tls = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop }
spec:
  ingressClassName: kong
  tls: [{ hosts: [a.example], secretName: one }]
  rules:
  - http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
---
`;
  const pem = `-----BEGIN PRIVATE KEY-----\\n${marker}\\n-----END PRIVATE KEY-----\\n`;

  test.each([
    [
      'the configuration of a plugin',
      plugin + secret(`stringData: { config: '{"client_secret": ["${marker}"]}' }`, 'a: b'),
    ],
    ['no configuration of a plugin', plugin + secret(`stringData: { config: '{"client_secret": "${marker}' }`, 'a: b')],
    ['a configuration of the wrong shape', plugin + secret(`stringData: { config: "${marker}" }`, 'a: b')],
    ['unknown keys of a configuration', plugin + secret(`stringData: { config: '{"x": "${marker}"}' }`, 'a: b')],
    [
      'a patch of a plugin',
      plugin.replace(
        /configFrom.*/,
        `configPatches: [{ path: /issuer, valueFrom: { secretKeyRef: { name: one, key: config } } }]`,
      ) + secret(`stringData: { config: '"${marker}"' }`, 'a: b'),
    ],
    [
      'a certificate',
      tls + secret(`type: kubernetes.io/tls\nstringData: { tls.crt: "${marker}", tls.key: "${pem}" }`, 'a: b'),
    ],
    [
      'an encoded certificate',
      tls + secret(`type: kubernetes.io/tls\ndata: { tls.crt: ${encoded}, tls.key: ${encoded} }`, 'a: b'),
    ],
    [
      'a certificate in blocks',
      tls +
        secret(
          `type: kubernetes.io/tls\nstringData:\n  tls.crt: |\n    ${marker}\n  tls.key: |\n    ${marker}\n`,
          'a: b',
        ),
    ],
    [
      'a CA certificate',
      secret(`stringData: { id: ${marker}, cert: "${marker}" }`, 'konghq.com/ca-cert: "true", a: b'),
    ],
    [
      'a licence',
      `apiVersion: configuration.konghq.com/v1alpha1\nkind: KongLicense\nmetadata: { name: l }\nenabled: true\nrawLicenseString: '{"${marker}": 1'\n`,
    ],
    ['a Secret that nobody uses', secret(`stringData: { a: ${marker} }\nstringData: { a: ${marker} }`, 'a: b')],
    [
      'a Secret in a List',
      `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: { name: 1 }\n  stringData: { a: ${marker} }\n`,
    ],
    ['a Secret of another version', secret(`stringData: { a: ${marker} }`, 'a: b').replace('v1', 'v2')],
    [
      'the last applied configuration',
      secret('stringData: { key: b }').replace(
        'labels:',
        `annotations: { kubectl.kubernetes.io/last-applied-configuration: '{"stringData": {"key": "${marker}"}}' }, labels:`,
      ),
    ],
  ])('%s', async (_, text) => {
    await expectHidden({ 'a.yaml': text });
  });
});

describe('what a Secret is generated from is never printed', () => {
  const generator = (body: string) => `resources: [alice.yaml]
secretGenerator:
- name: one
  options: { labels: { konghq.com/credential: key-auth }, disableNameSuffixHash: true }
  ${body}
namespace: shop
`;
  const alice = consumer.replace('---\n', '').replace('namespace: shop, ', '');

  test.each([
    ['literals', generator(`literals: ["key=${marker}"]`), {}],
    ['literals of the wrong key', generator(`literals: ["kye=${marker}"]`), {}],
    ['literals without a key', generator(`literals: ["${marker}"]`), {}],
    ['literals with a value for a key', generator(`literals: ["${marker} =x"]`), {}],
    ['literals twice', generator(`literals: ["${marker}=x", "${marker}=x"]`), {}],
    ['literals of the wrong shape', generator(`literals: { key: ${marker} }`), {}],
    ['a file', generator('files: [key]'), { key: marker }],
    ['a file of another name', generator('files: [kye=key]'), { key: marker }],
    ['a value in place of a file', generator(`files: ["${marker}"]`), {}],
    ['a value in place of a path', generator(`files: ["key=${marker}"]`), {}],
    ['an environment file', generator('envs: [a.env]'), { 'a.env': `key=${marker}\n` }],
    ['a broken environment file', generator('envs: [a.env]'), { 'a.env': `${marker}\n` }],
    ['an environment file twice', generator('envs: [a.env, a.env]'), { 'a.env': `key=${marker}\n` }],
    ['a value in place of an environment file', generator(`envs: [${marker}]`), {}],
    ['a generator of unknown fields', generator(`secret: ${marker}\n  literal: [${marker}]`), {}],
    [
      'a patch',
      `${generator('literals: [key=a]')}patches:\n- target: { kind: Secret }\n  patch: |\n    - { op: test, path: /data/key, value: ${marker} }\n`,
      {},
    ],
    [
      'a patch of the wrong shape',
      `${generator('literals: [key=a]')}patches:\n- target: { kind: Secret }\n  patch: |\n    - { op: add, value: ${marker} }\n`,
      {},
    ],
    [
      'a patch that cannot be read',
      `${generator('literals: [key=a]')}patches:\n- target: { kind: Secret }\n  patch: |\n    stringData: { key: ${marker}\n`,
      {},
    ],
  ])('%s', async (_, kustomization, more) => {
    await expectHidden({ 'kustomization.yaml': kustomization, 'alice.yaml': alice, ...more });
  });
});
