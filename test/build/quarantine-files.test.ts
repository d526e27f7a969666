import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { Built } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import { defaultKubernetesSettings, type KubernetesSettings } from '../../src/dialect/kubernetes/settings.ts';
import type { KindName } from '../../src/model/kind.ts';
import type { SnapshotEntry } from '../../src/model/snapshot.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
});

type Files = Readonly<Record<string, string>>;

function built(files: Files, kubernetes: Partial<KubernetesSettings> = {}): Built {
  const entries = new Map<string, SnapshotEntry>();
  for (const [path, text] of Object.entries(files)) {
    entries.set(path, { type: 'file', bytes: Buffer.from(text), blob: null });
  }
  return build(
    { revision: 'a'.repeat(40), entries },
    {
      scope: null,
      schemas,
      rules: {},
      environment: () => undefined,
      instant: 0,
      kubernetes: { ...defaultKubernetesSettings, ...kubernetes },
    },
  );
}

const unreadable = '{{{ no: yaml';

/** A revision in quarantine, after another one. */
function following(last: Built, files: Files, kubernetes: Partial<KubernetesSettings> = {}): Built {
  const now = built(files, kubernetes);
  expect(now.valid).toBe(false);
  return quarantined(now, last.state, [], last.entries ?? null);
}

function good(files: Files, kubernetes: Partial<KubernetesSettings> = {}): Built {
  const before = built(files, kubernetes);
  expect(before.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return before;
}

const all = ({ state }: Built, kind: KindName, field: string) =>
  (state.entities.get(kind) ?? []).map((entity) => entity.fields[field]);
const told = ({ quarantine }: Built) =>
  (quarantine?.leftOut ?? []).map(({ entity, keptLastGood }) => `${entity.kind} ${entity.name} ${keptLastGood}`);

const deck = (text: string) => `_format_version: "3.0"\n${text}\n`;
const service = (name: string, host: string, more = '') =>
  `services: [{ name: ${name}, host: ${host}, routes: [{ name: ${name}, paths: [/${name}] }]${more} }]`;

describe('a decK file that cannot be read', () => {
  const files = {
    'all.yaml': deck(`_info: { defaults: { route: { protocols: [https] } } }\n${service('all', 'all.test')}`),
    'shared.yaml': deck('_plugin_configs: { std: { key_names: [k] } }'),
    'team.yaml': deck(service('team', 'one.test', ', plugins: [{ name: key-auth, _config: std }]')),
  };

  it('leaves what others go by in it as it was', () => {
    const last = good(files);
    for (const broken of ['all.yaml', 'shared.yaml']) {
      const next = { ...files, [broken]: unreadable, 'team.yaml': files['team.yaml'].replace('one.test', 'two.test') };
      const result = following(last, next);
      expect(result.quarantine?.refused, broken).toBe(null);
      expect(all(result, 'routes', 'protocols'), broken).toEqual([['https'], ['https']]);
      expect(all(result, 'services', 'host'), broken).toEqual(['all.test', 'two.test']);
      expect(all(result, 'plugins', 'config'), broken).toEqual([{ key_names: ['k'] }]);
      expect(told(result), broken).toEqual(broken === 'all.yaml' ? ['services all true', 'routes all true'] : []);
      expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
        { locations: [{ file: broken }] },
      ]);
      // One that stays so is what it was before that.
      const later = following(result, { ...next, 'more.yaml': deck(service('more', 'more.test')) });
      expect(all(later, 'routes', 'protocols'), broken).toEqual([['https'], ['https'], ['https']]);
    }
  });

  it('refuses all where it has no last good version', () => {
    const result = following(good(files), { ...files, 'new.yaml': unreadable });
    expect(result.quarantine?.refused).toContain('new.yaml cannot be read and has no last good version');
  });
});

describe('a file of manifests that cannot be read', () => {
  const named = (kind: string, name: string, version: string, more = '') =>
    `apiVersion: ${version}\nkind: ${kind}\nmetadata: { name: ${name}, namespace: a${more} }\n`;
  const plugin = `${named('KongPlugin', 'auth', 'configuration.konghq.com/v1')}plugin: key-auth\n`;
  const web = (more: string) => `${named('Service', 'web', 'v1', more)}spec: { ports: [{ port: 80 }] }\n`;
  const ingress = (host: string) => `${named('Ingress', 'web', 'networking.k8s.io/v1')}spec:
  ingressClassName: kong
  rules:
    - host: ${host}
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`;

  it('takes no protection away that stands in it, where what it declares may be missing', () => {
    const files = {
      'auth.yaml': plugin,
      'service.yaml': web(', annotations: { konghq.com/plugins: auth }'),
      'ingress.yaml': ingress('one.test'),
    };
    const assume = { undeclaredServices: 'assume' } as const;
    const last = good(files, assume);
    const result = following(
      last,
      { ...files, 'service.yaml': unreadable, 'ingress.yaml': ingress('two.test') },
      assume,
    );
    expect(all(result, 'routes', 'hosts')).toEqual([['two.test']]);
    expect(all(result, 'plugins', 'name')).toEqual(['key-auth']);
  });

  it('holds nothing back where nothing was made of it', () => {
    const policy = `${named('KongUpstreamPolicy', 'pol', 'configuration.konghq.com/v1beta1')}spec: { algorithm: least-connections }\n`;
    const files = {
      'policy.yaml': policy,
      'service.yaml': web(', annotations: { konghq.com/upstream-policy: pol }'),
      'ingress.yaml': ingress('one.test'),
    };
    const result = following(good(files), { ...files, 'policy.yaml': unreadable, 'ingress.yaml': ingress('two.test') });
    expect(result.quarantine?.refused).toBe(null);
    expect(all(result, 'routes', 'hosts')).toEqual([['two.test']]);
    expect(all(result, 'upstreams', 'algorithm')).toEqual(['least-connections']);
  });
});
