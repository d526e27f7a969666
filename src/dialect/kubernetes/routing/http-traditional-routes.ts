import { canonicalJson, type Json, type JsonObject, type JsonPath, setOwn } from '../../../model/json.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import type { FieldPlace } from '../objects/object-source.ts';
import { tagsOf } from '../objects/tags.ts';
import { listAt, objectAt, objectsAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { httpFilters } from './http-filters.ts';
import type { HttpRule } from './http-routes.ts';
import type { KongRoute } from './kong-service.ts';

/** One match of a rule. */
interface HttpMatch {
  readonly rule: HttpRule;
  readonly index: number;
  readonly value: JsonObject;
  readonly path: JsonPath;
}

/** Routes of a traditional router for rules that share a service; matches that differ in their paths only share a route. */
export function traditionalHttpRoutes(rules: readonly HttpRule[], to: Translation): readonly KongRoute[] {
  const routes: KongRoute[] = [];
  for (const alike of grouped(rules, ({ value }) => listAt(value, 'filters').map(canonicalJson).sort().join(';'))) {
    const matches = alike.flatMap(matchesOf);
    for (const rule of alike) if (matchesOf(rule).length === 0) routes.push(hostRoute(rule, to));
    for (const group of grouped(matches, matchKey)) {
      // The path is a part of what such filters answer, so each match needs a route of its own.
      const apart = group[0] !== undefined && needsOwnRoutes(group[0].rule);
      for (const part of apart ? group.map((match) => [match]) : [group]) {
        const route = routeOf(part, to);
        if (route !== null) routes.push(route);
      }
    }
  }
  return routes;
}

function needsOwnRoutes({ value }: HttpRule): boolean {
  return objectsAt(value, 'filters').some(
    ({ item }) =>
      textAt(item, 'type') === 'RequestRedirect' || textAt(item, 'urlRewrite', 'path', 'type') === 'ReplacePrefixMatch',
  );
}

function matchesOf(rule: HttpRule): readonly HttpMatch[] {
  return objectsAt(rule.value, 'matches').map(({ index, item }) => ({
    rule,
    index,
    value: item,
    path: [...rule.path, 'matches', index],
  }));
}

/** What matches have to agree on to share a route: all but the path. Of headers of one name the first counts. */
function matchKey({ rule, value }: HttpMatch): string {
  const headers = new Map<string, Json>();
  for (const { item } of objectsAt(value, 'headers')) {
    const name = (textAt(item, 'name') ?? '').toLowerCase();
    if (!headers.has(name)) headers.set(name, { ...item, name });
  }
  const { route } = rule;
  const sorted = [...headers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, header]) => header);
  return canonicalJson([route.namespace, route.name, value['method'] ?? null, sorted, value['queryParams'] ?? []]);
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** A rule without matches takes every request for the route's hosts. */
function hostRoute(rule: HttpRule, to: Translation): KongRoute {
  const { route, index, name } = rule;
  const filters = httpFilters(rule, null, to);
  return {
    name: `httproute.${route.namespace}.${route.name}.${index}.0`,
    owner: route,
    fields: { preserve_host: true, ...common(route, to), tags: tagsOf(route, [name]) },
    places: placesOf(route, rule.path),
    made: [...filters.plugins],
    extensions: filters.extensions,
  };
}

function routeOf(matches: readonly HttpMatch[], to: Translation): KongRoute | null {
  const [first] = matches;
  if (first === undefined) return null;
  const { rule } = first;
  const { route } = rule;
  const filters = httpFilters(rule, textAt(first.value, 'path', 'value'), to);
  const methods = [...new Set(matches.map(({ value }) => textAt(value, 'method')).filter((one) => one !== null))];
  const headers = headersOf(first, to);
  const paths = filters.paths ?? matches.flatMap(({ value }) => pathsOf(objectAt(value, 'path')));
  const names = [...new Set(matches.map((match) => match.rule.name))];
  return {
    name: `httproute.${route.namespace}.${route.name}.${rule.index}.${first.index}`,
    owner: route,
    fields: {
      strip_path: false,
      preserve_host: true,
      ...common(route, to),
      ...(paths.length > 0 ? { paths } : {}),
      ...(methods.length > 0 ? { methods } : {}),
      ...(headers === null ? {} : { headers }),
      tags: tagsOf(route, names),
    },
    places: placesOf(route, first.path),
    made: [...filters.plugins],
    extensions: filters.extensions,
  };
}

/** Hosts, and the protocols of the listeners that the route is attached to. */
function common(route: KubeObject, to: Translation): { [field: string]: Json } {
  const hosts = to.gateways.hostnames(route);
  const protocols = httpProtocols(route, to);
  return { ...(hosts.length > 0 ? { hosts } : {}), ...(protocols.length > 0 ? { protocols } : {}) };
}

/** The HTTP protocols of the listeners that a route is attached to, sorted; none where no Gateway is declared. */
export function httpProtocols(route: KubeObject, { gateways }: Translation): readonly string[] {
  const protocols = gateways.attachment(route).listeners.map(({ protocol }) => protocol.toLowerCase());
  return [...new Set(protocols.filter((protocol) => protocol === 'http' || protocol === 'https'))].sort();
}

/** The paths of a Kong route for a match's path (kic.md 6.5). */
function pathsOf(path: JsonObject | null): readonly string[] {
  const value = textAt(path ?? undefined, 'value');
  if (value === null) return [];
  switch (textAt(path ?? undefined, 'type')) {
    case 'Exact':
      return [`~${value}$`];
    case 'PathPrefix':
      return [`~${value}$`, value.endsWith('/') ? value : `${value}/`];
    case 'RegularExpression':
      return [`~${value}`];
    default:
      return [];
  }
}

function headersOf({ rule, value, path }: HttpMatch, { findings }: Translation): JsonObject | null {
  const headers: { [name: string]: Json } = {};
  for (const { index, item } of objectsAt(value, 'headers')) {
    const name = textAt(item, 'name') ?? '';
    if (Object.keys(headers).some((other) => other.toLowerCase() === name.toLowerCase())) {
      const spot = { object: rule.route, path: [...path, 'headers', index, 'name'] };
      const message = `Two matches of the header ${JSON.stringify(name)} stand in one, and the first alone would count`;
      findings.error('kubernetes-route', spot, message, 'Keep one of them.');
      continue;
    }
    const text = textAt(item, 'value') ?? '';
    setOwn(headers, name, [textAt(item, 'type') === 'RegularExpression' ? `~*${text}` : text]);
  }
  return Object.keys(headers).length === 0 ? null : headers;
}

function placesOf(route: KubeObject, path: JsonPath): readonly FieldPlace[] {
  const at = (field: string, ...rest: JsonPath) => ({ field: [field], object: route, path: [...path, ...rest] });
  return [
    { field: ['hosts'], object: route, path: ['spec', 'hostnames'] },
    at('paths', 'path', 'value'),
    at('methods', 'method'),
    at('headers', 'headers'),
    at('expression'),
    at('service'),
    { field: ['protocols'], object: route, path: ['spec', 'parentRefs'] },
  ];
}
