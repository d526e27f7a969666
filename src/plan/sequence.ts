import type { Entity } from '../model/entity.ts';
import { type ReferenceGraph, referenceGraph } from '../model/graph.ts';
import type { KindName } from '../model/kind.ts';
import { cheapestGiver } from './cheapest-giver.ts';
import { closedFields } from './closed-route.ts';
import { type Edges, orderedByRank, sharedCycles } from './graph.ts';
import { isGuard } from './guards.ts';
import { type HandOver, handOversOf } from './hand-overs.ts';
import { leaveToOwners } from './left-to-owners.ts';
import { LentScopes } from './lent-scopes.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import { livePartialsOf, partialsOf } from './partial-links.ts';
import type { PlanInput } from './plan-input.ts';
import { noProtection, type OperationWait, type Protection, protectionOf } from './protection.ts';
import { isRemade } from './remade.ts';
import { type Lent, ranksOf, type Sequence, type Step, step } from './steps.ts';
import { renamableField, type UniqueValue } from './unique-values.ts';

/**
 * Orders operations: creates and updates from parents to children, deletes from children to parents, and wherever a
 * unique value passes from one entity to another, what frees it before what takes it. Circles (a swap of names, a
 * changed id) are broken by temporary values where the kind allows, else by deleting first. What opens a route waits for
 * all that protects it, and what takes protection away for all that takes its place.
 */
