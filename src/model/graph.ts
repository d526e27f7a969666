import type { Entity } from './entity.ts';
import { kinds } from './kinds.ts';
import { allEntities, type State } from './state.ts';

/** Who names whom in one state. */
export interface ReferenceGraph {
  /** The entities that name this one directly. */
  readonly dependants: (entity: Entity) => readonly Entity[];
  /** The entities that a server deletes together with this one, to any depth, itself left out. */
  readonly cascade: (entity: Entity) => readonly Entity[];
}

/** The reference graph of a state. */
export function referenceGraph(state: State): ReferenceGraph {
  const direct = new Map<Entity, Entity[]>();
  const cascading = new Map<Entity, Entity[]>();
  const put = (map: Map<Entity, Entity[]>, key: Entity, value: Entity) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
  };
  for (const entity of allEntities(state)) {
    for (const reference of entity.references) {
      const target = reference.id === null ? undefined : state.byId(reference.kind, reference.id);
      if (target === undefined) continue;
      put(direct, target, entity);
      const key = kinds[entity.kind].foreign.find((candidate) => candidate.field === reference.field);
      if (key?.onDelete === 'cascade') put(cascading, target, entity);
    }
  }
  return {
    dependants: (entity) => direct.get(entity) ?? [],
    cascade: (entity) => {
      const seen = new Set<Entity>();
      const queue = [entity];
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        for (const child of cascading.get(next) ?? []) {
          if (seen.has(child)) continue;
          seen.add(child);
          queue.push(child);
        }
      }
      return [...seen];
    },
  };
}
