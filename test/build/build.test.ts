import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { BuildSettings, Built, Scope } from '../../src/build/built.ts';
import { DocumentCache } from '../../src/manifest/document-cache.ts';
import { allEntities } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { builtOf, type Files, snapshotOf } from './files.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
});

const everything: Scope = {
  include: [],
  excludeFiles: [],
  excludeKinds: [],
  excludeTags: [],
  tags: [],
  workspace: null,
  controlPlane: null,
};

function run(files: Files, scope: Partial<Scope> | null = null, settings: Partial<BuildSettings> = {}): Built {
  return builtOf(files, schemas, { scope: scope === null ? null : { ...everything, ...scope }, ...settings });
}

function names(built: Built): readonly string[] {
  return allEntities(built.state).map((entity) => `${entity.kind} ${entity.identity}`);
}

function findings(built: Built): readonly string[] {
  return built.diagnostics.map(({ rule, severity, locations: [first] }) =>
    [severity, rule, first === undefined ? '' : `${first.file}:${first.line}`].join(' ').trim(),
  );
}

const header = '_format_version: "3.0"\n';

const estate: Files = {
  'services/orders.yaml': `${header}services:
- name: orders
  host: orders.internal
  tags: [shop]
  routes:
  - name: orders
    paths: [/orders]
`,
  'services/old.yaml': `${header}services:
- name: old
  host: old.internal
  tags: [retired]
  routes:
  - name: old
    paths: [/old]
    plugins:
    - name: cors
`,
  'consumers.yaml': `${header}consumers:
- username: mobile
  keyauth_credentials:
  - key: \${{ env "DECK_KEY" }}
  groups:
  - name: gold
consumer_groups:
- name: gold
`,
  'plugins.yaml': `${header}plugins:
- name: rate-limiting
  consumer: mobile
  config: {minute: 5}
- name: rate-limiting
  service: orders
  config: {minute: 50}
`,
};

const environment = (name: string) => (name === 'DECK_KEY' ? 'a-key-that-is-secret' : undefined);

