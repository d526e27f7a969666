import type { JsonObject, JsonPath } from '../../../model/json.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import { numberAt, objectsAt, textAt } from '../objects/values.ts';
import { writtenPlugins } from '../translate/plugin-references.ts';
import type { Translation } from '../translation.ts';
import type { Backend, MadePlugin } from './kong-service.ts';

/** What a rule of a route sends requests to. */
export interface RuleBackends {
  readonly backends: readonly Backend[];
  /** Whether the rule names any, usable or not. */
  readonly given: boolean;
}

/** The backends of a rule, as far as they can be used; each that cannot is reported (kic.md 4.4, 46 and 48). */
export function ruleBackends(route: KubeObject, rulePath: JsonPath, rule: JsonObject, to: Translation): RuleBackends {
  const refs = objectsAt(rule, 'backendRefs');
  const backends = refs.flatMap(
    ({ index, item }) => backendOf(route, [...rulePath, 'backendRefs', index], item, to) ?? [],
  );
  return { backends, given: refs.length > 0 };
}

function backendOf(route: KubeObject, path: JsonPath, ref: JsonObject, to: Translation): Backend | null {
  const { findings, store, settings } = to;
  const name = textAt(ref, 'name') ?? '';
  const namespace = textAt(ref, 'namespace') ?? route.namespace;
  const [group, kind] = [textAt(ref, 'group') ?? '', textAt(ref, 'kind')];
  const shown = JSON.stringify(namespace === route.namespace ? name : `${namespace}/${name}`);
  if (kind === null) {
    const hint = 'An API server would fill in Service; set kubernetes.apiDefaults to true, or write it.';
    findings.warning(
      'kubernetes-backend',
      { object: route, path },
      `The backend ${shown} has no kind, so it is not used`,
      hint,
    );
    return null;
  }
  if (kind !== 'Service' || (group !== '' && group !== 'core')) {
    findings.error(
      'kubernetes-backend',
      { object: route, path: [...path, 'kind'] },
      `A backend has to be a Service, and ${shown} is of the kind ${kind}`,
      'Name a Service.',
      { condition: ['ResolvedRefs', 'InvalidKind'] },
    );
    return null;
  }
  if (objectsAt(ref, 'filters').length > 0) {
    const hint = 'Put them under `filters` of the rule; Kong has none of a single backend.';
    findings.error(
      'kubernetes-route',
      { object: route, path: [...path, 'filters'] },
      'Filters of a single backend are not supported',
      hint,
    );
  }
  const service = store.get('Service', namespace, name);
  const assumed = settings.undeclaredServices === 'assume' && settings.targets === 'dns';
  if (service === undefined && !assumed) {
    const message = `${shownObject(route)} names the Service ${shown}, which is not declared`;
    const hint = 'Declare the Service beside the route, or correct the name or namespace.';
    const details = { condition: ['ResolvedRefs', 'BackendNotFound'] } as const;
    const spot = { object: route, path: [...path, 'name'] };
    if (settings.apiDefaults) findings.error('kubernetes-missing-service', spot, message, hint, details);
    else findings.warning('kubernetes-missing-service', spot, message, hint, details);
    return null;
  }
  if (!to.grants.allows(route, { group: '', kind: 'Service', namespace, name })) {
    findings.error(
      'kubernetes-missing-grant',
      { object: route, path: [...path, 'namespace'] },
      `No ReferenceGrant in the namespace ${JSON.stringify(namespace)} lets ${shownObject(route)} use the Service ${shown}`,
      `Add a ReferenceGrant there from ${route.kind} of the namespace ${JSON.stringify(route.namespace)} to Service.`,
      { condition: ['ResolvedRefs', 'RefNotPermitted'], others: service === undefined ? [] : [{ object: service }] },
    );
    return null;
  }
  const port = numberAt(ref, 'port');
  return {
    kind: 'Service',
    namespace,
    name,
    port: port === null ? { by: 'implicit' } : { by: 'number', number: port },
    weight: numberAt(ref, 'weight'),
    owner: route,
    path,
  };
}

/** Plugins that answer a request themselves, or may. */
const answering: ReadonlySet<string> = new Set([
  'ai-proxy',
  'ai-proxy-advanced',
  'aws-lambda',
  'azure-functions',
  'degraphql',
  'forward-proxy',
  'kafka-upstream',
  'confluent',
  'mocking',
  'openwhisk',
  'post-function',
  'pre-function',
  'redirect',
  'request-termination',
  'route-by-header',
  'solace-upstream',
]);

/** Warns of a rule that names no backend, and has nothing else that answers: its upstream has no targets. */
export function tellNoBackends(route: KubeObject, rulePath: JsonPath, rule: JsonObject, to: Translation): void {
  if (objectsAt(rule, 'backendRefs').length > 0) return;
  const filters = objectsAt(rule, 'filters').map(({ item }) => textAt(item, 'type'));
  const isAnswered = filters.some((type) => type === 'RequestRedirect' || type === 'ExtensionRef');
  if (isAnswered || namesAnswering(route, to)) return;
  to.findings.warning(
    'kubernetes-no-targets',
    { object: route, path: rule['backendRefs'] === undefined ? rulePath : [...rulePath, 'backendRefs'] },
    `A rule of ${shownObject(route)} names no backend, so its upstream has no targets and requests get 503`,
    'Name a Service under `backendRefs`, or add the filter or the plugin that is to answer.',
  );
}

/** Whether the annotation of a route names a plugin that may answer in place of a backend, or one that is missing. */
function namesAnswering(route: KubeObject, { store }: Translation): boolean {
  return writtenPlugins(route).some(({ text }) => {
    const [namespace, name] = text.includes(':') ? text.split(':') : [route.namespace, text];
    const plugin =
      store.get('KongPlugin', namespace?.trim() ?? '', name?.trim() ?? '') ?? store.get('KongClusterPlugin', '', text);
    return plugin === undefined || answering.has(textAt(plugin.value, 'plugin') ?? '');
  });
}

/** What answers in place of backends none of which can be used, as the Gateway API asks for. */
export function noBackend(owner: KubeObject, path: JsonPath): MadePlugin {
  return {
    name: 'request-termination',
    config: { status_code: 500, message: 'no existing backendRef provided' },
    tags: null,
    owner,
    path,
  };
}
