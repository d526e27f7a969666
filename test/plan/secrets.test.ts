import { describe, expect, test } from 'vitest';
import { renderPlansJson } from '../../src/render/plan-json.ts';
import { renderPlansMarkdown } from '../../src/render/plan-markdown.ts';
import { renderPlansText } from '../../src/render/plan-text.ts';
import { planDifferences, planPrint } from '../../src/review/plan-print.ts';
import { certificate } from '../support/pem.ts';
import { fieldsOf, planFrom, raw, stateFrom, uuid } from './support.ts';

const mark = 'hush';

/** A world in which every secret holds the mark; `generation` tells its old secrets from its new ones. */
function world(generation: number) {
  const secret = (name: string) => `${mark}-${name}-${generation}`;
  const consumer = raw('consumers', { username: 'ann' });
  const set = raw('key_sets', { name: 'set' });
  const to = { consumer };
  return stateFrom([
    consumer,
    set,
    raw('keyauth_credentials', { key: secret('key') }, { to }),
    raw('basicauth_credentials', { username: 'ann', password: secret('password') }, { to }),
    raw('hmacauth_credentials', { username: 'ann', secret: secret('hmac') }, { to }),
    raw('jwt_secrets', { key: 'issuer', secret: secret('jwt') }, { to }),
    raw('oauth2_credentials', { name: 'app', client_id: 'app', client_secret: secret('oauth2') }, { to }),
    raw('keys', { name: 'k', kid: 'k', jwk: JSON.stringify({ kid: 'k', d: secret('jwk') }) }, { to: { set } }),
    raw('keys', { name: 'p', kid: 'p', pem: { private_key: secret('pem'), public_key: 'open' } }, { to: { set } }),
    raw('certificates', { cert: `cert-${generation}`, key: secret('tls'), key_alt: secret('alt') }, { id: uuid(1) }),
    raw('vaults', { name: 'hcv', prefix: 'hcv', config: { token: secret('vault') } }),
    raw('partials', { name: 'r', type: 'redis-ee', config: { password: secret('partial') } }),
    raw('licenses', { payload: secret('license') }),
    raw('plugins', { name: 'session', config: { secret: secret('session') } }),
    raw('plugins', { name: 'acme', config: { account_email: 'a@b.test', eab_hmac_key: secret('referenceable') } }),
    raw('plugins', { name: 'rate-limiting', config: { policy: 'redis', redis_password: secret('old-name') } }),
    raw('plugins', { name: 'home-made', config: { password: secret('unknown'), nested: { api_key: secret('deep') } } }),
    raw('plugins', { name: 'request-transformer', config: { add: { headers: [`x-token:${secret('header')}`] } } }),
    raw('services', { name: 's', host: 'h.test', path: `/${secret('env')}` }, { env: ['/path'] }),
    raw('services', { name: secret('name'), host: 'h.test' }, { id: uuid(2), env: ['/name'] }),
    raw('routes', { name: 'r', paths: [`/${secret('list')}`, '/open'] }, { env: ['/paths/0'] }),
    raw(
      'upstreams',
      { name: 'u.test', hash_on: 'header', hash_on_header: secret('same') },
      { env: ['/hash_on_header'] },
    ),
    raw('upstreams', { name: 'v.test', hash_on: 'header', hash_on_header: secret('same') }),
  ]);
}

