import { describe, expect, it } from 'vitest';
import type { Document } from '../../src/manifest/document.ts';
import { resolveTemplates } from '../../src/manifest/templates.ts';
import { fileLocation } from '../../src/model/location.ts';
import { found, only, shown, template } from './support.ts';

const variables: { readonly [name: string]: string } = {
  DECK_TEXT: 'some text',
  DECK_INT: '10',
  DECK_BOOL: 'true',
  DECK_FLOAT: '1.5',
  DECK_EMPTY: '',
  DECK_NULL: 'null',
  DECK_HARD: 'a"b\'c: d #e\n%f',
  DECK_PEM: '-----BEGIN X-----\nAAAA\n-----END X-----\n',
  DECK_BIG: '12345678901234567890',
  DECK_HUGE: '1e999',
  DECK_ZERO: '0123',
  DECK_SPACED: '  8080\n',
  SECRET: 'hunter2',
};

function resolve(text: string) {
  const document = only(text);
  const resolved = resolveTemplates(document, (name) => variables[name]);
  return { ...resolved, value: resolved.document.value as Record<string, unknown>, original: document };
}

/** The value of `a: TEXT`, or the findings. */
function value(written: string): unknown {
  const { value: all, diagnostics } = resolve(`a: ${written}\n`);
  return diagnostics.length === 0 ? all['a'] : found(diagnostics);
}

const [text, int, bool, float] = ['DECK_TEXT', 'DECK_INT', 'DECK_BOOL', 'DECK_FLOAT'].map((name) => template(name));

describe('a value that is one expression', () => {
  it('reads by the rules of YAML where it is plain', () => {
    expect(
      ['DECK_TEXT', 'DECK_INT', 'DECK_BOOL', 'DECK_FLOAT', 'DECK_EMPTY', 'DECK_NULL', 'DECK_SPACED'].map((name) =>
        value(template(name)),
      ),
    ).toEqual(['some text', 10, true, 1.5, null, null, 8080]);
  });

  it('is a text in quotes and blocks', () => {
    expect([
      value(`"${int}"`),
      value(`'${bool}'`),
      value(`|-\n  ${float}`),
      value(`"${template('DECK_EMPTY')}"`),
    ]).toEqual(['10', 'true', '1.5', '']);
  });

  it('has the type that its function gives, even in quotes', () => {
    expect(value(`"${template('DECK_INT', 'toInt')}"`)).toBe(10);
    expect(value(`'${template('DECK_BOOL', 'toBool')}'`)).toBe(true);
    expect(value(template('DECK_FLOAT', 'toFloat'))).toBe(1.5);
    expect(value(`"${template('DECK_INT', 'toFloat')}"`)).toBe(10);
    expect(value(`"${template('DECK_SPACED', 'trim | toInt')}"`)).toBe(8080);
    expect(value(`"${template('DECK_INT', 'toBool')}"`)).toEqual(['template-conversion 1:4-1:36']);
  });

  it('holds whatever the variable holds: nothing can break the file', () => {
    const hard = variables['DECK_HARD'];
    expect(value(template('DECK_HARD'))).toBe(hard);
    expect(value(`"${template('DECK_HARD')}"`)).toBe(hard);
    expect(value(`x ${template('DECK_HARD')} y`)).toBe(`x ${hard} y`);
  });

  it('may be written with double quotes inside of double quotes, escaped or not, or with backticks', () => {
    expect(value(`"${text}"`)).toBe('some text');
    expect(value('"${'.concat('{ env \\"DECK_TEXT\\" }}"'))).toBe('some text');
    expect(value('$'.concat('{{env `DECK_TEXT`}}'))).toBe('some text');
    expect(value('"$'.concat('{{ (env "DECK_TEXT") | trim }}"'))).toBe('some text');
  });

  it('may stand in a list or mapping in brackets, and in JSON', () => {
    expect(value(`[${int}, {b: ${bool}, "c": "${text}"}]`)).toEqual([10, { b: true, c: 'some text' }]);
    expect(resolve(`{"a":"${text}","b":${template('DECK_INT', 'toInt')}}`).value).toEqual({ a: 'some text', b: 10 });
  });
});

