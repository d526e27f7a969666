import type { Entity, Reference } from '../../model/entity.ts';
import type { KindName } from '../../model/kind.ts';
import { kinds, kindsInOrder } from '../../model/kinds.ts';
import type { State } from '../../model/state.ts';
import { agrees, identityAmong, isKnownByEnvironment } from './identities.ts';

/** Which live entity is which one of the files, as far as that can be told without the values of the environment. */
export interface LiveMatches {
  /** The proposed entity that a live one is. */
  readonly headOf: ReadonlyMap<Entity, Entity>;
  /** The entity of the branch that a live one is, where the proposed files do not have it any more. */
  readonly goneOf: ReadonlyMap<Entity, Entity>;
  /** Live entities and proposed ones that cannot be told apart from others, and so are not compared. */
  readonly leftOut: ReadonlySet<Entity>;
  /** What was left out, in a sentence each. */
  readonly notCompared: readonly string[];
}

/**
 * Matches what is live with the proposed files, parents first. `base` is null where the branch could not be built; `past`
 * gives what a live entity was when it was delivered, where that is known.
 */
export function liveMatches(
  live: State,
  base: State | null,
  head: State,
  past: (entity: Entity) => Entity | undefined,
): LiveMatches {
  const matcher = new Matcher(live, base, head, past);
  for (const { name } of kindsInOrder) matcher.matchKind(name);
  return matcher;
}

/** With more pairs than this, entities are not looked for by what else was written of them. */
const mostCompared = 250_000;

class Matcher implements LiveMatches {
  readonly headOf = new Map<Entity, Entity>();
  readonly goneOf = new Map<Entity, Entity>();
  readonly leftOut = new Set<Entity>();
  readonly notCompared: string[] = [];
  readonly #live: State;
  readonly #base: State | null;
  readonly #head: State;
  readonly #past: (entity: Entity) => Entity | undefined;

  constructor(live: State, base: State | null, head: State, past: (entity: Entity) => Entity | undefined) {
    this.#past = past;
    this.#live = live;
    this.#base = base;
    this.#head = head;
  }