describe('secrets', () => {
  const empty = stateFrom([]);
  test.each([
    ['created', empty, world(1), true],
    ['changed', world(1), world(2), true],
    ['deleted', world(1), empty, true],
    ['in the way of others', world(1), world(2), false],
  ])('are nowhere in a plan by which they are %s', (_, live, target, prune) => {
    const policy = { prune, adopt: false, maxDelete: { share: 0, atLeast: 0 } };
    const { plan } = planFrom(live, target, { policy, declaredEarlier: () => false });
    expect(plan.changes.length).toBeGreaterThan(0);
    const shown = [
      JSON.stringify(plan),
      renderPlansText([plan], { color: true }),
      renderPlansJson([plan]),
      renderPlansMarkdown([plan]),
    ];
    const told = shown.flatMap((text) => text.match(new RegExp(`.{0,60}${mark}.{0,30}`, 'g')) ?? []);
    expect(told).toEqual([]);
  });

  test('say that they changed, on both sides alike', () => {
    const consumer = raw('consumers', { username: 'ann' });
    const state = (secret: string) =>
      stateFrom([consumer, raw('jwt_secrets', { key: 'issuer', secret }, { to: { consumer } })]);
    const { plan } = planFrom(state('one'), state('two'));
    expect(plan.changes.map(({ fields }) => fields)).toEqual([
      [{ path: '/secret', from: '***', to: '***', secret: true }],
    ]);
  });

  test('are not what a short or a public value is, and a certificate shows as its digest', () => {
    const pair = certificate({ commonName: 'a.test' });
    const target = stateFrom([
      raw('certificates', { ...pair, tags: ['a'] }),
      raw('services', { name: 's', host: 'h.test', port: 80 }, { env: ['/port'] }),
      raw('services', { name: 't', host: 'h.test', port: 80 }),
    ]);
    const fields = fieldsOf(planFrom(stateFrom([]), target));
    expect(fields).toContainEqual(expect.stringMatching(/^\/cert: {2}→ "certificate sha256:[0-9a-f]{16}"$/));
    expect(fields).toContain('/port:  → "***"');
    expect(fields).toContain('/port:  → 80');
  });

  test('that only the environment still has are in no name of what is deleted, nor in any value', () => {
    const shop = raw('services', { name: 'team-hush-value', host: 'h.test', path: '/old' });
    const consumer = raw('consumers', { username: 'abc' });
    const kept = raw('services', { name: 'public', host: 'hush-value' });
    const live = stateFrom([
      shop,
      consumer,
      kept,
      raw('routes', { name: 'r-hush-value', paths: ['/r'] }, { to: { service: shop } }),
      raw('acls', { group: 'abc' }, { to: { consumer } }),
      raw('services', { name: 'abcdef', host: 'h.test' }),
    ]);
    const target = stateFrom([raw('services', { name: 'public', host: 'now-open.test' })]);
    const policy = { prune: true, adopt: false, maxDelete: { share: 1, atLeast: 100 } };
    const { plan } = planFrom(live, target, {
      policy,
      declaredEarlier: () => false,
      hidden: ['hush-value', 'abc', 'x'],
    });
    expect(plan.held?.code).toBe('foreign-prune');
    expect(JSON.stringify(plan)).not.toMatch(/hush|"abc"|abc\//);
    const names = plan.changes.map(({ name }) => name).sort();
    expect(names).toEqual(['***', '***/***', 'abcdef', 'public', 'r-***', 'team-***']);
  });
});

test('a key from the environment is in no path, nor what it holds', () => {
  const state = (value: string) =>
    stateFrom([
      raw(
        'routes',
        { name: 'r', paths: ['/a'], headers: { 'x-hush-key': [value], open: ['a'] } },
        { env: ['/headers/x-hush-key'] },
      ),
    ]);
  const { plan } = planFrom(state('one'), state('two'), { hidden: ['hush-key', 'headers'] });
  const forms = [renderPlansJson([plan]), renderPlansText([plan], { color: false }), renderPlansMarkdown([plan])];
  for (const form of forms) {
    expect(form).not.toContain('hush-key');
    expect(form).toContain('/headers/x-***');
  }
});

describe('code', () => {
  const code = (text: string, name = 'pre-function', field = 'access') =>
    stateFrom([raw('plugins', { name, config: { [field]: field === 'custom_fields_by_lua' ? { x: text } : [text] } })]);
  const wordsOf = ({ plan }: ReturnType<typeof planFrom>) => {
    const shown = [
      JSON.stringify(plan),
      renderPlansText([plan], { color: false }),
      renderPlansJson([plan]),
      renderPlansMarkdown([plan]),
    ];
    expect(shown.filter((text) => text.includes(mark))).toEqual([]);
    return (shown[1] ?? '').split('\n').filter((line) => line.includes('/config/'));
  };
  const old = `local key = "${mark}-old"`;
  const fresh = `local key = "${mark}-new"\nkong.log(key)\n`;

  test.each([
    ['pre-function', 'access'],
    ['post-function', 'log'],
    ['http-log', 'custom_fields_by_lua'],
    ['exit-transformer', 'functions'],
  ])('of %s is not shown, and how long it is is', (name, field) => {
    const pointer = `/config/${field}/${field === 'custom_fields_by_lua' ? 'x' : '0'}`;
    const [before, after] = [code(old, name, field), code(fresh, name, field)];
    expect(wordsOf(planFrom(before, after))).toEqual([expect.stringContaining(`${pointer}: changed (2 lines)`)]);
    expect(wordsOf(planFrom(stateFrom([]), before))).toEqual([expect.stringContaining(`${pointer}: set (1 line)`)]);
  });

  test('is secret in the JSON form', () => {
    const [plan] = [planFrom(code(old), code(fresh)).plan];
    const form: unknown = JSON.parse(renderPlansJson([plan]));
    expect(form).toMatchObject({
      changes: [{ fields: [{ path: '/config/access/0', from: '***', to: '***', secret: true }] }],
    });
  });

  test('that is another one than what was reviewed is told', () => {
    const print = (text: string) => planPrint(planFrom(code(old), code(text)).plan);
    expect(planDifferences(print(fresh), print(fresh))).toEqual([]);
    expect(planDifferences(print(fresh), print(fresh.replace('new', 'mew')))).toHaveLength(1);
  });
});

describe('an address', () => {
  const shownOf = (address: string) => {
    const consumer = raw('consumers', { username: 'ann' });
    const state = (redirect_uris: string[]) =>
      stateFrom([
        consumer,
        raw('oauth2_credentials', { name: 'app', client_id: 'app', redirect_uris }, { to: { consumer } }),
        raw('plugins', { name: 'http-log', config: { http_endpoint: redirect_uris[0] ?? 'https://log.test' } }),
        raw('plugins', { name: 'home-made', config: { where: redirect_uris } }),
      ]);
    const { plan } = planFrom(state([]), state([address]));
    return [JSON.stringify(plan), renderPlansText([plan], { color: false }), renderPlansMarkdown([plan])].join('\n');
  };

  test.each([
    `https://u:${mark}@x.test/cb`,
    `https://${mark}@x.test`,
    `https://u:a/${mark}@x.test`,
    `https://u:a?${mark}@x.test`,
    `//u:${mark}@x.test`,
    `redis://:${mark}@x.test:6379/0`,
    `see https://u:${mark}@x.test`,
    `https://x.test/cb?access_token=${mark}`,
    `https://x.test/cb?a=b&api_key=${mark}`,
  ])('%s is not shown', (address) => {
    expect(shownOf(address)).not.toContain(mark);
  });

  test.each([
    `https://x.test/${mark}`,
    `https://x.test:8443/${mark}`,
    `https://x.test/@${mark}`,
    `https://x.test/cb?state=${mark}`,
    `//x.test/${mark}`,
  ])('%s is shown', (address) => {
    expect(shownOf(address)).toContain(address);
  });
});
