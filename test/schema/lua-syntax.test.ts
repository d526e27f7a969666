import { describe, expect, it } from 'vitest';
import { luaSyntaxProblem } from '../../src/schema/lua/syntax.ts';

describe('Lua syntax', () => {
  it.each([
    '',
    ';',
    'return',
    'return 1;',
    'kong.response.set_header("a", "b")',
    'local a = {1, 2, [3] = 4, x = 5;}; for i, v in ipairs(a) do print(i, v) end',
    'a.b:c "x" [[y]]',
    'f{a = 1}.b[1]:c()',
    'if a then b() elseif c then d() else e() end',
    'while true do break end',
    'repeat local x = 1 until x == 1',
    'return function(...) local n = select("#", ...) return -n * 2 ^ 3 .. "x" end',
    "-- short\n--[==[ long ]] ]==] return 'a\\'b'",
    'a, b.c = 1, 2',
    'goto out ::out::',
    'local function f(a, ...) end function m.n:o() end',
    'x = 0xffULL + 1e3 + .5',
    'local é = 1',
  ])('takes %j', (source) => {
    expect(luaSyntaxProblem(source)).toBeNull();
  });

  it.each([
    ['return ((', 1],
    ['\n\nx = = 1', 3],
    ['f() = 1', 1],
    ['a', 1],
    ['if x', 1],
    ['local s = "abc\n"', 1],
    ['--[[ never closed', 1],
    ['return 1 2', 1],
    ['end', 1],
    ['x = 3x', 1],
    ['x = @', 1],
    ['function f() return 1', 1],
    ['local t <const> = 1', 1],
  ])('refuses %j at line %d', (source, line) => {
    expect(luaSyntaxProblem(source)).toMatch(new RegExp(`^line ${line}: `));
  });

  it('names nothing of the source', () => {
    expect(luaSyntaxProblem('local token = sk_live_secret sk_other')).not.toMatch(/sk_/);
  });

  it('does not follow source that nests without end', () => {
    expect(luaSyntaxProblem(`return ${'('.repeat(5000)}`)).toMatch(/nests too deep/);
  });
});
