import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BuildSettings, type Built, isDeliverable } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import { defaultKubernetesSettings } from '../../src/dialect/kubernetes/settings.ts';
import { allEntities } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { builtOf, type Files } from './files.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
});

const built = (files: Files, settings: Partial<BuildSettings> = {}): Built => builtOf(files, schemas, settings);

function names({ state }: Pick<Built, 'state'>, wanted: string): readonly string[] {
  return allEntities(state).flatMap(({ kind, name }) => (kind === wanted ? [name ?? ''] : []));
}

function told({ diagnostics }: Built): readonly string[] {
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, rule, locations: [at] }) => `${severity} ${rule} ${at?.file}:${at?.line}`);
}

const files: Files = {
  'base/kustomization.yaml': 'resources: [web.yaml, alice.yaml]\n',
  'base/web.yaml': `apiVersion: v1
kind: Service
metadata: { name: web }
spec: { ports: [{ port: 80 }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec:
  ingressClassName: kong
  rules:
  - http: { paths: [{ path: /a, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`,
  'base/alice.yaml': `apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: alice, annotations: { kubernetes.io/ingress.class: kong } }
username: alice
credentials: [alice-key]
`,
  'overlays/live/kustomization.yaml': `resources: [../../base]
namespace: shop
secretGenerator:
- name: alice-key
  literals: ["key=q7RkYpWz3sNvT2bX"]
  options: { disableNameSuffixHash: true, labels: { konghq.com/credential: key-auth } }
patches: [{ path: timeout.yaml }]
`,
  'overlays/live/timeout.yaml': `apiVersion: v1
kind: Service
metadata: { name: web, annotations: { konghq.com/connect-timeout: "2500" } }
`,
  'overlays/test/kustomization.yaml': 'resources: [../../base]\nnamespace: test\ncomponents: []\n',
};

const live: Partial<BuildSettings> = {
  kubernetes: { ...defaultKubernetesSettings, kustomize: ['overlays/live'] },
};

describe('folders with a kustomization', () => {
  it('are built in place of their files', () => {
    const result = built(files, live);
    expect(told(result)).toEqual([]);
    expect(names(result, 'routes')).toEqual(['shop.web.web..80']);
    expect(names(result, 'keyauth_credentials')).toHaveLength(1);
    const [service] = result.state.entities.get('services') ?? [];
    expect(service?.fields['connect_timeout']).toBe(2500);
    expect(service?.source?.at(['connect_timeout'])).toMatchObject({ file: 'overlays/live/timeout.yaml', line: 3 });
  });

  it('are those of a destination by what it includes', () => {
    const scope = {
      include: ['overlays/live/**'],
      excludeFiles: [],
      excludeKinds: [],
      excludeTags: [],
      tags: [],
      workspace: null,
      controlPlane: null,
    };
    expect(names(built(files, { scope }), 'routes')).toEqual(['shop.web.web..80']);
  });

  it('tell of a file that cannot be read once only', () => {
    const broken = { ...files, 'base/web.yaml': 'a: [\n' };
    expect(told(built(broken, live)).filter((line) => line.includes('base/web.yaml'))).toHaveLength(1);
    expect(told(built({ ...files, 'base/text.txt': 'a: [\n' }, live))).toEqual([]);
  });

  it('do not ask that what they take as a file is a manifest', () => {
    const more = { ...files, 'overlays/live/app.yaml': 'a: [\n' };
    expect(told(built(more, live))).not.toEqual([]);
    const kustomization = `${files['overlays/live/kustomization.yaml']}configMapGenerator: [{ name: app, files: [app.yaml] }]\n`;
    expect(told(built({ ...more, 'overlays/live/kustomization.yaml': kustomization }, live))).toEqual([]);
  });

  it('go on in their last good version when they cannot be built, while the rest goes out', () => {
    const others = { 'plain/b.yaml': `${files['base/web.yaml']}`.replaceAll('web', 'plain').replace('/a', '/b') };
    const before = built({ ...files, ...others }, live);
    expect(told(before)).toEqual([]);
    const after = {
      ...files,
      'overlays/live/kustomization.yaml': 'helmCharts: [{ name: x }]\n',
      'plain/b.yaml': others['plain/b.yaml'].replace('/b', '/c'),
    };
    const result = quarantined(built(after, live), before.state);
    expect(result.quarantine?.refused).toBeNull();
    expect(isDeliverable(result)).toBe(true);
    expect([...names(result, 'routes')].sort()).toEqual(['default.plain.plain..80', 'shop.web.web..80']);
    const paths = (result.state.entities.get('routes') ?? []).flatMap(({ fields }) => fields['paths']);
    expect(paths).toContainEqual('/c/');
    expect(names(result, 'keyauth_credentials')).toHaveLength(1);
    expect(isDeliverable(built(after, live))).toBe(false);
  });

  it('give the same bytes whatever the order of files', () => {
    const more = {
      ...files,
      'plain/b.yaml': `${files['base/web.yaml']}`.replaceAll('web', 'plain').replace('/a', '/b'),
      'overlays/live/lost.yaml': files['base/alice.yaml'] ?? '',
    };
    const bytes = (given: Files) => {
      const { state, digest, diagnostics, objects } = built(given, live);
      const entities = allEntities(state).map(({ kind, id, identity, fields }) => [kind, id, identity, fields]);
      return JSON.stringify([entities, digest, diagnostics, objects]);
    };
    const expected = bytes(more);
    const entries = Object.entries(more);
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (order) => {
        expect(bytes(Object.fromEntries(order))).toBe(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('are refused where the configuration names one that is not there', () => {
    const settings = { kubernetes: { ...defaultKubernetesSettings, kustomize: ['overlays/none'] } };
    const result = quarantined(built(files, settings), built(files, live).state);
    expect(isDeliverable(result)).toBe(false);
  });
});
