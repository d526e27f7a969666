import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ask, started } from './ask.ts';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const empty = '0'.repeat(32);

async function node() {
  const { url } = await started({ flavour: 'dbless' });
  const push = (config: unknown, query = '') => ask(url, 'POST', `/config${query}`, config);
  const hash = async () => (await ask(url, 'GET', '/status')).body.configuration_hash;
  return { url, push, hash };
}

describe('a Kong without a database', () => {
  it('has the MD5 of the text it was given as its hash, and none before or for nothing', async () => {
    const { push, hash } = await node();
    expect(await hash()).toBe(empty);
    const text = JSON.stringify({ _format_version: '3.0', services: [{ name: 'a', host: 'a.example' }] });
    expect((await push({ config: text })).status).toBe(201);
    expect(await hash()).toBe(md5(text));
    expect((await push({ config: text }, '?check_hash=1')).status).toBe(304);
    expect((await push({ config: text }, '?check_hash=true')).status).toBe(201);
    expect((await push({ _format_version: '3.0' })).body).toEqual({});
    expect(await hash()).toBe(empty);
  });

  it('takes YAML, a form, and an object, and what it gives out itself', async () => {
    const { url, push } = await node();
    const yaml = "_format_version: '3.0'\nservices:\n- name: y\n  host: y.example\n";
    expect((await ask(url, 'POST', '/config', yaml, { 'content-type': 'text/yaml' })).status).toBe(201);
    expect((await ask(url, 'POST', '/config', yaml, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await push({ config: yaml })).status).toBe(201);
    const out = await ask(url, 'GET', '/config');
    expect((await push({ config: out.body.config })).status).toBe(201);
    expect((await ask(url, 'GET', '/services/y')).status).toBe(200);
    expect((await push({ config: 'a: b: c' })).body.fields).toEqual({ error: expect.any(String) });
  });

  it('keeps the old configuration when it refuses a new one', async () => {
    const { url, push, hash } = await node();
    await push({ _format_version: '3.0', services: [{ name: 'a', host: 'a.example' }] });
    const before = await hash();
    const refused = await push({ _format_version: '3.0', services: [{ name: 'b' }] });
    expect([refused.status, refused.body.code]).toEqual([400, 14]);
    expect(refused.body.fields.services[0]).toEqual({ host: expect.any(String) });
    expect(await hash()).toBe(before);
    expect((await ask(url, 'GET', '/services/a')).status).toBe(200);
  });

  it('resolves nesting and names, and derives the same ids each time', async () => {
    const { push } = await node();
    const config = {
      _format_version: '3.0',
      services: [{ name: 's', host: 'x.example', routes: [{ name: 'r', paths: ['/r'], plugins: [{ name: 'cors' }] }] }],
      consumers: [{ username: 'ann', basicauth_credentials: [{ username: 'ann', password: 'pw' }] }],
      acls: [{ consumer: 'ann', group: 'g' }],
    };
    const first = await push(config);
    const second = await push(config);
    const ids = (told: typeof first) => Object.values(told.body).flatMap((list) => Object.keys(list as object));
    expect(ids(second)).toEqual(ids(first));
    const [route] = Object.values<Record<string, unknown>>(first.body.routes);
    expect(route?.['service']).toEqual({ id: Object.keys(first.body.services)[0] });
    const [credential] = Object.values<Record<string, unknown>>(first.body.basicauth_credentials);
    expect(credential?.['password']).toBe('pw');
  });

  it('flattens what it can tell of one entity, and loses what it cannot', async () => {
    const { push } = await node();
    const bad = {
      _format_version: '3.0',
      services: [
        { name: 's', host: 'x.example', port: 99999, routes: [{ name: 'r', paths: ['/', 'x'], tags: ['t'] }] },
      ],
    };
    const flat = await push(bad, '?flatten_errors=1');
    expect(flat.body.fields).toEqual({});
    const byType = (type: string) =>
      flat.body.flattened_errors.find((entry: { entity_type: string }) => entry.entity_type === type);
    expect(byType('route')).toMatchObject({
      entity_name: 'r',
      entity_tags: ['t'],
      errors: [{ type: 'field', field: 'paths.2' }],
    });
    expect(byType('service').errors).toEqual([{ type: 'field', field: 'port', message: expect.any(String) }]);
    const dangling = { _format_version: '3.0', routes: [{ name: 'r', paths: ['/'], service: 'none' }] };
    expect((await push(dangling, '?flatten_errors=1')).body).toMatchObject({ fields: {}, flattened_errors: {} });
    expect((await push(dangling)).body.fields).toEqual({ routes: { r: [expect.any(String)] } });
  });

  it('tells duplicates at the place of the second', async () => {
    const { push } = await node();
    const twice = { name: 'x', host: 'a.example' };
    const told = await push({ _format_version: '3.0', services: [twice, twice] });
    expect(told.body.fields).toEqual({ services: [null, expect.any(String)] });
    const nested = { _format_version: '3.0', services: [{ ...twice, plugins: [{ name: 'cors' }, { name: 'cors' }] }] };
    expect((await push(nested)).body.fields).toEqual({ services: [{ plugins: [null, expect.any(String)] }] });
  });

  it('refuses what needs a database', async () => {
    const { push } = await node();
    const plugins = [{ name: 'rate-limiting', config: { minute: 1, policy: 'cluster' } }];
    const told = await push({ _format_version: '3.0', plugins });
    expect(told.body.fields).toEqual({ plugins: [{ config: { policy: expect.any(String) } }] });
  });

  it('has no writes but the whole, and says so after it looked at the body', async () => {
    const { url, push } = await node();
    await push({ _format_version: '3.0', services: [{ name: 'a', host: 'a.example' }] });
    const told = await Promise.all([
      ask(url, 'POST', '/services', { name: 'b', host: 'b.example' }),
      ask(url, 'POST', '/services', { name: 'b' }),
      ask(url, 'PUT', '/services/b', { host: 'b.example' }),
      ask(url, 'PATCH', '/services/a', { host: 'b.example' }),
      ask(url, 'PATCH', '/services/none', { host: 'b.example' }),
      ask(url, 'DELETE', '/services/a'),
      ask(url, 'DELETE', '/services/none'),
    ]);
    expect(told.map(({ status }) => status)).toEqual([405, 400, 405, 405, 404, 405, 204]);
  });

  it('filters a page after it was cut, so that a page may be empty before the last', async () => {
    const { url, push } = await node();
    const services = Array.from({ length: 6 }, (_, index) => ({
      id: `00000000-0000-4000-8000-00000000000${index}`,
      name: `s${index}`,
      host: 'x.example',
      tags: [index < 4 ? 'low' : 'high'],
    }));
    await push({ _format_version: '3.0', services });
    const first = await ask(url, 'GET', '/services?tags=high&size=3');
    expect([first.body.data, typeof first.body.next]).toEqual([[], 'string']);
    const second = await ask(url, 'GET', first.body.next);
    expect(second.body.data).toHaveLength(2);
    const last = await ask(url, 'GET', second.body.next);
    expect(last.body).toMatchObject({ data: [], next: null });
    expect((await ask(url, 'GET', '/services?offset=zz')).body).toEqual({ data: [], next: null });
  });

  it('keeps or loses its state over a restart, as its disk does', async () => {
    const emulator = await started({ flavour: 'dbless' });
    const config = { _format_version: '3.0', services: [{ name: 'a', host: 'a.example' }] };
    await ask(emulator.url, 'POST', '/config', config);
    emulator.restart(true);
    expect((await ask(emulator.url, 'GET', '/services')).body.data).toHaveLength(1);
    emulator.restart(false);
    expect((await ask(emulator.url, 'GET', '/services')).body.data).toHaveLength(0);
    expect((await ask(emulator.url, 'GET', '/status')).body.configuration_hash).toBe(empty);
  });

  it('links plugins to partials by a list of their own, where its edition has partials', async () => {
    const plugin = { id: '00000000-0000-4000-8000-000000000001', name: 'rate-limiting-advanced' };
    const partial = { id: '00000000-0000-4000-8000-000000000002', name: 'shared', type: 'redis-ee', config: {} };
    const config = (links: unknown) => ({
      _format_version: '3.0',
      partials: [partial],
      plugins: [{ ...plugin, config: { limit: [5], window_size: [60], sync_rate: -1 } }],
      plugins_partials: links,
    });
    const { url } = await started({ flavour: 'dbless', edition: 'enterprise', version: '3.13' });
    const link = { plugin: plugin.id, partial: partial.id, path: 'config.redis' };
    expect((await ask(url, 'POST', '/config', config([link]))).status).toBe(201);
    const live = await ask(url, 'GET', `/plugins/${plugin.id}`);
    expect(live.body.partials).toMatchObject([{ id: partial.id, path: 'config.redis' }]);
    const wrong = await ask(url, 'POST', '/config', config([{ ...link, plugin: 'none' }]));
    expect([wrong.status, wrong.body.fields.plugins_partials]).toEqual([400, [{ plugin: expect.any(String) }]]);
    const oss = await started({ flavour: 'dbless' });
    const refused = await ask(oss.url, 'POST', '/config', { _format_version: '3.0', plugins_partials: [] });
    expect(refused.body.fields.plugins_partials).toBeDefined();
  });
});
