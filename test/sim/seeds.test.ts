import { expect, test } from 'vitest';
import { Lane } from '../../src/lane/lane.ts';
import { reportOf, runSeed } from './seeds.ts';
import type { MakeLane } from './sim-lane.ts';

const shipped: MakeLane = (world) => new Lane(world);

/** One seed to be seen again, or how many are tried. */
const only = process.env['SEED'];
const count = Number(process.env['SIM_SEEDS'] ?? 1000);

test('whatever happens to a set of lanes, one of which hangs, no invariant breaks', async () => {
  const seeds = only === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(only)];
  for (const seed of seeds) {
    const ran = await runSeed(seed, shipped);
    if (ran.violations.length > 0) expect.fail(reportOf(seed, ran));
  }
}, 600_000);

test('the same seed gives the same trace, line by line', async () => {
  for (const seed of [1, 2, 3]) {
    const first = await runSeed(seed, shipped);
    const second = await runSeed(seed, shipped);
    expect(second.trace).toEqual(first.trace);
    expect(first.trace.length).toBeGreaterThan(50);
  }
});
