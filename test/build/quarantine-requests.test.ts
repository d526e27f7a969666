import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Built, isDeliverable } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import { allEntities, type State } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { builtOf, stateOfGood } from './files.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
});

const built = (text: string): Built => builtOf({ 'a.yaml': text }, schemas);
const good = (text: string): State => stateOfGood(built(text));

function names({ state }: Built, kind: 'routes' | 'plugins'): readonly string[] {
  return allEntities(state)
    .filter((entity) => entity.kind === kind)
    .map(({ name }) => name);
}

const deck = (routes: string) =>
  `_format_version: "3.0"\nservices:\n- name: s\n  host: s.test\n  routes:\n${routes.trim()}\n`.replace(
    'routes:\n-',
    'routes:\n  -',
  );
const brokenAuth = '{ name: key-auth, config: { key_nammes: [x] } }';

const service = `apiVersion: v1
kind: Service
metadata: { name: echo }
spec: { ports: [{ port: 80 }] }
---
`;
const plugin = (fields = '') => `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: ka }
plugin: key-auth
${fields}
---
`;
const ingress = (name: string, path: string, annotations = '', to = 'echo') => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, annotations: { ${annotations} } }
spec:
  ingressClassName: kong
  rules: [{ host: h, http: { paths: [{ path: ${path}, pathType: Prefix, backend: { service: { name: ${to}, port: { number: 80 } } } }] } }]
---
`;
const guarded = 'konghq.com/plugins: ka';

describe('a path that was behind a plugin and is to be', () => {
  it('does not fall to an open route where the plugin moved to a broken one', () => {
    const before = good(deck('  - { name: root, paths: [/], plugins: [{ name: key-auth }] }'));
    const result = quarantined(
      built(deck(`  - { name: root, paths: [/] }\n  - { name: admin, paths: [/admin], plugins: [${brokenAuth}] }`)),
      before,
    );
    expect(result.quarantine?.refused).toBe(null);
    expect(names(result, 'routes')).toEqual(['root']);
    expect(names(result, 'plugins')).toEqual(['key-auth:route/root']);
  });

  const lastGood = () => good(service + plugin() + ingress('root', '/') + ingress('admin', '/admin', guarded));
  const kept = ['key-auth:route/default.admin.echo.h.80'];

  it('does not fall to an open route where its object names a Service that is missing', () => {
    const now = service + plugin() + ingress('root', '/') + ingress('admin', '/admin', guarded, 'echo-v2');
    const result = quarantined(built(now), lastGood());
    expect(names(result, 'routes')).toEqual(['default.admin.echo.h.80', 'default.root.echo.h.80']);
    expect(names(result, 'plugins')).toEqual(kept);
  });

  it('does not fall to an open route where its object has another name', () => {
    const now =
      service + plugin('config: { key_nammes: [x] }') + ingress('root', '/') + ingress('admin2', '/admin', guarded);
    const result = quarantined(built(now), lastGood());
    expect(names(result, 'routes')).toEqual(['default.admin.echo.h.80', 'default.root.echo.h.80']);
    expect(names(result, 'plugins')).toEqual(kept);
  });

  it('comes back with the service and the targets that its route needs', () => {
    const other = service.replace('name: echo', 'name: old');
    const last = good(service + other + plugin() + ingress('root', '/') + ingress('admin', '/admin', guarded, 'old'));
    const now = service + plugin() + ingress('root', '/') + ingress('admin', '/admin', guarded, 'new');
    const result = quarantined(built(now), last);
    expect(names(result, 'plugins')).toEqual(['key-auth:route/default.admin.old.h.80']);
    expect(result.state.byIdentity('services', 'default.old.80')).toBeDefined();
  });

  it('is not open for the first time either', () => {
    const now = built(
      deck(`  - { name: root, paths: [/] }\n  - { name: admin, paths: [/admin], plugins: [${brokenAuth}] }`),
    );
    for (const last of [null, good('_format_version: "3.0"\nservices: [{ name: s, host: s.test }]\n')]) {
      expect(quarantined(now, last).quarantine?.refused).toBe(
        'route "admin" cannot be left out: its requests would reach route "root", which lacks key-auth',
      );
    }
  });

  it('does not fall to an open route of the same path that came there from elsewhere', () => {
    const before = good(
      deck('  - { name: a, paths: [/] }\n  - { name: b, paths: [/c] }').replace(
        'routes:',
        'plugins: [{ name: key-auth }]\n  routes:',
      ),
    );
    const now = deck(
      '  - { name: b, paths: [/] }\n  - { name: a, paths: [/a], plugins: [{ name: key-auth }], strip_path: 7 }',
    );
    const result = quarantined(built(now), before);
    const open = names(result, 'routes').length === 2 && names(result, 'plugins').length < 2;
    expect(isDeliverable(result) && open).toBe(false);
  });

  it('stays open where it was open, or where the revision opens it without an error', () => {
    const open = '  - { name: root, paths: [/] }';
    const opened = quarantined(
      built(deck(`${open}\n  - { name: admin, paths: [/admin], plugins: [${brokenAuth}] }`)),
      good(deck(open)),
    );
    expect(opened.quarantine?.refused).toBe(null);
    expect(names(opened, 'routes')).toEqual(['root']);
    const last = good(deck(`${open}\n  - { name: admin, paths: [/admin], plugins: [{ name: key-auth }] }`));
    const removed = quarantined(built(deck(`${open}\n  - { name: other, paths: [no-slash] }`)), last);
    expect(names(removed, 'routes')).toEqual(['root']);
  });
});

const paths = ['/', '/a', '/a/b', '/c'] as const;
const protectors = ['key-auth', 'bot-detection', 'request-size-limiting'] as const;

interface Model {
  readonly routes: readonly { readonly name: string; readonly path: string; readonly plugins: readonly string[] }[];
  readonly ofService: readonly string[];
  readonly ofAll: readonly string[];
}

const breaks = ['route', 'plugin-config', 'plugin-name', 'service-plugin', 'service', 'global'] as const;
type Break = { readonly what: (typeof breaks)[number]; readonly at: number };

function written({ routes, ofService, ofAll }: Model, broken: Break | null): string {
  const list = (plugins: readonly string[], how: 'config' | 'name' | null) =>
    `[${plugins
      .map((name, index) => {
        if (how === null || index > 0) return `{ name: ${name} }`;
        return how === 'config' ? `{ name: ${name}, config: { nonsense: 1 } }` : `{ name: ${name}x }`;
      })
      .join(', ')}]`;
  const is = (what: Break['what']) => broken?.what === what;
  const lines = routes.map(({ name, path, plugins }, index) => {
    const hit = broken !== null && broken.at % routes.length === index;
    const how = hit && is('plugin-config') ? 'config' : hit && is('plugin-name') ? 'name' : null;
    return `  - { name: ${name}, paths: [${path}], plugins: ${list(plugins, how)}${hit && is('route') ? ', strip_path: 7' : ''} }`;
  });
  return `_format_version: "3.0"
