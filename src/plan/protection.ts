import { type Entity, referenceOf } from '../model/entity.ts';
import { isJsonArray, type Json } from '../model/json.ts';
import { covered, coversAll, type Guard, guardsOf, isForConsumersAlone } from './guards.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import { type Passage, passagesOf } from './traffic.ts';

/** An operation that waits for another one, both by their places. */
export type OperationWait = readonly [waiting: number, forOperation: number];

/**
 * What has to wait so that no route is served without a plugin that is asked for, whichever write is refused or lost.
 * A route is protected by the plugins (and filter chains) of its own, of its service, and by the global ones. At each
 * moment it has those that it had, or those that it is to have.
 */
export interface Protection {
  /** What opens a route, or leads its requests elsewhere, for what protects it then. */
  readonly opens: readonly OperationWait[];
  /** What takes protection away, for what takes its place and for what it was needed for. */
  readonly weakens: readonly OperationWait[];
  /** Routes to be made closed first, since what protects them names them: by the route's operation. */
  readonly closed: ReadonlySet<number>;
  /** Protection that moves away from a route which is to be deleted, and the deletion. */
  readonly leaves: readonly OperationWait[];
  /** Of waits among what protects, as `waiting other`: the live routes that they are for. */
  readonly forRoutes: ReadonlyMap<string, ReadonlySet<Entity>>;
}

/** Nothing waits for protection. */
export const noProtection: Protection = {
  opens: [],
  weakens: [],
  closed: new Set(),
  leaves: [],
  forRoutes: new Map(),
};

/** The waits that keep routes protected on the way from one state to the other. */
export function protectionOf(operations: readonly Operation[], matching: Matching): Protection {
  if (operations.length === 0) return noProtection;
  return new Protecting(operations, matching).run();
}

/** A guard on the way from what it is to what it will be. */
interface Changing {
  readonly index: number;
  readonly before: Guard | null;
  readonly after: Guard | null;
  /** Its settings change too, which may let more through, or less. */
  readonly isSet: boolean;
  /** It goes because what it belongs to does. */
  readonly goesAlong: boolean;
}

class Protecting {
  readonly #operations: readonly Operation[];
  readonly #matching: Matching;
  /** Operations by what they are about, as `kind/id`. */
  readonly #byId = new Map<string, number>();
  readonly #all: Changing[] = [];
  /** By `route/ID`, `service/ID` and `all`, what applies there before or after. */
  readonly #at = new Map<string, Set<Changing>>();
  readonly #passages: readonly Passage[];
  readonly #closed = new Set<number>();
  readonly #opens = new Waits();
  readonly #weakens = new Waits();
  readonly #leaves = new Waits();
  readonly #forRoutes = new Map<string, Set<Entity>>();

