import type { Live } from '../model/live.ts';
import type { Plan, PlannedDelivery } from '../plan/plan.ts';
import type { Confirmation } from './destination.ts';

/** What a plan would still do, in words: `2 to create, 1 to delete, first: route "orders"`. */
export function differenceWords(plan: Plan): string {
  const { create, update, delete: deleted } = plan.summary;
  const parts = [
    [create, 'to create'],
    [update, 'to update'],
    [deleted, 'to delete'],
  ].flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]));
  const first = plan.changes[0];
  if (first === undefined) return 'nothing differs';
  const fields = first.fields.map((field) => field.path.slice(1)).slice(0, 3);
  const where = first.action === 'update' && fields.length > 0 ? ` (${fields.join(', ')})` : '';
  return `${parts.join(', ')}; first: ${first.kind} "${first.name}"${where}`;
}

/** Confirmed when nothing is left to change in what was read. */
export function confirmedWhenEmpty(live: Live, delivery: PlannedDelivery): Confirmation {
  const { plan, unread } = delivery;
  const confirmed = plan.changes.length === 0;
  return {
    confirmed,
    incomplete: false,
    detail: confirmed ? `${counted(countLive(live))} read back and equal` : differenceWords(plan),
    unread,
  };
}

function countLive(live: Live): number {
  let count = 0;
  for (const list of live.state.entities.values()) count += list.length;
  return count;
}

function counted(count: number): string {
  return count === 1 ? '1 entity' : `${count} entities`;
}
