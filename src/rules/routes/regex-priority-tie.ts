import { describe } from '../../model/entity.ts';
import { canonicalJson } from '../../model/json.ts';
import { compareLocations } from '../../model/location.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { precedence } from './precedence.ts';
import { type PathRegex, pathRegex } from './regex-sample.ts';
import { matchKey, type PathMatch, type RouteMatch, routeMatch } from './route-match.ts';
import { routeMatches } from './winners.ts';

/** How many regular expressions of one group are compared with each. */
const maxCompared = 50;

/** Of two regular expressions that match one path, it is said which wins. */
export const regexPriorityTie: Rule = {
  name: 'regex-priority-tie',
  severity: 'warning',
  summary: 'Regular expressions that match the same path have different priorities.',
  kinds: ['routes'],
  check: (entity, context) => {
    const match = routeMatch(entity);
    if (match.stream || match.paths?.some((path) => path.regex) !== true) return [];
    const groups = context.memo('regex groups', () => groupsOf(routeMatches(context)));
    for (const path of match.paths.filter((candidate) => candidate.regex)) {
      const tied = tiedWith(match, path, groups.get(groupKey(match, path)) ?? [], context);
      if (tied === null) continue;
      return [
        findingAt(
          entity,
          ['paths'],
          `A path such as ${JSON.stringify(tied.example)} fits the ${describe(entity)} and the ${describe(tied.route.route)}, and both have regex_priority ${match.regexPriority}.`,
          'Give the one that is meant to win the higher regex_priority: otherwise chance decides.',
          [{ entity: tied.route.route, path: ['paths'] }],
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

interface Member {
  readonly match: RouteMatch;
  readonly path: PathMatch;
  readonly regex: PathRegex | null;
}

/** The regular expressions among which chance would decide: of routes that are alike in all but their paths. */
function groupsOf(matches: readonly RouteMatch[]): ReadonlyMap<string, readonly Member[]> {
  const groups = new Map<string, Member[]>();
  for (const match of matches) {
    if (match.stream) continue;
    for (const path of match.paths ?? []) {
      if (!path.regex) continue;
      const member = { match, path, regex: pathRegex(path.text.slice(1)) };
      const key = groupKey(match, path);
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [member]);
      else known.push(member);
    }
  }
  return groups;
}

function groupKey(match: RouteMatch, path: PathMatch): string {
  // Of longer literal beginnings only the first part is a key, for one may be the beginning of the other.
  const beginning = path.prefix.split('/').slice(0, 2).join('/');
  return `${canonicalJson([...precedence(match, path)])} ${beginning} ${matchKey({ ...match, paths: null })}`;
}

function tiedWith(
  match: RouteMatch,
  path: PathMatch,
  group: readonly Member[],
  context: RuleContext,
): { readonly route: RouteMatch; readonly example: string } | null {
  const own = group.find((member) => member.match.route === match.route && member.path.text === path.text)?.regex;
  if (own === undefined || own === null) return null;
  let compared = 0;
  for (const other of group) {
    // Equal lists are one match, which is reported as that; each pair is told of on the route written later.
    if (other.match.route === match.route || other.regex === null || matchKey(other.match) === matchKey(match))
      continue;
    if (!isWrittenBefore(other.match, match) || context.schemas.router === 'expressions') continue;
    compared += 1;
    if (compared > maxCompared) return null;
    if (other.path.text === path.text || other.regex.test.test(own.sample)) {
      return { route: other.match, example: own.sample };
    }
    if (own.test.test(other.regex.sample)) return { route: other.match, example: other.regex.sample };
  }
  return null;
}

function isWrittenBefore(a: RouteMatch, b: RouteMatch): boolean {
  const [first, second] = [a.route.source?.location, b.route.source?.location];
  return first !== undefined && second !== undefined && compareLocations(first, second) < 0;
}
