import { afterEach, expect, test, vi } from 'vitest';
import { RolloutWorld, service } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const soakMs = 600_000;

let world: RolloutWorld;
afterEach(() => world.close());

async function open(more = ''): Promise<void> {
  world = await RolloutWorld.open({
    emulators: { staging: 'kong', prod: 'kong', edge: 'dbless' },
    destinations: (url) => [
      `name: staging, kong: { url: "${url('staging')}" }`,
      `name: prod, kong: { url: "${url('prod')}" }, after: [staging], soak: 10m${more}`,
      `name: edge, kong: { nodes: ["${url('edge')}"] }`,
    ],
  });
}

test('production gets a revision once staging has had it for the soak, and nothing before', async () => {
  await open();
  const revision = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(revision, 'staging', 'edge');
  const waiting = await world.says('prod', 'waiting', 'staging has confirmed this revision; it soaks until');
  expect(waiting.waitingFor).toBe('staging to confirm this revision and to stay so for 10m');
  await world.posted(revision, 'prod', 'pending', 'soaks until');
  expect(world.kong('prod').counters().writes).toBe(0);
  await world.applied(revision, 'prod');
  const [staging, prod] = ['staging', 'prod'].map((name) => world.appliedAt(name, revision) ?? 0);
  expect((prod ?? 0) - (staging ?? 0)).toBeGreaterThanOrEqual(soakMs);
  // It ends by itself, and at once.
  expect((prod ?? 0) - (staging ?? 0)).toBeLessThan(soakMs + 60_000);
  await world.posted(revision, 'prod', 'success', 'created');
  await world.posted(revision, 'edge', 'success', 'nodes');
});

test('a newer revision during the soak starts over, and the older one never reaches production', async () => {
  await open();
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.says('prod', 'waiting', 'soaks until');
  await world.pass(soakMs / 2);
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.applied(two, 'staging');
  await world.pass(soakMs / 2 + 60_000);
  expect(world.status('prod').state).toBe('waiting');
  await world.applied(two, 'prod');
  expect(world.appliedAt('prod', one)).toBeUndefined();
  expect((world.appliedAt('prod', two) ?? 0) - (world.appliedAt('staging', two) ?? 0)).toBeGreaterThanOrEqual(soakMs);
  await world.posted(one, 'prod', 'error', 'superseded by');
});

test('a staging that refuses holds production, which says so; the destination without an order goes on', async () => {
  await open();
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'staging', 'prod', 'edge');
  world.kong('staging').behaviour({ fail: { status: 400, methods: ['PUT', 'PATCH', 'POST'], path: '/services' } });
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.applied(two, 'edge');
  await world.says('staging', 'rejected', 'told to fail');
  const held = await world.says('prod', 'waiting', 'held back by staging, which is rejected: ');
  expect(held.applied).toBe(one);
  await world.posted(two, 'staging', 'failure', 'told to fail');
  await world.posted(two, 'prod', 'pending', 'held back by staging');
  await world.pass(soakMs + 60_000);
  expect(world.status('prod').state).toBe('waiting');
  await world.posted(two, 'prod', 'error', 'held back by staging');
  // What is in force in production is kept as it is meanwhile.
  world.kong('prod').request('PATCH', '/services/orders', { host: 'by-hand.example.com' });
  const host = () => JSON.stringify(world.kong('prod').request('GET', '/services/orders').body);
  await world.later('drift in production to be put right', () => host().includes('one.example.com'));
  world.kong('staging').behaviour({ fail: null });
  await world.applied(two, 'staging', 'prod');
  expect((world.appliedAt('prod', two) ?? 0) - (world.appliedAt('staging', two) ?? 0)).toBeGreaterThanOrEqual(soakMs);
  await world.posted(two, 'prod', 'success', '1 updated');
});

