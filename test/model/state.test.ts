import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RawEntity } from '../../src/model/assemble.ts';
import { referenceOf, wireBody } from '../../src/model/entity.ts';
import { referenceGraph } from '../../src/model/graph.ts';
import { allEntities, countEntities, digestOf, type State } from '../../src/model/state.ts';
import { oneOfEach, raw, stateFrom } from './making.ts';

const id = '5f1b4a3c-0000-4000-8000-000000000001';

describe('references', () => {
  test.each([
    ['by nesting', (service: RawEntity) => ({ entity: service })],
    ['by name', () => ({ name: 's' })],
    ['by id, in any letter case', () => ({ id: id.toUpperCase() })],
    ['by a name that may be an id', () => ({ nameOrId: 's' })],
    ['by an id that may be a name', () => ({ nameOrId: id })],
  ])('%s find the entity, whatever the order', (_, to) => {
    const service = raw('services', { name: 's' }, {}, id);
    const route = raw('routes', { name: 'r' }, { service: to(service) });
    for (const order of [
      [service, route],
      [route, service],
    ]) {
      const [found] = stateFrom(order).entities.get('routes') ?? [];
      expect(found?.references).toEqual([
        { field: 'service', index: null, kind: 'services', identity: 's', id, resolved: true },
      ]);
    }
  });

  test('to a consumer go by username or custom_id, the username first', () => {
    const consumers = [raw('consumers', { username: 'a', custom_id: 'b' }), raw('consumers', { username: 'b' })];
    const to = (name: string) => {
      const [acl] =
        stateFrom([...consumers, raw('acls', { group: 'g' }, { consumer: { name } })]).entities.get('acls') ?? [];
      return acl?.references[0]?.identity;
    };
    expect([to('a'), to('b')]).toEqual(['a', 'b']);
    const [acl] =
      stateFrom([
        raw('consumers', { custom_id: 'only' }),
        raw('acls', { group: 'g' }, { consumer: { name: 'only' } }),
      ]).entities.get('acls') ?? [];
    expect(acl?.references[0]?.resolved).toBe(true);
  });

  test('to nothing keep what was written', () => {
    const at = (to: { readonly name: string } | { readonly id: string } | { readonly nameOrId: string }) => {
      const [route] = stateFrom([raw('routes', { name: 'r' }, { service: to })]).entities.get('routes') ?? [];
      const { identity, id: written, resolved } = route?.references[0] ?? {};
      return [identity, written, resolved];
    };
    expect(at({ name: 'lost' })).toEqual(['lost', null, false]);
    expect(at({ id })).toEqual([id, id, false]);
    expect(at({ nameOrId: id })).toEqual([id, id, false]);
    expect(at({ nameOrId: 'lost' })).toEqual(['lost', null, false]);
  });

  test('in lists keep their order, and are sent as bare ids', () => {
    const authorities = ['one', 'two'].map((cert) => raw('ca_certificates', { cert }));
    const service = raw('services', { name: 's' }, { ca_certificates: authorities.map((entity) => ({ entity })) });
    const [found] = stateFrom([service, ...authorities]).entities.get('services') ?? [];
    if (found === undefined) throw new TypeError('the service is there');
    expect(found.references.map(({ index }) => index)).toEqual([0, 1]);
    const body = wireBody(found);
    expect(body['ca_certificates']).toEqual(found.references.map((reference) => reference.id));
    expect(wireBody(found, () => null)).toEqual({ id: found.id, name: 's' });
  });

  test('are sent in their wire form', () => {
    const state = stateFrom(oneOfEach());
    const [route] = state.entities.get('routes') ?? [];
    const [service] = state.entities.get('services') ?? [];
    if (route === undefined || service === undefined) throw new TypeError('they are there');
    expect(wireBody(route)).toEqual({ id: route.id, name: 'r', service: { id: service.id } });
    expect(referenceOf(route, 'service')?.id).toBe(service.id);
    expect(referenceOf(route, 'nothing')).toBeUndefined();
  });
});

describe('the tags that bound what is owned', () => {
  test('are given to every entity that can carry tags, once', () => {
    const state = stateFrom([...oneOfEach(), raw('services', { name: 'tagged', tags: ['own', 'b'] })], {
      selectTags: ['b', 'a', 'a'],
    });
    expect(state.selectTags).toEqual(['a', 'b']);
    expect(state.byIdentity('services', 'tagged')?.fields['tags']).toEqual(['own', 'b', 'a']);
    for (const entity of allEntities(state)) {
      const tags = entity.fields['tags'];
      if (tags !== undefined) expect(tags).toEqual(expect.arrayContaining(['a', 'b']));
    }
    expect(state.entities.get('consumer_group_consumers')?.[0]?.fields['tags']).toBeUndefined();
  });
});

