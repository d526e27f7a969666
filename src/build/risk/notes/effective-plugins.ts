import { type Entity, referenceOf } from '../../../model/entity.ts';
import type { State } from '../../../model/state.ts';
import { isEnabled } from '../../../rules/fields.ts';

const scopes = ['service', 'route', 'consumer', 'consumer_group'] as const;

/**
 * For each route of a state, the plugins that every request of it goes through, by name: of several with one name the
 * one with the narrowest scope, as Kong chooses. Plugins that are switched off count as absent.
 */
export function effectivePlugins(state: State): (route: Entity) => ReadonlyMap<string, Entity> {
  const byScope = new Map<string, Map<string, Entity>>();
  for (const plugin of state.entities.get('plugins') ?? []) {
    const { name } = plugin.fields;
    if (typeof name !== 'string' || !isEnabled(plugin) || isOfConsumers(plugin)) continue;
    const key = scopeKey(referenceOf(plugin, 'service')?.identity, referenceOf(plugin, 'route')?.identity);
    const known = byScope.get(key);
    if (known === undefined) byScope.set(key, new Map([[name, plugin]]));
    else if (!known.has(name)) known.set(name, plugin);
  }
  return (route) => {
    const service = referenceOf(route, 'service')?.identity;
    const keys = [scopeKey(undefined, undefined), scopeKey(undefined, route.identity)];
    if (service !== undefined) keys.splice(1, 0, scopeKey(service, undefined));
    if (service !== undefined) keys.push(scopeKey(service, route.identity));
    return new Map(keys.flatMap((key) => [...(byScope.get(key) ?? [])]));
  };
}

/** Whether a plugin is for the requests of some consumers only. */
export function isOfConsumers(plugin: Entity): boolean {
  return referenceOf(plugin, 'consumer') !== undefined || referenceOf(plugin, 'consumer_group') !== undefined;
}

/** Whether a plugin is for everything that the destination serves. */
export function isGlobal(plugin: Entity): boolean {
  return scopes.every((field) => referenceOf(plugin, field) === undefined);
}

function scopeKey(service: string | undefined, route: string | undefined): string {
  return JSON.stringify([service ?? null, route ?? null]);
}
