import type { KubernetesFindings } from '../findings.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import { tagsOf, unknownTags } from '../objects/tags.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../objects/values.ts';
import type { Backend, KongService } from '../routing/kong-service.ts';
import type { Translation } from '../translation.ts';

/** A Service as one Kong service sees it: its annotations, with those of a facade and of a TLS policy over them. */
export interface ServiceView {
  readonly service: KubeObject;
  readonly facade: KubeObject | null;
  readonly annotations: ReadonlyMap<string, string>;
  /** Where an annotation was written. */
  readonly ownerOf: (annotation: string) => KubeObject;
  /** Where the annotation is, as a path of its owner. */
  readonly pathOf: (annotation: string) => readonly string[];
}

/** A Kong service with the Services behind it. */
export interface ResolvedService {
  readonly kong: KongService;
  /** Each backend that there is a Service for. */
  readonly backends: readonly { readonly backend: Backend; readonly view: ServiceView }[];
  /** The Services, each once. */
  readonly views: readonly ServiceView[];
  readonly tags: readonly string[];
}

const annotationPrefix = 'konghq.com/';

/** Finds the Services behind each Kong service; those that cannot be served as one are reported and left out. */
export function resolveServices(services: readonly KongService[], to: Translation): readonly ResolvedService[] {
  const policies = tlsPolicies(to);
  return services.flatMap((kong): readonly ResolvedService[] => {
    const backends = kong.backends.flatMap((backend) => {
      const view = viewOf(backend, policies, to);
      return view === null ? [] : [{ backend, view }];
    });
    const views = [...new Map(backends.map(({ view }) => [viewKey(view), view])).values()];
    if (!agree(kong, views, to.findings)) return [];
    return [{ kong, backends, views, tags: tagsFor(kong, backends) }];
  });
}

function viewKey({ service, facade }: ServiceView): string {
  return `${facade?.name ?? ''}/${service.namespace}/${service.name}`;
}

function viewOf(
  backend: Backend,
  policies: ReadonlyMap<string, readonly KubeObject[]>,
  to: Translation,
): ServiceView | null {
  const { store, findings, settings } = to;
  const facade =
    backend.kind === 'KongServiceFacade' ? store.get('KongServiceFacade', backend.namespace, backend.name) : null;
  if (facade === undefined) return null;
  const name = facade === null ? backend.name : (textAt(facade.value, 'spec', 'backendRef', 'name') ?? '');
  const service = store.get('Service', backend.namespace, name);
  if (service === undefined) {
    if (settings.undeclaredServices === 'assume' && settings.targets === 'dns') return null;
    const spot =
      facade === null
        ? { object: backend.owner, path: backend.path }
        : { object: facade, path: ['spec', 'backendRef', 'name'] };
    const named = shownObject({ kind: 'Service', namespace: backend.namespace, name });
    const message = `${shownObject(spot.object)} names the ${named}, which is not declared`;
    const hint =
      'Declare the Service, correct its name, or set kubernetes.undeclaredServices to assume where others declare Services.';
    const details = { condition: ['Programmed', 'Invalid'] } as const;
    // As they were written, objects are served as a controller would serve them that finds no Service: without targets.
    if (settings.apiDefaults) findings.error('kubernetes-missing-service', spot, message, hint, details);
    else findings.warning('kubernetes-missing-service', spot, message, hint, details);
    return null;
  }
  const policy = policyOf(service, policies, findings);
  const annotations = new Map([
    ...service.annotations,
    ...(facade?.annotations ?? []),
    ...(policy === null ? [] : annotationsOf(policy)),
  ]);
  const ofPolicy = new Set(policy === null ? [] : annotationsOf(policy).keys());
  const ownerOf = (annotation: string) => {
    if (policy !== null && ofPolicy.has(annotation)) return policy;
    return facade?.annotations.has(annotation) === true ? facade : service;
  };
  const pathOf = (annotation: string) =>
    ofPolicy.has(annotation) ? ['spec', 'validation'] : ['metadata', 'annotations', annotation];
  return { service, facade, annotations, ownerOf, pathOf };
}

/** The BackendTLSPolicies by the Service that they are about (`namespace/name`). */
function tlsPolicies({ store }: Translation): ReadonlyMap<string, readonly KubeObject[]> {
  const found = new Map<string, KubeObject[]>();
  for (const policy of store.list('BackendTLSPolicy')) {
    for (const { item } of objectsAt(policy.value, 'spec', 'targetRefs')) {
      if (textAt(item, 'kind') !== 'Service') continue;
      const key = `${policy.namespace}/${textAt(item, 'name')}`;
      const list = found.get(key) ?? [];
      found.set(key, list);
      if (!list.includes(policy)) list.push(policy);
    }
  }
  return found;
}

