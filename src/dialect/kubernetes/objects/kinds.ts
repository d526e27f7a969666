import { nearestWord } from '../../../model/suggest.ts';

/** What is known of a kind of object. */
export interface ObjectKind {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly string[];
  readonly namespaced: boolean;
}

function ofGroup(group: string, kinds: Readonly<Record<string, readonly string[]>>, namespaced = true): ObjectKind[] {
  return Object.entries(kinds).map(([kind, versions]) => ({ group, kind, versions, namespaced }));
}

/** The kinds that are read, with the API versions that are taken for them. */
const readKinds: readonly ObjectKind[] = [
  ...ofGroup('', { Service: ['v1'], Endpoints: ['v1'], Secret: ['v1'], ConfigMap: ['v1'] }),
  ...ofGroup('', { Namespace: ['v1'] }, false),
  ...ofGroup('discovery.k8s.io', { EndpointSlice: ['v1'] }),
  ...ofGroup('networking.k8s.io', { Ingress: ['v1'] }),
  ...ofGroup('networking.k8s.io', { IngressClass: ['v1'] }, false),
  ...ofGroup('configuration.konghq.com', {
    KongPlugin: ['v1'],
    KongConsumer: ['v1'],
    KongIngress: ['v1'],
    KongConsumerGroup: ['v1beta1'],
    KongUpstreamPolicy: ['v1beta1'],
    TCPIngress: ['v1beta1'],
    UDPIngress: ['v1beta1'],
    KongCustomEntity: ['v1alpha1'],
    IngressClassParameters: ['v1alpha1'],
  }),
  ...ofGroup(
    'configuration.konghq.com',
    { KongClusterPlugin: ['v1'], KongVault: ['v1alpha1'], KongLicense: ['v1alpha1'] },
    false,
  ),
  ...ofGroup('incubator.ingress-controller.konghq.com', { KongServiceFacade: ['v1alpha1'] }),
  ...ofGroup('gateway.networking.k8s.io', {
    Gateway: ['v1', 'v1beta1'],
    HTTPRoute: ['v1', 'v1beta1'],
    GRPCRoute: ['v1', 'v1alpha2'],
    TCPRoute: ['v1alpha2', 'v1'],
    UDPRoute: ['v1alpha2', 'v1'],
    TLSRoute: ['v1alpha2', 'v1alpha3', 'v1'],
    ReferenceGrant: ['v1beta1', 'v1', 'v1alpha2'],
    BackendTLSPolicy: ['v1alpha3', 'v1', 'v1alpha2'],
  }),
  ...ofGroup('gateway.networking.k8s.io', { GatewayClass: ['v1', 'v1beta1'] }, false),
];

const byName = new Map(readKinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]));

/** What is known of a kind, or undefined for one that is not read. */
export function objectKind(group: string, kind: string): ObjectKind | undefined {
  return byName.get(`${group}/${kind}`);
}

/** Groups of which every kind that is like one of ours is meant to be it; what others define may be called as it likes. */
const ownGroups: readonly string[] = [
  'configuration.konghq.com',
  'incubator.ingress-controller.konghq.com',
  'gateway.networking.k8s.io',
  'networking.x-k8s.io',
];

/** Groups of Kubernetes itself, of which a kind has to be spelt like one of ours to be meant. */
const formerGroups: readonly string[] = ['', 'extensions', 'networking.k8s.io', 'discovery.k8s.io'];

/** Kinds of these groups that are not read, and are no slips of the pen. */
const otherKinds: ReadonlySet<string> = new Set([
  'BackendLBPolicy',
  'BackendTrafficPolicy',
  'KongCACertificate',
  'KongCertificate',
  'KongKey',
  'KongKeySet',
  'KongPluginBinding',
  'KongRoute',
  'KongSNI',
  'KongService',
  'KongTarget',
  'KongUpstream',
  'ListenerSet',
]);

/** The kind that was meant by one that is not read: misspelt, or of a group that had it once. Undefined for any other. */
export function kindMeant(group: string, kind: string): ObjectKind | undefined {
  if (otherKinds.has(kind)) return undefined;
  const same = readKinds.find((one) => one.kind.toLowerCase() === kind.toLowerCase());
  if (ownGroups.includes(group)) {
    const near = nearestWord(
      kind,
      readKinds.filter((one) => one.group === group).map((one) => one.kind),
    );
    return same ?? readKinds.find((one) => one.kind === near);
  }
  return formerGroups.includes(group) ? same : undefined;
}

/** Whether objects of a kind stand in no namespace; undefined for a kind that is not read. */
export function isClusterScoped(kind: string): boolean | undefined {
  const known = readKinds.find((one) => one.kind === kind);
  return known === undefined ? undefined : !known.namespaced;
}
