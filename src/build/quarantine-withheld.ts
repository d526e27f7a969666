import type { Entity } from '../model/entity.ts';
import { allEntities, type State } from '../model/state.ts';
import type { Built } from './built.ts';
import type { LeftOut } from './quarantine.ts';
import { quarantined } from './quarantine-built.ts';
import { contentKey, type Refusal } from './quarantine-refusals.ts';

/** What quarantine would have let out of a revision that is refused as a whole. */
export interface Withheld {
  /** How it differs from what is in force; null where that is not known. */
  readonly changes: { readonly create: number; readonly update: number; readonly delete: number } | null;
  /** Entities that would be in place. */
  readonly entities: number;
  readonly leftOut: readonly LeftOut[];
  /** Why quarantine could not have helped; null where it could. */
  readonly refused: string | null;
  /** All that in words: `nothing moved; quarantine would let out 3 created, 1 left out`. */
  readonly text: string;
}

/** What would go out of a refused revision if its broken parts were in quarantine. Pure. */
export function withheld(built: Built, inForce: State | null, refusals: readonly Refusal[] = []): Withheld {
  const made = quarantined(built, inForce, refusals);
  const { leftOut = [], refused = null } = made.quarantine ?? {};
  const found = {
    changes: inForce === null || refused !== null ? null : compared(inForce, made.state),
    entities: allEntities(made.state).length,
    leftOut,
    refused,
  };
  return { ...found, text: textOf(found) };
}

function textOf({ changes, entities, leftOut, refused }: Omit<Withheld, 'text'>): string {
  if (refused !== null) return `nothing moved, and quarantine could not go on either: ${refused}`;
  const without = leftOut.filter(({ keptLastGood }) => !keptLastGood).length;
  const kept = leftOut.length - without;
  const parts = [
    ...(without === 0 ? [] : [`${without} left out`]),
    ...(kept === 0 ? [] : [`${kept} in their last good version`]),
  ];
  const how = parts.length === 0 ? '' : `, ${parts.join(' and ')}`;
  if (changes === null) return `nothing moved; quarantine would let out ${entities} entities${how}`;
  const counts = [
    ...(changes.create === 0 ? [] : [`${changes.create} created`]),
    ...(changes.update === 0 ? [] : [`${changes.update} updated`]),
    ...(changes.delete === 0 ? [] : [`${changes.delete} deleted`]),
  ];
  return `nothing moved; quarantine would let out ${counts.length === 0 ? 'no change' : counts.join(', ')}${how}`;
}

function compared(before: State, after: State): NonNullable<Withheld['changes']> {
  const key = (entity: Entity) => `${entity.kind}\n${entity.identity}`;
  const old = new Map(allEntities(before).map((entity) => [key(entity), contentKey(entity)]));
  let [create, update] = [0, 0];
  for (const entity of allEntities(after)) {
    const was = old.get(key(entity));
    old.delete(key(entity));
    if (was === undefined) create += 1;
    else if (was !== contentKey(entity)) update += 1;
  }
  return { create, update, delete: old.size };
}
