import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { until } from '../support/until.ts';
import { DaemonWorld, everywhere, files, marker } from './world.ts';

// Processes and servers take their time where much else runs; every wait is for something that ends it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: DaemonWorld;
beforeAll(async () => {
  world = await DaemonWorld.open();
});
afterAll(() => world.close());

// One story: each test starts from where the one before has ended.

let newest = '';

test('while Konnect hangs, ten commits reach the gateways one by one; then Konnect gets the newest, once', async () => {
  const first = await world.repository.commit({ files: files(1) });
  await world.start();
  await world.applied(first);
  world.konnect.behaviour({ hang: true });
  const lines = world.konnect.log().length;
  for (let change = 2; change <= 11; change += 1) {
    newest = await world.repository.commit({ files: files(change) });
    await world.applied(newest, ['gateway', 'edge']);
  }
  await until('Konnect to be unreachable', async () => (await world.lane('konnect')).state === 'unreachable');
  const waiting = await world.lane('konnect');
  expect(waiting).toMatchObject({ revisionApplied: first, lastError: { class: 'unreachable' } });
  expect(waiting.waitingFor).not.toBeNull();
  await world.posted(newest, { 'konverge/gateway': 'success', 'konverge/konnect': 'pending' });

  const writes = world.konnect.counters().writes;
  world.konnect.behaviour({ hang: null });
  await world.applied(newest);
  expect(world.konnect.counters().writes - writes).toBe(1);
  expect(world.konnect.log().length).toBeGreaterThan(lines);
  await world.posted(newest, everywhere('success'));
});

test('a gateway that hangs delays neither Konnect nor the status page', async () => {
  world.kong.behaviour({ hang: true });
  world.git.faults.delayMs = 50;
  newest = await world.repository.commit({ files: files(20) });
  await world.applied(newest, ['edge', 'konnect']);
  world.git.heal();
  world.kong.behaviour({ hang: null });
  await world.ask('/api/v1/destinations/gateway/sync', { method: 'POST' });
  await world.applied(newest);
});

test('an answer that is lost after a write is made up for without a second one', async () => {
  const writes = world.kong.counters().writes;
  world.kong.behaviour({ loseAnswer: { methods: ['PUT', 'POST', 'PATCH'], count: 1 } });
  newest = await world.repository.commit({ files: files(21) });
  await world.applied(newest);
  world.kong.behaviour({ loseAnswer: null });
  expect(world.kong.counters().writes - writes).toBe(1);
});

test('SIGTERM in the middle of a delivery ends the process soon, with 0, and the next start goes on', async () => {
  world.kong.behaviour({ latencyMs: 1_000 });
  newest = await world.repository.commit({ files: files(22) });
  await until('the delivery to begin', async () => (await world.lane('gateway')).revisionAttempted === newest);
  const asked = performance.now();
  expect(await world.stop()).toBe(0);
  expect(performance.now() - asked).toBeLessThan(5_000);
  world.kong.behaviour({ latencyMs: null });
  await world.start();
  await world.applied(newest);
});

test('SIGTERM while everything hangs ends the process soon too', async () => {
  world.kong.behaviour({ hang: true });
  world.konnect.behaviour({ hang: true });
  world.git.faults.hang = true;
  for (const name of ['gateway', 'konnect']) await world.ask(`/api/v1/destinations/${name}/sync`, { method: 'POST' });
  await until('the destinations to be asked', async () => {
    const { destinations } = await world.status();
    return destinations.filter(({ state }) => state !== 'applied').length > 0;
  });
  const asked = performance.now();
  expect(await world.stop()).toBe(0);
  expect(performance.now() - asked).toBeLessThan(5_000);
  world.git.heal();
  world.kong.behaviour({ hang: null });
  world.konnect.behaviour({ hang: null });
});

test('run --once makes one pass: 0 when all have the revision, 1 when one has not', async () => {
  const once = world.spawn(['run', '--once']);
  expect(await once.ended).toBe(0);
  newest = await world.repository.commit({ files: files(23) });
  world.kong.behaviour({ fail: { status: 503 } });
  const failing = world.spawn(['run', '--once']);
  expect(await failing.ended).toBe(1);
  expect(world.forge.newest(newest, 'konverge/edge')?.state).toBe('success');
  world.kong.behaviour({ fail: null });
  expect(await world.spawn(['run', '--once']).ended).toBe(0);
  expect(world.forge.newest(newest, 'konverge')?.state).toBe('success');
});

test('run --once leaves what is suspended, does the rest, and ends with 1', async () => {
  await world.start();
  await world.applied(newest);
  await world.ask('/api/v1/destinations/gateway/suspend', { method: 'POST' });
  await until('the suspension', async () => (await world.lane('gateway')).state === 'suspended');
  await world.stop();
  newest = await world.repository.commit({ files: files(24) });
  const before = world.kong.counters().writes;
  expect(await world.spawn(['run', '--once']).ended).toBe(1);
  expect(world.output).toContain(`gateway: ${newest.slice(0, 10)} suspended: nothing is delivered`);
  expect(world.forge.newest(newest, 'konverge/edge')?.state).toBe('success');
  expect(world.kong.counters().writes).toBe(before);
});

test('no secret was said to anybody', async () => {
  expect(await world.said()).not.toContain(marker);
});
