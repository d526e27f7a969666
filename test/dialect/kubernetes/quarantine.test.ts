import { describe, expect, it } from 'vitest';
import { readKubernetes } from '../../../src/dialect/kubernetes/read-kubernetes.ts';
import { defaultKubernetesSettings } from '../../../src/dialect/kubernetes/settings.ts';
import { allEntities } from '../../../src/model/state.ts';
import { documentsOf, type Reading, readText } from './support.ts';

const service = (name: string, annotations = '') => `
apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: shop, annotations: { ${annotations} } }
spec: { ports: [{ port: 80 }] }
`;

const ingress = (name: string, to: string, annotations = '', more = '') => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: shop, annotations: { ${annotations} } }
spec:
  ingressClassName: kong
  rules: [{ host: ${name}.example, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: ${to}, port: { number: 80 } } } }] } }]
${more}`;

const plugin = (name: string, config = '', kind = 'KongPlugin') => `
apiVersion: configuration.konghq.com/v1
kind: ${kind}
metadata: { name: ${name}${kind === 'KongPlugin' ? ', namespace: shop' : ''} }
plugin: key-auth
${config}`;

const secret = (name: string, data: string, labels = '') => `
apiVersion: v1
kind: Secret
metadata: { name: ${name}, namespace: shop, labels: { ${labels} } }
stringData: { ${data} }
`;

function names(reading: Reading, ...kinds: readonly string[]): readonly string[] {
  return allEntities(reading.state)
    .filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
    .map(({ kind, identity }) => `${kind} ${identity}`);
}

function left(texts: readonly string[], ...broken: readonly string[]): readonly string[] {
  const reading = readText(texts.join('---'), { broken });
  expect(reading.found.filter(({ severity }) => severity === 'error')).toEqual([]);
  return names(reading, 'routes', 'consumers', 'consumer_groups', 'certificates', 'plugins', 'degraphql_routes');
}

describe('what depends on a broken object goes with it', () => {
  const other = [service('other'), ingress('other', 'other')];
  const kept = 'routes shop.other.other.other.example.80';

  it('keeps what does not depend on it', () => {
    expect(left([...other, service('web'), ingress('web', 'web')], 'Ingress/shop/web')).toEqual([kept]);
    expect(left([...other, service('web'), ingress('web', 'web')], 'Service/shop/web')).toEqual([kept]);
  });

  it('a plugin takes what it protects: by annotation of a route, of a Service, or of a filter', () => {
    const route = `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec:
  parentRefs: [{ name: public }]
  rules:
    - filters: [{ type: ExtensionRef, extensionRef: { group: configuration.konghq.com, kind: KongPlugin, name: auth } }]
      backendRefs: [{ name: other, port: 80 }]
