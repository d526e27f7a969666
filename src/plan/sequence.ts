import type { Entity } from '../model/entity.ts';
import { type ReferenceGraph, referenceGraph } from '../model/graph.ts';
import type { Json } from '../model/json.ts';
import { deepestLevel, kinds } from '../model/kinds.ts';
import { type Edges, orderedByRank, sharedCycles } from './graph.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import { livePartialsOf, partialsOf } from './partial-links.ts';
import type { PlanInput } from './plan-input.ts';
import { renamableField, type UniqueValue, uniqueValues } from './unique-values.ts';

/**
 * One request to come. `main` carries out its operation; the others make way for it or for another one: a `removal`
 * deletes an entity that its main step makes again, an `interim` writes the live entity with temporary values and
 * without some of its foreign keys.
 */
export interface Step {
  readonly operation: number;
  readonly role: 'main' | 'removal' | 'interim';
  readonly temporary: { readonly [field: string]: Json };
  readonly detached: readonly string[];
}

/** Steps in an order in which they can be sent, and what each has to wait for (by place in the order). */
export interface Sequence {
  readonly steps: readonly Step[];
  readonly after: readonly (readonly number[])[];
  /** Entities that are gone for a moment, because nothing else breaks a circle of hand-overs. */
  readonly interrupted: readonly Entity[];
  /** Entities whose hand-over has no order that works. */
  readonly stuck: readonly Entity[];
}

/**
 * Orders operations: creates and updates from parents to children, deletes from children to parents, and wherever a
 * unique value passes from one entity to another, what frees it before what takes it. Circles (a swap of names, a
 * changed id) are broken by temporary values where the kind allows, else by deleting first.
 */
export function sequence(operations: readonly Operation[], matching: Matching, mode: PlanInput['mode']): Sequence {
  return new Sequencer(operations, matching, mode).run();
}

interface HandOver {
  readonly from: number;
  readonly to: number;
  readonly values: readonly UniqueValue[];
}

interface SoftWait {
  readonly step: number;
  readonly forStep: number;
}

/** Circles of more givers are broken at the first: trying each takes the square of their number. */
const mostTried = 32;

class Sequencer {
  readonly #operations: readonly Operation[];
  readonly #matching: Matching;
  readonly #mode: PlanInput['mode'];
  /** The operations' main steps come first, each at its operation's place. */
  readonly #steps: Step[];
  /** Per step, the steps that it waits for. */
  readonly #waits: Edges;
  readonly #byTarget = new Map<Entity, number>();
  readonly #byLive = new Map<Entity, number>();
  readonly #removals = new Map<number, number>();
  readonly #interims = new Map<number, number>();
  /** Waits of what names an entity for a change of it. */
  #soft: readonly SoftWait[] = [];
  readonly #graph: ReferenceGraph;
  readonly #interrupted = new Set<Entity>();
  readonly #stuck = new Set<Entity>();

  constructor(operations: readonly Operation[], matching: Matching, mode: PlanInput['mode']) {
    this.#operations = operations;
    this.#matching = matching;
    this.#mode = mode;
    this.#steps = operations.map((_, operation) => step(operation, 'main'));
    this.#waits = operations.map(() => new Set<number>());
    this.#graph = referenceGraph(matching.live);
    for (const [index, { target, live }] of operations.entries()) {
      if (target !== null) this.#byTarget.set(target, index);
      if (live !== null) this.#byLive.set(live, index);
    }
  }

