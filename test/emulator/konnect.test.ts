import { describe, expect, it } from 'vitest';
import { ask, started } from './ask.ts';

const token = { authorization: 'Bearer any' };
const someId = '11111111-1111-4111-8111-111111111111';

async function plane() {
  const emulator = await started({ flavour: 'konnect', controlPlanes: ['prod', 'staging'] });
  const call = (method: string, path: string, body?: unknown) => ask(emulator.url, method, path, body, token);
  const found = await call('GET', '/v2/control-planes?filter%5Bname%5D%5Beq%5D=prod');
  const prefix = `/v2/control-planes/${found.body.data[0].id}`;
  return { emulator, call, prefix, core: `${prefix}/core-entities`, found };
}

describe('a Konnect control plane', () => {
  it('is found by its name, and not without a token', async () => {
    const { emulator, call, found } = await plane();
    expect(found.body.data.map((one: { name: string }) => one.name)).toEqual(['prod']);
    expect(found.body.meta.page).toMatchObject({ total: 1, number: 1 });
    expect((await call('GET', '/v2/control-planes')).body.data).toHaveLength(2);
    expect((await ask(emulator.url, 'GET', '/v2/control-planes')).status).toBe(401);
    expect((await call('GET', `/v2/control-planes/${someId}`)).status).toBe(404);
    expect((await call('POST', '/v2/control-planes', { name: 'prod' })).status).toBe(409);
  });

  it('takes PUT by id alone and no PATCH, and lists in pages', async () => {
    const { call, core } = await plane();
    expect((await call('PUT', `${core}/services/${someId}`, { name: 'a', host: 'a.example' })).status).toBe(200);
    expect((await call('PUT', `${core}/services/named`, { host: 'a.example' })).status).toBe(400);
    expect((await call('PATCH', `${core}/services/${someId}`, { host: 'b.example' })).status).toBe(405);
    await call('POST', `${core}/services`, { name: 'b', host: 'b.example' });
    const first = await call('GET', `${core}/services?size=1`);
    const second = await call('GET', first.body.next);
    expect([...first.body.data, ...second.body.data].map((one) => one.name).sort()).toEqual(['a', 'b']);
    expect((await call('DELETE', `${core}/services/${someId}`)).status).toBe(204);
    const gone = await call('GET', `${core}/services/${someId}`);
    expect([gone.status, gone.body.code]).toEqual([404, 5]);
  });

  it('takes credentials and targets under their parents only, and lists them flat', async () => {
    const { call, core } = await plane();
    const consumer = await call('POST', `${core}/consumers`, { username: 'ann' });
    const upstream = await call('POST', `${core}/upstreams`, { name: 'u' });
    const key = { key: 'k', consumer: { id: consumer.body.id } };
    expect((await call('POST', `${core}/key-auths`, key)).status).toBe(405);
    const own = `${core}/consumers/${consumer.body.id}/key-auth/${someId}`;
    expect((await call('PUT', own, { key: 'k' })).status).toBe(200);
    expect((await call('GET', `${core}/key-auths`)).body.data).toHaveLength(1);
    const target = `${core}/upstreams/${upstream.body.id}/targets/${someId}`;
    expect((await call('PUT', target, { target: 't.example:80', weight: 10 })).status).toBe(200);
    expect((await call('PUT', target, { target: 't.example:80', weight: 20 })).body.weight).toBe(20);
    expect((await call('GET', `${core}/targets`)).body.data).toHaveLength(1);
    expect((await call('POST', `${core}/consumers/${consumer.body.id}/oauth2`, { name: 'x' })).status).toBe(404);
  });

  it('refuses in the words of gRPC: fields, entities, and what clashes', async () => {
    const { call, core } = await plane();
    const bad = await call('POST', `${core}/services`, { name: 'a', port: 'x' });
    expect([bad.status, bad.body.code, bad.body.message]).toEqual([400, 3, 'validation error']);
    const fields = bad.body.details.map((one: { field: string }) => one.field).sort();
    expect(fields).toEqual(['host', 'port']);
    await call('POST', `${core}/services`, { name: 'a', host: 'a.example' });
    const clash = await call('POST', `${core}/services`, { name: 'a', host: 'a.example' });
    expect(clash.body).toMatchObject({
      code: 3,
      message: 'data constraint error',
      details: [{ type: 'ERROR_TYPE_REFERENCE', field: 'name' }],
    });
    expect((await call('POST', `${core}/certificates`, { cert: 'x', key: 'x', snis: [] })).body.details[0].field).toBe(
      'snis',
    );
  });

  it('knows the members of a group, and how far its data planes are', async () => {
    const { call, core, prefix } = await plane();
    const group = await call('POST', `${core}/consumer_groups`, { name: 'gold' });
    const consumer = await call('POST', `${core}/consumers`, { username: 'ann' });
    const members = `${core}/consumer_groups/${group.body.id}/consumers`;
    expect((await call('POST', members, { consumer: consumer.body.id })).status).toBe(201);
    expect((await call('POST', members, { consumer: consumer.body.id })).status).toBe(409);
    expect((await call('GET', members)).body.data.map((one: { id: string }) => one.id)).toEqual([consumer.body.id]);
    expect((await call('DELETE', `${members}/${consumer.body.id}`)).status).toBe(204);
    const before = await call('GET', `${prefix}/expected-config-hash`);
    await call('POST', `${core}/services`, { name: 'a', host: 'a.example' });
    const after = await call('GET', `${prefix}/expected-config-hash`);
    expect(after.body.expected_hash).not.toBe(before.body.expected_hash);
    expect((await call('GET', `${prefix}/nodes`)).body.items[0].config_hash).toBe(after.body.expected_hash);
  });
});

