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
