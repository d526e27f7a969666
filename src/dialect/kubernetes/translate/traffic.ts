import type { RawEntity, RawReference } from '../../../model/assemble.ts';
import type { Json, JsonPath } from '../../../model/json.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import type { FieldPlace } from '../objects/object-source.ts';
import type { KongRoute, MadePlugin } from '../routing/kong-service.ts';
import type { Translation } from '../translation.ts';
import { caReferences } from './ca-certificates.ts';
import type { Certificates } from './certificates.ts';
import { rawEntity, refersTo, tagged, tagsPlace } from './raw.ts';
import type { ResolvedService, ServiceView } from './resolve-services.ts';
import { isPlain, protocolOf } from './service-annotations.ts';
import { TargetFinder } from './targets.ts';
import { policyAnnotation, upstreamFields } from './upstream-fields.ts';

/** Services, routes and what belongs to them, with the names by which plugins find them. */
export interface TrafficEntities {
  readonly services: ReadonlyMap<string, RawEntity>;
  readonly routes: ReadonlyMap<string, RawEntity>;
  /** The service of a route, by their names. */
  readonly serviceOfRoute: ReadonlyMap<string, string>;
  readonly entities: readonly RawEntity[];
}

const clientCert = 'konghq.com/client-cert';

/** Makes entities of resolved services: services, routes, upstreams, targets and the plugins that carry out filters. */
export class TrafficEmitter {
  readonly #certificates: Certificates;
  readonly #to: Translation;
  readonly #targets: TargetFinder;
  readonly #services = new Map<string, RawEntity>();
  readonly #routes = new Map<string, RawEntity>();
  readonly #serviceOfRoute = new Map<string, string>();
  readonly #upstreams = new Set<string>();
  readonly #entities: RawEntity[] = [];

  constructor(certificates: Certificates, to: Translation) {
    this.#certificates = certificates;
    this.#to = to;
    this.#targets = new TargetFinder(to);
  }

