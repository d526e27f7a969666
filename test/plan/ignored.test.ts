import { describe, expect, test } from 'vitest';
import { changesOf, fieldsOf, planFrom, raw, stateFrom } from './support.ts';

const upstream = (fields: { readonly [field: string]: string | number | readonly string[] }) =>
  raw('upstreams', { name: 'pool', ...fields });
const service = (host: string, name = 's') => raw('services', { name, host });

describe('a field that others may change', () => {
  test('is left as it is live, while another one of the same entity is put right', () => {
    const delivery = planFrom(
      stateFrom([upstream({ tags: ['by-hand'], slots: 100 })]),
      stateFrom([upstream({ tags: ['ours'], slots: 200 })]),
      { ignore: ['upstreams/*/tags'] },
    );
    expect(fieldsOf(delivery)).toEqual(['/slots: 100 → 200']);
    expect(delivery.writes[0]?.body).toMatchObject({ tags: ['by-hand'], slots: 200 });
  });

  test('makes no difference by itself, also where one side lacks it', () => {
    const ignore = ['upstreams/pool/tags'];
    for (const tags of [{}, { tags: ['x'] }]) {
      const delivery = planFrom(stateFrom([upstream(tags)]), stateFrom([upstream({ tags: ['ours'] })]), { ignore });
      expect(delivery.plan.changes).toEqual([]);
    }
    expect(
      planFrom(stateFrom([upstream({ tags: ['x'] })]), stateFrom([upstream({})]), { ignore }).plan.changes,
    ).toEqual([]);
  });

  test('may be deep, and in a plugin', () => {
    const plugin = (minute: number, policy: string) =>
      raw('plugins', { name: 'rate-limiting', config: { minute, policy } });
    const delivery = planFrom(stateFrom([plugin(9, 'local')]), stateFrom([plugin(5, 'cluster')]), {
      ignore: ['plugins/*/config/minute'],
    });
    expect(fieldsOf(delivery)).toEqual(['/config/policy: "local" → "cluster"']);
  });

  test('is written as declared where the entity is new', () => {
    const delivery = planFrom(stateFrom([]), stateFrom([upstream({ tags: ['ours'] })]), {
      ignore: ['upstreams/*/tags'],
    });
    expect(delivery.writes[0]?.body).toMatchObject({ tags: ['ours'] });
  });

  test('is never a secret, of which a server gives back something else', () => {
    const consumer = raw('consumers', { username: 'ann' });
    const credential = (password: string) =>
      raw('basicauth_credentials', { username: 'ann', password }, { to: { consumer } });
    const delivery = planFrom(
      stateFrom([consumer, credential('a hash')]),
      stateFrom([consumer, credential('secret')]),
      {
        ignore: ['basicauth_credentials/*/password'],
      },
    );
    expect(delivery.writes.every(({ body }) => body?.['password'] !== 'a hash')).toBe(true);
  });
});

describe('an entity that others may change', () => {
  test('is made where it is missing, and then left, and never deleted', () => {
    const ignore = ['services/s*'];
    expect(changesOf(planFrom(stateFrom([]), stateFrom([service('a')]), { ignore }))).toEqual(['create services s']);
    expect(changesOf(planFrom(stateFrom([service('b')]), stateFrom([service('a')]), { ignore }))).toEqual([]);
    const gone = planFrom(stateFrom([service('b'), service('b', 't')]), stateFrom([service('c', 'u')]), { ignore });
    expect(changesOf(gone)).toEqual(['create services u', 'delete services t']);
  });
});

describe('what another writer keeps changing', () => {
  const live = stateFrom([service('by-hand'), service('by-hand', 't')]);
  const target = stateFrom([service('ours'), service('ours', 't'), service('new', 'u')]);
  const id = live.byIdentity('services', 's')?.id ?? '';

  test('is left out of the plan, and told beside it', () => {
    const delivery = planFrom(live, target, { leave: new Set([`services/${id}`]) });
    expect([...changesOf(delivery)].sort()).toEqual(['create services u', 'update services t']);
    expect(delivery.left?.map(({ name, fields }) => [name, fields])).toEqual([
      ['s', [{ path: '/host', from: 'by-hand', to: 'ours' }]],
    ]);
  });
});
