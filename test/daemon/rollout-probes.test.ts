import { afterEach, expect, test, vi } from 'vitest';
import { answerJson, startServer, type TestServer } from '../support/http-server.ts';
import { RolloutWorld, service } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: RolloutWorld;
let proxy: TestServer;
/** How long the proxy takes to follow what the Admin API was told, in milliseconds. */
let followsAfterMs = 0;
let isDown = false;
afterEach(async () => {
  await Promise.all([world.close(), proxy.close()]);
});

const host = () =>
  /"host":"([^"]+)"/.exec(JSON.stringify(world.kong('prod').request('GET', '/services/orders').body))?.[1];

/** A proxy that answers 502 where the service's host is a broken one, and follows the Admin API after a while. */
async function startProxy(): Promise<void> {
  isDown = false;
  let live: string | undefined;
  let seen: { readonly host: string | undefined; readonly at: number } = { host: undefined, at: 0 };
  proxy = await startServer((got, response) => {
    if (seen.host !== host()) seen = { host: host(), at: world.clock.now() };
    if (world.clock.now() - seen.at >= followsAfterMs) live = seen.host;
    const broken = live === undefined || live.startsWith('broken');
    if (isDown) return answerJson(response, 503, {});
    answerJson(response, got.headers.host?.startsWith('127.') === true && broken ? 502 : 200, {});
  });
}

async function open(onUnhealthy: 'hold' | 'rollback', more = ''): Promise<void> {
  followsAfterMs = 0;
  await startProxy();
  world = await RolloutWorld.open({
    emulators: { prod: 'kong' },
    policy: `onUnhealthy: ${onUnhealthy}`,
    destinations: (url) => [
      `name: prod, kong: { url: "${url('prod')}" }, probes: [{ url: "${proxy.url}/orders", within: 20s }, { url: "${url('prod')}/status" }]${more}`,
    ],
  });
}

test('success is said once the proxy and the node answer rightly, with time for the node to follow its database', async () => {
  await open('hold', ', updateInterval: 30s');
  followsAfterMs = 0;
  const revision = await world.repository.commit({ files: service('one.example.com') });
  await world.says('prod', 'delivering', 'delivered; the probes are being asked', 1_000);
  const delivered = world.clock.now();
  expect(proxy.got).toEqual([]);
  await world.applied(revision, 'prod');
  expect((world.appliedAt('prod', revision) ?? 0) - delivered).toBeGreaterThanOrEqual(29_000);
  expect(proxy.got.map(({ url }) => url)).toContain('/orders');
  expect(
    world
      .kong('prod')
      .log()
      .some(({ path }) => path.startsWith('/status')),
  ).toBe(true);
  // What is in place is not asked about again by a look at drift, nor for the same content; after a restart it is, once.
  const asked = proxy.got.length;
  await world.pass(180_000);
  const same = await world.repository.commit({ files: { 'README.md': 'Of the gateway.' } });
  await world.applied(same, 'prod');
  expect(proxy.got.length).toBe(asked);
  const { writes } = world.kong('prod').counters();
  await world.restart();
  await world.applied(same, 'prod');
  expect(proxy.got.length).toBe(asked + 1);
  expect(world.kong('prod').counters().writes).toBe(writes);
});

test('a proxy that follows late, but in time, is healthy', async () => {
  await open('rollback');
  followsAfterMs = 15_000;
  const revision = await world.repository.commit({ files: service('one.example.com') });
  await world.says('prod', 'delivering', 'the probes are being asked', 1_000);
  await world.later('success', () => world.status('prod').applied === revision, 1_000);
  expect(world.of('prod').map(({ state }) => state)).not.toContain('rolled-back');
  await world.posted(revision, 'prod', 'success', 'created');
});

test('hold leaves what does not work, says what was asked, and goes on when it works', async () => {
  await open('hold');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  const two = await world.repository.commit({ files: service('broken.example.com') });
  const held = await world.says('prod', 'held', `delivered, and not healthy: ${proxy.url}/orders answers 502, not 200`);
  expect(held.applied).toBe(one);
  await world.posted(two, 'prod', 'failure', `${proxy.url}/orders answers 502, not 200`);
  expect(host()).toBe('broken.example.com');
  const writes = world.kong('prod').counters().writes;
  await world.pass(300_000);
  expect(world.status('prod').state).toBe('held');
  expect(world.kong('prod').counters().writes).toBe(writes);
  world.lane('prod').approve(held.plan?.fingerprint ?? '');
  await world.applied(two, 'prod');
  await world.posted(two, 'prod', 'success', 'updated');
});

