import { describe, expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { Built, Scope } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import { countEntities } from '../../src/model/state.ts';
import { renderDiagnosticsGitHub } from '../../src/render/diagnostics-github.ts';
import { renderDiagnosticsJson } from '../../src/render/diagnostics-json.ts';
import { renderDiagnosticsJUnit } from '../../src/render/diagnostics-junit.ts';
import { renderDiagnosticsSarif } from '../../src/render/diagnostics-sarif.ts';
import { rules } from '../../src/rules/registry.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';

const env = (name: string) => `\${{ env "DECK_${name}" }}`;

async function buildText(text: string, variables: Readonly<Record<string, string>>): Promise<Built> {
  const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
  const entries = new Map([['kong.yaml', { type: 'file' as const, bytes: Buffer.from(text), blob: null }]]);
  const environment = (name: string) => variables[name.replace('DECK_', '')];
  return build({ revision: null, entries }, { scope: null, schemas, rules: {}, environment, instant: 0 });
}

/** Keys in quotes, which are values of the parsed text, or without, which are carried out before it is parsed. */
const files = {
  quoted: `_format_version: "3.0"
consumers:
- username: '${env('NAME')}'
  '${env('KEY')}': 1
services:
- name: '${env('NAME')}'
  host: "a b"
  '${env('KEY')}': 1
  routes:
  - name: '${env('NAME')}'
    headers: {'${env('KEY')}': [1]}
  plugins:
  - name: tcp-log
    config: {'${env('KEY')}': 5}
'${env('KEY')}': 5
_info: {defaults: {'${env('KEY')}': {a: 1}, service: {'${env('KEY')}': 1}}}
`,
  bare: `_format_version: "3.0"
consumers:
- username: ${env('NAME')}
  ${env('KEY')}: 1
services:
- name: ${env('NAME')}
  host: "a b"
  ${env('KEY')}: 1
  routes:
  - name: ${env('NAME')}
    headers:
      ${env('KEY')}: [1]
  plugins:
  - name: tcp-log
    config:
      ${env('KEY')}: 5
${env('KEY')}: 5
`,
  whole: `_format_version: "3.0"
services:
- name: a
  host: a
  plugins:
  - name: tcp-log
    config: ${env('MAP')}
`,
};

describe('what the environment brings in a key or a name is in no form of output', () => {
  const values = { long: 'mArKeR-of-a-secret', short: 'qZ7' };

  test.each(Object.keys(files).flatMap((file) => Object.keys(values).map((value) => [file, value] as const)))(
    '%s, %s',
    async (file, value) => {
      const marker = values[value as keyof typeof values];
      const variables = { NAME: marker, KEY: marker, MAP: `{"${marker}": {"${marker}": 1}}` };
      const built = await buildText(files[file as keyof typeof files], variables);
      const { diagnostics } = built;
      expect(diagnostics.length).toBeGreaterThan(0);
      const forms = {
        json: renderDiagnosticsJson({ ...built, entities: countEntities(built.state) }),
        sarif: renderDiagnosticsSarif(diagnostics, { version: '0.1.0', rules }),
        github: renderDiagnosticsGitHub(diagnostics),
        junit: renderDiagnosticsJUnit(diagnostics),
      };
      for (const [form, text] of Object.entries(forms)) expect(text, form).not.toContain(marker);
    },
  );
});

describe('of a variable that is not set, only that is said', () => {
  test.each([
    `services:\n- {name: a, url: "${env('X')}"}\n`,
    `services:\n- {name: a, url: "http://${env('X')}/"}\n`,
    `services:\n- name: a\n  url: ${env('X')}\n`,
    `services:\n- name: a\n  host: a.example.com\n  port: ${env('X')}\n`,
    `services:\n- name: a\n  host: a.example.com\n  routes:\n  - paths: [/a]\n    headers: {'${env('X')}': [one]}\n`,
    `services:\n- name: a\n  host: a.example.com\n  '${env('X')}': 1\n`,
    `consumers:\n- id: "${env('X')}"\n  username: a\n`,
    `consumers:\n- username: a\n  tags: ["${env('X')}"]\n`,
    `services:\n- name: a\n  host: a.example.com\n  plugins:\n  - name: rate-limiting\n    _config: "${env('X')}"\n    config: {minute: 5}\n`,
  ])('%j', async (text) => {
    const { diagnostics } = await buildText(`_format_version: "3.0"\n${text}`, {});
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['template-variable']);
  });
});

