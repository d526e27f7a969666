import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ask, started } from './ask.ts';

describe('a Kong with a database', () => {
  it('answers every field of an entity, with defaults, and takes it by name and by id', async () => {
    const { url } = await started();
    const made = await ask(url, 'POST', '/services', { name: 'shop', url: 'https://shop.example:8443/base?x=1' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ host: 'shop.example', port: 8443, path: '/base', protocol: 'https', retries: 5 });
    expect(made.body).not.toHaveProperty('url');
    expect((await ask(url, 'GET', '/services/shop')).body).toEqual(made.body);
    expect((await ask(url, 'GET', `/services/${made.body.id.toUpperCase()}`)).body).toEqual(made.body);
    expect((await ask(url, 'GET', '/services/none')).status).toBe(404);
  });

  it('tells faults by field, arrays with holes, and none of them in the words of a log', async () => {
    const { url } = await started();
    const wrong = await ask(url, 'POST', '/routes', { name: 'r', paths: ['/ok', 'no'], protocols: ['http'], extra: 1 });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toMatchObject({ code: 2, name: 'schema violation' });
    expect(wrong.body.fields.paths[0]).toBeNull();
    expect(wrong.body.fields.paths[1]).toEqual(expect.any(String));
    expect(wrong.body.fields.extra).toEqual(expect.any(String));
    const whole = await ask(url, 'POST', '/routes', { name: 'r' });
    expect(whole.body.fields['@entity']).toEqual([expect.any(String)]);
  });

  it('tells a taken name 409, a taken id 400, a reference to nothing 400', async () => {
    const { url } = await started();
    const first = await ask(url, 'PUT', '/services/a', { host: 'a.example' });
    const taken = await ask(url, 'POST', '/services', { name: 'a', host: 'b.example' });
    expect([taken.status, taken.body.code, taken.body.fields]).toEqual([409, 5, { name: 'a' }]);
    const sameId = await ask(url, 'POST', '/services', { id: first.body.id, name: 'b', host: 'b.example' });
    expect([sameId.status, sameId.body.code]).toEqual([400, 3]);
    const nothing = { id: '11111111-1111-4111-8111-111111111111' };
    const dangling = await ask(url, 'POST', '/routes', { paths: ['/x'], service: nothing });
    expect([dangling.status, dangling.body.code, dangling.body.fields]).toEqual([400, 4, { service: nothing }]);
    const unnamed = await ask(url, 'POST', '/routes', { paths: ['/x'], service: { name: 'zz' } });
    expect([unnamed.status, unnamed.body.code]).toEqual([400, 13]);
    const misshapen = await ask(url, 'POST', '/routes', { paths: ['/x'], service: { id: 'no-uuid' } });
    expect(misshapen.body).toMatchObject({ code: 2, fields: { service: { id: expect.any(String) } } });
    expect((await ask(url, 'GET', '/acls/no-uuid')).body).toMatchObject({ code: 1, name: 'invalid primary key' });
  });

  it('replaces on PUT, merges on PATCH, keeps null apart from missing', async () => {
    const { url } = await started();
    await ask(url, 'PUT', '/services/a', { host: 'a.example', retries: 9, tags: ['x', 'x', 'y'] });
    const patched = await ask(url, 'PATCH', '/services/a', { retries: null });
    expect(patched.body).toMatchObject({ retries: null, tags: ['x', 'y'], host: 'a.example' });
    expect((await ask(url, 'PUT', '/services/a', { host: 'b.example' })).body).toMatchObject({
      retries: 5,
      tags: null,
    });
    const upstream = await ask(url, 'PUT', '/upstreams/u', { healthchecks: { active: { http_path: '/h' } } });
    const deep = await ask(url, 'PATCH', '/upstreams/u', { healthchecks: { active: { healthy: { successes: 2 } } } });
    expect(deep.body.healthchecks.active.http_path).toBe(upstream.body.healthchecks.active.http_path);
    expect(deep.body.healthchecks.active.healthy.successes).toBe(2);
    expect((await ask(url, 'PATCH', '/services/none', { retries: 1 })).body).toMatchObject({ code: 6 });
  });

  it('answers the old names of a plugin field beside the new one, and refuses two that differ', async () => {
    const { url } = await started();
    const config = { minute: 5, policy: 'redis', redis_host: 'cache.example' };
    const made = await ask(url, 'POST', '/plugins', { name: 'rate-limiting', config });
    expect(made.body.config).toMatchObject({ redis_host: 'cache.example', redis: { host: 'cache.example' } });
    const path = `/plugins/${made.body.id}`;
    expect((await ask(url, 'PUT', path, made.body)).body.config).toEqual(made.body.config);
    const changed = { ...made.body, config: { ...made.body.config, redis: { ...made.body.config.redis, host: 'b' } } };
    expect((await ask(url, 'PUT', path, changed)).status).toBe(400);
    expect((await ask(url, 'PATCH', path, { config: { redis_host: 'b' } })).body.config.redis.host).toBe('b');
  });

  it('hashes a basic-auth password with the consumer, and only what was given', async () => {
    const { url } = await started();
    const { body: consumer } = await ask(url, 'PUT', '/consumers/ann', {});
    const made = await ask(url, 'POST', '/consumers/ann/basic-auth', { username: 'ann', password: 'pw' });
    const hash = createHash('sha1').update(`pw${consumer.id}`).digest('hex');
    expect(made.body.password).toBe(hash);
    const tagged = await ask(url, 'PATCH', `/consumers/ann/basic-auth/${made.body.id}`, { tags: ['t'] });
    expect(tagged.body.password).toBe(hash);
    const alone = await ask(url, 'PATCH', `/basic-auths/${made.body.id}`, { password: 'other' });
    expect([alone.status, Object.keys(alone.body.fields)]).toEqual([400, ['@entity']]);
  });

  it('gives targets a port, makes them by POST only, and lists the newest first', async () => {
    let time = 1_700_000_000_000;
    const { url } = await started({ now: () => (time += 10) });
    await ask(url, 'PUT', '/upstreams/u', {});
    const first = await ask(url, 'POST', '/upstreams/u/targets', { target: 'a.example' });
    expect(first.body).toMatchObject({ target: 'a.example:8000', weight: 100 });
    await ask(url, 'POST', '/upstreams/u/targets', { target: '[::1]:80' });
    expect((await ask(url, 'PUT', '/upstreams/u/targets/b.example:80', { weight: 1 })).status).toBe(404);
    expect((await ask(url, 'PUT', '/upstreams/u/targets/a.example:8000', { weight: 1 })).body.weight).toBe(1);
    const page = await ask(url, 'GET', '/upstreams/u/targets?size=1');
    expect(page.body.data[0].target).toBe('[0000:0000:0000:0000:0000:0000:0000:0001]:80');
    const rest = await ask(url, 'GET', page.body.next);
    expect([rest.body.data[0].target, rest.body.next]).toEqual(['a.example:8000', null]);
  });

  it('deletes what belongs to an entity, refuses what others need, and does not mind what is gone', async () => {
    const { url } = await started();
    await ask(url, 'PUT', '/services/a', { host: 'a.example' });
    await ask(url, 'PUT', '/services/a/routes/r', { paths: ['/r'] });
    await ask(url, 'POST', '/services/a/plugins', { name: 'cors' });
    const refused = await ask(url, 'DELETE', '/services/a');
    expect([refused.status, refused.body.fields]).toEqual([400, { '@referenced_by': 'routes' }]);
    expect((await ask(url, 'DELETE', '/routes/r')).status).toBe(204);
    expect((await ask(url, 'DELETE', '/services/a')).status).toBe(204);
    expect((await ask(url, 'GET', '/plugins')).body.data).toEqual([]);
    expect((await ask(url, 'DELETE', '/services/a')).status).toBe(204);
    expect((await ask(url, 'DELETE', '/services/a/plugins/cors')).status).toBe(404);
  });

  it('pages by token, filters by tags, and refuses what it cannot read', async () => {
    const { url } = await started();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await ask(url, 'PUT', `/services/${name}`, { host: 'x.example', tags: ['all', name < 'c' ? 'low' : 'high'] });
    }
    const seen: string[] = [];
    for (let next: string | null = '/services?size=2&tags=all'; next !== null; ) {
      const page = await ask(url, 'GET', next);
      seen.push(...page.body.data.map((service: { name: string }) => service.name));
      next = page.body.next;
    }
    expect(seen.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    const count = async (tags: string) => (await ask(url, 'GET', `/services?tags=${tags}`)).body.data.length;
    expect(await Promise.all(['all,low', 'low/high', 'low', 'none'].map(count))).toEqual([2, 5, 2, 0]);
    const refusals = ['?tags=', '?tags=a,b/c', '?size=0', '?size=x', '?offset=zz'];
    const told = await Promise.all(refusals.map((query) => ask(url, 'GET', `/services${query}`)));
    expect(told.map(({ body }) => body.code)).toEqual([11, 11, 9, 9, 7]);
  });

  it('answers as nginx does what Kong is never asked, and as Kong does what breaks it', async () => {
    const { url } = await started();
    const status = async (body: string, type: string) =>
      (await ask(url, 'POST', '/services', body, { 'content-type': type })).status;
    expect(await status('{"name":"a","host":"x"}', 'text/plain')).toBe(415);
    expect(await status('{"name":', 'application/json')).toBe(400);
    expect(await status('[1]', 'application/json')).toBe(500);
    expect(await status(`{"name":"${'x'.repeat(10 * 1024 * 1024)}"}`, 'application/json')).toBe(413);
    expect(await status('name=form&host=f.example&port=81&tags[]=a', 'application/x-www-form-urlencoded')).toBe(201);
    expect((await ask(url, 'GET', '/services/form')).body).toMatchObject({ port: 81, tags: ['a'] });
    expect((await ask(url, 'PUT', '/key-sets/named', {})).status).toBe(500);
    const matched = await ask(url, 'PUT', '/services/m', { host: 'x.example' }, { 'if-match': '"1"' });
    expect([matched.status, (await ask(url, 'GET', '/services/m')).status]).toEqual([412, 200]);
    expect((await ask(url, 'GET', `/services/${'x'.repeat(9_000)}`)).status).toBe(414);
    expect((await ask(url, 'GET', '/services', undefined, { 'x-long': 'x'.repeat(9_000) })).status).toBe(400);
    expect((await ask(url, 'DELETE', '/services')).status).toBe(405);
    expect((await ask(url, 'GET', '//services')).status).toBe(404);
  });

  it('serves schemas, checks bodies against them, and describes itself', async () => {
    const { url } = await started({ version: '3.9' });
    const about = await ask(url, 'GET', '/');
    expect(about.body).toMatchObject({ version: '3.9.3', configuration: { database: 'postgres' } });
    expect(Object.keys(about.body.plugins.available_on_server)).toContain('key-auth');
    expect((await ask(url, 'GET', '/schemas/plugins/key-auth')).body.fields).toEqual(expect.any(Array));
    const good = await ask(url, 'POST', '/schemas/services/validate', { name: 's', host: 'x.example' });
    expect(good.status).toBe(200);
    const bad = await ask(url, 'POST', '/schemas/plugins/validate', { name: 'no-such-plugin' });
    expect([bad.status, Object.keys(bad.body.fields)]).toEqual([400, ['name']]);
    expect((await ask(url, 'GET', '/status')).body).not.toHaveProperty('configuration_hash');
    expect((await ask(url, 'POST', '/config', { _format_version: '3.0' })).status).toBe(400);
  });

  it('lets a key go when its time to live is over', async () => {
    let time = 1_700_000_000_000;
    const { url } = await started({ now: () => time });
    await ask(url, 'PUT', '/consumers/ann', {});
    expect((await ask(url, 'POST', '/consumers/ann/key-auth', { key: 'k', ttl: 10 })).body.ttl).toBe(10);
    time += 4_000;
    expect((await ask(url, 'GET', '/key-auths/k')).body.ttl).toBe(6);
    time += 7_000;
    expect((await ask(url, 'GET', '/key-auths/k')).status).toBe(404);
    const again = await ask(url, 'POST', '/consumers/ann/key-auth', { key: 'k' });
    expect([again.status, again.body.ttl]).toEqual([201, null]);
    expect((await ask(url, 'PUT', `/key-auths/${again.body.id}`, again.body)).status).toBe(500);
  });

  it('goes to what an entity names, and through it, but does not delete it from there', async () => {
    const { url } = await started();
    await ask(url, 'PUT', '/routes/r', { paths: ['/r'] });
    expect((await ask(url, 'GET', '/routes/r/service')).status).toBe(404);
    const made = await ask(url, 'PUT', '/routes/r/service', { host: 'a.example' });
    expect((await ask(url, 'GET', '/routes/r')).body.service).toEqual({ id: made.body.id });
    expect((await ask(url, 'PATCH', '/routes/r/service', { retries: 1 })).body.retries).toBe(1);
    expect((await ask(url, 'DELETE', '/routes/r/service')).status).toBe(405);
  });

  it('keeps the entities of an Enterprise gateway by workspace, with groups and their members', async () => {
    const { url } = await started({ edition: 'enterprise' });
    expect((await ask(url, 'POST', '/workspaces', { name: 'team' })).status).toBe(201);
    await ask(url, 'PUT', '/team/services/a', { host: 'a.example' });
    expect((await ask(url, 'GET', '/services')).body.data).toEqual([]);
    expect((await ask(url, 'GET', '/team/services/a')).status).toBe(200);
    await ask(url, 'POST', '/consumer_groups', { name: 'gold' });
    await ask(url, 'PUT', '/consumers/ann', {});
    expect((await ask(url, 'POST', '/consumer_groups/gold/consumers', { consumer: 'ann' })).status).toBe(201);
    expect((await ask(url, 'POST', '/consumer_groups/gold/consumers', { consumer: 'ann' })).status).toBe(409);
    const groups = await ask(url, 'GET', '/consumers/ann/consumer_groups');
    expect(groups.body.data.map((group: { name: string }) => group.name)).toEqual(['gold']);
    await ask(url, 'DELETE', '/consumer_groups/gold');
    expect((await ask(url, 'GET', '/consumers/ann/consumer_groups')).body.data).toEqual([]);
  });
});
