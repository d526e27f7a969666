import { isClusterScoped } from '../objects/kinds.ts';
import type { Resource } from './resource.ts';
import { isMapping, type Place, type Traced, tracedText } from './traced.ts';

/** A reference that was followed to the new name of an object. */
export interface FollowedReference {
  readonly place: Place;
  readonly shown: string;
  readonly name: string;
}

/** Where a kind that Kustomize does not know refers to others, in the manner of a `fieldSpec`. */
interface KongReference {
  /** The kinds that may be meant, the first that is there. */
  readonly to: readonly string[];
  /** The kinds that refer; all of them where it is empty. */
  readonly from: readonly string[];
  readonly path: readonly string[];
}

const plugins = ['KongPlugin', 'KongClusterPlugin'];
const routes = ['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute'];
const layer4 = ['TCPIngress', 'UDPIngress'];

const references: readonly KongReference[] = [
  annotated(plugins, 'plugins'),
  annotated(['KongUpstreamPolicy'], 'upstream-policy'),
  annotated(['KongIngress'], 'override'),
  annotated(['Secret'], 'client-cert'),
  annotated(['Secret'], 'ca-certificates-secrets'),
  annotated(['ConfigMap'], 'ca-certificates-configmaps'),
  refers('Secret', ['KongConsumer'], 'credentials'),
  refers('KongConsumerGroup', ['KongConsumer'], 'consumerGroups'),
  refers('Secret', plugins, 'configFrom/secretKeyRef/name'),
  refers('Secret', plugins, 'configPatches/valueFrom/secretKeyRef/name'),
  { to: plugins, from: ['KongCustomEntity'], path: ['spec', 'parentRef', 'name'] },
  refers('Service', routes, 'spec/rules/backendRefs/name'),
  { to: plugins, from: routes, path: ['spec', 'rules', 'filters', 'extensionRef', 'name'] },
  refers('Gateway', routes, 'spec/parentRefs/name'),
  refers('GatewayClass', ['Gateway'], 'spec/gatewayClassName'),
  refers('Secret', ['Gateway'], 'spec/listeners/tls/certificateRefs/name'),
  refers('Service', layer4, 'spec/rules/backend/serviceName'),
  refers('Secret', layer4, 'spec/tls/secretName'),
  refers('Service', ['KongServiceFacade'], 'spec/backendRef/name'),
  refers('KongServiceFacade', ['Ingress'], 'spec/rules/http/paths/backend/resource/name'),
  refers('IngressClass', ['Ingress'], 'spec/ingressClassName'),
  refers('Service', ['BackendTLSPolicy'], 'spec/targetRefs/name'),
  refers('ConfigMap', ['BackendTLSPolicy'], 'spec/validation/caCertificateRefs/name'),
];

function refers(to: string, from: readonly string[], path: string): KongReference {
  return { to: [to], from, path: path.split('/') };
}

function annotated(to: readonly string[], annotation: string): KongReference {
  return { to, from: [], path: ['metadata', 'annotations', `konghq.com/${annotation}`] };
}

/**
 * Follows references of Kong's and the Gateway API's kinds to the new names of objects, which Kustomize, knowing none of
 * these kinds, leaves at names that nothing has any more. What there is by the written name is meant as it is: `isThere`
 * tells, of everything that is read.
 */
export function followKongNames(
  resources: readonly Resource[],
  isThere: (kind: string, namespace: string, name: string) => boolean,
): readonly FollowedReference[] {
  const renamed = new Map<string, Resource[]>();
  for (const resource of resources) {
    for (const name of new Set(resource.former.map((before) => before.name))) {
      if (name === resource.name) continue;
      const key = `${resource.kind}/${name}`;
      const known = renamed.get(key);
      if (known === undefined) renamed.set(key, [resource]);
      else known.push(resource);
    }
  }
  if (renamed.size === 0) return [];
  const followed: FollowedReference[] = [];
  for (const referrer of resources) {
    for (const { to, from, path } of references) {
      if (from.length > 0 && !from.includes(referrer.kind)) continue;
      for (const field of namesAt(referrer.tree, path)) {
        const names = field.value.split(',').map((item) => {
          const name = item.trim();
          if (name === '' || to.some((kind) => isThere(kind, field.namespace ?? referrer.namespace, name))) return item;
          const target = onlyOne(
            to.flatMap((kind) => renamed.get(`${kind}/${name}`) ?? []),
            field.namespace ?? referrer.namespace,
          );
          if (target === null) return item;
          followed.push({
            place: field.traced.place,
            shown: `${target.kind} ${JSON.stringify(name)}`,
            name: target.name,
          });
          return target.name;
        });
        field.traced.value = names.join(',');
      }
    }
  }
  return followed;
}

function onlyOne(resources: readonly Resource[], namespace: string): Resource | null {
  const near = resources.filter((one) => isClusterScoped(one.kind) === true || one.namespace === namespace);
  return near.length === 1 ? (near[0] ?? null) : null;
}

interface NameField {
  readonly traced: Traced;
  readonly value: string;
  /** The namespace that stands beside it. */
  readonly namespace: string | null;
}

function namesAt(value: Traced, [key, ...rest]: readonly string[], beside: string | null = null): readonly NameField[] {
  if (Array.isArray(value.value)) {
    return value.value.flatMap((item) => namesAt(item, key === undefined ? [] : [key, ...rest], beside));
  }
  if (key === undefined) {
    return typeof value.value === 'string' ? [{ traced: value, value: value.value, namespace: beside }] : [];
  }
  const inner = isMapping(value) ? value.value.get(key) : undefined;
  const namespace = key === 'name' && rest.length === 0 ? tracedText(value, 'namespace') : null;
  return inner === undefined ? [] : namesAt(inner, rest, namespace);
}
