import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { BuildSettings, Built } from '../../src/build/built.ts';
import { renderDeckYaml } from '../../src/dialect/deck/render.ts';
import type { SnapshotEntry } from '../../src/model/snapshot.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';

let one: Schemas;
let any: Schemas;

beforeAll(async () => {
  one = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
  any = await loadSchemas({ version: 'any', edition: 'enterprise', router: 'traditional_compatible' });
});

const variables: { readonly [name: string]: string } = {
  DECK_NUMBER: '12345678901234567890',
  DECK_TEN: '10',
  DECK_SECRET: 'hunter2hunter2',
};

function run(files: { readonly [file: string]: string }, settings: Partial<BuildSettings> = {}): Built {
  const entries = new Map<string, SnapshotEntry>(
    Object.entries(files).map(([file, text]) => [file, { type: 'file', bytes: Buffer.from(text), blob: null }]),
  );
  return build(
    { revision: null, entries },
    { scope: null, schemas: one, rules: {}, environment: (name) => variables[name], instant: 0, ...settings },
  );
}

function findings({ diagnostics }: Built): readonly string[] {
  return diagnostics.map(
    ({ severity, rule, locations: [first] }) => `${severity} ${rule} ${first?.file}:${first?.line}`,
  );
}

const header = '_format_version: "3.0"\n';

/** decK's way of naming a variable. */
const variable = (name: string, pipeline = '') => `$\{{ env "${name}"${pipeline} }}`;

describe('files that are a part of a whole', () => {
  const id = '5b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0';
  const plugin = (route: string) => `${header}plugins:\n- name: cors\n  route: ${route}\n`;
  const route = 'routes:\n- name: orders\n  paths: [/orders]\n';

  it('may name what is there already, where no Kong in particular is meant', () => {
    expect(findings(run({ 'a.yaml': plugin('orders') }, { schemas: any }))).toEqual([
      'warning missing-reference a.yaml:4',
    ]);
    expect(findings(run({ 'a.yaml': `${plugin(id)}${route}` }, { schemas: any }))).toEqual([
      'warning missing-reference a.yaml:4',
    ]);
  });

  it('may not where a Kong is meant, or where they declare others of the kind', () => {
    expect(findings(run({ 'a.yaml': plugin('orders') }))).toEqual(['error missing-reference a.yaml:4']);
    expect(findings(run({ 'a.yaml': plugin(id) }))).toEqual(['error missing-reference a.yaml:4']);
    expect(findings(run({ 'a.yaml': `${plugin('ordres')}${route}` }, { schemas: any }))).toEqual([
      'error missing-reference a.yaml:4',
    ]);
  });

  it('never leave open who is in a group, nor a partial', () => {
    const groups = `${header}consumers:\n- username: a\n  groups:\n  - name: gold\n`;
    expect(findings(run({ 'a.yaml': groups }, { schemas: any }))).toEqual(['error missing-reference a.yaml:5']);
    const partials = `${header}plugins:\n- name: rate-limiting\n  config: {minute: 1}\n  partials:\n  - name: redis\n`;
    expect(findings(run({ 'a.yaml': partials }, { schemas: any }))).toEqual(['error missing-reference a.yaml:6']);
  });

  it('may use plugins that only some Kong has', () => {
    const own = `${header}plugins:\n- name: our-own\n`;
    expect(findings(run({ 'a.yaml': own }))).toEqual(['error unknown-plugin a.yaml:3']);
    expect(findings(run({ 'a.yaml': own }, { schemas: any }))).toEqual(['warning unknown-plugin a.yaml:3']);
    const slip = `${header}plugins:\n- name: key-aut\n`;
    expect(findings(run({ 'a.yaml': slip }, { schemas: any }))).toEqual(['error unknown-plugin a.yaml:3']);
  });
});

describe('variables', () => {
  const file = `${header}consumers:\n- username: a\n  keyauth_credentials:\n  - key: ${variable('DECK_NUMBER')}\nservices:\n- name: s\n  host: h\n  port: ${variable('DECK_NUMBER')}\n`;

  it('are the texts that they are where Kong wants a text, and numbers elsewhere', () => {
    const built = run({ 'a.yaml': file });
    expect(built.state.entities.get('keyauth_credentials')?.[0]?.fields['key']).toBe(variables['DECK_NUMBER']);
    expect(findings(built)).toContain('error yaml-number-precision a.yaml:9');
    expect(findings(built)).not.toContain('error yaml-number-precision a.yaml:5');
  });

  it('that are not set are that, and nothing else', () => {
    const text = `${header}services:\n- name: s\n  host: ${variable('DECK_NOT_SET_HERE')}\n  port: ${variable('DECK_NOT_SET_HERE')}\n`;
    expect(findings(run({ 'a.yaml': text }))).toEqual([
      'error template-variable a.yaml:4',
      'error template-variable a.yaml:5',
    ]);
  });

  it('have stand-ins in reviews, of which only what files can get wrong is said', () => {
    const review = `${header}services:
- name: s
  host: ${variable('DECK_NOT_SET_HERE')}
  port: ${variable('DECK_PORT')}
  enabled: ${variable('DECK_ENABLED', ' | toBool')}
  retires: ${variable('DECK_RETRIES')}
consumers:
- username: a
  keyauth_credentials: [{key: "${variable('DECK_SECRET')}"}]
- username: b
  keyauth_credentials: [{key: "${variable('DECK_SECRET')}"}]
certificates:
- cert: ${variable('DECK_CERT')}
  key: ${variable('DECK_KEY')}
  id: ${variable('DECK_ID')}
`;
    const built = run({ 'a.yaml': review }, { standIns: true });
    expect([...findings(built)].sort()).toEqual(['error unique-credential a.yaml:12', 'error unknown-field a.yaml:7']);
    expect(JSON.stringify([...built.state.entities.values()])).not.toContain(variables['DECK_SECRET']);
  });

  it('that cannot be converted are a warning where no Kong in particular is meant', () => {
    const text = `${header}services:\n- name: s\n  host: h\n  enabled: ${variable('DECK_TEN', ' | toBool')}\n`;
    expect(findings(run({ 'a.yaml': text }))).toContain('error template-conversion a.yaml:5');
    expect(findings(run({ 'a.yaml': text }, { schemas: any }))).toEqual(['warning template-conversion a.yaml:5']);
  });
});

