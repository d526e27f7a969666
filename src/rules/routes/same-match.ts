import { describe, type Entity, referenceOf } from '../../model/entity.ts';
import { compareLocations } from '../../model/location.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Finding, Rule, RuleContext } from '../rule.ts';
import { isOpen, matchKey, type RouteMatch } from './route-match.ts';
import { routeMatches } from './winners.ts';

/** No request fits two routes alike. */
export const sameMatch: Rule = {
  name: 'same-match',
  severity: 'warning',
  summary: 'No two routes match exactly the same.',
  kinds: ['routes'],
  check: (entity, context) => {
    const groups = context.memo('same matches', () => groupsOf(routeMatches(context).values()));
    const group = groups.get(entity);
    if (group === undefined) return [];
    return [finding(group, context)];
  },
  documentation: page({
    title: 'same-match',
    what: `Compares what all routes match: protocols, hosts, paths, methods, headers, SNIs, sources, destinations, or the
expression, with \`regex_priority\` or \`priority\`. Neither the order of a list nor the case of a host counts.`,
    why: `Kong takes both and sends every request to one of them: which one depends on ids that say nothing, or on when
they were made. The other route, with its service and its plugins, is dead.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: orders
        paths: [/orders]
  - name: orders-next
    host: orders-next.internal
    routes:
      - name: orders-next
        paths: [/orders]`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: orders
        paths: [/orders]
  - name: orders-next
    host: orders-next.internal
    routes:
      - name: orders-next
        paths: [/orders]
        headers:
          x-preview: ["yes"]`,
    fix: 'Delete one of them, or tell them apart by a host, a path, a method or a header.',
  }),
};

function keyOf(match: RouteMatch): string {
  const regex = match.paths?.some((path) => path.regex) === true;
  return `${regex ? match.regexPriority : 0} ${match.priority} ${matchKey(match)}`;
}

/** The groups of two or more, the last by its name first, by that one. */
function groupsOf(matches: Iterable<RouteMatch>): ReadonlyMap<Entity, readonly RouteMatch[]> {
  const all = new Map<string, RouteMatch[]>();
  for (const match of matches) {
    // A route that matches by nothing is refused, which is a finding of its own.
    if (isOpen(match)) continue;
    const key = keyOf(match);
    const known = all.get(key);
    if (known === undefined) all.set(key, [match]);
    else known.push(match);
  }
  // Those of one identity are told of as that.
  const groups = [...all.values()].filter((group) => new Set(group.map(({ route }) => route.id)).size > 1);
  return new Map(
    groups.flatMap((group) =>
      group
        .sort(lastNamedFirst)
        .slice(0, 1)
        .map(({ route }) => [route, group]),
    ),
  );
}

/** By what they are called, so that the order of what is written changes nothing; by the place only if that is the same. */
function lastNamedFirst(a: RouteMatch, b: RouteMatch): number {
  if (a.route.name !== b.route.name) return a.route.name < b.route.name ? 1 : -1;
  const [first, second] = [a.route.source?.location, b.route.source?.location];
  return first === undefined || second === undefined ? 0 : compareLocations(second, first);
}

function finding(group: readonly RouteMatch[], context: RuleContext): Finding {
  const [last, ...others] = group.map((match) => match.route);
  if (last === undefined) return { message: '', hint: '', locations: [], entities: [] };
  const services = new Set(group.map(({ route }) => referenceOf(route, 'service')?.identity ?? ''));
  const chance = context.mode === 'konnect' ? 'Konnect' : 'Kong';
  const [first] = others;
  const named = others.length === 1 && first !== undefined ? `the ${describe(first)}` : `${others.length} other routes`;
  return findingAt(
    last,
    ['name'],
    `The ${describe(last)} matches exactly what ${named} ${others.length === 1 ? 'does' : 'do'}${services.size > 1 ? ', and leads to another service' : ''}.`,
    `${chance} sends every request to one of them, by chance: delete one, or tell them apart.`,
    others.map((entity) => ({ entity, path: ['name'] })),
  );
}
