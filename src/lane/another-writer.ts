import type { Plan } from '../plan/plan.ts';
import { type Drift, driftText, foundLast } from './drift.ts';
import { countChanges } from './ending.ts';
import type { LaneWorld } from './lane-world.ts';
import type { StatusBoard } from './status-board.ts';

/** Another writer changed what is in force: what it did is told before anything is done about it. What is to be done. */
export function anotherWriter(
  { clock, log, policy }: Pick<LaneWorld, 'clock' | 'log' | 'policy'>,
  lane: { readonly drift: Drift; readonly board: StatusBoard },
  revision: string,
  plan: Plan,
): 'deliver' | 'report' {
  const corrects = policy.drift === 'correct';
  const isFlapping = lane.drift.found(plan, corrects, clock.now());
  const { seen } = lane.drift;
  lane.board.show({ drift: seen });
  const fields = { ...lane.board.fields(revision), ...countChanges(plan), what: driftText(foundLast(seen)) };
  const words = isFlapping ? 'another writer keeps changing the same, and is left to it' : 'another writer was here';
  log.warn({ ...fields, policy: policy.drift }, words);
  return corrects && !isFlapping ? 'deliver' : 'report';
}