  run(): Sequence {
    this.#waitForMoves();
    this.#waitForReferences();
    for (const [index, operation] of this.#operations.entries()) this.#waitForCertificate(index, operation);
    this.#breakCircles(this.#handOvers());
    const order = orderedByRank(this.#waits, this.#ranks());
    const place = new Map(order.map((index, at) => [index, at]));
    const at = (index: number) => place.get(index) ?? 0;
    return {
      steps: order.map((index) => this.#steps[index] ?? step(0, 'main')),
      after: order.map((index) => [...(this.#waits[index] ?? [])].map(at).sort((a, b) => a - b)),
      interrupted: [...this.#interrupted],
      stuck: [...this.#stuck],
    };
  }

  /** What is written under its parent, and not by PUT, cannot move to another parent: it is made anew there. */
  #waitForMoves(): void {
    for (const [index, { action, entity, target, live }] of this.#operations.entries()) {
      if (action !== 'update' || target === null || live === null) continue;
      const api = this.#mode === 'konnect' ? kinds[entity.kind].konnect : kinds[entity.kind].admin;
      if (api === null || api.verb === 'put') continue;
      const before = live.references.map((reference) => `${reference.field} ${reference.id}`);
      const after = target.references.map((r) => `${r.field} ${this.#matching.idOfReference(r)}`);
      if (before.sort().join() !== after.sort().join()) this.#removal(index);
    }
  }

  #waitForReferences(): void {
    const soft: SoftWait[] = [];
    for (const [index, { target, live, action }] of this.#operations.entries()) {
      const wanted = target === null ? [] : target.references.map((reference) => this.#matching.referent(reference));
      for (const to of [...wanted, ...(target === null ? [] : partialsOf(target, this.#matching))]) {
        const writing = to === undefined ? undefined : this.#byTarget.get(to);
        this.#wait(index, writing);
        // What is there already can be named before it is changed, where the usual order goes in a circle.
        const isThere = writing !== undefined && this.#operations[writing]?.action === 'update';
        if (isThere && to?.kind !== 'certificates') soft.push({ step: index, forStep: writing });
      }
      if (live === null) continue;
      const named = live.references.map(({ kind, id }) =>
        id === null ? undefined : this.#matching.live.byId(kind, id),
      );
      for (const to of [...named, ...livePartialsOf(live, this.#matching.live)]) {
        const deletion = to === undefined ? undefined : this.#byLive.get(to);
        if (deletion === undefined || this.#operations[deletion]?.action !== 'delete') continue;
        this.#wait(deletion, action === 'update' ? (this.#removals.get(index) ?? index) : index);
      }
    }
    this.#soft = soft;
  }

  /** On the Admin API a certificate is written with its SNIs' names, so it has to be written before they change. */
  #waitForCertificate(step: number, { entity, live }: Operation): void {
    if (this.#mode !== 'database' || entity.kind !== 'snis' || live === null) return;
    for (const reference of live.references) {
      const to = reference.id === null ? undefined : this.#matching.live.byId(reference.kind, reference.id);
      const writing = to === undefined ? undefined : this.#byLive.get(to);
      if (writing !== undefined && this.#operations[writing]?.action === 'update') this.#wait(step, writing);
    }
  }

  #handOvers(): readonly HandOver[] {
    const freed = new Map<string, number>();
    const kept = this.#operations.map(({ target, normalTarget }) =>
      target === null ? [] : uniqueValues(target, normalTarget, this.#matching.idOfReference),
    );
    const held = this.#operations.map(({ live, normalLive }) =>
      live === null ? [] : uniqueValues(live, normalLive, (reference) => reference.id),
    );
    for (const [index, values] of held.entries()) {
      const stays = new Set(kept[index]?.map((value) => value.key));
      for (const value of values) if (!stays.has(value.key)) freed.set(value.key, index);
    }
    return [...kept.entries()].flatMap(([to, values]) => {
      const givers = new Map<number, UniqueValue[]>();
      for (const value of values) {
        const from = freed.get(value.key);
        if (from !== undefined && from !== to) givers.set(from, [...(givers.get(from) ?? []), value]);
      }
      return [...givers].map(([from, passed]): HandOver => ({ from, to, values: passed }));
    });
  }

  #breakCircles(handOvers: readonly HandOver[]): void {
    for (const { from, to } of handOvers) this.#wait(to, this.#removals.get(from) ?? from);
    for (let open = handOvers; open.length > 0; ) {
      if (this.#soften()) continue;
      const group = sharedCycles(this.#waits);
      const inCircle = open.filter(({ from, to }) => group[from] !== undefined && group[from] === group[to]);
      if (inCircle.length === 0) return;
      // One break may open a whole circle, so only one giver of each makes way before looking again.
      for (const circle of new Set(inCircle.map(({ from }) => group[from]))) {
        const within = inCircle.filter(({ from }) => group[from] === circle);
        const giver = this.#cheapest(within, group, circle);
        for (const handOver of within) if (handOver.from === giver) this.#break(handOver);
      }
      open = inCircle.filter(({ from, to }) => this.#waits[to]?.has(from) === true);
    }
  }

  /** Gives up waits in circles that only keep to the usual order. Whether there were any. */
  #soften(): boolean {
    if (this.#soft.length === 0) return false;
    const group = sharedCycles(this.#waits);
    const given = this.#soft.filter(
      ({ step: waiting, forStep }) =>
        group[waiting] !== undefined && group[waiting] === group[forStep] && !this.#removals.has(forStep),
    );
    for (const { step: waiting, forStep } of given) this.#waits[waiting]?.delete(forStep);
    const gone = new Set(given);
    this.#soft = this.#soft.filter((wait) => !gone.has(wait));
    return given.length > 0;
  }

  /** The giver of a circle whose making way takes the fewest writes, as far as can be seen by trying each. */
  #cheapest(within: readonly HandOver[], group: readonly (number | undefined)[], circle: number | undefined): number {
    const givers = [...new Set(within.map(({ from }) => from))];
    const [first = -1] = givers;
    if (givers.length === 1 || givers.length > mostTried) return first;
    const members = [...group.keys()].filter((node) => group[node] === circle);
    const place = new Map(members.map((node, at) => [node, at]));
    const costs = givers.map((giver) => {
      const freed = new Set(within.filter(({ from }) => from === giver).map(({ to }) => to));
      const waits = members.map((node) => {
        const others = [...(this.#waits[node] ?? [])].filter((other) => other !== giver || !freed.has(node));
        return new Set(others.map((other) => place.get(other)).filter((at) => at !== undefined));
      });
      const left = new Set(sharedCycles(waits).filter((number) => number !== undefined));
      return { giver, cost: this.#costOf(within.filter(({ from }) => from === giver)) + left.size };
    });
    costs.sort((a, b) => a.cost - b.cost);
    return costs[0]?.giver ?? first;
  }

  /** How many more writes it takes one giver to make way. */
  #costOf(handOvers: readonly HandOver[]): number {
    const [one] = handOvers;
    const operation = one === undefined ? undefined : this.#operations[one.from];
    if (one === undefined || operation === undefined) return 0;
    const { action, entity, live } = operation;
    const passed = handOvers.flatMap(({ values }) => values);
    if (passed.every((value) => renamableField(entity.kind, value) !== null)) return 1;
    const dependants = live === null ? [] : this.#graph.dependants(live);
    if (action === 'update') return dependants.length === 0 ? 1 : this.#operations.length;
    return dependants.filter((entity) => this.#waits[one.from]?.has(this.#byLive.get(entity) ?? -1) === true).length;
  }

  #break({ from, to, values }: HandOver): void {
    const operation = this.#operations[from];
    if (operation === undefined) return;
    const { action, entity, live } = operation;
    const dependants = live === null ? [] : this.#graph.dependants(live);
    this.#waits[to]?.delete(from);
    const fields = values.map((value) => renamableField(entity.kind, value));
    if (fields.every((field) => field !== null)) {
      const temporary = Object.fromEntries(fields.map((field) => [field, `konverge-${live?.id ?? ''}`]));
      this.#wait(to, this.#removals.get(from) ?? this.#interim(from, temporary, []));
    } else if (action === 'update' && dependants.length === 0) {
      this.#interrupted.add(entity);
      this.#wait(to, this.#removal(from));
    } else if (action === 'delete') {
      // What still holds on to it lets go first; the delete keeps its place before what takes the value.
      for (const dependant of dependants) this.#letGo(from, operation.live, this.#byLive.get(dependant));
      this.#wait(to, from);
    } else this.#stuck.add(entity);
  }

  #letGo(deletion: number, deleted: Entity, dependant: number | undefined): void {
    if (dependant === undefined || this.#waits[deletion]?.delete(dependant) !== true) return;
    const references = this.#operations[dependant]?.live?.references ?? [];
    const held = references.filter((r) => r.kind === deleted.kind && r.id === deleted.id).map((r) => r.field);
    this.#wait(deletion, this.#interim(dependant, {}, held));
  }

  /** Writes an entity in passing. All that is to be different meanwhile goes into one write. */
  #interim(operation: number, temporary: Step['temporary'], detached: Step['detached']): number {
    const known = this.#steps[this.#interims.get(operation) ?? -1];
    return this.#extra(this.#interims, {
      operation,
      role: 'interim',
      temporary: { ...known?.temporary, ...temporary },
      detached: [...new Set([...(known?.detached ?? []), ...detached])],
    });
  }

  #removal(operation: number): number {
    const index = this.#extra(this.#removals, step(operation, 'removal'));
    this.#wait(index, this.#interims.get(operation));
    return index;
  }

  /** Puts a step before its operation's main one, or in the place of the one of the same role that is there. */
  #extra(roles: Map<number, number>, made: Step): number {
    const known = roles.get(made.operation);
    if (known !== undefined) {
      this.#steps[known] = made;
      return known;
    }
    const index = this.#steps.push(made) - 1;
    roles.set(made.operation, index);
    this.#waits.push(new Set<number>());
    this.#wait(made.operation, index);
    const operation = this.#operations[made.operation];
    if (operation !== undefined) this.#waitForCertificate(index, operation);
    return index;
  }

  #wait(step: number, forStep: number | undefined): void {
    if (forStep !== undefined && forStep !== step) this.#waits[step]?.add(forStep);
  }

  /** Creates and updates by level down, then deletes by level up; within one, the operations' own order. */
  #ranks(): readonly number[] {
    const size = this.#operations.length;
    return this.#steps.map(({ operation, role }) => {
      const { action = 'create', entity } = this.#operations[operation] ?? {};
      const level = entity === undefined ? 0 : kinds[entity.kind].level;
      const floor = action === 'delete' && role === 'main' ? 2 * deepestLevel + 1 - level : level;
      return (floor * (size + 1) + operation) * 2 + (role === 'main' ? 1 : 0);
    });
  }
}

function step(operation: number, role: Step['role']): Step {
  return { operation, role, temporary: {}, detached: [] };
}
