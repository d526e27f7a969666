import type { Json, JsonObject, JsonPath } from '../../../model/json.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import { listAt, objectAt, objectsAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { noBackend, ruleBackends, tellNoBackends } from './backend-refs.ts';
import { allOf, everyHttpRequest, expressionOf, type Matcher, matchHosts, matchSnis, matchText } from './expression.ts';
import { headersMatcher, orderOfRoutes, withOrder } from './http-expression-routes.ts';
import { type KongRoute, type KongService, type KongServices, serviceDefaults } from './kong-service.ts';
import { listOf } from './route-annotations.ts';

/** One host and one match of a rule of a GRPCRoute; in traditional routes the hosts stay together. */
interface Part {
  readonly route: KubeObject;
  readonly rule: number;
  readonly value: JsonObject;
  readonly hostname: string;
  readonly match: JsonObject | null;
  readonly matchIndex: number;
  readonly path: JsonPath;
}

/** Adds the services and routes of all GRPCRoutes (kic.md 6.6): a service for each rule. */
export function addGrpcRoutes(services: KongServices, to: Translation): void {
  const routes = to.store.list('GRPCRoute').filter((route) => to.gateways.attachment(route).served);
  for (const route of routes) {
    checkFilters(route, to);
    for (const { index, item } of objectsAt(route.value, 'spec', 'rules')) {
      tellNoBackends(route, ['spec', 'rules', index], item, to);
    }
  }
  if (to.settings.expressionRoutes) {
    const parts = routes.flatMap((route) => {
      const hostnames = to.gateways.hostnames(route);
      return (hostnames.length === 0 ? [''] : hostnames).flatMap((hostname) => partsOf(route, hostname));
    });
    const priorities = withOrder(parts, priorityOf, orderOfParts, 2 ** 8 - 1);
    for (const part of parts) {
      const host = part.hostname === '' ? '_' : part.hostname.replaceAll('*', '_');
      const name = `grpcroute.${part.route.namespace}.${part.route.name}.${host}.${part.rule}`;
      const service = services.get(name) ?? services.add(serviceOf(name, part, to));
      service.routes.push(expressionRoute(`${name}.${part.matchIndex}`, part, priorities.get(part) ?? 0));
    }
    return;
  }
  for (const part of routes.flatMap((route) => partsOf(route, ''))) {
    const name = `grpcroute.${part.route.namespace}.${part.route.name}.${part.rule}`;
    const service = services.get(name) ?? services.add(serviceOf(name, part, to));
    service.routes.push(traditionalRoute(`${name}.${part.matchIndex}`, part, to));
  }
}

/** Kong has none of the filters of a GRPCRoute; a rule with one would do something else than was asked for. */
function checkFilters(route: KubeObject, { findings }: Translation): void {
  for (const { index, item } of objectsAt(route.value, 'spec', 'rules')) {
    if (listAt(item, 'filters').length === 0) continue;
    findings.error(
      'kubernetes-route',
      { object: route, path: ['spec', 'rules', index, 'filters'] },
      'Filters of a GRPCRoute cannot be carried out by Kong',
      'Use plugins instead: the annotation konghq.com/plugins.',
      { condition: ['Accepted', 'UnsupportedValue'] },
    );
  }
}

function partsOf(route: KubeObject, hostname: string): readonly Part[] {
  return objectsAt(route.value, 'spec', 'rules').flatMap(({ index: rule, item: value }): readonly Part[] => {
    const shared = { route, rule, value, hostname };
    const path = ['spec', 'rules', rule];
    const matches = objectsAt(value, 'matches');
    if (matches.length === 0) return [{ ...shared, match: null, matchIndex: 0, path }];
    return matches.map(({ index, item }) => ({
      ...shared,
      match: item,
      matchIndex: index,
      path: [...path, 'matches', index],
    }));
  });
}

function serviceOf(name: string, { route, rule, value }: Part, to: Translation): KongService {
  const path = ['spec', 'rules', rule];
  const { backends, given } = ruleBackends(route, path, value, to);
  const hears = to.gateways.attachment(route).listeners.some(({ protocol }) => protocol === 'HTTP');
  const service: KongService = {
    name,
    host: name,
    parent: route,
    fields: { protocol: hears ? 'grpc' : 'grpcs', ...serviceDefaults },
    routes: [],
    made: [],
    backends,
  };
  if (given && backends.length === 0) service.made.push(noBackend(route, [...path, 'backendRefs']));
  return service;
}

