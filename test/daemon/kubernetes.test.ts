import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { until } from '../support/until.ts';
import { DaemonWorld, marker } from './world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: DaemonWorld;
beforeAll(async () => {
  world = await DaemonWorld.open();
  const path = 'konverge.yaml';
  const text = await readFile(join(world.folder.path, path), 'utf8');
  await world.folder.write({ [path]: text.replace('policy: { ', 'policy: { onInvalid: quarantine, ') });
});
afterAll(() => world.close());

const service = (team: string) => `apiVersion: v1
kind: Service
metadata: { name: web, namespace: ${team} }
spec: { ports: [{ port: 80 }] }
`;

const ingress = (team: string, path: string, plugin = '', name = 'web') => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: ${team}, annotations: { konghq.com/plugins: "${plugin}" } }
spec:
  ingressClassName: kong
  rules:
  - http: { paths: [{ path: ${path}, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`;

const auth = `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: auth, namespace: a }
plugin: key-auth
`;

const alice = `apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: alice, namespace: a, annotations: { kubernetes.io/ingress.class: kong } }
username: alice
credentials: [alice-key]
`;

const secret = `apiVersion: v1
kind: Secret
metadata: { name: alice-key, namespace: a, labels: { konghq.com/credential: key-auth } }
stringData: { key: ${marker}-alice }
`;

const listShape = z.object({ data: z.array(z.looseObject({ paths: z.unknown().optional() })) });

async function listed(collection: string): Promise<z.infer<typeof listShape>['data']> {
  return listShape.parse(JSON.parse(await (await fetch(`${world.kong.url}/${collection}`)).text())).data;
}

async function paths(): Promise<readonly unknown[]> {
  return (await listed('routes')).map((route) => route.paths).sort();
}

async function counts(): Promise<readonly number[]> {
  return Promise.all(['plugins', 'key-auths', 'consumers'].map(async (one) => (await listed(one)).length));
}

async function degraded(revision: string): Promise<void> {
  await until('every destination to have the rest of the revision', async () =>
    (await world.status()).destinations.every(
      (lane) => lane.state === 'applied-degraded' && lane.revision === revision,
    ),
  );
}

test('what is broken in one folder stays as it was or out, and nothing is served without its protection', async () => {
  await world.start();
  const good = {
    'gateway/a/web.yaml': `${service('a')}---\n${ingress('a', '/a', 'auth')}`,
    'gateway/a/auth.yaml': auth,
    'gateway/a/alice.yaml': alice,
    'gateway/a/secret.yaml': secret,
    'gateway/b/web.yaml': `${service('b')}---\n${ingress('b', '/b')}`,
  };
  await world.applied(await world.repository.commit({ files: good }));
  const before = await paths();
  expect(before).toHaveLength(2);
  expect(await counts()).toEqual([1, 1, 1]);

  // The plugin is gone: the route goes on as it was, with it. The Secret is gone: so is the key, for nobody is let in by
  // what was taken away. The other team has its new path.
  const gone = await world.repository.commit({
    files: {
      'gateway/a/auth.yaml': null,
      'gateway/a/secret.yaml': null,
      'gateway/b/web.yaml': `${service('b')}---\n${ingress('b', '/new')}`,
    },
  });
  await degraded(gone);
  expect(JSON.stringify(await paths())).toContain('/new');
  expect(JSON.stringify(await paths())).toContain('/a');
  expect(await counts()).toEqual([1, 0, 1]);

  // A new route that asks for the same plugin has no last good version: it is left out rather than served open.
  // What was changed to something wrong goes on as it was.
  const added = await world.repository.commit({
    files: {
      'gateway/a/more.yaml': ingress('a', '/more', 'auth', 'more'),
      'gateway/b/web.yaml': `${service('b')}---\n${ingress('b', 'no-slash')}`,
    },
  });
  await degraded(added);
  expect(JSON.stringify(await paths())).toContain('/new');
  expect(JSON.stringify(await paths())).not.toContain('/more');
  const { objects } = z
    .object({
      objects: z.array(z.looseObject({ kind: z.string(), name: z.string(), conditions: z.array(z.unknown()) })),
    })
    .parse(JSON.parse(await world.ask('/api/v1/objects?destination=gateway&namespace=a&name=more')));
  expect(objects).toMatchObject([
    {
      kind: 'Ingress',
      location: { file: 'a/more.yaml', line: 3 },
      conditions: [{ type: 'Programmed', status: 'False' }],
    },
  ]);

  // All of it is back.
  const fixed = await world.repository.commit({
    files: {
      'gateway/a/auth.yaml': auth,
      'gateway/a/secret.yaml': secret,
      'gateway/b/web.yaml': good['gateway/b/web.yaml'],
    },
  });
  await world.applied(fixed);
  expect(await counts()).toEqual([2, 1, 1]);
  expect(JSON.stringify(await paths())).toContain('/more');
  expect(await world.said()).not.toContain(marker);
});
