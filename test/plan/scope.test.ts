import { describe, expect, test } from 'vitest';
import type { KindName } from '../../src/model/kind.ts';
import { changesOf, liveOf, planFrom, raw, stateFrom, uuid } from './support.ts';

const service = (name: string, tags: readonly string[] = []) => raw('services', { name, host: 'h.test', tags });

describe('what a plan may touch', () => {
  test('is what carries all of the tags, and what belongs to it', () => {
    const group = raw('consumer_groups', { name: 'gold', tags: ['team'] });
    const [ours, theirs] = [raw('consumers', { username: 'a', tags: ['team'] }), raw('consumers', { username: 'b' })];
    const foreignGroup = raw('consumer_groups', { name: 'silver' });
    const live = stateFrom([
      service('ours', ['team', 'other']),
      service('half', ['other']),
      group,
      ours,
      theirs,
      foreignGroup,
      raw('consumer_group_consumers', {}, { to: { consumer_group: group, consumer: ours } }),
      raw('consumer_group_consumers', {}, { to: { consumer_group: foreignGroup, consumer: theirs } }),
      raw('rbac_roles', { name: 'admin' }),
    ]);
    expect([...changesOf(planFrom(live, stateFrom([], ['team'])))].sort()).toEqual([
      'delete consumer_group_consumers gold/a',
      'delete consumer_groups gold',
      'delete consumers a',
      'delete services ours',
    ]);
  });

  test('is not a kind that the destination refuses to list, which is never taken for empty', () => {
    const notManaged = new Map<KindName, string>([['vaults', 'the server answers 403']]);
    const target = stateFrom([service('s'), raw('vaults', { name: 'env', prefix: 'my-env' })]);
    const { plan } = planFrom(liveOf(stateFrom([]), notManaged), target);
    expect(plan.changes.map(({ kind }) => kind)).toEqual(['services']);
    expect(plan.warnings).toEqual(['not managed: 1 × vault left alone (the server answers 403)']);
  });

  test('is nothing that hangs on what is not managed', () => {
    const notManaged = new Map<KindName, string>([['consumers', 'the server answers 403']]);
    const consumer = raw('consumers', { username: 'ann' });
    const target = stateFrom([consumer, raw('acls', { group: 'g' }, { to: { consumer } })]);
    const stray = raw('acls', { group: 'x' }, { to: { consumer: { id: uuid(1) } } });
    const { plan } = planFrom(liveOf(stateFrom([stray]), notManaged), target);
    expect(plan.changes).toEqual([]);
    expect(plan.warnings).toEqual([
      'not managed: 1 × consumer left alone (the server answers 403)',
      'not managed: 1 × ACL group left alone (it depends on a consumer that is not managed here)',
    ]);
  });

  test('leaves out what the configuration excludes, with credentials and plugins of excluded consumers', () => {
    const consumer = raw('consumers', { username: 'ann' });
    const live = stateFrom([
      consumer,
      raw('acls', { group: 'g' }, { to: { consumer } }),
      raw('plugins', { name: 'cors' }, { to: { consumer } }),
      raw('plugins', { name: 'cors' }),
      service('acme', ['by-hand']),
      service('old'),
    ]);
    const exclude = { kinds: ['consumers'], tags: ['by-hand'], prune: false } as const;
    expect(changesOf(planFrom(live, stateFrom([]), { exclude }))).toEqual([
      'delete plugins cors',
      'delete services old',
    ]);
    const pruned = planFrom(live, stateFrom([]), { exclude: { ...exclude, prune: true } });
    expect(pruned.plan.summary.delete).toBe(6);
  });

  test('on Konnect is neither a kind that it lacks nor what it manages itself', () => {
    const consumer = raw('consumers', { username: 'ann' });
    const live = stateFrom([consumer, service('portal', ['konnect-managed-plugin'])]);
    const target = stateFrom([
      consumer,
      raw('oauth2_credentials', { name: 'app', client_id: 'id' }, { to: { consumer } }),
    ]);
    const { plan } = planFrom(live, target, { mode: 'konnect' });
    expect(plan.changes).toEqual([]);
    expect(plan.warnings).toEqual(['not managed: 1 × OAuth2 credential left alone (Konnect has no such kind)']);
  });

  test('is never an entity without the reference that it was written with', () => {
    const consumer = { name: 'bob' };
    const config = { minute: 5, policy: 'local' };
    const target = stateFrom([raw('plugins', { name: 'rate-limiting', config }, { to: { consumer } })]);
    const live = stateFrom([raw('plugins', { name: 'rate-limiting', config }, { to: { consumer: { id: uuid(1) } } })]);
    for (const state of [live, stateFrom([])]) {
      const { plan, writes } = planFrom(state, target);
      expect(writes).toEqual([]);
      expect(plan.warnings).toEqual([
        'plugin "rate-limiting:consumer/bob" is left alone: it names consumer "bob", which is not known here',
      ]);
    }
  });

  test('leaves alone what is written under an entity that is excluded for its tags', () => {
    const blue = service('a', ['blue']);
    const route = raw('routes', { name: 'r', paths: ['/r'] }, { to: { service: blue } });
    const plugin = raw('plugins', { name: 'cors' }, { to: { route } });
    const live = stateFrom([blue, route, plugin, service('old')]);
    const exclude = { kinds: [], tags: ['blue'], prune: false };
    expect(changesOf(planFrom(live, stateFrom([]), { exclude }))).toEqual(['delete services old']);
  });
});
