import { describe, expect, test } from 'vitest';
import type { KindName } from '../../src/model/kind.ts';
import { changesOf, liveOf, planFrom, raw, refusalsOf, stateFrom, uuid } from './support.ts';

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
    const planned = planFrom(liveOf(stateFrom([]), notManaged), target);
    expect(planned.plan.changes.map(({ kind }) => kind)).toEqual(['services']);
    expect(refusalsOf(planned)).toEqual([
      'not-deliverable gateway.yaml:3 vault "my-env" cannot be delivered to prod: the server answers 403',
    ]);
  });

  test('never advises to leave out all plugins for the sake of one', () => {
    const group = raw('consumer_groups', { name: 'gold' });
    const limited = raw('plugins', { name: 'rate-limiting' }, { to: { consumer_group: group } });
    const hintsOf = (kind: KindName, status: number | null, to: readonly ReturnType<typeof raw>[]) => {
      const unlisted = status === null ? {} : { unlisted: new Map([[kind, { url: 'http://kong/x', status }]]) };
      const live = { ...liveOf(stateFrom([]), new Map([[kind, 'there is none']])), ...unlisted };
      return (planFrom(live, stateFrom(to)).refused ?? []).map(({ hint }) => hint);
    };
    const missing = raw('plugins', { name: 'cors' }, { to: { route: { name: 'none' } } });
    const hints = [
      ...hintsOf('consumer_groups', null, [group, limited]),
      ...[403, 404, null].flatMap((status) => hintsOf('plugins', status, [raw('plugins', { name: 'key-auth' })])),
      ...hintsOf('vaults', null, [missing]),
    ];
    expect(hints).toHaveLength(6);
    expect(hints.filter((hint) => /exclude\.kinds.*plugins/.test(hint))).toEqual([]);
    expect(hints.slice(0, 2)).toEqual([
      expect.stringContaining('exclude.kinds: [consumer_groups]'),
      expect.stringContaining('exclude.kinds: [consumer_groups]; what depends on it goes with it'),
    ]);
    expect(hints[5]).toContain('exclude.tags');
  });

  test('says which listing was refused, and whose matter that is', () => {
    const notManaged = new Map<KindName, string>([['vaults', 'refused']]);
    const target = stateFrom([raw('vaults', { name: 'env', prefix: 'my-env' })]);
    const refused = (status: number) => {
      const unlisted = new Map([['vaults' as const, { url: 'http://kong:8001/vaults', status }]]);
      return refusalsOf(planFrom({ ...liveOf(stateFrom([]), notManaged), unlisted }, target));
    };
    expect(refused(403)).toEqual([
      'not-listable gateway.yaml:3 vault "my-env" cannot be delivered to prod, which does not let this user list vaults: GET http://kong:8001/vaults was answered with 403',
    ]);
    expect(refused(404)).toEqual([
      'not-deliverable gateway.yaml:3 vault "my-env" cannot be delivered to prod, which has no vaults to list: GET http://kong:8001/vaults was answered with 404',
    ]);
  });

  test('is not what the configuration excludes on purpose, whether it can be listed or not', () => {
    const notManaged = new Map<KindName, string>([['vaults', 'the server answers 403']]);
    const target = stateFrom([raw('vaults', { name: 'env', prefix: 'my-env' })]);
    const exclude = { kinds: ['vaults'], tags: [], prune: false } as const;
    const planned = planFrom(liveOf(stateFrom([]), notManaged), target, { exclude });
    expect([...changesOf(planned), ...refusalsOf(planned)]).toEqual([]);
  });

  test('is nothing that hangs on what is not managed', () => {
    const notManaged = new Map<KindName, string>([['consumers', 'the server answers 403']]);
    const consumer = raw('consumers', { username: 'ann' });
    const target = stateFrom([consumer, raw('acls', { group: 'g' }, { to: { consumer } })]);
    const stray = raw('acls', { group: 'x' }, { to: { consumer: { id: uuid(1) } } });
    const planned = planFrom(liveOf(stateFrom([stray]), notManaged), target);
    expect(planned.plan.changes).toEqual([]);
    expect(refusalsOf(planned)).toEqual([
      'not-deliverable gateway.yaml:3 consumer "ann" cannot be delivered to prod: the server answers 403',
      'not-deliverable gateway.yaml:3 ACL group "ann/g" cannot be delivered to prod: it depends on a consumer that cannot be either',
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
    const planned = planFrom(live, target, { mode: 'konnect' });
    expect(planned.plan.changes).toEqual([]);
    expect(refusalsOf(planned)).toEqual([
      'not-deliverable gateway.yaml:3 OAuth2 credential "id" cannot be delivered to prod: Konnect has no such kind',
    ]);
  });

  test('is never an entity without the reference that it was written with', () => {
    const consumer = { name: 'bob' };
    const config = { minute: 5, policy: 'local' };
    const target = stateFrom([raw('plugins', { name: 'rate-limiting', config }, { to: { consumer } })]);
    const live = stateFrom([raw('plugins', { name: 'rate-limiting', config }, { to: { consumer: { id: uuid(1) } } })]);
    for (const state of [live, stateFrom([])]) {
      const planned = planFrom(state, target);
      expect(planned.writes).toEqual([]);
      expect(refusalsOf(planned)).toEqual([
        'not-deliverable gateway.yaml:3 plugin "rate-limiting:consumer/bob" cannot be delivered to prod: it names consumer "bob", which is neither declared for this destination nor found there',
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
