import { describe, expect, it } from 'vitest';
import type { ObjectStatus } from '../../../src/dialect/kubernetes/conditions.ts';
import { readText } from './support.ts';

/** The conditions of an object as `Type=Status/Reason`. */
function conditions(objects: readonly ObjectStatus[], kind: string, name: string): readonly string[] | undefined {
  return objects
    .find((object) => object.kind === kind && object.name === name)
    ?.conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`);
}

const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: front, namespace: shop }
spec:
  gatewayClassName: kong
  listeners:
  - { name: http, protocol: HTTP, port: 80, hostname: "*.shop.example" }
`;

const service = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
`;

function route(
  name: string,
  { host = 'a.shop.example', backend = '{ name: web, port: 80 }', annotations = '{}' } = {},
) {
  return `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: ${name}, namespace: shop, annotations: ${annotations} }
spec:
  parentRefs: [{ name: front }]
  hostnames: [${host}]
  rules:
  - backendRefs: [${backend}]
`;
}

const allGood = ['Accepted=True/Accepted', 'ResolvedRefs=True/ResolvedRefs', 'Programmed=True/ConfiguredInGateway'];

describe('the conditions of a route', () => {
  it.each([
    ['good', {}, allGood],
    [
      'of a hostname that no listener has',
      { host: 'b.other.example' },
      [
        'Accepted=False/NoMatchingListenerHostname',
        'ResolvedRefs=True/ResolvedRefs',
        'Programmed=False/TranslationError',
      ],
    ],
    [
      'to a Service that is not there',
      { backend: '{ name: none, port: 80 }' },
      ['Accepted=True/Accepted', 'ResolvedRefs=False/BackendNotFound', 'Programmed=False/TranslationError'],
    ],
    [
      'into a namespace that lets nobody in',
      { backend: '{ name: far, namespace: other, port: 80 }' },
      ['Accepted=True/Accepted', 'ResolvedRefs=False/RefNotPermitted', 'Programmed=False/TranslationError'],
    ],
    [
      'to what is no Service',
      { backend: '{ kind: Ingress, group: networking.k8s.io, name: web }' },
      ['Accepted=True/Accepted', 'ResolvedRefs=False/InvalidKind', 'Programmed=False/TranslationError'],
    ],
    [
      'with a plugin that is not there',
      { annotations: '{ konghq.com/plugins: none }' },
      ['Accepted=True/Accepted', 'ResolvedRefs=True/ResolvedRefs', 'Programmed=False/Invalid'],
    ],
  ])('%s', (_, options, expected) => {
    const far = service.replace('name: web, namespace: shop', 'name: far, namespace: other');
    const { objects } = readText([gateway, service, far, route('r', options)].join('---\n'));
    expect(conditions(objects, 'HTTPRoute', 'r')).toEqual(expected);
  });

  it('names the file and the line of the object', () => {
    const { objects } = readText([gateway, service, route('r')].join('---\n'));
    expect(objects.map(({ kind, location: { file, line } }) => [kind, file, line])).toEqual([
      ['Gateway', 'a.yaml', 3],
      ['HTTPRoute', 'a.yaml', 16],
    ]);
  });
});

describe('the conditions of a Gateway', () => {
  it('say that it is served', () => {
    expect(conditions(readText(gateway).objects, 'Gateway', 'front')).toEqual([
      'Accepted=True/Accepted',
      'Programmed=True/Programmed',
    ]);
  });

  it('tell of listeners that want one port for different protocols', () => {
    const { objects, found } = readText(
      `${gateway}  - { name: tcp, protocol: TCP, port: 80 }\n  - { name: dns, protocol: UDP, port: 80 }\n`,
    );
    expect(conditions(objects, 'Gateway', 'front')).toContain('Conflicted=True/ProtocolConflict');
    expect(found).toMatchObject([
      { rule: 'kubernetes-listener-conflict', severity: 'warning', locations: [{ line: 8 }, { line: 7 }] },
    ]);
  });
});

describe('the conditions of others', () => {
  const broken = `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: limit, namespace: shop }
plugin: rate-limiting
config: {}
configFrom: { secretKeyRef: { name: none, key: a } }
---
apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: alice, namespace: shop, annotations: { kubernetes.io/ingress.class: kong, konghq.com/plugins: limit } }
username: alice
---
apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: bob, namespace: shop, annotations: { kubernetes.io/ingress.class: other } }
username: bob
---
apiVersion: v1
kind: Secret
metadata: { name: s, namespace: shop }
`;

  it('go on to what depends on what is wrong, and are not written to what is meant for others', () => {
    const { objects } = readText(broken);
    expect(conditions(objects, 'KongPlugin', 'limit')).toEqual(['Programmed=False/Invalid']);
    expect(conditions(objects, 'KongConsumer', 'alice')).toEqual(['Programmed=False/Invalid']);
    expect(conditions(objects, 'KongConsumer', 'bob')).toBeUndefined();
    expect(conditions(objects, 'Secret', 's')).toBeUndefined();
  });
});
