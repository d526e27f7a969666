import { Seeded } from './choices.ts';
import { type Ran, runSchedule } from './schedule.ts';
import { anyShape } from './shapes.ts';
import type { MakeLane } from './sim-lane.ts';

/** Runs the schedule of one seed. */
export function runSeed(seed: number, makeLane: MakeLane): Promise<Ran> {
  const choices = new Seeded(seed);
  return runSchedule({ shape: anyShape(choices), makeLane, choices, steps: 80, recovery: choices, parts: 4 });
}

/** What is printed of a seed that fails: how to see it again, what was wrong, and all that happened. */
export function reportOf(seed: number, { violations, trace }: Ran): string {
  return [`SEED=${seed} npx vitest run test/sim/seeds.test.ts`, ...violations, ...trace].join('\n');
}
