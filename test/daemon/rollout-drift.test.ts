import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { RolloutWorld, service } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: RolloutWorld;
afterEach(() => world.close());

async function open(policy: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  world = await RolloutWorld.open({
    emulators: { prod: 'kong', edge: 'dbless' },
    policy,
    destinations: (url) => [
      `name: prod, kong: { url: "${url('prod')}" }${more['prod'] ?? ''}`,
      `name: edge, kong: { nodes: ["${url('edge')}"] }${more['edge'] ?? ''}`,
    ],
  });
  const consumers = 'consumers:\n  - { username: shop, custom_id: "1", tags: [a] }\n';
  const revision = await world.repository.commit({ files: service('one.example.com', consumers) });
  await world.applied(revision, 'prod', 'edge');
  return revision;
}

const live = (path: string) => world.kong('prod').request('GET', path);
const byHand = (path: string, body: JsonObject, method = 'PATCH') => world.kong('prod').request(method, path, body);
const host = () => /"host":"([^"]+)"/.exec(JSON.stringify(live('/services/orders').body))?.[1];

test('correct: what another writer did is described before it is put right, everywhere', async () => {
  const revision = await open('drift: correct, adopt: true');
  byHand('/services/orders', { host: 'by-hand.example.com' });
  byHand('/services', { name: 'stray', host: 'stray.example.com' }, 'POST');
  world.kong('prod').request('DELETE', '/routes/orders');
  await world.later('drift to be put right', () => world.status('prod').counts.driftsCorrected === 1);
  await world.applied(revision, 'prod');
  expect([host(), live('/services/stray').status, live('/routes/orders').status]).toEqual([
    'one.example.com',
    404,
    200,
  ]);
  const what = 'service "orders" was changed (/host: "one.example.com" → "by-hand.example.com")';
  const said = world.lines.findIndex(
    (line) => line.startsWith('prod: another writer was here: ') && line.includes(what),
  );
  expect(said).toBeGreaterThan(-1);
  expect(world.status('prod').drift).toContainEqual(
    expect.objectContaining({ did: 'made', entity: { kind: 'services', name: 'stray' }, outcome: 'corrected' }),
  );
  // Before the first write was made, the status had it.
  const states = world.of('prod').slice(-20);
  const told = states.findIndex(({ drift }) => drift.length === 3);
  const delivering = states.findIndex(
    ({ state, detail }) => state === 'delivering' && detail === 'putting drift right',
  );
  expect(told).toBeGreaterThan(-1);
  expect(told).toBeLessThan(delivering);
  const { page, metrics, json } = world.shown();
  for (const word of [
    'service &#34;orders&#34; was changed',
    'service &#34;stray&#34; was made',
    'route &#34;orders&#34; was deleted',
    'put right',
  ])
    expect(page).toContain(word);
  expect(metrics).toContain('konverge_drift_changes{destination="prod",outcome="corrected"} 3');
  expect(metrics).toContain('konverge_drifts_corrected_total{destination="prod"} 1');
  expect(json).toContain('"did":"deleted","entity":{"kind":"routes","name":"orders"}');
  expect(await world.history('prod')).toContainEqual(
    expect.stringMatching(/^drift-corrected: .*service "orders" was changed/),
  );
});

test('correct: what was lost and changed is put right at once, though what was made waits for a person', async () => {
  const revision = await open('drift: correct');
  byHand('/services/orders', { host: 'by-hand.example.com' });
  byHand('/services', { name: 'stray', host: 'stray.example.com' }, 'POST');
  world.kong('prod').request('DELETE', '/routes/orders');
  await world.says(
    'prod',
    'held',
    '1 entity that no revision of the branch declared would be deleted: service "stray"',
  );
  await world.later('the rest to be put right', () => live('/routes/orders').status === 200);
  expect([host(), live('/services/stray').status]).toEqual(['one.example.com', 200]);
  await world.later('what is held to be the deletion alone', () => {
    const { state, plan } = world.status('prod');
    return state === 'held' && plan?.changes.map(({ action, name }) => `${action} ${name}`).join() === 'delete stray';
  });
  expect(world.status('prod').counts.driftsCorrected).toBe(1);
  world.lane('prod').approve(world.status('prod').plan?.fingerprint ?? '');
  await world.applied(revision, 'prod');
  expect(live('/services/stray').status).toBe(404);
});

test('report: it is left, said on the commit, and over when somebody puts it right', async () => {
  const revision = await open('drift: report');
  byHand('/services/orders', { host: 'by-hand.example.com' });
  await world.says('prod', 'drifted', 'live state differs: 1 to update; service "orders" was changed');
  await world.posted(revision, 'prod', 'failure', 'live state differs');
  const { writes } = world.kong('prod').counters();
  await world.pass(300_000);
  expect([host(), world.kong('prod').counters().writes]).toEqual(['by-hand.example.com', writes]);
  expect(world.shown().metrics).toContain('konverge_drift_changes{destination="prod",outcome="reported"} 1');
  expect(world.shown().page).toContain('left as it is');
  byHand('/services/orders', { host: 'one.example.com' });
  await world.applied(revision, 'prod');
  await world.posted(revision, 'prod', 'success', 'read back');
  byHand('/services/orders', { host: 'by-hand.example.com' });
  await world.says('prod', 'drifted', 'live state differs');
  const next = await world.repository.commit({ files: service('two.example.com') });
  await world.applied(next, 'prod');
  expect([host(), world.status('prod').drift]).toEqual(['two.example.com', []]);
});

