import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { answeredForm } from '../../src/schema/defaults.ts';
import { fillEntity, normalEntity } from '../../src/schema/entity.ts';
import { entitySchema } from '../../src/schema/entity-schema.ts';
import { oss } from './schemas.ts';

function same(kind: KindName, target: JsonObject, live: JsonObject): boolean {
  const [a, b] = [normalEntity(oss, kind, target), normalEntity(oss, kind, live, target)];
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

describe('two versions of an entity', () => {
  it.each<[string, boolean, KindName, JsonObject, JsonObject]>([
    [
      'a default that was not written',
      true,
      'services',
      { host: 'a' },
      { host: 'a', port: 80, retries: 5, tags: null },
    ],
    ['null for a field with a default', false, 'services', { host: 'a', retries: null }, { host: 'a', retries: 5 }],
    ['null and an empty list', true, 'routes', { paths: ['/'], hosts: null }, { paths: ['/'], hosts: [], headers: {} }],
    ['tags in another order', true, 'services', { host: 'a', tags: ['x', 'y'] }, { host: 'a', tags: ['y', 'x'] }],
    ['tags written twice', true, 'services', { host: 'a', tags: ['x', 'x'] }, { host: 'a', tags: ['x'] }],
    ['paths in another order', false, 'routes', { paths: ['/a', '/b'] }, { paths: ['/b', '/a'] }],
    ['methods in another order', true, 'routes', { methods: ['GET', 'PUT'] }, { methods: ['PUT', 'GET'] }],
    ['ids and times', true, 'services', { host: 'a' }, { host: 'a', id: 'x', created_at: 1, updated_at: 2 }],
    ['a key that the server made', true, 'keyauth_credentials', {}, { key: 'made' }],
    ['a key that was written', false, 'keyauth_credentials', { key: 'a' }, { key: 'b' }],
    ['a time to live that counts down', true, 'keyauth_credentials', { key: 'a', ttl: 100 }, { key: 'a', ttl: 99 }],
    ['a time to live that was taken away', false, 'keyauth_credentials', { key: 'a' }, { key: 'a', ttl: 99 }],
    [
      'names that belong to a certificate',
      true,
      'certificates',
      { cert: 'c', key: 'k' },
      { cert: 'c', key: 'k', snis: ['a'] },
    ],
    [
      'a secret of a session that the server made',
      true,
      'plugins',
      { name: 'session' },
      { name: 'session', config: { secret: 'made' } },
    ],
    [
      'a hashed secret',
      true,
      'oauth2_credentials',
      { name: 'a', client_secret: 'x', hash_secret: true },
      { name: 'a', client_secret: '$pbkdf2-sha512$…', hash_secret: true },
    ],
    [
      'an address in full',
      true,
      'targets',
      { target: '[::1]:80' },
      { target: '[0000:0000:0000:0000:0000:0000:0000:0001]:80' },
    ],
    ['a URL', true, 'services', { url: 'http://a.test/x' }, { protocol: 'http', host: 'a.test', port: 80, path: '/x' }],
    [
      '1 and 1.0',
      true,
      'upstreams',
      { name: 'a', healthchecks: { threshold: 1.0 } },
      { name: 'a', healthchecks: { threshold: 1 } },
    ],
    ['an unknown field', false, 'services', { host: 'a', new_one: 1 }, { host: 'a' }],
  ])('%s: %s', (_name, expected, kind, target, live) => {
    expect(same(kind, target, live)).toBe(expected);
  });

  const redis = { minute: 1, policy: 'redis' };
  it.each<[string, boolean, JsonObject, JsonObject]>([
    ['the old name', true, { redis_host: 'r' }, { redis_host: 'r', redis: { host: 'r' } }],
    [
      'the new name',
      true,
      { redis: { host: 'r' } },
      { redis_host: 'r', redis_port: 6379, redis: { host: 'r', port: 6379 } },
    ],
    ['the new name of another', false, { redis: { host: 'r' } }, { redis_host: 's', redis: { host: 's' } }],
    ['the old name of another', false, { redis_host: 'r' }, { redis_host: 's', redis: { host: 's' } }],
  ])('a renamed field under %s: %s', (_name, expected, target, live) => {
    const plugin = (config: JsonObject) => ({ name: 'rate-limiting', config: { ...redis, ...config } });
    expect(same('plugins', plugin(target), plugin(live))).toBe(expected);
  });

  it('every plugin is the same as what a server makes and answers of it', () => {
    for (const name of oss.pluginNames) {
      const target = { name };
      const schema = entitySchema(oss, 'plugins', target);
      if (schema === undefined) throw new Error(name);
      expect(same('plugins', target, answeredForm(schema, fillEntity(oss, 'plugins', target))), name).toBe(true);
    }
  });
});
