import type { JsonObject, JsonPath } from '../../../model/json.ts';
import { nearestWord } from '../../../model/suggest.ts';
import type { KubernetesFindings } from '../findings.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import type { ObjectStore } from '../objects/store.ts';
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '../objects/values.ts';
import type { KubernetesSettings } from '../settings.ts';

/** One listener of a Gateway. */
export interface Listener {
  readonly gateway: KubeObject;
  readonly name: string;
  readonly protocol: string;
  readonly port: number | null;
  readonly hostname: string | null;
  readonly tls: JsonObject | null;
  readonly path: JsonPath;
}

/** What a route is attached to. */
export interface Attachment {
  /** False where none of its parents takes it: nothing of the route is served. */
  readonly served: boolean;
  /** The listeners of the declared Gateways among its parents, as far as they take it. */
  readonly listeners: readonly Listener[];
  /** Whether one of its parents is a Gateway that is not declared here, of which nothing is known. */
  readonly open: boolean;
}

const gatewayGroup = 'gateway.networking.k8s.io';

/** The Gateways that are meant, and which routes they take. */
export class Gateways {
  readonly #settings: KubernetesSettings;
  readonly #store: ObjectStore;
  readonly #findings: KubernetesFindings;
  readonly #attached = new Map<KubeObject, Attachment>();

  constructor(settings: KubernetesSettings, store: ObjectStore, findings: KubernetesFindings) {
    this.#settings = settings;
    this.#store = store;
    this.#findings = findings;
  }

  /** Whether a Gateway is one of ours: its class is of our controller, or is declared elsewhere. */
  isOurs(gateway: KubeObject): boolean {
    const gatewayClass = this.#store.get('GatewayClass', '', textAt(gateway.value, 'spec', 'gatewayClassName') ?? '');
    if (gatewayClass === undefined) return true;
    return textAt(gatewayClass.value, 'spec', 'controllerName') === this.#settings.gatewayController;
  }

  /** The Gateways that are meant. */
  ours(): readonly KubeObject[] {
    return this.#store.list('Gateway').filter((gateway) => this.isOurs(gateway));
  }

  /** The listeners of a Gateway. */
  listeners(gateway: KubeObject): readonly Listener[] {
    return objectsAt(gateway.value, 'spec', 'listeners').map(({ index, item }) => ({
      gateway,
      name: textAt(item, 'name') ?? '',
      protocol: textAt(item, 'protocol') ?? '',
      port: numberAt(item, 'port'),
      hostname: textAt(item, 'hostname'),
      tls: objectAt(item, 'tls'),
      path: ['spec', 'listeners', index],
    }));
  }

