import { beforeAll, describe, expect, it } from 'vitest';
import { type Built, isDeliverable } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import { defaultKubernetesSettings, type KubernetesSettings } from '../../src/dialect/kubernetes/settings.ts';
import { hasErrors } from '../../src/model/diagnostic.ts';
import { allEntities, type State } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { certificate } from '../support/pem.ts';
import { builtOf, type Files, stateOfGood } from './files.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
});

function built(files: Files, quarantine: readonly string[] = [], kubernetes: Partial<KubernetesSettings> = {}): Built {
  return builtOf(files, schemas, { quarantine, kubernetes: { ...defaultKubernetesSettings, ...kubernetes } });
}

const good = (files: Files): State => stateOfGood(built(files));

function routes({ state }: { readonly state: State }): readonly string[] {
  return allEntities(state).flatMap(({ kind, name }) => (kind === 'routes' ? [name ?? ''] : []));
}

const service = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
`;

function ingress(name: string, path: string, annotation = ''): string {
  return `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: shop, annotations: { a: b${annotation} } }
spec:
  ingressClassName: kong
  rules:
  - http: { paths: [{ path: ${path}, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`;
}

function limit(minute: string): string {
  return `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: limit, namespace: shop }
plugin: rate-limiting
config: { minute: ${minute}, policy: local }
`;
}

const protectedBy = ', konghq.com/plugins: limit';
const files = {
  'service.yaml': service,
  'open.yaml': ingress('open', '/open'),
  'closed.yaml': ingress('closed', '/closed', protectedBy),
  'limit.yaml': limit('5'),
};
const both = ['shop.closed.web..80', 'shop.open.web..80'];

describe('a broken manifest', () => {
  it('is left out, and the rest goes on', () => {
    const result = quarantined(built({ ...files, 'new.yaml': ingress('new', 'no-slash') }), null);
    expect(isDeliverable(result)).toBe(true);
    expect([...routes(result)].sort()).toEqual(both);
  });

  it('takes along what it protects', () => {
    for (const wrong of ['-5', '"many"']) {
      const result = quarantined(built({ ...files, 'limit.yaml': limit(wrong) }), null);
      expect(isDeliverable(result)).toBe(true);
      expect(routes(result)).toEqual(['shop.open.web..80']);
    }
  });

  it('takes along what names a plugin that is not there', () => {
    const { 'limit.yaml': _, ...without } = files;
    const result = quarantined(built(without), null);
    expect(routes(result)).toEqual(['shop.open.web..80']);
  });

  it('keeps what was last good', () => {
    const lastGood = good(files);
    const result = quarantined(built({ ...files, 'open.yaml': ingress('open', 'no-slash') }), lastGood);
    expect(isDeliverable(result)).toBe(true);
    expect([...routes(result)].sort()).toEqual(both);
    expect(result.digest).toBe(built(files).digest);
  });

  it('keeps a plugin that was last good, with what it protects', () => {
    const lastGood = good(files);
    const result = quarantined(built({ ...files, 'limit.yaml': limit('-5') }), lastGood);
    expect(isDeliverable(result)).toBe(true);
    expect([...routes(result)].sort()).toEqual(both);
    expect(result.digest).toBe(built(files).digest);
  });

  it('stands where it is whatever file it moves to', () => {
    const lastGood = good(files);
    const { 'open.yaml': _, ...others } = files;
    const result = quarantined(built({ ...others, 'moved.yaml': ingress('open', 'no-slash') }), lastGood);
    expect([...routes(result)].sort()).toEqual(both);
  });
});

describe('what is named as broken', () => {
  it.each([
    ['KongPlugin/shop/limit', ['shop.open.web..80']],
    ['Ingress/shop/open', ['shop.closed.web..80']],
    ['Service/shop/web', []],
    ['routes/shop.open.web..80', ['shop.closed.web..80']],
    ['route/shop.open.web..80', ['shop.closed.web..80']],
    ['services/shop.web.80', []],
  ])('%s', (name, expected) => {
    const result = built(files, [name]);
    expect(hasErrors(result.diagnostics)).toBe(false);
    expect(routes(result)).toEqual(expected);
  });

  it.each(['Ingress/shop/none', 'routes/none', 'none'])('has to be there: %s', (name) => {
    expect(built(files, [name]).diagnostics.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
      'error quarantine-unknown',
    ]);
  });
});

describe('a plugin that nothing uses', () => {
  const found = (plugin: string) =>
    built({ 'service.yaml': service, 'open.yaml': ingress('open', '/open'), 'limit.yaml': plugin })
      .diagnostics.filter(({ locations }) => locations[0]?.file === 'limit.yaml')
      .map(({ severity, rule, locations: [at] }) => `${severity} ${rule} ${at?.line}`);

  it('is checked all the same, and keeps nothing from going out', () => {
    expect(found(limit('5'))).toEqual([]);
    expect(found(limit('"many"'))).toEqual(['warning plugin-config 5']);
    expect(found(limit('5').replace('rate-limiting', 'rate-limitting'))).toEqual(['warning unknown-plugin 4']);
    expect(found(limit('5').replace('minute', 'minutes'))).toContain('warning unknown-field 5');
  });
});

it('a custom entity may be for several services', () => {
  const other = service.replace('name: web', 'name: other, annotations: { konghq.com/plugins: graph }');
  const text = `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: graph, namespace: shop }
plugin: degraphql
---
apiVersion: configuration.konghq.com/v1alpha1
kind: KongCustomEntity
metadata: { name: contacts, namespace: shop }
spec:
  controllerName: kong
  type: degraphql_routes
  parentRef: { group: configuration.konghq.com, kind: KongPlugin, name: graph }
  fields: { uri: /contacts, query: "query{ contacts { name } }" }
`;
  const result = built({
    'a.yaml': service.replace('name: web', 'name: web, annotations: { konghq.com/plugins: graph }'),
    'b.yaml': other,
    'c.yaml': text,
    'd.yaml': ingress('one', '/one'),
    'e.yaml': ingress('two', '/two').replaceAll('name: web', 'name: other'),
  });
  expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(result.state.entities.get('degraphql_routes')).toHaveLength(2);
});

it('a certificate may be left to others', () => {
  const text = ingress('tls', '/tls').replace('spec:\n', 'spec:\n  tls: [{ hosts: [a.example], secretName: none }]\n');
  const found = (undeclaredCertificates: 'refuse' | 'leave') =>
    built({ 'a.yaml': service, 'b.yaml': text }, [], { undeclaredCertificates }).diagnostics.map(
      ({ severity, rule, locations: [at] }) => `${severity} ${rule} ${at?.file}:${at?.line}`,
    );
  expect(found('refuse')).toEqual(['error kubernetes-missing-secret b.yaml:5']);
  expect(found('leave')).toEqual(['info kubernetes-missing-secret b.yaml:5']);
});

it('a listener without a hostname has its certificate for every name', () => {
  const { cert, key } = certificate({ commonName: 'shop.example', names: ['shop.example'] });
  const indented = (text: string) => text.trim().replaceAll('\n', '\n    ');
  const result = built({
    'a.yaml': `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: front, namespace: shop }
spec:
  gatewayClassName: kong
  listeners: [{ name: https, protocol: HTTPS, port: 443, tls: { certificateRefs: [{ name: cert }] } }]
---
apiVersion: v1
kind: Secret
metadata: { name: cert, namespace: shop }
type: kubernetes.io/tls
stringData:
  tls.crt: |
    ${indented(cert)}
  tls.key: |
    ${indented(key)}
`,
  });
  expect(
    result.diagnostics.filter(({ severity, rule }) => severity === 'error' || rule === 'certificate-name'),
  ).toEqual([]);
  expect(result.state.entities.get('snis')?.map(({ name }) => name)).toEqual(['*']);
});
