import { type Entity, type Reference, referenceOf } from '../model/entity.ts';
import { isJsonArray, type Json } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';

/** An operation that waits for another one, both by their places. */
export type OperationWait = readonly [waiting: number, forOperation: number];

/**
 * What has to wait so that no route is served without a plugin that is asked for, whichever write is refused or lost.
 * A route is protected by the plugins (and filter chains) of its own, of its service, and by the global ones.
 */
export interface Protection {
  /** Routes and services that open, for what protects them. */
  readonly opens: readonly OperationWait[];
  /** What takes protection away, for what takes its place and for the routes that leave. */
  readonly weakens: readonly OperationWait[];
  /** Routes to be made closed first, since what protects them names them: by the route's operation. */
  readonly closed: ReadonlySet<number>;
  /** Protection that moves away from a route which is to be deleted, and the deletion. */
  readonly leaves: readonly OperationWait[];
}

const guards: ReadonlySet<KindName> = new Set(['plugins', 'filter_chains']);

/** Fields of a route that change nothing about what it matches. */
const harmless: ReadonlySet<string> = new Set([
  'name',
  'tags',
  'strip_path',
  'preserve_host',
  'path_handling',
  'https_redirect_status_code',
  'request_buffering',
  'response_buffering',
]);

/** Whether an entity of the kind may keep requests from being let through. */
export function isGuard(kind: KindName): boolean {
  return guards.has(kind);
}

/** The waits that keep routes protected on the way from one state to the other. */
export function protectionOf(operations: readonly Operation[], matching: Matching): Protection {
  if (!operations.some(({ entity }) => guards.has(entity.kind))) {
    return { opens: [], weakens: [], closed: new Set(), leaves: [] };
  }
  return new Protecting(operations, matching).run();
}

/** What a guard applies to, by the ids that the destination knows. */
interface Scope {
  readonly route: string | null;
  readonly service: string | null;
  readonly consumer: string | null;
}

class Protecting {
  readonly #operations: readonly Operation[];
  readonly #matching: Matching;
  /** Operations by what they are about, as `kind/id`. */
  readonly #byId = new Map<string, number>();
  readonly #strong = new Map<number, Scope>();
  readonly #ofRoute = new Map<string, number[]>();
  readonly #ofService = new Map<string, number[]>();
  readonly #global: number[] = [];
  readonly #liveRoutes = new Map<string | null, Entity[]>();
  readonly #closed = new Set<number>();
  readonly #opens: OperationWait[] = [];
  readonly #weakens: OperationWait[] = [];
  readonly #leaves: OperationWait[] = [];

