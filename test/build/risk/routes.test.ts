import { describe, expect, test } from 'vitest';
import { routerOf } from '../../../src/build/risk/router/router.ts';
import { samplesOf } from '../../../src/build/risk/router/samples.ts';
import { routeMatch } from '../../../src/rules/routes/route-match.ts';
import { loadSchemas } from '../../../src/schema/bundled.ts';
import { notesOf, shop, stateOfText, wordsOf } from './support.ts';

const expressions = await loadSchemas({ version: '3.9', edition: 'oss', router: 'expressions' });
const traditional = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional' });

/** Codes with what is said of the requests, as short as can be. */
function moves(base: string, head: string, schemas = expressions): readonly string[] {
  return wordsOf(notesOf(shop(base), shop(head), { schemas })).map((line) => line.replaceAll(' (service "shop")', ''));
}

const plain = (base: string, head: string) => moves(base, head, traditional);

describe('sample requests', () => {
  test('of a route that is removed end nowhere', () => {
    expect(plain('{ name: a, hosts: [a.test], paths: [/a], protocols: [https] }', '{ name: b, paths: [/b] }')).toEqual([
      'warning route-removed: The route "a" is removed, and nothing takes its requests: GET https://a.test/a and GET https://a.test/a/any: route "a" → no route.',
    ]);
  });

  test('of a route that is renamed go to the new one', () => {
    expect(plain('{ name: a, paths: [/a], protocols: [http] }', '{ name: b, paths: [/a], protocols: [http] }')).toEqual(
      [
        'notice route-moved: Requests that the route "a" took go elsewhere, since it is removed: GET /a (any host) and GET /a/any (any host): route "a" → route "b".',
      ],
    );
  });

  test('find that a route takes less than before', () => {
    const [note, ...others] = plain('{ name: a, paths: [/a] }', '{ name: a, paths: ["~/a$"], methods: [GET] }');
    expect(others).toEqual([]);
    expect(note).toMatch(/^danger route-unmatched: .*GET \/a\/any \(any host\), POST \/a \(any host\)/);
  });

  test.each([
    ['a host', 'hosts: [a.test]'],
    ['a header', 'headers: { x-version: ["2"] }'],
    ['an SNI', 'snis: [a.test]'],
  ])('find that a route asks for %s now', (_, more) => {
    const notes = plain('{ name: a, paths: [/a] }', `{ name: a, paths: [/a], ${more} }`);
    expect(notes.map((note) => note.split(':')[0])).toEqual(['danger route-unmatched']);
  });

  test('find that plain HTTP is refused', () => {
    expect(plain('{ name: a, paths: [/a] }', '{ name: a, paths: [/a], protocols: [https] }')).toEqual([
      'danger route-unmatched: The route "a" no longer takes requests that it took, and nothing else does: GET /a (any host) and GET /a/any (any host): route "a" → 426, by route "a".',
    ]);
  });

  test.each([
    ['a longer path', '{ name: n, paths: [/a/b], protocols: [http] }', 'GET /a/b (any host)'],
    ['a host', '{ name: n, hosts: [n.test], protocols: [http], paths: [/a] }', 'GET n.test/a'],
    ['a wildcard', '{ name: n, hosts: ["*.n.test"], protocols: [http], paths: [/a] }', 'GET any.n.test/a'],
    ['a regular expression', "{ name: n, paths: ['~/a/\\d+$'], protocols: [http] }", 'GET /a/1 (any host)'],
    ['a header', '{ name: n, headers: { x-canary: ["1"] }, protocols: [http] }', 'GET /a (any host) with x-canary: 1'],
    ['a method', '{ name: n, paths: [/a], methods: [PATCH], protocols: [http] }', 'PATCH /a (any host)'],
  ])('find what a new route takes from another one by %s', (_, route, request) => {
    const notes = plain('{ name: a, paths: [/a] }', `{ name: a, paths: [/a] }, ${route}`);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(`notice route-moved: Requests that the route "a" took go elsewhere: ${request}`);
    expect(notes[0]).toContain('route "a" → route "n"');
  });

  test('find none where a new route comes after the old one', () => {
    expect(plain('{ name: b, paths: [/a] }', '{ name: b, paths: [/a] }, { name: a, paths: [/a] }')).toEqual([]);
    expect(plain('{ name: b, paths: [/a] }', '{ name: b, paths: [/a] }, { name: n, paths: [/] }')).toEqual([]);
  });

  test('find that requests reach another service', () => {
    const file = (service: string) =>
      `services: [{ name: s, host: s.test }, { name: t, host: t.test }]\nroutes: [{ name: a, paths: [/a], service: { name: ${service} } }]`;
    const [note] = wordsOf(notesOf(file('s'), file('t')));
    expect(note).toMatch(/^warning route-moved: .*route "a" \(service "s"\) → route "a" \(service "t"\)/);
  });

  test('find that a service is switched off', () => {
    const off = shop('{ name: a, paths: [/a] }').replace('host: shop.internal', 'host: shop.internal, enabled: false');
    expect(notesOf(shop('{ name: a, paths: [/a] }'), off).map(({ code }) => code)).toEqual(['route-unmatched']);
  });

  test('find what of a protected route goes to an open one', () => {
    const base = shop('{ name: all, paths: [/], plugins: [{ name: key-auth }] }');
    const head = shop('{ name: all, paths: [/], plugins: [{ name: key-auth }] }, { name: admin, paths: [/admin] }');
    expect(wordsOf(notesOf(base, head))[0]).toBe(
      'danger authentication-removed: Requests to the route "admin" (GET /admin (any host), which the route "all" took) no longer have to say who they are: key-auth is gone.',
    );
  });

  test('know the order of each router', () => {
    const [regex, header] = ["{ name: r, paths: ['~/a/b$'] }", '{ name: h, paths: [/a], headers: { x: [y] } }'];
    expect(plain(regex, `${regex}, ${header}`)).toHaveLength(1);
    const stream = (ports: string) => `{ name: t, protocols: [tcp], destinations: [${ports}] }`;
    expect(plain(stream('{ port: 1 }, { port: 2 }'), stream('{ port: 1 }'))[0]).toContain('TCP to port 2');
  });
});