  matchKind(kind: KindName): void {
    const wanted = this.#withoutLeftOut(this.#head.entities.get(kind) ?? [], this.#head);
    const gone = (this.#base?.entities.get(kind) ?? []).filter((entity) => sameIn(this.#head, entity) === undefined);
    const open = new Set(this.#withoutLeftOut(this.#live.entities.get(kind) ?? [], this.#live));
    const byIdentity = new Map<string, Entity>();
    for (const entity of open) {
      const identity = this.#identityOf(entity);
      if (!byIdentity.has(identity)) byIdentity.set(identity, entity);
    }
    const pair = (entity: Entity, counterpart: Entity | undefined, matches: Map<Entity, Entity>) => {
      if (counterpart === undefined || !open.delete(counterpart)) return false;
      matches.set(counterpart, entity);
      return true;
    };
    const hidden: Entity[] = [];
    const rest: Entity[] = [];
    for (const entity of wanted) {
      if (isKnownByEnvironment(entity, this.#head)) hidden.push(entity);
      else if (!pair(entity, this.#find(kind, entity, byIdentity), this.headOf)) rest.push(entity);
    }
    for (const entity of rest) pair(entity, this.#live.byId(kind, entity.id), this.headOf);
    const hiddenGone: Entity[] = [];
    for (const entity of gone) {
      if (this.#base !== null && isKnownByEnvironment(entity, this.#base)) hiddenGone.push(entity);
      else pair(entity, this.#find(kind, entity, byIdentity), this.goneOf);
    }
    if (hidden.length > 0 || hiddenGone.length > 0) this.#matchHidden(hidden, hiddenGone, [...open]);
  }

  #find(kind: KindName, entity: Entity, byIdentity: ReadonlyMap<string, Entity>): Entity | undefined {
    return entity.idGiven ? this.#live.byId(kind, entity.id) : byIdentity.get(entity.identity);
  }

  /** Entities without those that name one that was left out, which are left out with it. */
  #withoutLeftOut(entities: readonly Entity[], state: State): readonly Entity[] {
    return entities.filter((entity) => {
      const names = entity.references.some(({ kind, id, identity }) => {
        const to = id === null ? state.byIdentity(kind, identity) : state.byId(kind, id);
        return to !== undefined && this.leftOut.has(to);
      });
      if (names) this.leftOut.add(entity);
      return !names;
    });
  }

  /** What a live entity is called in the files, where what it belongs to is called otherwise there. */
  #identityOf(entity: Entity): string {
    return identityAmong(entity, (reference) => this.#nameOf(reference));
  }

  #nameOf(reference: Reference): string {
    const to = reference.id === null ? undefined : this.#live.byId(reference.kind, reference.id);
    const match = to === undefined ? undefined : (this.headOf.get(to) ?? this.goneOf.get(to));
    return match?.identity ?? reference.identity;
  }

  /** Of one kind: what is known by the environment, under each parent apart. */
  #matchHidden(hidden: readonly Entity[], gone: readonly Entity[], open: readonly Entity[]): void {
    const groups = new Map<string, { wanted: Entity[]; gone: Entity[]; live: Entity[] }>();
    const groupOf = (parent: string) => {
      const group = groups.get(parent) ?? { wanted: [], gone: [], live: [] };
      groups.set(parent, group);
      return group;
    };
    for (const entity of hidden) groupOf(parentOf(entity, ({ identity }) => identity)).wanted.push(entity);
    for (const entity of gone) groupOf(parentOf(entity, ({ identity }) => identity)).gone.push(entity);
    for (const entity of open) groupOf(parentOf(entity, (reference) => this.#nameOf(reference))).live.push(entity);
    for (const group of groups.values()) this.#matchGroup(group.wanted, group.gone, group.live);
  }

  /**
   * What the branch has as well is expected to be live, what is new is not, and what is gone is. Where it was delivered
   * with the same variables, or the numbers say so, or all that was written besides, each is found; else nothing is said
   * about any of them.
   */
  #matchGroup(allWanted: readonly Entity[], allGone: readonly Entity[], live: readonly Entity[]): void {
    if (live.length === 0) return;
    const open = new Set(live);
    const wanted = this.#withoutDelivered(allWanted, open, this.headOf);
    const gone = this.#withoutDelivered(allGone, open, this.goneOf);
    const old = wanted.filter((entity) => this.#base === null || sameIn(this.#base, entity) !== undefined);
    const rest: Entity[] = [];
    const isMany = old.length * open.size > mostCompared;
    for (const entity of old) {
      const fitting = isMany ? [] : [...open].filter((candidate) => agrees(entity, candidate));
      const rivals = old.filter((other) => fitting[0] !== undefined && agrees(other, fitting[0]));
      const isSure = fitting.length === 1 && rivals.length === 1;
      const [found] = fitting;
      if (isSure && found !== undefined) this.#pair(entity, found, open);
      else rest.push(entity);
    }
    if (rest.length === 0) {
      // What is left is not in the proposed files, whichever of it is which.
      const lost = [...gone];
      for (const entity of open) {
        const was = lost.shift();
        if (was !== undefined) this.goneOf.set(entity, was);
      }
      return;
    }
    if (rest.length === open.size && gone.length === 0) {
      for (const entity of rest) {
        const [first] = open;
        const found = isMany ? first : ([...open].find((candidate) => agrees(entity, candidate)) ?? first);
        if (found !== undefined) this.#pair(entity, found, open);
      }
      return;
    }
    if (open.size === 0) return;
    for (const entity of [...rest, ...open]) this.leftOut.add(entity);
    this.notCompared.push(sentence(rest, open.size));
  }

  /** Pairs entities with what was delivered from the same variables, and gives the others. */
  #withoutDelivered(entities: readonly Entity[], open: Set<Entity>, matches: Map<Entity, Entity>): readonly Entity[] {
    const byVariables = new Map<string, Entity[]>();
    for (const entity of open) {
      const past = this.#past(entity);
      if (past === undefined || past.fromEnvironment.size === 0) continue;
      const key = variablesOf(past);
      const known = byVariables.get(key);
      if (known === undefined) byVariables.set(key, [entity]);
      else known.push(entity);
    }
    const counts = new Map<string, number>();
    for (const entity of entities) counts.set(variablesOf(entity), (counts.get(variablesOf(entity)) ?? 0) + 1);
    return entities.filter((entity) => {
      const [found, ...others] = byVariables.get(variablesOf(entity)) ?? [];
      const isAlone = others.length === 0 && counts.get(variablesOf(entity)) === 1;
      if (found === undefined || !isAlone || !open.delete(found)) return true;
      matches.set(found, entity);
      return false;
    });
  }

  #pair(entity: Entity, found: Entity, open: Set<Entity>): void {
    this.headOf.set(found, entity);
    open.delete(found);
  }
}

/** The same entity in another state of the files. */
export function sameIn(state: State, entity: Entity): Entity | undefined {
  const given = entity.idGiven ? state.byId(entity.kind, entity.id) : undefined;
  return given ?? state.byIdentity(entity.kind, entity.identity);
}

function variablesOf({ fromEnvironment }: Entity): string {
  return JSON.stringify([...fromEnvironment].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parentOf(entity: Entity, nameOf: (reference: Reference) => string): string {
  const { parent } = kinds[entity.kind];
  const reference = entity.references.find(({ field }) => field === parent);
  return reference === undefined ? '' : nameOf(reference);
}

function sentence(left: readonly Entity[], live: number): string {
  const [first] = left;
  if (first === undefined) return '';
  const { label, parent } = kinds[first.kind];
  const owner = first.references.find(({ field }) => field === parent);
  const of = owner === undefined ? '' : ` of ${kinds[owner.kind].label} "${owner.identity}"`;
  const count = left.length === 1 ? `the ${label}` : `${left.length} of the kind ${label}`;
  const [is, they, are] = left.length === 1 ? ['is', 'it', 'is'] : ['are', 'they', 'are'];
  return `${count}${of} ${is} known by a value of the environment, and ${live} ${live === 1 ? 'is' : 'are'} live; which of these ${they} ${are} cannot be told`;
}
