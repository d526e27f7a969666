import type { Json } from '../../model/json.ts';
import { leaves } from '../../model/secret.ts';
import { classAnnotation } from './objects/class-filter.ts';
import type { KubeObject } from './objects/kube-object.ts';
import type { ObjectStore } from './objects/store.ts';
import { listAt, objectAt, objectsAt, textAt, textsAt } from './objects/values.ts';
import type { KubernetesSettings } from './settings.ts';

/** An object that another one depends on, there or not. */
export interface Dependency {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * What an object depends on: without it the object would not do what it was written for (kic.md 2.4, with the edges
 * that it lists as missing). A plugin is something that its users depend on, so that they go when it goes.
 */
export function dependenciesOf(
  object: KubeObject,
  store: ObjectStore,
  settings: Pick<KubernetesSettings, 'ingressClass'>,
): readonly Dependency[] {
  const reader = readers[object.kind];
  if (reader === undefined) return [];
  const found = reader(object, { store, settings });
  const seen = new Set<string>();
  return found.filter(({ kind, namespace, name }) => {
    const key = `${kind}/${namespace}/${name}`;
    return name !== '' && !seen.has(key) && seen.add(key);
  });
}

interface Around {
  readonly store: ObjectStore;
  readonly settings: Pick<KubernetesSettings, 'ingressClass'>;
}

type Reader = (object: KubeObject, around: Around) => readonly Dependency[];

const readers: { readonly [kind: string]: Reader } = {
  Service: (object, around) => [
    ...serviceNeeds(object, around),
    ...slices(object, around),
    ...policiesFor(object, around),
  ],
  KongServiceFacade: (object, around) => [
    ...serviceNeeds(object, around),
    local('Service', object, textAt(object.value, 'spec', 'backendRef', 'name')),
  ],
  Ingress: (object, around) => [
    ...ingressClass(object, around),
    ...backends(object),
    ...tlsSecrets(object),
    ...plugins(object, around),
  ],
  TCPIngress: (object, around) => [...l4Backends(object), ...tlsSecrets(object), ...plugins(object, around)],
  UDPIngress: (object, around) => [...l4Backends(object), ...plugins(object, around)],
  HTTPRoute: routeNeeds,
  GRPCRoute: routeNeeds,
  TCPRoute: routeNeeds,
  TLSRoute: routeNeeds,
  UDPRoute: routeNeeds,
  Gateway: (object, around) => [
    { kind: 'GatewayClass', namespace: '', name: textAt(object.value, 'spec', 'gatewayClassName') ?? '' },
    ...certificates(object, around),
  ],
  IngressClass: (object) => [
    {
      kind: 'IngressClassParameters',
      namespace: textAt(object.value, 'spec', 'parameters', 'namespace') ?? '',
      name: textAt(object.value, 'spec', 'parameters', 'name') ?? '',
    },
  ],
  KongPlugin: pluginNeeds,
  KongClusterPlugin: pluginNeeds,
  KongConsumer: (object, around) => [
    ...plugins(object, around),
    ...textsAt(object.value, 'credentials').map((name) => local('Secret', object, name)),
    ...textsAt(object.value, 'consumerGroups').map((name) => local('KongConsumerGroup', object, name)),
  ],
  KongConsumerGroup: plugins,
  KongCustomEntity: customNeeds,
  BackendTLSPolicy: (object) =>
    objectsAt(object.value, 'spec', 'validation', 'caCertificateRefs').map(({ item }) =>
      local(textAt(item, 'kind') ?? '', object, textAt(item, 'name')),
    ),
  Secret: (object, around) => vaultsIn(object.value['stringData'], around),
};

function local(kind: string, { namespace }: KubeObject, name: string | null): Dependency {
  return { kind, namespace, name: name ?? '' };
}

/** The plugins of an object's annotation: of its namespace, else of the cluster; those of others by a grant. */
function plugins(object: KubeObject, { store }: Around): readonly Dependency[] {
  return listed(object, 'konghq.com/plugins').flatMap((text) => {
    const colon = text.indexOf(':');
    if (colon === -1) return pluginNamed(object, text, store);
    const to = { kind: 'KongPlugin', namespace: text.slice(0, colon).trim(), name: text.slice(colon + 1).trim() };
    return [to, ...grants(object, to, store)];
  });
}

function pluginNamed(object: KubeObject, name: string, store: ObjectStore): readonly Dependency[] {
  const own = local('KongPlugin', object, name);
  if (store.get(own.kind, own.namespace, own.name) !== undefined) return [own];
  const cluster = { kind: 'KongClusterPlugin', namespace: '', name };
  return store.get(cluster.kind, '', name) === undefined ? [own] : [cluster];
}

/** The grants without which a reference into another namespace means nothing. */
function grants(object: KubeObject, to: Dependency, store: ObjectStore): readonly Dependency[] {
  if (to.namespace === object.namespace || to.namespace === '') return [];
  return store
    .list('ReferenceGrant')
    .filter((grant) => grant.namespace === to.namespace)
    .filter(({ value }) =>
      objectsAt(value, 'spec', 'from').some(({ item }) => textAt(item, 'namespace') === object.namespace),
    )
    .filter(({ value }) => objectsAt(value, 'spec', 'to').some(({ item }) => textAt(item, 'kind') === to.kind))
    .map(({ kind, namespace, name }) => ({ kind, namespace, name }));
}

function listed(object: KubeObject, annotation: string): readonly string[] {
  return (object.annotations.get(annotation) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** What Services and facades ask for by annotation. */
function serviceNeeds(object: KubeObject, around: Around): readonly Dependency[] {
  const annotated = (annotation: string, kind: string) =>
    listed(object, `konghq.com/${annotation}`).map((name) => local(kind, object, name));
  return [
    ...plugins(object, around),
    ...annotated('upstream-policy', 'KongUpstreamPolicy'),
    ...annotated('override', 'KongIngress'),
    ...annotated('client-cert', 'Secret'),
    ...annotated('ca-certificates-secrets', 'Secret'),
    ...annotated('ca-certificates-configmaps', 'ConfigMap'),
  ];
}

function slices(object: KubeObject, { store }: Around): readonly Dependency[] {
  const own = store
    .list('EndpointSlice')
    .filter(
      ({ namespace, labels }) =>
        namespace === object.namespace && labels.get('kubernetes.io/service-name') === object.name,
    )
    .map(({ kind, namespace, name }) => ({ kind, namespace, name }));
  const listed = store.get('Endpoints', object.namespace, object.name);
  return listed === undefined ? own : [...own, local('Endpoints', object, object.name)];
}

/** The TLS policies that are about a Service: without one its certificate would not be checked. */
function policiesFor(object: KubeObject, { store }: Around): readonly Dependency[] {
  return store
    .list('BackendTLSPolicy')
    .filter(({ namespace }) => namespace === object.namespace)
    .filter(({ value }) =>
      objectsAt(value, 'spec', 'targetRefs').some(({ item }) => textAt(item, 'name') === object.name),
    )
    .map(({ kind, namespace, name }) => ({ kind, namespace, name }));
}

function ingressClass(object: KubeObject, { settings }: Around): readonly Dependency[] {
  const named = textAt(object.value, 'spec', 'ingressClassName') || object.annotations.get(classAnnotation);
  return [{ kind: 'IngressClass', namespace: '', name: named || settings.ingressClass }];
}

function backends(object: KubeObject): readonly Dependency[] {
  const paths = objectsAt(object.value, 'spec', 'rules').flatMap(({ item }) =>
    objectsAt(item, 'http', 'paths').map((path) => objectAt(path.item, 'backend')),
  );
  return [...paths, objectAt(object.value, 'spec', 'defaultBackend')].flatMap((backend) =>
    backend === null
      ? []
      : [
          local('Service', object, textAt(backend, 'service', 'name')),
          local('KongServiceFacade', object, textAt(backend, 'resource', 'name')),
        ],
  );
}

function l4Backends(object: KubeObject): readonly Dependency[] {
  return objectsAt(object.value, 'spec', 'rules').map(({ item }) =>
    local('Service', object, textAt(item, 'backend', 'serviceName')),
  );
}

function tlsSecrets(object: KubeObject): readonly Dependency[] {
  return objectsAt(object.value, 'spec', 'tls').map(({ item }) => local('Secret', object, textAt(item, 'secretName')));
}

function routeNeeds(object: KubeObject, around: Around): readonly Dependency[] {
  const rules = objectsAt(object.value, 'spec', 'rules');
  const services = rules.flatMap(({ item }) =>
    objectsAt(item, 'backendRefs').map(({ item: ref }) => ({
      kind: 'Service',
      namespace: textAt(ref, 'namespace') ?? object.namespace,
      name: (textAt(ref, 'kind') ?? 'Service') === 'Service' ? (textAt(ref, 'name') ?? '') : '',
    })),
  );
  const filters = rules.flatMap(({ item }) =>
    objectsAt(item, 'filters').flatMap((filter) =>
      pluginNamed(object, textAt(filter.item, 'extensionRef', 'name') ?? '', around.store),
    ),
  );
  const parents = objectsAt(object.value, 'spec', 'parentRefs').map(({ item }) => ({
    kind: 'Gateway',
    namespace: textAt(item, 'namespace') ?? object.namespace,
    name: textAt(item, 'name') ?? '',
  }));
  const granted = services.flatMap((to) => grants(object, to, around.store));
  return [...services, ...granted, ...filters, ...parents, ...plugins(object, around)];
}

function certificates(object: KubeObject, { store }: Around): readonly Dependency[] {
  return objectsAt(object.value, 'spec', 'listeners').flatMap(({ item }) =>
    objectsAt(item, 'tls', 'certificateRefs').flatMap(({ item: ref }) => {
      const to = {
        kind: 'Secret',
        namespace: textAt(ref, 'namespace') ?? object.namespace,
        name: textAt(ref, 'name') ?? '',
      };
      return [to, ...grants(object, to, store)];
    }),
  );
}

function pluginNeeds(object: KubeObject, around: Around): readonly Dependency[] {
  const refs = [
    objectAt(object.value, 'configFrom', 'secretKeyRef'),
    ...objectsAt(object.value, 'configPatches').map(({ item }) => objectAt(item, 'valueFrom', 'secretKeyRef')),
  ];
  const secrets = refs.map((ref) => ({
    kind: 'Secret',
    namespace: object.namespace === '' ? (textAt(ref ?? undefined, 'namespace') ?? '') : object.namespace,
    name: textAt(ref ?? undefined, 'name') ?? '',
  }));
  return [...secrets, ...authorities(object, around), ...vaultsIn(object.value['config'], around)];
}

/** The CA certificates that a plugin's configuration names by their ids. */
function authorities({ value }: KubeObject, { store }: Around): readonly Dependency[] {
  const ids = new Set(listAt(value, 'config', 'ca_certificates').map(String));
  if (ids.size === 0) return [];
  return [...store.list('Secret'), ...store.list('ConfigMap')]
    .filter(({ labels, value: held }) => labels.get('konghq.com/ca-cert') === 'true' && ids.has(idIn(held)))
    .map(({ kind, namespace, name }) => ({ kind, namespace, name }));
}

function idIn(held: Json): string {
  const plain = textAt(held, 'stringData', 'id');
  const data = textAt(held, 'data', 'id') ?? '';
  return plain ?? (/^[0-9a-f-]{36}$/i.test(data) ? data : Buffer.from(data, 'base64').toString('utf8'));
}

/** The vaults that values refer to (`{vault://prefix/…}`). */
function vaultsIn(value: Json | undefined, { store }: Around): readonly Dependency[] {
  const prefixes = new Set(leaves(value).flatMap((text) => /\{vault:\/\/([^/}]+)/.exec(text)?.[1] ?? []));
  if (prefixes.size === 0) return [];
  return store
    .list('KongVault')
    .filter((vault) => prefixes.has(textAt(vault.value, 'spec', 'prefix') ?? ''))
    .map(({ kind, namespace, name }) => ({ kind, namespace, name }));
}

/** A custom entity depends on its plugin, and on what the plugin is for: unbound it would hold for everything. */
function customNeeds(object: KubeObject, { store }: Around): readonly Dependency[] {
  const parent = objectAt(object.value, 'spec', 'parentRef');
  if (parent === null) return [];
  const kind = textAt(parent, 'kind') ?? 'KongPlugin';
  const namespace = kind === 'KongClusterPlugin' ? '' : (textAt(parent, 'namespace') ?? object.namespace);
  const plugin = { kind, namespace, name: textAt(parent, 'name') ?? '' };
  return [plugin, ...grants(object, plugin, store)];
}
