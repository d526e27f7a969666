import type { Entity } from '../model/entity.ts';
import { allEntities, type State } from '../model/state.ts';
import type { Change, Plan } from '../plan/plan.ts';

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

/** The entity of the target state that a change is about, or undefined for a delete. */
export function targetOf(state: State, change: Change): Entity | undefined {
  if (change.action === 'delete') return undefined;
  // An adopted entity has another id in the destination than in the files; its name is the same.
  return state.byId(change.kind, change.id) ?? byName(state).get(`${change.kind}/${change.name}`);
}

const names = new WeakMap<State, ReadonlyMap<string, Entity>>();

function byName(state: State): ReadonlyMap<string, Entity> {
  const known = names.get(state);
  if (known !== undefined) return known;
  const index = new Map(allEntities(state).map((entity) => [`${entity.kind}/${entity.name}`, entity]));
  names.set(state, index);
  return index;
}
