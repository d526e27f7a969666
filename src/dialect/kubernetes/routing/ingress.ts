import type { Json, JsonObject, JsonPath } from '../../../model/json.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import type { FieldPlace } from '../objects/object-source.ts';
import { tagsOf } from '../objects/tags.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { allOf, anyOf, expressionOf, matchHosts, matchMethods, matchSnis, matchText } from './expression.ts';
import { type IngressPath, ingressPathMatcher, kongPaths, regexMarker, withRegexMarker } from './ingress-paths.ts';
import { ingressPriority } from './ingress-priority.ts';
import {
  type Backend,
  type KongRoute,
  type KongService,
  type KongServices,
  type PortRef,
  portText,
  serviceDefaults,
} from './kong-service.ts';
import { addRewrite } from './rewrite.ts';
import { headerMatcher, headersOf, hostAliasesOf, listOf } from './route-annotations.ts';

/** All paths of an Ingress that one Kong route serves: same host, same backend. */
interface RouteGroup {
  readonly ingress: KubeObject;
  readonly host: string;
  readonly rule: number;
  readonly backend: Backend;
  readonly paths: IngressPath[];
}

const facadeGroup = 'incubator.ingress-controller.konghq.com';

/** Adds the services and routes of all Ingresses of the class (kic.md 6.4), the default backend among them. */
export function addIngresses(services: KongServices, to: Translation): void {
  const ingresses = to.classes.ingresses();
  const groups = new Map<string, RouteGroup>();
  for (const ingress of ingresses) collect(ingress, groups, to);
  for (const group of groups.values()) {
    const name = serviceName(group.backend);
    const service = services.get(name) ?? services.add(newService(name, group));
    service.routes.push(routeOf(group, to));
  }
  addDefaultBackend(ingresses, services, to);
}

function collect(ingress: KubeObject, groups: Map<string, RouteGroup>, to: Translation): void {
  for (const { index: rule, item } of objectsAt(ingress.value, 'spec', 'rules')) {
    const host = textAt(item, 'host') ?? '';
    for (const { index, item: written } of objectsAt(item, 'http', 'paths')) {
      const at: JsonPath = ['spec', 'rules', rule, 'http', 'paths', index];
      const backend = backendOf(ingress, objectAt(written, 'backend'), [...at, 'backend'], to);
      if (backend === null) continue;
      const path = (textAt(written, 'path') ?? '').replace(/\/{2,}/g, '/');
      const key = routeName(ingress, host, backend);
      const group = groups.get(key) ?? { ingress, host, rule, backend, paths: [] };
      groups.set(key, group);
      group.paths.push({
        path: path === '' ? '/' : path,
        type: textAt(written, 'pathType') ?? 'ImplementationSpecific',
        at,
      });
    }
  }
}

