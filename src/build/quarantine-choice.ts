import { type Entity, entityName, type Reference } from '../model/entity.ts';
import { allEntities, type State, stateOf } from '../model/state.ts';
import type { Blame, LeftOut, UnreadableFile } from './quarantine.ts';
import { lossOf } from './quarantine-loss.ts';
import { type NeedGraph, needGraph } from './quarantine-needs.ts';
import { beforeRenaming, isUnnamed, objectOf, shadowed } from './quarantine-pairs.ts';
import { protectedBy, protectionIn, protects, protectsAll } from './quarantine-protection.ts';
import type { ExposedRequest } from './quarantine-requests.ts';
import { Returning } from './quarantine-return.ts';
import { behindRule, type Chosen, unused } from './quarantine-rules.ts';
import { find, isSame, lastVersion, type Present, resolved, type Slot, takenOf, through } from './quarantine-slot.ts';

/** Chooses for every entity of a state which version is taken, if any. Grows stricter with every blame. */
export class QuarantineChoice {
  readonly #state: State;
  readonly #graph: NeedGraph;
  readonly #oldGraph: NeedGraph;
  readonly #slots: Slot[] = [];
  readonly #byEntity = new Map<Entity, Slot>();
  readonly #protection: (route: Entity) => ReadonlySet<string>;
  readonly #before: State;
  readonly #returning: Returning;
  /** What only a file had that cannot be read. */
  readonly #unreadable: ReadonlySet<Slot>;
  /** What the last `state()` gave, by what it was made from. */
  #made = new Map<Entity, Slot>();

