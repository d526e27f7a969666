import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../src/manifest/glob.ts';
import { ignorePatterns } from '../../src/manifest/ignore.ts';

describe('a glob', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['a.yaml', ['a.yaml'], ['b/a.yaml', 'aXyaml', 'A.yaml']],
    ['/a.yaml', ['a.yaml'], []],
    ['./a/*.yaml', ['a/b.yaml', 'a/.yaml'], ['a/b/c.yaml', 'a.yaml']],
    ['base/**', ['base/a.yaml', 'base/b/c.yaml'], ['base', 'bases/a.yaml', 'x/base/a.yaml']],
    ['base/', ['base/a.yaml', 'base/b/c.yaml'], ['base']],
    ['**/a.yaml', ['a.yaml', 'x/a.yaml', 'x/y/a.yaml'], ['xa.yaml']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/x', 'ab', 'a/b/c']],
    ['**', ['a', 'a/b'], []],
    ['**/**/**/x', ['x', 'a/x'], ['xx']],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['?.yaml', ['a.yaml'], ['.yaml', 'ab.yaml', '/.yaml']],
    ['[a-c]x[!0-9].json', ['ax_.json', 'cxy.json'], ['dx_.json', 'ax1.json']],
    ['[]]x', [']x'], ['[x']],
    ['[^a]', ['b'], ['a']],
    ['[a', ['[a'], ['a']],
    ['{a,b/c}.y{,a}ml', ['a.yaml', 'a.yml', 'b/c.yml'], ['b.yml', '{a,b/c}.yml']],
    ['{a,{b,c}}', ['a', 'b', 'c'], ['{a']],
    ['{a}', ['{a}'], ['a']],
    ['a{b', ['a{b'], []],
    ['\\*.yaml', ['*.yaml'], ['a.yaml']],
    ['\\{a,b\\}', ['{a,b}'], ['a']],
    ['*a*b*c', ['abc', 'xaxbxc', 'aabbcc'], ['acb', 'ab']],
    ['', [], ['a']],
  ])('%s', (pattern, fits, fails) => {
    const glob = compileGlob(pattern);
    for (const path of fits) expect([path, glob.matches(path)]).toEqual([path, true]);
    for (const path of fails) expect([path, glob.matches(path)]).toEqual([path, false]);
  });

  it('knows the folders that it could find something in', () => {
    const may = (pattern: string, folder: string) => compileGlob(pattern).mayMatchUnder(folder);
    expect(may('edge/**', 'edge')).toBe(true);
    expect(may('edge/**', 'edge/a/b')).toBe(true);
    expect(may('edge/*/x.yaml', 'edge/a')).toBe(true);
    expect(may('**/x.yaml', 'any/where')).toBe(true);
    expect(may('edge/**', 'base')).toBe(false);
    expect(may('edge/*.yaml', 'edge/a.yaml')).toBe(false);
    expect(may('x.yaml', 'x.yaml')).toBe(false);
  });

  it('takes no long time over patterns made to take long', () => {
    const started = performance.now();
    compileGlob(`${'*a'.repeat(100)}b`).matches('a'.repeat(5000));
    compileGlob(`${'**/'.repeat(100)}x`).matches('a/'.repeat(500));
    compileGlob('{a,b}'.repeat(40)).matches('ab'.repeat(20));
    compileGlob('{'.repeat(5000)).matches('a');
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('fits a path that is taken as it is', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab*?[]{},\\ -!.é'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (parts) => {
        const path = parts.join('/');
        const escaped = parts.map((part) => part.replace(/[*?[\]{},\\]/g, '\\$&')).join('/');
        fc.pre(!escaped.startsWith('./') && !path.endsWith('/'));
        expect(compileGlob(escaped).matches(path)).toBe(true);
      }),
    );
  });
});

describe('ignore patterns', () => {
  const ignored = (lines: readonly string[], paths: readonly string[]) => {
    const ignore = ignorePatterns(lines);
    return paths.filter((path) => ignore.ignores(path));
  };

  it('fit at any depth without a slash, and from the root with one', () => {
    expect(ignored(['x.yaml'], ['x.yaml', 'a/x.yaml', 'a/y.yaml'])).toEqual(['x.yaml', 'a/x.yaml']);
    expect(ignored(['/x.yaml'], ['x.yaml', 'a/x.yaml'])).toEqual(['x.yaml']);
    expect(ignored(['a/x.yaml'], ['a/x.yaml', 'b/a/x.yaml'])).toEqual(['a/x.yaml']);
  });

  it('leave out folders with all that is in them', () => {
    expect(ignored(['tmp'], ['tmp', 'tmp/a/b.yaml', 'a/tmp/c.yaml', 'tmp.yaml'])).toEqual([
      'tmp',
      'tmp/a/b.yaml',
      'a/tmp/c.yaml',
    ]);
    expect(ignored(['tmp/'], ['tmp', 'tmp/a.yaml'])).toEqual(['tmp/a.yaml']);
  });

  it('let the last that fits decide, but nothing out of a folder that is left out', () => {
    expect(ignored(['*.yaml', '!keep.yaml', 'a/keep.yaml'], ['x.yaml', 'keep.yaml', 'a/keep.yaml'])).toEqual([
      'x.yaml',
      'a/keep.yaml',
    ]);
    expect(ignored(['tmp/', '!tmp/keep.yaml'], ['tmp/keep.yaml'])).toEqual(['tmp/keep.yaml']);
    expect(ignored(['tmp/*', '!tmp/keep.yaml'], ['tmp/keep.yaml', 'tmp/x.yaml'])).toEqual(['tmp/x.yaml']);
  });

  it('take comments, empty lines, blanks at the end and escapes as gitignore does', () => {
    expect(
      ignored(
        ['# a', '', '   ', 'b  ', '\\#c', '\\!d', 'e\\ ', 'f\r', '/', '!'],
        ['# a', 'a', 'b', '#c', '!d', 'e ', 'f', 'g'],
      ),
    ).toEqual(['b', '#c', '!d', 'e ', 'f']);
  });
});
