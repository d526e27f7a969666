import { beforeAll, describe, expect, it } from 'vitest';
import type { Built } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import type { KindName } from '../../src/model/kind.ts';
import type { State } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { builtOf, stateOfGood } from './files.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
});

const built = (...texts: readonly string[]): Built =>
  builtOf(Object.fromEntries(texts.map((text, index) => [`${index}.yaml`, text])), schemas);
const good = (...texts: readonly string[]): State => stateOfGood(built(...texts));

/** The routes with their paths, and the plugins. */
function served({ state }: Built): readonly string[] {
  const routes = (state.entities.get('routes') ?? []).map(({ fields }) => [fields['paths']].flat().join(' '));
  return [...routes, ...(state.entities.get('plugins') ?? []).map(({ fields }) => String(fields['name']))];
}

const whys = (result: Built) => (result.quarantine?.leftOut ?? []).map(({ why }) => why);

const deck = (plugins: string, ofAll = '') =>
  `_format_version: "3.0"\nplugins: [${ofAll}]\nservices: [{ name: s, host: s.test, routes: [{ name: r, paths: [/r], plugins: [${plugins}] }] }]\n`;

describe('a decK plugin whose name is broken', () => {
  it('is what stood in its place', () => {
    for (const name of ['{ name: key-auht }', '{ nam: key-auth }', '{ name: cors }, { name: key-auht }']) {
      const result = quarantined(built(deck(name)), good(deck('{ name: key-auth }')));
      expect(served(result), name).toContain('/r');
      expect(served(result), name).toContain('key-auth');
    }
    const log = (name: string) => `{ name: ${name}, config: { path: /dev/stdout } }`;
    expect(served(quarantined(built(deck(log('fil-log'))), good(deck(log('file-log')))))).toEqual(['/r', 'file-log']);
    const ofAll = quarantined(built(deck('', '{ name: key-auht }')), good(deck('', '{ name: key-auth }')));
    expect(ofAll.quarantine?.refused).toBe(null);
    expect(served(ofAll)).toEqual(['/r', 'key-auth']);
  });

  it('is nothing where none stood there, or where that was switched off', () => {
    expect(served(quarantined(built(deck('{ name: key-auht }')), good(deck(''))))).toEqual([]);
    const off = good(deck('{ name: key-auth, enabled: false }'));
    expect(served(quarantined(built(deck('{ name: key-auht }')), off))).toEqual([]);
  });

  it('takes nothing down in the next broken revision either', () => {
    const first = quarantined(built(deck('{ name: key-auht }')), good(deck('{ name: key-auth }')));
    const next = quarantined(built(deck('{ name: keyauth }')), first.state);
    expect(served(next)).toEqual(['/r', 'key-auth']);
  });
});

const service = 'apiVersion: v1\nkind: Service\nmetadata: { name: echo }\nspec: { ports: [{ port: 80 }] }\n---\n';
const plugin = (fields: string, kind = 'KongPlugin', annotations = '') =>
  `apiVersion: configuration.konghq.com/v1\nkind: ${kind}\nmetadata: { name: ka, annotations: { ${annotations} } }\n${fields}\n---\n`;
const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: a, annotations: { konghq.com/plugins: ka } }
spec:
  ingressClassName: kong
  rules: [{ host: h, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: echo, port: { number: 80 } } } }] } }]
---
`;

describe('a KongPlugin', () => {
  it.each([
    ['of another name', 'plugin: key-auht', 'no plugin "key-auht"'],
    ['without a name', 'plugn: key-auth', '`plugin` is missing'],
    ['with a name that is no text', 'plugin: [key-auth]', '`plugin` has to be a text'],
  ])('%s is what the object was before', (_, fields, why) => {
    const last = good(service + plugin('plugin: key-auth') + ingress);
    const result = quarantined(built(service + plugin(fields) + ingress), last);
    expect(served(result)).toEqual(['/', 'key-auth']);
    expect(whys(result)[0]).toContain(why);
    const next = quarantined(built(service + plugin(`${fields}\ndisabled: 7`) + ingress), result.state);
    expect(served(next)).toEqual(['/', 'key-auth']);
  });

  it('that cannot be read is not joined by the KongClusterPlugin of its name', () => {
    const cluster = plugin('plugin: basic-auth', 'KongClusterPlugin', 'kubernetes.io/ingress.class: kong');
    const last = good(service + ingress, cluster, plugin('plugin: key-auth'));
    const result = quarantined(built(service + ingress, cluster, 'kind: [KongPlugin'), last);
    expect(served(result)).toEqual(['/', 'key-auth']);
  });
});

const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: kong }
spec: { controllerName: konghq.com/kic-gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: kong, namespace: default }
spec:
  gatewayClassName: kong
  listeners:
  - { name: proxy, port: 80, protocol: HTTP }
---
`;
const rule = (path: string, name: string) =>
  `{ matches: [{ path: { type: PathPrefix, value: ${path} } }], backendRefs: [{ name: ${name}, port: 80 }] }`;
