import { ObjectSource } from '../dialect/kubernetes/objects/object-source.ts';
import { isNumbered } from '../dialect/kubernetes/routing/kong-service.ts';
import type { Entity } from '../model/entity.ts';
import type { KindName } from '../model/kind.ts';
import type { NeedGraph } from './quarantine-needs.ts';
import { isSame, type Slot, takenOf } from './quarantine-slot.ts';

/** What is chosen among: who needs whom, in the revision and in the last good state. */
export interface Chosen {
  readonly byEntity: ReadonlyMap<Entity, Slot>;
  readonly graph: NeedGraph;
  readonly oldGraph: NeedGraph;
}

/**
 * What goes back along with a route that is to be what it was. A service that is known by the number of a rule is
 * another one as soon as rules are put in or taken out: a route of the last good version must not send its requests to
 * what has that number now.
 */
export function behindRule(route: Slot, { byEntity, graph, oldGraph }: Chosen): readonly Slot[] {
  const { old } = route;
  if (old?.kind !== 'routes' || route.banned || !(old.source instanceof ObjectSource)) return [];
  const { object } = old.source;
  const needed = (entity: Entity, kind: KindName) =>
    oldGraph.needs(entity).flatMap((need) => {
      const isOfRule = need.entity.kind === kind && isNumbered(need.entity.name, object);
      const slot = isOfRule ? byEntity.get(need.entity) : undefined;
      return slot === undefined || slot.wanted === null ? [] : [slot];
    });
  const services = needed(old, 'services');
  const upstreams = services.flatMap((slot) => (slot.old === null ? [] : needed(slot.old, 'upstreams')));
  const targets = (graphOf: NeedGraph, upstream: Entity | null) =>
    upstream === null ? [] : graphOf.neededBy(upstream).filter(({ entity }) => entity.kind === 'targets');
  const isAsBefore = ({ wanted, old: before }: Slot) => wanted !== null && before !== null && isSame(wanted, before);
  const parts = upstreams.flatMap((slot) => [...targets(graph, slot.wanted), ...targets(oldGraph, slot.old)]);
  const all = [...services, ...upstreams, ...parts.flatMap(({ entity }) => byEntity.get(entity) ?? [])];
  return all.every(isAsBefore) ? [] : [...services, ...upstreams];
}

/** Who a service, or an upstream, that an object has made for itself is for. */
const usedBy: { readonly [K in KindName]?: KindName } = { services: 'routes', upstreams: 'services' };

/** What is taken that an object was made into for routes of which none is taken. */
export function unused(slots: readonly Slot[], { byEntity, graph, oldGraph }: Chosen): ReadonlyMap<Slot, Slot> {
  const found = new Map<Slot, Slot>();
  const isUsed = new Set<Slot>();
  for (const slot of slots) {
    const entity = takenOf(slot);
    if (entity === null) continue;
    for (const need of (slot.taken === 'old' ? oldGraph : graph).needs(entity)) {
      const needed = byEntity.get(need.entity);
      if (needed !== undefined && usedBy[need.entity.kind] === entity.kind) isUsed.add(needed);
    }
  }
  for (const slot of slots) {
    const entity = takenOf(slot);
    const user = entity === null ? undefined : usedBy[entity.kind];
    if (entity === null || user === undefined || isUsed.has(slot) || !(entity.source instanceof ObjectSource)) continue;
    const users = (slot.taken === 'old' ? oldGraph : graph).neededBy(entity);
    const first = users.find((one) => one.entity.kind === user);
    const because = first === undefined ? undefined : byEntity.get(first.entity);
    if (because !== undefined) found.set(slot, because);
  }
  return found;
}
