import { describe, type Entity } from '../../model/entity.ts';
import { canonicalJson } from '../../model/json.ts';
import { compareLocations } from '../../model/location.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';
import { precedence } from './precedence.ts';
import { type PathRegex, pathRegex } from './regex-sample.ts';
import { matchKey, type PathMatch, type RouteMatch } from './route-match.ts';
import { matchOf, routeMatches } from './winners.ts';

/** With how many regular expressions before it in its group each is compared. */
const maxCompared = 50;

/** Of two regular expressions that match one path, it is said which wins. */
export const regexPriorityTie: Rule = {
  name: 'regex-priority-tie',
  severity: 'warning',
  summary: 'Regular expressions that match the same path have different priorities.',
  kinds: ['routes'],
  check: (entity, context) => {
    if (context.schemas.router === 'expressions') return [];
    const groups = context.memo('regex groups', () => groupsOf(routeMatches(context).values()));
    for (const { group, place } of groups.get(entity) ?? []) {
      const tied = tiedWith(group, place);
      if (tied === null) continue;
      return [
        findingAt(
          entity,
          ['paths'],
          `A path such as ${JSON.stringify(tied.example)} fits the ${describe(entity)} and the ${describe(tied.route)}, and both have regex_priority ${matchOf(entity, context).regexPriority}.`,
          'Give the one that is meant to win the higher regex_priority: otherwise chance decides.',
          [{ entity: tied.route, path: ['paths'] }],
        ),
      ];
    }
    return [];
  },
  documentation: page({
    title: 'regex-priority-tie',
    what: `Looks for two routes that match by the same hosts, methods and headers and by regular expressions which a single
path can fit, with the same \`regex_priority\` (0 where it is not set). The path that both fit is shown. Expressions that are
too intricate to make an example of are left alone.`,
    why: `Kong tries regular expressions in the order of their priority. With equal ones the order comes from ids or from
when the routes were made, so that it differs between gateways and changes when a route is made anew.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: order
        paths: ['~/orders/\\d+$']
      - name: order-by-name
        paths: ['~/orders/\\w+$']`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: order
        paths: ['~/orders/\\d+$']
        regex_priority: 10
      - name: order-by-name
        paths: ['~/orders/\\w+$']`,
    fix: 'Give the narrower route the higher `regex_priority`, or make the expressions so that no path fits both.',
  }),
};

/** One regular expression of a route. */
interface Member {
  readonly route: Entity;
  readonly path: string;
  /** What the route matches by, all of it. */
  readonly key: string;
  readonly regex: PathRegex | null;
}

/** A member's place in the group in which chance would decide. */
interface Membership {
  readonly group: readonly Member[];
  readonly place: number;
}

/** For each route, the groups of regular expressions, of routes alike in all but their paths, that it is in. */
function groupsOf(matches: Iterable<RouteMatch>): ReadonlyMap<Entity, readonly Membership[]> {
  const groups = new Map<string, Member[]>();
  for (const match of matches) {
    if (match.stream) continue;
    for (const path of match.paths ?? []) {
      if (!path.regex) continue;
      const key = groupKey(match, path);
      const group = groups.get(key) ?? [];
      const regex = pathRegex(path.text.slice(1));
      group.push({ route: match.route, path: path.text, key: matchKey(match), regex });
      groups.set(key, group);
    }
  }
  const byRoute = new Map<Entity, Membership[]>();
  for (const group of groups.values()) {
    group.sort(asWritten);
    for (const [place, { route }] of group.entries()) {
      const memberships = byRoute.get(route) ?? [];
      memberships.push({ group, place });
      byRoute.set(route, memberships);
    }
  }
  return byRoute;
}

function groupKey(match: RouteMatch, path: PathMatch): string {
  // Of longer literal beginnings only the first part is a key, for one may be the beginning of the other.
  const beginning = path.prefix.split('/').slice(0, 2).join('/');
  return `${canonicalJson([...precedence(match, path)])} ${beginning} ${matchKey({ ...match, paths: null })}`;
}

/** A route written earlier that a path fits as well; each pair is told of on the route written later. */
function tiedWith(
  group: readonly Member[],
  place: number,
): { readonly route: Entity; readonly example: string } | null {
  const own = group[place];
  if (own === undefined || own.regex === null) return null;
  const { test, sample } = own.regex;
  for (const other of group.slice(Math.max(0, place - maxCompared), place)) {
    // What is equal in all is told of as that.
    if (other.route === own.route || other.key === own.key || other.regex === null) continue;
    if (other.path === own.path || other.regex.test.test(sample)) return { route: other.route, example: sample };
    if (test.test(other.regex.sample)) return { route: other.route, example: other.regex.sample };
  }
  return null;
}

function asWritten(a: Member, b: Member): number {
  const [first, second] = [a.route.source?.location, b.route.source?.location];
  const place = first !== undefined && second !== undefined ? compareLocations(first, second) : 0;
  return place || (a.route.identity < b.route.identity ? -1 : a.route.identity > b.route.identity ? 1 : 0);
}