export function sequence(operations: readonly Operation[], matching: Matching, mode: PlanInput['mode']): Sequence {
  return new Sequencer(operations, matching, mode).run();
}

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
  readonly #closings = new Map<number, number>();
  readonly #protection: Protection;
  readonly #scopes: LentScopes;
  /** Per step, the steps without whose success it is taken back. */
  readonly #takenBack = new Map<number, Set<number>>();
  /** Steps after which a live route matches nothing. */
  readonly #shut = new Set<number>();
  readonly #closed = new Set<Entity>();
  /** Waits of what names an entity for a change of it. */
  #soft: readonly OperationWait[] = [];
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
    this.#protection = mode === 'dbless' ? noProtection : protectionOf(operations, matching);
    this.#scopes = new LentScopes(operations, matching);
    for (const [index, { target, live }] of operations.entries()) {
      if (target !== null) this.#byTarget.set(target, index);
      if (live !== null) this.#byLive.set(live, index);
    }
  }

  run(): Sequence {
    this.#waitForMoves();
    for (const route of this.#protection.closed) {
      const closing = this.#extra(this.#closings, step(route, 'closed'));
      if (this.#operations[route]?.live !== null) this.#shut.add(closing);
    }
    this.#waitForReferences();
    for (const [index, operation] of this.#operations.entries()) this.#waitForCertificate(index, operation);
    const handOvers = handOversOf(this.#operations, this.#matching).map(
      // A route that is closed first takes what it is called by then.
      (handOver): HandOver => ({ ...handOver, to: this.#closings.get(handOver.to) ?? handOver.to }),
    );
    const protecting = this.#protect(handOvers);
    this.#breakCircles(handOvers, protecting);
    leaveToOwners(this.#waits, this.#steps, this.#operations, this.#matching);
    const order = orderedByRank(this.#waits, ranksOf(this.#steps, this.#operations));
    const place = new Map(order.map((index, at) => [index, at]));
    const at = (index: number) => place.get(index) ?? 0;
    return {
      steps: order.map((index) => this.#steps[index] ?? step(0, 'main')),
      after: order.map((index) => [...(this.#waits[index] ?? [])].map(at).sort((a, b) => a - b)),
      takenBack: new Map([...this.#takenBack].map(([index, unless]) => [at(index), [...unless].map(at)])),
      reopened: new Map([...this.#shut].map((index) => [at(index), this.#whatMoves(index).map(at)])),
      shown: orderedByRank(
        this.#operations.map(() => new Set()),
        ranksOf(this.#steps, this.#operations),
      ),
      closed: [...this.#closed],
      interrupted: [...this.#interrupted],
      stuck: [...this.#stuck],
    };
  }

  /** What is written under its parent, and not by PUT, cannot move to another parent: it is made anew there. */
  #waitForMoves(): void {
    for (const [index, operation] of this.#operations.entries()) {
      if (isRemade(operation, this.#matching, this.#mode)) this.#removal(index);
    }
  }

  #waitForReferences(): void {
    const soft: OperationWait[] = [];
    const opened = new Set(this.#protection.opens.map(([opening, guard]) => `${guard} ${opening}`));
    for (const [index, { target, live, action, entity }] of this.#operations.entries()) {
      const wanted = target === null ? [] : target.references.map((reference) => this.#matching.referent(reference));
      for (const to of [...wanted, ...(target === null ? [] : partialsOf(target, this.#matching))]) {
        const changing = to === undefined ? undefined : this.#byTarget.get(to);
        const closing = changing !== undefined && isGuard(entity.kind) ? this.#closings.get(changing) : undefined;
        const writing = closing ?? changing;
        // What is there already and opens only once this protects it is named as it is.
        if (closing === undefined && opened.has(`${index} ${changing}`)) continue;
        this.#wait(index, writing);
        this.#wait(this.#closings.get(index) ?? index, writing);
        // What is there already can be named before it is changed, where the usual order goes in a circle.
        const isThere = writing !== undefined && this.#operations[writing]?.action === 'update';
        if (!isThere || to?.kind === 'certificates') continue;
        for (const waiting of [index, this.#closings.get(index) ?? index]) soft.push([waiting, writing]);
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

  /**
   * Adds what protection waits for, and gives those waits. What takes the place of another guard by name and scope can
   * only come once that is gone: it goes last, and is taken back when the other does not come.
   */
  #protect(handOvers: readonly HandOver[]): readonly OperationWait[] {
    const { opens, weakens, leaves } = this.#protection;
    const heirs = handOvers.filter(
      ({ from, to, values }) => isGuard(this.#kindOf(to)) && this.#temporary(from, values) === null,
    );
    const inherits = new Set(heirs.map(({ from, to }) => `${from} ${to}`));
    const added = [...opens, ...weakens.filter(([from, to]) => !inherits.has(`${from} ${to}`))];
    for (const { from, to } of heirs) {
      if (this.#operations[from]?.action === 'delete') this.#takeBack(from, to);
      for (const other of this.#waits[to] ?? []) if (other !== from) added.push([from, other]);
    }
    const fresh = added.filter(([waiting, other]) => waiting !== other && this.#waits[waiting]?.has(other) === false);
    for (const [waiting, other] of fresh) this.#wait(waiting, other);
    for (const [guard, deletion] of leaves) this.#wait(guard, this.#close(deletion));
    return fresh;
  }

  /** Has a live route match nothing until its operation is carried out. */
  #close(route: number): number | undefined {
    const live = this.#operations[route]?.live;
    if (live === undefined || live === null) return undefined;
    this.#closed.add(live);
    const closing =
      this.#closings.get(route) ?? this.#interim(route, { temporary: closedFields(live.fields), detached: [] });
    this.#shut.add(closing);
    return closing;
  }

  /** What waits for a route to be closed. */
  #whatMoves(closing: number): readonly number[] {
    const own = this.#steps[closing]?.operation;
    return [...this.#waits.keys()].filter(
      (index) => this.#waits[index]?.has(closing) === true && this.#steps[index]?.operation !== own,
    );
  }

  #takeBack(index: number, unless: number): void {
    const known = this.#takenBack.get(index);
    if (known === undefined) this.#takenBack.set(index, new Set([unless]));
    else known.add(unless);
  }

  #kindOf(index: number): KindName {
    return this.#operations[this.#steps[index]?.operation ?? 0]?.entity.kind ?? 'services';
  }

  /**
   * Gives up waits of protection in circles: in one, or in all that are left. A guard that would leave before its route
   * does waits for that to be closed instead. Whether there were any.
   */
  #yield(protecting: readonly OperationWait[], within?: readonly number[]): boolean {
    const inCircle = () => {
      const group = sharedCycles(this.#waits);
      return protecting.filter(
        ([waiting, other]) =>
          group[waiting] !== undefined &&
          group[waiting] === group[other] &&
          within?.includes(waiting) !== false &&
          this.#waits[waiting]?.has(other) === true,
      );
    };
    const found = inCircle();
    const moving = found.filter(
      ([waiting, other]) =>
        isGuard(this.#kindOf(waiting)) &&
        this.#kindOf(other) === 'routes' &&
        this.#operations[other]?.action === 'update',
    );
    for (const [waiting, other] of moving) {
      const isOnly = moving.every(([guard, route]) => guard !== waiting || route === other);
      if (isOnly && this.#goAlong(waiting, other)) continue;
      this.#waits[waiting]?.delete(other);
      this.#wait(waiting, this.#close(other));
    }
    for (const [waiting, other] of inCircle()) this.#waits[waiting]?.delete(other);
    return found.length > 0;
  }

  /** Has a plugin that moves along with a single route be of that route alone meanwhile. Whether it can. */
  #goAlong(guard: number, route: number): boolean {
    const [plugin, moving] = [this.#operations[guard], this.#operations[route]?.live ?? null];
    const before = [...(this.#waits[guard] ?? [])].filter((other) => other !== route);
    const isMutual = this.#waits[route]?.has(guard) === true && !this.#interims.has(guard);
    const lent = plugin === undefined || moving === null || !isMutual ? null : this.#scopes.ofRoute(plugin, moving);
    if (lent === null) return false;
    const aside = this.#interim(guard, lent);
    for (const other of before) this.#wait(aside, other);
    this.#waits[route]?.delete(guard);
    this.#wait(route, aside);
    return true;
  }

  #breakCircles(handOvers: readonly HandOver[], protecting: readonly OperationWait[]): void {
    const open = handOvers.filter((handOver) => !this.#goesAlong(handOver));
    for (const { from, to } of open) this.#wait(to, this.#removals.get(from) ?? from);
    while (this.#soften());
    this.#breakOpen(open, protecting);
    this.#yield(protecting);
  }

  /** A guard that goes with its owner keeps its protection up to then, and gives its name beforehand. */
  #goesAlong({ from, to, values }: HandOver): boolean {
    const { action, entity, live } = this.#operations[from] ?? {};
    if (action !== 'delete' || entity === undefined || !isGuard(entity.kind)) return false;
    const owners = live?.references.flatMap(({ kind, id }) => this.#matching.live.byId(kind, id ?? '') ?? []) ?? [];
    const goes = owners.some((owner) => this.#operations[this.#byLive.get(owner) ?? -1]?.action === 'delete');
    const temporary = this.#temporary(from, values);
    if (!goes || temporary === null) return false;
    this.#wait(to, this.#interim(from, temporary));
    return true;
  }

  #breakOpen(handOvers: readonly HandOver[], protecting: readonly OperationWait[]): void {
    for (let open = handOvers; open.length > 0; ) {
      if (this.#soften()) continue;
      const group = sharedCycles(this.#waits);
      const inCircle = open.filter(({ from, to }) => group[from] !== undefined && group[from] === group[to]);
      if (inCircle.length === 0) return;
      // One break may open a whole circle, so only one giver of each makes way before looking again.
      for (const circle of new Set(inCircle.map(({ from }) => group[from]))) {
        const within = inCircle.filter(({ from }) => group[from] === circle);
        const giver = cheapestGiver(this.#waits, group, within, (given) => this.#costOf(given));
        const given = within.filter(({ from }) => from === giver);
        const isNamed = given.every(({ values }) => this.#temporary(giver, values) !== null);
        const members = [...group.keys()].filter((node) => group[node] === circle);
        // What has to go before it comes again is worse than what goes too early.
        if (!isNamed && this.#yield(protecting, members)) continue;
        for (const handOver of given) this.#break(handOver);
      }
      open = inCircle.filter(({ from, to }) => this.#waits[to]?.has(from) === true);
    }
  }

  /** Gives up waits in circles that only keep to the usual order. Whether there were any. */
  #soften(): boolean {
    if (this.#soft.length === 0) return false;
    const group = sharedCycles(this.#waits);
    const given = this.#soft.filter(
      ([waiting, forStep]) =>
        group[waiting] !== undefined && group[waiting] === group[forStep] && !this.#removals.has(forStep),
    );
    for (const [waiting, forStep] of given) this.#waits[waiting]?.delete(forStep);
    const gone = new Set(given);
    this.#soft = this.#soft.filter((wait) => !gone.has(wait));
    return given.length > 0;
  }

  /** How many more writes it takes one giver to make way. */
  #costOf(handOvers: readonly HandOver[]): number {
    const [one] = handOvers;
    const operation = one === undefined ? undefined : this.#operations[one.from];
    if (one === undefined || operation === undefined) return 0;
    const { action, live } = operation;
    const passed = handOvers.flatMap(({ values }) => values);
    if (this.#temporary(one.from, passed) !== null) return 1;
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
    const temporary = this.#temporary(from, values);
    if (temporary !== null) {
      this.#wait(to, this.#removals.get(from) ?? this.#interim(from, temporary));
    } else if (action === 'update' && dependants.length === 0) {
      this.#interrupted.add(entity);
      const removal = this.#removal(from);
      if (isGuard(entity.kind)) this.#takeBack(removal, from);
      this.#wait(to, removal);
    } else if (action === 'delete') {
      // What still holds on to it lets go first; the delete keeps its place before what takes the value.
      for (const dependant of dependants) this.#letGo(from, operation.live, this.#byLive.get(dependant));
      this.#wait(to, from);
    } else this.#stuck.add(entity);
  }

  /** What an entity is written with for a moment to free values that it has, or null where one cannot be had otherwise. */
  #temporary(from: number, values: readonly UniqueValue[]): Lent | null {
    const operation = this.#operations[from];
    if (operation === undefined) return null;
    const { entity, live } = operation;
    const lent = values.map((value): Lent | null => {
      const field = renamableField(entity.kind, value);
      if (field === null) return this.#scopes.narrower(value, operation);
      return { temporary: { [field]: `konverge-${live?.id ?? ''}` }, detached: [] };
    });
    if (!lent.every((one) => one !== null)) return null;
    return {
      temporary: Object.assign({}, ...lent.map((one) => one.temporary)),
      detached: lent.flatMap((one) => one.detached),
    };
  }

  #letGo(deletion: number, deleted: Entity, dependant: number | undefined): void {
    if (dependant === undefined || this.#waits[deletion]?.delete(dependant) !== true) return;
    const references = this.#operations[dependant]?.live?.references ?? [];
    const held = references.filter((r) => r.kind === deleted.kind && r.id === deleted.id).map((r) => r.field);
    this.#wait(deletion, this.#interim(dependant, { temporary: {}, detached: held }));
  }

  /** Writes an entity in passing. All that is to be different meanwhile goes into one write. */
  #interim(operation: number, { temporary, detached }: Lent): number {
    const known = this.#steps[this.#interims.get(operation) ?? -1];
    const index = this.#extra(this.#interims, {
      operation,
      role: 'interim',
      temporary: { ...known?.temporary, ...temporary },
      detached: [...new Set([...(known?.detached ?? []), ...detached])],
    });
    const closing = this.#closings.get(operation);
    if (closing !== undefined) this.#wait(closing, index);
    return index;
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
}
