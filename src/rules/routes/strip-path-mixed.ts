import { describe, type Entity } from '../../model/entity.ts';
import { idOf, textsOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';

/** The routes of one service agree on whether it sees a prefix. */
export const stripPathMixed: Rule = {
  name: 'strip-path-mixed',
  severity: 'warning',
  summary: 'No route takes a prefix off that another route of the service leaves on.',
  kinds: ['routes'],
  check: (entity, context) => {
    const service = idOf(entity, 'service');
    if (service === null || !strips(entity)) return [];
    const keepers = context.memo('routes that keep their path', () => keepersByService(context)).get(service);
    if (keepers === undefined) return [];
    const prefixes = plainPaths(entity).filter((path) => path !== '/');
    for (const prefix of prefixes) {
      const keeper = keepers.get(withoutSlash(prefix));
      if (keeper === undefined) continue;
      const index = textsOf(entity, 'paths').indexOf(prefix);
      return [
        findingAt(
          entity,
          ['paths', index],
          `The ${describe(entity)} takes ${JSON.stringify(prefix)} off what it sends to its service; the ${describe(keeper)} leaves it on.`,
          'Set strip_path the same on both, unless the service answers with and without the prefix.',
          [{ entity: keeper, path: ['strip_path'] }],
        ),
      ];
    }
    return [];
  },
  documentation: page({
    title: 'strip-path-mixed',
    what: `Looks for two routes of one service of which one takes a prefix off the path (\`strip_path\`, which is true where it
is not set) and the other, for a path below that prefix, has \`strip_path: false\`.`,
    why: `The service then gets \`/list\` by the one route and \`/orders/list\` by the other. One of the two is nearly always
answered with 404. It is easy to forget that \`strip_path\` is on by default.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: orders
        paths: [/orders]
      - name: order-list
        paths: [/orders/list]
        strip_path: false`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: orders
        paths: [/orders]
        strip_path: false
      - name: order-list
        paths: [/orders/list]
        strip_path: false`,
    fix: 'Decide whether the service sees the prefix, and set `strip_path` alike on all its routes below it.',
  }),
};

/** Of each service, the routes that keep their path, by every folder that one of their paths lies in. */
function keepersByService({ state }: RuleContext): ReadonlyMap<string, ReadonlyMap<string, Entity>> {
  const byService = new Map<string, Map<string, Entity>>();
  for (const route of state.entities.get('routes') ?? []) {
    const service = idOf(route, 'service');
    if (service === null || route.fields['strip_path'] !== false || isGrpc(route)) continue;
    const byFolder = byService.get(service) ?? new Map<string, Entity>();
    for (const path of plainPaths(route)) {
      for (const folder of foldersOf(path)) if (!byFolder.has(folder)) byFolder.set(folder, route);
    }
    byService.set(service, byFolder);
  }
  return byService;
}

/** `/a/b` lies in `/a` and in itself. */
function foldersOf(path: string): readonly string[] {
  const parts = withoutSlash(path).split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 2).join('/'));
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function strips(route: Entity): boolean {
  return route.fields['strip_path'] !== false && !isGrpc(route);
}

function isGrpc(route: Entity): boolean {
  return textsOf(route, 'protocols').some((protocol) => protocol.startsWith('grpc'));
}

function plainPaths(route: Entity): readonly string[] {
  return textsOf(route, 'paths').filter((path) => path.startsWith('/'));
}