describe('patch files', () => {
  it('bring secrets of the environment that nobody sees, to however many entities', () => {
    const services = Array.from({ length: 500 }, (_, index) => `- {name: s${index}, host: h${index}.internal}\n`).join(
      '',
    );
    const patch = `patches:
- selectors: ["$.services[*]"]
  values: {tags: ["${variable('DECK_SECRET')}"], retries: 1}
- selectors: ["$.services[?(@.retries == 1)]"]
  values: {retries: many, plugins: ${variable('DECK_PLUGINS')}}
`;
    const environment = (name: string) =>
      name === 'DECK_PLUGINS' ? '[{name: key-auth, config: {key_names: hunter2hunter2}}]' : variables[name];
    const built = run({ 'a.yaml': `${header}services:\n${services}`, 'b.yaml': patch }, { environment });
    expect(JSON.stringify(built.diagnostics)).not.toContain(variables['DECK_SECRET']);
    const [service] = built.state.entities.get('services') ?? [];
    expect([...(service?.fromEnvironment.keys() ?? [])]).toEqual(['/tags/0']);
    const [plugin] = built.state.entities.get('plugins') ?? [];
    expect([...(plugin?.fromEnvironment.keys() ?? [])].sort()).toEqual(['/config', '/config/key_names', '/name']);
    expect(new Set(findings(built).map((text) => text.replace(/ .*$/, '')))).toEqual(new Set(['error']));
  });

  it('get the blame for what they bring', () => {
    const base = `${header}services:\n- name: s\n  host: h\n`;
    const patch = 'patches:\n- selectors: ["$.services[*]"]\n  values:\n    port: many\n';
    expect(findings(run({ 'base.yaml': base, 'eu.yaml': patch }))).toEqual(['error entity-schema eu.yaml:4']);
  });
});

describe('select tags of several files', () => {
  const file = (name: string, tags: string) =>
    `${header}${tags === '' ? '' : `_info: {select_tags: [${tags}]}\n`}services: [{name: ${name}, host: h}]\n`;

  it('that differ are given to all that the files declare, which is said', () => {
    const built = run({ 'a.yaml': file('a', 'team-a'), 'b.yaml': file('b', 'team-b'), 'c.yaml': file('c', '') });
    expect(findings(built)).toEqual(['warning files-disagree b.yaml:2']);
    expect(built.diagnostics[0]).toMatchObject({
      message: 'The select tags of two files differ, so each entity of all files gets those of both.',
      hint: 'For one destination each, give it its own files with `include`; else write the tags in one file.',
    });
    expect(built.diagnostics[0]?.locations.map((place) => `${place.file}:${place.line}`)).toEqual([
      'b.yaml:2',
      'a.yaml:2',
    ]);
  });

  it('that are the same, or stand in one file, are as they should be', () => {
    expect(findings(run({ 'a.yaml': file('a', 'x, y'), 'b.yaml': file('b', 'y, x') }))).toEqual([]);
    expect(findings(run({ 'a.yaml': file('a', 'x, y'), 'b.yaml': file('b', '') }))).toEqual([]);
  });
});

describe('what is rendered', () => {
  it('reads as it was meant, lookup tags, workspace and control plane included', () => {
    const text = `${header}_workspace: team
_konnect: {control_plane_name: cp}
_info:
  select_tags: [mine]
  default_lookup_tags: {routes: [theirs], partials: [shared]}
plugins:
- {name: cors, route: of-others}
`;
    const built = run({ 'a.yaml': text });
    expect(findings(built)).toEqual(['warning missing-reference a.yaml:8']);
    const once = renderDeckYaml(built.state, { ...built.header, ids: false });
    const again = run({ 'b.yaml': once });
    expect(again.digest).toBe(built.digest);
    expect(renderDeckYaml(again.state, { ...again.header, ids: false })).toBe(once);
  });
});