describe('what YAML reads as a number is a text where a text is wanted', () => {
  test.each([
    `_workspace: ${env('N')}\n`,
    `_info: {select_tags: [${env('N')}]}\n`,
    `_info: {default_lookup_tags: {services: [${env('N')}]}}\n`,
    `services: [{name: ${env('N')}, host: a.example.com}]\n`,
    `services:\n- name: ${env('N')}\n  host: a.example.com\n  tags: [${env('N')}]\n`,
  ])('%j', async (text) => {
    const { diagnostics } = await buildText(
      `_format_version: "3.0"\nconsumers: [{username: ${env('N')}, custom_id: ${env('N')}}]\n${text}`,
      { N: '0010' },
    );
    const messages = diagnostics.map(({ message }) => message);
    expect(messages.filter((message) => !message.includes('which has none'))).toEqual([]);
    expect(messages.filter((message) => message.includes('0010'))).toEqual([]);
  });

  test('and is a number where a number is wanted', async () => {
    const text = `_format_version: "3.0"\nservices: [{name: ${env('N')}, host: a.example.com, port: ${env('N')}}]\n`;
    const { state } = await buildText(text, { N: '8080' });
    expect(state.entities.get('services')?.[0]?.fields).toEqual({ name: '8080', host: 'a.example.com', port: 8080 });
  });

  test('and is not shown where two differ about it', async () => {
    const text = `_format_version: "3.0"\n_workspace: ${env('A')}\n---\n_workspace: ${env('B')}\n`;
    const { diagnostics } = await buildText(text, { A: 'secret-of-a', B: 'b' });
    const message = diagnostics.find(({ rule }) => rule === 'files-disagree')?.message ?? '';
    expect(message).toContain('_workspace is "***" here and "***"');
  });
});

describe('what the environment brings in a reference that names nothing is in no form of output', () => {
  const marker = 'MARKDREF';
  const reference = env('REF');

  test.each([
    `plugins: [{name: cors, service: '${reference}'}]\n`,
    `plugins: [{name: cors, service: {name: '${reference}'}}]\n`,
    `plugins: [{name: cors, route: '${reference}'}]\n`,
    `plugins: [{name: cors, consumer: '${reference}'}]\n`,
    `plugins: [{name: cors, consumer: {username: '${reference}'}}]\n`,
    `plugins:\n- name: cors\n  consumer_group: ${reference}\n`,
    `upstreams: []\ntargets: [{target: "a.example.com:80", upstream: '${reference}'}]\n`,
    `routes: [{paths: [/a], service: '${reference}'}]\n`,
    `snis: [{name: a.example.com, certificate: '${reference}'}]\n`,
    `consumers: [{username: a, groups: [{name: '${reference}'}]}]\n`,
    `consumer_groups: [{name: a, consumers: ['${reference}']}]\n`,
    `keyauth_credentials: [{key: some-long-key-of-it, consumer: '${reference}'}]\n`,
  ])('%j', async (text) => {
    for (const value of [marker, `0abcdef0-0000-4000-8000-00000000000a`]) {
      const built = await buildText(`_format_version: "3.0"\n${text}`, { REF: value });
      const { diagnostics } = built;
      expect(diagnostics.map(({ rule }) => rule)).toContain('missing-reference');
      const left = quarantined(built, null).quarantine;
      expect(left?.leftOut.length).toBeGreaterThan(0);
      const forms = {
        json: renderDiagnosticsJson({ ...built, entities: countEntities(built.state) }),
        sarif: renderDiagnosticsSarif(diagnostics, { version: '0.1.0', rules }),
        github: renderDiagnosticsGitHub(diagnostics),
        junit: renderDiagnosticsJUnit(diagnostics),
        left: JSON.stringify(left?.leftOut),
      };
      for (const [form, shown] of Object.entries(forms)) expect(shown, form).not.toContain(value);
    }
  });

  test('nor where it names what the destination is not given', async () => {
    const text = `_format_version: "3.0"
services: [{name: '${reference}', host: a.example.com, plugins: [{name: cors, config: {nonsense: 1}}]}]
`;
    const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
    const entries = new Map([['kong.yaml', { type: 'file' as const, bytes: Buffer.from(text), blob: null }]]);
    const scope: Scope = {
      include: [],
      excludeFiles: [],
      excludeKinds: ['services'],
      excludeTags: [],
      tags: [],
      workspace: null,
      controlPlane: null,
    };
    const built = build(
      { revision: null, entries },
      { scope, schemas, rules: {}, environment: () => marker, instant: 0 },
    );
    expect(JSON.stringify(built.diagnostics)).not.toContain(marker);
  });
});
