import { describe, expect, it } from 'vitest';
import { rustRegexProblem } from '../../src/schema/checks/regex.ts';
import { expressionProblem } from '../../src/schema/expression/check.ts';

describe('expressions that the router takes', () => {
  it.each([
    'http.path ^= "/orders"',
    '(http.path == "/a" || http.path =^ ".json") && http.method != "POST"',
    'lower(http.host) == "shop.example.com" && net.dst.port == 8443',
    'any(lower(http.headers.x_tenant)) ~ r#"^t-\\d+$"#',
    'http.queries.page contains "1"',
    'net.src.ip in 10.0.0.0/8 && net.dst.ip not in fd00::/8 && net.src.ip == ::1',
    '!(http.path ^= "/internal") && net.port >= 80',
    'http.path.segments.0 == "v1" && http.path.segments.1_2 == "a/b" && http.path.segments.len == 3',
    'http.path == "a \\" quote"\n&& tls.sni == "a.test"',
    'net.dst.port == 0x1f90',
  ])('%s', (expression) => {
    expect(expressionProblem(expression, false)).toBeNull();
  });
});

describe('expressions that it refuses', () => {
  it.each([
    ['', 'the name of a field is expected at the end'],
    ['http.path', 'an operator such as "==" or "^=" is expected at the end'],
    ['http.path = "/a"', 'at character 11 there is nothing that the language knows'],
    ['http.path == /a', 'at character 14 there is nothing'],
    ['http.path == "/a" and http.method == "GET"', '"&&", "||" or the end is expected at character 19'],
    ['(http.path == "/a"', '")" is expected at the end'],
    ['!http.path == "/a"', '"(" after "!" is expected'],
    ['http.path == "/a', 'a text is not closed'],
    ['http.path ~ r#"/a"', 'a raw text is not closed'],
    ['http.path == "\\d"', 'after "\\" stands none of'],
    ['http.pth == "/a"', 'compares "http.pth", which is no field of the router'],
    ['http.path.segments.a == "x"', 'which is no field'],
    ['upper(http.path) == "/A"', 'calls "upper"'],
    ['lower(net.dst.port) == 80', 'uses lower with "net.dst.port"'],
    ['net.dst.port == "80"', 'something else than a number'],
    ['http.path == 1', 'something else than a text in quotes'],
    ['net.src.ip == 10.0.0.0/8', 'something else than an address'],
    ['net.src.ip == 999.0.0.1', 'what is no address'],
    ['net.src.ip in 10.0.0.1', 'which needs a block of addresses'],
    ['http.path in "/a"', 'which only addresses can be'],
    ['net.dst.port ~ "8."', 'which only texts can be'],
    ['http.path ~ 8', 'which needs a text in quotes'],
    ['http.path ~ "/a("', 'is no regular expression'],
    ['http.path ~ "/a(?!b)"', 'looks ahead or behind'],
    ['http.path > "/a"', 'which only numbers can be'],
    ['net.dst.port ^= 80', 'which only texts can be'],
    [`${'('.repeat(200)}http.path == "/a"${')'.repeat(200)}`, 'it nests too deep'],
  ])('%s', (expression, message) => {
    expect(expressionProblem(expression, false)?.message).toContain(message);
  });

  it('fields of HTTP on a stream route', () => {
    expect(expressionProblem('tls.sni == "a.test" && net.dst.port == 9', true)).toBeNull();
    expect(expressionProblem('http.path == "/a"', true)?.message).toContain('routes of TCP, UDP and TLS do not have');
    expect(expressionProblem('http.host == "a"', false)).toBeNull();
    expect(expressionProblem('http.hots == "a"', false)?.hint).toBe('Did you mean "http.host"?');
  });
});

it.each([
  ['/a(?=b)', 'looks ahead or behind'],
  ['/(a)\\1', 'refers back'],
  ['/(?>a)', 'group of a kind'],
  ['/a\\Kb', 'has "\\K"'],
])('what Rust cannot match with: %s', (pattern, message) => {
  expect(rustRegexProblem(pattern)).toContain(message);
});

it.each(['/a\\\\1', '/[(?=]', '/(?<id>\\d+)', '/(?i)a', '/\\(?=', '/a(?:b|c)+?'])('what it can: %s', (pattern) => {
  expect(rustRegexProblem(pattern)).toBeNull();
});
