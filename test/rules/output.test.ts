import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hiddenOf } from '../../src/build/shown/hidden-values.ts';
import type { Json } from '../../src/model/json.ts';
import { kindsInOrder } from '../../src/model/kinds.ts';
import { countEntities } from '../../src/model/state.ts';
import { renderDiagnosticsGitHub } from '../../src/render/diagnostics-github.ts';
import { renderDiagnosticsJson } from '../../src/render/diagnostics-json.ts';
import { renderDiagnosticsJUnit } from '../../src/render/diagnostics-junit.ts';
import { renderDiagnosticsSarif } from '../../src/render/diagnostics-sarif.ts';
import { renderDiagnosticsText } from '../../src/render/diagnostics-text.ts';
import { explain, rules } from '../../src/rules/registry.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { secretPaths } from '../../src/schema/secret-paths.ts';
import { sarifLog } from '../render/sarif-form.ts';
import { buildFiles, filesUnder } from './building.ts';

const root = new URL('../cases/rules/', import.meta.url).pathname;

/** All forms of output of one validation. */
async function outputs(files: ReadonlyMap<string, Uint8Array>) {
  const built = await buildFiles(files, { edition: 'enterprise', mode: 'dbless', rules: { 'plain-secret': 'error' } });
  const schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
  const { diagnostics } = built;
  const textOf = (file: string) => Buffer.from(files.get(file) ?? []).toString();
  return {
    count: diagnostics.length,
    text: renderDiagnosticsText(diagnostics, {
      sources: textOf,
      ...hiddenOf(textOf, built.state, schemas),
      color: false,
    }),
    json: renderDiagnosticsJson({ ...built, entities: countEntities(built.state) }),
    sarif: renderDiagnosticsSarif(diagnostics, { version: '0.1.0', rules, explain }),
    github: renderDiagnosticsGitHub(diagnostics),
    junit: renderDiagnosticsJUnit(diagnostics),
  };
}

test('SARIF of everything that there are cases of is what the standard says', async () => {
  const files = new Map<string, Uint8Array>();
  for (const { name } of rules) {
    for (const [file, bytes] of filesUnder(join(root, name, 'invalid'))) files.set(`${name} %/${file}`, bytes);
  }
  files.set('torn.yaml', Buffer.from('services: [\n')).set('odd.yaml', Buffer.from('servcies: []\n'));
  const { sarif, count } = await outputs(files);
  const log = sarifLog.parse(JSON.parse(sarif));
  expect(log.runs[0]?.results).toHaveLength(count);
  const described = log.runs[0]?.tool.driver.rules ?? [];
  expect(described.filter(({ help }) => help === undefined)).toEqual([]);
});

const marker = 'mArKeR';

describe('a secret that is wrong in every way is never printed', () => {
  const credentials = [
    'consumers:',
    '  - username: web',
    '    keyauth_credentials: [{key: &a mArKeR-1}, {key: mArKeR-1, ttl: soon}]',
    '    basicauth_credentials: [{username: w, password: mArKeR-2, extra: 1}, {username: w, password: [mArKeR-3]}]',
    '    hmacauth_credentials: [{username: h, secret: mArKeR-4, tags: mArKeR}]',
    '    jwt_secrets: [{key: j, algorithm: HS257, secret: mArKeR-5}, {key: j, secret: {a: mArKeR-6}}]',
    '    oauth2_credentials: [{name: o, client_id: o, client_secret: mArKeR-7, redirect_uris: ["x y"]}]',
    'certificates:',
    '  - {cert: none, key: mArKeR-8, cert_alt: none, key_alt: mArKeR-9, snis: [{name: a b}]}',
    'keys:',
    '  - {name: k, kid: k, jwk: "mArKeR-10"}',
    '  - {name: p, kid: p, pem: {private_key: mArKeR-11, public_key: none}}',
    'vaults:',
    '  - {name: hcv, prefix: h h, config: {token: mArKeR-12}}',
    'licenses:',
    '  - {payload: mArKeR-13, tags: none}',
    'partials:',
    '  - {name: r, type: redis-ee, config: {password: mArKeR-14, sentinel_password: [mArKeR-15], port: x}}',
  ].map((line) => line.replaceAll('tags: mArKeR', 'tags: web'));

  test('of credentials, certificates, keys and vaults', async () => {
    const text = ['_format_version: "3.0"', ...credentials, ''].join('\n');
    const { count, ...forms } = await outputs(new Map([['kong.yaml', Buffer.from(text)]]));
    expect(count).toBeGreaterThan(10);
    for (const [form, output] of Object.entries(forms)) expect(output, form).not.toContain(marker);
  });

  test('of every plugin that has one', async () => {
    const schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });
    const plugins = schemas.pluginNames.flatMap((name): readonly Json[] => {
      const schema = schemas.plugin(name);
      const config: { [key: string]: Json } = { no_such_field: true };
      for (const pointer of schema === undefined ? [] : secretPaths(schema)) put(config, pointer.split('/').slice(2));
      return Object.keys(config).length > 1 ? [{ name, config }] : [];
    });
    expect(plugins.length).toBeGreaterThan(20);
    const text = JSON.stringify({ _format_version: '3.0', plugins }, null, 2);
    const { count, ...forms } = await outputs(new Map([['kong.json', Buffer.from(text)]]));
    expect(count).toBeGreaterThan(plugins.length);
    for (const [form, output] of Object.entries(forms)) expect(output, form).not.toContain(marker);
  });
});

/** Puts a secret, and a wrong one, where a schema has secrets; steps of lists and maps are given one item. */
function put(config: { [key: string]: Json }, steps: readonly string[]): void {
  const [step, ...rest] = steps;
  if (step === undefined || step.includes('*')) return;
  config[step] = nestedSecret(rest);
}

function nestedSecret(steps: readonly string[]): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return `${marker}-secret`;
  if (step !== '*') return { [step]: nestedSecret(rest) };
  return rest.length === 0 ? [nestedSecret(rest), `${marker}-in-a-list`] : [nestedSecret(rest)];
}

test('there is a marker in every field that the registry calls secret', () => {
  const secret = kindsInOrder.filter((kind) => kind.secrets.length > 0).map((kind) => kind.name);
  expect(secret.sort()).toEqual([
    'basicauth_credentials',
    'certificates',
    'hmacauth_credentials',
    'jwt_secrets',
    'keyauth_credentials',
    'keys',
    'licenses',
    'oauth2_credentials',
    'partials',
    'vaults',
  ]);
});
