import type { Entity } from './entity.ts';
import { slotsOf } from './slots.ts';
import { allEntities, type State } from './state.ts';

/** An entity in the set of what the branch declared: `kind/identity`. */
export function declaredName(kind: string, identity: string): string {
  return `${kind}/${identity}`;
}

/**
 * All that a state declares, as a set of what the branch declared has it: each entity; and, of those whose identity
 * comes from the environment, which they are and each place in a slot, so that the set has as many of a slot as any one
 * revision did.
 */
export function declaredNames(state: State): readonly string[] {
  const slotOf = slotsOf(state);
  const counts = new Map<string, number>();
  return allEntities(state).flatMap((entity) => {
    const name = declaredName(entity.kind, entity.identity);
    const slot = slotOf(entity);
    if (slot === null) return [name];
    const count = (counts.get(slot) ?? 0) + 1;
    counts.set(slot, count);
    return [name, inSlotName(entity), placeName(slot, count)];
  });
}

/** What the set has of an entity that fills a slot, besides its name. */
export function inSlotName({ kind, identity }: Entity): string {
  return `${ofEnvironment}${declaredName(kind, identity)}`;
}

/** One place in a slot, counted from 1. */
export function placeName(slot: string, count: number): string {
  return `${ofEnvironment}${count} ${slot}`;
}

/** Whether a name is about an entity whose identity comes from the environment. */
export function isOfEnvironment(name: string): boolean {
  return name.startsWith(ofEnvironment);
}

const ofEnvironment = 'environment ';
