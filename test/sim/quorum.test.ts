import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { kongDbless } from '../../src/destination/kong/dbless.ts';
import { type Bench, openBench } from '../contract/bench.ts';
import type { Mutant } from './mutants.ts';
import { plantDbless } from './plant.ts';
import { runQuorum } from './quorum.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const seeds = Array.from({ length: 12 }, (_, at) => at + 1);

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ name: 'edge', flavour: 'dbless', nodes: 4 });
});
afterAll(() => bench.close());

test('a revision counts as in place on the quorum of nodes, and on no fewer', async () => {
  for (const seed of seeds) expect([seed, await runQuorum(seed, bench, kongDbless)]).toEqual([seed, []]);
});

const planted: readonly Mutant[] = [
  {
    name: 'one node is enough to confirm',
    file: 'nodes-outcome.ts',
    find: 'confirmed: live.length >= quorum,',
    replace: 'confirmed: live.length >= Math.min(1, quorum),',
  },
  {
    name: 'all nodes have to have it, whatever the quorum',
    file: 'nodes-outcome.ts',
    find: 'const deciding = taken >= quorum ? null : worst(failed);',
    replace: 'const deciding = failed.length === 0 ? null : worst(failed);',
  },
  {
    name: 'the quorum is not that of the settings',
    file: 'dbless.ts',
    find: "(world.quorum === 'all' ? count : Math.min(world.quorum, count));",
    replace: "(world.quorum === 'all' ? 1 : Math.min(1, count));",
  },
  {
    name: 'a node that lacks it is not fed once the quorum has it',
    file: 'nodes-outcome.ts',
    find: 'incomplete: others.length > 0,',
    replace: 'incomplete: false,',
  },
  {
    name: 'a node that rests once rests for ever',
    file: 'node-health.ts',
    find: 'const restMs = Math.min(longestRestMs, firstRestMs',
    replace: 'const restMs = Math.max(longestRestMs * 1_000, firstRestMs',
  },
];

describe('a fault planted in it is found', () => {
  test.each(planted.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    const { kongDbless: make, NodeHealth } = await plantDbless(mutant);
    for (const seed of seeds) {
      const [first] = await runQuorum(seed, bench, make, NodeHealth);
      if (first === undefined) continue;
      if (process.env['SIM_REPORT'] !== undefined) process.stdout.write(`${mutant.name}: seed ${seed}: ${first}\n`);
      return;
    }
    expect.fail(`"${mutant.name}" was not found in ${seeds.length} seeds`);
  });
});
