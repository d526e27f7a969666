import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonPath } from '../../src/model/json.ts';
import { toPointer } from '../../src/model/json.ts';
import { only, parse, shown, slice, sliceAt } from './support.ts';
import { YamlWriter } from './yaml-writer.ts';

describe('the place of a value and of its key', () => {
  it.each<[string, JsonPath, string, string]>([
    ['a: 1', ['a'], '1', 'a'],
    ['a: "x y"', ['a'], '"x y"', 'a'],
    ["'a b': 'it''s'", ['a b'], "'it''s'", "'a b'"],
    ['"a\\tb": 1', ['a\tb'], '1', '"a\\tb"'],
    ['a: !!str "q"', ['a'], '"q"', 'a'],
    ['a: &x !!str q # c', ['a'], 'q', 'a'],
    ['a: [1, {b: c}]', ['a'], '[1, {b: c}]', 'a'],
    ['a: [1, {b: c}]', ['a', 1], '{b: c}', '{b: c}'],
    ['a: [1, {b: c}]', ['a', 1, 'b'], 'c', 'b'],
    ['[a: 1, b]', [0], 'a: 1', 'a: 1'],
    ['a:\n  b: 1\n  c: 2\n\nd: 3', ['a'], 'b: 1\n  c: 2', 'a'],
    ['a:\n- 1\n- x: 2\n  y: 3 # c\n# d\nb: 1', ['a'], '- 1\n- x: 2\n  y: 3', 'a'],
    ['a:\n- 1\n- x: 2\n  y: 3', ['a', 1], 'x: 2\n  y: 3', 'x: 2\n  y: 3'],
    ['a: |\n  x\n  y\n\nb: 1', ['a'], '|\n  x\n  y', 'a'],
    ['a: !!str &x >-2 # | c\n    x\nb: 1', ['a'], '>-2 # | c\n    x', 'a'],
    ['a: |\nb: 1', ['a'], '|', 'a'],
    ['- |\n x\n- 1', [0], '|\n x', '|\n x'],
    ['a: one\n  two', ['a'], 'one\n  two', 'a'],
    ['a: "one\n  two"', ['a'], '"one\n  two"', 'a'],
    ['? a\n: b', ['a'], 'b', 'a'],
    ['? |\n  k\n: b', ['k\n'], 'b', '|\n  k'],
    ['a: {}\nb: []', ['b'], '[]', 'b'],
    ['a: { # }\n}', ['a'], '{ # }\n}', 'a'],
    ['a:\n- b: [ # ]\n  1, # c\n  2\n  ]\n  c: 3', ['a', 0, 'b'], '[ # ]\n  1, # c\n  2\n  ]', 'b'],
    ['a: [x, y, ]', ['a'], '[x, y, ]', 'a'],
    ['{"a":{"b":"c"}}', ['a', 'b'], '"c"', '"b"'],
    ['a: {b: , c}', ['a'], '{b: , c}', 'a'],
  ])('%j at %j', (text, path, value, key) => {
    expect(sliceAt(text, path)).toBe(value);
    expect(sliceAt(text, path, 'key')).toBe(key);
  });

  it('counts columns in UTF-16 units and leaves the byte order mark out', () => {
    const { documents } = parse('\uFEFFa: 1\r\nb: {😀: "é", c: 2}\r\n');
    expect(shown(documents[0]?.at(['a']) ?? never())).toBe('1:4-1:5');
    expect(shown(documents[0]?.at(['b', 'c']) ?? never())).toBe('2:17-2:18');
  });

  it('shows an empty value at its key, its tag, or its dash', () => {
    expect(sliceAt('a:\nb: 1', ['a'])).toBe('a');
    expect(sliceAt('a: {b, c: }', ['a', 'b'])).toBe('b');
    expect(sliceAt('a: !!null\nb: 1', ['a'])).toBe('!!null');
    expect(sliceAt('a: &x\nb: *x', ['a'])).toBe('&x');
    const document = only('- 1\n-\n- - x\n  -  # - c\n- k:\n-\n');
    expect([[1], [2, 1], [3, 'k'], [4]].map((path) => shown(document.at(path)))).toEqual([
      '2:1-2:2',
      '4:3-4:4',
      '5:3-5:4',
      '6:1-6:2',
    ]);
  });

  it('shows an alias where it stands, and what is in it where it was written', () => {
    const text = 'a: &x {p: 1}\nb: *x\nc: &y 2\nd: [*y]\n? *y\n: 3\n';
    expect(sliceAt(text, ['b'])).toBe('*x');
    expect(shown(only(text).at(['b', 'p']))).toBe('1:11-1:12');
    expect(shown(only(text).at(['b', 'p'], 'key'))).toBe('1:8-1:9');
    expect(sliceAt(text, ['d', 0])).toBe('*y');
    expect(sliceAt(text, ['2'], 'key')).toBe('*y');
  });

  it('shows a merged key at its mapping', () => {
    const text = 'a: &x {p: {q: 1}}\nb:\n  <<: *x\n  r: 2\n';
    for (const path of [
      ['b', 'p'],
      ['b', 'p', 'q'],
    ]) {
      expect(only(text).at(path)).toMatchObject({ line: 3, column: 3, pointer: toPointer(path) });
      expect(only(text).at(path, 'key')).toMatchObject({ line: 3, column: 3 });
    }
    expect(sliceAt(text, ['b', 'r'], 'key')).toBe('r');
  });

  it('shows a path that is not there at the nearest place that is', () => {
    const document = only('a:\n  b: [1]\n');
    expect(document.at(['a', 'c'])).toMatchObject({ line: 2, column: 3, pointer: '/a' });
    expect(document.at(['a', 'b', 5], 'key')).toMatchObject({ line: 2, column: 6, pointer: '/a/b' });
    expect(document.at(['a', 'b', 0, 'x'])).toMatchObject({ line: 2, column: 7, pointer: '/a/b/0' });
    expect(document.at([])).toMatchObject({ line: 1, column: 1, pointer: '' });
    expect(document.at([], 'key')).toMatchObject({ line: 1, column: 1 });
    expect(document.at(['a', 'b', -1])).toMatchObject({ pointer: '/a/b' });
    expect(document.at(['a', 'b', 'length'])).toMatchObject({ pointer: '/a/b' });
    expect(document.at(['constructor'])).toMatchObject({ pointer: '' });
  });

  it('finds its way in large lists and mappings', () => {
    const count = 500;
    const keys = Array.from({ length: count }, (_, index) => `"k${index}": [${index}]\n`).join('');
    const items = Array.from({ length: count }, (_, index) => `- ${index}\n`).join('');
    const [mapping, list] = [only(keys), only(items)];
    for (const index of [0, 23, 24, 25, 499]) {
      expect(shown(mapping.at([`k${index}`], 'key'))).toContain(`${index + 1}:1-`);
      expect(list.at([index]).line).toBe(index + 1);
    }
    expect(mapping.at(['k500']).pointer).toBe('');
    expect(list.at([500]).pointer).toBe('');
  });

  it('counts lines over all documents of a file', () => {
    const { documents } = parse('a: 1\n---\nb: 2\n...\n---\nc: 3\n');
    expect(documents.map((document) => document.at([]).line)).toEqual([1, 3, 6]);
  });
});

