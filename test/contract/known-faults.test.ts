import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { type Bench, openBench } from './bench.ts';
import { applied, deck, fieldOf, one, settled } from './changing.ts';
import { deliver, wordsOf } from './deliver.ts';
import { material } from './full.ts';

// Faults that other tools were reported for, by what people saw. The README beside this file says where the rest is.
let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ name: 'kong', flavour: 'kong' });
});
beforeEach(() => bench.reset());
afterAll(() => bench?.close());

const limit = { name: 'rate-limiting', instance_name: 'limit', config: { minute: 7, policy: 'local' } };
const shop = (route: JsonObject, own: JsonObject): JsonObject => ({
  services: [{ name: 'shop', host: 'shop.test', routes: [{ name: 'cart', paths: ['/cart'], ...route }], ...own }],
});
const plugin = (name: string, config: JsonObject): JsonObject => ({ plugins: [{ name, config }] });
const person = (username: string): JsonObject => ({
  consumers: [{ username, custom_id: 'c-7', keyauth_credentials: [{ key: 'a-key-that-stays' }] }],
});
const web = { id: '6f3c1a52-0b9e-4c39-8a54-5a1f0c9e2b01', snis: [{ name: 'web.test' }] };

test.each<readonly [number, string, readonly JsonObject[]]>([
  [
    1,
    'a plugin with an instance name moves to another scope',
    [shop({ plugins: [limit] }, {}), shop({}, { plugins: [limit] })],
  ],
  [2, 'a consumer with unique values is renamed', [person('before'), person('afterwards')]],
  [
    3,
    'a target is written without its port',
    [{ upstreams: [{ name: 'pool.test', targets: [{ target: 'one.test' }] }] }],
  ],
  [4, 'an empty list stands in a plugin', [plugin('ip-restriction', { allow: ['192.0.2.0/24'], deny: [] })]],
  [5, 'an empty set of tags, empty headers', [shop({ tags: [] }, { tags: [] })]],
  [
    6,
    'the order of a list changes',
    [
      plugin('request-transformer', { rename: { headers: ['x:y', 'y:z'] } }),
      plugin('request-transformer', { rename: { headers: ['y:z', 'x:y'] } }),
    ],
  ],
  [
    8,
    'an old name of a field is written',
    [plugin('rate-limiting', { minute: 2, policy: 'redis', redis_host: 'redis.test' })],
  ],
  [
    10,
    'shared settings of plugins have a part that a plugin changes',
    [
      {
        _plugin_configs: { common: { redis: { host: 'redis.test', port: 6379 }, policy: 'redis' } },
        plugins: [{ name: 'rate-limiting', _config: 'common', config: { hour: 3, redis: { port: 6380 } } }],
      },
    ],
  ],
  [
    15,
    'a certificate is renewed under its SNIs',
    [{ certificates: [{ ...web, ...material.web }] }, { certificates: [{ ...web, ...material.renewed }] }],
  ],
  [
    19,
    'a custom id is the user name of another',
    [{ consumers: [{ username: 'x', custom_id: 'y' }, { username: 'y' }] }],
  ],
  [
    20,
    'a password changes',
    ['old-password', 'new-password'].map((password) => ({
      consumers: [{ username: 'u', basicauth_credentials: [{ username: 'login', password }] }],
    })),
  ],
  [
    23,
    'the weight of a target changes',
    [10, 20].map((weight) => ({ upstreams: [{ name: 'pool.test', targets: [{ target: 'one.test:80', weight }] }] })),
  ],
  [28, 'the same is delivered by another process', [shop({ plugins: [limit] }, {}), shop({ plugins: [limit] }, {})]],
])('fault %i, %s: each step is applied, and then nothing is left to do', async (_, __, states) => {
  for (const [at, state] of states.entries()) {
    bench.forget();
    const { plan } = await applied(bench, deck(state));
    if (at > 0 && JSON.stringify(state) !== JSON.stringify(states[at - 1]))
      expect(plan?.changes.length).toBeGreaterThan(0);
    await settled(bench, deck(state));
  }
});

test('fault 7: the order of a set is no difference', async () => {
  const route = { methods: ['GET', 'POST'], hosts: ['a.test', 'b.test'], paths: ['/a', '/b'] };
  const turned = Object.fromEntries(Object.entries(route).map(([field, list]) => [field, [...list].reverse()]));
  await applied(bench, deck(shop(route, {})));
  await settled(bench, deck(shop(turned, {})));
});

test('fault 10: what shared settings say stays beside what a plugin changes', async () => {
  const shared = {
    _plugin_configs: { common: { redis: { host: 'redis.test', port: 6379 }, policy: 'redis' } },
    plugins: [{ name: 'rate-limiting', _config: 'common', config: { hour: 3, redis: { port: 6380 } } }],
  };
  await applied(bench, deck(shared));
  const live = await one(bench, 'plugins', 'name', 'rate-limiting');
  expect(live['config']).toMatchObject({ hour: 3, redis: { host: 'redis.test', port: 6380 } });
});

test('fault 13: what is looked up is named, and never written', async () => {
  await bench.ask('POST', '/consumers', { username: 'shared', tags: ['theirs'] });
  const file = deck({
    _info: { select_tags: ['ours'], default_lookup_tags: { consumers: ['theirs'] } },
    plugins: [{ name: 'rate-limiting', consumer: 'shared', config: { minute: 1, policy: 'local' } }],
  });
  const { plan } = await applied(bench, file);
  expect(plan?.changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual(['create plugins']);
  await settled(bench, file);
});

test('fault 18: what is declared twice is told with both places, every time alike', async () => {
  const file = (host: string) => ({ _format_version: '3.0', services: [{ name: 's', host }] });
  const twice = { 'a.json': file('a.test'), 'b.json': file('b.test') };
  const told = new Set<string>();
  for (let time = 0; time < 3; time += 1) {
    const delivered = await deliver(bench, twice);
    expect(delivered.end).toBe('rejected');
    const places = delivered.ended?.end === 'rejected' ? delivered.ended.diagnostics.flatMap((d) => d.locations) : [];
    expect(new Set(places.map(({ file }) => file))).toEqual(new Set(['a.json', 'b.json']));
    told.add(wordsOf(delivered));
  }
  expect(told.size).toBe(1);
});

test('fault 26: an update keeps the time of creation', async () => {
  const host = (name: string) => deck({ services: [{ name: 's', host: name }] });
  await applied(bench, host('a.test'));
  const [created] = await fieldOf(bench, 'services', 'created_at');
  await applied(bench, host('b.test'));
  expect(await fieldOf(bench, 'services', 'created_at')).toEqual([created]);
});

test('the table beside this file names 28 faults, and tests that exist', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const rows = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| (\d+) \|.*\| (.*) \|$/gm)];
  expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 28 }, (_, at) => at + 1));
  const named = rows.flatMap(([, , tests = '']) => [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path));
  expect(named.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
});