/** What a path or a default backend names; null where that is nothing that can be served, which is reported. */
function backendOf(ingress: KubeObject, written: JsonObject | null, path: JsonPath, to: Translation): Backend | null {
  const shared = { namespace: ingress.namespace, weight: null, owner: ingress, path };
  const service = objectAt(written ?? undefined, 'service');
  if (service !== null) {
    return { kind: 'Service', name: textAt(service, 'name') ?? '', port: portOf(objectAt(service, 'port')), ...shared };
  }
  const resource = objectAt(written ?? undefined, 'resource');
  if (resource === null) {
    const hint = 'Name a Service under `service`.';
    to.findings.error(
      'kubernetes-backend',
      { object: ingress, path },
      'This backend names neither a Service nor a resource',
      hint,
    );
    return null;
  }
  const [group, kind] = [textAt(resource, 'apiGroup') ?? '', textAt(resource, 'kind') ?? ''];
  const name = textAt(resource, 'name') ?? '';
  const spot = { object: ingress, path: [...path, 'resource'] };
  if (group !== facadeGroup || kind !== 'KongServiceFacade') {
    const hint = `Only a Service or a KongServiceFacade (${facadeGroup}) can be a backend.`;
    to.findings.error('kubernetes-backend', spot, `A backend cannot be of the kind ${JSON.stringify(kind)}`, hint);
    return null;
  }
  if (!to.settings.serviceFacade) {
    to.findings.warning(
      'kubernetes-switched-off',
      spot,
      'KongServiceFacade is switched off, so what this path asks for is not served',
      'Set kubernetes.serviceFacade to true in the configuration.',
      { condition: ['Programmed', 'Invalid'] },
    );
    return null;
  }
  const facade = to.store.get('KongServiceFacade', ingress.namespace, name);
  if (facade === undefined) {
    to.findings.error(
      'kubernetes-missing-object',
      { object: ingress, path: [...path, 'resource', 'name'] },
      `There is no KongServiceFacade ${JSON.stringify(name)} in the namespace`,
      'Declare it, or correct the name.',
    );
    return null;
  }
  const port =
    numberAt(facade.value, 'spec', 'backendRef', 'port') ?? numberAt(facade.value, 'spec', 'backend', 'port');
  return {
    kind: 'KongServiceFacade',
    name,
    port: port === null ? { by: 'implicit' } : { by: 'number', number: port },
    ...shared,
  };
}

function portOf(port: JsonObject | null): PortRef {
  const name = textAt(port ?? undefined, 'name') ?? '';
  if (name !== '') return { by: 'name', name };
  const number = numberAt(port ?? undefined, 'number') ?? 0;
  return number === 0 ? { by: 'implicit' } : { by: 'number', number };
}

function serviceName({ kind, namespace, name, port }: Backend): string {
  return kind === 'KongServiceFacade' ? `${namespace}.${name}.svc.facade` : `${namespace}.${name}.${portText(port)}`;
}

function hostOf(backend: Backend): string {
  const { kind, namespace, name, port } = backend;
  return kind === 'KongServiceFacade' ? serviceName(backend) : `${name}.${namespace}.${portText(port)}.svc`;
}

function routeName(ingress: KubeObject, host: string, { kind, name, port }: Backend): string {
  const prefix = `${ingress.namespace}.${ingress.name}`;
  if (kind === 'KongServiceFacade') return `${prefix}.${host}.${name}.svc.facade`;
  return `${prefix}.${name}.${host}.${portText(port)}`;
}

function newService(
  name: string,
  { ingress, backend }: Pick<RouteGroup, 'ingress' | 'backend'>,
  path: string | null = '/',
): KongService {
  return {
    name,
    host: hostOf(backend),
    parent: ingress,
    fields: { port: 80, protocol: 'http', ...serviceDefaults, ...(path === null ? {} : { path }) },
    routes: [],
    made: [],
    backends: [backend],
  };
}

function routeOf(group: RouteGroup, to: Translation): KongRoute {
  const { ingress, host, rule, backend, paths } = group;
  // A route's name takes no asterisk.
  const name = routeName(ingress, host.replaceAll('*', '_'), backend);
  const route: KongRoute = {
    name,
    owner: ingress,
    fields: { ...routeDefaults(to.settings.expressionRoutes), tags: tagsOf(ingress) },
    places: placesOf(group, rule),
    made: [],
    extensions: [],
  };
  if (to.settings.expressionRoutes) {
    const expression = expressionOf(matcherOf(group));
    Object.assign(route.fields, { expression, priority: ingressPriority(ingress, host, paths, regexMarker(ingress)) });
  } else {
    if (host !== '') route.fields['hosts'] = [host];
    const marked = withRegexMarker(regexMarker(ingress), legacyRegex(to));
    route.fields['paths'] = paths.flatMap((path) => kongPaths(path).map(marked));
  }
  addRewrite(route, to);
  return route;
}

/** What every route of an Ingress starts from. */
function routeDefaults(expressions: boolean): { [field: string]: Json } {
  const shared = { strip_path: false, preserve_host: true, request_buffering: true, response_buffering: true };
  return expressions ? shared : { ...shared, regex_priority: 0 };
}