describe('a build', () => {
  it('gives the state, its digest and the revision', () => {
    const built = run(estate, null, { environment });
    expect(findings(built)).toEqual([]);
    expect(built).toMatchObject({ revision: 'a'.repeat(40), valid: true });
    expect(built.digest).toBe('sha256:f10f59089370760175759dad8c0d8df1ccb37bbcf93af5c350269de289855c01');
    expect(names(built)).toContain('plugins rate-limiting:service/orders');
  });

  it('gives the same in any order of files, with and without a cache', () => {
    const entries = Object.entries(estate);
    const { digest } = run(estate, null, { environment });
    const cache = new DocumentCache(1_000_000);
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), fc.boolean(), (order, cached) => {
        const settings = { scope: null, schemas, rules: {}, environment, instant: 0, cache: cached ? cache : null };
        expect(build(snapshotOf(order), settings).digest).toBe(digest);
      }),
      { numRuns: 20 },
    );
    expect(cache.size).toBe(entries.length);
  });

  it('has no digest when anything is an error, and still shows what could be read', () => {
    const built = run(estate);
    expect(findings(built)).toEqual(['error template-variable consumers.yaml:5']);
    expect(built).toMatchObject({ valid: false, digest: null });
    expect(names(built)).toContain('services orders');
  });

  it('puts no value of the environment into a finding', () => {
    const files = { 'a.yaml': `${header}services:\n- name: a\n  host: a.internal\n  port: \${{ env "DECK_KEY" }}\n` };
    const built = run(files, null, { environment });
    expect(built.valid).toBe(false);
    expect(JSON.stringify(built.diagnostics)).not.toContain('a-key-that-is-secret');
  });

  it('warns when nothing is declared', () => {
    expect(findings(run({}))).toEqual(['warning nothing-declared']);
    expect(findings(run({ 'a.yaml': header }))).toEqual(['warning nothing-declared']);
    expect(run({ 'a.yaml': header }).valid).toBe(true);
  });

  it('reads both dialects side by side, and lets one name what the other declares', () => {
    const manifests = `apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: ann, annotations: { kubernetes.io/ingress.class: kong } }
username: ann
`;
    const files = { 'k.yaml': manifests, 'a.yaml': `${header}plugins: [{name: correlation-id, consumer: ann}]\n` };
    const built = run(files);
    expect(findings(built)).toEqual([]);
    expect(names(built)).toEqual(['consumers ann', 'plugins correlation-id:consumer/ann']);
  });

  it('takes what only Enterprise has for a warning in manifests, where nothing says which edition is run', async () => {
    const flavor = { version: '3.9', edition: 'oss', router: 'traditional_compatible' } as const;
    const oss = await loadSchemas(flavor);
    const group = `apiVersion: configuration.konghq.com/v1beta1
kind: KongConsumerGroup
metadata: { name: gold, annotations: { kubernetes.io/ingress.class: kong } }
`;
    const unsaid = await loadSchemas({ ...flavor, editionSaid: false });
    expect(findings(run({ 'k.yaml': group }, null, { schemas: unsaid }))).toEqual(['warning wrong-edition k.yaml:3']);
    expect(findings(run({ 'k.yaml': group }, null, { schemas: oss }))).toEqual(['error wrong-edition k.yaml:3']);
  });

  it('follows the configured severities of warnings, and leaves errors alone', () => {
    expect(findings(run({}, null, { rules: { 'nothing-declared': 'error' } }))).toEqual(['error nothing-declared']);
    expect(findings(run({}, null, { rules: { 'nothing-declared': 'off' } }))).toEqual([]);
    const wrong = run({ 'a.yaml': `${header}servcies: []\n` }, null, { rules: { 'unknown-key': 'off' } });
    expect(findings(wrong)).toEqual(['error unknown-key a.yaml:2']);
  });

  it('does not blame a reference for what could not be read', () => {
    const files = { ...estate, 'services/orders.yaml': 'services: [' };
    const built = run(files, null, { environment });
    expect(findings(built)).toContain('warning missing-reference plugins.yaml:7');
    expect(findings(built).filter((found) => found.startsWith('error'))).toHaveLength(1);
  });

  it('takes a name that others own for a warning where lookup tags say so', () => {
    const info = '_info: {default_lookup_tags: {services: [shared]}}\n';
    const plugin = 'plugins:\n- name: cors\n  service: theirs\n';
    expect(findings(run({ 'a.yaml': header + info + plugin }))).toEqual(['warning missing-reference a.yaml:5']);
    expect(findings(run({ 'a.yaml': header + plugin }))).toEqual(['error missing-reference a.yaml:4']);
  });

  it('takes an old format for an error, unless any version is meant', () => {
    const files = { 'a.yaml': '_format_version: "1.1"\nservices: [{name: a, host: a}]\n' };
    expect(findings(run(files))).toEqual(['error format-version a.yaml:1']);
    expect(findings(run(files, null, { schemas: { ...schemas, version: 'any' } }))).toEqual([
      'warning format-version a.yaml:1',
    ]);
  });
});

