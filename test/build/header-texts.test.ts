import { describe, expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import { hiddenOf } from '../../src/build/shown/hidden-values.ts';
import { isCredentialText } from '../../src/model/credential-text.ts';
import { renderDiagnosticsText } from '../../src/render/diagnostics-text.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';

describe('a header in one text, well-formed or not', () => {
  test.each([
    'Authorization;Bearer MARKER',
    'Authorization:Bearer MARKER',
    'Authorization Bearer MARKER',
    'authorization=MARKER',
    'X-Api-Key MARKER',
    'X-Api-Key,MARKER',
    'Proxy: Basic MARKER',
  ])('%j is not shown', async (header) => {
    const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
    const source = `_format_version: "3.0"
plugins:
- name: request-transformer
  config: {add: {headers: [${JSON.stringify(header)}]}, unknown: 1}
`;
    const entries = new Map([['kong.yaml', { type: 'file' as const, bytes: Buffer.from(source), blob: null }]]);
    const built = build(
      { revision: null, entries },
      { scope: null, schemas, rules: {}, environment: () => undefined, instant: 0 },
    );
    expect(built.diagnostics.length).toBeGreaterThan(0);
    const text = renderDiagnosticsText(built.diagnostics, {
      sources: () => source,
      ...hiddenOf(() => source, built.state, schemas),
      color: false,
    });
    expect(text).not.toContain('MARKER');
    expect(JSON.stringify(built.diagnostics)).not.toContain('MARKER');
  });

  test.each([
    'Basic authentication',
    'a bearer token is needed',
    'Token expired',
    'x-request-id',
    'host: a.example.com',
  ])('%j is no secret', (text) => {
    expect(isCredentialText(text)).toBe(false);
  });
});