  emit(services: readonly ResolvedService[]): TrafficEntities {
    // Certificates are known only when all that ask for one have been asked.
    const wishes = new Map(services.map((service) => [service, this.#clientSecret(service)]));
    for (const service of services) this.#emitService(service, wishes.get(service) ?? null);
    return {
      services: this.#services,
      routes: this.#routes,
      serviceOfRoute: this.#serviceOfRoute,
      entities: this.#entities,
    };
  }

  #emitService(resolved: ResolvedService, secret: KubeObject | null): void {
    const { kong, views, tags } = resolved;
    const certificate = secret === null ? undefined : this.#certificates.of(secret);
    const references: RawReference[] = certificate === undefined ? [] : [refersTo('client_certificate', certificate)];
    const authorities = views.flatMap((view) => caReferences(view, this.#to));
    for (const one of authorities.map((reference, index) => ({ ...reference, index }))) references.push(one);
    const { targets, port } = this.#targets.of(resolved);
    const { port: own, ...fields } = kong.fields;
    const resolvedPort: Json | undefined = port ?? own;
    const view = views[0];
    const object = view?.facade ?? view?.service ?? kong.parent;
    const entity = rawEntity(
      'services',
      object,
      tagged(
        { name: kong.name, host: kong.host, ...fields, ...(resolvedPort === undefined ? {} : { port: resolvedPort }) },
        tags,
      ),
      { references, places: servicePlaces(resolved) },
    );
    this.#services.set(kong.name, entity);
    this.#entities.push(entity);
    this.#emitMade(kong.made, 'service', entity);
    for (const route of kong.routes) this.#emitRoute(route, kong.name, entity);
    if (!this.#upstreams.has(kong.host)) this.#emitUpstream(resolved, object, targets);
  }

  #emitRoute(route: KongRoute, service: string, entity: RawEntity): void {
    const { name, owner, fields, places } = route;
    const { expressionRoutes } = this.#to.settings;
    const defaults = { https_redirect_status_code: 426, ...(expressionRoutes ? {} : { path_handling: 'v0' }) };
    const raw = rawEntity(
      'routes',
      owner,
      { name, ...defaults, ...fields },
      { references: [refersTo('service', entity)], places: [...places, ...annotationPlaces(owner), tagsPlace(owner)] },
    );
    this.#routes.set(name, raw);
    this.#serviceOfRoute.set(name, service);
    this.#entities.push(raw);
    this.#emitMade(route.made, 'route', raw);
  }

  #emitMade(made: readonly MadePlugin[], field: 'service' | 'route', entity: RawEntity): void {
    for (const { name, config, tags, owner, path } of made) {
      const places = ['name', 'config', field].map((one) => ({ field: [one], object: owner, path }));
      const references = [refersTo(field, entity)];
      this.#entities.push(rawEntity('plugins', owner, tagged({ name, config }, tags), { references, places }));
    }
  }

  #emitUpstream(
    resolved: ResolvedService,
    object: KubeObject,
    targets: readonly { readonly target: string; readonly weight: number | null }[],
  ): void {
    const { kong, views, tags, backends } = resolved;
    this.#upstreams.add(kong.host);
    const fields = upstreamFields(resolved, this.#to);
    const upstream = rawEntity('upstreams', object, tagged({ name: kong.host, ...fields }, tags), {
      places: upstreamPlaces(views, this.#to),
    });
    this.#entities.push(upstream);
    const [first] = backends;
    const places: FieldPlace[] =
      first === undefined
        ? []
        : ['target', 'weight'].map((field) => ({
            field: [field],
            object: first.backend.owner,
            path: first.backend.path,
          }));
    for (const { target, weight } of targets) {
      const own = { target, ...(weight === null ? {} : { weight }) };
      this.#entities.push(rawEntity('targets', object, own, { references: [refersTo('upstream', upstream)], places }));
    }
  }

  /** The Secret of the client certificate that a Service asks for; null where there is none. */
  #clientSecret({ views }: ResolvedService): KubeObject | null {
    const view = views.find(({ annotations }) => (annotations.get(clientCert) ?? '') !== '');
    if (view === undefined) return null;
    const name = view.annotations.get(clientCert) ?? '';
    const spot = { object: view.ownerOf(clientCert), path: view.pathOf(clientCert) };
    const protocol = protocolOf(view);
    if (isPlain(protocol)) {
      const message = `A client certificate does not go with the protocol ${protocol}`;
      const hint = 'Set the annotation konghq.com/protocol to https, grpcs, tls or wss.';
      this.#to.findings.error('kubernetes-tls', spot, message, hint);
      return null;
    }
    const secret = this.#to.store.get('Secret', view.service.namespace, name);
    if (secret === undefined) {
      const message = `${shownObject(spot.object)} names the Secret ${JSON.stringify(name)}, which is not declared in its namespace`;
      this.#to.findings.error('kubernetes-missing-secret', spot, message, 'Declare the Secret, or correct its name.');
      return null;
    }
    this.#certificates.addClient(secret, spot.object, spot.path);
    return secret;
  }
}

/** Where the fields of a Kong service are decided that annotations of Services set. */
const serviceAnnotations: readonly (readonly [field: string, annotation: string])[] = [
  ['protocol', 'protocol'],
  ['path', 'path'],
  ['connect_timeout', 'connect-timeout'],
  ['read_timeout', 'read-timeout'],
  ['write_timeout', 'write-timeout'],
  ['retries', 'retries'],
  ['tls_verify', 'tls-verify'],
  ['tls_verify_depth', 'tls-verify-depth'],
  ['client_certificate', 'client-cert'],
  ['ca_certificates', 'ca-certificates-secrets'],
  ['tags', 'tags'],
];

function servicePlaces({ views, backends }: ResolvedService): readonly FieldPlace[] {
  const [view] = views;
  const [first] = backends;
  const annotated =
    view === undefined
      ? []
      : serviceAnnotations.flatMap(([field, name]) => viewPlace(view, field, `konghq.com/${name}`));
  const at = first === undefined ? [] : [{ field: ['port'], object: first.backend.owner, path: first.backend.path }];
  return [...annotated, ...at];
}

function viewPlace(view: ServiceView, field: string, annotation: string): readonly FieldPlace[] {
  if (!view.annotations.has(annotation)) return [];
  return [{ field: [field], object: view.ownerOf(annotation), path: view.pathOf(annotation) }];
}

const routeAnnotations: readonly (readonly [field: string, annotation: string])[] = [
  ['strip_path', 'strip-path'],
  ['preserve_host', 'preserve-host'],
  ['https_redirect_status_code', 'https-redirect-status-code'],
  ['regex_priority', 'regex-priority'],
  ['path_handling', 'path-handling'],
  ['methods', 'methods'],
  ['snis', 'snis'],
  ['request_buffering', 'request-buffering'],
  ['response_buffering', 'response-buffering'],
  ['protocols', 'protocols'],
];

function annotationPlaces(owner: KubeObject): readonly FieldPlace[] {
  return routeAnnotations.flatMap(([field, name]): readonly FieldPlace[] => {
    const annotation = `konghq.com/${name}`;
    if (!owner.annotations.has(annotation)) return [];
    return [{ field: [field], object: owner, path: ['metadata', 'annotations', annotation] }];
  });
}

/** The fields of a policy that fields of an upstream come from. */
const policyPaths: readonly (readonly [field: string, path: JsonPath])[] = [
  ['algorithm', ['spec', 'algorithm']],
  ['slots', ['spec', 'slots']],
  ['healthchecks', ['spec', 'healthchecks']],
  ...[
    'hash_on',
    'hash_on_header',
    'hash_on_cookie',
    'hash_on_cookie_path',
    'hash_on_query_arg',
    'hash_on_uri_capture',
  ].map((field): readonly [string, JsonPath] => [field, ['spec', 'hashOn']]),
  ...['hash_fallback', 'hash_fallback_header', 'hash_fallback_query_arg', 'hash_fallback_uri_capture'].map(
    (field): readonly [string, JsonPath] => [field, ['spec', 'hashOnFallback']],
  ),
];

function upstreamPlaces([view]: readonly ServiceView[], { store }: Translation): readonly FieldPlace[] {
  if (view === undefined) return [];
  const name = view.annotations.get(policyAnnotation) ?? '';
  const policy = name === '' ? undefined : store.get('KongUpstreamPolicy', view.service.namespace, name);
  const ofPolicy =
    policy === undefined ? [] : policyPaths.map(([field, path]) => ({ field: [field], object: policy, path }));
  return [...viewPlace(view, 'host_header', 'konghq.com/host-header'), ...ofPolicy];
}
