import { describe, expect, it } from 'vitest';
import { ask, started } from './ask.ts';
import { id, plays, type Row, text, wrong } from './plays.ts';

describe('paths', () => {
  it('of the node', () =>
    plays([
      ['GET', '/metrics', undefined, 200],
      ['GET', '/proxy-cache', undefined, 405],
      ['DELETE', '/proxy-cache', undefined, 204],
      ['GET', '/proxy-cache/key', undefined, 404],
      ['GET', '/acme', undefined, 405],
      ['POST', '/acme', { host: 'a.test' }, 404],
      ['PATCH', '/acme', {}, 202],
      ['PUT', '/debug/node/log-level/debug', {}, 200],
      ['PUT', '/debug/node/log-level/loud', {}, 400],
      ['GET', '/status/ready', undefined, 404],
      ['GET', '/schemas', undefined, 404],
      ['GET', '/schemas/vaults/env', undefined, 200],
      ['GET', '/schemas/vaults/aws', undefined, 404],
      ['GET', '/schemas/workspaces', undefined, 200],
      ['GET', '/schemas/sessions', undefined, 200],
      ['PATCH', '/config', {}, 405],
      ['GET', '/config', undefined, 400],
      ['DELETE', '/targets', undefined, 404],
      ['GET', '/targets/x/upstream', undefined, 404],
      ['GET', '/filter-chains/x', undefined, 400],
    ]));

  it('of tags', () =>
    plays([
      ['PUT', '/services/a', { host: 'a.test', tags: ['x', 'y'] }, 200],
      ['PUT', '/consumers/c', { tags: ['x'] }, 200],
      ['GET', '/tags', undefined, 200, { data: [{ tag: 'x' }, { tag: 'x' }, { tag: 'y' }].map(() => ({ tag: text })) }],
      ['GET', '/tags/a%2Cb', undefined, 400, { code: 10, name: 'invalid unique tag' }],
      ['GET', '/tags?size=0', undefined, 400, { code: 9 }],
      ['GET', '/tags?offset=zz', undefined, 400, { code: 7 }],
    ]));
});

describe('keys in paths', () => {
  it('a name in the path counts, and the id of a body only where a name creates', () =>
    plays([
      ['PUT', '/services/a', { id: id(1), host: 'a.test', name: 'other' }, 200, { id: id(1), name: 'a' }],
      ['PUT', '/services/a', { id: id(2), host: 'b.test' }, 200, { id: id(1), host: 'b.test' }],
      ['PUT', '/services/b', { id: id(1), host: 'a.test' }, 400, { code: 3, fields: { id: id(1) } }],
      ['PUT', '/services/c', { id: 'nope', host: 'a.test' }, 400, wrong({ id: text })],
      ['PUT', `/services/${id(3).replace('8000', 'ABCD')}`, { host: 'a' }, 200, { id: id(3).replace('8000', 'abcd') }],
    ]));

  it('an endpoint key that can name nothing is refused for every method', () =>
    plays(
      (['GET', 'PATCH', 'DELETE', 'PUT'] as const).flatMap((method): Row[] => [
        [method, '/services/a%20b', method === 'GET' ? undefined : {}, 400, { code: 10, name: 'invalid unique name' }],
        [method, '/vaults/No_Pe', method === 'GET' ? undefined : {}, 400, { code: 10, name: 'invalid unique prefix' }],
        [method, '/ca_certificates/x', method === 'GET' ? undefined : {}, 400, { code: 1 }],
        [method, '/acls/g', method === 'GET' ? undefined : {}, 400, { code: 1, fields: { id: text } }],
      ]),
    ));

  it('a change of what is not there names the key', () =>
    plays([
      ['PATCH', '/key-sets/x', {}, 404, { code: 6, fields: { name: 'x' } }],
      ['PATCH', '/plugins/x', {}, 404, { code: 6, fields: { instance_name: 'x' } }],
      ['PATCH', '/vaults/nope', {}, 404, { code: 6, fields: { prefix: 'nope' } }],
      ['PATCH', '/key-auths/k', {}, 404, { code: 6, fields: { key: 'k' } }],
      ['PATCH', '/certificates/nope.test', {}, 404, { message: 'Not found' }],
    ]));

  it('a parent and what names it', () =>
    plays([
      ['PUT', '/services/s', { host: 'a.test' }, 200],
      ['PUT', '/services/s/routes/r', { paths: ['/a'] }, 200],
      ['PUT', '/routes/free', { paths: ['/f'] }, 200],
      ['PATCH', '/routes/r/service', { retries: 1 }, 200, { name: 's', retries: 1 }],
      ['DELETE', '/routes/r/service', undefined, 405],
      ['GET', '/routes/free/service', undefined, 404],
      ['PUT', '/routes/free/service', { host: 'made.test' }, 200, { host: 'made.test' }],
      ['GET', '/routes/free/service', undefined, 200, { host: 'made.test' }],
      ['PATCH', '/routes/nope/service', {}, 404],
      ['GET', '/consumers?custom_id=', undefined, 400],
    ]));
});