const httpRoute = (...rules: readonly string[]) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: r }
spec:
  parentRefs: [{ name: kong }]
  rules: [${rules.join(', ')}]
---
`;

/** Each route's paths with the targets that its requests go to; and each target, whether or not a route leads there. */
function reached({ state }: Built) {
  const list = (kind: KindName) => state.entities.get(kind) ?? [];
  const targetsOf = (service: string | undefined) =>
    list('targets')
      .filter(({ references }) => references.some(({ identity }) => identity === service))
      .map(({ fields }) => String(fields['target']).split('.')[0]);
  const routes = list('routes').map(({ fields, references }) => {
    const service = references.find(({ field }) => field === 'service')?.identity;
    return [[fields['paths']].flat()[0], ...targetsOf(service)].join(' ');
  });
  return { routes, services: list('services').length, upstreams: list('upstreams').length };
}

describe('an HTTPRoute with a broken rule', () => {
  const services = service + service.replace('name: echo', 'name: other');

  it('sends its requests where the last good version did, whatever has the numbers of its rules', () => {
    const last = good(services + gateway + httpRoute(rule('/admin', 'echo'), rule('/more', 'other')));
    const wanted = { routes: ['~/admin$ echo', '~/more$ other'], services: 2, upstreams: 2 };
    for (const rules of [
      [rule('/new', 'nope'), rule('/admin', 'echo')],
      [rule('/more', 'other'), rule('/admin', 'echo'), rule('/new', 'nope')],
      [rule('/more', 'other'), rule('/new', 'nope')],
    ]) {
      expect(reached(quarantined(built(services + gateway + httpRoute(...rules)), last))).toEqual(wanted);
    }
  });

  it('lets its sound rules go on, and sends what is kept of the others where it went before', () => {
    const last = good(services + gateway + httpRoute(rule('/admin', 'echo'), rule('/more', 'other')));
    const broken = rule('/more(', 'echo').replace('PathPrefix', 'RegularExpression');
    const result = quarantined(built(services + gateway + httpRoute(rule('/new', 'other'), broken)), last);
    expect(reached(result)).toEqual({ routes: ['~/new$ other', '~/more$ other'], services: 2, upstreams: 2 });
  });

  it('takes along what only its new rules would use', () => {
    const before = good(services + gateway + httpRoute(rule('/admin', 'echo')));
    const after = httpRoute(rule('/admin', 'echo'), rule('/new', 'nope'), rule('/more', 'other'));
    const result = quarantined(built(services + gateway + after), before);
    expect(reached(result)).toEqual({ routes: ['~/admin$ echo'], services: 1, upstreams: 1 });
    const none = quarantined(built(services + gateway + after), good(services + gateway));
    expect(reached(none)).toEqual({ routes: [], services: 0, upstreams: 0 });
  });

  it('is what the object was before, whatever the numbers of its rules', () => {
    const services = service + service.replace('name: echo', 'name: other');
    const last = good(services + gateway + httpRoute(rule('/admin', 'echo'), rule('/more', 'other')));
    const wanted = ['~/admin$ /admin/', '~/more$ /more/'];
    for (const rules of [
      [rule('/new', 'nope'), rule('/admin', 'echo')],
      [rule('/new', 'nope')],
      [rule('/new', 'echo'), rule('/other', 'nope'), rule('/admin', 'echo')],
    ]) {
      const result = quarantined(built(services + gateway + httpRoute(...rules)), last);
      expect(served(result)).toEqual(wanted);
      const targets = (result.state.entities.get('targets') ?? []).map(({ fields }) => fields['target']);
      expect(targets.length).toBeGreaterThan(0);
    }
  });
});
