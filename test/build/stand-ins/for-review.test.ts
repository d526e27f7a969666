import { describe, expect, test } from 'vitest';
import { build } from '../../../src/build/build.ts';
import { forReview } from '../../../src/build/stand-ins/for-review.ts';
import type { State } from '../../../src/model/state.ts';
import { renderPlansText } from '../../../src/render/plan-text.ts';
import { liveOf, planFrom, schemas } from '../../plan/support.ts';
import { readOf } from '../../review/support.ts';
import { env } from '../risk/support.ts';

function stateFrom(text: string, environment: ((name: string) => string) | null): State {
  const bytes = new TextEncoder().encode(`_format_version: "3.0"\n${text}`);
  return build(
    { revision: null, entries: new Map([['kong.yaml', { type: 'file', bytes, blob: null }]]) },
    {
      scope: null,
      schemas,
      rules: {},
      environment: environment ?? (() => undefined),
      standIns: environment === null,
      instant: 0,
    },
  ).state;
}

/** What a review shows where the branch, with the values of the environment, is in place; `live` says what is there instead. */
function shown(base: string | null, head: string, live: string = base ?? head, isRemembered = false) {
  const inPlace = stateFrom(live, (name) => (name.endsWith('PORT') ? '4711' : `real-${name.toLowerCase()}`));
  const before = base === null ? null : stateFrom(base, null);
  const sides = forReview(readOf(inPlace, 0), before, stateFrom(head, null), isRemembered ? inPlace : null);
  const { plan } = planFrom(sides.live, sides.state);
  const text = renderPlansText([plan], { color: false });
  expect(text).not.toContain('real-');
  expect(sides.notCompared.join('\n')).not.toContain('real-');
  return {
    lines: text
      .split('\n')
      .slice(1, -2)
      .map((line) => line.trim().replace(/ {2,}kong\.yaml:\d+$/, '')),
    notCompared: sides.notCompared,
  };
}

const service = (host: string, more = '') => `services: [{ name: s, host: ${host}${more} }]`;
const keys = (...list: readonly string[]) =>
  `consumers: [{ username: a, keyauth_credentials: [${list.map((key) => `{ key: ${key} }`).join(', ')}] }]`;

describe('what came from the environment', () => {
  test.each([
    ['a text', service(env('DECK_HOST'))],
    ['a part of a text', service('a.test', `, path: '/x/\${{ env "DECK_PATH" }}/y'`)],
    ['a number', service('a.test', `, port: ${env('DECK_PORT', '| toInt')}`)],
    ['an item of a list', `routes: [{ name: r, hosts: [a.test, ${env('DECK_HOST')}], paths: [/a] }]`],
    ['an item of a set', `routes: [{ name: r, tags: [z, ${env('DECK_TAG')}, a], paths: [/a] }]`],
    ['a key', `routes: [{ name: r, headers: { ${env('DECK_HEADER')}: [x] }, paths: [/a] }]`],
    [
      'a configuration',
      `plugins: [{ name: rate-limiting, config: { minute: 5, policy: redis, redis: { host: ${env('DECK_REDIS')} } } }]`,
    ],
    [
      'a secret that is stored hashed',
      `consumers: [{ username: a, basicauth_credentials: [{ username: a, password: ${env('DECK_P')} }] }]`,
    ],
    ['what a credential is known by', keys(env('DECK_KEY'))],
    ['what two credentials are known by', keys(env('DECK_KEY'), env('DECK_OTHER'))],
    [
      'what a consumer is known by',
      `consumers: [{ username: ${env('DECK_USER')}, acls: [{ group: g }], keyauth_credentials: [{ key: k }] }]`,
    ],
    [
      'what a plugin is for',
      `consumers: [{ username: ${env('DECK_USER')}, plugins: [{ name: rate-limiting, config: { minute: 5 } }] }]`,
    ],
    ['what a certificate is known by', `certificates: [{ cert: ${env('DECK_CERT')}, key: ${env('DECK_KEY')} }]`],
  ])('shows no change where the files say the same: %s', (_, file) => {
    expect(shown(file, file)).toEqual({ lines: [], notCompared: [] });
    expect(shown(null, file)).toEqual({ lines: [], notCompared: [] });
  });

  test('shows as changed, without a value, where it is another expression', () => {
    expect(shown(service(env('DECK_HOST')), service(env('DECK_NEW'))).lines).toEqual([
      '~ service "s"',
      '/host: changed (secret)',
    ]);
    const port = (name: string) => service('a.test', `, port: ${env(name, '| toInt')}`);
    expect(shown(port('DECK_PORT'), port('DECK_NEW_PORT')).lines).toEqual(['~ service "s"', '/port: changed (secret)']);
  });

  test('shows as changed where only one of the sides has it from the environment', () => {
    const changed = ['~ service "s"', '/host: changed (secret)'];
    expect(shown(service(env('DECK_HOST')), service('plain.test')).lines).toEqual(changed);
    expect(shown(service('plain.test'), service(env('DECK_HOST'))).lines).toEqual(changed);
  });

  test('hides no other change', () => {
    const before = service(env('DECK_HOST'), ', path: /a');
    expect(shown(before, service(env('DECK_HOST'), ', path: /b')).lines).toEqual([
      '~ service "s"',
      '/path: "/a" → "/b"',
    ]);
    const hosts = (...more: readonly string[]) =>
      `routes: [{ name: r, hosts: [${[env('DECK_HOST'), ...more].join(', ')}], paths: [/a] }]`;
    expect(shown(hosts('a.test'), hosts('a.test', 'b.test')).lines).toEqual(['~ route "r"', '/hosts/1: set (secret)']);
  });

  test('is not shown where only an older revision had it, which is still live', () => {
    expect(shown(service('a.test'), service('b.test'), service(env('DECK_HOST')), true).lines).toEqual([
      '~ service "s"',
      '/host: changed (secret)',
    ]);
  });

  test('is not shown where it stands elsewhere, too', () => {
    const live = `${service('real-deck_host')}\nroutes: [{ name: r, paths: [/a], hosts: [real-deck_host] }]`;
    const base = `${service(env('DECK_HOST'))}\nroutes: [{ name: r, paths: [/a], hosts: [real-deck_host] }]`;
    const { lines } = shown(
      base,
      `${service(env('DECK_HOST'))}\nroutes: [{ name: r, paths: [/a], hosts: [b.test] }]`,
      live,
    );
    expect(lines).toEqual(['~ route "r"', '/hosts/0: changed (secret)']);
  });
});

