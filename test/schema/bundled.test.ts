import { describe, expect, it } from 'vitest';
import { isJsonObject, type Json } from '../../src/model/json.ts';
import { kindsInOrder } from '../../src/model/kinds.ts';
import { type KongFlavor, loadSchemas } from '../../src/schema/bundled.ts';
import { document as served } from '../../src/schema/documents/kong-3.9.ts';
import { checkEntity, fillEntity } from '../../src/schema/entity.ts';
import { pluginSchema } from '../../src/schema/entity-schema.ts';
import { told } from './schemas.ts';

const load = (version: string, edition: KongFlavor['edition']) =>
  loadSchemas({ version, edition, router: 'traditional_compatible' });

const versions = ['3.4', '3.5', '3.6', '3.7', '3.8', '3.9', '3.10', '3.11', '3.12', '3.13', '3.14', '3.15', 'any'];
const flavors = versions.flatMap((version) =>
  (['oss', 'enterprise'] as const).map((edition) => [version, edition] as const),
);

function withoutNulls(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]));
}

describe('bundled schemas', () => {
  it.each(flavors)('of %s %s know their plugins, whose defaults they accept', async (version, edition) => {
    const schemas = await load(version, edition);
    expect(schemas.pluginNames.length).toBeGreaterThan(edition === 'oss' ? 36 : 74);
    for (const name of schemas.pluginNames) {
      // The defaults of all versions together are those of no Kong: what is null is left out of them.
      const all = fillEntity(schemas, 'plugins', { name });
      expect(isJsonObject(all['config']), name).toBe(true);
      const filled = version === 'any' ? { name, config: withoutNulls(all['config'] ?? null) } : all;
      // Only what nobody wrote may be wanting, never what the schema itself put there.
      const faults = checkEntity(schemas, 'plugins', filled).filter(({ code, ofEntity, path }) => {
        return !ofEntity && code !== 'required' && code !== 'conditional' && path.length > 1;
      });
      expect(told(faults), name).toEqual([]);
    }
  });

  it('of an edition have its kinds', async () => {
    const [oss, enterprise] = [await load('3.9', 'oss'), await load('3.9', 'enterprise')];
    for (const kind of kindsInOrder) {
      expect(oss.entity(kind.name) !== undefined, kind.name).toBe(kind.edition === 'oss');
      expect(enterprise.entity(kind.name), kind.name).toBeDefined();
    }
    expect(oss.entity('nothing')).toBeUndefined();
    expect(oss.entity('constructor')).toBeUndefined();
    expect(oss.plugin('constructor')).toBeUndefined();
  });

  it('differ by edition in plugins, scopes and fields', async () => {
    const [oss, enterprise] = [await load('3.9', 'oss'), await load('3.9', 'enterprise')];
    expect(oss.plugin('openid-connect')).toBeUndefined();
    expect(enterprise.plugin('openid-connect')).toBeDefined();
    const grouped = { name: 'rate-limiting', config: { minute: 1 }, consumer_group: { name: 'gold' } };
    expect(told(checkEntity(oss, 'plugins', grouped))).toEqual(['consumer_group unknown-field']);
    expect(checkEntity(enterprise, 'plugins', grouped)).toEqual([]);
    const cors = { name: 'cors', consumer_group: { name: 'gold' }, ordering: { before: { access: ['acl'] } } };
    expect(told(checkEntity(enterprise, 'plugins', cors))).toEqual(['consumer_group not-allowed']);
    expect(checkEntity(enterprise, 'routes', { protocols: ['ws'], paths: ['/'] })).toEqual([]);
    expect(told(checkEntity(oss, 'routes', { protocols: ['ws'], paths: ['/'] }))).toEqual(['protocols/0 one-of']);
  });

  it('differ by version, and any takes what one of them takes', async () => {
    const [old, recent, any] = [
      await load('3.4', 'enterprise'),
      await load('3.15', 'enterprise'),
      await load('any', 'enterprise'),
    ];
    const realms = { name: 'key-auth', config: { identity_realms: [{ scope: 'cp' }] } };
    expect(told(checkEntity(old, 'plugins', realms))).toEqual(['config/identity_realms unknown-field']);
    expect(checkEntity(recent, 'plugins', realms)).toEqual([]);
    expect(checkEntity(any, 'plugins', realms)).toEqual([]);
    const newcomers = recent.pluginNames.filter((name) => !old.pluginNames.includes(name));
    expect(newcomers.length).toBeGreaterThan(10);
    expect(any.pluginNames).toEqual(expect.arrayContaining([...newcomers, ...old.pluginNames]));
  });

  it('keep what 3.9 says between fields, and old names, in other versions', async () => {
    for (const version of ['3.4', '3.7', '3.15', 'any']) {
      const schemas = await load(version, 'oss');
      expect(told(checkEntity(schemas, 'plugins', { name: 'rate-limiting' })), version).toEqual([
        'at-least-one-of @entity',
      ]);
      const named = { name: 'rate-limiting', config: { minute: 1, policy: 'redis', redis_host: 'r' } };
      expect(checkEntity(schemas, 'plugins', named), version).toEqual([]);
      expect(told(checkEntity(schemas, 'plugins', { name: 'key-auth', consumer: { id: 'x' } }))).toEqual([
        'consumer not-allowed',
      ]);
    }
  });

  it('tell what partials a plugin takes, and check them', async () => {
    const schemas = await load('3.15', 'enterprise');
    expect(pluginSchema(schemas, 'rate-limiting-advanced')?.supported_partials).toContainEqual({
      type: 'redis-ee',
      paths: ['config.redis'],
    });
    const linked = { name: 'rate-limiting', config: { minute: 1, policy: 'redis' } };
    expect(told(checkEntity(schemas, 'plugins', linked))).toEqual(['config/redis/host conditional']);
    expect(checkEntity(schemas, 'plugins', { ...linked, partials: [{ name: 'r' }] })).toEqual([]);
    expect(checkEntity(schemas, 'partials', { name: 'r', type: 'redis-ee', config: { host: 'r.test' } })).toEqual([]);
    expect(told(checkEntity(schemas, 'partials', { name: 'r', type: 'redis-ee', config: { hots: 'r' } }))).toEqual([
      'config/hots unknown-field',
    ]);
    expect(told(checkEntity(schemas, 'partials', { name: 'r', type: 'redis' }))).toContain('type unknown-partial-type');
  });

  it('hold facts, and no words for people', () => {
    const wordy: string[] = [];
    const walk = (value: Json, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        const isWord = typeof inner === 'string' && /^(?:description|err|then_err|message)$/.test(key);
        if (isWord) wordy.push(`${path}/${key}`);
        walk(inner as Json, `${path}/${key}`);
      }
    };
    walk(served as Json, '');
    expect(wordy).toEqual([]);
  });
});

it.each([
  ['3.4', 'session', 'cookie_lifetime', [['rolling_timeout']]],
  ['3.4', 'openid-connect', 'session_cookie_lifetime', [['session_rolling_timeout']]],
  ['3.4', 'openid-connect', 'authorization_cookie_samesite', [['authorization_cookie_same_site']]],
  ['3.4', 'openid-connect', 'session_redis_cluster_maxredirections', [['session_redis_cluster_max_redirections']]],
  ['3.9', 'openid-connect', 'session_redis_cluster_maxredirections', [['redis', 'cluster_max_redirections']]],
  ['3.4', 'saml', 'session_memcache_host', [['session_memcached_host']]],
  ['3.9', 'saml', 'session_compressor', []],
] as const)('Kong %s moves %s\'s old field "%s" to where it is now', async (version, plugin, field, paths) => {
  const schemas = await load(version, 'enterprise');
  const old = schemas.plugin(plugin)?.fields['config']?.shorthand_fields?.find(({ name }) => name === field);
  expect(old?.paths).toEqual(paths);
});
