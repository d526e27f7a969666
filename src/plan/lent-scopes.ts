import { type Entity, referenceOf } from '../model/entity.ts';
import { canonicalJson, isJsonArray, type Json } from '../model/json.ts';
import { isEnabled, mayProtect } from './guards.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import type { Lent } from './steps.ts';
import { renamableField, type UniqueValue } from './unique-values.ts';

/**
 * Scopes that a plugin can be in for a moment, so that another one can have its own and its routes stay protected:
 * Kong takes one plugin of a name for a route, and another one for the same route together with its service.
 */
export class LentScopes {
  readonly #operations: ReadonlyMap<Entity, Operation>;
  readonly #matching: Matching;
  #taken: ReadonlySet<string> | null = null;
  /** Whom each scope was lent to: two of one name in one would be refused. */
  readonly #lentTo = new Map<string, Entity>();

  constructor(operations: readonly Operation[], matching: Matching) {
    this.#operations = new Map(
      operations.flatMap((operation) => (operation.live === null ? [] : [[operation.live, operation]])),
    );
    this.#matching = matching;
  }

  /** What an entity is written with for a moment to free values that it has, or null where one cannot be had otherwise. */
  freeing(operation: Operation | undefined, values: readonly UniqueValue[]): Lent | null {
    if (operation === undefined) return null;
    const { entity, live } = operation;
    const lent = values.map((value): Lent | null => {
      const field = renamableField(entity.kind, value);
      if (field === null) return this.#narrower(value, operation);
      return { temporary: { [field]: `konverge-${live?.id ?? ''}` }, detached: [] };
    });
    if (!lent.every((one) => one !== null)) return null;
    return {
      temporary: Object.assign({}, ...lent.map((one) => one.temporary)),
      detached: lent.flatMap((one) => one.detached),
      scope: lent.find(({ scope = null }) => scope !== null)?.scope ?? null,
    };
  }

  /** Keeps a scope for the plugin that is written with it, and gives that back. */
  lend(operation: Operation | undefined, lent: Lent): Lent {
    const { scope = null } = lent;
    if (scope !== null && operation?.live) this.#lentTo.set(scope, operation.live);
    return lent;
  }

  /** A scope that is met by the same requests, or null where there is none: its own with the route or service added. */
  #narrower(value: UniqueValue, { live, normalLive }: Operation): Lent | null {
    if (live?.kind !== 'plugins' || !value.fields.includes('route') || !isGuarding(live, normalLive)) return null;
    const [route, service] = ['route', 'service'].map((field) => referenceOf(live, field)?.id ?? null);
    if (route !== null && route !== undefined && service === null) {
      const of = this.#matching.live.byId('routes', route);
      const under = of === undefined ? null : (referenceOf(of, 'service')?.id ?? null);
      return of !== undefined && under !== null && this.#stays(of) ? this.#lent(live, route, under) : null;
    }
    if (route !== null || service === null || service === undefined) return null;
    const served = (this.#matching.live.entities.get('routes') ?? []).filter(
      (one) => referenceOf(one, 'service')?.id === service,
    );
    const [only] = served;
    if (only === undefined || served.length > 1 || !this.#stays(only) || !sharesProtocols(only, normalLive))
      return null;
    return this.#lent(live, only.id, service);
  }

  /** The scope of one route, wherever that goes; null where it is taken. */
  ofRoute({ live, normalLive }: Operation, route: Entity): Lent | null {
    if (live?.kind !== 'plugins' || !isGuarding(live, normalLive) || !sharesProtocols(route, normalLive)) return null;
    return this.#lent(live, route.id, null);
  }

  #lent(plugin: Entity, route: string, service: string | null): Lent | null {
    this.#taken ??= new Set([
      ...(this.#matching.live.entities.get('plugins') ?? []).map((one) => scopeKey(one, ({ id }) => id)),
      ...(this.#matching.target.entities.get('plugins') ?? []).map((one) =>
        scopeKey(one, this.#matching.idOfReference),
      ),
    ]);
    const consumers = ['consumer', 'consumer_group'].map((field) => referenceOf(plugin, field)?.id ?? null);
    const scope = canonicalJson([plugin.fields['name'] ?? null, route, service, ...consumers]);
    if (this.#taken.has(scope) || (this.#lentTo.get(scope) ?? plugin) !== plugin) return null;
    return {
      temporary: { route: { id: route }, ...(service === null ? {} : { service: { id: service } }) },
      detached: ['route', 'service'],
      scope,
    };
  }

  /** Whether a route is and remains where it is. */
  #stays(route: Entity): boolean {
    const operation = this.#operations.get(route);
    if (operation === undefined) return true;
    return operation.action === 'update' && !operation.fields.some(({ path }) => path.startsWith('/service'));
  }
}

function isGuarding(live: Entity, normal: Operation['normalLive']): boolean {
  return mayProtect(live) && isEnabled(normal);
}

/** Kong refuses a plugin on a route that it has no protocol in common with. */
function sharesProtocols({ fields }: Entity, normal: Operation['normalLive']): boolean {
  const [route, own] = [fields['protocols'], normal?.['protocols']];
  return !isJsonArray(route) || !isJsonArray(own) || route.some((protocol) => own.includes(protocol));
}

function scopeKey(plugin: Entity, idOf: Matching['idOfReference']): string {
  const ids = ['route', 'service', 'consumer', 'consumer_group'].map((field): Json => {
    const reference = referenceOf(plugin, field);
    return reference === undefined ? null : idOf(reference);
  });
  return canonicalJson([plugin.fields['name'] ?? null, ...ids]);
}
