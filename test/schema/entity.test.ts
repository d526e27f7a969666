import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { checkEntity, fillEntity } from '../../src/schema/entity.ts';
import { certificate, privateKey, publicPair } from '../support/pem.ts';
import { oss, told, wrong } from './schemas.ts';

const consumer = { id: '00000000-0000-4000-8000-000000000001' };

describe('what Kong checks that no document says', () => {
  it.each<[string, KindName, JsonObject, readonly string[]]>([
    ['a service', 'services', { name: 'a-b.c_d~1', host: 'a.test', path: '/x%20y' }, []],
    ['a name beyond ASCII', 'services', { name: 'größe', host: 'a.test' }, []],
    ['a name with a space', 'services', { name: 'a b', host: 'a.test' }, ['name format']],
    ['a name with a slash', 'services', { name: 'a/b', host: 'a.test' }, ['name format']],
    ['a host with a port', 'services', { host: 'a.test:80' }, ['host format']],
    ['an address as a host', 'services', { host: '[::1]' }, []],
    ['four numbers that are no address', 'services', { host: '10.0.0.256' }, ['host format']],
    ['a host with a space', 'services', { host: 'a b' }, ['host format']],
    ['a path beyond ASCII', 'services', { host: 'a.test', path: '/é' }, ['path format']],
    ['a broken percent triplet', 'services', { host: 'a.test', path: '/%zz' }, ['path format']],
    ['tags', 'services', { host: 'a.test', tags: ['team a', 'ü', 'x:y'] }, []],
    [
      'tags that cannot be asked for',
      'services',
      { host: 'a.test', tags: ['ok', 'a,b', 'a/b'] },
      ['tags/1 format', 'tags/2 format'],
    ],
    [
      'a client certificate without TLS',
      'services',
      { host: 'a.test', client_certificate: consumer },
      ['client_certificate conditional'],
    ],
    ['a URL', 'services', { url: 'https://a.test:8443/x?q=1' }, []],
    ['no URL', 'services', { url: 'not a url' }, ['host required', 'path pattern']],
    ['a URL of another kind', 'services', { url: 'ftp://a.test' }, ['protocol one-of']],
    ['an upstream', 'upstreams', { name: 'a.test' }, []],
    ['an upstream that is an address', 'upstreams', { name: '10.0.0.1' }, ['name format']],
    ['an upstream with a port', 'upstreams', { name: 'a:80' }, ['name format']],
    ['hashing without its field', 'upstreams', { name: 'a', hash_on: 'header' }, ['hash_on_header conditional']],
    ['a header name', 'upstreams', { name: 'a', hash_on: 'header', hash_on_header: 'X y' }, ['hash_on_header format']],
    ['a target', 'targets', { upstream: consumer, target: 'a.test:80' }, []],
    ['a target of IPv6', 'targets', { upstream: consumer, target: '[::1]:80' }, []],
    ['no target', 'targets', { upstream: consumer, target: 'a b' }, ['target format']],
    ['a port beyond', 'targets', { upstream: consumer, target: 'a:99999' }, ['target format']],
    ['an SNI', 'snis', { name: '*.a.test', certificate: consumer }, []],
    ['every name', 'snis', { name: '*', certificate: consumer }, []],
    ['a wildcard in a label', 'snis', { name: '*a.test', certificate: consumer }, []],
    ['two wildcards', 'snis', { name: '*.a.*', certificate: consumer }, ['name format']],
    ['a wildcard inside', 'snis', { name: 'a.*.test', certificate: consumer }, ['name format']],
    ['an SNI that is an address', 'snis', { name: '10.0.0.1', certificate: consumer }, ['name format']],
    ['an SNI with a port', 'snis', { name: 'a.test:443', certificate: consumer }, ['name format']],
    ['a consumer without a name', 'consumers', {}, ['at-least-one-of @entity']],
    ['a credential without its consumer', 'keyauth_credentials', { key: 'k' }, ['consumer required']],
    ['a key with a time to live', 'keyauth_credentials', { consumer, key: 'k', ttl: 10 }, []],
    [
      'redirections',
      'oauth2_credentials',
      { consumer, name: 'a', redirect_uris: ['https://a.test/cb', 'nope', 'https://a.test/#f'] },
      ['redirect_uris/1 format', 'redirect_uris/2 format'],
    ],
    ['a vault', 'vaults', { name: 'env', prefix: 'my-env', config: { prefix: 'KONG_' } }, []],
    ['a vault type that is not there', 'vaults', { name: 'aws', prefix: 'my-aws' }, ['name unknown-vault-type']],
    ['a prefix that is taken', 'vaults', { name: 'env', prefix: 'env' }, ['prefix one-of']],
  ])('%s', (_name, kind, value, expected) => {
    expect(wrong(kind, value)).toEqual(expected);
  });
});