plugins: ${list(ofAll, is('global') ? 'config' : null)}
services:
- name: s
  host: s.test${is('service') ? '\n  port: 70000' : ''}
  plugins: ${list(ofService, is('service-plugin') ? 'config' : null)}
  routes:
${lines.join('\n')}
`;
}

/** What stands before a request, or null where nothing takes it; of equal paths, any route may. */
function protection(model: Model, request: string): readonly ReadonlySet<string>[] | null {
  const taking = model.routes.filter(({ path }) => request.startsWith(path));
  const longest = Math.max(0, ...taking.map(({ path }) => path.length));
  const first = taking.filter(({ path }) => path.length === longest);
  if (first.length === 0) return null;
  return first.map(({ plugins }) => new Set([...plugins, ...model.ofService, ...model.ofAll]));
}

function modelOf(state: State): Model {
  const of = (field: string | null, name = '') =>
    (state.entities.get('plugins') ?? [])
      .filter(({ references }) =>
        field === null
          ? references.length === 0
          : references.some((one) => one.field === field && one.identity === name),
      )
      .map(({ fields }) => String(fields['name']));
  const routes = (state.entities.get('routes') ?? []).flatMap(({ name, fields }) =>
    [fields['paths']].flat().map((path) => ({ name, path: String(path), plugins: of('route', name) })),
  );
  return { routes, ofService: of('service', 's'), ofAll: of(null) };
}

describe('whatever is broken', () => {
  const pluginsOf = (most: number) => fc.uniqueArray(fc.constantFrom(...protectors), { maxLength: most });
  const model = fc.record({
    // Two routes with one path are a matter of their age.
    routes: fc
      .uniqueArray(
        fc.record({
          name: fc.constantFrom('r1', 'r2', 'r3', 'r4'),
          path: fc.constantFrom(...paths),
          plugins: pluginsOf(2),
        }),
        { minLength: 1, maxLength: 4, selector: ({ path }) => path },
      )
      .map((list) => list.filter(({ name }, index) => list.findIndex((one) => one.name === name) === index)),
    ofService: pluginsOf(1),
    ofAll: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: pluginsOf(1) }),
  });
  const broken = fc.record({ what: fc.constantFrom(...breaks), at: fc.nat(3) });

  it('no request is let in with less than both the last good state and the revision ask for', () => {
    fc.assert(
      fc.property(model, model, broken, (last, next, how) => {
        const now = built(written(next, how));
        fc.pre(!now.valid);
        const result = quarantined(now, good(written(last, null)));
        if (!isDeliverable(result)) return;
        const remains = modelOf(result.state);
        for (const request of [...paths, '/a/b/x', '/a/x', '/cc', '/x']) {
          const there = protection(remains, request);
          if (there === null) continue;
          const [was] = protection(last, request) ?? [];
          const [asked] = protection(next, request) ?? [];
          const needed = [...(was ?? asked ?? [])].filter((name) => (asked ?? was)?.has(name));
          for (const some of there) expect([...some], request).toEqual(expect.arrayContaining(needed));
        }
      }),
      { numRuns: 150 },
    );
  });
});