function placesOf({ ingress, host, paths }: RouteGroup, rule: number): readonly FieldPlace[] {
  const [first] = paths;
  const at = first === undefined ? ['spec', 'rules', rule] : [...first.at, 'path'];
  return [
    ...(host === '' ? [] : [{ field: ['hosts'], object: ingress, path: ['spec', 'rules', rule, 'host'] }]),
    { field: ['paths'], object: ingress, path: at },
    { field: ['expression'], object: ingress, path: at },
    { field: ['service'], object: ingress, path: first === undefined ? at : [...first.at, 'backend'] },
  ];
}

function matcherOf({ ingress, host, paths }: RouteGroup) {
  const marker = regexMarker(ingress);
  return allOf(
    matchHosts([...(host === '' ? [] : [host]), ...hostAliasesOf(ingress)]),
    anyOf(...paths.map((path) => ingressPathMatcher(path, marker))),
    headerMatcher(headersOf(ingress)),
    matchMethods(listOf(ingress, 'methods')),
    matchSnis(listOf(ingress, 'snis')),
  );
}

/** Whether paths that look like regular expressions are taken for such, as Kong 2 did. */
function legacyRegex(to: Translation): boolean {
  return classParameters(to)?.['enableLegacyRegexDetection'] === true;
}

/** The parameters of our IngressClass, or null where it has none. */
export function classParameters({ store, settings, findings }: Translation): JsonObject | null {
  const ingressClass = store.get('IngressClass', '', settings.ingressClass);
  const reference = objectAt(ingressClass?.value, 'spec', 'parameters');
  if (ingressClass === undefined || reference === null) return null;
  const [namespace, name] = [textAt(reference, 'namespace') ?? '', textAt(reference, 'name') ?? ''];
  const parameters = store.get('IngressClassParameters', namespace, name);
  if (parameters !== undefined) return objectAt(parameters.value, 'spec');
  if (!findings.isBroken(ingressClass)) {
    const spot = { object: ingressClass, path: ['spec', 'parameters', 'name'] };
    const message = `There are no IngressClassParameters ${JSON.stringify(name)} in the namespace ${JSON.stringify(namespace)}`;
    findings.error('kubernetes-missing-object', spot, message, 'Declare them, or correct the reference.');
  }
  return null;
}

/** The default backend of the oldest Ingress that has one; Kong can have one only. */
function addDefaultBackend(ingresses: readonly KubeObject[], services: KongServices, to: Translation): void {
  const [ingress, ...others] = ingresses.filter(({ value }) => objectAt(value, 'spec', 'defaultBackend') !== null);
  if (ingress === undefined) return;
  const path = ['spec', 'defaultBackend'];
  for (const other of others) {
    to.findings.warning(
      'kubernetes-default-backend',
      { object: other, path },
      `The default backend of ${shownObject(other)} is not used, for ${shownObject(ingress)} has one that comes first`,
      'Keep one default backend. The older Ingress wins, then the first by namespace and name.',
      { others: [{ object: ingress, path }] },
    );
  }
  const backend = backendOf(ingress, objectAt(ingress.value, 'spec', 'defaultBackend'), path, to);
  if (backend === null) return;
  const { expressionRoutes } = to.settings;
  const matching = expressionRoutes
    ? { expression: expressionOf(matchText('http.path', '^=', '/')), priority: 0 }
    : { paths: ['/'] };
  const name = serviceName(backend);
  const service = services.get(name) ?? services.add(newService(name, { ingress, backend }, null));
  service.routes.push({
    name: `${ingress.namespace}.${ingress.name}`,
    owner: ingress,
    fields: { ...routeDefaults(expressionRoutes), ...matching, tags: tagsOf(ingress) },
    places: ['paths', 'expression', 'service'].map((field) => ({ field: [field], object: ingress, path })),
    made: [],
    extensions: [],
  });
}
