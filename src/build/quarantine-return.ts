import type { Entity } from '../model/entity.ts';
import type { KindName } from '../model/kind.ts';
import type { NeedGraph } from './quarantine-needs.ts';
import { objectOf } from './quarantine-pairs.ts';
import { type Slot, through } from './quarantine-slot.ts';

/** Kinds that a last good version brings back with it. Nobody gets access again that was taken away. */
const broughtBack: ReadonlySet<KindName> = new Set(['services', 'upstreams', 'targets', 'certificates', 'partials']);

/** What is chosen among: who needs whom, in the revision and in the last good state, and which version comes first. */
export interface Choosing {
  readonly slots: readonly Slot[];
  readonly byEntity: ReadonlyMap<Entity, Slot>;
  readonly graph: NeedGraph;
  readonly oldGraph: NeedGraph;
  /** Which version is taken unless it lacks something. */
  readonly first: (slot: Slot) => Slot['taken'];
}

/** Brings back what the revision does not have any more, where last good versions are nothing without it. */
export class Returning {
  readonly #slots: readonly Slot[];
  readonly #byEntity: ReadonlyMap<Entity, Slot>;
  readonly #graph: NeedGraph;
  readonly #oldGraph: NeedGraph;
  readonly #first: Choosing['first'];

  constructor({ slots, byEntity, graph, oldGraph, first }: Choosing) {
    this.#slots = slots;
    this.#byEntity = byEntity;
    this.#graph = graph;
    this.#oldGraph = oldGraph;
    this.#first = first;
  }

  /** Has what the last good versions need come back where the revision took it away; false where nothing has. */
  bringBack(): boolean {
    let changed = false;
    const old = this.#slots.filter((slot) => slot.old !== null && this.#first(slot) === 'old');
    // What is added on the way, and on account of what, is gone through as well.
    const seen = new Map(old.map((slot) => [slot, slot]));
    for (const [slot, because] of seen) {
      const isOld = this.#first(slot) === 'old';
      const entity = isOld ? slot.old : slot.wanted;
      if (entity === null) continue;
      for (const need of (isOld ? this.#oldGraph : this.#graph).needs(entity)) {
        const needed = this.#byEntity.get(need.entity);
        if (needed === undefined) continue;
        if (isOld && broughtBack.has(need.entity.kind)) changed = this.#ask(needed, because) || changed;
        if (!seen.has(needed) && this.#first(needed) !== 'none') seen.set(needed, because);
      }
      if (entity.kind === 'upstreams') changed = this.#refill(slot, isOld, because) || changed;
    }
    return this.#emptied() || this.#objectsAsked() || changed;
  }

  /** Where all routes of an object are out, all that it had before are asked for; false where there is none such. */
  #objectsAsked(): boolean {
    const broken = new Map<string, Slot | null>();
    for (const slot of this.#slots) {
      const object = slot.wanted?.kind === 'routes' ? objectOf(slot.wanted) : null;
      if (object !== null && broken.get(object) !== null) broken.set(object, slot.reason === null ? null : slot);
    }
    let changed = false;
    for (const slot of this.#slots) {
      const because = slot.old?.kind === 'routes' ? broken.get(objectOf(slot.old) ?? '') : null;
      if (because !== null && because !== undefined) changed = this.#ask(slot, because) || changed;
    }
    return changed;
  }

  /** Has what the revision took away in its last good version again; false where it cannot be, or is. */
  #ask(slot: Slot, because: Slot): boolean {
    if (slot.wanted !== null || slot.old === null || slot.banned || this.#first(slot) === 'old') return false;
    slot.asked = through(because);
    return true;
  }

  /** An upstream is nothing without its targets: one in its last good version, or that lost all, has them again. */
  #refill(upstream: Slot, isOld: boolean, because: Slot): boolean {
    const { old } = upstream;
    if (old === null || (!isOld && this.#targetsOf(upstream).some((slot) => slot.taken !== 'none'))) return false;
    let changed = false;
    for (const { entity } of this.#oldGraph.neededBy(old)) {
      const target = entity.kind === 'targets' ? this.#byEntity.get(entity) : undefined;
      if (target !== undefined) changed = this.#ask(target, because) || changed;
    }
    return changed;
  }

  /** An upstream of which all targets are out is not taken as the revision has it; false where there is none such. */
  #emptied(): boolean {
    let changed = false;
    for (const slot of this.#slots) {
      if (slot.taken !== 'wanted' || slot.wanted?.kind !== 'upstreams') continue;
      const targets = this.#targetsOf(slot);
      const [first] = targets;
      if (first === undefined || targets.some(({ taken }) => taken !== 'none')) continue;
      slot.fallen = through(first);
      changed = true;
    }
    return changed;
  }

  #targetsOf({ wanted }: Slot): readonly Slot[] {
    const needing = wanted === null ? [] : this.#graph.neededBy(wanted);
    return needing.flatMap(({ entity }) => (entity.kind === 'targets' ? (this.#byEntity.get(entity) ?? []) : []));
  }
}
