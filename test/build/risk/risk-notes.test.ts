import { describe, expect, test } from 'vitest';
import { riskSeverities } from '../../../src/build/risk/codes.ts';
import { riskNotes } from '../../../src/build/risk/risk-notes.ts';
import { certificate } from '../../support/pem.ts';
import { env, notesOf, schemas, shop, stateOfText, wordsOf } from './support.ts';

const rate = '{ name: rate-limiting, config: { minute: 5 } }';
const one = '{ name: a, paths: [/a] }';

/** What changes, from, to, and the notes about it. */
const cases: readonly (readonly [what: string, base: string, head: string, notes: readonly string[]])[] = [
  ['nothing', shop(one), shop(one), []],
  ['a new route', shop(one), shop(`${one}, { name: b, paths: [/b] }`), []],
  [
    'a rate limit for everything is dropped',
    shop(`${one}, { name: b, paths: [/b] }`, `plugins: [${rate}]`),
    shop(`${one}, { name: b, paths: [/b] }`),
    ['warning rate-limit-removed: Requests to 2 routes ("a" and "b") are no longer limited: rate-limiting is gone.'],
  ],
  [
    'authentication is switched off on the service',
    shop(one, 'plugins: [{ name: key-auth, service: shop }]'),
    shop(one, 'plugins: [{ name: key-auth, service: shop, enabled: false }]'),
    ['danger authentication-removed: Requests to the route "a" no longer have to say who they are: key-auth is gone.'],
  ],
  [
    'authentication moves from the service to the route',
    shop(one, 'plugins: [{ name: key-auth, service: shop }]'),
    shop(one, 'plugins: [{ name: key-auth, route: a }]'),
    [],
  ],
  [
    'authentication is another one',
    shop(one, 'plugins: [{ name: key-auth }, { name: basic-auth }]'),
    shop(one, 'plugins: [{ name: basic-auth }]'),
    [
      'notice authentication-changed: Requests to the route "a" have to say who they are in another way: key-auth is gone, basic-auth stays.',
    ],
  ],
  [
    'an anonymous consumer',
    shop(one, 'plugins: [{ name: key-auth }]\nconsumers: [{ username: guest }]'),
    shop(one, 'plugins: [{ name: key-auth, config: { anonymous: guest } }]\nconsumers: [{ username: guest }]'),
    [
      'danger authentication-optional: Requests to the route "a" pass without credentials: key-auth has an anonymous consumer that nothing stops.',
    ],
  ],
  [
    'an anonymous consumer whose requests end',
    shop(one, 'plugins: [{ name: key-auth }]\nconsumers: [{ username: guest }]'),
    shop(
      one,
      'plugins: [{ name: key-auth, config: { anonymous: guest } }, { name: jwt, config: { anonymous: guest } }]\nconsumers: [{ username: guest, plugins: [{ name: request-termination }] }]',
    ),
    [],
  ],
  [
    "a consumer's own limit",
    `consumers: [{ username: a, plugins: [${rate}] }]`,
    'consumers: [{ username: a }]',
    ['warning rate-limit-removed: The consumer "a" loses a limit of its own: rate-limiting is gone.'],
  ],
  [
    'an access list',
    shop(one, 'plugins: [{ name: acl, route: a, config: { allow: [x] } }]'),
    shop(one),
    ['warning restriction-removed: acl no longer stands before the route "a".'],
  ],
  [
    'a consumer with a credential',
    'consumers: [{ username: a, keyauth_credentials: [{ key: marker-key-1 }] }, { username: b }]',
    'consumers: [{ username: b }]',
    ['warning consumer-removed: 1 consumer is removed: "a", with 1 credential.'],
  ],
  [
    'a rotated key',
    'consumers: [{ username: a, keyauth_credentials: [{ key: marker-key-1 }] }]',
    'consumers: [{ username: a, keyauth_credentials: [{ key: marker-key-2 }] }]',
    [
      'warning credential-removed: 1 key-auth credential removed from consumers that stay (consumer "a": 1 removed, 1 added).',
    ],
  ],
  [
    'a changed password',
    'consumers: [{ username: a, basicauth_credentials: [{ username: a, password: marker-1 }] }]',
    'consumers: [{ username: a, basicauth_credentials: [{ username: a, password: marker-2 }] }]',
    ['notice credential-changed: 1 basic-auth credential gets another secret: "a".'],
  ],
  [
    'a password of the environment that stays',
    `consumers: [{ username: a, basicauth_credentials: [{ username: a, password: ${env('DECK_A')} }] }]`,
    `consumers: [{ username: a, basicauth_credentials: [{ username: a, password: ${env('DECK_A')} }] }]`,
    [],
  ],
  [
    'an ACL group',
    'consumers: [{ username: a, acls: [{ group: g }] }]',
    'consumers: [{ username: a }]',
    ['warning group-lost: 1 group membership lost: consumer "a" leaves "g".'],
  ],
  [
    'the last target',
    'upstreams: [{ name: u, targets: [{ target: "a:80" }] }]\nservices: [{ name: s, host: u }]',
    'upstreams: [{ name: u }]\nservices: [{ name: s, host: u }]',
    ['danger upstream-emptied: The upstream "u" loses its only target. Requests of the service "s" reach nothing.'],
  ],
  [
    'weights of nought',
    'upstreams: [{ name: u, targets: [{ target: "a:80" }] }]',
    'upstreams: [{ name: u, targets: [{ target: "a:80", weight: 0 }] }]',
    ['danger upstream-emptied: Every target of the upstream "u" has the weight 0 now.'],
  ],
  [
    'a service without TLS',
    'services: [{ name: s, url: "https://a.test/x" }]',
    'services: [{ name: s, url: "http://a.test/x" }]',
    [
      'danger service-destination-changed: Requests of the service "s" are sent elsewhere: protocol "https" → "http" and port 443 → 80. They are no longer encrypted on their way.',
    ],
  ],
  [
    'a service that writes out what was the default',
    'services: [{ name: s, host: a.test }]',
    'services: [{ name: s, host: a.test, port: 80, protocol: http }]',
    [],
  ],
  [
    'a host of another variable',
    `services: [{ name: s, host: ${env('DECK_A')} }]`,
    `services: [{ name: s, host: ${env('DECK_B')} }]`,
    [
      'warning service-destination-changed: Requests of the service "s" are sent elsewhere: host the value of DECK_A → the value of DECK_B.',
    ],
  ],
  [
    'a port of another variable, which stands for the same number',
    `services: [{ name: s, host: a.test, port: ${env('DECK_A', '| toInt')} }]`,
    `services: [{ name: s, host: a.test, port: ${env('DECK_B', '| toInt')} }]`,
    [
      'warning service-destination-changed: Requests of the service "s" are sent elsewhere: port the value of DECK_A → the value of DECK_B.',
    ],
  ],
  [
    'an order',
    shop(one, `plugins: [{ name: key-auth }, ${rate}]`),
    shop(
      one,
      `plugins: [{ name: key-auth }, ${rate.replace(' }', ' }, ordering: { before: { access: [key-auth] } }')}]`,
    ),
    [
      'warning plugin-order-changed: Plugins before the route "a" run in another order: rate-limiting, key-auth (before: key-auth, rate-limiting).',
    ],
  ],
  [
    'an ordering that says what is so anyway',
    shop(one, `plugins: [{ name: key-auth }, ${rate}]`),
    shop(
      one,
      `plugins: [{ name: key-auth }, ${rate.replace(' }', ' }, ordering: { after: { access: [key-auth] } }')}]`,
    ),
    [],
  ],
];

