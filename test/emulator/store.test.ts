import { describe, expect, it } from 'vitest';
import { collectionsOf } from '../../src/emulator/state/collections.ts';
import { Store } from '../../src/emulator/state/store.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';

const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const newStore = () => new Store(collectionsOf(schemas));

describe('the store', () => {
  it('lists in order of ids, from any place, whatever the order of writing', () => {
    const store = newStore();
    for (const number of [3, 1, 2, 5, 4]) store.put('services', { id: id(number), name: `s${number}` });
    expect(store.all('services').map((entity) => entity['name'])).toEqual(['s1', 's2', 's3', 's4', 's5']);
    expect(store.after('services', id(2), 2).map((entity) => entity['name'])).toEqual(['s3', 's4']);
  });

  it('finds conflicts: the id first, then unique values, then references', () => {
    const store = newStore();
    store.put('consumers', { id: id(1), username: 'ann', custom_id: 'c1' });
    const clash = { id: id(1), username: 'ann', custom_id: 'c1' };
    expect(store.conflictOf('consumers', clash, 'insert')).toMatchObject({ conflict: 'primary-key' });
    expect(store.conflictOf('consumers', clash, 'replace')).toBeNull();
    expect(store.conflictOf('consumers', { ...clash, id: id(2) }, 'insert')).toMatchObject({
      conflict: 'unique',
      constraint: { fields: ['username'] },
    });
    const lost = { id: id(3), key: 'k', consumer: { id: id(9) } };
    expect(store.conflictOf('keyauth_credentials', lost, 'insert')).toMatchObject({ conflict: 'foreign' });
  });

  it('takes a plugin without a scope for one with its own scope, and two with the same for a clash', () => {
    const store = newStore();
    store.put('services', { id: id(1), name: 's' });
    const global = { id: id(2), name: 'cors', service: null, route: null, consumer: null };
    store.put('plugins', global);
    const scoped = { ...global, id: id(3), service: { id: id(1) } };
    expect(store.conflictOf('plugins', scoped, 'insert')).toBeNull();
    expect(store.conflictOf('plugins', { ...global, id: id(4) }, 'insert')).toMatchObject({ conflict: 'unique' });
  });

  it('forgets the values of what was replaced or removed, and removes what belongs to it', () => {
    const store = newStore();
    store.put('consumers', { id: id(1), username: 'ann' });
    store.put('keyauth_credentials', { id: id(2), key: 'k', consumer: { id: id(1) } });
    store.put('consumers', { id: id(1), username: 'bea' });
    expect(store.findUnique('consumers', 'username', 'ann')).toBeUndefined();
    expect(store.childrenOf('keyauth_credentials', 'consumer', id(1))).toHaveLength(1);
    store.remove('consumers', id(1));
    expect(store.count()).toBe(0);
    expect(store.findUnique('keyauth_credentials', 'key', 'k')).toBeUndefined();
  });

  it('says who keeps an entity from being deleted', () => {
    const store = newStore();
    store.put('services', { id: id(1), name: 's', ca_certificates: [id(7)] });
    store.put('routes', { id: id(2), name: 'r', service: { id: id(1) } });
    expect(store.keeperOf('services', id(1))).toMatchObject({ id: id(2), list: false });
    expect(store.keeperOf('ca_certificates', id(7))).toMatchObject({ id: id(1), list: true });
    expect(store.keeperOf('routes', id(2))).toBeNull();
  });

  it('holds and lists ten thousand entities without walking all of them for each', () => {
    const store = newStore();
    const started = performance.now();
    for (let number = 0; number < 10_000; number += 1) {
      const entity = { id: id((number * 7919) % 10_000), name: `s${number}` };
      expect(store.conflictOf('services', entity, 'insert')).toBeNull();
      store.put('services', entity);
    }
    let read = 0;
    for (let after: string | null = null; ; ) {
      const page = store.after('services', after, 1000);
      read += page.length;
      after = page.at(-1)?.id ?? null;
      if (page.length < 1000) break;
    }
    expect(read).toBe(10_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