describe('a value with expressions in it', () => {
  it('gets their texts', () => {
    expect(value(`/api/${text}/${int}`)).toBe('/api/some text/10');
    expect(value(`"${int}${int}"`)).toBe('1010');
    expect(value(`"n=${template('DECK_INT', 'toInt')}"`)).toBe('n=10');
  });

  it('reads by the rules of YAML as a whole where it is plain, as it does in decK', () => {
    expect(value(`${int}${int}`)).toBe(1010);
    expect(value(`1.${int}`)).toBe(1.1);
  });

  it('keeps lines within their block, whose indentation decK asks to be written out', () => {
    const pem = variables['DECK_PEM'] ?? '';
    expect(value(`|-\n    ${template('DECK_PEM', 'indent 4')}`)).toBe(pem);
    expect(value(`|-\n    ${template('DECK_PEM', 'indent 6')}`)).toBe(pem.replaceAll('\n', '\n  '));
    expect(value(`|-\n    ${template('DECK_PEM')}`)).toBe(pem);
    expect(value(`"${template('DECK_PEM', 'indent 8')}"`)).toBe(pem);
  });
});

describe('where expressions are found', () => {
  it('not in comments, and a document without any is given back', () => {
    const document = only(`# ${text}\na: 1 # ${text}\n`);
    expect(resolveTemplates(document, () => undefined)).toEqual({ document, diagnostics: [] });
    const untouched = resolve('a: 1\n');
    expect(untouched.document).toBe(untouched.original);
  });

  it('in keys, with their places', () => {
    const { document, value: all } = resolve(`m:\n  "${text}": ${int}\n  b: {x: ${bool}}\n`);
    expect(all).toEqual({ m: { 'some text': 10, b: { x: true } } });
    expect(shown(document.at(['m', 'some text'], 'key'))).toBe('2:3-2:27');
    expect(document.at(['m', 'some text'])).toMatchObject({
      line: 2,
      column: 29,
      pointer: `/m/\${{ env "DECK_TEXT" }}`,
    });
    expect(document.at(['m', 'b', 'x'])).toMatchObject({ line: 3, pointer: '/m/b/x' });
    expect(document.at(['m', 'other'])).toMatchObject({ line: 2, pointer: '/m' });
  });

  it('as a key they are texts', () => {
    expect(resolve(`${int}: 1\n`).value).toEqual({ 10: 1 });
    expect(resolve(`"${template('DECK_INT', 'toInt')}": 1\n`).value).toEqual({ 10: 1 });
  });

  it('behind aliases and merges, as they were written', () => {
    const { value: all } = resolve(`a: &a {n: ${int}, s: "${int}"}\nb: *a\nc:\n  <<: *a\n  t: &t ${bool}\nd: [*t]\n`);
    const expected = { n: 10, s: '10' };
    expect(all).toEqual({ a: expected, b: expected, c: { ...expected, t: true }, d: [true] });
  });

  it('and which values came from the environment is noted', () => {
    const { document } = resolve(`a: ${int}\nb: ["x ${text} ${int}", 1]\n"${text}/k": 1\n`);
    expect([...document.fromEnvironment]).toEqual([
      ['/a', 'DECK_INT'],
      ['/b/0', 'DECK_TEXT, DECK_INT'],
      ['/some text~1k', 'DECK_TEXT'],
    ]);
  });

  it('in documents of other makers too, whose texts count as quoted', () => {
    const document: Document = {
      file: 'x',
      index: 0,
      value: { a: int ?? '' },
      at: () => fileLocation('x'),
      fromEnvironment: new Map(),
    };
    expect(resolveTemplates(document, (name) => variables[name]).document.value).toEqual({ a: '10' });
  });
});