function policyOf(
  service: KubeObject,
  policies: ReadonlyMap<string, readonly KubeObject[]>,
  findings: KubernetesFindings,
): KubeObject | null {
  const [first, second, ...others] = policies.get(`${service.namespace}/${service.name}`) ?? [];
  if (first === undefined) return null;
  if (objectAt(first.value, 'spec', 'validation')?.['wellKnownCACertificates'] !== undefined) {
    const path = ['spec', 'validation', 'wellKnownCACertificates'];
    const hint = 'Name CA certificates under `caCertificateRefs`.';
    findings.error(
      'kubernetes-tls',
      { object: first, path },
      'Kong cannot be told to trust well-known authorities',
      hint,
      {
        condition: ['Accepted', 'Invalid'],
      },
    );
  }
  if (second === undefined) return first;
  findings.error(
    'kubernetes-tls',
    { object: second, path: ['spec', 'targetRefs'] },
    `Several BackendTLSPolicies are about ${shownObject(service)}, and one at most can be`,
    'Keep one of them.',
    {
      condition: ['Accepted', 'Conflicted'],
      others: [first, ...others].map((object) => ({ object, path: ['spec', 'targetRefs'] })),
    },
  );
  return null;
}

/** What a BackendTLSPolicy comes to, in the words of a Service's annotations (kic.md 6.6). */
function annotationsOf({ value }: KubeObject): ReadonlyMap<string, string> {
  const refs = objectsAt(value, 'spec', 'validation', 'caCertificateRefs').map(({ item }) => item);
  const named = (kind: string) =>
    refs.filter((ref) => textAt(ref, 'kind') === kind).map((ref) => textAt(ref, 'name') ?? '');
  const depth =
    textAt(value, 'spec', 'options', 'tls-verify-depth') ?? numberAt(value, 'spec', 'options', 'tls-verify-depth');
  const made: [string, string][] = [
    ['protocol', 'https'],
    ['tls-verify', 'true'],
    ['host-header', textAt(value, 'spec', 'validation', 'hostname') ?? ''],
    ['ca-certificates-secrets', named('Secret').join(',')],
    ['ca-certificates-configmaps', named('ConfigMap').join(',')],
    ['tls-verify-depth', depth === null ? '' : String(depth)],
  ];
  return new Map(made.filter(([, text]) => text !== '').map(([name, text]) => [annotationPrefix + name, text]));
}

/** Services behind one Kong service are one thing to Kong, so what is asked of one has to be asked of all. */
function agree(kong: KongService, views: readonly ServiceView[], findings: KubernetesFindings): boolean {
  if (views.length < 2) return true;
  const names = new Set(
    views.flatMap(({ annotations }) => [...annotations.keys()].filter((name) => name.startsWith(annotationPrefix))),
  );
  let agreed = true;
  for (const name of names) {
    const values = new Set(views.map(({ annotations }) => annotations.get(name)));
    if (values.size === 1) continue;
    agreed = false;
    const [first, ...others] = [...views].sort(
      (a, b) => Number(b.annotations.has(name)) - Number(a.annotations.has(name)),
    );
    if (first === undefined) continue;
    const spotOf = ({ annotations, service, ownerOf, pathOf }: ServiceView) =>
      annotations.has(name) ? { object: ownerOf(name), path: pathOf(name) } : { object: service };
    findings.error(
      name === `${annotationPrefix}upstream-policy` ? 'kubernetes-missing-policy' : 'kubernetes-backends-disagree',
      spotOf(first),
      `The Services behind ${shownObject(kong.parent)} have not all the same annotation ${name}`,
      'Give all of them the same value, or each a rule of its own.',
      { others: [...others.map(spotOf), { object: kong.parent }], condition: ['Programmed', 'Invalid'] },
    );
  }
  return agreed;
}

function tagsFor(kong: KongService, backends: ResolvedService['backends']): readonly string[] {
  const [first, ...others] = backends;
  if (first === undefined) return unknownTags;
  if (others.length > 0) return tagsOf(kong.parent);
  return tagsOf(first.view.facade ?? first.view.service);
}
