import type { Entity } from '../model/entity.ts';
import { isJsonArray } from '../model/json.ts';
import { allEntities } from '../model/state.ts';
import type { Matching } from './match.ts';

/**
 * Live entities that are never deleted: those with a protecting tag that the target state does not have, and all that
 * these need, since they would go with it.
 */
export function protectedIn(matching: Matching, tags: readonly string[]): ReadonlySet<Entity> {
  const kept = new Set<Entity>();
  if (tags.length === 0) return kept;
  for (const entity of allEntities(matching.live)) {
    const written = entity.fields['tags'];
    const isTagged = isJsonArray(written) && written.some((tag) => typeof tag === 'string' && tags.includes(tag));
    if (isTagged && matching.targetOf(entity) === undefined) keep(entity, matching, kept);
  }
  return kept;
}

/** Live entities that the target state does not have and that those of its entities need which stay as they are live. */
export function neededAsLive(matching: Matching, asLive: (entity: Entity) => boolean): ReadonlySet<Entity> {
  const kept = new Set<Entity>();
  for (const entity of allEntities(matching.target)) {
    const live = asLive(entity) ? matching.liveOf(entity) : undefined;
    if (live !== undefined) keepOwners(live, matching, kept);
  }
  return new Set([...kept].filter((entity) => matching.targetOf(entity) === undefined));
}

function keep(entity: Entity, matching: Matching, kept: Set<Entity>): void {
  if (kept.has(entity)) return;
  kept.add(entity);
  keepOwners(entity, matching, kept);
}

function keepOwners(entity: Entity, matching: Matching, kept: Set<Entity>): void {
  for (const reference of entity.references) {
    const to = reference.id === null ? undefined : matching.live.byId(reference.kind, reference.id);
    if (to !== undefined) keep(to, matching, kept);
  }
}