describe('a state', () => {
  const seen = (state: State) => [
    digestOf(state),
    allEntities(state).map(({ kind, id: own, identity, references }) => [kind, own, identity, references]),
  ];

  test('is the same in any order of what it is made of', () => {
    const entities = oneOfEach();
    const expected = seen(stateFrom(entities));
    fc.assert(
      fc.property(fc.shuffledSubarray([...entities], { minLength: entities.length }), (order) => {
        expect(seen(stateFrom(order))).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('counts what it holds', () => {
    expect(countEntities(stateFrom([raw('services', { name: 'a' }), raw('services', { name: 'b' })]))).toEqual({
      services: 2,
    });
    expect(countEntities(stateFrom([]))).toEqual({});
  });

  test('holds two of one identity, for the rules to report', () => {
    const state = stateFrom([raw('services', { name: 'a', host: 'x' }), raw('services', { name: 'a', host: 'y' })]);
    expect(state.entities.get('services')).toHaveLength(2);
    expect(state.byIdentity('services', 'a')?.fields['host']).toBe('x');
  });
});

describe('the digest', () => {
  const digest = (...entities: readonly RawEntity[]) => digestOf(stateFrom(entities));
  const service = raw('services', { name: 's', host: 'h' });

  test('sees what was written and what is named, and no derived id', () => {
    expect(digest(service)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(digest(raw('services', { host: 'h', name: 's' }))).toBe(digest(service));
    expect(digest(raw('services', { name: 's', host: 'other' }))).not.toBe(digest(service));
    expect(digest(raw('services', { name: 's', host: 'h' }, {}, id))).not.toBe(digest(service));
    expect(digestOf(stateFrom([service], { workspace: 'team' }))).toBe(digest(service));
  });

  test('is the same however a reference is written', () => {
    const route = (to: Parameters<typeof raw>[2]) => raw('routes', { name: 'r' }, to);
    const expected = digest(service, route({ service: { name: 's' } }));
    expect(digest(service, route({ service: { entity: service } }))).toBe(expected);
    expect(digest(service, route({ service: { nameOrId: 's' } }))).toBe(expected);
    expect(digest(service, route({}))).not.toBe(expected);
  });

  test('tells numbers, texts and nulls apart', () => {
    const values = [1, '1', null, true, ['1'], { a: 1 }];
    const digests = values.map((value) => digest(raw('services', { name: 's', path: value })));
    expect(new Set(digests).size).toBe(values.length);
  });
});

describe('the graph', () => {
  const consumer = raw('consumers', { username: 'c' });
  const service = raw('services', { name: 's' });
  const route = raw('routes', { name: 'r' }, { service: { entity: service } });
  const plugin = raw('plugins', { name: 'cors' }, { route: { entity: route } });
  const both = raw('plugins', { name: 'cors' }, { service: { entity: service }, consumer: { entity: consumer } });
  const key = raw('keyauth_credentials', { key: 'k' }, { consumer: { entity: consumer } });
  const state = stateFrom([consumer, service, route, plugin, both, key]);
  const graph = referenceGraph(state);
  const names = (entities: readonly { readonly kind: string; readonly identity: string }[]) =>
    entities.map(({ kind, identity }) => `${kind} ${identity.replace(/sha256:.*/, 'digest')}`).sort();
  const of = (kind: Parameters<State['byIdentity']>[0], identity: string) => {
    const found = state.byIdentity(kind, identity);
    if (found === undefined) throw new TypeError(`there is no ${identity}`);
    return found;
  };

  test('knows who names whom', () => {
    expect(names(graph.dependants(of('services', 's')))).toEqual(['plugins cors:service/s:consumer/c', 'routes r']);
    expect(names(graph.dependants(of('plugins', 'cors:route/r')))).toEqual([]);
  });

  test('knows what a server deletes along: never a route with its service', () => {
    expect(names(graph.cascade(of('services', 's')))).toEqual(['plugins cors:service/s:consumer/c']);
    expect(names(graph.cascade(of('routes', 'r')))).toEqual(['plugins cors:route/r']);
    expect(names(graph.cascade(of('consumers', 'c')))).toEqual([
      'keyauth_credentials c/digest',
      'plugins cors:service/s:consumer/c',
    ]);
  });
});
