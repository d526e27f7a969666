import { describe, expect, test } from 'vitest';
import { Lane } from '../../src/lane/lane.ts';
import { runFlapping } from './flapping.ts';
import type { Mutant } from './mutants.ts';
import { plant } from './plant.ts';

const seeds = Array.from({ length: 40 }, (_, at) => at + 1);

test('other writers are put right, and left to it where they do it over and over', async () => {
  for (const seed of seeds) expect([seed, await runFlapping(seed, (world) => new Lane(world))]).toEqual([seed, []]);
});

const planted: readonly Mutant[] = [
  {
    name: 'another writer is fought for ever',
    file: 'drift.ts',
    find: 'const correctionLimit = 3;',
    replace: 'const correctionLimit = 1_000;',
  },
  {
    name: 'another writer is left to it at once',
    file: 'drift.ts',
    find: 'const correctionLimit = 3;',
    replace: 'const correctionLimit = 1;',
  },
  {
    name: 'what was done long ago counts for ever',
    file: 'drift.ts',
    find: 'const withinIntervals = 12;',
    replace: 'const withinIntervals = 1_000;',
  },
  {
    name: 'what is left holds back all else',
    file: 'attempts.ts',
    find: 'leave: (offer) => (offer === inForce.offer ? drift.leave(clock.now()) : nothing),',
    replace: 'leave: () => nothing,',
  },
  {
    name: 'what is left is fought over again while it goes on',
    file: 'drift.ts',
    find: 'seen.corrections = seen.corrections.map(() => now);',
    replace: '',
  },
  {
    name: 'what is left is not said',
    file: 'ending.ts',
    find: 'if (ended.left.length > 0 || ended.reported.length > 0) return leftTo(ended, input);',
    replace: '',
  },
  {
    name: 'a writer that has stopped is not forgotten',
    file: 'drift.ts',
    find: "} else if (seen.outcome === 'flapping') seen.corrections = [];",
    replace: '} else if (now < 0) seen.corrections = [];',
  },
];

describe('a fault planted in it is found', () => {
  test.each(planted.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    const makeLane = await plant(mutant);
    for (const seed of seeds) {
      const [first] = await runFlapping(seed, makeLane);
      if (first === undefined) continue;
      if (process.env['SIM_REPORT'] !== undefined) process.stdout.write(`${mutant.name}: seed ${seed}: ${first}\n`);
      return;
    }
    expect.fail(`"${mutant.name}" was not found in ${seeds.length} seeds`);
  });
});
