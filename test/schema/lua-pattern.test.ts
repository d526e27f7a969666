import { describe, expect, it } from 'vitest';
import { LuaPatternError, luaMatches } from '../../src/schema/lua/pattern.ts';

describe('Lua patterns', () => {
  it.each([
    ['GET', '^%u+$', true],
    ['get', '^%u+$', false],
    ['a-b2', '^[a-z][a-z%d-]-[a-z%d]+$', true],
    ['a_b', '^[a-z][a-z%d-]-[a-z%d]+$', false],
    ['*.example.test', '^[^*]*%*?[^*]*$', true],
    ['*.*', '^[^*]*%*?[^*]*$', false],
    ['example.*', '%.%*$', true],
    ['x: y', '^[^:]+:.*$', true],
    ['nocolon', '^[^:]+:.*$', false],
    ['a$b', 'a$b', true],
    ['a.b', 'a%.b', true],
    ['axb', 'a%.b', false],
    ['x(a(b)c)y', '%b()y', true],
    ['x(a(b)c', '%b()', true],
    ['x)a', '%b()', false],
    ['THE (quick) fox', '%f[%a]%a+%f[%A]', true],
    ['12', '%f[%a]', false],
    ['abab', '^(ab)%1$', true],
    ['abba', '^(ab)%1$', false],
    ['aXb', '^a()X()b$', true],
    ['aaa', '^a-$', true],
    ['', '^$', true],
    [']', '^[]]$', true],
    ['-', '^[a%-z]$', true],
    ['m', '^[a%-z]$', false],
    ['m', '^[a-z]$', true],
    ['a\nb', '^a%sb$', true],
    ['é', '^..$', true],
    ['é', '^%a+$', false],
    ['\u0007', '^%c$', true],
    ['f0', '^%x+$', true],
    ['!?', '^%p+$', true],
    ['aé', '^[^%a]', false],
  ])('%j by %s: %s', (text, pattern, expected) => {
    expect(luaMatches(text, pattern)).toBe(expected);
  });

  it.each(['%', '[a', '(', ')', '%1', '%b(', '%fa'])('says that %s is malformed', (pattern) => {
    expect(() => luaMatches('(abc', pattern)).toThrow(LuaPatternError);
  });

  it('gives up on a pattern that would run for ever', () => {
    expect(() => luaMatches('a'.repeat(60), `^${'a-'.repeat(30)}b$`)).toThrow(LuaPatternError);
  });
});