test('rollback puts the last good revision back once, says so, and tries the next one', async () => {
  await open('rollback');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  const before = world.status('prod').generation;
  const two = await world.repository.commit({ files: service('broken.example.com') });
  const back = await world.says(
    'prod',
    'rolled-back',
    `taken back to ${one.slice(0, 7)}: not healthy: ${proxy.url}/orders`,
  );
  expect(back).toMatchObject({ revision: two, applied: one, attempted: two });
  expect(back.generation).toBeGreaterThan(before + 1);
  expect(host()).toBe('one.example.com');
  await world.posted(two, 'prod', 'failure', `${proxy.url}/orders answers 502, not 200`);
  await world.posted(two, 'prod', 'failure', `taken back to ${one.slice(0, 7)}`);
  // It is not repeated: what was taken back stays so, and is kept from drift.
  const writes = world.kong('prod').counters().writes;
  await world.pass(600_000);
  expect(world.kong('prod').counters().writes).toBe(writes);
  world.kong('prod').request('PATCH', '/services/orders', { host: 'by-hand.example.com' });
  await world.later('drift to be put right', () => host() === 'one.example.com');
  await world.says('prod', 'rolled-back', 'taken back');
  expect(await world.history('prod')).toContainEqual(expect.stringMatching(/^rolled-back: taken back to /));
  expect(world.shown().metrics).toContain('konverge_destination_state{destination="prod",state="rolled-back"} 1');
  // The next revision is tried like any other, and one that is as bad is taken back to what worked.
  const three = await world.repository.commit({ files: service('broken-again.example.com') });
  await world.later(
    'the next to be taken back',
    () => world.status('prod').revision === three && world.status('prod').state === 'rolled-back',
  );
  expect(host()).toBe('one.example.com');
  const four = await world.repository.commit({ files: service('four.example.com') });
  await world.applied(four, 'prod');
  expect(host()).toBe('four.example.com');
});

test('a node that is restarted after a roll-back is given what is in force, and no node what was taken back', async () => {
  proxy = await startServer((_, response) => answerJson(response, isDown ? 503 : 200, {}));
  isDown = false;
  world = await RolloutWorld.open({
    emulators: { a: 'dbless', b: 'dbless' },
    policy: 'onUnhealthy: rollback',
    driftInterval: '10m',
    destinations: (url) => [
      `name: edge, kong: { nodes: ["${url('a')}", "${url('b')}"] }, probes: [{ url: "${proxy.url}/orders", within: 5s }]`,
    ],
  });
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'edge');
  isDown = true;
  await world.repository.commit({ files: service('two.example.com') });
  await world.says('edge', 'rolled-back', 'taken back to');
  const writes = world.kong('b').counters().writes;
  for (let times = 0; times < 3; times += 1) {
    await world.pass(30_000);
    world.kong('a').restart(false);
    await world.later('the node to be fed', () =>
      JSON.stringify(world.kong('a').request('GET', '/services').body).includes('one.example.com'),
    );
    await world.says('edge', 'rolled-back', 'taken back to');
  }
  expect(world.kong('b').counters().writes).toBe(writes);
});

const consumers = (count: number) =>
  `consumers:\n${Array.from({ length: count }, (_, at) => `  - { username: c-${at} }\n`).join('')}`;

test('to take back what a revision brought needs nobody, however much it is', async () => {
  await open('rollback');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  await world.repository.commit({ files: service('broken.example.com', consumers(30)) });
  await world.says('prod', 'rolled-back', `taken back to ${one.slice(0, 7)}: not healthy`);
  expect(host()).toBe('one.example.com');
  expect(world.kong('prod').request('GET', '/consumers').body).toMatchObject({ data: [] });
  expect(world.of('prod').some(({ state }) => state === 'held')).toBe(false);
});

