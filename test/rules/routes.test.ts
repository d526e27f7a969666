import { describe, expect, test } from 'vitest';
import { assemble } from '../../src/model/assemble.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { coversHost, coversPath } from '../../src/rules/routes/coverage.ts';
import { comparePrecedence, precedence } from '../../src/rules/routes/precedence.ts';
import { pathRegex } from '../../src/rules/routes/regex-sample.ts';
import { type RouteMatch, routeMatch } from '../../src/rules/routes/route-match.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { diagnosticsOf, noSchemas, written } from './support.ts';

const about = ['same-match', 'shadowed-route', 'regex-priority-tie'];

/** What the rules say of routes, each written on a line of its own and of a service of its own. */
function said(routes: { readonly [name: string]: JsonObject }, router: Schemas['router'] = 'traditional_compatible') {
  const raw = Object.entries(routes).map(([name, fields], index) =>
    written('routes', `r.yaml:${index + 1}`, { name, ...fields }),
  );
  return diagnosticsOf(raw, { schemas: { ...noSchemas, router } })
    .filter(({ rule }) => about.includes(rule))
    .map(({ rule, entities }) => `${rule} ${entities.map(({ name }) => name).join(' ')}`);
}

function match(fields: JsonObject): RouteMatch {
  const state = assemble([written('routes', 'r.yaml:1', { name: 'r', ...fields })], {
    workspace: null,
    selectTags: [],
  });
  const [route] = state.entities.get('routes') ?? [];
  if (route === undefined) throw new Error('there is no route');
  return routeMatch(route);
}

function host(text: string) {
  const [found] = match({ hosts: [text] }).hosts ?? [];
  if (found === undefined) throw new Error('there is no host');
  return found;
}

function path(text: string) {
  const [found] = match({ paths: [text] }).paths ?? [];
  if (found === undefined) throw new Error('there is no path');
  return found;
}

test.each([
  ['a.example.com', 'A.example.com', true],
  ['*.example.com', 'a.example.com', true],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', '*.b.example.com', true],
  ['*.b.example.com', '*.example.com', false],
  ['*.example.com', 'example.com', false],
  ['example.*', 'example.co.uk', true],
  ['*.example.com', 'example.*', false],
  ['a.example.com', 'a.example.com:8443', true],
  ['a.example.com:8443', 'a.example.com', false],
  ['a.example.com', 'b.example.com', false],
])('a host %s takes what %s takes: %s', (wide, narrow, expected) => {
  expect(coversHost(host(wide), host(narrow))).toBe(expected);
});

test.each([
  ['/a', '/a/b', true],
  ['/a', '/ab', true],
  ['/a/b', '/a', false],
  ['~/a', '/a/b', true],
  ['~/a/.*', '/a/b', true],
  ['~/a$', '/a/b', false],
  ['~/a/(?<id>\\d+)', '/a/1', false],
  ['/a', '~/a/\\d+$', true],
  ['~/a\\.b', '/a.b/c', true],
  ['~/a?', '/a/b', false],
  ['~/a|/b', '/a/b', false],
  ['~/a(.*)', '~/a/b/\\d+', true],
])('a path %s takes what %s takes: %s', (wide, narrow, expected) => {
  expect(coversPath(path(wide), path(narrow))).toBe(expected);
});

describe('of two routes, the one that is tried first', () => {
  const first = (a: JsonObject, b: JsonObject) => {
    const [one, other] = [match(a), match(b)];
    return comparePrecedence(precedence(one, one.paths?.[0] ?? null), precedence(other, other.paths?.[0] ?? null));
  };
  test.each<[string, { [field: string]: Json }, { [field: string]: Json }]>([
    ['matches by more', { paths: ['/a'], methods: ['GET'] }, { paths: ['/a/b/c'] }],
    ['has plain hosts only', { hosts: ['a.b'], paths: ['/'] }, { hosts: ['a.b', '*.c'], paths: ['/long'] }],
    ['has more headers', { headers: { a: ['1'], b: ['1'] } }, { headers: { a: ['1'] } }],
    ['is a regular expression', { paths: ['~/a'] }, { paths: ['/a/much/longer'] }],
    ['has the higher priority', { paths: ['~/a'], regex_priority: 1 }, { paths: ['~/a/b'] }],
    ['has the longer prefix', { paths: ['/ab'] }, { paths: ['/a'] }],
  ])('%s', (_why, a, b) => {
    expect(first(a, b)).toBeLessThan(0);
    expect(first(b, a)).toBeGreaterThan(0);
  });

  test('is not said where nothing decides', () => {
    expect(first({ paths: ['~/a'] }, { paths: ['~/b/c'] })).toBe(0);
    expect(first({ paths: ['/a'], regex_priority: 5 }, { paths: ['/b'] })).toBe(0);
  });
});

