import { expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';

async function found(text: string, edition: 'oss' | 'enterprise'): Promise<readonly string[]> {
  const schemas = await loadSchemas({ version: '3.9', edition, router: 'traditional_compatible' });
  const bytes = Buffer.from(`_format_version: "3.0"\n${text}\nservices:\n  - {name: a, host: a.internal}\n`);
  const { diagnostics } = build(
    { revision: null, entries: new Map([['kong.yaml', { type: 'file', bytes, blob: null }]]) },
    { scope: null, schemas, rules: {}, environment: () => undefined, instant: 0 },
  );
  return diagnostics.map(({ rule, locations }) => `${rule} ${locations[0]?.line}`);
}

test('a workspace is nothing for an open-source Kong', async () => {
  expect(await found('_workspace: team', 'oss')).toEqual(['workspace-edition 2']);
  expect(await found('_workspace: team', 'enterprise')).toEqual([]);
  expect(await found('_workspace: default', 'oss')).toEqual([]);
});
