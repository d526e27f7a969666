import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DataPlanes } from '../../src/destination/konnect/data-planes.ts';
import { Pace } from '../../src/destination/pace.ts';
import { type RequestWorld, send } from '../../src/destination/requests.ts';
import { isJsonObject } from '../../src/model/json.ts';
import { asFailure } from '../../src/platform/failure.ts';
import type { HttpRequest } from '../../src/platform/http-client.ts';
import { type Bench, openBench } from '../contract/bench.ts';
import { applied, deck, fieldOf, settled } from '../contract/changing.ts';
import { deliver, wordsOf } from '../contract/deliver.ts';

const signal = new AbortController().signal;
let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ name: 'konnect', flavour: 'konnect' });
});
beforeEach(() => bench.reset());
afterAll(() => bench?.close());

function plane(controlPlane: string) {
  const { connection } = bench.settings;
  if (connection.type !== 'konnect') throw new Error('not Konnect');
  return bench.open({ connection: { ...connection, controlPlane } });
}

function made(name: string, type: string): string {
  const answer = bench.emulators[0]?.request('POST', '/v2/control-planes', { name, cluster_type: type });
  return isJsonObject(answer?.body) ? String(answer.body['id']) : '';
}

async function refusalOf(controlPlane: string) {
  const thrown = await plane(controlPlane)
    .identify(signal)
    .then(
      () => null,
      (error: unknown) => error,
    );
  return asFailure(thrown)?.facts;
}

test('finds a control plane by its name and by its id, among many', async () => {
  for (let at = 0; at < 120; at += 1) made(`plane ${at} & more`, 'CLUSTER_TYPE_CONTROL_PLANE');
  expect(await plane('plane 119 & more').identify(signal)).toMatchObject({
    description: 'Konnect, control plane plane 119 & more',
    mode: 'konnect',
  });
  const id = made('by-id', 'CLUSTER_TYPE_CONTROL_PLANE');
  expect(await plane(id.toUpperCase()).identify(signal)).toMatchObject({ description: 'Konnect, control plane by-id' });
});

test('says why a control plane cannot be written', async () => {
  expect(await refusalOf('nobodys')).toMatchObject({ class: 'rejected', code: 'no-control-plane' });
  made('a group', 'CLUSTER_TYPE_CONTROL_PLANE_GROUP');
  expect(await refusalOf('a group')).toMatchObject({ class: 'rejected', code: 'control-plane-group' });
  made('of kic', 'CLUSTER_TYPE_K8S_INGRESS_CONTROLLER');
  expect(await refusalOf('of kic')).toMatchObject({ class: 'rejected', code: 'control-plane-read-only' });
});

test('follows a control plane that was made anew under its name', async () => {
  const files = deck({ services: [{ name: 'a', host: 'a.test' }] });
  const first = made('phoenix', 'CLUSTER_TYPE_CONTROL_PLANE');
  const destination = plane('phoenix');
  await applied(bench, files, { destination });
  bench.emulators[0]?.request('DELETE', `/v2/control-planes/${first}`);
  const second = made('phoenix', 'CLUSTER_TYPE_CONTROL_PLANE');
  expect((await applied(bench, files, { destination })).plan?.summary).toMatchObject({ create: 1 });
  const list = bench.emulators[0]?.request('GET', `/v2/control-planes/${second}/core-entities/services`);
  expect(list?.body).toMatchObject({ data: [{ name: 'a' }] });
});

test('leaves alone what Konnect has made for itself', async () => {
  for (const [name, tag] of [
    ['managed', 'konnect-managed'],
    ['managed-plugin', 'konnect-managed-plugin'],
  ]) {
    await bench.ask('POST', '/services', { name: name ?? '', host: 'k.test', tags: [tag ?? ''] });
  }
  const files = deck({ services: [{ name: 'a', host: 'a.test' }] });
  const { plan } = await applied(bench, files);
  expect(plan?.summary).toEqual({ create: 1, update: 0, delete: 0, unchanged: 0 });
  expect(await fieldOf(bench, 'services', 'name')).toEqual(['a', 'managed', 'managed-plugin']);
  await settled(bench, files);
});

test('delivers nothing of what declares a kind that Konnect has not, unless that is excluded on purpose', async () => {
  const files = deck({
    services: [{ name: 'a', host: 'a.test' }],
    consumers: [
      { username: 'ann', oauth2_credentials: [{ name: 'app', client_id: 'c', client_secret: 's', redirect_uris: [] }] },
    ],
  });
  bench.forget();
  const delivered = await deliver(bench, files);
  expect(delivered.end).toBe('rejected');
  expect(wordsOf(delivered)).toMatch(
    /kong\.json:1 OAuth2 credential "c" cannot be .*exclude\.kinds: \[oauth2_credentials\]/,
  );
  expect(bench.writes()).toBe(0);
  await applied(bench, files, { excludeKinds: ['oauth2_credentials'] });
  expect(await fieldOf(bench, 'services', 'name')).toEqual(['a']);
});

