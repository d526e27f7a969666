import { expect } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { applied, deck, idIn, one, settled } from './changing.ts';
import type { Contract } from './destination.ts';
import { material } from './full.ts';

const [first, second] = ['0a1b2c3d-0000-4000-8000-00000000000a', '0a1b2c3d-0000-4000-8000-00000000000b'];

/** Unique values that pass from one entity to another, and children that move. */
export function handingOver({ holds, edition }: Contract): void {
  const steps = (
    title: string,
    states: readonly JsonObject[],
    check: (bench: Parameters<typeof settled>[0]) => Promise<void>,
  ) =>
    holds(title, async (bench) => {
      for (const state of states) await applied(bench, deck(state));
      await check(bench);
      await settled(bench, deck(states.at(-1) ?? {}));
    });

  steps(
    'swaps the names of two services',
    [
      {
        services: [
          { id: first, name: 'a', host: 'a.test' },
          { id: second, name: 'b', host: 'b.test' },
        ],
      },
      {
        services: [
          { id: first, name: 'b', host: 'a.test' },
          { id: second, name: 'a', host: 'b.test' },
        ],
      },
    ],
    async (bench) => {
      expect(await one(bench, 'services', 'name', 'a')).toMatchObject({ id: second, host: 'b.test' });
      expect(await one(bench, 'services', 'name', 'b')).toMatchObject({ id: first, host: 'a.test' });
    },
  );

  steps(
    'hands a name over from an entity that goes to one that comes',
    [
      { services: [{ id: first, name: 'a', host: 'a.test', routes: [{ name: 'r', paths: ['/r'] }] }] },
      { services: [{ id: second, name: 'a', host: 'b.test', routes: [{ name: 'r', paths: ['/r'] }] }] },
    ],
    async (bench) => {
      expect(await bench.list('services')).toHaveLength(1);
      expect(await one(bench, 'services', 'name', 'a')).toMatchObject({ id: second });
      expect(idIn(await one(bench, 'routes', 'name', 'r'), 'service')).toBe(second);
    },
  );

  const people = (ann: readonly string[], bob: readonly string[]): JsonObject => ({
    consumers: [
      { username: 'ann', keyauth_credentials: ann.map((key) => ({ key })) },
      { username: 'bob', keyauth_credentials: bob.map((key) => ({ key })) },
    ],
  });
  steps('hands a key over to another consumer', [people(['k-1'], []), people([], ['k-1'])], async (bench) => {
    const bob = await one(bench, 'consumers', 'username', 'bob');
    expect(idIn(await one(bench, 'keyauth_credentials', 'key', 'k-1'), 'consumer')).toBe(bob['id']);
  });
  steps('swaps the keys of two consumers', [people(['k-1'], ['k-2']), people(['k-2'], ['k-1'])], async (bench) => {
    const ann = await one(bench, 'consumers', 'username', 'ann');
    expect(idIn(await one(bench, 'keyauth_credentials', 'key', 'k-2'), 'consumer')).toBe(ann['id']);
    expect(await bench.list('keyauth_credentials')).toHaveLength(2);
  });

  const logins = (ann: string, bob: string): JsonObject => ({
    consumers: [
      { username: 'ann', basicauth_credentials: [{ username: ann, password: 'p-ann' }] },
      { username: 'bob', basicauth_credentials: [{ username: bob, password: 'p-bob' }] },
    ],
  });
  steps('swaps the user names of two credentials', [logins('x', 'y'), logins('y', 'x')], async (bench) => {
    const ann = await one(bench, 'consumers', 'username', 'ann');
    expect(idIn(await one(bench, 'basicauth_credentials', 'username', 'y'), 'consumer')).toBe(ann['id']);
  });

  const certificates = (web: readonly string[], other: readonly string[]): JsonObject => ({
    certificates: [
      { id: first, ...material.web, snis: web.map((name) => ({ name })) },
      { id: second, ...material.client, snis: other.map((name) => ({ name })) },
    ],
  });
  steps(
    'moves an SNI to another certificate',
    [certificates(['a.test', 'b.test'], []), certificates(['a.test'], ['b.test'])],
    async (bench) => {
      expect(idIn(await one(bench, 'snis', 'name', 'a.test'), 'certificate')).toBe(first);
      expect(idIn(await one(bench, 'snis', 'name', 'b.test'), 'certificate')).toBe(second);
    },
  );
  steps(
    'swaps the SNIs of two certificates',
    [certificates(['a.test'], ['b.test']), certificates(['b.test'], ['a.test'])],
    async (bench) => {
      expect(idIn(await one(bench, 'snis', 'name', 'a.test'), 'certificate')).toBe(second);
      expect(idIn(await one(bench, 'snis', 'name', 'b.test'), 'certificate')).toBe(first);
    },
  );

  const plugins = (cors: string, correlation: string): JsonObject => ({
    plugins: [
      { name: 'cors', instance_name: cors },
      { name: 'correlation-id', instance_name: correlation },
    ],
  });
  steps('swaps the instance names of two plugins', [plugins('one', 'two'), plugins('two', 'one')], async (bench) => {
    expect(await one(bench, 'plugins', 'name', 'cors')).toMatchObject({ instance_name: 'two' });
    expect(await one(bench, 'plugins', 'name', 'correlation-id')).toMatchObject({ instance_name: 'one' });
  });

  const services = (a: JsonObject, b: JsonObject): JsonObject => ({
    services: [
      { name: 'a', host: 'a.test', ...a },
      { name: 'b', host: 'b.test', ...b },
    ],
  });
  const routed = { routes: [{ name: 'r', paths: ['/r'], plugins: [{ name: 'cors' }] }] };
  steps(
    'moves a route to another service, its plugins with it',
    [services(routed, {}), services({}, routed)],
    async (bench) => {
      const b = await one(bench, 'services', 'name', 'b');
      const route = await one(bench, 'routes', 'name', 'r');
      expect(idIn(route, 'service')).toBe(b['id']);
      expect(idIn(await one(bench, 'plugins', 'name', 'cors'), 'route')).toBe(route['id']);
    },
  );

  const pools = (a: readonly string[], b: readonly string[]): JsonObject => ({
    upstreams: [
      { name: 'a.test', targets: a.map((target) => ({ target, weight: 5 })) },
      { name: 'b.test', targets: b.map((target) => ({ target, weight: 5 })) },
    ],
  });
  steps('moves a target to another upstream', [pools(['x.test:80'], []), pools([], ['x.test:80'])], async (bench) => {
    const b = await one(bench, 'upstreams', 'name', 'b.test');
    const target = await one(bench, 'targets', 'target', 'x.test:80');
    expect(idIn(target, 'upstream')).toBe(b['id']);
    expect(target).toMatchObject({ weight: 5 });
  });

  if (edition === 'enterprise') {
    const scoped = (group: string): JsonObject => ({
      consumer_groups: ['gold', 'silver'].map((name) => ({
        name,
        plugins: name === group ? [{ name: 'rate-limiting', instance_name: 'limit', config: { minute: 3 } }] : [],
      })),
    });
    steps('moves a plugin to another group', [scoped('gold'), scoped('silver')], async (bench) => {
      const silver = await one(bench, 'consumer_groups', 'name', 'silver');
      expect(await bench.list('plugins')).toHaveLength(1);
      expect(idIn(await one(bench, 'plugins', 'instance_name', 'limit'), 'consumer_group')).toBe(silver['id']);
    });
  }
}
