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

/** What the trace of some seeds has to tell of, or the checkers would watch over nothing. */
const reached = [
  'says applied',
  'says held',
  'says rejected',
  'says retrying',
  'says unreachable',
  'says drifted',
  'says suspended',
  'says waiting',
  'putting drift right',
  'not confirmed after the delivery',
  'approve ',
  ', held:',
  ' lost',
  ' stopped',
  ', refused:',
  'fault of Konverge itself',
  'nothing to change',
  'lease lost',
  'says applied-degraded',
  'says rolled-back',
  'not healthy',
  'gate closes',
  'says waiting',
  'closed; next in',
  'it soaks until',
  'held back by alpha',
  'quarantine cannot go on',
];

test('the schedules reach what they are there for', async () => {
  const seeds = new Map(reached.map((words) => [words, 0]));
  for (let seed = 1; seed <= 150; seed += 1) {
    const { trace } = await runSeed(seed, shipped);
    const text = trace.join('\n');
    for (const words of reached) if (text.includes(words)) seeds.set(words, (seeds.get(words) ?? 0) + 1);
  }
  for (const [words, count] of seeds) expect(count, words).toBeGreaterThan(0);
});