describe('the notes about a change', () => {
  test.each(cases)('%s', (_, base, head, notes) => {
    expect(wordsOf(notesOf(base, head))).toEqual(notes);
  });

  test('have codes and severities of the table', () => {
    for (const [, base, head] of cases) {
      for (const { code, severity } of notesOf(base, head)) {
        expect(Object.entries(riskSeverities).find(([known]) => known === code)?.[1]).toContain(severity);
      }
    }
  });

  test('show no key and no password', () => {
    const all = cases.flatMap(([, base, head]) => wordsOf(notesOf(base, head))).join('\n');
    expect(all).not.toContain('marker-');
  });

  test('stand at the place in the proposed files, or in those of the branch for what is gone', () => {
    const [gone] = notesOf('consumers:\n  - username: a', 'consumers: []');
    expect(gone).toMatchObject({ removed: true, locations: [{ file: 'kong.yaml', line: 3 }] });
    const [moved] = notesOf('services:\n  - name: s\n    host: a.test', 'services:\n  - name: s\n    host: b.test');
    expect(moved).toMatchObject({ locations: [{ file: 'kong.yaml', line: 4 }] });
    expect(moved).not.toHaveProperty('removed');
  });

  test('are the same whatever the order of the files is', () => {
    const [base, head] = [shop('{ name: a, paths: [/a] }, { name: b, paths: [/b] }'), shop('{ name: c, paths: [/c] }')];
    const turned = shop('{ name: b, paths: [/b] }, { name: a, paths: [/a] }');
    expect(wordsOf(notesOf(turned, head))).toEqual(wordsOf(notesOf(base, head)));
  });

  test('tell of many removed routes at once', () => {
    const many = (from: number) =>
      shop(Array.from({ length: 9 }, (_, at) => `{ name: r${from + at}, paths: [/p${from + at}/] }`).join(', '));
    expect(wordsOf(notesOf(many(10), many(20)))).toEqual([
      'warning route-removed: 9 routes are removed, and nothing takes their requests: "r10" (GET /p10/ (any host)), "r11" (GET /p11/ (any host)), "r12" (GET /p12/ (any host)), "r13" (GET /p13/ (any host)), "r14" (GET /p14/ (any host)) and 4 more.',
    ]);
  });

  test('are bounded', () => {
    const many = (host: string) =>
      `services: [${Array.from({ length: 100 }, (_, at) => `{ name: s${at}, host: ${host} }`).join(', ')}]`;
    const notes = notesOf(many('a.test'), many('b.test'));
    expect(notes).toHaveLength(25);
    expect(notes.at(-1)?.message).toBe('There are 76 more notes like this.');
  });
});

