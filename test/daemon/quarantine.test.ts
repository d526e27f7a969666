import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { until } from '../support/until.ts';
import { clash, DaemonWorld, files } from './world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: DaemonWorld;
beforeAll(async () => {
  world = await DaemonWorld.open();
  const path = 'konverge.yaml';
  const text = await readFile(join(world.folder.path, path), 'utf8');
  await world.folder.write({ [path]: text.replace('policy: { ', 'policy: { onInvalid: quarantine, ') });
});
afterAll(() => world.close());

async function degraded(revision: string): Promise<void> {
  await until('every destination to have the rest of the revision', async () =>
    (await world.status()).destinations.every(
      (lane) => lane.state === 'applied-degraded' && lane.revision === revision,
    ),
  );
}

test('a clash in one folder holds nothing back in another, everywhere, and a restart changes nothing', async () => {
  await world.start();
  const good = await world.repository.commit({ files: files(1) });
  await world.applied(good);
  const revision = await world.repository.commit({ files: { ...files(2), ...clash } });
  await degraded(revision);
  await world.posted(revision, {
    'konverge/gateway': 'failure',
    'konverge/edge': 'failure',
    'konverge/konnect': 'failure',
    konverge: 'failure',
  });
  const said = world.forge.newest(revision, 'konverge/gateway')?.description ?? '';
  expect(said).toMatch(/^in place but for 1 object in quarantine, left out: .*partner/);
  const limits = JSON.parse(await (await fetch(`${world.kong.url}/plugins`)).text());
  expect(limits.data).toMatchObject([{ name: 'rate-limiting', config: { minute: 2 } }]);
  const writes = world.writes();
  await world.stop();
  await world.start();
  await degraded(revision);
  expect(world.writes()).toBe(writes);
  const fixed = await world.repository.commit({ files: { 'gateway/partner.yaml': null } });
  await world.applied(fixed);
});
