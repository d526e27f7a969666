import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { SnapshotEntry } from '../../src/model/snapshot.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
});

function told(files: Readonly<Record<string, string>>): readonly string[] {
  const entries = new Map<string, SnapshotEntry>(
    Object.entries(files).map(([path, text]) => [path, { type: 'file', bytes: Buffer.from(text), blob: null }]),
  );
  const built = build(
    { revision: null, entries },
    { scope: null, schemas, rules: {}, environment: () => undefined, instant: 0 },
  );
  const found = built.diagnostics.map(({ severity, rule, locations: [at] }) => `${severity} ${rule} ${at?.file}`);
  return [...found, ...(built.state.entities.get('services') ?? []).map(({ name }) => `service ${name}`)];
}

const chart = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n',
  'web/values.yaml': 'ingress: { enabled: true }\n',
  'web/templates/ingress.yaml': '{{- if .Values.ingress.enabled }}\nkind: Ingress\n{{- end }}\n',
  'web/charts/inner/Chart.yaml': 'apiVersion: v1\nname: inner\nversion: 1.0.0\n',
};
const beside = { 'kong.yaml': '_format_version: "3.0"\nservices: [{ name: a, host: a.example.com }]\n' };

describe('a Helm chart', () => {
  it('is told of once, and what stands beside it is read', () => {
    expect(told({ ...chart, ...beside })).toEqual(['error helm-chart web/Chart.yaml', 'service a']);
  });

  it('is no other file of that name', () => {
    const file = '_format_version: "3.0"\nservices: [{ name: b, host: b.example.com }]\n';
    expect(told({ 'web/Chart.yaml': file, ...beside })).toEqual(['service a', 'service b']);
  });
});
