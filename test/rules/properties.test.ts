import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenOf } from '../../src/build/shown/hidden-values.ts';
import { renderDiagnosticsText } from '../../src/render/diagnostics-text.ts';
import { rules } from '../../src/rules/registry.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { buildFiles, filesUnder } from './building.ts';

const root = new URL('../cases/rules/', import.meta.url).pathname;
const header = Buffer.from('_format_version: "3.0"\n');

/** All invalid cases as one repository, each in a folder of its own: many findings, of every rule. */
function everything(): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const { name } of rules) {
    for (const [file, bytes] of filesUnder(join(root, name, 'invalid'))) files.set(`${name}/${file}`, bytes);
  }
  return files.set('z-empty.yaml', header);
}

/** With what makes the most rules speak; some are silent about the whole, for a plugin of one case covers another. */
const loudest = { mode: 'dbless', rules: { 'plain-secret': 'warning' } } as const;

describe('all findings together', () => {
  test('are the same whatever the order of files', async () => {
    const files = [...everything()];
    const { diagnostics } = await buildFiles(new Map(files), loudest);
    expect(new Set(diagnostics.map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(rules.length - 5);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(files, { minLength: files.length }), async (shuffled) => {
        expect((await buildFiles(new Map(shuffled), loudest)).diagnostics).toEqual(diagnostics);
      }),
      { numRuns: 8 },
    );
  });

  test('stand inside their files', async () => {
    const files = everything();
    for (const { locations } of (await buildFiles(files, loudest)).diagnostics) {
      for (const { file, line, column, endLine, endColumn } of locations) {
        const lines = Buffer.from(files.get(file) ?? [])
          .toString()
          .split('\n');
        expect(line).toBeLessThanOrEqual(endLine);
        expect(endLine).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length);
        expect(endColumn).toBeLessThanOrEqual((lines[endLine - 1] ?? '').length + 1);
      }
    }
  });

  test('one fault is reported by one rule', async () => {
    const { diagnostics } = await buildFiles(everything(), loudest);
    const places = diagnostics.map(
      ({ locations: [first], message }) => `${first?.file}:${first?.line}:${first?.column} ${message}`,
    );
    expect(new Set(places).size).toBe(places.length);
  });
});

test('secrets are found by schema wherever they stand, and the source line goes without them', async () => {
  const text = [
    '_format_version: "3.0"',
    'plugins:',
    '  - name: http-log',
    '    config: {http_endpoint: "https://log.example.com", headers: {X-Any: hidden-header}, timeout: soon}',
    'consumers:',
    '  - username: web',
    '    basicauth_credentials:',
    '      - {username: [1], password: hidden-password}',
    '',
  ].join('\n');
  const { diagnostics, state } = await buildFiles(new Map([['kong.yaml', Buffer.from(text)]]));
  const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
  const shown = renderDiagnosticsText(diagnostics, {
    sources: () => text,
    ...hiddenOf(() => text, state, schemas),
    color: false,
  });
  expect(diagnostics.length).toBeGreaterThan(1);
  expect(shown).toContain('X-Any: ***');
  expect(shown).not.toContain('hidden-');
});