test('to take back deletes nothing of others unasked, and says what it is that is held', async () => {
  await open('rollback');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  await world.repository.commit({ files: service('broken.example.com', consumers(30)) });
  await world.says('prod', 'delivering', 'the probes are being asked', 1_000);
  world.kong('prod').request('PUT', '/services/theirs', { host: 'theirs.example.com' });
  const held = await world.says('prod', 'held', 'deleted');
  expect(held.detail).toMatch(
    new RegExp(`^not healthy: .*/orders answers 502, not 200; to take it back to ${one.slice(0, 7)} is held: 31 of 3`),
  );
  expect(world.kong('prod').request('GET', '/services/theirs').status).toBe(200);
  world.lane('prod').approve(held.plan?.fingerprint ?? '');
  await world.says('prod', 'rolled-back', 'taken back');
});

test('a restart does not deliver again what was taken back, until somebody asks for it', async () => {
  await open('rollback');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  await world.repository.commit({ files: service('broken.example.com') });
  await world.says('prod', 'rolled-back', 'taken back');
  for (const _ of ['once', 'and again']) {
    const { writes } = world.kong('prod').counters();
    await world.restart();
    await world.says('prod', 'rolled-back', `taken back to ${one.slice(0, 7)}: not healthy: ${proxy.url}/orders`);
    await world.pass(300_000);
    expect(world.kong('prod').counters().writes).toBe(writes);
  }
  world.lane('prod').sync();
  await world.later('it to be tried again', () => host() === 'broken.example.com', 1_000);
  await world.later('it to be taken back again', () => host() === 'one.example.com');
  // Where nothing is kept it is tried again, and taken back to what the branch's past has.
  await world.stop();
  await world.forget();
  await world.start();
  await world.says('prod', 'rolled-back', `taken back to ${one.slice(0, 7)}`);
  expect(host()).toBe('one.example.com');
});

async function openBehind(onUnhealthy: 'hold' | 'rollback'): Promise<void> {
  followsAfterMs = 0;
  await startProxy();
  world = await RolloutWorld.open({
    emulators: { prod: 'kong', next: 'kong' },
    policy: `onUnhealthy: ${onUnhealthy}`,
    destinations: (url) => [
      `name: prod, kong: { url: "${url('prod')}" }, probes: [{ url: "${proxy.url}/orders", within: 20s }]`,
      `name: next, kong: { url: "${url('next')}" }, after: [prod], soak: 4s`,
    ],
  });
}

const nextHost = () => JSON.stringify(world.kong('next').request('GET', '/services/orders').body);

test('what does not work reaches nobody by a commit of something else, nor by a restart', async () => {
  await openBehind('hold');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod', 'next');
  await world.repository.commit({ files: service('broken.example.com') });
  await world.says('prod', 'held', 'not healthy');
  const three = await world.repository.commit({ files: { 'README.md': 'Of the gateway.' } });
  await world.later('the next to be held', () => {
    const { state, revision } = world.status('prod');
    return state === 'held' && revision === three;
  });
  await world.pass(300_000);
  await world.restart();
  await world.says('prod', 'held', 'not healthy');
  await world.pass(300_000);
  expect(world.of('prod').filter(({ applied }) => applied === three)).toEqual([]);
  expect(world.of('next').filter(({ applied }) => applied !== null && applied !== one)).toEqual([]);
  expect(nextHost()).toContain('one.example.com');
  const four = await world.repository.commit({ files: service('four.example.com') });
  await world.applied(four, 'prod', 'next');
});

test('a process that ends while the probes are asked leaves a revision to be proven, and taken back', async () => {
  await openBehind('rollback');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod', 'next');
  const two = await world.repository.commit({ files: service('broken.example.com') });
  await world.says('prod', 'delivering', 'the probes are being asked', 1_000);
  expect(host()).toBe('broken.example.com');
  await world.restart();
  await world.says('prod', 'rolled-back', `taken back to ${one.slice(0, 7)}`);
  expect(host()).toBe('one.example.com');
  await world.pass(60_000);
  expect(world.of('next').some(({ applied }) => applied === two)).toBe(false);
  expect(nextHost()).toContain('one.example.com');
});