  constructor(operations: readonly Operation[], matching: Matching) {
    this.#operations = operations;
    this.#matching = matching;
    for (const [index, { entity, target, live }] of operations.entries()) {
      this.#byId.set(`${entity.kind}/${target === null ? live.id : matching.idOf(target)}`, index);
    }
    for (const [index, operation] of operations.entries()) {
      const sides = guardsOf(operation, matching);
      if (sides.before === null && sides.after === null) continue;
      const owners = operation.live?.references.map(({ kind, id }) => this.#deletionOf(`${kind}/${id}`)) ?? [];
      const changing = {
        index,
        ...sides,
        isSet: operation.fields.some(({ path }) => /^\/(config|filters|partials)(\/|$)/.test(path)),
        goesAlong: operation.action === 'delete' && owners.some((owner) => owner !== undefined),
      };
      this.#all.push(changing);
      for (const side of [sides.before, sides.after]) if (side !== null) this.#listed(placeOf(side)).add(changing);
    }
    this.#passages = passagesOf(operations, matching);
  }

  run(): Protection {
    const served = new Map<string, Entity[]>();
    for (const route of this.#matching.live.entities.get('routes') ?? []) {
      const service = referenceOf(route, 'service')?.id ?? '';
      const known = served.get(service);
      if (known === undefined) served.set(service, [route]);
      else known.push(route);
    }
    for (const passage of this.#passages) {
      this.#keepProtected(passage);
      this.#closeFirst(passage, served.get(passage.after?.service ?? '') ?? []);
    }
    this.#replace();
    return {
      opens: this.#opens.list(),
      weakens: this.#weakens.list(),
      closed: this.#closed,
      leaves: this.#leaves.list(),
      forRoutes: this.#forRoutes,
    };
  }

  #keepProtected({ before, after, live, own, changes, enabling }: Passage): void {
    if (enabling !== null && own !== null) this.#opens.add(enabling, own);
    const places = [before, after].flatMap((place) =>
      place === null ? [] : [`route/${place.route}`, `service/${place.service}`],
    );
    const concerned = [...new Set(['all', ...places])].flatMap((place) => [...(this.#at.get(place) ?? [])]);
    const [lost, kept, coming]: Changing[][] = [[], [], []];
    for (const guard of new Set(concerned)) {
      const had = covered(guard.before, before);
      const has = covered(guard.after, after);
      for (const change of changes) {
        // Whether the route is protected as it is to be where it changes first, and as it was where the guard does.
        const isReady = coversAll(guard.before, guard.after, after, has);
        const isLeft = coversAll(guard.after, guard.before, before, had);
        const opens = has.length > 0 && (!isReady || (isLeft && guard.isSet));
        if (opens && guard.after !== null && !isForConsumersAlone(guard.after)) this.#opens.add(change, guard.index);
        if (!isLeft && !guard.goesAlong) this.#leave(guard, change, own);
      }
      if (before === null) continue;
      // What becomes another plugin goes and comes at once.
      const isSame = guard.before?.name === guard.after?.name && guard.before?.consumer === guard.after?.consumer;
      const goes = had.filter((protocol) => after !== null && !(isSame && has.includes(protocol)));
      if (goes.length > 0 && !guard.goesAlong) lost?.push(guard);
      else if (had.length > 0) kept?.push(guard);
      if (has.some((protocol) => !(isSame && had.includes(protocol)))) coming?.push(guard);
    }
    for (const one of lost ?? [])
      for (const heir of [...(coming ?? []), ...(kept ?? [])]) this.#inherit(one, heir, live);
    for (const one of kept ?? []) if (one.isSet) for (const heir of coming ?? []) this.#inherit(one, heir, live);
  }

  /** Protection goes once what it was needed for has changed. */
  #leave({ index, before }: Changing, change: number, own: number | null): void {
    const { action, live } = this.#operations[change] ?? {};
    const isItsRoute = change === own && action === 'delete' && live?.id === before?.route;
    if (isItsRoute) this.#leaves.add(index, change);
    else this.#weakens.add(index, change);
  }

  #inherit(one: Changing, heir: Changing, route: Entity | null): void {
    const [own, other] = [one.before?.consumer ?? null, heir.after?.consumer ?? null];
    if (heir.after === null || heir === one || (own !== null && other !== null && own !== other)) return;
    this.#weakens.add(one.index, heir.index);
    if (route === null) return;
    const key = `${one.index} ${heir.index}`;
    this.#forRoutes.set(key, (this.#forRoutes.get(key) ?? new Set()).add(route));
  }

  /** What is replaced in its own scope goes last, also for routes that are not known here. */
  #replace(): void {
    for (const one of this.#all) {
      if (one.before === null || one.goesAlong) continue;
      const { route, service } = one.before;
      if (one.after !== null && placeOf(one.after) === placeOf(one.before)) continue;
      const places = new Set(['all', `route/${route}`, `service/${service}`]);
      for (const place of places) {
        for (const heir of this.#at.get(place) ?? []) {
          if (heir.after !== null && placeOf(heir.after) === place) this.#inherit(one, heir, null);
        }
      }
    }
  }

  /** A route that comes has to be there before plugins of its own, and where it alone shares protocols with others. */
  #closeFirst({ after, own, live }: Passage, served: readonly Entity[]): void {
    if (after === null || own === null) return;
    const needs = this.#boundTo(`route/${after.route}`).some(
      (guard) => live === null || !shares(guard, live.fields['protocols']),
    );
    // A plugin of a service has to have a protocol in common with one of its routes, once there is any.
    const unserved =
      served.length > 0 &&
      this.#boundTo(`service/${after.service}`).some(
        (guard) => shares(guard, after.protocols) && !served.some(({ fields }) => shares(guard, fields['protocols'])),
      );
    if (needs || unserved) this.#closed.add(own);
  }

  #boundTo(place: string): readonly Guard[] {
    return [...(this.#at.get(place) ?? [])].flatMap(({ after }) =>
      after !== null && placeOf(after) === place ? after : [],
    );
  }

  #listed(place: string): Set<Changing> {
    const known = this.#at.get(place) ?? new Set();
    this.#at.set(place, known);
    return known;
  }

  #deletionOf(key: string): number | undefined {
    const index = this.#byId.get(key);
    return index !== undefined && this.#operations[index]?.action === 'delete' ? index : undefined;
  }
}

/** Waits, each once. */
class Waits {
  readonly #of = new Map<number, Set<number>>();

  add(waiting: number, forOperation: number): void {
    const known = this.#of.get(waiting);
    if (waiting === forOperation) return;
    if (known === undefined) this.#of.set(waiting, new Set([forOperation]));
    else known.add(forOperation);
  }

  list(): readonly OperationWait[] {
    return [...this.#of].flatMap(([waiting, others]) => [...others].map((other) => [waiting, other] as const));
  }
}

function placeOf({ route, service }: Guard): string {
  if (route !== null) return `route/${route}`;
  return service === null ? 'all' : `service/${service}`;
}

function shares({ protocols }: Guard, others: Json | undefined): boolean {
  return protocols === null || !isJsonArray(others) || others.some((protocol) => protocols.has(protocol));
}