describe('what a destination gets', () => {
  it('is the files that it includes and does not exclude', () => {
    expect(names(run(estate, { include: ['services/**'], excludeFiles: ['**/old.yaml'] }))).toEqual([
      'services orders',
      'routes orders',
    ]);
  });

  it('is told of a pattern that no file fits, and whose it is', () => {
    const built = run(estate, { destination: 'edge', include: ['nothing/**', 'services/**'] });
    expect(built.valid).toBe(true);
    expect(built.diagnostics.map(({ rule, severity, message }) => `${severity} ${rule} ${message}`)).toEqual([
      'warning unused-include No file fits "nothing/**", which the destination "edge" includes.',
    ]);
  });

  it('leaves out with consumers their credentials, memberships and plugins', () => {
    const built = run(estate, { excludeKinds: ['consumers'] }, { environment });
    expect(findings(built)).toEqual([]);
    expect(names(built)).toEqual([
      'consumer_groups gold',
      'services old',
      'services orders',
      'routes old',
      'routes orders',
      'plugins cors:route/old',
      'plugins rate-limiting:service/orders',
    ]);
  });

  it('leaves out what has an excluded tag and what is written under it', () => {
    const built = run(estate, { excludeTags: ['retired'] }, { environment });
    expect(findings(built)).toEqual([]);
    expect(names(built).filter((name) => name.endsWith('old') && !name.endsWith('gold'))).toEqual([]);
  });

  it('switches off a rule only by what matters to it', () => {
    const text = `${header}consumer_groups:
- name: gold
  plugins: [{ name: rate-limiting-advanced, config: { limit: [1], window_size: [60], strategy: local } }]
vaults: [{ name: env, prefix: shop }]
consumers: [{ username: ann, tags: [mine], acls: [{ group: shopers }] }]
services:
- name: a
  host: a.test
  routes: [{ name: locked, paths: [/l], plugins: [{ name: key-auth }] }, { name: open, paths: [/o] }]
plugins:
- { name: acl, config: { allow: [shoppers] } }
- { name: basic-auth, enabled: false, config: { anonymous: nobody } }
`;
    const rulesOf = (scope: Partial<Scope>) => {
      const { diagnostics } = run({ 'a.yaml': text }, scope);
      return [...new Set(diagnostics.map(({ rule }) => rule))].filter((rule) =>
        ['acl-group', 'open-route', 'unknown-anonymous'].includes(rule),
      );
    };
    const all = ['unknown-anonymous', 'acl-group', 'open-route'].sort();
    expect(rulesOf({}).toSorted()).toEqual(all);
    expect(rulesOf({ excludeKinds: ['vaults'] }).toSorted()).toEqual(all);
    expect(rulesOf({ excludeKinds: ['consumer_groups'] }).toSorted()).toEqual(all);
    expect(rulesOf({ excludeKinds: ['consumers'] })).toEqual(['open-route']);
    expect(rulesOf({ excludeKinds: ['plugins'] })).toEqual([]);
    expect(rulesOf({ excludeTags: ['mine'] }).toSorted()).toEqual(['open-route', 'unknown-anonymous']);
  });

  it('still asks for what is named by id, where other kinds are left out', () => {
    const text = `${header}routes: [{ name: a, paths: [/a], service: { id: 11111111-2222-4333-8444-555555555501 } }]
`;
    expect(findings(run({ 'a.yaml': text }, { excludeKinds: ['vaults'] }))).toEqual([
      'error missing-reference a.yaml:2',
    ]);
    expect(findings(run({ 'a.yaml': text }, { excludeKinds: ['services'] }))).toEqual([
      'warning missing-reference a.yaml:2',
    ]);
  });

  it('keeps what only names an excluded kind, as a reference to something of others', () => {
    const files = {
      'a.yaml': `${header}certificates:
- id: 11111111-2222-4333-8444-555555555501
  cert: "{vault://env/cert}"
  key: "{vault://env/key}"
services:
- name: a
  host: a.internal
  protocol: https
  client_certificate: 11111111-2222-4333-8444-555555555501
`,
    };
    const built = run(files, { excludeKinds: ['certificates'] });
    expect(names(built)).toEqual(['services a']);
    expect(findings(built)).toEqual(['warning missing-reference a.yaml:10']);
  });

  it('carries the tags of the destination and of the files', () => {
    const select = (tags: string) => ({
      'a.yaml': `${header}_info: {select_tags: ${tags}}\nservices: [{name: a, host: a}]\n`,
    });
    const tagged = run(select('[one, two]'), { tags: ['two', 'one'] });
    expect(tagged.valid).toBe(true);
    expect(tagged.state.selectTags).toEqual(['one', 'two']);
    expect(tagged.state.byIdentity('services', 'a')?.fields['tags']).toEqual(['one', 'two']);
    expect(findings(run(select('[one]'), { tags: ['two'] }))).toEqual(['error scope-mismatch a.yaml:2']);
    expect(run(select('[]'), { tags: ['two'] }).state.selectTags).toEqual(['two']);
  });

  it('has to be the workspace and the control plane that the files say', () => {
    const services = 'services: [{name: a, host: a}]\n';
    const workspace = { 'a.yaml': `${header}_workspace: retail\n${services}` };
    const konnect = { 'a.yaml': `${header}_konnect: {control_plane_name: prod}\n${services}` };
    const wrong = ['error scope-mismatch a.yaml:2'];
    expect(findings(run(workspace, { workspace: 'retail' }))).toEqual([]);
    expect(findings(run(workspace, { workspace: 'other' }))).toEqual(wrong);
    expect(findings(run(workspace, {}))).toEqual(wrong);
    expect(findings(run(workspace))).toEqual([]);
    expect(findings(run(konnect, { controlPlane: 'prod' }))).toEqual([]);
    expect(findings(run(konnect, { controlPlane: 'test' }))).toEqual(wrong);
    expect(findings(run(konnect, {}))).toEqual(wrong);
  });

  it('derives ids within the workspace, as every destination of that workspace would', () => {
    const files = { 'a.yaml': `${header}_workspace: retail\nservices: [{name: a, host: a}]\n` };
    const id = (built: Built) => built.state.byIdentity('services', 'a')?.id;
    expect(id(run(files))).toBe(id(run(files, { workspace: 'retail' })));
    expect(id(run(files))).not.toBe(id(run({ 'a.yaml': `${header}services: [{name: a, host: a}]\n` })));
  });
});

