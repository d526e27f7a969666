import { afterEach, expect, test, vi } from 'vitest';
import { RolloutWorld, service } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: RolloutWorld;
afterEach(() => world.close());

type Shape = Omit<Parameters<typeof RolloutWorld.open>[0], 'emulators' | 'destinations'>;

async function open(shape: Shape = {}, rollout = ''): Promise<void> {
  world = await RolloutWorld.open({ ...shapeOf(shape, rollout), emulators: { prod: 'kong' } });
}

function shapeOf(shape: Shape, rollout = '') {
  return {
    ...shape,
    destinations: (url: (emulator: string) => string) => [`name: prod, kong: { url: "${url('prod')}" }, ${rollout}`],
  };
}

test('commits from before the configured folder was there do not keep anybody from deciding on a foreign entity', async () => {
  await open({ repository: 'path: gateway/' });
  world.kong('prod').request('PUT', '/services/foreign', { host: 'foreign.example.com' });
  await world.repository.commit({ files: { 'README.md': 'Soon.\n' } });
  const [text] = Object.values(service('one.example.com'));
  await world.repository.commit({ files: { 'gateway/gateway.yaml': text ?? '' } });
  const held = await world.says('prod', 'held', 'foreign');
  world.lane('prod').approve(held.plan?.fingerprint ?? '');
  await world.says('prod', 'applied', '1 deleted');
  expect(world.kong('prod').request('GET', '/services/foreign').status).toBe(404);
});
