import type { Json, JsonPath } from '../../../model/json.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import { objectsAt, textAt, textsAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { ruleBackends } from './backend-refs.ts';
import { allOf, anyOf, expressionOf, matchNumber, matchSnis } from './expression.ts';
import { type KongServices, serviceDefaults } from './kong-service.ts';

/** The kinds of routes below HTTP, and how each is named and carried. */
const kinds = {
  UDPRoute: { prefix: 'udproute', service: 'udp', route: 'udp', listener: 'UDP' },
  TCPRoute: { prefix: 'tcproute', service: 'tcp', route: 'tcp', listener: 'TCP' },
  TLSRoute: { prefix: 'tlsroute', service: 'tcp', route: 'tls', listener: 'TLS' },
} as const;

/** Adds the services and routes of all UDPRoutes, TCPRoutes and TLSRoutes (kic.md 6.6): a service for each rule. */
export function addL4Routes(services: KongServices, to: Translation): void {
  for (const kind of ['UDPRoute', 'TCPRoute', 'TLSRoute'] as const) {
    for (const route of to.store.list(kind)) {
      if (to.gateways.attachment(route).served && isRoutable(route, to)) addRoute(kind, route, services, to);
    }
  }
}

function isRoutable(route: KubeObject, { findings }: Translation): boolean {
  const refuse = (path: JsonPath, message: string, hint: string) => {
    findings.error('kubernetes-route', { object: route, path }, message, hint, {
      condition: ['Accepted', 'UnsupportedValue'],
    });
    return false;
  };
  const rules = objectsAt(route.value, 'spec', 'rules');
  if (rules.length === 0)
    return refuse(['spec'], `A ${route.kind} needs a rule or more`, 'Add one under `spec.rules`.');
  if (route.kind === 'TLSRoute') {
    if (textsAt(route.value, 'spec', 'hostnames').length > 0) return true;
    return refuse(['spec'], 'A TLSRoute needs hostnames, by which it is chosen', 'Add them under `spec.hostnames`.');
  }
  const empty = rules.find(({ item }) => objectsAt(item, 'backendRefs').length === 0);
  if (empty === undefined) return true;
  const hint = 'Name a Service under `backendRefs`.';
  return refuse(['spec', 'rules', empty.index], `A rule of a ${route.kind} needs a backend`, hint);
}

function addRoute(kind: keyof typeof kinds, route: KubeObject, services: KongServices, to: Translation): void {
  const { prefix, service: protocol, listener } = kinds[kind];
  const matching = matchOf(kind, route, to);
  if (kind !== 'TLSRoute' && matching.ports.length === 0) {
    to.findings.warning(
      'kubernetes-not-attached',
      { object: route, path: ['spec', 'parentRefs'] },
      `No listener with the protocol ${listener} says on which port ${shownObject(route)} is served`,
      'Declare the Gateway beside the route.',
    );
  }
  for (const { index, item } of objectsAt(route.value, 'spec', 'rules')) {
    const path = ['spec', 'rules', index];
    const name = `${prefix}.${route.namespace}.${route.name}.${index}`;
    const { backends } = ruleBackends(route, path, item, to);
    services.add({
      name,
      host: name,
      parent: route,
      fields: { protocol, ...serviceDefaults },
      made: [],
      backends,
      routes: [
        {
          name: `${name}.0`,
          owner: route,
          fields: { ...matching.fields, tags: tagsOf(route, [textAt(item, 'name') ?? '']) },
          places: [
            { field: ['snis'], object: route, path: ['spec', 'hostnames'] },
            { field: ['destinations'], object: route, path: ['spec', 'parentRefs'] },
            { field: ['expression'], object: route, path: ['spec', 'parentRefs'] },
            { field: ['service'], object: route, path },
          ],
          made: [],
          extensions: [],
        },
      ],
    });
  }
}

function matchOf(
  kind: keyof typeof kinds,
  route: KubeObject,
  to: Translation,
): { readonly ports: readonly number[]; readonly fields: { readonly [field: string]: Json } } {
  const { route: plain, listener } = kinds[kind];
  const { listeners } = to.gateways.attachment(route);
  const passes = kind === 'TLSRoute' && listeners.some(({ tls }) => textAt(tls ?? undefined, 'mode') === 'Passthrough');
  const protocols = [passes ? 'tls_passthrough' : plain];
  const snis = kind === 'TLSRoute' ? to.gateways.hostnames(route) : [];
  const ports =
    kind === 'TLSRoute'
      ? []
      : listeners.flatMap(({ protocol, port }) => (protocol === listener && port !== null ? [port] : []));
  return { ports, fields: { ...l4Match(snis, ports, to.settings.expressionRoutes), protocols } };
}

/** What a route below HTTP matches: server names and ports (kic.md 6.8). */
export function l4Match(
  snis: readonly string[],
  ports: readonly number[],
  expressions: boolean,
): { readonly [field: string]: Json } {
  if (expressions) {
    const atPorts = anyOf(...ports.map((port) => matchNumber('net.dst.port', port)));
    return { expression: expressionOf(allOf(matchSnis(snis), atPorts)), priority: 1 };
  }
  return {
    ...(snis.length > 0 ? { snis } : {}),
    ...(ports.length > 0 ? { destinations: ports.map((port) => ({ port })) } : {}),
  };
}