describe('control planes beyond entities', () => {
  it('is found by label', async () => {
    const { call } = await plane();
    const made = { name: 'team', labels: { env: 'prod' } };
    await call('POST', '/v2/control-planes', made);
    const found = async (query: string) =>
      (await call('GET', `/v2/control-planes?${query}`)).body.data.map((one: { name: string }) => one.name);
    expect(await found('labels=env:prod')).toEqual(['team']);
    expect(await found('labels=env')).toEqual(['team']);
    expect(await found('labels=env:test')).toEqual([]);
    expect(await found('filter[name][contains]=ea')).toEqual(['team']);
  });

  it('filters entities by name', async () => {
    const { call, core } = await plane();
    for (const name of ['ab', 'abc', 'x']) {
      await call('POST', `${core}/services`, { name, host: 'a.test' });
    }
    const names = async (filter: string) =>
      (await call('GET', `${core}/services?filter[name][${filter}`)).body.data
        .map((one: { name: string }) => one.name)
        .sort();
    expect(await names('eq]=ab')).toEqual(['ab']);
    expect(await names('contains]=ab')).toEqual(['ab', 'abc']);
    expect(await names('contains]=ab&size=1')).toHaveLength(1);
  });

  it('serves JSON Schemas, and checks by either name of an entity', async () => {
    const { call, core } = await plane();
    const get = (type: string) => call('GET', `${core}/v1/schemas/json/${type}`);
    expect((await get('service')).body).toMatchObject({
      required: ['host'],
      properties: { port: { type: 'integer', minimum: 0, maximum: 65535 }, tags: { uniqueItems: true } },
    });
    expect((await get('basic-auth')).body.properties.value.required).toContain('password');
    expect((await get('vault')).body.allOf[0].if.properties.name.const).toBe('aws');
    expect((await get('nope')).status).toBe(404);
    for (const name of ['service', 'services']) {
      const check = (body: object) => call('POST', `${core}/schemas/${name}/validate`, body);
      expect((await check({ host: 'a.test' })).status).toBe(200);
      expect((await check({ host: 5 })).body.details[0]).toMatchObject({ field: 'host' });
    }
  });

  it('has data planes that fall behind and catch up', async () => {
    const { call, prefix, core, emulator } = await plane();
    const write = (name: string) => call('POST', `${core}/consumers`, { username: name });
    const hashes = async (): Promise<readonly string[]> =>
      (await call('GET', `${prefix}/nodes`)).body.items.map((node: { config_hash: string }) => node.config_hash);
    const expected = async () => (await call('GET', `${prefix}/expected-config-hash`)).body.expected_hash;
    await write('a');
    const before = await expected();
    emulator.behaviour({ nodes: { count: 3, lagging: 1 } });
    await write('b');
    expect(await expected()).not.toBe(before);
    expect(await hashes()).toEqual([await expected(), await expected(), before]);
    emulator.behaviour({ nodes: null });
    expect(await hashes()).toEqual([await expected()]);
  });
});
