import { kinds } from '../model/kinds.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import type { PlanInput } from './plan-input.ts';

/** Whether an entity is made anew under another parent: what is written under its parent, and not by PUT, cannot move. */
export function isRemade(
  { action, entity, live, target }: Operation,
  matching: Matching,
  mode: PlanInput['mode'],
): boolean {
  if (action !== 'update' || target === null || live === null) return false;
  const api = mode === 'konnect' ? kinds[entity.kind].konnect : kinds[entity.kind].admin;
  if (api === null || api.verb === 'put') return false;
  const before = live.references.map(({ field, id }) => `${field} ${id}`);
  const after = target.references.map((reference) => `${reference.field} ${matching.idOfReference(reference)}`);
  return before.sort().join() !== after.sort().join();
}
