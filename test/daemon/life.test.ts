import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { until } from '../support/until.ts';
import { clash, DaemonWorld, everywhere, files, marker } from './world.ts';

// Processes and servers take their time where much else runs; every wait is for something that ends it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: DaemonWorld;
beforeAll(async () => {
  world = await DaemonWorld.open();
});
afterAll(() => world.close());

// The tests of this file are one story: each starts from where the one before has ended.

let good = '';
let bad = '';

test('the first revision and a change reach every destination, and the commit says so', async () => {
  const first = await world.repository.commit({ files: files(10) });
  await world.start();
  await world.applied(first);
  await world.posted(first, everywhere('success'));
  good = await world.repository.commit({ files: files(20) });
  await world.applied(good);
  await world.posted(good, everywhere('success'));
});

test('a clash is refused with its places; the last good revision stays in force, and nothing is written', async () => {
  const writes = world.writes();
  bad = await world.repository.commit({ files: clash });
  await world.posted(bad, everywhere('failure'));
  const { validation, destinations } = await world.status();
  const found = validation?.diagnostics.find(({ rule }) => rule === 'unique-credential');
  expect(found?.locations.map(({ file }) => file).sort()).toEqual(['consumers.yaml', 'partner.yaml']);
  expect(destinations.map(({ revisionApplied }) => revisionApplied)).toEqual([good, good, good]);
  expect(world.writes()).toBe(writes);
  expect(world.forge.newest(bad, 'konverge/validate')?.description).toContain('partner.yaml:5');
});

test('SIGTERM ends it with 0; a restart on the invalid head finds the last good revision, and writes nothing', async () => {
  expect(await world.stop()).toBe(0);
  const writes = world.writes();
  await world.start();
  await world.applied(good);
  expect((await world.status()).validation).toMatchObject({ revision: bad, valid: false });
  expect(world.writes()).toBe(writes);
});

test('with an empty store too, and a destination that lost everything is fed from the last good revision', async () => {
  await world.stop();
  world.kong.reset();
  world.node.restart(false);
  const writes = world.konnect.counters().writes;
  await world.start({ freshStore: true });
  await world.applied(good);
  expect(world.kong.request('GET', '/services/orders').status).toBe(200);
  expect(world.node.request('GET', '/services/orders').status).toBe(200);
  expect(world.konnect.counters().writes).toBe(writes);
});

test('what is put right is delivered; a restart against what matches writes nothing, with a store and without', async () => {
  good = await world.repository.commit({ files: { 'gateway/partner.yaml': null, ...files(30) } });
  await world.applied(good);
  await world.posted(good, everywhere('success'));
  for (const freshStore of [false, true]) {
    await world.stop();
    const writes = world.writes();
    await world.start({ freshStore });
    await world.applied(good);
    expect(world.writes()).toBe(writes);
  }
});

test('a rewind and a forced push are followed', async () => {
  const next = await world.repository.commit({ files: files(40) });
  await world.applied(next);
  await world.repository.setBranch('main', good);
  await world.applied(good);
  const unrelated = await world.repository.commit({ files: files(50), parents: [] });
  await world.applied(unrelated);
  good = unrelated;
});

test('a branch that is gone changes nothing, is said, and is followed again when it is back', async () => {
  const writes = world.writes();
  await world.repository.deleteBranch('main');
  await until('the missing branch to be found', async () => (await world.status()).failure?.code === 'branch-missing');
  const { destinations } = await world.status();
  expect(destinations.map(({ state, revisionApplied }) => [state, revisionApplied])).toEqual(
    ['applied', 'applied', 'applied'].map((state) => [state, good]),
  );
  expect(world.writes()).toBe(writes);
  await world.repository.setBranch('main', good);
  const next = await world.repository.commit({ files: files(60) });
  await world.applied(next);
  expect((await world.status()).failure).toBeNull();
  good = next;
});

test('a Git server that fails is said, and caught up with when it is back', async () => {
  world.git.faults.status = 503;
  await until('the failure to be found', async () => (await world.status()).failure !== null);
  const next = await world.repository.commit({ files: files(70) });
  world.git.heal();
  await world.applied(next);
  good = next;
});

test('a forge that is down delays nobody, and is told when it is back', async () => {
  world.forge.switches.down = true;
  const next = await world.repository.commit({ files: files(80) });
  await world.applied(next);
  expect(world.forge.newest(next, 'konverge')).toBeUndefined();
  world.forge.switches.down = false;
  await world.posted(next, everywhere('success'));
});

test('no secret was said to anybody', async () => {
  expect(await world.said()).not.toContain(marker);
});
