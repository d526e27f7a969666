import { describe, expect, test } from 'vitest';
import { brief, diagnosticsOf, written } from './support.ts';

const id = '5b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0';
const said = (...raw: Parameters<typeof diagnosticsOf>[0]) => diagnosticsOf(raw).map(brief);
const alice = written('consumers', 'x.yaml:1', { username: 'alice' });
const bob = written('consumers', 'x.yaml:2', { username: 'bob' });
const to = (name: string) => ({ consumer: { name } });

describe('clashes', () => {
  test('names', () => {
    const raw = [
      written('upstreams', 'a.yaml:1', { name: 'pool' }),
      written('upstreams', 'b.yaml:1', { name: 'pool' }),
    ];
    expect(said(...raw)).toEqual(['unique-name error b.yaml:1/name a.yaml:1/name']);
    expect(diagnosticsOf(raw)[0]?.message).toBe('2 upstreams have the same name "pool".');
    expect(
      said(written('services', 'a.yaml:1', { name: 'pool' }), written('upstreams', 'a.yaml:2', { name: 'pool' })),
    ).toEqual([]);
  });

  test('an id given twice is said once, and a name that goes with it is not said again', () => {
    const one = written('services', 'a.yaml:1', { name: 'orders' }, {}, { id });
    const two = written('services', 'a.yaml:2', { name: 'orders' }, {}, { id: id.toUpperCase() });
    expect(said(one, two)).toEqual(['unique-id error a.yaml:2/id a.yaml:1/id']);
  });

  test('one name with two ids is a clash of the name', () => {
    const one = written('services', 'a.yaml:1', { name: 'orders' }, {}, { id });
    const two = written('services', 'a.yaml:2', { name: 'orders' });
    expect(said(one, two)).toEqual(['unique-name error a.yaml:2/name a.yaml:1/name']);
  });

  test('credentials clash within their type, over all consumers', () => {
    const basic = (line: number, name: string) =>
      written('basicauth_credentials', `b.yaml:${line}`, { username: 'shop', password: 'hidden-away' }, to(name));
    const hmac = written('hmacauth_credentials', 'b.yaml:9', { username: 'shop', secret: 'hidden-away' }, to('alice'));
    expect(said(alice, bob, basic(1, 'alice'), hmac)).toEqual([]);
    expect(said(alice, bob, basic(1, 'alice'), basic(2, 'bob'), hmac)).toEqual([
      'unique-credential error b.yaml:2/username b.yaml:1/username',
    ]);
  });

  test('a value that came from the environment is not shown', () => {
    const credential = (line: number, name: string) =>
      written('jwt_secrets', `b.yaml:${line}`, { key: 'from-outside' }, to(name), {
        fromEnvironment: new Map([['/key', 'DECK_KEY']]),
      });
    const found = diagnosticsOf([alice, bob, credential(1, 'alice'), credential(2, 'bob')]);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toBe('2 JWT credentials have the same key; they belong to consumers "alice" and "bob".');
  });

  test('a name that came from the environment is shown nowhere, not even as that of a parent', () => {
    const fromEnvironment = new Map([['/username', 'DECK_NAME']]);
    const raw = [1, 2].map((line) =>
      written('consumers', `c.yaml:${line}`, { username: 'outsider' }, {}, { fromEnvironment }),
    );
    const acls = [3, 4].map((line) => written('acls', `c.yaml:${line}`, { group: 'g' }, to('outsider')));
    const found = diagnosticsOf([...raw, ...acls]);
    expect(found.map((one) => one.message)).toEqual([
      '2 consumers have the same username.',
      '2 ACL groups have the same consumer "***" and group "g".',
    ]);
    expect(JSON.stringify(found)).not.toContain('outsider');
  });

  test('groups, targets and keys clash within their parent only', () => {
    const acl = (line: number, name: string) => written('acls', `a.yaml:${line}`, { group: 'g' }, to(name));
    expect(said(alice, bob, acl(1, 'alice'), acl(2, 'bob'))).toEqual([]);
    expect(said(alice, acl(1, 'alice'), acl(2, 'alice'))).toEqual(['unique-value error a.yaml:2/group a.yaml:1/group']);

    const upstream = written('upstreams', 'u.yaml:1', { name: 'pool' });
    const target = (line: number, text: string) =>
      written('targets', `t.yaml:${line}`, { target: text }, { upstream: { name: 'pool' } });
    expect(said(upstream, target(1, '10.0.0.1:80'), target(2, '10.0.0.1:81'))).toEqual([]);
    expect(said(upstream, target(1, 'pool.internal'), target(2, 'pool.internal:8000'))).toEqual([
      'unique-value error t.yaml:2/target t.yaml:1/target',
    ]);

    const set = (line: number, name: string) => written('key_sets', `s.yaml:${line}`, { name });
    const key = (line: number, name: string) => written('keys', `k.yaml:${line}`, { kid: 'k1' }, { set: { name } });
    const loose = (line: number) => written('keys', `k.yaml:${line}`, { kid: 'k1' });
    expect(said(set(1, 'a'), set(2, 'b'), key(1, 'a'), key(2, 'b'), loose(3))).toEqual([]);
    expect(said(set(1, 'a'), key(1, 'a'), key(2, 'a'))).toEqual(['unique-value error k.yaml:2/kid k.yaml:1/kid']);
    expect(said(loose(1), loose(2))).toEqual(['unique-value error k.yaml:2/kid k.yaml:1/kid']);
  });

  test('plugins clash by name and whole scope, and by instance name', () => {
    const service = written('services', 's.yaml:1', { name: 'orders' });
    const plugin = (line: number, scope: Parameters<typeof written>[3], more = {}) =>
      written('plugins', `p.yaml:${line}`, { name: 'cors', ...more }, scope);
    const onService = { service: { name: 'orders' } };
    expect(
      said(service, alice, plugin(1, {}), plugin(2, onService), plugin(3, { ...onService, ...to('alice') })),
    ).toEqual([]);
    expect(said(plugin(1, {}), plugin(2, {}))).toEqual(['duplicate-plugin error p.yaml:2/name p.yaml:1/name']);
    const found = diagnosticsOf([
      service,
      plugin(1, onService, { instance_name: 'a' }),
      plugin(2, onService, { instance_name: 'b' }),
    ]);
    expect(found.map(brief)).toEqual(['duplicate-plugin error p.yaml:2/name p.yaml:1/name']);
    expect(found[0]?.message).toBe('The plugin "cors" is there twice for service "orders".');
    expect(said(service, plugin(1, {}, { instance_name: 'a' }), plugin(2, onService, { instance_name: 'a' }))).toEqual([
      'unique-value error p.yaml:2/instance_name p.yaml:1/instance_name',
    ]);
  });

  test('nameless entities that nothing tells apart', () => {
    const route = (line: number, paths: string[]) => written('routes', `r.yaml:${line}`, { paths });
    expect(said(route(1, ['/a']), route(2, ['/b']))).toEqual([]);
    expect(said(route(1, ['/a']), route(2, ['/a']))).toEqual(['duplicate-identity error r.yaml:2 r.yaml:1']);
  });

  test('an SNI on two certificates is said once, though the certificates are then the same one too', () => {
    const certificate = (line: number) =>
      written('certificates', `c.yaml:${line}`, { cert: '{vault://env/c}', key: '{vault://env/k}' });
    const [one, two] = [certificate(1), certificate(2)];
    const sni = (line: number, entity: typeof one) =>
      written('snis', `c.yaml:${line}`, { name: 'a.example' }, { certificate: { entity } });
    expect(said(one, two, sni(3, one), sni(4, two))).toEqual(['unique-sni error c.yaml:4/name c.yaml:3/name']);
  });

  test('kinds of Enterprise on an open-source Kong', () => {
    const group = written('consumer_groups', 'g.yaml:1', { name: 'gold' });
    expect(said(group)).toEqual([]);
  });
});
