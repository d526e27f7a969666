import { describe, expect, it } from 'vitest';
import { readText } from './support.ts';

function told(kind: 'HTTPRoute' | 'GRPCRoute', rules: string, annotations = ''): readonly string[] {
  const text = `apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: { name: web, namespace: shop, annotations: { ${annotations} } }
spec: { parentRefs: [{ name: kong }], rules: ${rules} }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---
apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: gone, namespace: shop }
plugin: request-termination
---
apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: auth, namespace: shop }
plugin: key-auth
`;
  return readText(text)
    .found.filter(({ rule }) => rule === 'kubernetes-no-targets')
    .map(({ severity, locations }) => `${severity} ${locations[0]?.pointer}`);
}

const redirect = '{ type: RequestRedirect, requestRedirect: { hostname: a.example } }';
const rewrite = '{ type: URLRewrite, urlRewrite: { hostname: a.example } }';

describe.each(['HTTPRoute', 'GRPCRoute'] as const)('a rule of a %s without backends', (kind) => {
  it.each([
    ['[{ backendRefs: [] }]', ['warning /spec/rules/0/backendRefs']],
    ['[{}]', ['warning /spec/rules/0']],
    ['[{ backendRefs: [{ name: web, port: 80 }] }, { backendRefs: [] }]', ['warning /spec/rules/1/backendRefs']],
    ['[{ backendRefs: [] }, {}]', ['warning /spec/rules/0/backendRefs', 'warning /spec/rules/1']],
    ['[{ backendRefs: [{ name: web, port: 80 }] }]', []],
  ])('%s', (rules, expected) => {
    expect(told(kind, rules)).toEqual(expected);
  });

  it('is none that is warned of where a plugin answers', () => {
    expect(told(kind, '[{ backendRefs: [] }]', 'konghq.com/plugins: "auth, gone"')).toEqual([]);
    expect(told(kind, '[{ backendRefs: [] }]', 'konghq.com/plugins: auth')).toHaveLength(1);
  });
});

describe('a rule of an HTTPRoute with a filter and without backends', () => {
  it.each([
    [redirect, 0],
    ['{ type: ExtensionRef, extensionRef: { group: configuration.konghq.com, kind: KongPlugin, name: gone } }', 0],
    [rewrite, 1],
  ])('%s', (filter, count) => {
    expect(told('HTTPRoute', `[{ filters: [${filter}] }]`)).toHaveLength(count);
  });
});
