/** How manifests are read: what the flags and feature gates of a controller would be. */
export interface KubernetesSettings {
  /** The class whose Ingresses, consumers and so on are meant. */
  readonly ingressClass: string;
  /** The controller name of the GatewayClasses that are meant. */
  readonly gatewayController: string;
  /** The namespace of namespaced objects that name none. Only with `apiDefaults`. */
  readonly namespace: string;
  /** Whether what a Kubernetes API server would fill in is filled in. Without it, objects are taken as they were written. */
  readonly apiDefaults: boolean;
  /** Where upstreams get their targets from: the DNS names of Services, or endpoints in the manifests. */
  readonly targets: 'dns' | 'endpoints';
  /** What becomes of a backend whose Service is not declared: an error, or a target by its DNS name where its port has a number. */
  readonly undeclaredServices: 'refuse' | 'assume';
  /** What becomes of a TLS Secret that is not declared: an error, or no certificate of ours, where others give Kong one. */
  readonly undeclaredCertificates: 'refuse' | 'leave';
  /** The cluster's domain, appended to DNS names of Services; empty for none. */
  readonly clusterDomain: string;
  /** Routes for Kong's expressions router. */
  readonly expressionRoutes: boolean;
  /** Gate KongServiceFacade. */
  readonly serviceFacade: boolean;
  /** Gate RewriteURIs: the annotation `konghq.com/rewrite`. */
  readonly rewriteUris: boolean;
  /** Gate KongCustomEntity. */
  readonly customEntities: boolean;
  /** One Kong service for equal backends of all HTTPRoutes of a namespace (`--combined-services-from-different-httproutes`). */
  readonly combinedServices: boolean;
  /** Keep endpoints that are terminating, with weight 0 (`--enable-drain-support`). */
  readonly drain: boolean;
  /** The folders to build with their kustomization, under the path that is followed; none for those that no other refers to. */
  readonly kustomize: readonly string[];
}

/** The defaults of every setting. */
export const defaultKubernetesSettings: KubernetesSettings = {
  ingressClass: 'kong',
  gatewayController: 'konghq.com/kic-gateway-controller',
  namespace: 'default',
  apiDefaults: true,
  targets: 'dns',
  undeclaredServices: 'refuse',
  undeclaredCertificates: 'refuse',
  clusterDomain: '',
  expressionRoutes: false,
  serviceFacade: false,
  rewriteUris: false,
  customEntities: true,
  combinedServices: false,
  drain: false,
  kustomize: [],
};

/** What is known of the Kong that the manifests are read for. */
export interface KongAbilities {
  /** Whether it is Enterprise, so that licences mean something. */
  readonly enterprise: boolean;
  /** Whether it has the plugin `redirect` (3.9). */
  readonly redirectPlugin: boolean;
  /** Whether it has sticky sessions (3.11). */
  readonly stickySessions: boolean;
}
