import { describe, expect, it } from 'vitest';
import { readText } from './support.ts';

const gateway = (name: string, namespace = 'shop') => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: ${name}, namespace: ${namespace} }
spec: { gatewayClassName: kong, listeners: [{ name: web, port: 80, protocol: HTTP, hostname: shop.example }] }
---
`;

const routeTo = (parent: string) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec: { parentRefs: [${parent}], rules: [{ backendRefs: [{ name: web, port: 80 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
`;

function told(text: string): readonly string[] {
  return readText(text)
    .found.filter(({ rule }) => rule === 'kubernetes-missing-gateway')
    .map(({ severity, hint, locations }) => `${severity} at ${locations.length}: ${hint.split('? ')[0]}`);
}

describe('a Gateway that is named and not declared', () => {
  it.each([
    ['one of nearly its name', gateway('kong'), '{ name: konng }', 'Gateway "shop/kong"'],
    ['one of its name elsewhere', gateway('kong', 'infra'), '{ name: kong }', 'Gateway "infra/kong"'],
    ['one of nearly its name elsewhere', gateway('kong', 'infra'), '{ name: konng }', 'Gateway "infra/kong"'],
    [
      'one of its name, and the namespace is misspelt',
      gateway('kong', 'infra'),
      '{ name: kong, namespace: infar }',
      'Gateway "infra/kong"',
    ],
    [
      'one of nearly its name first where it was looked for',
      gateway('konng', 'infra') + gateway('kong'),
      '{ name: konng }',
      'Gateway "shop/kong"',
    ],
  ])('is a warning where there is %s', (_, gateways, parent, meant) => {
    expect(told(gateways + routeTo(parent))).toEqual([`warning at 2: Did you mean ${meant}`]);
  });

  it.each([
    ['no Gateway', ''],
    ['one of another name', gateway('front')],
  ])('is a remark where there is %s', (_, gateways) => {
    expect(told(gateways + routeTo('{ name: konng }'))).toEqual([expect.stringMatching(/^info at 1: Declare/)]);
  });
});
