import { isIPv6 } from 'node:net';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import { isTrueAt, numberAt, objectsAt, textAt, textsAt } from '../objects/values.ts';
import { classParameters } from '../routing/ingress.ts';
import type { Backend, PortRef } from '../routing/kong-service.ts';
import type { Translation } from '../translation.ts';
import type { ResolvedService } from './resolve-services.ts';

/** A target of an upstream; no weight where none was given. */
export interface KongTarget {
  readonly target: string;
  readonly weight: number | null;
}

/** The targets of a Kong service's upstream, and the port that the service gets by them. */
export interface Targets {
  readonly targets: readonly KongTarget[];
  readonly port: number | null;
}

/** Kong's weight of a target that has none. */
const kongWeight = 100;

/** Finds the targets of upstreams: DNS names of Services, endpoints of the manifests, or external names (kic.md 6.9). */
export class TargetFinder {
  readonly #to: Translation;
  readonly #slices = new Map<string, KubeObject[]>();
  readonly #serviceUpstream: boolean;

  constructor(to: Translation) {
    this.#to = to;
    for (const slice of to.store.list('EndpointSlice')) {
      const key = `${slice.namespace}/${slice.labels.get('kubernetes.io/service-name') ?? ''}`;
      const list = this.#slices.get(key);
      if (list === undefined) this.#slices.set(key, [slice]);
      else list.push(slice);
    }
    this.#serviceUpstream = classParameters(to)?.['serviceUpstream'] === true;
  }

  /** The targets of all backends together; one that several of them have gets the sum of their weights. */
  of({ kong, backends }: ResolvedService): Targets {
    const found = new Map<string, number | null>();
    let servicePort: number | null = null;
    const add = (backend: Backend, addresses: readonly Address[]) => {
      for (const { target, weight } of weighted(addresses, backend.weight)) {
        const before = found.get(target);
        found.set(target, before === undefined ? weight : (before ?? kongWeight) + (weight ?? kongWeight));
      }
    };
    for (const { backend, view } of backends) {
      const port = this.#portOf(view.service, backend);
      if (port === null) continue;
      servicePort = port.port;
      const addresses = this.#addresses(view.service, port);
      if (addresses.length === 0) this.#tellEmpty(view.service, backend);
      add(backend, addresses);
    }
    for (const backend of this.#assumed(kong.backends, backends)) {
      if (backend.port.by !== 'number') continue;
      servicePort = backend.port.number;
      add(backend, [{ target: `${this.#dnsName(backend)}:${backend.port.number}`, leaving: false }]);
    }
    return { targets: [...found].map(([target, weight]) => ({ target, weight })), port: servicePort };
  }

  /** Backends whose Services others declare, where the configuration says that there are such. */
  #assumed(all: readonly Backend[], resolved: ResolvedService['backends']): readonly Backend[] {
    const { settings } = this.#to;
    if (settings.undeclaredServices !== 'assume' || settings.targets !== 'dns') return [];
    const known = new Set(resolved.map(({ backend }) => backend));
    return all.filter((backend) => !known.has(backend) && backend.kind === 'Service');
  }

  #dnsName({ name, namespace }: { readonly name: string; readonly namespace: string }): string {
    const { clusterDomain } = this.#to.settings;
    return `${name}.${namespace}.svc${clusterDomain === '' ? '' : `.${clusterDomain}`}`;
  }

  #portOf(service: KubeObject, backend: Backend): ServicePort | null {
    const found = servicePort(service, backend.port);
    if (typeof found !== 'string') return found;
    this.#to.findings.error(
      'kubernetes-missing-port',
      { object: backend.owner, path: backend.path },
      `${shownObject(service)} ${found}`,
      'Correct the port here, or add it to the Service.',
      { others: [{ object: service, path: ['spec', 'ports'] }] },
    );
    return null;
  }

  #addresses(service: KubeObject, port: ServicePort): readonly Address[] {
    const { settings } = this.#to;
    const asService =
      this.#serviceUpstream || service.annotations.get('ingress.kubernetes.io/service-upstream') === 'true';
    if (asService) return [{ target: `${this.#dnsName(service)}:${port.port}`, leaving: false }];
    if (textAt(service.value, 'spec', 'type') === 'ExternalName') {
      const name = textAt(service.value, 'spec', 'externalName') ?? '';
      return name === '' ? [] : [{ target: `${name}:${port.targetPort}`, leaving: false }];
    }
    if (settings.targets === 'endpoints') return this.#endpoints(service, port);
    // The name of a headless Service stands for its pods, which listen on ports of their own.
    const headless = textAt(service.value, 'spec', 'clusterIP') === 'None';
    const number = headless ? Number(port.targetPort) : port.port;
    if (Number.isNaN(number)) {
      const hint = 'Write the number as targetPort, or set kubernetes.targets to endpoints and add EndpointSlices.';
      const spot = { object: service, path: ['spec', 'ports', port.index, 'targetPort'] };
      this.#to.findings.error(
        'kubernetes-missing-port',
        spot,
        'A headless Service needs a number as targetPort, for its DNS name stands for pods',
        hint,
      );
      return [];
    }
    return [{ target: `${this.#dnsName(service)}:${number}`, leaving: false }];
  }

  #endpoints(service: KubeObject, port: ServicePort): readonly Address[] {
    const slices = this.#slices.get(`${service.namespace}/${service.name}`) ?? [];
    const found = slices.flatMap(({ value }) =>
      objectsAt(value, 'ports')
        .filter(({ item }) => fits(item, port))
        .flatMap(({ item }) => sliceAddresses(value, numberAt(item, 'port'), this.#to.settings.drain)),
    );
    const endpoints = this.#to.store.get('Endpoints', service.namespace, service.name);
    const listed = slices.length > 0 || endpoints === undefined ? [] : subsetAddresses(endpoints.value, port);
    return [...new Map([...found, ...listed].map((address) => [address.target, address])).values()];
  }

  #tellEmpty(service: KubeObject, backend: Backend): void {
    const { settings, findings } = this.#to;
    // Without an API server there is nobody to make endpoints, and nothing was asked for that is not there.
    if (!settings.apiDefaults || findings.isBroken(service)) return;
    findings.warning(
      'kubernetes-no-targets',
      { object: service },
      `${shownObject(service)} has no endpoints here, so its upstream has no targets and requests get 503`,
      'Add an EndpointSlice, or set kubernetes.targets to dns.',
      { others: [{ object: backend.owner, path: backend.path }] },
    );
  }
}

