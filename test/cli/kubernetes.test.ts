import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

const shop = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: open, namespace: shop }
spec:
  ingressClassName: kong
  rules:
  - http: { paths: [{ path: /open, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: closed, namespace: shop, annotations: { konghq.com/plugins: auth } }
spec:
  ingressClassName: kong
  rules:
  - http: { paths: [{ path: /closed, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
---
apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: auth, namespace: shop }
plugin: key-auth
---
apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: alice, namespace: shop, annotations: { kubernetes.io/ingress.class: kong } }
username: alice
credentials: [alice-key]
---
apiVersion: v1
kind: Secret
metadata: { name: alice-key, namespace: shop, labels: { konghq.com/credential: key-auth } }
stringData: { key: 9fQm2LxT7wVb4RkZ }
`;

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
  await folder.write({ 'shop.yaml': shop });
});
afterEach(() => folder.remove());

const run = (...words: readonly string[]) => konverge(words, folder.path);

describe('konverge render --quarantine', () => {
  async function left(...named: readonly string[]): Promise<readonly string[]> {
    const options = named.flatMap((name) => ['--quarantine', name]);
    const { code, stdout } = await run('render', '--format', 'json', ...options, 'shop.yaml');
    expect(code).toBe(0);
    const found = /"name": "shop\.(\w+)\.|"(username)": /g;
    return [...stdout.matchAll(found)].map(([, route, consumer]) => route ?? consumer ?? '').sort();
  }

  test('shows what is left: nothing is served without the plugin that was to protect it', async () => {
    expect(await left()).toEqual(['closed', 'open', 'username', 'web']);
    expect(await left('KongPlugin/shop/auth')).toEqual(['open', 'username', 'web']);
    expect(await left('Secret/shop/alice-key')).toEqual(['closed', 'open', 'web']);
    expect(await left('Ingress/shop/open', 'KongPlugin/shop/auth')).toEqual(['username']);
  });

  test('says what it does not know', async () => {
    const { code, stderr } = await run('render', '--quarantine', 'KongPlugin/shop/none', 'shop.yaml');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no object \\"KongPlugin/shop/none\\" to leave out'.replaceAll('\\', ''));
  });
});

describe('konverge validate --format json', () => {
  test('has the conditions of each object', async () => {
    await folder.write({ 'shop.yaml': shop.replace('plugins: auth', 'plugins: auht') });
    const { code, stdout } = await run('validate', '--format', 'json', 'shop.yaml');
    expect(code).toBe(1);
    const { objects } = JSON.parse(stdout);
    expect(objects).toHaveLength(4);
    expect(objects).toContainEqual({
      kind: 'Ingress',
      namespace: 'shop',
      name: 'closed',
      location: expect.objectContaining({ file: expect.stringMatching(/shop\.yaml$/), line: 16 }),
      conditions: [
        { type: 'Programmed', status: 'False', reason: 'Invalid', message: expect.stringContaining('auht') },
      ],
    });
    expect(objects).toContainEqual(
      expect.objectContaining({
        kind: 'KongConsumer',
        // Nothing was delivered.
        conditions: [{ type: 'Programmed', status: 'Unknown', reason: 'Pending', message: expect.any(String) }],
      }),
    );
  });
});