function tags(route: KubeObject): Json {
  return tagsOf(
    route,
    objectsAt(route.value, 'spec', 'rules').map(({ item }) => textAt(item, 'name') ?? ''),
  );
}

function traditionalRoute(name: string, part: Part, to: Translation): KongRoute {
  const { route, match, path } = part;
  const hosts = to.gateways.hostnames(route);
  const fields: { [field: string]: Json } = { protocols: ['grpc', 'grpcs'], tags: tags(route) };
  if (hosts.length > 0) fields['hosts'] = hosts;
  const method = objectAt(match ?? undefined, 'method');
  if (method !== null) fields['paths'] = [`~/${methodPath(method)}`];
  else if (match === null && hosts.length === 0) fields['paths'] = ['/'];
  const headers = new Map<string, string[]>();
  for (const { item } of objectsAt(match ?? undefined, 'headers')) {
    const [header, value] = [textAt(item, 'name') ?? '', textAt(item, 'value') ?? ''];
    const text = textAt(item, 'type') === 'RegularExpression' ? `~*${value}` : value;
    headers.set(header, [...(headers.get(header) ?? []), text]);
  }
  if (headers.size > 0) fields['headers'] = Object.fromEntries(headers);
  return { name, owner: route, fields, places: placesOf(route, path), made: [], extensions: [] };
}

/** The path of a gRPC call: what is not given matches anything. */
function methodPath(method: JsonObject): string {
  const regex = textAt(method, 'type') === 'RegularExpression';
  const [service, name] = [textAt(method, 'service') ?? '.+', textAt(method, 'method') ?? (regex ? '.+' : '')];
  return `${service}/${name}`;
}

function expressionRoute(name: string, part: Part, priority: number): KongRoute {
  const { route, hostname, match, path } = part;
  const method = objectAt(match ?? undefined, 'method');
  const expression = expressionOf(
    allOf(
      method === null ? null : methodMatcher(method),
      headersMatcher(match ?? {}),
      matchHosts([hostname]),
      matchSnis(listOf(route, 'snis')),
    ),
  );
  return {
    name,
    owner: route,
    fields: {
      preserve_host: true,
      expression: expression === '' ? everyHttpRequest : expression,
      priority,
      tags: tags(route),
    },
    places: placesOf(route, path),
    made: [],
    extensions: [],
  };
}

function methodMatcher(method: JsonObject): Matcher {
  const [service, name] = [textAt(method, 'service'), textAt(method, 'method')];
  if (service === null && name === null) return matchText('http.path', '^=', '/');
  if (textAt(method, 'type') === 'RegularExpression') {
    return matchText('http.path', '~', `^/${service ?? '.+'}/${name ?? '.+'}`);
  }
  if (name === null) return matchText('http.path', '^=', `/${service}/`);
  return service === null
    ? matchText('http.path', '=^', `/${name}`)
    : matchText('http.path', '==', `/${service}/${name}`);
}

function placesOf(route: KubeObject, path: JsonPath): KongRoute['places'] {
  return [
    { field: ['hosts'], object: route, path: ['spec', 'hostnames'] },
    { field: ['paths'], object: route, path: [...path, 'method'] },
    { field: ['headers'], object: route, path: [...path, 'headers'] },
    { field: ['expression'], object: route, path },
    { field: ['service'], object: route, path },
  ];
}

/** What counts for a priority, by the Gateway API's rules of precedence, in bits (kic.md 6.8). */
function priorityOf({ hostname, match }: Part): number {
  const bit = (position: number) => 2 ** position;
  const bytes = (field: string) => Buffer.byteLength(textAt(match ?? undefined, 'method', field) ?? '', 'utf8');
  return (
    bit(44) +
    (hostname !== '' && !hostname.startsWith('*') ? bit(43) : 0) +
    hostname.length * bit(35) +
    bytes('service') * bit(24) +
    bytes('method') * bit(13) +
    listAt(match ?? undefined, 'headers').length * bit(8)
  );
}

function orderOfParts(a: Part, b: Part): number {
  return orderOfRoutes(a.route, b.route) || a.rule - b.rule || a.matchIndex - b.matchIndex;
}