test('leaves consumers and what is theirs alone where they are excluded, unless pruning of them is asked', async () => {
  const consumers = [
    { username: 'ann', keyauth_credentials: [{ key: 'key-of-ann' }], plugins: [{ name: 'request-termination' }] },
  ];
  const services = [{ name: 'a', host: 'a.test' }];
  await applied(bench, deck({ services, consumers }));
  const files = deck({ services: [{ name: 'b', host: 'b.test' }], consumers: [{ username: 'bob' }] });
  const { plan } = await applied(bench, files, { excludeKinds: ['consumers'] });
  expect(plan?.summary).toMatchObject({ create: 1, update: 0, delete: 1 });
  expect(await fieldOf(bench, 'consumers', 'username')).toEqual(['ann']);
  expect([await bench.list('keyauth_credentials'), await bench.list('plugins')].map((list) => list.length)).toEqual([
    1, 1,
  ]);
  await settled(bench, files, { excludeKinds: ['consumers'] });
  const exclude = { kinds: ['consumers'], tags: [], files: [], prune: true };
  await applied(bench, files, { excludeKinds: ['consumers'], settings: { exclude } });
  expect(await fieldOf(bench, 'consumers', 'username')).toEqual([]);
  expect([await bench.list('keyauth_credentials'), await bench.list('plugins')]).toEqual([[], []]);
  expect(await fieldOf(bench, 'services', 'name')).toEqual(['b']);
});

test('says where in the files it is what Konnect refuses, in each of the bodies that it answers with', async () => {
  const yaml = `_format_version: "3.0"
services:
- name: a
  host: a.test
`;
  for (const [body, words] of [
    [
      { code: 3, message: 'x', details: [{ type: 'ERROR_TYPE_FIELD', field: 'host', messages: ['is odd'] }] },
      /gateway\.yaml:4 .*service "a" at host: is odd/,
    ],
    [
      { code: 3, message: 'x', details: [{ type: 'ERROR_TYPE_ENTITY', messages: ['is odd'] }] },
      /gateway\.yaml:3 .*service "a": is odd/,
    ],
    [
      { status: 400, title: 'x', detail: 'y', invalid_parameters: [{ field: 'host', reason: 'is odd' }] },
      /gateway\.yaml:4 .*service "a" at host: is odd/,
    ],
    [{ status: 400, title: 'Bad Request', detail: 'is odd' }, /gateway\.yaml:3 .*service "a": is odd/],
  ] as const) {
    bench.emulators[0]?.behaviour({ fail: { status: 400, methods: ['PUT'], path: '/services/', body } });
    const delivered = await deliver(bench, { 'gateway.yaml': yaml });
    expect(delivered.end).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(words);
  }
});

test('keeps to the rate that it is allowed, with all of its requests at once', async () => {
  const files = deck({ consumers: Array.from({ length: 30 }, (_, at) => ({ username: `c-${at}` })) });
  bench.emulators[0]?.behaviour({ fail: { status: 429, methods: ['PUT'], after: 5, count: 12, retryAfterSeconds: 4 } });
  await applied(bench, files);
  const limited = bench.waits.filter((ms) => ms > 3_000 && ms <= 4_000);
  // Requests that were on their way meet the limit too; those that were not wait with them.
  expect(limited.length).toBeGreaterThan(0);
  expect(await bench.list('consumers')).toHaveLength(30);
});

test('asks less and less of one that says it may be asked again at once, and says the same again', async () => {
  bench.emulators[0]?.behaviour({ fail: { status: 429, methods: ['PUT'], retryAfterSeconds: 0 } });
  const delivered = await deliver(bench, deck({ consumers: [{ username: 'c' }] }));
  expect(delivered).toMatchObject({ end: 'failed', failure: { class: 'transient', status: 429 } });
  expect(bench.waits.filter((ms) => ms > 500).map((ms) => Math.round(ms / 1_000))).toEqual([1, 2, 4, 8, 16]);
});

test('stops at a limit that lasts, and goes on from there', async () => {
  const files = deck({ consumers: Array.from({ length: 30 }, (_, at) => ({ username: `c-${at}` })) });
  bench.emulators[0]?.behaviour({ fail: { status: 429, methods: ['PUT'], after: 10, retryAfterSeconds: 30 } });
  const delivered = await deliver(bench, files);
  expect(delivered).toMatchObject({ end: 'failed', failure: { class: 'transient', retryAfterMs: 30_000 } });
  expect(await bench.list('consumers')).toHaveLength(10);
  bench.emulators[0]?.behaviour({ fail: null });
  expect((await applied(bench, files)).plan?.summary).toMatchObject({ create: 20 });
});

const shop = deck({ services: [{ name: 'a', host: 'a.test' }] });

