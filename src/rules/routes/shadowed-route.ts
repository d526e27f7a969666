import { describe } from '../../model/entity.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { matchKey, type RouteMatch } from './route-match.ts';
import { matchOf, routeMatches, winnerOver } from './winners.ts';

/** Every route is reached by some request. */
export const shadowedRoute: Rule = {
  name: 'shadowed-route',
  severity: 'warning',
  summary: 'No route is behind another one for all that it matches.',
  kinds: ['routes'],
  check: (entity, context) => {
    const match = matchOf(entity, context);
    const winner = match.expression === null ? winnerOver(match, context) : sameExpression(match, context);
    if (winner === null) return [];
    return [
      findingAt(
        entity,
        ['name'],
        `The ${describe(entity)} is never reached: the ${describe(winner.route)} comes first for all that it matches.`,
        reasonOf(match, winner),
        [{ entity: winner.route, path: ['name'] }],
      ),
    ];
  },
  documentation: page({
    title: 'shadowed-route',
    what: `Looks for a route of which every combination of host and path is taken by another route that Kong tries first, in the
order that its router has (\`kong.router\`, or the destination's own): more kinds of match before fewer, plain hosts before
wildcards, more headers before fewer, regular expressions before prefixes, a higher \`regex_priority\` before a lower one,
longer prefixes before shorter ones.`,
    why: `Such a route is dead: its service gets no request, and its plugins protect nothing. Usually a regular expression was
written that is wider than it seems, for it wins over every prefix, however long.`,
    bad: `
_format_version: "3.0"
services:
  - name: web
    host: web.internal
    routes:
      - name: everything
        paths: ["~/api/.*"]
  - name: orders
    host: orders.internal
    routes:
      - name: orders
        paths: [/api/orders]`,
    good: `
_format_version: "3.0"
services:
  - name: web
    host: web.internal
    routes:
      - name: everything
        paths: [/api]
  - name: orders
    host: orders.internal
    routes:
      - name: orders
        paths: [/api/orders]`,
    fix: `Make the other route narrower, or a plain prefix; or delete the one that is never reached. Where both are meant to
be regular expressions, give the narrower one the higher \`regex_priority\`.`,
  }),
};

/** The route with the same expression, for the same protocols, that has the highest priority, where that is another. */
function sameExpression(match: RouteMatch, context: RuleContext): RouteMatch | null {
  const first = context.memo('first by expression', () => {
    const firsts = new Map<string, RouteMatch>();
    for (const one of routeMatches(context).values()) {
      if (one.expression === null) continue;
      const known = firsts.get(matchKey(one));
      if (known === undefined || known.priority < one.priority) firsts.set(matchKey(one), one);
    }
    return firsts;
  });
  const winner = first.get(matchKey(match));
  return winner !== undefined && winner.priority > match.priority ? winner : null;
}

function reasonOf(match: RouteMatch, winner: RouteMatch): string {
  if (match.expression !== null) return 'It has the same expression and a higher priority: change one of them.';
  const regex = winner.paths?.some((path) => path.regex) === true;
  const prefixes = match.paths?.every((path) => !path.regex) === true;
  if (regex && prefixes) return 'A regular expression wins over a prefix, however long: make it narrower, or a prefix.';
  if (regex) return 'It has the higher regex_priority: change the priorities, or make it narrower.';
  return 'Make that one narrower, or delete this one.';
}
