import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject, type JsonPath } from '../../../model/json.ts';
import { durationOf } from '../crd/cel-functions.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { listAt, objectsAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { noBackend, ruleBackends, tellNoBackends } from './backend-refs.ts';
import { expressionHttpRoutes } from './http-expression-routes.ts';
import { traditionalHttpRoutes } from './http-traditional-routes.ts';
import { type KongService, type KongServices, serviceDefaults } from './kong-service.ts';

/** One rule of an HTTPRoute. */
export interface HttpRule {
  readonly route: KubeObject;
  readonly index: number;
  readonly value: JsonObject;
  readonly path: JsonPath;
  /** The rule's optional name. */
  readonly name: string;
}

/** The longest name of a service that is made of its backends. */
const longestName = 511;

/** Adds the services and routes of all HTTPRoutes (kic.md 6.5): rules with the same backends share a service. */
export function addHttpRoutes(services: KongServices, to: Translation): void {
  const groups = new Map<string, HttpRule[]>();
  for (const route of to.store.list('HTTPRoute')) {
    if (!isRoutable(route, to)) continue;
    const ofRoute = new Map<string, HttpRule[]>();
    for (const rule of rulesOf(route)) {
      tellNoBackends(route, rule.path, rule.value, to);
      const key = to.settings.combinedServices ? combinedName(rule) : backendsKey(rule);
      const group = ofRoute.get(key) ?? [];
      ofRoute.set(key, group);
      group.push(rule);
    }
    for (const [key, rules] of ofRoute) {
      const name = to.settings.combinedServices ? key : `httproute.${route.namespace}.${route.name}.${rules[0]?.index}`;
      groups.set(name, [...(groups.get(name) ?? []), ...rules]);
    }
  }
  const priorities = to.settings.expressionRoutes ? [...groups.values()].flat() : [];
  const expressions = to.settings.expressionRoutes ? expressionHttpRoutes(priorities, to) : null;
  for (const [name, rules] of groups) {
    const service = services.add(serviceOf(name, rules, to));
    const routes =
      expressions === null ? traditionalHttpRoutes(rules, to) : rules.flatMap((rule) => expressions.get(rule) ?? []);
    for (const one of routes) service.routes.push(one);
  }
}

function isRoutable(route: KubeObject, to: Translation): boolean {
  if (!to.gateways.attachment(route).served) return false;
  const refuse = (path: JsonPath, message: string, hint: string) => {
    to.findings.error('kubernetes-route', { object: route, path }, message, hint, {
      condition: ['Accepted', 'UnsupportedValue'],
    });
    return false;
  };
  if (objectsAt(route.value, 'spec', 'rules').length === 0) {
    return refuse(['spec'], 'An HTTPRoute needs a rule or more', 'Add one under `spec.rules`.');
  }
  if (to.settings.expressionRoutes) return true;
  const asking = rulesOf(route).flatMap(({ value, path }) =>
    objectsAt(value, 'matches').flatMap(({ index, item }) =>
      listAt(item, 'queryParams').length > 0 ? [[...path, 'matches', index, 'queryParams']] : [],
    ),
  )[0];
  if (asking === undefined) return true;
  const hint = 'Set kubernetes.expressionRoutes to true in the configuration if that is the router that you run.';
  return refuse(asking, 'Query parameters are matched by the expressions router only', hint);
}

function rulesOf(route: KubeObject): readonly HttpRule[] {
  return objectsAt(route.value, 'spec', 'rules').map(({ index, item }) => ({
    route,
    index,
    value: item,
    path: ['spec', 'rules', index],
    name: textAt(item, 'name') ?? '',
  }));
}

/** The backends of a rule in an order of their own, so that rules with the same ones are found. */
function backendsKey({ route, value }: HttpRule): string {
  return listAt(value, 'backendRefs')
    .map(
      (ref): Json =>
        typeof ref === 'object' && ref !== null && !Array.isArray(ref) ? { namespace: route.namespace, ...ref } : ref,
    )
    .map(canonicalJson)
    .sort()
    .join(';');
}

/** The name of a service by its backends, for all HTTPRoutes of a namespace. */
function combinedName({ route, value }: HttpRule): string {
  const prefix = `httproute.${route.namespace}.svc.`;
  const names = objectsAt(value, 'backendRefs').map(({ item }) =>
    [textAt(item, 'namespace') ?? route.namespace, textAt(item, 'name'), item['port'], item['weight']]
      .filter((part) => part !== null && part !== undefined)
      .join('.'),
  );
  const name = prefix + (names.length === 0 ? '_' : names.sort().join('_'));
  if (name.length <= longestName) return name;
  const suffix = `_combined.${createHash('sha256').update(name, 'utf8').digest('hex')}`;
  return name.slice(0, longestName - suffix.length) + suffix;
}

function serviceOf(name: string, rules: readonly HttpRule[], to: Translation): KongService {
  const [first] = rules;
  if (first === undefined) throw new RangeError('a service needs a rule');
  const { backends, given } = ruleBackends(first.route, first.path, first.value, to);
  const service: KongService = {
    name,
    host: name,
    parent: first.route,
    fields: { protocol: 'http', ...serviceDefaults, ...timeoutsOf(rules, to) },
    routes: [],
    made: [],
    backends,
  };
  if (given && backends.length === 0) service.made.push(noBackend(first.route, [...first.path, 'backendRefs']));
  return service;
}

/** All timeouts of a service are what its rules give a request to a backend; the rules have to agree on it. */
function timeoutsOf(rules: readonly HttpRule[], { findings }: Translation): { [field: string]: Json } {
  const written = rules.flatMap((rule) => {
    const text = textAt(rule.value, 'timeouts', 'backendRequest');
    return text === null ? [] : [{ rule, text, ms: Math.trunc(durationOf(text)) }];
  });
  const last = written.at(-1);
  if (last === undefined || Number.isNaN(last.ms)) return {};
  for (const { rule, ms } of written) {
    if (ms === last.ms) continue;
    findings.error(
      'kubernetes-route',
      { object: rule.route, path: [...rule.path, 'timeouts', 'backendRequest'] },
      'Rules with the same backends need the same `timeouts.backendRequest`, for they share a Kong service',
      'Give all of them the same one.',
      { others: [{ object: last.rule.route, path: [...last.rule.path, 'timeouts', 'backendRequest'] }] },
    );
  }
  return { connect_timeout: last.ms, read_timeout: last.ms, write_timeout: last.ms };
}