test('ignore, for one destination: it does not look; the other one does, and puts it right', async () => {
  await open('drift: correct', { prod: ', policy: { drift: ignore }' });
  byHand('/services/orders', { host: 'by-hand.example.com' });
  world.kong('edge').restart(false);
  await world.later('the node to be fed', () => world.kong('edge').request('GET', '/services/orders').status === 200);
  await world.pass(300_000);
  expect([host(), world.status('prod').state, world.status('prod').drift]).toEqual([
    'by-hand.example.com',
    'applied',
    [],
  ]);
  world.lane('prod').sync();
  await world.later('sync to look', () => host() === 'one.example.com' || world.status('prod').drift.length > 0);
});

test('fields and kinds that others may change stay as they are, while all else is put right', async () => {
  const revision = await open('driftIgnore: [consumers/*/tags, "upstreams/*", services/orders/retries]');
  byHand('/consumers/shop', { tags: ['theirs'] });
  byHand('/upstreams', { name: 'theirs' }, 'POST');
  byHand('/services/orders', { retries: 7 });
  await world.pass(180_000);
  expect(world.status('prod')).toMatchObject({ state: 'applied', drift: [] });
  byHand('/consumers/shop', { custom_id: '2' });
  await world.later('the rest to be put right', () =>
    JSON.stringify(live('/consumers/shop').body).includes('"custom_id":"1"'),
  );
  await world.applied(revision, 'prod');
  expect(JSON.stringify(live('/consumers/shop').body)).toContain('"tags":["theirs"]');
  expect(JSON.stringify(live('/services/orders').body)).toContain('"retries":7');
  expect(live('/upstreams/theirs').status).toBe(200);
  expect(world.status('prod').drift).toMatchObject([{ fields: [{ path: '/custom_id', from: '1', to: '2' }] }]);
  // A newer revision leaves them, too.
  const next = await world.repository.commit({
    files: service('two.example.com', 'consumers:\n  - { username: shop, custom_id: "1", tags: [b] }\n'),
  });
  await world.applied(next, 'prod');
  expect([host(), JSON.stringify(live('/services/orders').body).includes('"retries":7')]).toEqual([
    'two.example.com',
    true,
  ]);
});

test('kinds and fields can be reported and left, while all else is put right, until the next revision', async () => {
  const revision = await open('adopt: true, driftReport: [services/*/host, "upstreams/*"]', {
    edge: ', policy: { drift: report }',
  });
  byHand('/services/orders', { host: 'by-hand.example.com', retries: 7 });
  byHand('/upstreams', { name: 'theirs' }, 'POST');
  byHand('/consumers', { username: 'stray' }, 'POST');
  await world.says('prod', 'drifted', 'live state differs where policy.driftReport leaves it: ');
  const { detail, waitingFor, drift, plan } = world.status('prod');
  for (const what of [
    'upstream "theirs" was made',
    'service "orders" was changed (/host: "one.example.com" → "by-hand.example.com")',
  ])
    expect(detail).toContain(what);
  expect([waitingFor, plan]).toEqual(['a newer revision, or another writer that puts it right', null]);
  expect(host()).toBe('by-hand.example.com');
  expect([live('/upstreams/theirs').status, live('/consumers/stray').status]).toEqual([200, 404]);
  expect(JSON.stringify(live('/services/orders').body)).not.toContain('"retries":7');
  const outcomes = drift.map(({ entity, fields, outcome }) => [entity.name, fields.map(({ path }) => path), outcome]);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ['orders', ['/host'], 'reported'],
      ['theirs', [], 'reported'],
      ['orders', ['/retries'], 'corrected'],
      ['stray', [], 'corrected'],
    ]),
  );
  await world.posted(revision, 'prod', 'failure', 'live state differs where policy.driftReport leaves it');
  expect(world.lines.filter((line) => line.includes('left as it is') && line.startsWith('prod'))).not.toEqual([]);
  const { metrics, json, page } = world.shown();
  expect(metrics).toContain('konverge_drift_changes{destination="prod",outcome="reported"} 2');
  expect(json).toContain('"outcome":"reported"');
  expect(page).toContain('service &#34;orders&#34; was changed');
  expect(await world.history('prod')).toContainEqual(expect.stringMatching(/^drifted: live state differs where/));
  // Nothing is written for what is left, however often it is looked at.
  const { writes } = world.kong('prod').counters();
  await world.pass(600_000);
  expect([world.kong('prod').counters().writes, world.status('prod').state]).toEqual([writes, 'drifted']);
  // It is over when somebody puts it right; and a newer revision puts right what is left.
  byHand('/services/orders', { host: 'one.example.com' });
  byHand('/upstreams/theirs', {}, 'DELETE');
  await world.applied(revision, 'prod');
  await world.posted(revision, 'prod', 'success', '');
  byHand('/services/orders', { host: 'by-hand.example.com' });
  await world.says('prod', 'drifted', 'live state differs where');
  const next = await world.repository.commit({ files: service('two.example.com') });
  await world.applied(next, 'prod');
  expect([host(), world.status('prod').drift]).toEqual(['two.example.com', []]);
});