describe('a route that is never reached', () => {
  test('is behind a wider regular expression', () => {
    expect(said({ all: { paths: ['~/api'] }, one: { paths: ['/api/one'] } })).toEqual(['shadowed-route one all']);
    expect(said({ all: { paths: ['/api'] }, one: { paths: ['/api/one'] } })).toEqual([]);
  });

  test('is behind several routes together', () => {
    const routes = {
      east: { hosts: ['east.example.com'], paths: ['~/'] },
      west: { hosts: ['a.west.example.com', 'b.west.example.com'], paths: ['~/.*'] },
      both: { hosts: ['east.example.com', 'a.west.example.com'], paths: ['/a', '/b'] },
    };
    expect(said(routes)).toEqual(['shadowed-route both west']);
    expect(said({ ...routes, both: { ...routes.both, hosts: ['east.example.com', 'north.example.com'] } })).toEqual([]);
  });

  test('is reached by what the winner leaves out', () => {
    const winner = { paths: ['~/api'], methods: ['GET'], protocols: ['https'], headers: { 'X-T': ['a'] } };
    expect(said({ winner, loser: { ...winner, paths: ['/api/one'] } })).toEqual(['shadowed-route loser winner']);
    for (const more of [
      { methods: ['GET', 'PUT'] },
      { protocols: ['http', 'https'] },
      { headers: { 'x-t': ['a', 'b'] } },
      { headers: { 'x-t': ['a'], 'x-u': ['a'] } },
      { snis: ['a.example.com'] },
    ]) {
      expect(said({ winner, loser: { ...winner, paths: ['/api/one'], ...more } })).toEqual([]);
    }
  });

  test('may be behind an expression with a higher priority', () => {
    const expression = 'http.path ^= "/a"';
    expect(said({ low: { expression, priority: 1 }, high: { expression, priority: 2 } }, 'expressions')).toEqual([
      'shadowed-route low high',
    ]);
  });

  test('is none that matches by nothing, and no stream route', () => {
    expect(said({ a: {}, b: { paths: ['~/'] } })).toEqual([]);
    expect(
      said({
        a: { protocols: ['tcp'], sources: [{ ip: '10.0.0.0/8' }] },
        b: { protocols: ['tcp'], destinations: [{ port: 1 }] },
      }),
    ).toEqual([]);
  });
});

describe('one match of two routes', () => {
  test('is the same in any order and case', () => {
    const a = { hosts: ['A.b', 'c.d'], headers: { X: ['1', '2'] }, protocols: ['https', 'http'] };
    const b = { hosts: ['c.d', 'a.b'], headers: { x: ['2', '1'] } };
    expect(said({ a, b })).toEqual(['same-match b a']);
  });

  test('is not the same with another priority, or expression', () => {
    expect(said({ a: { paths: ['~/a'], regex_priority: 1 }, b: { paths: ['~/a'] } })).toEqual(['shadowed-route b a']);
    expect(said({ a: { expression: 'x' }, b: { expression: 'y' } }, 'expressions')).toEqual([]);
    expect(said({ a: { expression: 'x' }, b: { expression: 'x' } }, 'expressions')).toEqual(['same-match b a']);
  });

  test('of three is told once', () => {
    expect(said({ a: { paths: ['/x'] }, b: { paths: ['/x'] }, c: { paths: ['/x'] } })).toEqual(['same-match c b a']);
  });
});

describe('regular expressions that tie', () => {
  const tie = (one: string, other: string, more: JsonObject = {}) =>
    said({ one: { paths: [one] }, other: { paths: [other], ...more } });

  test('where one path fits both', () => {
    expect(tie('~/a/\\d+', '~/a/\\w+')).toEqual(['regex-priority-tie other one']);
    expect(tie('~/a/(x|y)', '~/a/[a-z]')).toEqual(['regex-priority-tie other one']);
    expect(tie('~/a/\\d+$', '~/a/[a-z]+$')).toEqual([]);
    expect(tie('~/a/\\d+', '~/b/\\d+')).toEqual([]);
  });

  test('not where something decides', () => {
    expect(tie('~/a/\\d+', '~/a/\\w+', { regex_priority: 1 })).toEqual([]);
    expect(tie('~/a/\\d+', '~/a/\\w+', { methods: ['GET'] })).toEqual([]);
    expect(tie('~/a/\\d+', '~/a/\\w+', { hosts: ['a.b'] })).toEqual([]);
  });

  test('is not looked for in what is not understood', () => {
    expect(tie('~/a/(?<!x)\\d', '~/a/\\d')).toEqual([]);
    expect(tie('~/a/[', '~/a/\\d')).toEqual([]);
  });
});

test.each(['/a/(?<id>\\d{2,4})/x?$', '/(?i)A', '/[^/]+/\\.json', '/(a|b)(c|d)*', '/(?P<n>.+)'])(
  'a path is made for %s that fits it',
  (pattern) => {
    const made = pathRegex(pattern);
    expect(made === null || made.test.test(made.sample)).toBe(true);
    expect(made).not.toBeNull();
  },
);