test('production is held by a staging that was taken back', async () => {
  followsAfterMs = 0;
  await startProxy();
  world = await RolloutWorld.open({
    emulators: { prod: 'kong', next: 'kong' },
    policy: 'onUnhealthy: rollback',
    destinations: (url) => [
      `name: prod, kong: { url: "${url('prod')}" }, probes: [{ url: "${proxy.url}/orders", within: 20s }]`,
      `name: next, kong: { url: "${url('next')}" }, after: [prod]`,
    ],
  });
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod', 'next');
  const two = await world.repository.commit({ files: service('broken.example.com') });
  const held = await world.says('next', 'waiting', 'held back by prod, which is rolled-back: taken back to');
  expect(held.applied).toBe(one);
  await world.posted(two, 'next', 'pending', 'held back by prod');
});

test.each(['hold', 'rollback'] as const)(
  'what stops working while it soaks holds the rest, under %s',
  async (onUnhealthy) => {
    followsAfterMs = 0;
    await startProxy();
    world = await RolloutWorld.open({
      emulators: { prod: 'kong', next: 'kong' },
      policy: `onUnhealthy: ${onUnhealthy}`,
      driftInterval: '10m',
      destinations: (url) => [
        `name: prod, kong: { url: "${url('prod')}" }, probes: [{ url: "${proxy.url}/orders", within: 5s }]`,
        `name: next, kong: { url: "${url('next')}" }, after: [prod], soak: 5m`,
      ],
    });
    const one = await world.repository.commit({ files: service('one.example.com') });
    await world.applied(one, 'prod', 'next');
    // It is asked all the while, and no longer.
    const asked = proxy.got.length;
    expect(asked).toBeGreaterThan(5);
    await world.pass(300_000);
    expect(proxy.got.length).toBe(asked);
    const two = await world.repository.commit({ files: service('later-broken.example.com') });
    await world.applied(two, 'prod');
    await world.says('next', 'waiting', 'soaks until');
    await world.pass(120_000);
    expect(world.status('prod').state).toBe('applied');
    isDown = true;
    if (onUnhealthy === 'hold') {
      await world.says('prod', 'held', `${proxy.url}/orders answers 503`);
      await world.says('next', 'waiting', 'held back by prod, which is held');
      await world.pass(600_000);
      expect(world.status('next').applied).toBe(one);
      isDown = false;
      await world.applied(two, 'prod');
      const since = world.status('prod').since;
      await world.applied(two, 'next');
      expect(world.clock.now() - since).toBeGreaterThanOrEqual(300_000);
    } else {
      await world.says('prod', 'rolled-back', `taken back to ${one.slice(0, 7)}: not healthy: ${proxy.url}/orders`);
      expect(host()).toBe('one.example.com');
      await world.says('next', 'waiting', 'held back by prod, which is rolled-back');
      await world.posted(two, 'prod', 'failure', 'taken back');
    }
  },
);

test('what stops working while it soaks is taken back whatever order, window or freeze there is for a revision', async () => {
  followsAfterMs = 0;
  await startProxy();
  world = await RolloutWorld.open({
    emulators: { stage: 'kong', prod: 'kong', next: 'kong' },
    policy: 'onUnhealthy: rollback',
    driftInterval: '10m',
    destinations: (url) => [
      `name: stage, kong: { url: "${url('stage')}" }`,
      `name: prod, kong: { url: "${url('prod')}" }, after: [stage], windows: [{ cron: "0 23 * * *", duration: 5m }], probes: [{ url: "${proxy.url}/orders", within: 5s }]`,
      `name: next, kong: { url: "${url('next')}" }, after: [prod], soak: 1h`,
    ],
  });
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'stage', 'prod');
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.applied(two, 'stage', 'prod');
  await world.pass(600_000);
  isDown = true;
  const back = await world.says('prod', 'rolled-back', `taken back to ${one.slice(0, 7)}: not healthy`);
  expect(back).toMatchObject({ revision: two, applied: one });
  expect(host()).toBe('one.example.com');
  expect(
    world
      .of('prod')
      .some(
        ({ state, revision, detail }) => state === 'waiting' && revision === two && detail.includes('has not taken up'),
      ),
  ).toBe(false);
  await world.says('next', 'waiting', 'held back by prod, which is rolled-back');
});
