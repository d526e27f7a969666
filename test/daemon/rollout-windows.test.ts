import { afterEach, describe, expect, test, vi } from 'vitest';
import { RolloutWorld, service } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: RolloutWorld;
afterEach(() => world.close());

async function open(start: string, rollout: string, interval = '5m', driftInterval = '30m'): Promise<void> {
  world = await RolloutWorld.open({
    start: Date.parse(start),
    interval,
    driftInterval,
    emulators: { prod: 'kong' },
    destinations: (url) => [`name: prod, kong: { url: "${url('prod')}" }, ${rollout}`],
  });
}

/** Waits for the revision, a minute at a time. */
function has(revision: string): Promise<void> {
  return world.later(`prod to have ${revision}`, () => world.appliedAt('prod', revision) !== undefined, 60_000);
}

function applied(revision: string): string {
  return new Date(world.appliedAt('prod', revision) ?? 0).toISOString().slice(0, 13);
}

test('a window in the zone of its people opens by itself, an hour earlier in UTC once they changed their clocks', async () => {
  // 8 in Berlin is 7 UTC on the last Saturday of winter time, and 6 UTC on the day after.
  await open('2026-03-28T05:30:00Z', 'windows: [{ cron: "0 8 * * *", duration: 1h, timeZone: Europe/Berlin }]');
  const one = await world.repository.commit({ files: service('one.example.com') });
  const waiting = await world.says('prod', 'waiting', 'outside of its windows: the next opens at 2026-03-28 07:00Z');
  expect(waiting.waitingFor).toBe('a window');
  await world.posted(one, 'prod', 'pending', 'outside of its windows');
  expect(world.kong('prod').counters().writes).toBe(0);
  await has(one);
  expect(applied(one)).toBe('2026-03-28T07');
  await world.later('the window to close', () => world.clock.now() > Date.parse('2026-03-28T08:00Z'), 60_000);
  const two = await world.repository.commit({ files: service('two.example.com') });
  const next = await world.says('prod', 'waiting', 'the next opens at 2026-03-29 06:00Z', 60_000);
  expect(next.applied).toBe(one);
  // A look at drift is due before the window.
  expect(next.nextTryAt).toBeLessThanOrEqual(world.clock.now() + 1_800_000);
  await world.later('the window to be open', () => world.status('prod').applied === two, 300_000);
  expect(applied(two)).toBe('2026-03-29T06');
});

test('a window at a time that the clocks skip opens when they have been put forward, and one shown twice opens once', async () => {
  await open('2026-03-29T00:30:00Z', 'windows: [{ cron: "30 2 * * sun", duration: 30m, timeZone: Europe/Berlin }]');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.says('prod', 'waiting', 'the next opens at 2026-03-29 01:00Z');
  await has(one);
  expect(applied(one)).toBe('2026-03-29T01');
  await world.close();
  await open('2026-10-25T00:15:00Z', 'windows: [{ cron: "30 2 * * sun", duration: 30m, timeZone: Europe/Berlin }]');
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.says('prod', 'waiting', 'the next opens at 2026-10-25 00:30Z');
  await has(two);
  await world.later('the window to close', () => world.clock.now() >= Date.parse('2026-10-25T01:00Z'), 60_000);
  await world.repository.commit({ files: service('three.example.com') });
  await world.says('prod', 'waiting', 'the next opens at 2026-11-01 01:30Z', 60_000);
});

