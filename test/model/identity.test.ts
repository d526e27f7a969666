import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { derivedId, isUuid } from '../../src/model/derived-id.ts';
import type { Entity } from '../../src/model/entity.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { allEntities } from '../../src/model/state.ts';
import { normalTarget } from '../../src/model/target-address.ts';
import { raw, stateFrom } from './making.ts';

/** UUIDv5 after RFC 9562, written again here so that nothing is proven by itself. */
function uuid5(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replace(/-/g, ''), 'hex'))
    .update(name)
    .digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const kongs = 'fd02801f-0957-4a15-a55a-c8d9606f30b5';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('the writing again is right: the vector of RFC 9562', () => {
  expect(uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

describe('derived ids', () => {
  test.each<[KindName, string, string]>([
    ['services', 'services', 'a'],
    ['routes', 'routes', 'a'],
    ['consumers', 'consumers', 'a'],
    ['consumer_groups', 'consumergroups', 'a'],
    ['plugins', 'plugins', 'cors:service/a'],
    ['targets', 'targets', 'a/192.0.2.1:80'],
    ['services', 'services', 'größe/✓'],
  ])('%s in the namespace %s: %s', (kind, namespace, identity) => {
    const expected = uuid5(uuid5(kongs, namespace), identity);
    expect(derivedId(kind, identity, null)).toBe(expected);
    expect(derivedId(kind, identity, 'default')).toBe(expected);
    expect(derivedId(kind, identity, 'team')).toBe(uuid5(uuid5(kongs, namespace), `team/${identity}`));
    expect(isUuid(expected)).toBe(true);
  });

  test('are what an entity without an id gets, and a given id wins', () => {
    const given = '5F1B4A3C-0000-4000-8000-000000000001';
    const state = stateFrom([raw('services', { name: 'a' }), raw('services', { name: 'b' }, {}, given)]);
    expect(state.byIdentity('services', 'a')).toMatchObject({
      id: uuid5(uuid5(kongs, 'services'), 'a'),
      idGiven: false,
    });
    expect(state.byIdentity('services', 'b')).toMatchObject({ id: given.toLowerCase(), idGiven: true });
    expect(state.byId('services', given)?.identity).toBe('b');
  });

  test('hold the workspace', () => {
    const [service] = allEntities(stateFrom([raw('services', { name: 'a' })], { workspace: 'team' }));
    expect(service?.id).toBe(uuid5(uuid5(kongs, 'services'), 'team/a'));
  });

  test('isUuid takes any letter case and nothing else', () => {
    expect(['', 'a', kongs.slice(1), `${kongs} `, kongs.replaceAll('-', '')].map(isUuid)).toEqual(Array(5).fill(false));
    expect(isUuid(kongs.toUpperCase())).toBe(true);
  });
});

describe('identities', () => {
  const consumer = raw('consumers', { username: 'c' });
  const service = raw('services', { name: 's' });
  const route = raw('routes', { name: 'r' }, { service: { entity: service } });
  const group = raw('consumer_groups', { name: 'g' });
  const upstream = raw('upstreams', { name: 'u' });
  const around = [consumer, service, route, group, upstream];

  function identity(kind: KindName, fields: JsonObject, references: Parameters<typeof raw>[2] = {}): Entity {
    const own = raw(kind, fields, references);
    const state = stateFrom([...around, own]);
    const found = allEntities(state).find((entity) => entity.kind === kind && entity.fields === own.fields);
    if (found === undefined) throw new TypeError('it is not in the state');
    return found;
  }

  test.each<[string, KindName, JsonObject, Parameters<typeof raw>[2], string]>([
    ['a service has its name', 'services', { name: 'x' }, {}, 'x'],
    ['a consumer its username', 'consumers', { username: 'x', custom_id: 'y' }, {}, 'x'],
    ['or else its custom_id', 'consumers', { custom_id: 'y' }, {}, 'y'],
    ['a global plugin its name', 'plugins', { name: 'cors' }, {}, 'cors'],
    [
      'a plugin its name with every scope, in one order',
      'plugins',
      { name: 'cors', instance_name: 'mine' },
      {
        consumer_group: { entity: group },
        consumer: { entity: consumer },
        route: { entity: route },
        service: { entity: service },
      },
      'cors:service/s:route/r:consumer/c:consumer_group/g',
    ],
    ['a vault its prefix', 'vaults', { name: 'env', prefix: 'p' }, {}, 'p'],
    ['an SNI its name', 'snis', { name: 'x.example.com' }, {}, 'x.example.com'],
    ['a target upstream and address', 'targets', { target: 'h' }, { upstream: { name: 'u' } }, 'u/h:8000'],
    ['a group of a consumer both', 'acls', { group: 'buyers' }, { consumer: { name: 'c' } }, 'c/buyers'],
    [
      'basic-auth its username',
      'basicauth_credentials',
      { username: 'n', password: 'x' },
      { consumer: { name: 'c' } },
      'n',
    ],
    ['jwt its key', 'jwt_secrets', { key: 'k', secret: 'x' }, { consumer: { name: 'c' } }, 'k'],
    ['oauth2 its client_id', 'oauth2_credentials', { client_id: 'i', name: 'n' }, { consumer: { name: 'c' } }, 'i'],
    [
      'key-auth a digest of its key',
      'keyauth_credentials',
      { key: 'k' },
      { consumer: { name: 'c' } },
      `c/sha256:${sha256('k')}`,
    ],
    [
      'a certificate without SNIs a digest',
      'certificates',
      { cert: ' pem \n', key: 'k' },
      {},
      `sha256:${sha256('pem')}`,
    ],
    [
      'a membership both',
      'consumer_group_consumers',
      {},
      { consumer: { name: 'c' }, consumer_group: { name: 'g' } },
      'g/c',
    ],
  ])('%s', (_, kind, fields, references, expected) => {
    expect(identity(kind, fields, references).identity).toBe(expected);
  });

  test('a certificate has its SNIs, sorted, so that a renewed one is an update', () => {
    const of = (cert: string) => {
      const certificate = raw('certificates', { cert, key: 'k' });
      const sni = (name: string) => raw('snis', { name }, { certificate: { entity: certificate } });
      const state = stateFrom([certificate, sni('b.example.com'), sni('a.example.com')]);
      return allEntities(state).find(({ kind }) => kind === 'certificates')?.identity;
    };
    expect(of('old')).toBe('a.example.com,b.example.com');
    expect(of('new')).toBe(of('old'));
  });

  test('a changed password or secret is the same credential', () => {
    const id = (password: string) =>
      identity('basicauth_credentials', { username: 'n', password }, { consumer: { name: 'c' } }).id;
    expect(id('one')).toBe(id('other'));
    const jwt = (secret: string) => identity('jwt_secrets', { key: 'n', secret }, { consumer: { name: 'c' } }).id;
    expect(jwt('one')).toBe(jwt('other'));
  });

  test('a key-auth credential is shown by its consumer and the first digits of its id', () => {
    const credential = identity('keyauth_credentials', { key: 'not-to-be-shown' }, { consumer: { name: 'c' } });
    expect(credential.name).toBe(`c/key-auth/${credential.id.slice(0, 8)}`);
  });

  test('nameless routes and services have their place: parent and match, whatever the order of what matches', () => {
    const at = (fields: JsonObject) => identity('routes', fields, { service: { name: 's' } }).identity;
    expect(at({ paths: ['/a', '/b'], hosts: ['x'] })).toBe(
      at({ hosts: ['x'], paths: ['/b', '/a'], strip_path: false }),
    );
    expect(at({ paths: ['/a'] })).not.toBe(at({ paths: ['/b'] }));
    expect(at({ paths: ['/a'], hosts: [] })).toBe(at({ paths: ['/a'], methods: null }));
    expect(at({ paths: ['/a'] })).not.toBe(identity('routes', { paths: ['/a'] }).identity);
    const service = (fields: JsonObject) => identity('services', fields).identity;
    expect(service({ host: 'a', retries: 1 })).toBe(service({ host: 'a', retries: 2 }));
    expect(service({ host: 'a' })).not.toBe(service({ host: 'a', port: 81 }));
  });

  test('a consumer known by its custom_id is kept apart from one with that username', () => {
    const state = stateFrom([raw('consumers', { custom_id: 'x' }), raw('consumers', { username: 'x' })]);
    const [one, other] = allEntities(state);
    expect(one?.identity).not.toBe(other?.identity);
    expect(one?.id).not.toBe(other?.id);
  });

  test('what has no natural key has an identity of its own all the same', () => {
    const [one, other] = [raw('consumers', { tags: ['a'] }), raw('consumers', { tags: ['b'] })];
    const identities = allEntities(stateFrom([one, other])).map((entity) => entity.identity);
    expect(new Set(identities).size).toBe(2);
    for (const text of identities) expect(text).toMatch(/^#/);
  });
});

describe('addresses of targets', () => {
  test.each([
    ['host', 'host:8000'],
    ['host:80', 'host:80'],
    ['192.0.2.1', '192.0.2.1:8000'],
    ['::1', '[0000:0000:0000:0000:0000:0000:0000:0001]:8000'],
    ['[::1]:80', '[0000:0000:0000:0000:0000:0000:0000:0001]:80'],
    ['[2001:DB8::a]', '[2001:0db8:0000:0000:0000:0000:0000:000a]:8000'],
    ['::ffff:192.0.2.1', '[0000:0000:0000:0000:0000:ffff:c000:0201]:8000'],
    ['[no address]:80', '[no address]:80'],
  ])('%s is %s', (written, normal) => {
    expect(normalTarget(written)).toBe(normal);
    expect(normalTarget(normal)).toBe(normal);
  });
});
