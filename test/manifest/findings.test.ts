import { describe, expect, it } from 'vitest';
import { parseFile } from '../../src/manifest/parse.ts';
import { findings, found, parse } from './support.ts';

describe('what is wrong with YAML', () => {
  it.each([
    ['a second colon', 'a: b: c\n', 'yaml-syntax 1:5-1:6'],
    ['an unclosed list', 'a: [1, 2\n', 'yaml-syntax 1:8-1:9'],
    ['an unclosed quote', 'a: "x\n', 'yaml-syntax 1:5-1:6'],
    ['a bad escape', 'a: "\\q"\n', 'yaml-syntax 1:6-1:7'],
    ['a dash out of line', 'a:\n  - 1\n - 2\n', 'yaml-syntax 3:2-3:3'],
    ['a key without a colon', 'a: 1\nb\n', 'yaml-syntax 2:1-2:2'],
    ['a tab before a key', 'a:\n\tb: 1\n', 'yaml-tab 2:1-2:2'],
    ['a tab after blanks', 'a:\n  b: 1\n \tc: 2\n', 'yaml-tab 3:2-3:3'],
    ['an unknown tag', 'a: !vault x\n', 'yaml-tag 1:4-1:10'],
    ['a binary', 'a: !!binary aGk=\n', 'yaml-tag 1:4-1:12'],
    ['a tag on a list', 'a: !!set [x]\n', 'yaml-tag 1:4-1:9'],
    ['a value that does not fit its tag', 'a: !!int x\n', 'yaml-tag 1:4-1:9'],
    ['an unknown alias', 'a: *b\n', 'yaml-alias 1:4-1:6'],
    ['an alias of another document', 'a: &x 1\n---\nb: *x\n', 'yaml-alias 3:4-3:6'],
    ['a circle', 'a: &x\n  b: [*x]\n', 'yaml-alias 2:7-2:9'],
    ['a null key', '~: 1\n', 'yaml-key 1:1-1:2'],
    ['an empty key', 'a:\n  : 1\n', 'yaml-key 2:3-2:4'],
    ['a list as key', '? [a]\n: 1\n', 'yaml-key 1:3-1:6'],
    ['an unsafe integer', 'a: 9007199254740993\n', 'yaml-number-precision 1:4-1:20'],
    ['an unsafe hexadecimal', 'a: 0xFFFFFFFFFFFFFFFF\n', 'yaml-number-precision 1:4-1:22'],
    ['too many digits', 'a: 0.12345678901234567891\n', 'yaml-number-precision 1:4-1:26'],
    ['a number too small', 'a: 1e-400\n', 'yaml-number-precision 1:4-1:10'],
    ['a number too large', 'a: 1e400\n', 'yaml-number-range 1:4-1:9'],
    ['infinity', 'a: -.inf\n', 'yaml-number-range 1:4-1:9'],
    ['no number', 'a: [.NaN]\n', 'yaml-number-range 1:5-1:9'],
    ['a leading zero', 'a: 0123\n', 'yaml-leading-zero 1:4-1:8'],
    ['half a surrogate pair', 'a: "\\ud800"\n', 'yaml-escape 1:4-1:12'],
    ['a control character', 'a: x\u0007y\n', 'yaml-control-character 1:5-1:6'],
    ['a control character in a comment', 'a: 1 # \u001b[0m\n', 'yaml-control-character 1:8-1:9'],
    ['a wrong YAML version', '%YAML 2.0\n---\na: 1\n', 'yaml-syntax 2:1-2:2'],
    [
      'a Git LFS pointer',
      'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n',
      'git-lfs-pointer 1:1-1:43',
    ],
  ])('%s', (_, text, expected) => {
    expect(findings(text)).toEqual([expected]);
  });

  it.each([
    'a: 9007199254740991',
    'a: 0.30000000000000004',
    'a: 3.10',
    'a: 1.50000000000000000000',
    'a: 1e20',
    'a: 100000000000000000000.0e-5',
    'a: 10.0.0.1',
    'a: 1e3e4',
    'a: 0',
    'a: -0',
    'a: 0.0',
    'a: 0000-00-00',
    'a: "0123"',
    'a: !!str 9007199254740993',
    'a: "<<<<<<< HEAD"',
    '- - - -',
    'k: |\n  <<<<<<< x\n',
    'a: +',
    'a: .',
    'a: ...x',
  ])('finds nothing in %s', (text) => {
    expect(findings(text)).toEqual([]);
  });

  it('names every key that is written twice, with both places', () => {
    const { diagnostics } = parse('a: 1\nb: {c: 1, "c": 2}\na: 3\n');
    expect(diagnostics.map(({ locations }) => locations.map(({ line, column }) => [line, column]))).toEqual([
      [
        [2, 11],
        [2, 5],
      ],
      [
        [3, 1],
        [1, 1],
      ],
    ]);
    expect(diagnostics[1]?.message).toBe('The key `a` is already in this mapping, in line 1.');
  });

  it('names all markers of a conflict', () => {
    const { documents, diagnostics } = parse('a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n');
    expect(documents).toEqual([]);
    expect(diagnostics[0]?.rule).toBe('merge-conflict');
    expect(diagnostics[0]?.locations.map(({ line }) => line)).toEqual([2, 6]);
  });

  it('gives no more findings than the limit, and says so', () => {
    const { diagnostics } = parse('a: 1\n'.repeat(50), { findingsPerFile: 5 });
    expect(diagnostics).toHaveLength(6);
    expect(diagnostics[5]?.message).toContain('more than 5 findings');
  });

  it('never shows what stands in the file', () => {
    const secret = 'Sup3rS3cret';
    const texts = [
      `a: *${secret}`,
      `a: !${secret} x`,
      `a: !h!${secret} x`,
      `a: &${secret} &b x`,
      `a: "${secret}\\q"`,
      `a: ${secret}: x`,
      `a: !!int ${secret}`,
      `%YAML ${secret}\n---\n`,
      `a: @${secret}`,
      `a: |${secret}`,
      `a: [${secret}`,
      `? [${secret}]\n: 1`,
      `a: {<<: ${secret}}`,
      `\t${secret}: 1`,
      `<<<<<<< ${secret}\n`,
      `%TAG !${secret} x\n---\n`,
      `a: \`${secret}`,
      `a: 'x' ${secret}`,
    ];
    for (const text of texts) {
      const { diagnostics } = parse(text);
      expect([text, diagnostics.length]).toEqual([text, 1]);
      expect(JSON.stringify(diagnostics)).not.toContain(secret);
    }
  });

  it('tells of a template where one breaks the file', () => {
    const { diagnostics } = parse(`a: [\${{ other }}]\n`);
    expect(diagnostics[0]?.hint).toContain('template expression');
  });
});

