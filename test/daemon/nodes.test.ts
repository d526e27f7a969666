import { afterEach, expect, test, vi } from 'vitest';
import { RolloutWorld, service } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: RolloutWorld;
afterEach(() => world.close());

const names = ['n1', 'n2', 'n3'];

async function open(quorum: string, policy = '', userinfo = ''): Promise<void> {
  const address = (url: string) => `"${url.replace('//', `//${userinfo}`)}"`;
  world = await RolloutWorld.open({
    emulators: Object.fromEntries(names.map((name) => [name, 'dbless' as const])),
    policy,
    destinations: (url) => [
      `name: edge, kong: { nodes: [${names.map((name) => address(url(name))).join(', ')}], quorum: ${quorum} }`,
    ],
  });
}

const node = (name: string) => world.status('edge').nodes.find(({ url }) => url === world.kong(name).url);
const states = () => names.map((name) => node(name)?.state);

test('each node has its own state, with why, since when, and when it is asked again', async () => {
  await open('2');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'edge');
  expect(states()).toEqual(['current', 'current', 'current']);
  expect(new Set(names.map((name) => node(name)?.hash)).size).toBe(1);
  world.kong('n2').behaviour({ refuse: true });
  // It is late once, which may be chance, then silent, and left alone for longer each time.
  await world.later('the dead node to be noticed', () => node('n2')?.state === 'silent');
  await world.later('it to be left alone', () => (node('n2')?.nextTryAt ?? null) !== null);
  const since = node('n2')?.since ?? 0;
  expect(node('n2')).toMatchObject({ failure: expect.stringContaining(world.kong('n2').url), hash: node('n1')?.hash });
  expect(node('n2')?.nextTryAt).toBeGreaterThan(world.clock.now() - 1);
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.applied(two, 'edge');
  expect(states()).toEqual(['current', 'silent', 'current']);
  expect(node('n2')?.since).toBe(since);
  const { page, metrics, json } = world.shown();
  expect(page).toContain('2 of 3 nodes current');
  expect(page).toMatch(new RegExp(`${world.kong('n2').url}</code> <span class="bad">silent</span>`));
  expect(metrics).toContain('konverge_nodes{destination="edge",state="silent"} 1');
  expect(json).toContain(`{"url":"${world.kong('n2').url}","state":"silent"`);
  world.kong('n2').behaviour({ refuse: null });
  await world.later('the node to be fed', () => node('n2')?.state === 'current');
  expect(node('n2')).toMatchObject({ failure: null, nextTryAt: null, hash: node('n1')?.hash });
  expect(node('n2')?.since).toBeGreaterThan(since);
});

test('a node that refuses, and one that was restarted, are told apart', async () => {
  await open('1');
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'edge');
  world.kong('n3').behaviour({ fail: { status: 400, methods: ['POST'], path: '/config' } });
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.later('the others to have it', () => states().join() === 'current,current,refused');
  expect(node('n3')?.failure).toContain(`POST ${world.kong('n3').url}/config answered 400`);
  world.kong('n1').behaviour({ fail: { status: 503, methods: ['POST'], path: '/config' } });
  world.kong('n1').restart(false);
  await world.later('the empty node to be noticed', () => node('n1')?.state !== 'current');
  expect(['empty', 'silent']).toContain(node('n1')?.state);
  world.kong('n1').behaviour({ fail: null });
  world.kong('n3').behaviour({ fail: null });
  world.lane('edge').sync();
  await world.later('all to have it', () => states().join() === 'current,current,current');
  expect(world.status('edge').applied).toBe(two);
});

test.each(['report', 'correct'])(
  'under %s a node that restarts over and over is fed each time, and it is no drift',
  async (drift) => {
    await open('all', `drift: ${drift}`);
    const revision = await world.repository.commit({ files: service('one.example.com') });
    await world.applied(revision, 'edge');
    for (let times = 0; times < 6; times += 1) {
      world.kong('n2').restart(false);
      await world.later(
        'the empty node to be noticed',
        () => node('n2')?.state === 'empty' || world.status('edge').state !== 'applied',
        1_000,
      );
      await world.later('the node to be fed', () => world.kong('n2').request('GET', '/services/orders').status === 200);
      await world.applied(revision, 'edge');
    }
    expect(world.status('edge')).toMatchObject({ drift: [], counts: { driftsCorrected: 0 } });
    expect(world.lines.join('\n')).not.toContain('another writer');
  },
);

test('no address is shown with what signs in', async () => {
  await open('all', '', 'someone:password-of-a-node@');
  const revision = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(revision, 'edge');
  expect(states()).toEqual(['current', 'current', 'current']);
  world.kong('n2').behaviour({ refuse: true });
  await world.says('edge', 'unreachable', world.kong('n2').url);
  world.kong('n3').behaviour({ fail: { status: 400, methods: ['POST'], path: '/config' } });
  await world.repository.commit({ files: service('two.example.com') });
  await world.says('edge', 'rejected', 'refuses the configuration');
  const said = [
    JSON.stringify(world.said),
    ...world.lines,
    ...Object.values(world.shown()),
    JSON.stringify(world.forge.statuses),
  ];
  expect(said.join('\n')).not.toContain('password-of-a-node');
});