describe('routes', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['by path', { paths: ['/a', '/trail/', '/é', '~/a/(?<id>\\d+)$'] }, []],
    ['by nothing', {}, ['conditional-at-least-one-of @entity']],
    ['by SNI without TLS', { protocols: ['http'], snis: ['a.test'], paths: ['/'] }, ['snis conditional']],
    ['by SNI', { protocols: ['https'], snis: ['a.test'] }, []],
    ['TCP by nothing', { protocols: ['tcp'] }, ['conditional-at-least-one-of @entity']],
    ['TCP by path', { protocols: ['tcp'], paths: ['/x'], sources: [{ port: 1 }] }, ['paths conditional']],
    ['TCP by source', { protocols: ['tcp'], sources: [{ ip: '10.0.0.0/8' }, { port: 99 }] }, []],
    ['a source of nothing', { protocols: ['tcp'], sources: [{}] }, ['sources/0 at-least-one-of @entity']],
    ['a source of no block', { protocols: ['tcp'], sources: [{ ip: '10.0.0.0/99' }] }, ['sources/0/ip format']],
    ['HTTP by source', { paths: ['/'], sources: [{ port: 1 }] }, ['sources conditional']],
    [
      'protocols that exclude each other',
      { protocols: ['http', 'tcp'], paths: ['/'] },
      ['protocols mutually-exclusive'],
    ],
    ['gRPC', { protocols: ['grpc'], paths: ['/x'] }, []],
    ['gRPC with a stripped path', { protocols: ['grpc'], paths: ['/x'], strip_path: true }, ['strip_path conditional']],
    ['passthrough by SNI', { protocols: ['tls_passthrough'], snis: ['a.test'] }, []],
    ['hosts', { hosts: ['a.test', '*.a.test', 'a.*', 'a.test:8000'] }, []],
    ['no hosts', { hosts: ['a b', '*.*', 'http://x'] }, ['hosts/0 format', 'hosts/1 pattern', 'hosts/2 format']],
    ['a port beyond', { hosts: ['a.test:70000'] }, ['hosts/0 format']],
    ['a range the wrong way round', { paths: ['~/[z-a]+', '~/[\\w-a]+'] }, ['paths/0 format']],
    ['a path without a slash', { paths: ['a'] }, ['paths/0 pattern']],
    [
      'a path that would never match',
      { paths: ['/a%20b', '/a/../b', '/%2f', '/%2F'] },
      ['paths/0 format', 'paths/1 format', 'paths/2 format'],
    ],
    ['no regular expression', { paths: ['~/a/('] }, ['paths/0 format']],
    ['methods', { methods: ['GET', 'get', 'CUSTOM'] }, ['methods/1 pattern']],
    ['the host as a header', { headers: { Host: ['a'] } }, ['headers/Host pattern']],
    ['no header', { headers: { 'a b': ['x'] } }, ['headers/a b format']],
    ['an expression, which another router takes', { expression: 'http.path == "/"' }, ['expression unknown-field']],
  ])('%s', (_name, value, expected) => {
    expect(wrong('routes', value)).toEqual(expected);
  });

  it('say how a path is written so that it matches', () => {
    const [fault] = checkEntity(oss, 'routes', { paths: ['/a%7e/%c3%a9/./x'] });
    expect(fault?.hint).toBe('Write "/a~/é/x".');
  });

  it('match by an expression alone where the router takes one', async () => {
    const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'expressions' });
    const check = (value: JsonObject) => told(checkEntity(schemas, 'routes', value));
    expect(check({ expression: 'http.path == "/"', priority: 1 })).toEqual([]);
    expect(check({ expression: 'http.path == "/"', paths: ['/'] })).toEqual(['paths conditional']);
    expect(check({ paths: ['/'] })).toEqual([]);
  });
});