`;
    const files = [
      ...other,
      plugin('auth'),
      service('guarded', 'konghq.com/plugins: auth'),
      ingress('a', 'guarded'),
      ingress('b', 'other', 'konghq.com/plugins: auth'),
      route,
    ];
    expect(left(files, 'KongPlugin/shop/auth')).toEqual([kept]);
  });

  it('a cluster plugin takes what it protects, unless a plugin of the namespace stands before it', () => {
    const cluster = plugin('auth', '', 'KongClusterPlugin');
    const guarded = ingress('b', 'other', 'konghq.com/plugins: auth');
    expect(left([...other, cluster, guarded], 'KongClusterPlugin/auth')).toEqual([kept]);
    expect(left([...other, cluster, plugin('auth'), guarded], 'KongClusterPlugin/auth')).toEqual([
      'routes shop.b.other.b.example.80',
      kept,
      'plugins key-auth:route/shop.b.other.b.example.80',
    ]);
  });

  it('the Secret of a configuration takes the plugin, and what the plugin protects', () => {
    const files = [
      ...other,
      secret('config', 'x: "{}"'),
      plugin('auth', 'configFrom: { secretKeyRef: { name: config, key: x } }'),
      ingress('b', 'other', 'konghq.com/plugins: auth'),
    ];
    expect(left(files, 'Secret/shop/config')).toEqual([kept]);
  });

  it('a certificate takes the Ingress that it is for, and a Gateway its routes', () => {
    const files = [
      ...other,
      secret('cert', 'tls.crt: a, tls.key: b'),
      ingress('b', 'other', '', '  tls: [{ hosts: [b.example], secretName: cert }]\n'),
    ];
    expect(left(files, 'Secret/shop/cert')).toEqual([kept]);
    const gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: public, namespace: shop }
spec: { gatewayClassName: kong, listeners: [{ name: web, protocol: HTTPS, port: 443, tls: { certificateRefs: [{ name: cert }] } }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec: { parentRefs: [{ name: public }], rules: [{ backendRefs: [{ name: other, port: 80 }] }] }
`;
    expect(left([...other, secret('cert', 'tls.crt: a, tls.key: b'), gateway], 'Secret/shop/cert')).toEqual([kept]);
  });

  it('a grant takes what refers to another namespace by it', () => {
    const across = `
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: { name: open, namespace: data }
spec:
  from: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop }]
  to: [{ group: "", kind: Service }]
---
apiVersion: v1
kind: Service
metadata: { name: db, namespace: data }
spec: { ports: [{ port: 80 }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec: { parentRefs: [{ name: public }], rules: [{ backendRefs: [{ name: db, namespace: data, port: 80 }] }] }
`;
    expect(left([...other, across], 'ReferenceGrant/data/open')).toEqual([kept]);
  });

  it('a group takes its consumers, a credential its consumer, a policy the Services', () => {
    const consumer = `
apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: ann, namespace: shop, annotations: { kubernetes.io/ingress.class: kong } }
username: ann
consumerGroups: [gold]
credentials: [key]
`;
    const group = `
apiVersion: configuration.konghq.com/v1beta1
kind: KongConsumerGroup
metadata: { name: gold, namespace: shop, annotations: { kubernetes.io/ingress.class: kong } }
`;
    const key = secret('key', 'key: a-secret-key', 'konghq.com/credential: key-auth');
    const policy = `
apiVersion: configuration.konghq.com/v1beta1
kind: KongUpstreamPolicy
metadata: { name: spread, namespace: shop }
spec: { algorithm: least-connections }
`;
    const files = [...other, consumer, group, key];
    expect(left(files, 'KongConsumerGroup/shop/gold')).toEqual([kept]);
    expect(left(files, 'Secret/shop/key')).toEqual(['consumer_groups gold', kept]);
    const spread = [...other, policy, service('s', 'konghq.com/upstream-policy: spread'), ingress('s', 's')];
    expect(left(spread, 'KongUpstreamPolicy/shop/spread')).toEqual([kept]);
  });

  it('never leaves a custom entity without what it belongs to', () => {
    const graph = `
apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: graph, namespace: shop }
plugin: degraphql
---
apiVersion: configuration.konghq.com/v1alpha1
kind: KongCustomEntity
metadata: { name: people, namespace: shop }
spec: { controllerName: kong, type: degraphql_routes, parentRef: { kind: KongPlugin, name: graph }, fields: { uri: /p, query: "{ p }" } }
`;
    const files = [...other, graph, service('g'), ingress('g', 'g', 'konghq.com/plugins: graph')];
    for (const broken of ['Ingress/shop/g', 'Service/shop/g', 'KongPlugin/shop/graph']) {
      expect(left(files, broken)).toEqual([kept]);
    }
    expect(left(files, 'KongCustomEntity/shop/people')).toEqual([
      'routes shop.g.g.g.example.80',
      kept,
      'plugins degraphql:route/shop.g.g.g.example.80',
    ]);
  });

  it('a class takes its Ingresses, a TLS policy its Service', () => {
    const ours = `
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: { name: kong }
spec: { controller: ingress-controllers.konghq.com/kong }
`;
    expect(left([...other, ours], 'IngressClass/kong')).toEqual([]);
    const tls = `
apiVersion: v1
kind: ConfigMap
metadata: { name: root, namespace: shop, labels: { konghq.com/ca-cert: "true" } }
data: { id: 0a4d10ef-c2f7-4c6f-a5c4-58d9c54a0002, cert: root }
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: { name: checked, namespace: shop }
spec:
  targetRefs: [{ group: "", kind: Service, name: s }]
  validation: { hostname: inner.example, caCertificateRefs: [{ group: "", kind: ConfigMap, name: root }] }
`;
    const files = [...other, tls, service('s'), ingress('s', 's')];
    expect(left(files, 'BackendTLSPolicy/shop/checked')).toEqual([kept]);
    expect(left(files, 'ConfigMap/shop/root')).toEqual([kept]);
  });

  it('says of a name that there is no such object', () => {
    const reading = readText(other.join('---'), { broken: ['Ingress/shop/nothing'] });
    expect(reading.found.map(({ rule }) => rule)).toEqual(['quarantine-unknown']);
  });
});

describe('the last good version', () => {
  const options = {
    settings: defaultKubernetesSettings,
    kong: { enterprise: true, redirectPlugin: true, stickySessions: true },
  };
  const before = documentsOf([['a.yaml', [service('web'), ingress('web', 'web'), plugin('auth')].join('---')]]);

  it('stands in for what is broken, where all that it depends on is there', () => {
    const now = documentsOf([['a.yaml', [service('web'), ingress('web', 'missing'), plugin('auth')].join('---')]]);
    const reading = readKubernetes(now, { ...options, quarantine: ['Ingress/shop/web'], lastGood: before });
    expect(reading.quarantine.leftOut).toEqual([
      { object: 'Ingress/shop/web', causes: ['Ingress/shop/web'], keptLastGood: true },
    ]);
    expect(reading.raw.filter(({ kind }) => kind === 'routes').map(({ fields }) => fields['name'])).toEqual([
      'shop.web.web.web.example.80',
    ]);
  });

  it('does not stand in where what it depends on is gone', () => {
    const now = documentsOf([['a.yaml', [ingress('web', 'missing'), plugin('auth')].join('---')]]);
    const reading = readKubernetes(now, { ...options, quarantine: ['Ingress/shop/web'], lastGood: before });
    expect(reading.quarantine.leftOut).toEqual([
      { object: 'Ingress/shop/web', causes: ['Ingress/shop/web'], keptLastGood: false },
    ]);
    expect(reading.raw).toEqual([]);
  });
});