describe('samples of a route', () => {
  test.each([
    '{ name: a, paths: [/a, /b/], hosts: [a.test, "*.b.test", "c.*", "d.test:8443"], methods: [POST, GET] }',
    "{ name: a, paths: ['~/a/(?<id>\\d+)/[a-z]{3}$', /b], headers: { x: [y, z] }, protocols: [https] }",
    '{ name: a, headers: { x: ["~*^v[0-9]+$"] } }',
    '{ name: a, snis: [a.test, b.test], protocols: [https] }',
    '{ name: a, snis: [a.test], protocols: [tls] }',
    '{ name: a, protocols: [tcp, udp], sources: [{ ip: 10.0.0.1 }], destinations: [{ port: 1 }, { port: 2 }] }',
    '{ name: a, protocols: [grpc, grpcs], paths: [/pkg.Service/] }',
  ])('are taken by it where it is alone: %s', (route) => {
    const state = stateOfText(shop(route), traditional);
    const [only] = state.entities.get('routes') ?? [];
    if (only === undefined) throw new Error('there is a route');
    for (const router of ['traditional', 'traditional_compatible', 'expressions'] as const) {
      const { take } = routerOf(state, router, () => true);
      const samples = samplesOf(routeMatch(only));
      expect(samples.length).toBeGreaterThan(0);
      for (const sample of samples) expect([sample, take(sample)?.route.name]).toEqual([sample, 'a']);
    }
  });
});

describe('expressions', () => {
  const route = (name: string, expression: string, priority = 0) =>
    `{ name: ${name}, expression: '${expression}', priority: ${priority} }`;

  test('are tried with requests made from them', () => {
    const base = route('a', 'http.host == "a.test" && (http.path ^= "/a" || http.path == "/b")');
    expect(moves(base, route('a', 'http.host == "a.test" && http.path ^= "/a"'))).toEqual([
      'danger route-unmatched: The route "a" no longer takes requests that it took, and nothing else does: GET a.test/b: route "a" → no route.',
    ]);
  });

  test('go by their priority', () => {
    const base = route('a', 'http.path ^= "/a"', 1);
    expect(moves(base, `${base}, ${route('n', 'http.path ^= "/a/n"')}`)).toEqual([]);
    expect(moves(base, `${base}, ${route('n', 'http.path ^= "/a/n"', 2)}`)[0]).toContain('GET /a/n (any host)');
  });

  test('that compare what sample requests do not have hold for those made from them', () => {
    const base = route('a', 'net.src.ip in 10.0.0.0/8 && lower(http.headers.x_team) == "red"');
    expect(moves(base, route('a', 'net.src.ip in 10.0.0.0/9'))[0]).toContain(
      'with x-team: red, net.src.ip in 10.0.0.0/8',
    );
  });

  test('that cannot be tried are told of when they change', () => {
    const mixed = 'http.path ^= "/a" && http.method == "GET" || http.method == "PUT"';
    expect(moves(route('a', mixed), route('a', mixed))).toEqual([]);
    expect(moves(route('a', 'http.path ^= "/a"'), route('a', mixed))).toContain(
      'notice route-not-tried: What the route "a" takes could not be tried: it matches in a way that is not understood here.',
    );
  });
});