describe('bytes that are no text', () => {
  const of = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
  const check = (data: Uint8Array) => found(parseFile('a.yaml', data).diagnostics);

  it('points at the byte that is not UTF-8', () => {
    expect(check(of('a: ü\nb: x', [0xe9], 'y\n'))).toEqual(['file-encoding 2:5-2:6']);
    expect(check(of('a: 😀', [0xc0, 0x80]))).toEqual(['file-encoding 1:6-1:7']);
    expect(check(of('a: ', [0xed, 0xa0, 0x80]))).toEqual(['file-encoding 1:4-1:5']);
    expect(check(of('a: ', [0xf4, 0x90, 0x80, 0x80]))).toEqual(['file-encoding 1:4-1:5']);
    expect(check(of('a: ', [0xe2, 0x82]))).toEqual(['file-encoding 1:4-1:5']);
    expect(check(of('a: ', [0xf0, 0x82, 0x82, 0xac]))).toEqual(['file-encoding 1:4-1:5']);
  });

  it('names UTF-16 and UTF-32', () => {
    const wide = Buffer.from('a: 1\n', 'utf16le');
    for (const data of [of([0xff, 0xfe], [...wide]), of([0xfe, 0xff], [...Buffer.from(wide).swap16()]), wide]) {
      expect(check(data)).toEqual(['file-encoding 1:1-1:1']);
      expect(parseFile('a.yaml', data).diagnostics[0]?.message).toContain('UTF-16');
    }
    expect(parseFile('a.yaml', of([0xff, 0xfe, 0, 0, 97, 0, 0, 0])).diagnostics[0]?.message).toContain('UTF-32');
  });

  it('points at a NUL byte', () => {
    expect(check(of('a: 1\nb: ', [0], 'x'))).toEqual(['file-encoding 2:4-2:5']);
    expect(check(of([0x89], 'PNG', [0, 1, 2]))).toEqual(['file-encoding 1:5-1:6']);
  });

  it('reports a file that is too large without reading it', () => {
    const { documents, diagnostics } = parse('a: 1\nb: 2\n', { fileBytes: 9 });
    expect(documents).toEqual([]);
    expect(found(diagnostics)).toEqual(['file-too-large 1:1-1:1']);
  });
});
