import { describe, expect, it } from 'vitest';
import { withOrder } from '../../../src/dialect/kubernetes/routing/http-expression-routes.ts';
import { rewriteUri } from '../../../src/dialect/kubernetes/routing/rewrite.ts';
import { prefixPaths, prefixUri } from '../../../src/dialect/kubernetes/routing/url-rewrite.ts';
import { allEntities } from '../../../src/model/state.ts';
import { entitiesOf, readText } from './support.ts';

const web = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  namespace: shop
  annotations:
    konghq.com/strip-path: "true"
    konghq.com/plugins: limit
spec:
  ingressClassName: kong
  rules:
    - host: web.example
      http:
        paths:
          - path: /a
            pathType: Prefix
            backend: { service: { name: web, port: { number: 80 } } }
---
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
  annotations: { konghq.com/retries: "3" }
spec:
  ports: [{ port: 80 }]
---
apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: limit, namespace: shop }
plugin: rate-limiting
config:
  minute: 5
  policy: local
---
apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: ann, namespace: shop, annotations: { kubernetes.io/ingress.class: kong } }
username: ann
credentials: [key]
---
apiVersion: v1
kind: Secret
metadata: { name: key, namespace: shop, labels: { konghq.com/credential: key-auth } }
data:
  key: c2VjcmV0LWtleQ==
`;

describe('the places of what is made of manifests', () => {
  const places = new Map<string, (path: string) => number | undefined>(
    allEntities(readText(web).state).map(({ kind, source }) => [
      kind,
      (path: string) => source?.at(path === '' ? [] : path.split('.'), 'value').line,
    ]),
  );

  it.each([
    ['routes', 'hosts', 12],
    ['routes', 'paths', 15],
    ['routes', 'strip_path', 7],
    ['routes', 'service', 17],
    ['routes', 'name', 4],
    ['services', 'retries', 24],
    ['services', '', 22],
    ['plugins', 'config.minute', 33],
    ['plugins', 'name', 31],
    ['plugins', 'route', 8],
    ['keyauth_credentials', 'key', 46],
    ['keyauth_credentials', 'consumer', 40],
    ['consumers', 'username', 39],
  ])('%s %s', (kind, field, line) => {
    expect(places.get(kind)?.(field)).toBe(line);
  });
});

describe('an object of another class', () => {
  it.each([
    [web.replace('ingressClassName: kong', 'ingressClassName: nginx'), 'Set spec.ingressClassName, or '],
    [web.replace('  ingressClassName: kong\n', ''), 'Set spec.ingressClassName, or '],
    [
      web.replace('konghq.com/strip-path: "true"', 'kubernetes.io/ingress.class: nginx'),
      'Set the annotation kubernetes.io/ingress.class, or ',
    ],
    [
      web.replace('ingress.class: kong }', 'ingress.class: nginx }'),
      'Set the annotation kubernetes.io/ingress.class, or ',
    ],
  ])('is told where its kind says the class', (text, hint) => {
    const ignored = readText(text).found.find(({ rule }) => rule === 'kubernetes-object-ignored');
    expect(ignored?.hint.slice(0, hint.length)).toBe(hint);
  });
});

describe('a missing plugin', () => {
  const reading = readText(web.replace('plugins: limit', 'plugins: limmit'));

  it('is an error at the annotation that names what would be served without it', () => {
    const [error] = reading.found.filter(({ severity }) => severity === 'error');
    expect(error).toMatchObject({
      rule: 'kubernetes-missing-plugin',
      hint: 'Did you mean "limit"?',
      entities: [{ kind: 'routes', name: 'shop.web.web.web.example.80' }],
    });
    expect(error?.locations[0]).toMatchObject({
      file: 'a.yaml',
      line: 8,
      pointer: '/metadata/annotations/konghq.com~1plugins',
    });
  });

  it('is what the status of the object would say', () => {
    const status = (name: string, kind: string) =>
      reading.objects.find((object) => object.name === name && object.kind === kind)?.conditions;
    expect(status('web', 'Ingress')).toEqual([
      { type: 'Programmed', status: 'False', reason: 'Invalid', message: expect.stringContaining('limmit') },
    ]);
    expect(status('limit', 'KongPlugin')).toEqual([
      { type: 'Programmed', status: 'True', reason: 'Programmed', message: '' },
    ]);
    expect(reading.broken).toEqual(['Ingress/shop/web']);
  });
});

describe('secrets', () => {
  it('stay out of findings', () => {
    const wrong = web.replace('c2VjcmV0LWtleQ==', '"s3cret-and-no-base64!"');
    const text = JSON.stringify(readText(wrong).found);
    expect(text).not.toContain('s3cret-and-no-base64');
    expect(readText(wrong).found).toContainEqual(expect.objectContaining({ severity: 'error' }));
  });

  it('mark what of a plugin came from a Secret', () => {
    const reading =
      readText(`${web.replace(/config:\n {2}minute: 5\n {2}policy: local/, 'configFrom: { secretKeyRef: { name: conf, key: all } }')}---
apiVersion: v1
kind: Secret
metadata: { name: conf, namespace: shop }
stringData: { all: '{"minute": 7, "policy": "local"}' }
`);
    expect(entitiesOf(reading, 'plugins')).toMatchObject({
      'rate-limiting:route/shop.web.web.web.example.80': { config: { minute: 7 } },
    });
    const plugin = allEntities(reading.state).find(({ kind }) => kind === 'plugins');
    expect([...(plugin?.fromEnvironment ?? [])]).toEqual([['/config', 'the key "all" of Secret "shop/conf"']]);
  });
});

describe('small translations', () => {
  it.each([
    ['/x/$1', '/x/$(uri_captures[1])'],
    ['/$12$3/', '/$(uri_captures[12])$(uri_captures[3])/'],
    ['/cost\\$', '/cost$'],
    ['/a$', null],
    ['/a\\b', null],
    ['/$x', null],
  ])('rewrites to %s', (text, uri) => {
    expect(rewriteUri(text)).toBe(uri);
  });

  it('replaces prefixes of paths', () => {
    expect(prefixPaths('/a/')).toEqual(['~/a$', '~/a(/.*)']);
    expect(prefixPaths('/')).toEqual(['~/$', '~/(.*)']);
    expect(prefixUri(null, '/a')).toBe('/');
    expect(prefixUri('/b/', '/a')).toBe('/b$(uri_captures[1])');
    expect(prefixUri('/', '/a')).toBe('$(uri_captures[1] == nil and "/" or uri_captures[1])');
    expect(prefixUri('/b', '/')).toBe('/b$(uri_captures[1] == nil and "" or "/" .. uri_captures[1])');
  });

  it('keeps priorities that would tie in an order, down to none', () => {
    const parts = [{ n: 3 }, { n: 1 }, { n: 2 }];
    const priorities = withOrder(
      parts,
      () => 100,
      (a, b) => a.n - b.n,
      1,
    );
    expect(parts.map((part) => priorities.get(part))).toEqual([100, 101, 100]);
  });
});
