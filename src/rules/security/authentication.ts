import type { Entity } from '../../model/entity.ts';
import type { State } from '../../model/state.ts';
import { idOf, isEnabled } from '../fields.ts';

/** Plugins that find out who is asking, of every edition. */
const authenticating = new Set([
  'ace',
  'basic-auth',
  'header-cert-auth',
  'hmac-auth',
  'jwt',
  'jwt-signer',
  'key-auth',
  'key-auth-enc',
  'ldap-auth',
  'ldap-auth-advanced',
  'mtls-auth',
  'oauth2',
  'oauth2-introspection',
  'openid-connect',
  'saml',
  'vault-auth',
]);

/** Where requests are authenticated in a state: everywhere, or by service and route. */
export interface Authentication {
  readonly everywhere: boolean;
  readonly services: ReadonlySet<string>;
  readonly routes: ReadonlySet<string>;
}

/** Whether a plugin authenticates. */
export function isAuthentication(plugin: Pick<Entity, 'fields'>): boolean {
  const { name } = plugin.fields;
  return typeof name === 'string' && authenticating.has(name);
}

/** Where plugins that are in use authenticate. */
export function authenticationOf(state: State): Authentication {
  const services = new Set<string>();
  const routes = new Set<string>();
  let everywhere = false;
  for (const plugin of state.entities.get('plugins') ?? []) {
    if (!isAuthentication(plugin) || !isEnabled(plugin)) continue;
    const [service, route] = [idOf(plugin, 'service'), idOf(plugin, 'route')];
    if (route !== null) routes.add(route);
    else if (service !== null) services.add(service);
    else if (!plugin.references.some(({ field }) => ['service', 'route', 'consumer', 'consumer_group'].includes(field)))
      everywhere = true;
  }
  return { everywhere, services, routes };
}

/** Whether requests of a route are authenticated, on whatever level. */
export function isAuthenticated(route: Entity, { everywhere, services, routes }: Authentication): boolean {
  if (everywhere || routes.has(route.id)) return true;
  const service = idOf(route, 'service');
  return service !== null && services.has(service);
}

/**
 * The routes of a state that an earlier one authenticated and this one does not: what a change opens. A route is the
 * same one by its id.
 */
export function openedRoutes(before: State, after: State): readonly Entity[] {
  const [then, now] = [authenticationOf(before), authenticationOf(after)];
  return (after.entities.get('routes') ?? []).filter((route) => {
    const earlier = before.byId('routes', route.id) ?? before.byIdentity('routes', route.identity);
    return earlier !== undefined && isAuthenticated(earlier, then) && !isAuthenticated(route, now);
  });
}