test('what another tool pushed to a node without a database is not deleted unasked where it is to be left alone', async () => {
  world = await RolloutWorld.open({
    emulators: { edge: 'dbless' },
    policy: 'adopt: true',
    destinations: (url) => [`name: edge, kong: { url: "${url('edge')}" }, exclude: { kinds: [consumers] }`],
  });
  const files = service('one.example.com', 'consumers:\n  - { username: shop }\n');
  const revision = await world.repository.commit({ files });
  await world.applied(revision, 'edge');
  const consumers = () => JSON.stringify(world.kong('edge').request('GET', '/consumers').body);
  expect(consumers()).not.toContain('shop');
  const theirs = { _format_version: '3.0', consumers: [{ username: 'theirs' }] };
  expect(world.kong('edge').request('POST', '/config', { config: JSON.stringify(theirs) }).status).toBe(201);
  const held = await world.says(
    'edge',
    'held',
    'consumer "theirs" would be deleted, which `exclude` is to leave alone',
  );
  expect(held.plan?.held?.code).toBe('not-pruned');
  await world.pass(600_000);
  expect(consumers()).toContain('theirs');
  world.lane('edge').approve(world.status('edge').plan?.fingerprint ?? '');
  await world.applied(revision, 'edge');
  expect(consumers()).not.toContain('theirs');
});

test('what another writer does anew is told as it is now, without what was put right before', async () => {
  const revision = await open('drift: correct');
  byHand('/consumers/shop', { custom_id: '2' });
  await world.later('it to be put right', () => world.status('prod').counts.driftsCorrected === 1);
  for (let times = 1; times <= 4; times += 1) {
    byHand('/services/orders', { host: `by-hand-${times}.example.com` });
    const what = `service "orders" was changed (/host: "one.example.com" → "by-hand-${times}.example.com")`;
    if (times < 4) {
      await world.later('it to be put right', () => host() === 'one.example.com');
      await world.applied(revision, 'prod');
      expect(world.lines).toContain(`prod: another writer was here: ${what}`);
      expect(await world.history('prod')).toContain(`drift-corrected: ${what}`);
    } else {
      const left = await world.says('prod', 'drifted', what);
      expect(left.drift[0]).toMatchObject({ times: 4, outcome: 'flapping', fields: [{ to: 'by-hand-4.example.com' }] });
    }
  }
  byHand('/services/orders', { host: 'by-hand-5.example.com' });
  await world.says('prod', 'drifted', '→ "by-hand-5.example.com")');
});

test('under report, what differs is told, and not what did before', async () => {
  await open('drift: report');
  byHand('/consumers/shop', { custom_id: '2' });
  await world.says('prod', 'drifted', 'consumer "shop" was changed');
  byHand('/consumers/shop', { custom_id: '1' });
  byHand('/services/orders', { host: 'by-hand.example.com' });
  const { detail } = await world.says('prod', 'drifted', 'service "orders" was changed');
  expect(detail).not.toContain('shop');
});

test('another writer that keeps at it is not fought for ever, and it is said', async () => {
  const revision = await open('drift: correct');
  const keepAt = async () => {
    for (let times = 0; times < 3; times += 1) {
      byHand('/services/orders', { host: `by-hand-${times}.example.com` });
      await world.later('it to be put right', () => host() === 'one.example.com');
      await world.applied(revision, 'prod');
    }
    byHand('/services/orders', { host: 'by-hand-again.example.com' });
  };
  await keepAt();
  await world.says(
    'prod',
    'drifted',
    'another writer keeps changing the same, and it is left as it is: service "orders" was changed',
  );
  await world.posted(revision, 'prod', 'failure', 'another writer keeps changing the same');
  await world.pass(600_000);
  expect(host()).toBe('by-hand-again.example.com');
  expect(world.shown().page).toContain('left to the other writer, who does it over and over');
  expect(world.shown().metrics).toContain('konverge_drift_changes{destination="prod",outcome="flapping"} 1');
  expect(await world.history('prod')).toContainEqual(
    expect.stringContaining('drifted: another writer keeps changing the same'),
  );
  byHand('/consumers/shop', { custom_id: '2' });
  await world.later('the rest to be put right', () =>
    JSON.stringify(live('/consumers/shop').body).includes('"custom_id":"1"'),
  );
  expect(host()).toBe('by-hand-again.example.com');
  world.lane('prod').sync();
  await world.applied(revision, 'prod');
  expect(host()).toBe('one.example.com');
  await world.posted(revision, 'prod', 'success', '');
});