describe("Go's own functions of texts", () => {
  const goes = (inner: string) => resolve(`a: '$${'{{'} ${inner.replaceAll("'", "''")} }}'\n`);

  it.each([
    ['slice "abcdef" 1 3', 'bc'],
    ['slice "abcdef" 2', 'cdef'],
    ['slice "abcdef"', 'abcdef'],
    ['print (index "abc" 1)', '98'],
    ['html `<a href="x">\'&`', '&lt;a href=&#34;x&#34;&gt;&#39;&amp;'],
    ['env "DECK_INT" | html', '10'],
    ['js `a\'"<b>=c`', 'a\\\'\\"\\u003Cb\\u003E\\u003Dc'],
    ['printf "%s-%d" (slice "kong" 0 2) 3', 'ko-3'],
  ])('%s', (inner, expected) => {
    const { value, diagnostics } = goes(inner);
    expect(found(diagnostics)).toEqual([]);
    expect(value).toEqual({ a: expected });
  });

  it.each([
    'slice "abc" 2 1',
    'slice "abc" 1 9',
    'slice 3 1',
    'index "abc" 3',
    'index "abc"  -1',
    'slice "abcd" 0 1 2',
  ])('%s is refused, as Go does', (inner) => {
    expect(goes(inner).diagnostics.map(({ rule }) => rule)).toEqual(['template-syntax']);
  });
});

describe('what is wrong with an expression', () => {
  it.each([
    ['a variable that is not set', template('DECK_NONE'), 'template-variable'],
    ['a variable without the prefix', template('SECRET'), 'template-variable'],
    ['an unknown function', template('DECK_INT', 'upper'), 'template-function'],
    ['no number', `"${template('DECK_TEXT', 'toInt')}"`, 'template-conversion'],
    ['no truth value', `"${template('DECK_TEXT', 'toBool')}"`, 'template-conversion'],
    ['no decimal number', `"${template('DECK_HUGE', 'toFloat')}"`, 'template-conversion'],
    ['too large a number', `"${template('DECK_BIG', 'toInt')}"`, 'template-conversion'],
    ['indent without a number', template('DECK_TEXT', 'indent'), 'template-syntax'],
    ['a number too many', template('DECK_TEXT', 'indent 2 3'), 'template-syntax'],
    ['an argument too many', template('DECK_TEXT', 'toInt 3'), 'template-syntax'],
    ['another language', `"$${'{{'} .Values.x }}"`, 'template-syntax'],
    ['an end without a beginning', `"$${'{{'} end }}"`, 'template-syntax'],
    ['a beginning without an end', `"$${'{{'} if true }}"`, 'template-syntax'],
    ['a variable of nothing', `"$${'{{'} $x }}"`, 'template-syntax'],
    ['no end', `"$${'{{'} env DECK_INT"`, 'template-syntax'],
    ['a plain number that loses digits', template('DECK_BIG'), 'yaml-number-precision'],
    ['a plain number that is too large', template('DECK_HUGE'), 'yaml-number-range'],
    ['a plain number that loses its zero', template('DECK_ZERO'), 'yaml-leading-zero'],
  ])('%s', (_, written, rule) => {
    const { diagnostics } = resolve(`x: 1\na: ${written}\n`);
    expect(found(diagnostics)).toEqual([`${rule} 2:4-2:${4 + written.length}`]);
    for (const secret of Object.values(variables)) {
      if (secret.length > 4) expect(JSON.stringify(diagnostics)).not.toContain(secret);
    }
  });

  it('is all reported, and leaves the text as it was written', () => {
    const written = `${template('DECK_NONE')} ${template('SECRET')} ${text}`;
    const { value: all, diagnostics, document } = resolve(`a: "${written}"\nb: ${int}\n`);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'The environment variable `DECK_NONE` is not set.',
      'The variable `SECRET` cannot be used: names must begin with DECK_.',
    ]);
    expect(all).toEqual({ a: written, b: 10 });
    expect(document.fromEnvironment.has('/a')).toBe(false);
  });

  it('two keys that become one are both shown', () => {
    const { diagnostics } = resolve(`"${text}": 1\nsome text: 2\n`);
    expect(diagnostics.map(({ rule, locations }) => [rule, locations.map(({ line }) => line)])).toEqual([
      ['yaml-duplicate-key', [2, 1]],
    ]);
  });
});