async function detailOf(wish: Parameters<typeof applied>[2] = {}): Promise<string> {
  const { ended } = await applied(bench, shop, wish);
  return ended?.end === 'applied' ? ended.confirmation.detail : '';
}

test('says how many of the data planes run what it was given', async () => {
  const [emulator] = bench.emulators;
  emulator?.behaviour({ nodes: { count: 4, lagging: 1 } });
  expect(await detailOf()).toBe(
    'accepted by Konnect, running on 3 of 4 nodes (behind: emulator-4); 1 entity read back and equal',
  );
  emulator?.behaviour({ nodes: { count: 4, lagging: 0 } });
  expect(await detailOf()).toMatch(/^accepted by Konnect, running on 4 of 4 nodes; /);
  emulator?.behaviour({ nodes: { count: 0, lagging: 0 } });
  expect(await detailOf()).toMatch(/^accepted by Konnect, no node runs it yet; /);
});

test('lists the data planes one by one, and since when each is so', async () => {
  const [emulator] = bench.emulators;
  emulator?.behaviour({ nodes: { count: 3, lagging: 1 } });
  const destination = bench.open();
  const shown = () => destination.nodes?.().map(({ url, state }) => `${url} ${state}`);
  expect(shown()).toEqual([]);
  await applied(bench, shop, { destination });
  expect(shown()).toEqual(['emulator current', 'emulator-2 current', 'emulator-3 different']);
  const before = destination.nodes?.() ?? [];
  await settled(bench, shop, { destination });
  expect(destination.nodes?.()).toBe(before);
  emulator?.behaviour({ nodes: { count: 3, lagging: 0 } });
  await settled(bench, shop, { destination });
  expect(shown()).toEqual(['emulator current', 'emulator-2 current', 'emulator-3 current']);
  expect(destination.nodes?.()[0]).toBe(before[0]);
  emulator?.behaviour({ fail: { status: 403, path: '/nodes' } });
  await settled(bench, shop, { destination });
  expect(shown()).toEqual([]);
});

test('tells a data plane that Konnect hears nothing of from one that is behind', () => {
  const planes = new DataPlanes();
  const one = (name: string, hash: string | null, heardAt: number | null, id = name) => ({ id, name, hash, heardAt });
  const now = Date.UTC(2026, 0, 1, 12);
  const listed = [
    one('gone', 'old', now - 600_000),
    one('here', 'new', now - 30_000),
    one('new', null, null),
    one('pod', 'new', now, '1'),
    one('pod', 'old', now, '2'),
  ];
  planes.note(listed, 'new', now);
  expect(planes.shown.map(({ url, state, failure }) => [url, state, failure])).toEqual([
    ['gone', 'silent', 'Konnect has not heard from it since 2026-01-01T11:50:00.000Z'],
    ['here', 'current', null],
    ['new', 'unknown', null],
    ['pod (1)', 'current', null],
    ['pod (2)', 'different', null],
  ]);
  const { shown } = planes;
  planes.note(listed, 'new', now + 1_000);
  expect(planes.shown).toBe(shown);
  planes.note([one('here', 'newer', now)], 'newest', now + 60_000);
  planes.note([one('here', 'newer', now)], 'newer', now + 90_000);
  expect(planes.shown).toMatchObject([{ url: 'here', state: 'current', since: now + 90_000 }]);
});

test('does without what the token may not know of data planes', async () => {
  bench.emulators[0]?.behaviour({ fail: { status: 403, path: '/nodes' } });
  expect(await detailOf()).toBe('1 entity read back and equal');
});

test('looks after data planes that are behind, and says when more of them follow', async () => {
  const [emulator] = bench.emulators;
  emulator?.behaviour({ nodes: { count: 2, lagging: 1 } });
  const destination = bench.open();
  await applied(bench, shop, { destination });
  const stop = new AbortController();
  await new Promise<void>((resolve) => {
    let looked = 0;
    const watched = destination.watch?.(() => {
      expect(looked).toBe(1);
      stop.abort();
      resolve(watched);
    }, stop.signal);
    emulator?.behaviour({ nodes: { count: 2, lagging: 0 } });
    looked += 1;
  });
});

test('keeps still when the rate is used up, as the headers of an answer say', async () => {
  const pause: number[] = [];
  const asked: HttpRequest[] = [];
  const left = ['1', '0', '5'];
  const world: RequestWorld = {
    http: {
      request: async (request) => {
        asked.push(request);
        const headers = { 'ratelimit-remaining': left[asked.length - 1] ?? '', 'ratelimit-reset': '3' };
        return { status: 200, headers, text: '', json: undefined };
      },
      close: async () => undefined,
    },
    pace: new Pace(),
    clock: {
      ...bench.clock,
      monotonic: () => 0,
      sleep: async (ms) => {
        pause.push(ms);
      },
    },
    random: () => 0.5,
  };
  for (const path of ['/1', '/2', '/3']) await send(world, { method: 'GET', path }, signal);
  expect(pause).toEqual([3_000]);
});