describe('any value in any style', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'word',
      'two words',
      'a: b',
      '- x',
      '#',
      "it's",
      '"',
      '\\',
      'true',
      '12',
      '',
      'l1\nl2\n',
      '| x',
      '🦊\u0301',
    ),
  );
  const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(text, fc.constantFrom('name', 'tags', '<<', '1')), tie('value'), { maxKeys: 4 }),
    ),
  }));

  it('is read back with every key and value at its place', () => {
    fc.assert(
      fc.property(json, fc.integer(), (value, seed) => {
        const writer = new YamlWriter(seed);
        writer.document(value);
        const { documents, diagnostics } = parse(writer.text);
        expect(diagnostics).toEqual([]);
        if (value === null) return;
        const [document] = documents;
        expect(document?.value).toEqual(value);
        for (const { path, key, value: place } of writer.written) {
          const location = document?.at(path) ?? never();
          const expected = place ?? key;
          if (expected !== null)
            expect([path, slice(writer.text, location)]).toEqual([path, writer.text.slice(...expected)]);
          expect(location.pointer).toBe(toPointer(path));
          if (key === null) continue;
          const keyPlace = slice(writer.text, document?.at(path, 'key') ?? never());
          expect([path, keyPlace]).toEqual([path, writer.text.slice(...key)]);
        }
      }),
      { numRuns: 15000 },
    );
  });

  it('is found in JSON, whose slices are the values', () => {
    const check = (
      document: { at: ReturnType<typeof only>['at'] },
      source: string,
      value: Json,
      path: JsonPath,
    ): void => {
      expect(JSON.parse(slice(source, document.at(path)))).toEqual(value);
      if (value === null || typeof value !== 'object') return;
      for (const [key, inner] of Object.entries(value)) {
        const step = Array.isArray(value) ? Number(key) : key;
        if (!Array.isArray(value)) expect(JSON.parse(slice(source, document.at([...path, step], 'key')))).toBe(key);
        check(document, source, inner as Json, [...path, step]);
      }
    };
    fc.assert(
      fc.property(json, fc.constantFrom('', ' ', '\t', '  '), (value, indent) => {
        if (value === null) return;
        const source = JSON.stringify(value, null, indent).replace(/[\u007f-\u009f]/g, ' ');
        const read = JSON.parse(source) as Json;
        const { documents, diagnostics } = parse(source, {}, 'a.json');
        expect(diagnostics).toEqual([]);
        const document = documents[0] ?? never();
        expect(document.value).toEqual(read);
        check(document, source, read, []);
      }),
      { numRuns: 150 },
    );
  });
});

function never(): never {
  throw new Error('no document');
}
