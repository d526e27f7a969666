import { expect, test } from 'vitest';
import { Lane } from '../../src/lane/lane.ts';
import { Exhaustive, firstOption } from './choices.ts';
import { mutants } from './mutants.ts';
import { plant } from './plant.ts';
import { runSchedule } from './schedule.ts';
import { smallShape } from './shapes.ts';
import type { LaneShape, MakeLane } from './sim-lane.ts';
import type { SimulationShape } from './simulation.ts';

const shipped: MakeLane = (world) => new Lane(world);

/** Tries every schedule of so many steps; gives how many there were, and fails with the first that breaks anything. */
async function tryAll(shape: SimulationShape, steps: number, makeLane: MakeLane): Promise<number> {
  const choices = new Exhaustive();
  for (let tried = 1; ; tried += 1) {
    const ran = await runSchedule({ shape, makeLane, choices, steps, recovery: firstOption, parts: 1 });
    if (ran.violations.length > 0) {
      throw new Error([`schedule ${choices.schedule}`, ...ran.violations, ...ran.trace].join('\n'));
    }
    if (!choices.next()) return tried;
  }
}

/** One step more where more seeds than usual are asked for. */
const more = Number(process.env['SIM_SEEDS'] ?? 1000) > 1000 ? 1 : 0;

const bounds: readonly (readonly [LaneShape['takes'], SimulationShape['flaws'], number])[] = [
  ['services', ['none'], 6 + more],
  ['whole', ['none'], 7 + more],
  ['whole', ['none', 'refused'], 6 + more],
];

test.each(bounds)(
  'in every order of few things: takes %s, revisions %j, %i steps',
  { timeout: 600_000 },
  async (takes, flaws, steps) => {
    const tried = await tryAll(smallShape(takes, flaws), steps, shipped);
    if (process.env['SIM_REPORT'] !== undefined) process.stdout.write(`${takes} ${flaws.join()} ${steps}: ${tried}\n`);
    expect(tried).toBeGreaterThan(500);
  },
);

test('an order that breaks something is found', async () => {
  const mutant = mutants.find(({ name }) => name === 'a lost answer is taken for success');
  const makeLane = await plant(mutant ?? null);
  await expect(tryAll(smallShape('whole', ['none']), 6, makeLane)).rejects.toThrow('verdictTrue');
});

test('chance that goes round the choices is noticed', () => {
  const choices = new Exhaustive();
  choices.pick([1, 1]);
  choices.next();
  expect(() => choices.pick([1, 1, 1])).toThrow('had 2 options and has 3');
});
