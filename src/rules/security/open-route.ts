import { describe, type Entity } from '../../model/entity.ts';
import { idOf, isEnabled, textsOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { mayBeLeftOut } from '../left-out.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { authenticationOf, isAuthenticated, isAuthentication } from './authentication.ts';

/** Hosts that only machines of the same network reach. */
const internal = /(?:^localhost|\.(?:internal|local|localdomain|lan|intranet|svc|cluster\.local|test))(?::\d+)?$/;
/** Plugins after which it does not matter who asks, or that keep people out in another way. */
const otherGuards = ['request-termination', 'ip-restriction', 'redirect'];

/** A route does not lack the authentication that its siblings have. */
export const openRoute: Rule = {
  name: 'open-route',
  severity: 'warning',
  group: 'security',
  summary: 'No route of a service is open while others of the same service ask who is there.',
  kinds: ['routes'],
  check: (entity, context) => {
    const service = idOf(entity, 'service');
    if (service === null || isGuardedElsewhere(context)) return [];
    const authentication = context.memo('authentication', () => authenticationOf(context.state));
    if (isAuthenticated(entity, authentication) || !isPublic(entity) || isGuarded(entity, context)) return [];
    const sibling = context.memo('authenticated routes', () => authenticatedByService(context)).get(service);
    if (sibling === undefined) return [];
    return [
      findingAt(
        entity,
        ['name'],
        `The ${describe(entity)} asks nobody who they are; the ${describe(sibling)} of the same service does.`,
        'Give it an authentication plugin, or put one on the service; if it is to be open, say so with a comment: # konverge: allow open-route because …',
        [{ entity: sibling, path: ['name'] }],
      ),
    ];
  },
  documentation: page({
    title: 'open-route',
    what: `Looks for a route that no authentication plugin covers (on itself, on its service, or globally) while another route
of the same service has one. Routes on hosts such as \`*.internal\`, for \`OPTIONS\` alone, and such as are guarded by
\`ip-restriction\` or end in \`request-termination\` are left alone.`,
    why: `Whoever knows the open route goes round the lock on the others. It happens when a route is added and the plugins of
its siblings are not.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: orders
        paths: [/orders]
        plugins:
          - name: key-auth
      - name: orders-v2
        paths: [/v2/orders]`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    plugins:
      - name: key-auth
    routes:
      - name: orders
        paths: [/orders]
      - name: orders-v2
        paths: [/v2/orders]`,
    fix: `Put the authentication plugin on the service, so that no route can be forgotten. A health check that is meant to be
open says so: \`# konverge: allow open-route because load balancers ask it\`.`,
  }),
};

/** Whether a plugin that may keep people out is left out here, which others then look after. */
function isGuardedElsewhere(context: RuleContext): boolean {
  return context.memo('guards elsewhere', () =>
    mayBeLeftOut(
      context,
      'plugins',
      (plugin) => isAuthentication(plugin) || otherGuards.includes(String(plugin.fields['name'])),
    ),
  );
}

function isPublic(route: Entity): boolean {
  const methods = textsOf(route, 'methods');
  if (methods.length > 0 && methods.every((method) => method === 'OPTIONS')) return false;
  const hosts = textsOf(route, 'hosts');
  return hosts.length === 0 || hosts.some((host) => !internal.test(host.toLowerCase()));
}

function isGuarded(route: Entity, { memo, state }: RuleContext): boolean {
  const guarded = memo('guarded otherwise', () => {
    const ids = new Set<string>();
    for (const plugin of state.entities.get('plugins') ?? []) {
      if (!otherGuards.includes(String(plugin.fields['name'])) || !isEnabled(plugin)) continue;
      if (idOf(plugin, 'consumer') !== null) continue;
      ids.add(idOf(plugin, 'route') ?? idOf(plugin, 'service') ?? 'all');
    }
    return ids;
  });
  return guarded.has('all') || guarded.has(route.id) || guarded.has(idOf(route, 'service') ?? '');
}

/** Of each service, a route that has an authentication plugin of its own. */
function authenticatedByService(context: RuleContext): ReadonlyMap<string, Entity> {
  const { routes } = context.memo('authentication', () => authenticationOf(context.state));
  const found = new Map<string, Entity>();
  for (const route of context.state.entities.get('routes') ?? []) {
    const service = idOf(route, 'service');
    if (service !== null && routes.has(route.id) && !found.has(service)) found.set(service, route);
  }
  return found;
}