describe('a plugin that keeps people out and is left out', () => {
  const files = (plugin: string, route = 'name: r, paths: [/r]') => ({
    'a.yaml': `${header}services:
- name: s
  host: s.test
  routes:
  - {${route}}
  - {name: other, paths: [/o], tags: [internal]}
  plugins: [{${plugin}}]
`,
  });
  const rule = (built: Built) => built.diagnostics.filter((one) => one.rule === 'protection-excluded');

  it.each(['key-auth', 'acl, config: {allow: [a]}', 'ip-restriction, config: {allow: [10.0.0.0/8]}'])(
    'for its tag is a warning that names the routes that go out: %s',
    (plugin) => {
      const built = run(files(`name: ${plugin}, tags: [internal]`), { excludeTags: ['internal'] });
      expect(rule(built)).toEqual([
        expect.objectContaining({ severity: 'warning', message: expect.stringContaining('goes out: the route "r".') }),
      ]);
      expect(rule(built)[0]?.locations[0]).toMatchObject({ file: 'a.yaml', line: 8 });
    },
  );

  it('is none where its routes are left out too, where it keeps nobody out, or where it goes out', () => {
    const out = { excludeTags: ['internal'] };
    expect(rule(run(files('name: key-auth, tags: [internal]', 'name: r, paths: [/r], tags: [internal]'), out))).toEqual(
      [],
    );
    expect(rule(run(files('name: cors, tags: [internal]'), out))).toEqual([]);
    expect(rule(run(files('name: key-auth, enabled: false, tags: [internal]'), out))).toEqual([]);
    expect(rule(run(files('name: key-auth'), out))).toEqual([]);
    expect(rule(run(files('name: key-auth, tags: [internal]')))).toEqual([]);
  });

  it('with all of its kind is one warning', () => {
    const built = run(files('name: key-auth}, {name: acl, config: {allow: [a]}'), { excludeKinds: ['plugins'] });
    expect(rule(built).map(({ message }) => message)).toEqual([
      'exclude.kinds leaves out plugins that keep people out ("key-auth", "acl"), while what they are for goes out: the routes "r", "other".',
    ]);
  });
});
