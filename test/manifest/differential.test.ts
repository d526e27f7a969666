import fc from 'fast-check';
import { CORE_SCHEMA, loadAll, mergeTag, YAMLException } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { parse } from './support.ts';

const pieces = [
  'a',
  'b: ',
  'k:',
  '- ',
  '\n',
  '\n  ',
  '\n    ',
  '---\n',
  '...\n',
  '&x ',
  '*x',
  '<<: ',
  '!!str ',
  '!!int ',
  '!y ',
  '[',
  ']',
  '{',
  '}',
  ', ',
  '"',
  "'",
  '|\n',
  '>-\n',
  '# c\n',
  '? ',
  ': ',
  '1',
  '-1.5',
  '0x1',
  'true',
  '~',
  '\t',
  ' ',
  '\\n',
  '%TAG ! x\n',
  '\r\n',
  'é',
  '😀',
  '\uFEFF',
  '$',
  '{{',
  '}}',
  '<<<<<<<',
  '1e999',
  '.inf',
  '00',
];

describe('any text', () => {
  it('is read as js-yaml reads it, or reported at a place that exists', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 25 }), (parts) => {
        const text = parts.join('');
        const { documents, diagnostics } = parse(text);
        const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
        for (const { locations } of diagnostics) {
          expect(locations.length).toBeGreaterThan(0);
          for (const { line, column, endLine, endColumn } of locations) {
            expect(column).toBeGreaterThan(0);
            expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? -1) + 1);
            expect(endLine > line || (endLine === line && endColumn >= column)).toBe(true);
          }
        }
        if (diagnostics.some(({ severity }) => severity === 'error')) return;
        const expected = reference(text.replace(/^\uFEFF/, ''));
        if (expected === null) return;
        const values = documents.map(({ value }) => value);
        const rest = expected.filter((value) => value !== null);
        // Keys are texts as written here, and numbers printed anew there.
        if (!/0x1|00|-1\.5|\.inf/.test(text)) expect(values).toEqual(rest);
        else expect(values.length).toBe(rest.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('never lets anything be thrown, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const document of parse(text).documents) document.at(['a', 0]);
      }),
      { numRuns: 300 },
    );
  });
});

/** What js-yaml reads, or null where it refuses a flow for its indentation, which is read here on purpose. */
function reference(text: string): readonly unknown[] | null {
  try {
    return loadAll(text, { schema: CORE_SCHEMA.withTags(mergeTag) });
  } catch (error) {
    if (error instanceof YAMLException && error.reason === 'deficient indentation') return null;
    throw error;
  }
}
