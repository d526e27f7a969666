import { describe, expect, it } from 'vitest';
import { findings, only, parse, template } from './support.ts';

const rules = (text: string, limits = {}) => parse(text, limits).diagnostics.map(({ rule }) => rule);

describe('bombs', () => {
  it('counts what aliases stand for without writing it out', () => {
    let text = 'a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n';
    for (let level = 1; level < 40; level += 1) {
      text += `a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]\n`;
    }
    const { documents, diagnostics } = parse(text);
    expect(documents).toEqual([]);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['yaml-limit']);
    expect(diagnostics[0]?.locations[0]?.line).toBe(7);
  });

  it('counts a long text as often as it is named', () => {
    const text = `a: &a "${'x'.repeat(1000)}"\nb: [*a, *a, *a, *a]\n`;
    expect(findings(text, { expandedLength: 3000 })).toEqual(['yaml-limit 2:17-2:19']);
    expect(findings(text, { expandedLength: 6000 })).toEqual([]);
  });

  it('bounds the keys that merges copy', () => {
    const base = `base: &b {${Array.from({ length: 100 }, (_, index) => `k${index}: 1`).join(', ')}}\n`;
    const text = base + Array.from({ length: 50 }, (_, index) => `m${index}: {<<: *b}\n`).join('');
    expect(rules(text, { mergedKeys: 1000 })).toEqual(['yaml-limit']);
    expect(rules(text)).toEqual([]);
  });

  it('bounds aliases', () => {
    const text = `a: &a 1\nb: [${'*a, '.repeat(11)}]\n`;
    expect(rules(text, { aliases: 10 })).toEqual(['yaml-limit']);
    expect(rules(text, { aliases: 11 })).toEqual([]);
  });

  it('bounds the depth as written', () => {
    expect(rules('['.repeat(101) + ']'.repeat(101))).toEqual(['yaml-limit']);
    expect(rules('['.repeat(90) + ']'.repeat(90))).toEqual([]);
    expect(rules('['.repeat(1_000_000))).toEqual(['yaml-limit']);
    expect(rules('- '.repeat(1_000_000))).toEqual(['yaml-limit']);
  });

  it('bounds the depth that aliases add up to', () => {
    let text = 'a0: &a0 [x]\n';
    for (let level = 1; level < 200; level += 1) text += `a${level}: &a${level} [*a${level - 1}]\n`;
    expect(rules(text)).toEqual(['yaml-limit']);
  });

  it('bounds the values of a file before it is parsed', () => {
    expect(rules(`[${'[],'.repeat(3_000_000)}]`)).toEqual(['yaml-limit']);
    expect(rules('[1,1,1,1,1,1,1,1]', { valuesPerFile: 5 })).toEqual(['yaml-limit']);
  });

  it('bounds the documents of a file', () => {
    expect(rules('---\na: 1\n'.repeat(6), { documentsPerFile: 5 })).toEqual(['yaml-limit']);
    expect(parse('---\na: 1\n'.repeat(5), { documentsPerFile: 5 }).documents).toHaveLength(5);
  });

  it('goes through merges of merges once, however often they are named', () => {
    let text = `m0: &m0 {plain: ${template('DECK_A')}}\n`;
    for (let level = 1; level < 17; level += 1)
      text += `m${level}: &m${level} {<<: [*m${level - 1}, *m${level - 1}]}\n`;
    expect(only(text).form(['m16', 'plain'])).toEqual({ style: 'plain', indent: 0 });
    expect(only(text).form(['m16', 'other'])).toBeNull();
  });
});

describe('texts made to take long', () => {
  it.each([
    '&a\n',
    '!a\n',
    '- &a\n',
    'k: &a\n',
    '&a k: &a\n ',
    '? - ',
    '- ? ',
    '|\n',
    '>-\n  ',
    '!!map {',
    '\uFEFF---\n',
    '%TAG ! x\n',
    '"\\\n',
    'k: "\n\n',
    'k:\n\n\n',
    '\t\n',
    '- \n  - \n',
    template('DECK_A').slice(0, 9),
    template('DECK_A'),
    '# ',
    '\r',
    "'",
    '{a: ',
    '<<: *a\n',
    '*a : ',
    '-\n',
  ])('reads many of %j within moments', (piece) => {
    const text = piece.repeat(Math.ceil(300_000 / piece.length));
    const started = performance.now();
    parse(text);
    // Linear time takes milliseconds here; the bound only has to tell it from quadratic time on a busy machine.
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