test('a freeze ends by itself; until then drift is put right, and neither sync nor approval lets the revision out', async () => {
  await open('2026-12-31T22:00:00Z', '', '1m', '1m');
  const one = await world.repository.commit({ files: service('one.example.com', consumers(12)) });
  await has(one);
  await world.stop();
  await world.configure({
    destinations: (url) => [
      `name: prod, kong: { url: "${url('prod')}" }, freeze: { until: 2027-01-01T00:00:00Z, reason: "end of the year" }`,
    ],
  });
  await world.start();
  const two = await world.repository.commit({ files: service('two.example.com', consumers(12)) });
  const frozen = await world.says('prod', 'waiting', 'frozen until 2027-01-01 00:00Z (end of the year)');
  expect(frozen.waitingFor).toBe('the end of the freeze');
  expect(frozen.applied).toBe(one);
  await world.posted(two, 'prod', 'pending', 'frozen until 2027-01-01 00:00Z (end of the year)');
  const host = () => JSON.stringify(world.kong('prod').request('GET', '/services/orders').body);
  world.kong('prod').request('PATCH', '/services/orders', { host: 'by-hand.example.com' });
  await world.later('drift to be put right', () => host().includes('one.example.com'));
  world.lane('prod').sync();
  await world.pass(120_000);
  expect(host()).toContain('one.example.com');
  expect(world.status('prod').state).toBe('waiting');
  // What has to be approved is held first, so that the approval is there when the freeze ends.
  const three = await world.repository.commit({ files: service('three.example.com') });
  const held = await world.says('prod', 'held', 'would be deleted');
  world.lane('prod').approve(held.plan?.fingerprint ?? '');
  await world.says('prod', 'waiting', 'frozen until');
  // It outlives a restart.
  await world.restart();
  expect((await world.says('prod', 'waiting', 'frozen until')).approval).toMatchObject({ by: 'person' });
  expect(world.shown().page).toContain('approved by a person');
  expect(host()).toContain('one.example.com');
  await has(three);
  expect(world.status('prod').approval).toBeNull();
  expect(await world.history('prod')).toContain('approved: approved by a person');
  expect(applied(three)).toBe('2027-01-01T00');
  await world.posted(three, 'prod', 'success', 'deleted');
});

describe.each([
  { name: 'valid commits', invalid: false, never: ['two', 'three'] },
  { name: 'a valid commit, and an invalid one after it', invalid: true, never: ['two'] },
  { name: 'valid commits, and an invalid one after them', invalid: true, never: ['two', 'three'] },
])('a restart in a freeze on $name that never went out', ({ invalid, never }) => {
  test.each(['reject', 'quarantine'])('keeps what was applied last against drift: onInvalid %s', async (onInvalid) => {
    await open('2026-12-31T22:00:00Z', '', '1m', '10m');
    const one = await world.repository.commit({ files: service('one.example.com') });
    await has(one);
    await world.stop();
    await world.configure({
      policy: `onInvalid: ${onInvalid}`,
      destinations: (url) => [`name: prod, kong: { url: "${url('prod')}" }, freeze: { until: 2027-01-01T00:00:00Z }`],
    });
    for (const host of never) await world.repository.commit({ files: service(`${host}.example.com`) });
    if (invalid)
      await world.repository.commit({ files: service('four.example.com', 'upstreams: [{ name: u, slots: many }]\n') });
    const host = () => JSON.stringify(world.kong('prod').request('GET', '/services/orders').body);
    world.kong('prod').request('PATCH', '/services/orders', { host: 'by-hand.example.com' });
    await world.start();
    await world.says('prod', 'waiting', 'frozen until');
    await world.pass(25 * 60_000);
    expect(host()).toContain('one.example.com');
    expect(world.status('prod')).toMatchObject({ state: 'waiting' });
  });
});

test('a destination without a window is not held by the window of another', async () => {
  world = await RolloutWorld.open({
    emulators: { prod: 'kong', edge: 'dbless' },
    destinations: (url) => [
      `name: prod, kong: { url: "${url('prod')}" }, windows: [{ cron: "0 8 * * *", duration: 1h }]`,
      `name: edge, kong: { nodes: ["${url('edge')}"] }`,
    ],
  });
  const revision = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(revision, 'edge');
  await world.says('prod', 'waiting', 'outside of its windows');
  await world.posted(revision, 'edge', 'success', 'nodes');
});

function consumers(count: number): string {
  const names = Array.from({ length: count }, (_, at) => `  - { username: c${at} }\n`);
  return `consumers:\n${names.join('')}`;
}