describe('what plugins store', () => {
  it('tokens belong to a credential and go with it', () =>
    plays([
      ['PUT', '/consumers/c', {}, 200],
      ['PUT', '/consumers/c/oauth2/cid', { name: 'app' }, 200],
      ['POST', '/oauth2_tokens', {}, 400, wrong({ credential: text, expires_in: text })],
      ['POST', '/oauth2/cid/oauth2_tokens', { expires_in: 5 }, 201, { token_type: 'bearer', access_token: text }],
      ['GET', '/oauth2/cid/oauth2_tokens', undefined, 200, { data: [{ expires_in: 5 }] }],
      ['DELETE', '/consumers/c', undefined, 204],
      ['GET', '/oauth2_tokens', undefined, 200, { data: [] }],
      ['POST', '/sessions', {}, 400, wrong({ session_id: text })],
      ['POST', '/acme_storage', {}, 201, { key: text, value: text }],
    ]));
});

describe('targets', () => {
  it('without weight are listed and not found, and a word on their health is PUT', () =>
    plays([
      ['PUT', '/upstreams/u.test', {}, 200],
      ['POST', '/upstreams/u.test/targets', { target: 'a.test:1', weight: 0 }, 201],
      ['GET', '/upstreams/u.test/targets/a.test:1', undefined, 404],
      ['GET', '/upstreams/u.test/targets', undefined, 200, { data: [{ weight: 0 }] }],
      ['PUT', '/upstreams/u.test/targets/a.test:1', { weight: 5 }, 200, { weight: 5 }],
      ['GET', '/upstreams/u.test/targets/a.test:1', undefined, 200],
      ['PUT', '/upstreams/u.test/targets/a.test:1/unhealthy', undefined, 204],
      ['POST', '/upstreams/u.test/targets/a.test:1/unhealthy', {}, 405],
      ['PUT', '/upstreams/u.test/targets/b.test:1/unhealthy', undefined, 404],
      ['POST', '/upstreams/u.test/targets', { target: '1.2.3:80' }, 400, wrong({ target: text })],
      ['POST', '/upstreams/u.test/targets', { target: '10.0.0.256' }, 400, wrong({ target: text })],
      ['POST', '/upstreams/u.test/targets', { target: '-a.test' }, 201, { target: '-a.test:8000' }],
    ]));
});