  /** Reports listeners of our Gateways that want one port for different protocols, which no controller serves. */
  checkListeners(): void {
    for (const gateway of this.ours()) {
      const byPort = new Map<string, Listener>();
      for (const listener of this.listeners(gateway)) {
        const port = `${listener.protocol === 'UDP' ? 'udp' : 'tcp'} ${listener.port}`;
        const other = byPort.get(port);
        if (other === undefined) byPort.set(port, listener);
        else if (other.protocol !== listener.protocol) {
          this.#findings.warning(
            'kubernetes-listener-conflict',
            { object: gateway, path: [...listener.path, 'protocol'] },
            `The listeners ${JSON.stringify(other.name)} and ${JSON.stringify(listener.name)} of ${shownObject(gateway)} want port ${listener.port} for ${other.protocol} and for ${listener.protocol}`,
            'Give each protocol a port of its own.',
            {
              condition: ['Conflicted', 'ProtocolConflict'],
              others: [{ object: gateway, path: [...other.path, 'protocol'] }],
            },
          );
        }
      }
    }
  }

  /** The Gateway that a parent of a route means, or undefined; null where the parent is something else. */
  parentGateway(route: KubeObject, parent: JsonObject): KubeObject | undefined | null {
    const [group, kind] = [textAt(parent, 'group') ?? gatewayGroup, textAt(parent, 'kind') ?? 'Gateway'];
    if (group !== gatewayGroup || kind !== 'Gateway') return null;
    return this.#store.get('Gateway', textAt(parent, 'namespace') ?? route.namespace, textAt(parent, 'name') ?? '');
  }

  /** What a route is attached to, worked out and reported once. */
  attachment(route: KubeObject): Attachment {
    const known = this.#attached.get(route);
    if (known !== undefined) return known;
    const made = this.#attach(route);
    this.#attached.set(route, made);
    return made;
  }

  /**
   * The host names under which a route is served: its own as far as its listeners have them, or theirs where it has
   * none. Without an API server's defaults its own, whatever the listeners say.
   */
  hostnames(route: KubeObject): readonly string[] {
    const own = textsAt(route.value, 'spec', 'hostnames');
    const { listeners, open } = this.attachment(route);
    if (!this.#settings.apiDefaults && (own.length > 0 || route.kind !== 'GRPCRoute')) return own;
    const theirs = listeners.map(({ hostname }) => hostname ?? '');
    if (open || theirs.length === 0 || theirs.includes('')) return own;
    const common = own.length === 0 ? theirs : own.flatMap((one) => theirs.flatMap((other) => narrower(one, other)));
    return [...new Set(common)];
  }

  #attach(route: KubeObject): Attachment {
    const parents = objectsAt(route.value, 'spec', 'parentRefs');
    if (parents.length === 0) {
      this.#findings.warning(
        'kubernetes-not-attached',
        { object: route },
        `${shownObject(route)} names no parent, so no Gateway serves it and it is left out`,
        'Name a Gateway under `spec.parentRefs`.',
        { condition: ['Accepted', 'NoMatchingParent'] },
      );
      return { served: false, listeners: [], open: false };
    }
    const listeners: Listener[] = [];
    let served = false;
    let open = false;
    for (const { index, item } of parents) {
      const gateway = this.parentGateway(route, item);
      if (gateway === null) continue;
      const path = ['spec', 'parentRefs', index];
      if (gateway === undefined) {
        served = true;
        open = true;
        this.#tellMissing(route, item, [...path, 'name']);
      } else if (this.isOurs(gateway)) {
        const taken = this.#takenBy(route, gateway, item, path);
        served ||= taken.length > 0;
        for (const one of taken) listeners.push(one);
      }
    }
    if (!served && !this.#findings.isBroken(route)) this.#tellForeign(route);
    return { served, listeners, open };
  }

  /** A Gateway that is not declared: a slip where one is that is called nearly so, or so in another namespace. */
  #tellMissing(route: KubeObject, parent: JsonObject, path: JsonPath): void {
    const [namespace, name] = [textAt(parent, 'namespace') ?? route.namespace, textAt(parent, 'name') ?? ''];
    const message = `The Gateway ${JSON.stringify(name)} is not declared here, so ${shownObject(route)} is taken as it stands`;
    const meant = this.#gatewayMeant(namespace, name);
    if (meant === undefined) {
      const hint = 'Declare the Gateway beside its routes, and what its listeners say is checked too.';
      this.#findings.info('kubernetes-missing-gateway', { object: route, path }, message, hint);
      return;
    }
    const hint = `Did you mean ${shownObject(meant)}? What its listeners say is checked only where it is named.`;
    this.#findings.warning('kubernetes-missing-gateway', { object: route, path }, message, hint, {
      others: [{ object: meant }],
    });
  }

  #gatewayMeant(namespace: string, name: string): KubeObject | undefined {
    const all = this.ours();
    const near = (some: readonly KubeObject[]) => {
      const nearest = nearestWord(
        name,
        some.map((gateway) => gateway.name),
      );
      return some.find((gateway) => gateway.name === nearest);
    };
    const here = all.filter((gateway) => gateway.namespace === namespace);
    return near(here) ?? all.find((gateway) => gateway.name === name) ?? near(all);
  }

  /** The listeners of a Gateway that take a route; what keeps them from it is reported where none does. */
  #takenBy(route: KubeObject, gateway: KubeObject, parent: JsonObject, path: JsonPath): readonly Listener[] {
    const section = textAt(parent, 'sectionName');
    const port = numberAt(parent, 'port');
    const meant = this.listeners(gateway).filter(
      (listener) => (section === null || listener.name === section) && (port === null || listener.port === port),
    );
    const refuse = (reason: string, why: string, hint: string): readonly Listener[] => {
      this.#findings.error(
        'kubernetes-not-attached',
        { object: route, path },
        `${shownObject(gateway)} does not take ${shownObject(route)}: ${why}`,
        hint,
        { condition: ['Accepted', reason], others: [{ object: gateway }] },
      );
      return [];
    };
    if (meant.length === 0) {
      return refuse(
        'NoMatchingParent',
        'it has no such listener',
        'Correct `sectionName` or `port`, or add the listener.',
      );
    }
    // Without an API server's defaults there is nothing that says whom a listener lets in.
    if (!this.#settings.apiDefaults) return meant;
    const allowed = meant.filter((listener) => this.#allows(listener, route));
    if (allowed.length === 0) {
      const hint =
        'Let it in by `allowedRoutes` of the listener, which takes routes of its own namespace only by default.';
      return refuse('NotAllowedByListeners', 'no listener lets it in', hint);
    }
    const hostnames = textsAt(route.value, 'spec', 'hostnames');
    const fitting = allowed.filter(({ hostname }) => meet(hostname, hostnames));
    if (fitting.length > 0) return fitting;
    const hint = 'Correct the hostnames of the route, or the hostname of the listener.';
    return refuse('NoMatchingListenerHostname', 'no listener has one of its hostnames', hint);
  }

  #allows(listener: Listener, route: KubeObject): boolean {
    const allowed = objectAt(listener.gateway.value, ...listener.path, 'allowedRoutes');
    const kinds = objectsAt(allowed ?? undefined, 'kinds').map(({ item }) => textAt(item, 'kind'));
    if (kinds.length > 0 ? !kinds.includes(route.kind) : !protocolsOf(route.kind).includes(listener.protocol))
      return false;
    switch (textAt(allowed ?? undefined, 'namespaces', 'from') ?? 'Same') {
      case 'All':
        return true;
      case 'Selector':
        return this.#selects(objectAt(allowed ?? undefined, 'namespaces', 'selector'), route.namespace);
      default:
        return listener.gateway.namespace === route.namespace;
    }
  }

  #selects(selector: JsonObject | null, namespace: string): boolean {
    const labels = new Map(this.#store.get('Namespace', '', namespace)?.labels ?? []);
    labels.set('kubernetes.io/metadata.name', namespace);
    const exact = Object.entries(objectAt(selector ?? undefined, 'matchLabels') ?? {});
    if (!exact.every(([key, value]) => labels.get(key) === value)) return false;
    return objectsAt(selector ?? undefined, 'matchExpressions').every(({ item }) => {
      const label = labels.get(textAt(item, 'key') ?? '');
      const values = textsAt(item, 'values');
      switch (textAt(item, 'operator')) {
        case 'In':
          return label !== undefined && values.includes(label);
        case 'NotIn':
          return label === undefined || !values.includes(label);
        case 'Exists':
          return label !== undefined;
        case 'DoesNotExist':
          return label === undefined;
        default:
          return false;
      }
    });
  }

  #tellForeign(route: KubeObject): void {
    this.#findings.ignored(
      route,
      `${shownObject(route)} is attached to nothing of this controller`,
      'Nothing has to be done; kubernetes.gatewayController of the configuration says which GatewayClasses are meant.',
    );
  }
}

function protocolsOf(kind: string): readonly string[] {
  switch (kind) {
    case 'TCPRoute':
      return ['TCP'];
    case 'UDPRoute':
      return ['UDP'];
    case 'TLSRoute':
      return ['TLS'];
    default:
      return ['HTTP', 'HTTPS'];
  }
}

/** Whether a listener's hostname and those of a route have one in common; either may be anything. */
function meet(hostname: string | null, hostnames: readonly string[]): boolean {
  if (hostname === null || hostname === '' || hostnames.length === 0) return true;
  return hostnames.some((other) => within(other, hostname) || within(hostname, other));
}

/** What two host names, each of which may be a wildcard, have in common. */
function narrower(one: string, other: string): readonly string[] {
  if (within(one, other)) return [one];
  return within(other, one) ? [other] : [];
}

function within(name: string, wide: string): boolean {
  if (name === wide) return true;
  return wide.startsWith('*.') && name.endsWith(wide.slice(1));
}