describe('plugins', () => {
  const route = consumer;
  it.each<[string, JsonObject, readonly string[]]>([
    ['one that is not there', { name: 'rate-limitng' }, ['name unknown-plugin']],
    ['one without a name', {}, ['name required']],
    ['a misspelt field', { name: 'rate-limiting', config: { minut: 1, hour: 2 } }, ['config/minut unknown-field']],
    ['limits that shrink', { name: 'rate-limiting', config: { minute: 10, hour: 5 } }, ['config custom']],
    ['limits that grow', { name: 'rate-limiting', config: { minute: 5, hour: 5 } }, []],
    [
      'limits of one header',
      { name: 'response-ratelimiting', config: { limits: { sms: { minute: 9, day: 1 } } } },
      ['config/limits/sms custom'],
    ],
    ['no configuration', { name: 'rate-limiting', config: 'x' }, ['config type', 'at-least-one-of @entity']],
    ['a scope it refuses', { name: 'key-auth', consumer }, ['consumer not-allowed']],
    ['a scope it has', { name: 'cors', route }, []],
    ['a protocol it does not know', { name: 'cors', protocols: ['tcp'] }, ['protocols/0 one-of']],
    ['null for what is required', { name: 'cors', config: null }, ['config required']],
    ['either, not both', { name: 'acl', config: { allow: ['a'], deny: ['b'] } }, ['only-one-of @entity']],
    [
      'addresses',
      { name: 'ip-restriction', config: { allow: ['10.0.0.1', 'fe80::/10', 'x'] } },
      ['config/allow/2 format'],
    ],
    ['Lua', { name: 'pre-function', config: { access: ['return ((', 'return 1'] } }, ['config/access/0 format']],
    [
      'a rate to synchronise at without Redis',
      { name: 'rate-limiting', config: { minute: 1, sync_rate: 9 } },
      ['config custom'],
    ],
    [
      'origins',
      { name: 'cors', config: { origins: ['*', 'https://a.test', '^https://.*[.]a[.]test$', 'https://(.*.a.test'] } },
      ['config/origins/3 format'],
    ],
    [
      'headers',
      {
        name: 'request-transformer',
        config: { add: { headers: ['x-a:1', 'x a:1'] }, rename: { headers: ['x-a:x b'] } },
      },
      ['config/rename/headers/0 format', 'config/add/headers/1 format'],
    ],
    [
      'a limit of nothing',
      { name: 'response-ratelimiting', config: { limits: { sms: {} } } },
      ['config/limits/sms at-least-one-of @entity'],
    ],
    ['grants', { name: 'oauth2' }, ['config custom']],
    ['a URL', { name: 'http-log', config: { http_endpoint: 'nowhere' } }, ['config/http_endpoint format']],
    ['a URL in a vault', { name: 'http-log', config: { http_endpoint: '{vault://env/url}' } }, []],
    [
      'an ending with two bodies',
      { name: 'request-termination', config: { message: 'a', body: 'b' } },
      ['config custom'],
    ],
    ['a name with a space', { name: 'cors', instance_name: 'my cors' }, ['instance_name format']],
    ['old names', { name: 'rate-limiting', config: { minute: 1, policy: 'redis', redis_host: 'r.test' } }, []],
    [
      'a policy without its host',
      { name: 'rate-limiting', config: { minute: 1, policy: 'redis' } },
      ['config/redis/host conditional'],
    ],
  ])('%s', (_name, value, expected) => {
    expect(wrong('plugins', value)).toEqual(expected);
  });

  it('suggest the plugin that was meant', () => {
    expect(checkEntity(oss, 'plugins', { name: 'rate-limitng' })[0]?.hint).toBe('Did you mean "rate-limiting"?');
  });
});