interface Address {
  readonly target: string;
  /** Whether it takes no new requests and is kept for those that it has. */
  readonly leaving: boolean;
}

interface ServicePort {
  readonly index: number;
  readonly name: string;
  readonly port: number;
  readonly targetPort: string;
  readonly protocol: string;
}

/** The port of a Service that is meant, or why there is none. */
function servicePort({ value }: KubeObject, wanted: PortRef): ServicePort | string {
  const ports = objectsAt(value, 'spec', 'ports').map(
    ({ index, item }): ServicePort => ({
      index,
      name: textAt(item, 'name') ?? '',
      port: numberAt(item, 'port') ?? 0,
      targetPort: String(item['targetPort'] ?? item['port'] ?? ''),
      protocol: textAt(item, 'protocol') ?? 'TCP',
    }),
  );
  const external = textAt(value, 'spec', 'type') === 'ExternalName';
  switch (wanted.by) {
    case 'number': {
      const { number } = wanted;
      // A name outside of the cluster has no ports of its own, so the one that is asked for is taken.
      if (external) return { index: 0, name: '', port: number, targetPort: String(number), protocol: 'TCP' };
      return ports.find(({ port }) => port === number) ?? `has no port ${number}`;
    }
    case 'name': {
      const { name } = wanted;
      if (external) return 'is of the type ExternalName, so its port has to be named by number';
      const found = ports.find((port) => port.name === name || port.targetPort === name);
      return found ?? `has no port named ${JSON.stringify(name)}`;
    }
    case 'implicit': {
      if (external) return 'is of the type ExternalName, so its port has to be named by number';
      const [only, ...others] = ports;
      return only !== undefined && others.length === 0 ? only : `has ${ports.length} ports, so one has to be named`;
    }
  }
}

function fits(item: JsonObject, port: ServicePort): boolean {
  return (textAt(item, 'name') ?? '') === port.name && (textAt(item, 'protocol') ?? 'TCP') === port.protocol;
}

/** The first address of each endpoint that is ready; with `drain` also of those that are leaving. */
function sliceAddresses(slice: Json, port: number | null, drain: boolean): readonly Address[] {
  if (port === null) return [];
  return objectsAt(slice, 'endpoints').flatMap(({ item }): readonly Address[] => {
    const [address] = textsAt(item, 'addresses');
    const ready = !isJsonObject(item['conditions']) || item['conditions']['ready'] !== false;
    const leaving = isTrueAt(item, 'conditions', 'terminating') && drain;
    if (address === undefined || (!ready && !leaving)) return [];
    return [{ target: hostPort(address, port), leaving }];
  });
}

function subsetAddresses(endpoints: Json, port: ServicePort): readonly Address[] {
  return objectsAt(endpoints, 'subsets').flatMap(({ item: subset }) =>
    objectsAt(subset, 'ports')
      .filter(({ item }) => fits(item, port))
      .flatMap(({ item }) =>
        objectsAt(subset, 'addresses').map(({ item: address }) => ({
          target: hostPort(textAt(address, 'ip') ?? '', numberAt(item, 'port') ?? 0),
          leaving: false,
        })),
      ),
  );
}

function hostPort(address: string, port: number): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

/** A backend's weight, shared by its addresses; never less than one of what was to get any. */
function weighted(addresses: readonly Address[], weight: number | null): readonly KongTarget[] {
  const staying = addresses.filter(({ leaving }) => !leaving).length;
  return addresses.map(({ target, leaving }) => {
    if (leaving) return { target, weight: 0 };
    if (weight === null) return { target, weight: null };
    return { target, weight: weight === 0 ? 0 : Math.max(1, Math.floor(weight / staying)) };
  });
}
