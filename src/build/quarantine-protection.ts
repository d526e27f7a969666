import { type Entity, type Reference, referenceOf } from '../model/entity.ts';
import { observingPlugins } from '../model/observing-plugins.ts';
import type { State } from '../model/state.ts';

/**
 * Plugins that watch, keep copies, change the format, or open a way for browsers: nothing is let in that they would have
 * kept out, and no service is reached that they stood before. Every other one counts as a part of the protection, and
 * so does one that is not known.
 */
const harmless: ReadonlySet<string> = new Set([
  ...observingPlugins,
  'canary',
  'confluent-consume',
  'graphql-proxy-cache-advanced',
  'grpc-gateway',
  'grpc-web',
  'proxy-cache',
  'proxy-cache-advanced',
]);

/** Whether something would be served, or to somebody, that it should not be when this entity were missing. */
export function protects(entity: Entity): boolean {
  switch (entity.kind) {
    case 'plugins': {
      const { name, enabled } = entity.fields;
      return enabled !== false && !(typeof name === 'string' && harmless.has(name));
    }
    case 'filter_chains':
      return entity.fields['enabled'] !== false;
    // A list that denies, and a group's limits, reach a consumer only through these.
    case 'acls':
    case 'consumer_group_consumers':
      return true;
    default:
      return false;
  }
}

/** The references to what a protecting entity protects; none of a plugin that is for everything. */
export function protectedBy(entity: Entity): readonly Reference[] {
  switch (entity.kind) {
    case 'plugins':
    case 'filter_chains':
      return entity.references.filter(({ field }) => scope.includes(field));
    case 'acls':
    case 'consumer_group_consumers':
      return entity.references.filter(({ field }) => field === 'consumer');
    default:
      return [];
  }
}

const scope: readonly string[] = ['service', 'route', 'consumer', 'consumer_group'];

/** Whether a protecting entity is for everything that the destination serves. */
export function protectsAll(entity: Entity): boolean {
  return entity.kind === 'plugins' && protects(entity) && protectedBy(entity).length === 0;
}

/**
 * For each route of a state, the names of the protecting plugins that every request of it goes through: its own, its
 * service's, and those for everything.
 */
export function protectionIn(state: State): (route: Entity) => ReadonlySet<string> {
  const byScope = new Map<string, Set<string>>();
  for (const plugin of state.entities.get('plugins') ?? []) {
    const { name } = plugin.fields;
    if (!protects(plugin) || typeof name !== 'string') continue;
    const key = protectedBy(plugin).map(({ field, identity }) => `${field}\n${identity}`);
    // What is for two things at once is for a part of the requests only.
    if (key.length > 1) continue;
    const names = byScope.get(key[0] ?? '');
    if (names === undefined) byScope.set(key[0] ?? '', new Set([name]));
    else names.add(name);
  }
  const none: ReadonlySet<string> = new Set();
  return (route) => {
    const service = referenceOf(route, 'service')?.identity;
    return new Set([
      ...(byScope.get('') ?? none),
      ...(byScope.get(`route\n${route.identity}`) ?? none),
      ...(service === undefined ? none : (byScope.get(`service\n${service}`) ?? none)),
    ]);
  };
}