describe('key material', () => {
  const ec = certificate({ commonName: 'a.test' });
  const rsa = certificate({ commonName: 'a.test', keyType: 'rsa' });
  const ca = certificate({ commonName: 'ca', authority: true });
  const { publicKey } = publicPair('rsa');
  const jwk = (kid: string) =>
    JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid });

  it.each<[string, KindName, JsonObject, readonly string[]]>([
    ['a pair', 'certificates', { cert: ec.cert, key: ec.key }, []],
    ['two pairs', 'certificates', { cert: ec.cert, key: ec.key, cert_alt: rsa.cert, key_alt: rsa.key }, []],
    ['a key of another', 'certificates', { cert: ec.cert, key: privateKey() }, ['custom @entity']],
    [
      'two pairs of one type',
      'certificates',
      { cert: ec.cert, key: ec.key, cert_alt: ec.cert, key_alt: ec.key },
      ['custom @entity'],
    ],
    [
      'half of a second pair',
      'certificates',
      { cert: ec.cert, key: ec.key, cert_alt: rsa.cert },
      ['mutually-required @entity'],
    ],
    ['no certificate', 'certificates', { cert: 'x', key: ec.key }, ['cert format']],
    ['no key', 'certificates', { cert: ec.cert, key: 'x' }, ['key format']],
    ['a key in a vault', 'certificates', { cert: ec.cert, key: '{vault://env/key}' }, []],
    ['a name twice', 'certificates', { cert: ec.cert, key: ec.key, snis: ['a.test', 'a.test'] }, ['snis format']],
    ['an authority', 'ca_certificates', { cert: ca.cert }, []],
    ['no authority', 'ca_certificates', { cert: ec.cert }, ['custom @entity']],
    ['a bundle', 'ca_certificates', { cert: `${ca.cert}\n${ca.cert}` }, ['custom @entity']],
    ['a JWK', 'keys', { name: 'k', kid: 'a', jwk: jwk('a') }, []],
    ['a JWK of another id', 'keys', { name: 'k', kid: 'a', jwk: jwk('b') }, ['custom @entity']],
    ['a JWK of no key', 'keys', { name: 'k', kid: 'a', jwk: '{"kty":"oct","k":"AA","kid":"a"}' }, ['custom @entity']],
    ['no JSON', 'keys', { name: 'k', kid: 'a', jwk: '{nope' }, ['custom @entity']],
    ['a public key', 'keys', { name: 'k', kid: 'a', pem: { public_key: publicKey } }, []],
    ['no public key', 'keys', { name: 'k', kid: 'a', pem: { public_key: 'x' } }, ['pem custom']],
    [
      'both forms',
      'keys',
      { name: 'k', kid: 'a', jwk: jwk('a'), pem: { public_key: publicKey } },
      ['mutually-exclusive @entity'],
    ],
    ['a signature by key', 'jwt_secrets', { consumer, key: 'i', algorithm: 'RS256', rsa_public_key: publicKey }, []],
    [
      'a signature without its key',
      'jwt_secrets',
      { consumer, key: 'i', algorithm: 'RS256' },
      ['rsa_public_key conditional'],
    ],
    [
      'a signature by no key',
      'jwt_secrets',
      { consumer, key: 'i', algorithm: 'RS256', rsa_public_key: 'x' },
      ['rsa_public_key conditional'],
    ],
  ])('%s', (_name, kind, value, expected) => {
    expect(wrong(kind, value)).toEqual(expected);
  });

  it('never shows in what is said', () => {
    const said = JSON.stringify(
      checkEntity(oss, 'certificates', { cert: ec.cert, key: privateKey(), key_alt: 'hunter2' }),
    );
    expect(said).not.toMatch(/BEGIN|hunter2/);
  });
});

describe('what Kong changes on write', () => {
  it('takes a URL apart, which wins over its parts', () => {
    const filled = fillEntity(oss, 'services', { url: 'https://a.test/x?q=1', host: 'other.test' });
    expect(filled).toMatchObject({ protocol: 'https', host: 'a.test', port: 443, path: '/x' });
    expect(filled).not.toHaveProperty('url');
    expect(fillEntity(oss, 'services', { url: 'http://a.test' })).toMatchObject({ port: 80, path: null });
  });

  it('does not strip the path of gRPC', () => {
    expect(fillEntity(oss, 'routes', { paths: ['/'], protocols: ['grpc'] })).toMatchObject({ strip_path: false });
    expect(fillEntity(oss, 'routes', { paths: ['/'] })).toMatchObject({ strip_path: true });
  });

  it('writes a target in full', () => {
    expect(fillEntity(oss, 'targets', { target: 'a.test' })).toMatchObject({ target: 'a.test:8000', weight: 100 });
  });

  it('balances as the hashing asks for', () => {
    const hashed = fillEntity(oss, 'upstreams', { name: 'a', hash_on: 'ip' });
    expect(hashed).toMatchObject({ algorithm: 'consistent-hashing', hash_on: 'ip' });
    expect(fillEntity(oss, 'upstreams', { name: 'a', algorithm: 'least-connections' })).toMatchObject({
      hash_on: 'none',
    });
    expect(fillEntity(oss, 'upstreams', { name: 'a' })).toMatchObject({ algorithm: 'round-robin', hash_on: 'none' });
  });
});