test('a staging that hangs, or was changed by hand while it soaks, holds production', async () => {
  await open();
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.says('prod', 'waiting', 'soaks until');
  await world.pass(soakMs / 2);
  const before = world.status('staging').since;
  world.kong('staging').request('PATCH', '/services/orders', { host: 'by-hand.example.com' });
  await world.later('drift in staging to be put right', () => world.status('staging').counts.driftsCorrected === 1);
  await world.applied(one, 'staging');
  expect(world.status('staging').since).toBeGreaterThan(before);
  const since = world.status('staging').since;
  await world.applied(one, 'prod');
  expect((world.appliedAt('prod', one) ?? 0) - since).toBeGreaterThanOrEqual(soakMs);
  world.kong('staging').behaviour({ refuse: true });
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.says('prod', 'waiting', 'held back by staging, which is unreachable');
  await world.applied(two, 'edge');
  world.kong('staging').behaviour({ refuse: null });
  await world.applied(two, 'prod');
});

test('a revision that is invalid for staging alone says so in production', async () => {
  world = await RolloutWorld.open({
    emulators: { staging: 'kong', prod: 'kong' },
    destinations: (url) => [
      `name: staging, kong: { url: "${url('staging')}" }, include: [staging/**]`,
      `name: prod, kong: { url: "${url('prod')}" }, include: [prod/**], after: [staging]`,
    ],
  });
  const files = (staging: string) => ({
    'staging/a.yaml': `_format_version: "3.0"\nservices: [{ name: a, ${staging}: a.example.com }]\n`,
    'prod/a.yaml': '_format_version: "3.0"\nservices: [{ name: a, host: a.example.com }]\n',
  });
  const revision = await world.repository.commit({ files: files('hots') });
  await world.says('prod', 'waiting', 'held back by staging, for which this revision is invalid');
  await world.posted(revision, 'prod', 'pending', 'held back by staging, for which this revision is invalid');
  const fixed = await world.repository.commit({ files: files('host') });
  await world.applied(fixed, 'staging', 'prod');
});

test('a restart during the soak starts it over, and changes nothing that is in place', async () => {
  await open();
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.applied(two, 'staging');
  await world.says('prod', 'waiting', 'soaks until');
  const writes = ['staging', 'prod'].map((name) => world.kong(name).counters().writes);
  await world.restart();
  const began = world.clock.now();
  await world.says('prod', 'waiting', 'soaks until');
  await world.pass(soakMs / 2);
  expect(['staging', 'prod'].map((name) => world.kong(name).counters().writes)).toEqual(writes);
  await world.applied(two, 'prod');
  expect(world.clock.now() - began).toBeGreaterThanOrEqual(soakMs);
});

test('a soak that is shorter than the time between two looks ends with a look', async () => {
  world = await RolloutWorld.open({
    emulators: { staging: 'kong', prod: 'kong' },
    driftInterval: '30m',
    destinations: (url) => [
      `name: staging, kong: { url: "${url('staging')}" }`,
      `name: prod, kong: { url: "${url('prod')}" }, after: [staging], soak: 5m`,
    ],
  });
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  expect((world.appliedAt('prod', one) ?? 0) - (world.appliedAt('staging', one) ?? 0)).toBeLessThan(330_000);
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.applied(two, 'staging');
  world.kong('staging').behaviour({ refuse: true });
  await world.says('prod', 'waiting', 'held back by staging, which is unreachable');
  await world.pass(1_800_000);
  expect(world.of('prod').some(({ applied }) => applied === two)).toBe(false);
  world.kong('staging').behaviour({ refuse: null });
  await world.applied(two, 'prod');
});

test('where drift is ignored, nothing is looked at, and a soak ends all the same', async () => {
  world = await RolloutWorld.open({
    emulators: { staging: 'kong', prod: 'kong' },
    destinations: (url) => [
      `name: staging, kong: { url: "${url('staging')}" }, policy: { drift: ignore }`,
      `name: prod, kong: { url: "${url('prod')}" }, after: [staging], soak: 5m`,
    ],
  });
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  expect((world.appliedAt('prod', one) ?? 0) - (world.appliedAt('staging', one) ?? 0)).toBeGreaterThan(299_000);
});
