import type { Entity, Reference } from '../model/entity.ts';
import { isJsonArray } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';
import type { Live } from '../model/live.ts';
import { allEntities, type State, stateOf } from '../model/state.ts';
import type { PlanInput } from './plan-input.ts';
import type { Undelivered } from './undelivered.ts';

/** The two sides that a plan compares: what Konverge may change, and no more. */
export interface Scoped {
  readonly target: State;
  readonly live: State;
  /** What is declared and cannot be delivered, though the configuration does not exclude it. */
  readonly undelivered: readonly Undelivered[];
}

/**
 * Leaves out what the destination does not manage, what the configuration excludes, and live entities outside the
 * tags that bound what is owned. What hangs on an entity that is left out goes with it.
 */
export function scoped(input: PlanInput): Scoped {
  const reasons = unmanagedReasons(input);
  const undelivered: Undelivered[] = [];
  const target = keep(input.state, (entity, wasLeftOut) => {
    if (excluded(input, entity)) return false;
    const reason = reasons.get(entity.kind);
    if (reason !== undefined) {
      undelivered.push({ entity, obstacle: obstacleOf(input.live, entity.kind, reason) });
      return false;
    }
    const lost = entity.references.find((reference) => {
      const to = reference.id === null ? undefined : input.state.byId(reference.kind, reference.id);
      return to !== undefined && wasLeftOut(to) && (!to.idGiven || belongs(entity.kind, reference.field));
    });
    if (lost === undefined) return true;
    undelivered.push({ entity, obstacle: { is: 'dependant', on: lost.kind } });
    return false;
  });
  return { target, live: scopedLive(input, input.live, input.state.selectTags, reasons), undelivered };
}

/** What of a read would be changed or pruned if these tags bounded what is owned. */
export function liveInScope(input: PlanInput, live: Live, tags: readonly string[]): State {
  return scopedLive(input, live, tags, unmanagedReasons(input));
}

/** Whether something may carry the tags that bounded what is owned, and not those that are to. */
export function leavesScope(was: readonly string[], is: readonly string[]): boolean {
  return was.length > 0 && is.some((tag) => !was.includes(tag));
}

function obstacleOf({ unlisted }: Live, kind: KindName, why: string): Undelivered['obstacle'] {
  const by = unlisted?.get(kind);
  return by === undefined ? { is: 'unmanaged', why } : { is: 'unlisted', by };
}

function unmanagedReasons(input: PlanInput): ReadonlyMap<KindName, string> {
  const reasons = new Map<KindName, string>(input.live.notManaged);
  for (const kind of Object.values(kinds)) {
    if (input.mode === 'konnect' && kind.konnect === null) reasons.set(kind.name, 'Konnect has no such kind');
    if (input.mode === 'dbless' && kind.dbless === null) {
      reasons.set(kind.name, 'a DB-less configuration has no such kind');
    }
  }
  return reasons;
}

function scopedLive(
  input: PlanInput,
  live: Live,
  tags: readonly string[],
  reasons: ReadonlyMap<KindName, string>,
): State {
  const resolve = (reference: Reference) =>
    reference.id === null ? undefined : live.state.byId(reference.kind, reference.id);
  const allowed = keep(live.state, (entity, wasLeftOut) => {
    // What is pushed whole deletes all that it does not have, so that nothing can be left alone: it has to be seen.
    const isLeftAlone = input.mode !== 'dbless' && excluded(input, entity);
    if (reasons.has(entity.kind) || isLeftAlone) return false;
    if (input.mode === 'konnect' && tagsOf(entity).some((tag) => tag.startsWith('konnect-managed'))) return false;
    return !entity.references.some((reference) => {
      const to = resolve(reference);
      const isOut = to !== undefined && wasLeftOut(to);
      if (belongs(entity.kind, reference.field)) return reasons.has(reference.kind) || isOut;
      // What is written under an entity that is left out for its tags is left out of the target state as well.
      const isParent = kinds[entity.kind].parent === reference.field;
      return isParent && isOut && !reasons.has(reference.kind) && !input.exclude.kinds.includes(reference.kind);
    });
  });
  // A DB-less node takes its state whole, so that what has no tags is deleted as well.
  if (tags.length === 0 || input.mode === 'dbless') return allowed;
  return keep(allowed, (entity, wasLeftOut) => {
    if (kinds[entity.kind].tags) return tags.every((tag) => tagsOf(entity).includes(tag));
    // What carries no tags is in scope when its parent is.
    const parent = entity.references.find((reference) => reference.field === kinds[entity.kind].parent);
    const to = parent === undefined ? undefined : resolve(parent);
    return to !== undefined && !wasLeftOut(to);
  });
}

/** Whether an entity is left to others as it is, by what the configuration excludes. */
export function excluded(input: Pick<PlanInput, 'exclude'>, entity: Entity): boolean {
  if (input.exclude.prune) return false;
  if (input.exclude.kinds.includes(entity.kind)) return true;
  if (entity.references.some((r) => belongs(entity.kind, r.field) && input.exclude.kinds.includes(r.kind))) return true;
  return input.exclude.tags.length > 0 && tagsOf(entity).some((tag) => input.exclude.tags.includes(tag));
}

/** Whether an entity cannot be without the one that a foreign key names. */
function belongs(kind: KindName, field: string): boolean {
  return kinds[kind].foreign.some((key) => key.field === field && (key.required || key.onDelete === 'cascade'));
}

function tagsOf(entity: Entity): readonly string[] {
  const tags = entity.fields['tags'];
  return isJsonArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

function keep(state: State, wanted: (entity: Entity, wasLeftOut: (other: Entity) => boolean) => boolean): State {
  const leftOut = new Set<Entity>();
  const kept = allEntities(state).filter((entity) => {
    const stays = wanted(entity, (other) => leftOut.has(other));
    if (!stays) leftOut.add(entity);
    return stays;
  });
  return leftOut.size === 0 ? state : stateOf(kept, state.selectTags);
}
