import { describe, expect, it } from 'vitest';
import { flattenFlows } from '../../src/manifest/flow-layout.ts';
import { findings, only, shown } from './support.ts';

describe('lists and mappings in brackets over several lines', () => {
  it.each<[string, unknown]>([
    ['a: [\n  1,\n  2\n]\nb: 3\n', { a: [1, 2], b: 3 }],
    ['a: {\n  b: 1, # c }\n  "c": [ # ]\n  ]\n}\n', { a: { b: 1, c: [] } }],
    [
      '- x:\n  - y: [\n  1\n  ]\n    z: |\n      [\n      - {\n\n    w: 1\n',
      [{ x: [{ y: [1], z: '[\n- {\n', w: 1 }] }],
    ],
    ['a: {\r\n"b":\r\n1\r\n,\r\n"c": "it\'s # }"\r\n}\r\n', { a: { b: 1, c: "it's # }" } }],
    ["a: [\nit's, x'y, 'q''q ]'\n]\n", { a: ["it's", "x'y", "q'q ]"] }],
    ['a: &x [\n1\n]\nb: !!seq [\n*x\n]\n', { a: [1], b: [[1]] }],
    ['k: >-\n  [ folded\n  # text\n\n"q [": [\n1\n]\n', { k: '[ folded # text', 'q [': [1] }],
    ['a: {\n  b: two\n    words\n}\n', { a: { b: 'two words' } }],
  ])('may end below their key: %j', (text, value) => {
    expect(only(text).value).toEqual(value);
  });

  it('keep their places', () => {
    const document = only('a: [\n  1, # one\n  {b: 2}\n]\nc: 3\n');
    expect(shown(document.at(['a']))).toBe('1:4-4:2');
    expect(shown(document.at(['a', 1, 'b']))).toBe('3:7-3:8');
    expect(shown(document.at(['c']))).toBe('5:4-5:5');
  });

  it('are still refused where something else is wrong, at its place', () => {
    expect(findings('a: [\n1\n]\nb: [\n2 3: 4\n]\nc: d: e\n')).toEqual(['yaml-syntax 7:5-7:6']);
    expect(findings('a: [\n1\nb: 2\n')).toEqual(['yaml-syntax 3:1-3:2']);
    expect(findings('a: "x\ny"\n')).toEqual(['yaml-syntax 2:1-2:2']);
  });

  it('end whatever the text', () => {
    for (const text of ['[', '{"', "['", 'a: |', 'a: >\n', '"', '- [\n#', ': ? - &', '[\r', 'x # [\n', '!']) {
      expect(flattenFlows(text)?.length ?? text.length).toBe(text.length);
    }
  });
});
