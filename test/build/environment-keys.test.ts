import { describe, expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { Built } from '../../src/build/built.ts';
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
