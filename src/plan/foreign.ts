import { inSlotName, placeName } from '../model/declared-names.ts';
import type { Entity } from '../model/entity.ts';
import { slotsFilledBy, slotsOf } from '../model/slots.ts';
import { allEntities } from '../model/state.ts';
import type { Matching } from './match.ts';
import type { PlanInput } from './plan-input.ts';

/** Entities that would be deleted and that no revision declared. */
export interface Foreign {
  /** How many they are. */
  readonly count: number;
  /** Which: more than the count where some may have been made from an earlier value of the environment. */
  readonly entities: readonly Entity[];
}

/**
 * What of the deleted no revision of the branch declared. What is known by a value of the environment goes by another
 * name once that value changed; it counts as declared as long as this revision or an earlier one had room for it: of its
 * kind, in its place, and no more than one revision had there.
 */
export function foreignAmong(
  deleted: readonly Entity[],
  matching: Matching,
  declaredEarlier: NonNullable<PlanInput['declaredEarlier']>,
  namesEarlier: ReadonlySet<string> = new Set(),
): Foreign {
  const { target, live } = matching;
  // What is deleted to be made again under another id is declared by this revision.
  const isAgain = (entity: Entity) => target.byIdentity(entity.kind, entity.identity) !== undefined;
  const strangers = deleted.filter((entity) => !isAgain(entity) && !declaredEarlier(entity));
  if (strangers.length === 0) return { count: 0, entities: [] };
  const nameOf = (entity: Entity) => matching.targetOf(entity)?.identity ?? entity.identity;
  const slotOf = slotsOf(target);
  const here = new Map<string, number>();
  const taken = new Map<string, number>();
  const note = (counts: Map<string, number>, slot: string) => counts.set(slot, (counts.get(slot) ?? 0) + 1);
  for (const entity of allEntities(target)) {
    const slot = slotOf(entity);
    if (slot === null) continue;
    note(here, slot);
    if (matching.liveOf(entity) !== undefined) note(taken, slot);
  }
  for (const entity of deleted) {
    if (!namesEarlier.has(inSlotName(entity)) || isAgain(entity)) continue;
    for (const slot of slotsFilledBy(entity, live, nameOf)) note(taken, slot);
  }
  const most = (slot: string) => {
    let count = here.get(slot) ?? 0;
    while (namesEarlier.has(placeName(slot, count + 1))) count += 1;
    return count;
  };
  const groups = new Map<string, Entity[]>();
  const foreign: Entity[] = [];
  for (const entity of strangers) {
    const slot = slotsFilledBy(entity, live, nameOf).find((one) => most(one) > 0);
    if (slot === undefined) foreign.push(entity);
    else groups.set(slot, [...(groups.get(slot) ?? []), entity]);
  }
  let count = foreign.length;
  for (const [slot, entities] of groups) {
    const room = Math.max(0, most(slot) - (taken.get(slot) ?? 0));
    if (entities.length <= room) continue;
    count += entities.length - room;
    for (const entity of entities) foreign.push(entity);
  }
  return { count, entities: foreign };
}
