import type { Entity } from '../model/entity.ts';
import { type ReferenceGraph, referenceGraph } from '../model/graph.ts';
import type { KindName } from '../model/kind.ts';
import { cheapestGiver, mostTried } from './cheapest-giver.ts';
import { closedFields } from './closed-route.ts';
import { orderedByRank, sharedCycles } from './graph.ts';
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
import { StepGraph } from './step-graph.ts';
import { ranksOf, type Sequence, step } from './steps.ts';

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
  readonly #graph: StepGraph;
  readonly #mode: PlanInput['mode'];
  readonly #byTarget = new Map<Entity, number>();
  readonly #byLive = new Map<Entity, number>();
  readonly #protection: Protection;
  readonly #scopes: LentScopes;
  /** Per step, the steps without whose success it is taken back. */
  readonly #takenBack = new Map<number, Set<number>>();
  /** Of routes that are not to change: the steps that close and open them. */
  readonly #openings = new Map<Entity, readonly [closing: number, opening: number]>();
  readonly #closed = new Set<Entity>();
  /** Waits for a unique value, as `waiting other`: no order does without them. */
  readonly #handed = new Set<string>();
  /** Waits for protection, likewise. */
  #protecting = new Set<string>();
  /** Waits of what names an entity for a change of it. */
  #soft: readonly OperationWait[] = [];
  readonly #references: ReferenceGraph;
  readonly #interrupted = new Set<Entity>();
  readonly #stuck = new Set<Entity>();

  constructor(operations: readonly Operation[], matching: Matching, mode: PlanInput['mode']) {
    this.#operations = operations;
    this.#matching = matching;
    this.#mode = mode;
    this.#references = referenceGraph(matching.live);
    this.#protection = mode === 'dbless' ? noProtection : protectionOf(operations, matching);
    this.#scopes = new LentScopes(operations, matching);
    for (const [index, { target, live }] of operations.entries()) {
      if (target !== null) this.#byTarget.set(target, index);
      if (live !== null) this.#byLive.set(live, index);
    }
    this.#graph = new StepGraph(operations, matching, mode, this.#byLive);
  }

  run(): Sequence {
    for (const [index, operation] of this.#operations.entries()) {
      if (isRemade(operation, this.#matching, this.#mode)) this.#graph.removal(index);
    }
    for (const route of this.#protection.closed) {
      const closing = this.#graph.closing(route);
      if (this.#operations[route]?.live !== null) this.#graph.shut.add(closing);
    }
    this.#waitForReferences();
    for (const index of this.#operations.keys()) this.#graph.waitForCertificate(index);
    const handOvers = handOversOf(this.#operations, this.#matching).map(
      // A route that is closed first takes what it is called by then.
      (handOver): HandOver => ({ ...handOver, to: this.#graph.closings.get(handOver.to) ?? handOver.to }),
    );
    const protecting = this.#protect(handOvers);
    this.#breakCircles(handOvers, protecting);
    leaveToOwners(this.#graph.waits, this.#graph.steps, this.#operations, this.#matching);
    const order = orderedByRank(this.#graph.waits, ranksOf(this.#graph.steps, this.#operations));
    const place = new Map(order.map((index, at) => [index, at]));
    const at = (index: number) => place.get(index) ?? 0;
    return {
      steps: order.map((index) => this.#graph.steps[index] ?? step(0, 'main')),
      after: order.map((index) => [...(this.#graph.waits[index] ?? [])].map(at).sort((a, b) => a - b)),
      takenBack: new Map([...this.#takenBack].map(([index, unless]) => [at(index), [...unless].map(at)])),
      reopened: new Map([...this.#graph.shut].map((index) => [at(index), this.#whatMoves(index).map(at)])),
      shown: orderedByRank(
        this.#operations.map(() => new Set()),
        ranksOf(this.#graph.steps, this.#operations),
      ),
      closed: [...this.#closed],
      interrupted: [...this.#interrupted],
      stuck: [...this.#stuck],
    };
  }

  #waitForReferences(): void {
    const soft: OperationWait[] = [];
    const opened = new Set(this.#protection.opens.map(([opening, guard]) => `${guard} ${opening}`));
    for (const [index, { target, live, action, entity }] of this.#operations.entries()) {
      const wanted = target === null ? [] : target.references.map((reference) => this.#matching.referent(reference));
      for (const to of [...wanted, ...(target === null ? [] : partialsOf(target, this.#matching))]) {
        const changing = to === undefined ? undefined : this.#byTarget.get(to);
        const closing = changing !== undefined && isGuard(entity.kind) ? this.#graph.closings.get(changing) : undefined;
        const writing = closing ?? changing;
        // What is there already and opens only once this protects it is named as it is.
        if (closing === undefined && opened.has(`${index} ${changing}`)) continue;
        this.#graph.wait(index, writing);
        this.#graph.wait(this.#graph.closings.get(index) ?? index, writing);
        // What is there already can be named before it is changed, where the usual order goes in a circle.
        const isThere = writing !== undefined && this.#operations[writing]?.action === 'update';
        if (!isThere || to?.kind === 'certificates') continue;
        for (const waiting of [index, this.#graph.closings.get(index) ?? index]) soft.push([waiting, writing]);
      }
      if (live === null) continue;
      const named = live.references.map(({ kind, id }) =>
        id === null ? undefined : this.#matching.live.byId(kind, id),
      );
      for (const to of [...named, ...livePartialsOf(live, this.#matching.live)]) {
        const deletion = to === undefined ? undefined : this.#byLive.get(to);
        if (deletion === undefined || this.#operations[deletion]?.action !== 'delete') continue;
        this.#graph.wait(deletion, action === 'update' ? (this.#graph.removals.get(index) ?? index) : index);
      }
    }
    this.#soft = soft;
  }

  /**
   * Adds what protection waits for, and gives those waits. What takes the place of another guard by name and scope can
   * only come once that is gone: it goes last, and is taken back when the other does not come.
   */
  #protect(handOvers: readonly HandOver[]): readonly OperationWait[] {
    const { opens, weakens, leaves } = this.#protection;
    const heirs = handOvers.filter(
      ({ from, to, values }) =>
        isGuard(this.#kindOf(to)) && this.#scopes.freeing(this.#operations[from], values) === null,
    );
    const inherits = new Set(heirs.map(({ from, to }) => `${from} ${to}`));
    const added = [...opens, ...weakens.filter(([from, to]) => !inherits.has(`${from} ${to}`))];
    for (const { from, to } of heirs) {
      if (this.#operations[from]?.action === 'delete') this.#takeBack(from, to);
      for (const other of this.#graph.waits[to] ?? []) if (other !== from) added.push([from, other]);
    }
    const fresh = added.filter(
      ([waiting, other]) => waiting !== other && this.#graph.waits[waiting]?.has(other) === false,
    );
    for (const [waiting, other] of fresh) this.#graph.wait(waiting, other);
    for (const [guard, deletion] of leaves) this.#graph.wait(guard, this.#close(deletion));
    return fresh;
  }

  /** Has a live route match nothing until its operation is carried out. */
  #close(route: number): number | undefined {
    const live = this.#operations[route]?.live;
    if (live === undefined || live === null) return undefined;
    this.#closed.add(live);
    const closing =
      this.#graph.closings.get(route) ??
      this.#graph.interim(route, { temporary: closedFields(live.fields), detached: [] });
    this.#graph.shut.add(closing);
    return closing;
  }

  /** What waits for a route to be closed. */
  #whatMoves(closing: number): readonly number[] {
    const { operation, route } = this.#graph.steps[closing] ?? {};
    return [...this.#graph.waits.keys()].filter((index) => {
      const one = this.#graph.steps[index];
      const isOwn = route === undefined ? one?.operation === operation : one?.route === route;
      return this.#graph.waits[index]?.has(closing) === true && !isOwn;
    });
  }

  #takeBack(index: number, unless: number): void {
    this.#takenBack.set(index, (this.#takenBack.get(index) ?? new Set()).add(unless));
  }

  #kindOf(index: number): KindName {
    return this.#operations[this.#graph.steps[index]?.operation ?? 0]?.entity.kind ?? 'services';
  }

  /**
   * Gives up waits of protection in circles: in one, or in all that are left. A guard that would leave before its route
   * does waits for that to be closed instead. Whether there were any.
   */
  #yield(protecting: readonly OperationWait[], within?: readonly number[]): boolean {
    const inCircle = () => {
      const group = sharedCycles(this.#graph.waits);
      return protecting.filter(
        ([waiting, other]) =>
          group[waiting] !== undefined &&
          group[waiting] === group[other] &&
          within?.includes(waiting) !== false &&
          !this.#handed.has(`${waiting} ${other}`) &&
          this.#graph.waits[waiting]?.has(other) === true,
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
      this.#graph.waits[waiting]?.delete(other);
      this.#graph.wait(waiting, this.#close(other));
    }
    for (let left = inCircle(); left.length > 0; left = inCircle()) this.#giveUp(left, () => inCircle().length);
    return found.length > 0;
  }

  /** Gives up the wait that does most for a circle, or else all; live routes that it was for are closed meanwhile. */
  #giveUp(circle: readonly OperationWait[], left: () => number): void {
    const costs = ([waiting, other]: OperationWait) => {
      this.#graph.waits[waiting]?.delete(other);
      const inCircle = left();
      this.#graph.waits[waiting]?.add(other);
      // A route that opens too early is worse than one that is closed meanwhile.
      const isAmongGuards = [waiting, other].every((one) => isGuard(this.#kindOf(one)));
      return [isAmongGuards ? 0 : 1, inCircle, this.#routesOf([waiting, other])] as const;
    };
    const tried = circle.length > mostTried ? [] : circle.map((wait) => ({ wait, cost: costs(wait) }));
    const [best] = tried.sort(({ cost: a }, { cost: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    for (const wait of best === undefined ? circle : [best.wait]) this.#giveUpOne(wait);
  }

  #giveUpOne([waiting, other]: OperationWait): void {
    const key = `${waiting} ${other}`;
    this.#protecting.delete(key);
    if (!this.#handed.has(key)) this.#graph.waits[waiting]?.delete(other);
    for (const route of this.#protection.forRoutes.get(key) ?? []) this.#shutFor(route, waiting, other);
  }

  /** How many live routes a wait for protection is for. */
  #routesOf([waiting, other]: OperationWait): number {
    return this.#protection.forRoutes.get(`${waiting} ${other}`)?.size ?? 0;
  }

  /** Has a live route match nothing from before one operation until after another one. */
  #shutFor(route: Entity, before: number, until: number): void {
    const own = this.#byLive.get(route);
    const known = own === undefined ? this.#openings.get(route) : ([this.#close(own), own] as const);
    let [closing, opening] = known ?? [];
    if (closing === undefined || opening === undefined) {
      closing = this.#graph.push({ ...step(before, 'shut'), route });
      opening = this.#graph.push({ ...step(before, 'open'), route });
      this.#graph.wait(opening, closing);
      this.#openings.set(route, [closing, opening]);
      this.#graph.shut.add(closing);
      this.#closed.add(route);
    }
    this.#graph.wait(before, closing);
    this.#graph.wait(this.#graph.removals.get(before) ?? before, closing);
    if (this.#operations[own ?? -1]?.action !== 'delete')
      for (const coming of [before, until]) this.#graph.wait(opening, coming);
  }

  /** Has a plugin that moves along with a single route be of that route alone meanwhile. Whether it can. */
  #goAlong(guard: number, route: number): boolean {
    const [plugin, moving] = [this.#operations[guard], this.#operations[route]?.live ?? null];
    const before = [...(this.#graph.waits[guard] ?? [])].filter((other) => other !== route);
    const isMutual = this.#graph.waits[route]?.has(guard) === true && !this.#graph.interims.has(guard);
    const lent = plugin === undefined || moving === null || !isMutual ? null : this.#scopes.ofRoute(plugin, moving);
    if (lent === null) return false;
    const aside = this.#graph.interim(guard, this.#scopes.lend(plugin, lent));
    for (const other of before) this.#graph.wait(aside, other);
    this.#graph.waits[route]?.delete(guard);
    this.#graph.wait(route, aside);
    return true;
  }

  #breakCircles(handOvers: readonly HandOver[], protecting: readonly OperationWait[]): void {
    const open = handOvers.filter((handOver) => !this.#goesAlong(handOver));
    for (const { from, to } of open) {
      this.#graph.wait(to, this.#graph.removals.get(from) ?? from);
      if (!this.#graph.removals.has(from)) this.#handed.add(`${to} ${from}`);
    }
    this.#protecting = new Set(protecting.map(([waiting, other]) => `${waiting} ${other}`));
    while (this.#soften());
    this.#breakOpen(open, protecting);
    while (this.#yield(protecting) || this.#soften());
  }

  /** A guard that goes with its owner keeps its protection up to then, and gives its name beforehand. */
  #goesAlong({ from, to, values }: HandOver): boolean {
    const { action, entity, live } = this.#operations[from] ?? {};
    if (action !== 'delete' || entity === undefined || !isGuard(entity.kind)) return false;
    const owners = live?.references.flatMap(({ kind, id }) => this.#matching.live.byId(kind, id ?? '') ?? []) ?? [];
    const goes = owners.some((owner) => this.#operations[this.#byLive.get(owner) ?? -1]?.action === 'delete');
    const temporary = this.#scopes.freeing(this.#operations[from], values);
    if (!goes || temporary === null) return false;
    this.#graph.wait(to, this.#graph.interim(from, this.#scopes.lend(this.#operations[from], temporary)));
    return true;
  }

  #breakOpen(handOvers: readonly HandOver[], protecting: readonly OperationWait[]): void {
    const tried = new Set<string>();
    for (let open = handOvers; open.length > 0; ) {
      if (this.#soften()) continue;
      const group = sharedCycles(this.#graph.waits);
      const inCircle = open.filter(({ from, to }) => group[from] !== undefined && group[from] === group[to]);
      if (inCircle.length === 0) return;
      // One break may open a whole circle, so only one giver of each makes way before looking again.
      for (const circle of new Set(inCircle.map(({ from }) => group[from]))) {
        const inThis = inCircle.filter(({ from }) => group[from] === circle);
        const within = inThis.filter(({ from, to }) => !this.#protecting.has(`${to} ${from}`));
        if (within.length === 0) {
          // What gives its value has to stay for what takes it: no order does without closing a route.
          const [bound] = inThis
            .map(({ from, to }) => [to, from] as const)
            .sort((a, b) => this.#routesOf(a) - this.#routesOf(b));
          if (bound !== undefined) this.#giveUpOne(bound);
          continue;
        }
        const giver = cheapestGiver(this.#graph.waits, group, within, (given) => this.#costOf(given));
        const given = within.filter(({ from }) => from === giver);
        const isNamed = given.every(({ values }) => this.#scopes.freeing(this.#operations[giver], values) !== null);
        const members = [...group.keys()].filter((node) => group[node] === circle);
        // What has to go before it comes again is worse than what goes too early.
        if (!isNamed && this.#yield(protecting, members)) continue;
        for (const handOver of given) {
          tried.add(`${handOver.to} ${handOver.from}`);
          this.#break(handOver);
        }
      }
      open = inCircle.filter(({ from, to }) => this.#handed.has(`${to} ${from}`) && !tried.has(`${to} ${from}`));
    }
  }

  /** Gives up waits in circles that only keep to the usual order. Whether there were any. */
  #soften(): boolean {
    if (this.#soft.length === 0) return false;
    const group = sharedCycles(this.#graph.waits);
    const given = this.#soft.filter(
      ([waiting, forStep]) =>
        group[waiting] !== undefined && group[waiting] === group[forStep] && !this.#graph.removals.has(forStep),
    );
    for (const [waiting, forStep] of given) this.#graph.waits[waiting]?.delete(forStep);
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
    if (this.#scopes.freeing(this.#operations[one.from], passed) !== null) return 1;
    const dependants = live === null ? [] : this.#references.dependants(live);
    if (action === 'update') return dependants.length === 0 ? 1 : this.#operations.length;
    return dependants.filter((entity) => this.#graph.waits[one.from]?.has(this.#byLive.get(entity) ?? -1) === true)
      .length;
  }

  #break({ from, to, values }: HandOver): void {
    const operation = this.#operations[from];
    if (operation === undefined) return;
    const { action, entity, live } = operation;
    const dependants = live === null ? [] : this.#references.dependants(live);
    this.#handed.delete(`${to} ${from}`);
    const temporary = this.#scopes.freeing(operation, values);
    // What frees the value may come first, and its protection be waited for all the same.
    if (temporary === null || !this.#protecting.has(`${to} ${from}`)) this.#graph.waits[to]?.delete(from);
    if (temporary !== null) {
      this.#graph.wait(
        to,
        this.#graph.removals.get(from) ?? this.#graph.interim(from, this.#scopes.lend(operation, temporary)),
      );
    } else if (action === 'update' && dependants.length === 0) {
      this.#interrupted.add(entity);
      const removal = this.#graph.removal(from);
      if (isGuard(entity.kind)) this.#takeBack(removal, from);
      this.#graph.wait(to, removal);
    } else if (action === 'delete') {
      // What still holds on to it lets go first; the delete keeps its place before what takes the value.
      for (const dependant of dependants) this.#letGo(from, operation.live, this.#byLive.get(dependant));
      this.#graph.wait(to, from);
      this.#handed.add(`${to} ${from}`);
    } else this.#stuck.add(entity);
  }

  #letGo(deletion: number, deleted: Entity, dependant: number | undefined): void {
    if (dependant === undefined || this.#graph.waits[deletion]?.delete(dependant) !== true) return;
    const references = this.#operations[dependant]?.live?.references ?? [];
    const held = references.filter((r) => r.kind === deleted.kind && r.id === deleted.id).map((r) => r.field);
    this.#graph.wait(deletion, this.#graph.interim(dependant, { temporary: {}, detached: held }));
  }
}
