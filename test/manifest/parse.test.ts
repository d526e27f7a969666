import { describe, expect, it } from 'vitest';
import { findings, only, parse } from './support.ts';

const values = (text: string) => parse(text).documents.map((document) => document.value);

describe('documents of a file', () => {
  it.each([
    ['an empty file', ''],
    ['white space', ' \n\n'],
    ['comments only', '# nothing\n# here\n'],
    ['a marker only', '---\n'],
    ['null documents', '---\n~\n---\nnull\n...\n'],
  ])('finds none in %s', (_, text) => {
    expect(parse(text)).toEqual({ documents: [], diagnostics: [], template: null });
  });

  it('keeps the place of each document among all', () => {
    const { documents } = parse('---\n---\na: 1\n---\n# x\n---\nb: 2\n---\n');
    expect(documents.map(({ index, value }) => [index, value])).toEqual([
      [1, { a: 1 }],
      [3, { b: 2 }],
    ]);
  });

  it('reads JSON, with tabs, escapes and no blanks after colons', () => {
    expect(values('{\n\t"a":[1,2.5,-3e2,true,null],\n\t"b":{"c":"\\u00e9\\ud83d\\ude00\\/"}\n}')).toEqual([
      { a: [1, 2.5, -300, true, null], b: { c: 'é😀/' } },
    ]);
  });

  it('follows YAML 1.2: yes, on and dates are texts, octal is 0o', () => {
    expect(only('[yes, on, n, 2001-01-01, 0o17, 0x1F, 1_000, True, ~, "~", 1:30]').value).toEqual([
      'yes',
      'on',
      'n',
      '2001-01-01',
      15,
      31,
      '1_000',
      true,
      null,
      '~',
      '1:30',
    ]);
  });

  it('takes a byte order mark and any line ends', () => {
    expect(values('\uFEFFa: 1\r\nb: |\r\n  x\r\n  y\r\n')).toEqual([{ a: 1, b: 'x\ny\n' }]);
    expect(values('a: 1\rb: 2\r')).toEqual([{ a: 1, b: 2 }]);
  });

  it('reads standard tags', () => {
    expect(
      only('a: !!str 1\nb: !!int "2"\nc: !!float 1\nd: !!seq\ne: !!map\nf: ! 5\ng: !!null ""\nh: !!str\n').value,
    ).toEqual({
      a: '1',
      b: 2,
      c: 1,
      d: [],
      e: {},
      f: '5',
      g: null,
      h: '',
    });
    expect(only('%TAG !y! tag:yaml.org,2002:\n---\na: !y!str 1\nb: !<tag:yaml.org,2002:str> 2\n').value).toEqual({
      a: '1',
      b: '2',
    });
  });

  it('makes keys texts as they were written', () => {
    expect(only('200: a\n1.10: b\ntrue: c\n0x10: d\n12345678901234567890: e\n').value).toEqual({
      200: 'a',
      '1.10': 'b',
      true: 'c',
      '0x10': 'd',
      '12345678901234567890': 'e',
    });
  });

  it('makes __proto__ an ordinary key', () => {
    const { value } = only('__proto__: {polluted: 1}\na: 1\n');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'a']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('merges', () => {
  const text = 'base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\n';

  it('lets written keys win, wherever they stand, and earlier sources over later ones', () => {
    expect(
      only(`${text}a: {<<: *b, x: 9}\nb: {x: 9, <<: *b}\nc: {<<: [*b, *m]}\nd: {<<: *b, <<: *m}\n`).value,
    ).toMatchObject({
      a: { x: 9, y: 2 },
      b: { x: 9, y: 2 },
      c: { x: 1, y: 2, z: 4 },
      d: { x: 1, y: 2, z: 4 },
    });
  });

  it('takes a quoted << for a key', () => {
    expect(only('a: {"<<": 1}').value).toEqual({ a: { '<<': 1 } });
  });

  it('still reports a key that is written twice', () => {
    expect(findings(`${text}a:\n  <<: *b\n  x: 1\n  x: 2\n`)).toEqual(['yaml-duplicate-key 6:3-6:4']);
  });

  it.each(['a: {<<: 1}', 'a: {<<: }', 'a: {<<: [{b: 1}, 2]}'])('refuses anything but mappings: %s', (text) => {
    expect(findings(text)).toEqual(['yaml-merge 1:5-1:7']);
  });
});

describe('after a syntax error', () => {
  it('keeps the documents before it and nothing after it', () => {
    const { documents, diagnostics } = parse('a: 1\n---\nb: 2\n---\nc: [\n---\nd: 4\n');
    expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(diagnostics).toHaveLength(1);
  });

  it('is not misled by dashes that are no marker', () => {
    expect(values('a: |\n  x\n  ---\n  y\n---\nb: [\n')).toEqual([{ a: 'x\n---\ny\n' }]);
    expect(values('a: 1\n---b\n---\nc: [')).toEqual([]);
  });

  it('leaves out a document with an error and keeps its neighbours', () => {
    const { documents, diagnostics } = parse('a: 1\n---\nb: 1\nb: 2\n---\nc: 3\n');
    expect(documents.map(({ index }) => index)).toEqual([0, 2]);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['yaml-duplicate-key']);
  });

  it('keeps a document that has only warnings', () => {
    const { documents, diagnostics } = parse('mode: 0644\n');
    expect(documents).toHaveLength(1);
    expect(diagnostics.map(({ rule, severity }) => [rule, severity])).toEqual([['yaml-leading-zero', 'warning']]);
  });
});