describe('bodies', () => {
  it('forms: one value is a list of one, nothing is null but in a text', async () => {
    const { url } = await started();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const post = (body: string, path = '/services') => ask(url, 'POST', path, body, form);
    expect((await post('name=a&host=a.test&tags=x&port=81&enabled=false')).body).toMatchObject({
      tags: ['x'],
      port: 81,
      enabled: false,
    });
    expect((await post('name=b&host=a.test&tags=x,y')).body).toMatchObject(wrong({ tags: [text] }));
    expect((await post('name=c&host=a.test&retries=')).body).toMatchObject({ retries: null });
    expect((await post('name=d&host=')).body).toMatchObject(wrong({ host: text }));
    expect((await post('name=e&host=a.test&tags[1]=x&tags[2]=y')).body).toMatchObject({ tags: ['x', 'y'] });
    const route = await post('paths[]=/a&headers.x-a[]=1&headers.x-a[]=2', '/services/a/routes');
    expect(route.body).toMatchObject({ paths: ['/a'], headers: { 'x-a': ['1', '2'] } });
  });

  it('multipart with a boundary of any case', async () => {
    const { url } = await started();
    const part = (name: string, value: string) =>
      `--XyZ\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = `${part('name', 'm')}${part('host', 'm.test')}--XyZ--\r\n`;
    const seen = await ask(url, 'POST', '/services', body, { 'content-type': 'multipart/form-data; boundary=XyZ' });
    expect(seen.body).toMatchObject({ name: 'm', host: 'm.test' });
  });

  it('take an empty list for an empty map, and the other way round', () =>
    plays([
      ['POST', '/services', { name: 'a', host: 'a.test', tags: {} }, 201, { tags: [] }],
      ['POST', '/plugins', { name: 'cors', config: [] }, 201, { config: { credentials: false } }],
      ['POST', '/routes', { name: 'r', paths: ['/a'], headers: [] }, 201, { headers: {} }],
    ]));

  it('references in every wrong form', () =>
    plays([
      ['PUT', '/services/s', { host: 'a' }, 200],
      ...[{}, [], 'x', 5, { id: 5 }, { id: 'x' }, { id: '' }, { name: null }, { bogus: 1 }].map(
        (service): Row => ['POST', '/routes', { paths: ['/a'], service }, 400, wrong({ service: { id: text } })],
      ),
      [
        'POST',
        '/routes',
        { paths: ['/a'], service: { name: 'zz' } },
        400,
        { code: 13, fields: { service: { name: text } } },
      ],
      ['POST', '/routes', { paths: ['/a'], service: { name: 's', bogus: 1 } }, 201],
    ]));

  it('shorthands that do not fit are told first and alone, and what they moved where it went', () =>
    plays([
      ['POST', '/services', { url: 5, port: 'x' }, 400, { fields: { url: text } }],
      ['POST', '/services', { url: '' }, 400, { fields: { url: text } }],
      [
        'POST',
        '/plugins',
        { name: 'rate-limiting', config: { minute: 1, redis_port: 'x', zz: 1 } },
        400,
        { fields: { redis_port: text } },
      ],
      [
        'POST',
        '/plugins',
        { name: 'rate-limiting', config: { minute: 1, redis_port: 70000 } },
        400,
        wrong({ config: { redis: { port: text } } }),
      ],
    ]));
});

describe('plugins', () => {
  it('must share a protocol with the route, or with a route of the service', () =>
    plays([
      ['PUT', '/services/s', { host: 'a' }, 200],
      ['POST', '/services/s/plugins', { name: 'key-auth', protocols: ['grpc'] }, 201],
      ['PUT', '/services/s/routes/r', { paths: ['/a'] }, 200],
      ['POST', '/services/s/plugins', { name: 'cors', protocols: ['grpc'] }, 400, wrong({ protocols: text })],
      ['POST', '/routes/r/plugins', { name: 'cors', protocols: ['grpc'] }, 400, wrong({ protocols: text })],
      ['POST', '/routes/r/plugins', { name: 'cors', protocols: ['grpc', 'http'] }, 201],
      ['POST', '/plugins', { name: 'cors', protocols: ['grpc'] }, 201],
    ]));

  it.each([
    ['proxy-cache', { strategy: 'memory', memory: { dictionary_name: 'nope' } }, { '@entity': [text] }],
    ['aws-lambda', { proxy_url: 'https://p.test' }, { '@entity': [text] }],
    ['aws-lambda', { proxy_url: 'nope' }, { config: { proxy_url: text } }],
    ['aws-lambda', { host: 'a b' }, { config: { host: text } }],
    [
      'zipkin',
      {
        static_tags: [
          { name: 'a', value: '1' },
          { name: 'a', value: '2' },
        ],
      },
      { config: { static_tags: text } },
    ],
    ['redirect', { location: 'nope' }, { config: { location: text } }],
    ['acme', { account_email: 'a@b.test', domains: ['a b'] }, { config: { domains: [text] } }],
    ['ldap-auth', { ldap_host: 'a:1', base_dn: 'x', attribute: 'cn' }, { config: { ldap_host: text } }],
    ['request-termination', { trigger: 'a b' }, { config: { trigger: text } }],
    ['rate-limiting', { minute: 1, redis: { host: 'a b' } }, { config: { redis: { host: text } } }],
    ['rate-limiting', { minute: 1, limit_by: 'path', path: '/ü' }, { config: { path: text } }],
    [
      'ai-proxy',
      {
        route_type: 'llm/v1/completions',
        logging: { log_statistics: true },
        model: { provider: 'anthropic', name: 'm', options: { anthropic_version: '1' } },
        auth: { header_name: 'a', header_value: 'b' },
      },
      { config: { '@entity': [text] } },
    ],
  ])('%s refuses %j', (name, config, fields) => plays([['POST', '/plugins', { name, config }, 400, { fields }]]));

  it('a path that only the old router can run is a fault of the route', () =>
    plays([['POST', '/routes', { paths: ['~/a(?=b)'] }, 400, { fields: { '@entity': [text] } }]]));
});
