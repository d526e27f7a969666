import type { JsonObject, JsonPath } from '../../../model/json.ts';
import { compare, type KubeObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import { listAt, objectAt, objectsAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import {
  allOf,
  anyOf,
  everyHttpRequest,
  expressionOf,
  type Matcher,
  matchHeader,
  matchHosts,
  matchMethods,
  matchSnis,
  matchText,
} from './expression.ts';
import { httpFilters } from './http-filters.ts';
import type { HttpRule } from './http-routes.ts';
import type { KongRoute } from './kong-service.ts';
import { listOf } from './route-annotations.ts';

/** One host and one match of a rule: what an expression route is made of. */
interface Part {
  readonly rule: HttpRule;
  readonly hostname: string;
  readonly match: JsonObject;
  readonly matchIndex: number;
  readonly path: JsonPath;
}

/** Routes of the expressions router for rules, one for each host and match, by rule; parts that tie are kept in order. */
export function expressionHttpRoutes(
  rules: readonly HttpRule[],
  to: Translation,
): ReadonlyMap<HttpRule, readonly KongRoute[]> {
  const parts = rules.flatMap((rule) => partsOf(rule, to));
  const priorities = withOrder(parts, priorityOf, orderOfParts, 2 ** 12 - 1);
  const routes = new Map<HttpRule, KongRoute[]>();
  for (const part of parts) {
    const list = routes.get(part.rule) ?? [];
    routes.set(part.rule, list);
    list.push(routeOf(part, priorities.get(part) ?? 0, to));
  }
  return routes;
}

/**
 * Priorities in which those that would be equal follow an order: the first gets `largest` more, the next one less.
 */
export function withOrder<T>(
  parts: readonly T[],
  priorityOfPart: (part: T) => number,
  order: (a: T, b: T) => number,
  largest: number,
): ReadonlyMap<T, number> {
  const tied = new Map<number, T[]>();
  for (const part of parts) {
    const priority = priorityOfPart(part);
    const list = tied.get(priority);
    if (list === undefined) tied.set(priority, [part]);
    else list.push(part);
  }
  const priorities = new Map<T, number>();
  for (const [priority, list] of tied) {
    for (const [index, part] of [...list].sort(order).entries()) {
      priorities.set(part, priority + Math.max(largest - index, 0));
    }
  }
  return priorities;
}

function partsOf(rule: HttpRule, to: Translation): readonly Part[] {
  const hostnames = to.gateways.hostnames(rule.route);
  const matches = objectsAt(rule.value, 'matches');
  return (hostnames.length === 0 ? [''] : hostnames).flatMap((hostname): readonly Part[] =>
    matches.length === 0
      ? [{ rule, hostname, match: {}, matchIndex: 0, path: rule.path }]
      : matches.map(({ index, item }) => ({
          rule,
          hostname,
          match: item,
          matchIndex: index,
          path: [...rule.path, 'matches', index],
        })),
  );
}

function routeOf(part: Part, priority: number, to: Translation): KongRoute {
  const { rule, hostname, match, matchIndex, path } = part;
  const { route } = rule;
  const filters = httpFilters(rule, textAt(match, 'path', 'value'), to);
  const host = hostname === '' ? '_' : hostname.replaceAll('*', '_');
  const expression = expressionOf(
    allOf(matchHosts([hostname]), matchSnis(listOf(route, 'snis')), matcherOf(match, filters.paths)),
  );
  return {
    name: `httproute.${route.namespace}.${route.name}.${host}.${rule.index}.${matchIndex}`,
    owner: route,
    fields: {
      strip_path: false,
      preserve_host: true,
      expression: expression === '' ? everyHttpRequest : expression,
      priority,
      tags: tagsOf(route, [rule.name]),
    },
    places: [{ field: ['expression'], object: route, path }],
    made: [...filters.plugins],
    extensions: filters.extensions,
  };
}

function matcherOf(match: JsonObject, paths: readonly string[] | null): Matcher {
  return allOf(
    paths === null ? pathMatcher(objectAt(match, 'path')) : rewrittenMatcher(paths),
    headersMatcher(match),
    allOf(
      ...sortedByName(match, 'queryParams').map((item) =>
        matchText(`http.queries.${textAt(item, 'name')}`, isRegex(item) ? '~' : '==', textAt(item, 'value') ?? ''),
      ),
    ),
    matchMethods([textAt(match, 'method') ?? '']),
  );
}

/** The headers that a match asks for, each by its name. */
export function headersMatcher(match: JsonObject): Matcher {
  return allOf(
    ...sortedByName(match, 'headers').map((item) =>
      matchHeader(textAt(item, 'name') ?? '', textAt(item, 'value') ?? '', isRegex(item)),
    ),
  );
}

function sortedByName(match: JsonObject, field: string): readonly JsonObject[] {
  return objectsAt(match, field)
    .map(({ item }) => item)
    .sort((a, b) => compare(textAt(a, 'name') ?? '', textAt(b, 'name') ?? ''));
}

function isRegex(item: JsonObject): boolean {
  return textAt(item, 'type') === 'RegularExpression';
}

function pathMatcher(path: JsonObject | null): Matcher | null {
  if (path === null) return null;
  const value = textAt(path, 'value') ?? '';
  switch (textAt(path, 'type')) {
    case 'Exact':
      return matchText('http.path', '==', value);
    case 'PathPrefix': {
      if (value === '' || value === '/') return matchText('http.path', '^=', '/');
      const plain = value.replace(/\/$/, '');
      return anyOf(matchText('http.path', '==', plain), matchText('http.path', '^=', `${plain}/`));
    }
    case 'RegularExpression':
      return matchText('http.path', '~', value.startsWith('^') ? value : `^${value}`);
    default:
      return null;
  }
}

/** Paths with groups, for the filter that replaces a prefix. */
function rewrittenMatcher(paths: readonly string[]): Matcher {
  return anyOf(...paths.map((path) => matchText('http.path', '~', `^${path.slice(1)}`)));
}

/** What counts for a priority, by the Gateway API's rules of precedence, in bits (kic.md 6.8). */
function priorityOf({ hostname, match }: Part): number {
  const bit = (position: number) => 2 ** position;
  const type = textAt(match, 'path', 'type');
  const length = Buffer.byteLength(textAt(match, 'path', 'value') ?? '', 'utf8');
  return (
    2 * bit(44) +
    (hostname !== '' && !hostname.startsWith('*') ? bit(43) : 0) +
    hostname.length * bit(35) +
    (type === 'Exact' ? bit(34) : 0) +
    (type === 'RegularExpression' ? bit(33) : 0) +
    Math.max(length - 1, 0) * bit(23) +
    (textAt(match, 'method') === null ? 0 : bit(22)) +
    listAt(match, 'headers').length * bit(17) +
    listAt(match, 'queryParams').length * bit(12)
  );
}

function orderOfParts(a: Part, b: Part): number {
  return orderOfRoutes(a.rule.route, b.rule.route) || a.rule.index - b.rule.index || a.matchIndex - b.matchIndex;
}

/** The older route, then the first by namespace and name. */
export function orderOfRoutes(a: KubeObject, b: KubeObject): number {
  return compare(a.created, b.created) || compare(a.namespace, b.namespace) || compare(a.name, b.name);
}