  constructor(state: State, lastGood: State | null, unreadable: readonly UnreadableFile[]) {
    const before = lastGood ?? stateOf([]);
    this.#state = state;
    this.#before = before;
    this.#graph = needGraph(state);
    this.#oldGraph = needGraph(before);
    this.#protection = protectionIn(before);
    this.#returning = new Returning({
      slots: this.#slots,
      byEntity: this.#byEntity,
      graph: this.#graph,
      oldGraph: this.#oldGraph,
      first: (slot) => this.#first(slot),
    });
    const whyLost = lossOf(unreadable);
    // A part that cannot be read has nothing in this state, but may need what others brought into it.
    const whyFileLost = lossOf(unreadable.filter(({ covers }) => covers === undefined));
    for (const wanted of allEntities(state)) {
      const old = lastVersion(wanted, before);
      const why = whyFileLost(wanted);
      this.#add({
        wanted,
        // Of two that claim to be the same one, only the first can be what the last good version was.
        old: old === undefined || this.#byEntity.has(old) ? null : old,
        fallen: why === null ? null : { why, root: null },
      });
    }
    const kept: Slot[] = [];
    for (const old of allEntities(before)) {
      if (this.#byEntity.has(old)) continue;
      const why = whyLost(old);
      const slot = this.#add({ wanted: null, old, fallen: why === null ? null : { why, root: null } });
      if (why !== null) kept.push(slot);
    }
    this.#unreadable = new Set(kept);
    const gone = kept.flatMap(oldOf);
    for (const slot of gone.length === 0 ? [] : [...this.#slots]) {
      const old = slot.wanted === null || slot.old !== null ? undefined : shadowed(slot.wanted, gone);
      const stead = old === undefined ? undefined : this.#pair(slot, old);
      if (stead !== undefined) slot.fallen = stead.fallen;
    }
  }

  /** Makes one slot of what the revision has and of what it was before; gives the slot that was that. */
  #pair(slot: Slot, old: Entity): Slot | undefined {
    const other = this.#byEntity.get(old);
    if (other === undefined || other === slot) return undefined;
    this.#slots.splice(this.#slots.indexOf(other), 1);
    this.#byEntity.set(old, slot);
    slot.old = old;
    if (old.fields['enabled'] === false) slot.banned = true;
    return other;
  }

  #add(parts: Pick<Slot, 'wanted' | 'old' | 'fallen'>): Slot {
    const slot: Slot = { ...parts, banned: false, asked: null, reason: null, taken: 'none' };
    const { wanted, old } = slot;
    // A last good version that was switched off is none of a part that is to protect.
    if (wanted !== null && old !== null && protects(wanted) && !protects(old)) slot.banned = true;
    this.#slots.push(slot);
    if (wanted !== null) this.#byEntity.set(wanted, slot);
    if (old !== null) this.#byEntity.set(old, slot);
    return slot;
  }

  /**
   * Takes in what was found to be broken. A last good version that does not hold is given up before anything of the
   * revision is blamed for clashing with it. Gives a sentence where a finding is about nothing that could be left out.
   */
  blame(found: readonly Blame[]): string | null {
    for (const { why, entities, ofName = false } of found) {
      const slots = entities.map((entity) => this.#made.get(entity) ?? this.#byEntity.get(entity));
      const known = slots.filter((slot) => slot !== undefined);
      const old = known.filter(({ taken }) => taken === 'old');
      const blamed = old.length > 0 ? old : known.filter(({ wanted }) => wanted !== null);
      if (blamed.length === 0) return why;
      for (const slot of blamed) {
        if (old.length > 0) slot.banned = true;
        slot.fallen ??= { why, root: null };
        this.#findBefore(slot, ofName);
      }
    }
    return null;
  }

  /** Has a plugin whose name is broken go by its place, for want of an identity. */
  #findBefore(slot: Slot, ofName: boolean): void {
    const { wanted, old } = slot;
    if (wanted === null || old !== null || !(ofName || isUnnamed(wanted))) return;
    const gone = this.#slots.filter((other) => other.wanted === null && other.asked === null);
    const before = beforeRenaming(wanted, gone.flatMap(oldOf));
    if (before !== undefined) this.#pair(slot, before);
  }

  /** Works out what is taken, until nothing that is taken lacks what it needs or what is to protect it. */
  settle(): void {
    do {
      this.#spread();
      for (const slot of this.#slots) slot.taken = this.#first(slot);
      while (this.#drop()) {}
    } while (this.#dropUnprotected() || this.#returning.bringBack());
  }

  /** Whether a route is taken as the revision has it. */
  isSound(route: Entity): boolean {
    const slot = this.#byEntity.get(route);
    return slot !== undefined && slot.wanted === route && slot.taken === 'wanted';
  }

  /**
   * Has the route that took exposed requests before in its last good version again, with what was before it; false
   * where that cannot be.
   */
  keep({ before, written }: ExposedRequest): boolean {
    const slot = before === null ? undefined : this.#byEntity.get(before);
    if (slot === undefined || slot.banned || slot.asked !== null || slot.fallen !== null) return false;
    const cause = written === null ? undefined : this.#byEntity.get(written);
    const reason = through(cause === undefined || cause === slot ? slot : cause);
    if (slot.wanted === null) slot.asked = reason;
    else slot.fallen = reason;
    return true;
  }

  /** A protecting plugin for everything that would be missing, or null. */
  unprotected(): Entity | null {
    for (const slot of this.#slots) {
      const { wanted, old, taken } = slot;
      const asked = wanted ?? (this.#unreadable.has(slot) ? old : null);
      if (taken === 'none' && asked !== null && protectsAll(asked)) return asked;
    }
    return null;
  }

  /** Routes that were there, in their last good versions, and are left out though the revision has them. */
  lostRoutes(): readonly Entity[] {
    return this.#slots.flatMap((slot) => {
      const { wanted, old, taken } = slot;
      const isAsked = wanted !== null || this.#unreadable.has(slot);
      return isAsked && taken === 'none' && old?.kind === 'routes' ? [old] : [];
    });
  }

  /** The state that is taken. */
  state(): State {
    const present = this.#present();
    this.#made = new Map();
    const entities = this.#slots.flatMap((slot) => {
      const entity = takenOf(slot);
      if (entity === null) return [];
      const made = resolved(entity, present);
      this.#made.set(made, slot);
      return [made];
    });
    return stateOf(entities, this.#state.selectTags);
  }

  /**
   * Everything that is not as the revision has it, in the order of the model; where all of it reads as it did before,
   * what is broken.
   */
  leftOut(): readonly LeftOut[] {
    const isUnchanged = ({ wanted, old, taken }: Slot) =>
      wanted !== null && old !== null && taken === 'old' && isSame(wanted, old);
    const changed = this.#leftOut((slot) => !isUnchanged(slot));
    return changed.length > 0 ? changed : this.#leftOut(({ fallen }) => fallen?.root === null);
  }

  #leftOut(isTold: (slot: Slot) => boolean): readonly LeftOut[] {
    return this.#slots.flatMap((slot): readonly LeftOut[] => {
      const { wanted, old, taken } = slot;
      const entity = wanted ?? old;
      const reason = slot.reason ?? slot.fallen;
      if (entity === null || reason === null || taken === 'wanted' || !isTold(slot)) return [];
      const root = reason.root?.wanted ?? reason.root?.old ?? null;
      return [
        {
          entity: entityName(entity),
          location: entity.source?.location ?? null,
          why: reason.why,
          cause: root === null ? null : entityName(root),
          keptLastGood: taken === 'old',
        },
      ];
    });
  }

  /** From what has fallen to all that depends on it. */
  #spread(): void {
    const queue: Slot[] = [];
    for (const slot of this.#slots) {
      slot.reason = slot.fallen ?? slot.asked;
      if (slot.reason !== null && slot.wanted !== null) queue.push(slot);
    }
    const reach = (slot: Slot | undefined, from: Slot): boolean => {
      if (slot === undefined || slot.reason !== null) return false;
      slot.reason = { why: from.reason?.why ?? '', root: from.reason?.root ?? from };
      queue.push(slot);
      return true;
    };
    const chosen = this.#chosen;
    for (const slot of this.#slots) {
      if (slot.wanted === null && slot.reason !== null) for (const one of behindRule(slot, chosen)) reach(one, slot);
    }
    const attachedOnly = new Set<Slot>();
    for (let slot = queue.shift(); slot !== undefined; slot = queue.shift()) {
      const { wanted } = slot;
      if (wanted === null) continue;
      for (const one of behindRule(slot, chosen)) reach(one, slot);
      for (const { entity, attached } of this.#graph.neededBy(wanted)) {
        const other = this.#byEntity.get(entity);
        if (reach(other, slot) && attached && other !== undefined) attachedOnly.add(other);
      }
      // Where what a plugin is for is out itself, the plugin goes with it and nobody else lacks it.
      if (!protects(wanted) || (attachedOnly.has(slot) && wanted.kind === 'plugins')) continue;
      for (const reference of protectedBy(wanted)) reach(this.#slotOf(reference, this.#state), slot);
    }
  }

  #first(slot: Slot): Slot['taken'] {
    if (slot.wanted === null) {
      const isAsked = this.#unreadable.has(slot) || slot.asked !== null;
      return slot.old !== null && !slot.banned && isAsked ? 'old' : 'none';
    }
    if (slot.reason === null) return 'wanted';
    if (slot.old !== null) return slot.banned ? 'none' : 'old';
    // A new part that protects is sound by itself: it stays with the last good version of what it is for.
    return slot.fallen === null && protects(slot.wanted) ? 'wanted' : 'none';
  }

  /** Drops what lacks something; false where nothing does. */
  #drop(): boolean {
    const present = this.#present();
    let changed = false;
    const drop = (slot: Slot, because: Slot | null) => {
      changed = true;
      slot.taken = 'none';
      slot.reason ??= { why: because?.reason?.why ?? '', root: because?.reason?.root ?? because };
    };
    for (const slot of this.#slots) {
      if (slot.taken === 'none') continue;
      const entity = takenOf(slot);
      if (entity === null) continue;
      const graph = slot.taken === 'old' ? this.#oldGraph : this.#graph;
      const lacks = graph.needs(entity).find((need) => find(present, need.entity.kind, need.entity) === undefined);
      if (lacks !== undefined) drop(slot, this.#byEntity.get(lacks.entity) ?? null);
    }
    for (const slot of this.#slots) {
      const { wanted, old } = slot;
      if (wanted !== null && slot.taken === 'none' && protects(wanted)) {
        // What an object has made for itself goes with it.
        const isOwn = (bared: Slot) => bared.taken === 'old' && object !== null && objectOf(bared.wanted) === object;
        const object = objectOf(wanted);
        for (const bared of this.#bared(wanted, this.#state)) if (!isOwn(bared)) drop(bared, slot);
      }
      if (old === null || slot.taken !== 'none' || !protects(old)) continue;
      // What an unreadable file had is asked for still; else only the last good versions ask for what they had.
      const lost = this.#unreadable.has(slot);
      const bared = this.#bared(old, this.#before).filter((other) => lost || other.taken === 'old');
      if (bared.length === 0) continue;
      const [first] = bared;
      // What the revision took away protects the last good version all the same.
      if (wanted === null && !slot.banned && first !== undefined && this.#restorable(old)) {
        changed = true;
        slot.taken = 'old';
        slot.reason = { why: first.reason?.why ?? '', root: first.reason?.root ?? first };
      } else for (const other of bared) drop(other, slot);
    }
    for (const [slot, user] of unused(this.#slots, this.#chosen)) drop(slot, user);
    return changed;
  }

  get #chosen(): Chosen {
    return { byEntity: this.#byEntity, graph: this.#graph, oldGraph: this.#oldGraph };
  }

  #restorable(old: Entity): boolean {
    const present = this.#present();
    return this.#oldGraph.needs(old).every((need) => find(present, need.entity.kind, need.entity) !== undefined);
  }

  /** What is served without this protecting entity, where all that it is for is there. */
  #bared(protector: Entity, state: State): readonly Slot[] {
    const slots = protectedBy(protector).map((reference) => this.#slotOf(reference, state));
    const there = slots.filter((slot) => slot !== undefined && slot.taken !== 'none');
    return there.length === slots.length ? there.filter((slot) => slot !== undefined) : [];
  }

  #slotOf(reference: Reference, state: State): Slot | undefined {
    const byId = reference.id === null ? undefined : state.byId(reference.kind, reference.id);
    const entity = byId ?? state.byIdentity(reference.kind, reference.identity);
    return entity === undefined ? undefined : this.#byEntity.get(entity);
  }

  /** A last good route that would have less before it than it had is dropped. */
  #dropUnprotected(): boolean {
    const old = this.#slots.filter((slot) => slot.taken === 'old' && slot.old?.kind === 'routes');
    if (old.length === 0) return false;
    const now = protectionIn(this.state());
    let changed = false;
    for (const slot of old) {
      if (slot.old === null) continue;
      const there = now(slot.old);
      if ([...this.#protection(slot.old)].every((name) => there.has(name))) continue;
      slot.banned = true;
      slot.fallen ??= slot.reason;
      changed = true;
    }
    return changed;
  }

  #present(): Present {
    const present: Present = new Map();
    for (const slot of this.#slots) {
      const entity = takenOf(slot);
      if (entity === null) continue;
      const index = present.get(entity.kind) ?? { byId: new Map(), byIdentity: new Map() };
      present.set(entity.kind, index);
      if (!index.byId.has(entity.id)) index.byId.set(entity.id, entity);
      if (!index.byIdentity.has(entity.identity)) index.byIdentity.set(entity.identity, entity);
    }
    return present;
  }
}

function oldOf({ old }: Slot): readonly Entity[] {
  return old === null ? [] : [old];
}