describe('entities that are known by what came from the environment', () => {
  test('are created where they are new, and deleted where they are gone', () => {
    expect(shown(keys(), keys(env('DECK_KEY'))).lines).toHaveLength(3);
    expect(shown(keys(), keys(env('DECK_KEY'))).lines[0]).toMatch(/^\+ key-auth credential/);
    const { lines } = shown(keys(env('DECK_KEY')), keys());
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^- key-auth credential "a\/key-auth\//);
  });

  test('are one deleted and one created when a key is another variable', () => {
    const { lines, notCompared } = shown(keys(env('DECK_KEY')), keys(env('DECK_NEW')));
    expect(lines.map((line) => line.charAt(0)).sort()).toEqual(['+', '-', '/', '/']);
    expect(notCompared).toEqual([]);
  });

  test('are left out where nobody can tell which is which', () => {
    const { lines, notCompared } = shown(keys(env('DECK_KEY'), env('DECK_OTHER')), keys(env('DECK_KEY')));
    expect(lines).toEqual([]);
    expect(notCompared).toEqual([
      'the key-auth credential of consumer "a" is known by a value of the environment, and 2 are live; which of these it is cannot be told',
    ]);
  });

  test('are found by the variables that they were delivered from, where that is known', () => {
    const [two, one] = [keys(env('DECK_KEY'), env('DECK_OTHER')), keys(env('DECK_KEY'))];
    const { lines, notCompared } = shown(two, one, two, true);
    expect(notCompared).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^- key-auth credential "a\/key-auth\//);
  });

  test('are left out with all that belongs to them', () => {
    const users = (...names: readonly string[]) =>
      `consumers: [${names.map((name) => `{ username: ${env(name)}, acls: [{ group: g }] }`).join(', ')}]`;
    const { lines, notCompared } = shown(users('DECK_A', 'DECK_B'), users('DECK_A'));
    expect(lines).toEqual([]);
    expect(notCompared).toHaveLength(1);
  });

  test('are found by what else was written of them', () => {
    const users = (...list: readonly (readonly [string, string])[]) =>
      `consumers: [${list.map(([name, id]) => `{ username: ${env(name)}, custom_id: ${id} }`).join(', ')}]`;
    const { lines, notCompared } = shown(users(['DECK_A', 'one'], ['DECK_B', 'two']), users(['DECK_A', 'one']));
    expect(notCompared).toEqual([]);
    expect(lines).toEqual(['- consumer "deck-b"']);
  });
});

test('nothing is touched where nothing comes from the environment', () => {
  const state = stateFrom(service('a.test'), null);
  const live = liveOf(state);
  expect(forReview(live, state, state)).toEqual({ live, state, notCompared: [] });
});
