import { describe, expect, test } from 'vitest';
import { mutants } from './mutants.ts';
import { plant } from './plant.ts';
import { runSeed } from './seeds.ts';

/** Seeds within which every planted fault must be found. */
const count = Number(process.env['SIM_SEEDS'] ?? 1000);

/** The one that is about a lane that ends. */
const crash = 'a fault of ours ends the lane';

describe('a fault planted in the shipped lane is found', () => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', { timeout: 120_000 }, async (_, mutant) => {
    const makeLane = await plant(mutant);
    for (let seed = 1; seed <= count; seed += 1) {
      const { violations } = await runSeed(seed, makeLane);
      if (violations.length > 0) {
        if (process.env['SIM_REPORT'] !== undefined)
          process.stdout.write(`${mutant.name}: seed ${seed}: ${violations[0]}\n`);
        // A lane that crashes proves that the planted text is wrong, unless the crash is what was planted.
        if (mutant.name !== crash) expect(violations.join('\n')).not.toContain('ended by a fault');
        return;
      }
    }
    expect.fail(`"${mutant.name}" was not found in ${count} seeds`);
  });

  test('and without one nothing is', async () => {
    const makeLane = await plant(null);
    for (let seed = 1; seed <= 20; seed += 1) expect((await runSeed(seed, makeLane)).violations).toEqual([]);
  });
});
