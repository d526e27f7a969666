import { afterEach, expect, test, vi } from 'vitest';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import { RolloutWorld } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: RolloutWorld;
afterEach(() => world.close());

/** So many services, each with a route that asks for a key. */
function services(count: number): Readonly<Record<string, string>> {
  const one = (n: number) =>
    `  - { name: s${n}, host: s${n}.example.com, routes: [{ name: r${n}, paths: [/${n}], plugins: [{ name: key-auth }] }] }`;
  const list = Array.from({ length: count }, (_, n) => one(n + 1));
  return { 'gateway.yaml': `_format_version: "3.0"\n${count === 0 ? '' : `services:\n${list.join('\n')}\n`}` };
}

const all = ['prod', 'edge', 'pair', 'konnect'] as const;

async function open(policy = ''): Promise<string> {
  world = await RolloutWorld.open({
    emulators: { prod: 'kong', edge: 'dbless', one: 'dbless', two: 'dbless', konnect: 'konnect' },
    interval: '2s',
    driftInterval: '5s',
    policy,
    destinations: (url) => [
      `name: prod, kong: { url: "${url('prod')}" }`,
      `name: edge, kong: { nodes: ["${url('edge')}"] }`,
      `name: pair, kong: { nodes: ["${url('one')}", "${url('two')}"] }`,
      `name: konnect, konnect: { url: "${url('konnect')}", controlPlane: test, token: t }`,
    ],
  });
  const revision = await world.repository.commit({ files: services(20) });
  await world.applied(revision, ...all);
  return revision;
}

async function hold(count: number, words: string): Promise<ReadonlyMap<string, LaneStatus>> {
  await world.repository.commit({ files: services(count) });
  const held = new Map<string, LaneStatus>();
  for (const name of all) held.set(name, await world.says(name, 'held', words));
  return held;
}

const count = (emulator: string, path = '/services') => {
  const { body } = world.kong(emulator).request('GET', path);
  return JSON.stringify(body).match(/"created_at"/g)?.length ?? 0;
};
const restartNodes = () => {
  for (const name of ['edge', 'one', 'two']) world.kong(name).restart(false);
};
const fed = () => ['edge', 'one', 'two'].every((name) => count(name) === 20);

test.each([
  [2, 'of 60 entities in scope would be deleted'],
  [0, 'the target state is empty'],
])(
  'nodes that restart beside a held plan get what was applied last, and the plan stays held: %i services',
  async (left, words) => {
    const revision = await open();
    const held = await hold(left, words);
    restartNodes();
    await world.later('the nodes to be fed', fed);
    await world.pass(30_000);
    for (const name of all) {
      const before = held.get(name);
      expect(world.status(name)).toMatchObject({
        state: 'held',
        applied: revision,
        revision: before?.revision,
        detail: before?.detail,
      });
      expect(world.status(name).plan?.fingerprint).toBe(before?.plan?.fingerprint);
    }
    // One node alone, of two.
    world.kong('two').restart(false);
    await world.later('the node to be fed', fed);
    expect(world.status('pair').state).toBe('held');
    for (const name of all) world.lane(name).approve(held.get(name)?.plan?.fingerprint ?? '');
    for (const name of all) await world.says(name, 'applied', '');
    expect([count('edge'), count('one'), count('two'), count('prod')]).toEqual([left, left, left, left]);
  },
);

test('nodes that restarted before a revision came are judged by what they had', async () => {
  const revision = await open();
  restartNodes();
  await hold(2, 'of 60 entities in scope would be deleted');
  expect(fed()).toBe(true);
  expect(world.status('edge').applied).toBe(revision);
});

test('a restart of all there is, beside a held plan, lets nothing through that nobody approved', async () => {
  const revision = await open();
  const held = await hold(2, 'of 60 entities in scope would be deleted');
  await world.stop();
  restartNodes();
  await world.start();
  await world.later('the nodes to be fed', fed);
  for (const name of all) await world.says(name, 'held', 'of 60 entities in scope would be deleted');
  await world.pass(30_000);
  expect(fed()).toBe(true);
  for (const name of all) {
    expect(world.status(name)).toMatchObject({ state: 'held', applied: revision });
    expect(world.status(name).plan?.fingerprint).toBe(held.get(name)?.plan?.fingerprint);
  }
});

test('what others delete while nothing runs lets no plan through that was held', async () => {
  const revision = await open();
  const held = await hold(2, 'of 60 entities in scope would be deleted');
  await world.stop();
  for (let n = 3; n <= 17; n += 1) {
    expect(world.kong('prod').request('DELETE', `/routes/r${n}`).status).toBe(204);
    expect(world.kong('prod').request('DELETE', `/services/s${n}`).status).toBe(204);
  }
  await world.start();
  await world.says('prod', 'held', 'of 60 entities in scope would be deleted');
  await world.pass(10_000);
  expect(world.status('prod')).toMatchObject({ state: 'held', applied: revision });
  expect(world.status('prod').plan?.fingerprint).toBe(held.get('prod')?.plan?.fingerprint);
  expect(count('prod')).toBe(20);
  world.lane('prod').approve(held.get('prod')?.plan?.fingerprint ?? '');
  await world.says('prod', 'applied', '');
  expect(count('prod')).toBe(2);
});

test('an empty state is no success of nodes of which nothing is known', async () => {
  await open();
  await hold(0, 'the target state is empty');
  await world.stop();
  await world.forget();
  restartNodes();
  await world.start();
  await world.says('edge', 'held', 'the target state is empty');
  await world.later('the nodes to be fed with what was good last', fed);
  expect(
    world
      .of('edge')
      .slice(-40)
      .some(({ state, revision, applied }) => state === 'applied' && applied === revision && count('edge') === 0),
  ).toBe(false);
  await world.says('edge', 'held', '60 entities are live');
});

test('what another writer changes beside a held plan is put right', async () => {
  const revision = await open();
  const held = await hold(2, 'of 60 entities in scope would be deleted');
  const plugin = /"id":"([^"]+)"/.exec(
    JSON.stringify(world.kong('prod').request('GET', '/routes/r1/plugins').body),
  )?.[1];
  expect(world.kong('prod').request('DELETE', `/plugins/${plugin}`).status).toBe(204);
  await world.later('the plugin to be there again', () => count('prod', '/routes/r1/plugins') === 1);
  await world.pass(10_000);
  expect(world.status('prod')).toMatchObject({ state: 'held', applied: revision, counts: { driftsCorrected: 1 } });
  expect(world.status('prod').plan?.fingerprint).toBe(held.get('prod')?.plan?.fingerprint);
  expect(world.lines).toContainEqual(
    expect.stringMatching(
      /^prod: another writer was here: .*"key-auth" was deleted|^prod: another writer was here: plugin/,
    ),
  );
  expect(world.status('prod').unaffected).toContain('kept against drift');
  world.lane('prod').approve(held.get('prod')?.plan?.fingerprint ?? '');
  await world.says('prod', 'applied', '');
  expect(count('prod')).toBe(2);
});
