import { describe, expect, it } from 'vitest';
import { readText } from './support.ts';

interface Metadata {
  readonly annotations?: string;
  readonly labels?: string;
}

const object = (head: string, rest: string, { annotations = '', labels = '' }: Metadata) => `${head}
metadata: { name: web, annotations: { ${annotations} }, labels: { ${labels} } }
${rest}
`;

const kinds = {
  Ingress: (metadata: Metadata) =>
    object(
      'apiVersion: networking.k8s.io/v1\nkind: Ingress',
      'spec: { ingressClassName: kong, defaultBackend: { service: { name: a, port: { number: 80 } } } }',
      metadata,
    ),
  HTTPRoute: (metadata: Metadata) =>
    object(
      'apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute',
      'spec: { parentRefs: [{ name: kong }], rules: [{ backendRefs: [{ name: a, port: 80 }] }] }',
      metadata,
    ),
  Service: (metadata: Metadata) => object('apiVersion: v1\nkind: Service', 'spec: { ports: [{ port: 80 }] }', metadata),
  KongConsumer: ({ annotations = '', labels = '' }: Metadata) =>
    object('apiVersion: configuration.konghq.com/v1\nkind: KongConsumer', 'username: ann', {
      annotations: `kubernetes.io/ingress.class: kong, ${annotations}`,
      labels,
    }),
};

const others = `---
apiVersion: v1
kind: Service
metadata: { name: a }
spec: { ports: [{ port: 80 }] }
---
apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: ka }
plugin: key-auth
`;

function toldOf(kind: keyof typeof kinds, metadata: Metadata): readonly string[] {
  return readText(kinds[kind](metadata) + others)
    .found.filter(({ rule }) => rule === 'kubernetes-annotation')
    .map(({ severity, hint }) => `${severity} ${hint}`);
}

describe.each(['Ingress', 'HTTPRoute', 'Service', 'KongConsumer'] as const)('a key of Kong’s on a %s', (kind) => {
  it.each([
    ['plugins.konghq.com', 'konghq.com/plugins'],
    ['plugin.konghq.com', 'konghq.com/plugins'],
    ['configuration.konghq.com', 'konghq.com/override'],
    ['configuration.konghq.com/protocols', 'konghq.com/protocols'],
    ['plugins.konghq.com/plugins', 'konghq.com/plugins'],
    ['Konghq.com/plugins', 'konghq.com/plugins'],
    ['KONGHQ.COM/Plugins', 'konghq.com/plugins'],
    ['konghq.com.plugins', 'konghq.com/plugins'],
    ['konghq.com.plugin', 'konghq.com/plugins'],
    ['konghq.com_plugins', 'konghq.com/plugins'],
    ['konghq/plugins', 'konghq.com/plugins'],
    ['kong.com/plugins', 'konghq.com/plugins'],
    ['kong.com/plugin', 'konghq.com/plugins'],
    ['konghq.io/plugins', 'konghq.com/plugins'],
    ['konqhq.com/plugins', 'konghq.com/plugins'],
    ['kognhq.com/plugins', 'konghq.com/plugins'],
    ['konghq.con/plugins', 'konghq.com/plugins'],
    ['konghq.com/plugin', 'konghq.com/plugins'],
    ['konghq.com/Plugins', 'konghq.com/plugins'],
    ['kong.com/headers.x-team', 'konghq.com/headers.x-team'],
    ['konghq.com.headers.X-Team', 'konghq.com/headers.X-Team'],
    ['konghq.io/tls-verify', 'konghq.com/tls-verify'],
  ])('%s is an error that names %s', (key, meant) => {
    expect(toldOf(kind, { annotations: `${key}: ka` })).toEqual([`error Did you mean "${meant}"?`]);
  });

  it.each([
    'konghq.com/plugins',
    'konghq.com/plugin',
    'plugins.konghq.com',
    'kong.com/plugins',
    'konghq.com/headers.X-Team',
  ])('%s is an error among the labels', (key) => {
    const [told = '', ...more] = toldOf(kind, { labels: `${key}: ka` });
    expect(more).toEqual([]);
    expect(told).toMatch(/^error Write konghq\.com\/(?:plugins|headers\.X-Team) under `metadata\.annotations`\.$/);
  });

  it.each(['konghq.com/credential', 'konghq.com/ca-cert'])('%s is an error among the annotations', (key) => {
    expect(toldOf(kind, { annotations: `${key}: key-auth` })).toEqual([
      `error Write ${key} under \`metadata.labels\`.`,
    ]);
  });

  it.each(['konghq.com/credentials', 'konghq.com/Credential', 'kong.com/credential', 'credential.konghq.com'])(
    '%s is an error among the labels, too',
    (key) => {
      expect(toldOf(kind, { labels: `${key}: key-auth` })).toEqual(['error Did you mean "konghq.com/credential"?']);
    },
  );

  it('is none where what was meant is there as well, and says the same', () => {
    const both = (old: string) => ({ annotations: `plugins.konghq.com: ${old}, konghq.com/plugins: ka` });
    expect(toldOf(kind, both('ka'))).toEqual(['warning Did you mean "konghq.com/plugins"?']);
    expect(toldOf(kind, both('other'))).toEqual(['error Did you mean "konghq.com/plugins"?']);
  });

  it.each([
    'test.konghq.com/broken',
    'gateway-operator.konghq.com/managed-by',
    'nginx.ingress.kubernetes.io/plugins',
    'haproxy.org/path',
    'traefik.io/plugins',
    'konga.example/plugins',
    'kong.example.com/plugins',
    'example.com/konghq.com',
    'plugins.example.com',
    'plugins',
    'path',
    'hongkong.com/path',
    'king.com/plugins',
  ])('%s is left to others', (key) => {
    expect(toldOf(kind, { annotations: `${key}: x`, labels: `${key}: x` })).toEqual([]);
  });
});

describe('the label of a global plugin', () => {
  it('is an error among the annotations', () => {
    const reading = readText(`apiVersion: configuration.konghq.com/v1
kind: KongClusterPlugin
metadata: { name: ka, annotations: { kubernetes.io/ingress.class: kong, global: "true" } }
plugin: key-auth
`);
    expect(reading.found).toContainEqual(
      expect.objectContaining({ severity: 'error', hint: 'Write global under `metadata.labels`.' }),
    );
  });
});
