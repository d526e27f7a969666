import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { until } from '../support/until.ts';
import { DaemonWorld, marker } from './world.ts';

// Processes and servers take their time where much else runs; every wait is for something that ends it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: DaemonWorld;
beforeAll(async () => {
  world = await DaemonWorld.open();
});
afterAll(() => world.close());

const kills = 8;
const services = 30;

/** mulberry32: the same points in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function many(round: number): Readonly<Record<string, string>> {
  const list = Array.from(
    { length: services },
    (_, number) => `  - name: service-${number}
    host: service-${number}.example.com
    retries: ${round}
    routes:
      - name: route-${number}
        paths: [/service-${number}]
`,
  );
  const passing = `  - name: passing-${round}\n    host: passing.example.com\n`;
  return { 'gateway/services.yaml': `_format_version: "3.0"\nservices:\n${list.join('')}${passing}` };
}

const page = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string(), retries: z.number().optional() })),
});

function listed(path: string) {
  return page.parse(world.kong.request('GET', `/${path}?size=1000`).body).data;
}

test(`killed ${kills} times in the middle of its work, it gets there, and never deletes what is kept`, async () => {
  const next = random(20_260_101);
  let newest = '';
  for (let round = 1; round <= kills; round += 1) {
    newest = await world.repository.commit({ files: many(round) });
    // Slow enough that the point is inside of the delivery, or of the fetch, the reading or the checking before it.
    world.kong.behaviour({ latencyMs: 2 });
    world.konnect.behaviour({ latencyMs: 2 });
    const requests = () => world.kong.log().length + world.konnect.log().length + world.git.requests.length;
    const point = requests() + 1 + Math.floor(next() * 150);
    await world.start({ wait: false });
    // Where all is done before the point is met, the process is killed at rest.
    await until('the point to be met', () => requests() >= point, { limitMs: 2_500 }).catch(() => undefined);
    await world.stop('SIGKILL');
  }
  for (const emulator of [world.kong, world.konnect]) emulator.behaviour({ latencyMs: null });
  await world.start();
  await world.applied(newest);

  const names = [...Array.from({ length: services }, (_, number) => `service-${number}`), `passing-${kills}`];
  expect(
    listed('services')
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names.sort());
  expect(listed('services').filter(({ name, retries }) => name.startsWith('service-') && retries !== kills)).toEqual(
    [],
  );
  expect(listed('routes')).toHaveLength(services);

  // What was kept through all revisions was made once and never deleted.
  const kept = new Set([...listed('services'), ...listed('routes')].map(({ id }) => id));
  for (const emulator of [world.kong, world.konnect]) {
    const deletes = emulator.log().filter(({ method }) => method === 'DELETE');
    expect(deletes.filter(({ path }) => kept.has(path.split('/').at(-1) ?? ''))).toEqual([]);
    // At most one thing per round could go.
    expect(deletes.filter(({ status }) => status === 204).length).toBeLessThan(kills);
  }
  expect(await world.said()).not.toContain(marker);
});