  constructor(operations: readonly Operation[], matching: Matching) {
    this.#operations = operations;
    this.#matching = matching;
    for (const [index, operation] of operations.entries()) {
      const { entity, target, live } = operation;
      this.#byId.set(`${entity.kind}/${target === null ? live.id : matching.idOf(target)}`, index);
      if (!guards.has(entity.kind) || target === null || !isEnabled(operation.normalTarget)) continue;
      const scope = scopeOf(target, matching.idOfReference);
      this.#strong.set(index, scope);
      if (scope.route !== null) add(this.#ofRoute, scope.route, index);
      else if (scope.service !== null) add(this.#ofService, scope.service, index);
      else this.#global.push(index);
    }
    for (const route of matching.live.entities.get('routes') ?? []) {
      add(this.#liveRoutes, referenceOf(route, 'service')?.id ?? null, route);
    }
  }

  run(): Protection {
    for (const [index, operation] of this.#operations.entries()) {
      if (operation.entity.kind === 'routes') this.#open(index, operation);
      else if (operation.entity.kind === 'services') this.#enable(index, operation);
      else if (guards.has(operation.entity.kind) && isWeakening(operation, this.#matching))
        this.#weaken(index, operation);
    }
    return { opens: this.#opens, weakens: this.#weakens, closed: this.#closed, leaves: this.#leaves };
  }

  #open(index: number, { target, fields, action, normalLive, normalTarget }: Operation): void {
    if (target === null) return;
    if (action === 'update' && fields.every(({ path }) => harmless.has(path.split('/')[1] ?? ''))) return;
    const id = this.#matching.idOf(target);
    const own = this.#ofRoute.get(id) ?? [];
    const service = this.#targetService(target);
    for (const guard of this.#bearing(id, service)) {
      if (!this.#opensForConsumers(guard)) this.#opens.push([index, guard]);
    }
    const needs = own.filter((guard) => action === 'create' || !this.#shares(guard, normalLive?.['protocols']));
    // A plugin of a service has to have a protocol in common with one of its routes, once there is any.
    const before = service === null ? [] : (this.#liveRoutes.get(service) ?? []);
    const bound = before.length === 0 || service === null ? [] : (this.#ofService.get(service) ?? []);
    const unserved = bound.filter(
      (guard) =>
        this.#shares(guard, normalTarget['protocols']) &&
        !before.some((route) => this.#shares(guard, route.fields['protocols'])),
    );
    if (needs.length + unserved.length > 0) this.#closed.add(index);
  }

  /** A service that is disabled has no routes that match. */
  #enable(index: number, { action, target, normalLive, normalTarget }: Operation): void {
    if (action !== 'update' || isEnabled(normalLive) || !isEnabled(normalTarget)) return;
    const id = this.#matching.idOf(target);
    for (const guard of [...(this.#ofService.get(id) ?? []), ...this.#global]) this.#opens.push([index, guard]);
    for (const route of this.#matching.target.entities.get('routes') ?? []) {
      if (this.#targetService(route) !== id) continue;
      for (const guard of this.#ofRoute.get(this.#matching.idOf(route)) ?? []) this.#opens.push([index, guard]);
    }
  }

  #weaken(index: number, { live, action }: Operation): void {
    if (live === null) return;
    const scope = scopeOf(live, (reference) => reference.id);
    const owners = live.references.map(({ kind, id }) => this.#deletionOf(`${kind}/${id}`));
    // It goes when what it belongs to does.
    if (action === 'delete' && owners.some((owner) => owner !== undefined)) return;
    const route = this.#deletionOf(`routes/${scope.route}`);
    if (action === 'update' && route !== undefined) this.#leaves.push([index, route]);
    const heirs = new Set<number>(this.#global);
    const all = scope.route === null && scope.service === null;
    if (all) for (const heir of this.#strong.keys()) heirs.add(heir);
    else if (scope.service !== null) for (const heir of this.#ofService.get(scope.service) ?? []) heirs.add(heir);
    for (const served of this.#affected(scope)) {
      const change = this.#byId.get(`routes/${served.id}`);
      const operation = change === undefined ? undefined : this.#operations[change];
      const leaves =
        operation?.action === 'delete' || operation?.fields.some(({ path }) => path.startsWith('/service')) === true;
      if (scope.route === null && scope.consumer === null && leaves && change !== undefined)
        this.#weakens.push([index, change]);
      const target = this.#matching.targetOf(served);
      if (all || target === undefined) continue;
      for (const heir of this.#bearing(served.id, this.#targetService(target))) heirs.add(heir);
    }
    for (const heir of heirs) {
      const consumer = this.#strong.get(heir)?.consumer ?? null;
      const apart = consumer !== null && scope.consumer !== null && consumer !== scope.consumer;
      if (heir !== index && !apart) this.#weakens.push([index, heir]);
    }
  }

  #affected(scope: Scope): readonly Entity[] {
    if (scope.route !== null) {
      const route = this.#matching.live.byId('routes', scope.route);
      return route === undefined ? [] : [route];
    }
    return scope.service === null ? [...this.#liveRoutes.values()].flat() : (this.#liveRoutes.get(scope.service) ?? []);
  }

  #bearing(route: string, service: string | null): readonly number[] {
    const ofService = service === null ? [] : (this.#ofService.get(service) ?? []);
    return [...(this.#ofRoute.get(route) ?? []), ...ofService, ...this.#global];
  }

  /** What is bound to a consumer alone leaves every route as open as it was. */
  #opensForConsumers(guard: number): boolean {
    const scope = this.#strong.get(guard);
    return scope !== undefined && scope.consumer !== null && scope.route === null && scope.service === null;
  }

  #targetService(route: Entity): string | null {
    const reference = referenceOf(route, 'service');
    return reference === undefined ? null : this.#matching.idOfReference(reference);
  }

  #deletionOf(key: string): number | undefined {
    const index = this.#byId.get(key);
    return index !== undefined && this.#operations[index]?.action === 'delete' ? index : undefined;
  }

  #shares(guard: number, protocols: Json | undefined): boolean {
    const own = this.#operations[guard]?.normalTarget?.['protocols'];
    if (!isJsonArray(own) || !isJsonArray(protocols)) return true;
    return own.some((protocol) => protocols.includes(protocol));
  }
}

/** Whether an operation takes protection away from where it was: deletes, disables, moves, or serves fewer protocols. */
function isWeakening(operation: Operation, matching: Matching): boolean {
  const { live, target, normalLive, normalTarget } = operation;
  if (live === null || !isEnabled(normalLive)) return false;
  if (target === null || !isEnabled(normalTarget)) return true;
  const before = scopeOf(live, (reference) => reference.id);
  const after = scopeOf(target, matching.idOfReference);
  if (before.route !== after.route || before.service !== after.service || before.consumer !== after.consumer)
    return true;
  const [served, serves] = [normalLive['protocols'], normalTarget['protocols']];
  return isJsonArray(served) && isJsonArray(serves) && served.some((protocol) => !serves.includes(protocol));
}

function isEnabled(fields: { readonly [field: string]: Json } | null): boolean {
  return fields?.['enabled'] !== false;
}

function scopeOf(guard: Entity, idOf: (reference: Reference) => string | null): Scope {
  const id = (field: string) => {
    const reference = referenceOf(guard, field);
    return reference === undefined ? null : (idOf(reference) ?? reference.identity);
  };
  return { route: id('route'), service: id('service'), consumer: id('consumer') ?? id('consumer_group') };
}

function add<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