describe('certificates', () => {
  const day = 24 * 60 * 60 * 1000;
  const instant = Date.parse('2030-01-01T00:00:00Z');
  const ending = (days: number) => certificate({ commonName: 'a.test', notAfter: new Date(instant + days * day) });
  const file = ({ cert, key }: { readonly cert: string; readonly key: string }) =>
    `certificates: [{ cert: ${JSON.stringify(cert)}, key: ${JSON.stringify(key)}, snis: [{ name: a.test }] }]`;

  test('that the change brings ask for attention when they end soon, and more when they ended', () => {
    const base = file(ending(400));
    expect(wordsOf(notesOf(base, file(ending(100)), { instant }))).toEqual([]);
    expect(wordsOf(notesOf(base, file(ending(20)), { instant }))).toEqual([
      'warning certificate-expiring: The cert of the certificate "a.test" ends on 2030-01-21, in 20 days.',
    ]);
    expect(wordsOf(notesOf(base, file(ending(-1)), { instant }))).toEqual([
      'danger certificate-expiring: The cert of the certificate "a.test" ended on 2029-12-31.',
    ]);
  });

  test('that were there before are only told of', () => {
    const old = file(ending(3));
    expect(wordsOf(notesOf(old, old, { instant }))).toEqual([
      'notice certificate-expiring: The cert of the certificate "a.test" ends on 2030-01-04, in 3 days; this change does not touch it.',
    ]);
  });

  test('that come from the environment are not looked into', () => {
    const file = `certificates: [{ cert: ${env('DECK_C')}, key: ${env('DECK_K')}, snis: [{ name: a.test }] }]`;
    expect(notesOf(file, file, { instant })).toEqual([]);
  });
});

test('ten thousand routes cost seconds', () => {
  const many = (count: number, more: string) =>
    stateOfText(
      shop(
        Array.from(
          { length: count },
          (_, at) => `{ name: r${at}, hosts: [h${at % 100}.test], paths: [/p${at}/, /q${at}/], methods: [GET, POST] }`,
        ).join(',') + more,
      ),
    );
  const [base, head] = [many(10_000, ''), many(9_999, ', { name: extra, hosts: ["*.test"], paths: [/p5/y] }')];
  const started = process.cpuUsage();
  const notes = riskNotes(base, head, { schemas, instant: 0 });
  const { user } = process.cpuUsage(started);
  expect(notes.map(({ code }) => code)).toEqual(['route-removed']);
  expect(user / 1_000_000).toBeLessThan(20);
}, 120_000);
