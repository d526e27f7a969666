import { describe, expect, test } from 'vitest';
import type { RawEntity } from '../../src/model/assemble.ts';
import type { State } from '../../src/model/state.ts';
import { changesOf, liveOf, planFrom, raw, stateFrom } from './support.ts';

const services = (count: number, prefix = 's') =>
  Array.from({ length: count }, (_, at) => raw('services', { name: `${prefix}${at}`, host: 'h.test' }));
const tagged = (entity: RawEntity, tags: readonly string[]) => raw(entity.kind, { ...entity.fields, tags });
const policy = { prune: true, adopt: false, maxDelete: { share: 0.3, atLeast: 2 } };
const nothing = stateFrom([]);

describe('the prune guard', () => {
  test('holds an empty target state where something is live', () => {
    const { plan } = planFrom(stateFrom(services(1)), nothing, { policy });
    expect(plan.held?.code).toBe('empty-target');
    expect(plan.summary.delete).toBe(1);
  });

  test('lets an empty target state be where nothing is live', () => {
    expect(planFrom(nothing, nothing, { policy }).plan.held).toBeNull();
  });

  test.each([
    { live: 10, kept: 7, held: false, why: 'exactly the share' },
    { live: 10, kept: 6, held: true, why: 'more than the share' },
    { live: 3, kept: 1, held: false, why: 'more than the share, but no more than the number' },
    { live: 4, kept: 1, held: true, why: 'more than both' },
  ])('with $kept of $live kept ($why): held is $held', ({ live, kept, held }) => {
    const { plan } = planFrom(stateFrom(services(live)), stateFrom(services(kept)), { policy });
    expect(plan.held?.code ?? null).toBe(held ? 'mass-delete' : null);
  });

  test('counts the children that go with their parent', () => {
    const consumer = raw('consumers', { username: 'ann' });
    const groups = ['a', 'b', 'c', 'd'].map((group) => raw('acls', { group }, { to: { consumer } }));
    const live = stateFrom([...services(5), consumer, ...groups]);
    const { plan, writes } = planFrom(live, stateFrom(services(5)), { policy });
    expect(writes).toHaveLength(1);
    expect(plan.summary.delete).toBe(5);
    expect(plan.held?.code).toBe('mass-delete');
  });

  test('holds the pruning of what no revision declared, and names it', () => {
    const live = stateFrom([...services(9), raw('services', { name: 'by-hand', host: 'h.test' })]);
    const target = stateFrom(services(8));
    const known = planFrom(live, target, { policy, declaredEarlier: () => true });
    expect(known.plan.held).toBeNull();
    const foreign = planFrom(live, target, { policy, declaredEarlier: ({ name }) => name !== 'by-hand' });
    expect(foreign.plan.held).toMatchObject({
      code: 'foreign-prune',
      message:
        '1 entity that no revision of the branch declared would be deleted: service "by-hand"; 1 other change waits with it',
      hint: expect.stringMatching(/declare what should stay.*left alone.*approve this plan.*policy\.adopt/),
    });
    const adopted = planFrom(live, target, { policy: { ...policy, adopt: true }, declaredEarlier: () => false });
    expect(adopted.plan.held).toBeNull();
    const unknown = planFrom(live, target, { policy, declaredEarlier: null });
    expect(unknown.plan.held).toBeNull();
  });

  test('does not take an entity that is made again under another id for a foreign one', () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const target = stateFrom([...services(9), raw('services', { name: 'x', host: 'h.test' }, { id })]);
    const live = stateFrom([...services(9), raw('services', { name: 'x', host: 'h.test' })]);
    const delivery = planFrom(live, target, { policy, declaredEarlier: () => false });
    expect(changesOf(delivery)).toEqual(['create services x', 'delete services x']);
    expect(delivery.plan.held).toBeNull();
  });

  test('with prune off deletes nothing, holds nothing, and says what is kept', () => {
    const { plan, writes } = planFrom(stateFrom(services(3)), nothing, { policy: { ...policy, prune: false } });
    expect(plan.changes).toEqual([]);
    expect(writes).toEqual([]);
    expect(plan.held).toBeNull();
    expect(plan.warnings).toEqual(['3 live entities are not declared, and kept: prune is off']);
  });

  test('with prune off, or what is excluded, holds at nodes that take their state whole', () => {
    const live = stateFrom([...services(3), raw('consumers', { username: 'theirs', tags: ['by-hand'] })]);
    const at = (options: Parameters<typeof planFrom>[2], target = stateFrom(services(3))) => {
      const { plan } = planFrom(live, target, { mode: 'dbless', policy, declaredEarlier: () => false, ...options });
      return [plan.changes.map(({ action, name }) => `${action} ${name}`), plan.held?.code, plan.held?.message];
    };
    const whole = 'to leave alone: a node without a database takes its state whole';
    const off = { ...policy, prune: false };
    for (const [options, key] of [
      [{ policy: off }, 'policy.prune: false'],
      [{ exclude: { kinds: ['consumers'], tags: [], prune: false } }, 'exclude'],
      [{ exclude: { kinds: [], tags: ['by-hand'], prune: false } }, 'exclude'],
    ] as const) {
      const message = `consumer "theirs" would be deleted, which \`${key}\` is ${whole}`;
      expect(at(options)).toEqual([['delete theirs'], 'not-pruned', message]);
    }
    const declared = stateFrom([...services(3), raw('consumers', { username: 'theirs', tags: ['by-hand'] })]);
    expect(at({ policy: off }, declared)).toEqual([[], undefined, undefined]);
    expect(at({ exclude: { kinds: ['consumers'], tags: [], prune: true }, declaredEarlier: null })[1]).toBeUndefined();
  });

  test('with prune off says which new entity is in the way of a kept one', () => {
    const live = stateFrom([raw('consumers', { username: 'old', custom_id: '17' })]);
    const target = stateFrom([raw('consumers', { username: 'new', custom_id: '17' })]);
    const { plan } = planFrom(live, target, { policy: { ...policy, prune: false } });
    expect(plan.warnings).toContain(
      'consumer "new" needs the custom_id of consumer "old", which is kept because prune is off',
    );
  });
});

describe('the guard of kinds', () => {
  const guarded = { ...policy, maxDelete: { share: 1, atLeast: 0 }, lastOfKind: 3 };
  const consumers = (count: number) =>
    Array.from({ length: count }, (_, at) => raw('consumers', { username: `c${at}` }));

  test.each([
    { live: 3, kept: 0, held: null },
    { live: 4, kept: 0, held: 'last-of-kind' },
    { live: 4, kept: 1, held: null },
  ])('with $kept of $live consumers kept: held is $held', ({ live, kept, held }) => {
    const plan = planFrom(
      stateFrom([...services(9), ...consumers(live)]),
      stateFrom([...services(9), ...consumers(kept)]),
      {
        policy: guarded,
      },
    );
    expect(plan.plan.held?.code ?? null).toBe(held);
  });
});

describe('the guard of tags', () => {
  const target = stateFrom(services(2), ['new']);
  const old = stateFrom(services(9).map((entity, at) => tagged(entity, at < 7 ? ['old'] : ['old', 'new'])));
  const bounded = (...selectTags: string[]) => ({ before: { selectTags, live: liveOf(old) } });

  test('holds a change that leaves behind what the old tags bound', () => {
    const { plan } = planFrom(nothing, target, bounded('old'));
    expect(plan.held).toMatchObject({
      code: 'scope-change',
      message: expect.stringContaining('from "old" to "new": 7'),
    });
  });

  test('lets the same tags, fewer, and the first be', () => {
    expect(planFrom(nothing, target, bounded('new')).plan.held).toBeNull();
    expect(planFrom(nothing, target, bounded('old', 'new')).plan.held).toBeNull();
    expect(planFrom(nothing, target, bounded()).plan.held).toBeNull();
    expect(planFrom(nothing, target, { before: null }).plan.held).toBeNull();
  });

  test('lets the change be where nothing that is live has the old ones alone', () => {
    const before = (state: State) => ({ before: { selectTags: ['old'], live: liveOf(state) } });
    const both = stateFrom(services(2).map((entity) => tagged(entity, ['new', 'old'])));
    const others = stateFrom(services(2));
    for (const live of [nothing, both, others]) expect(planFrom(nothing, target, before(live)).plan.held).toBeNull();
  });

  test('counts nothing that is not owned either way, and nothing of what is replaced whole', () => {
    expect(planFrom(nothing, target, { ...bounded('old'), mode: 'dbless' }).plan.held).toBeNull();
    const exclude = { kinds: ['services' as const], tags: [], prune: false };
    expect(planFrom(nothing, target, { ...bounded('old'), exclude }).plan.held).toBeNull();
  });
});

describe('what a tag protects', () => {
  const protect = { policy: { ...policy, maxDelete: { share: 1, atLeast: 0 }, protect: ['keep'] } };
  const service = raw('services', { name: 'vital', host: 'h.test' });
  const route = raw('routes', { name: 'vital', paths: ['/v'], tags: ['keep'] }, { to: { service } });
  const live = stateFrom([...services(2), service, route]);

  test('is never deleted, nor what it needs, and the plan says so', () => {
    const delivery = planFrom(live, stateFrom(services(1)), protect);
    expect(changesOf(delivery)).toEqual(['delete services s1']);
    expect(delivery.plan.warnings).toEqual([
      'service "vital" is not declared, and kept: it is protected',
      'route "vital" is not declared, and kept: it is protected',
    ]);
  });

  test('may be changed, and deleted once the tag is gone', () => {
    const changed = stateFrom([
      ...services(2),
      service,
      raw('routes', { name: 'vital', paths: ['/w'] }, { to: { service } }),
    ]);
    expect(changesOf(planFrom(live, changed, protect))).toEqual(['update routes vital']);
    expect(changesOf(planFrom(changed, stateFrom(services(2)), protect))).toHaveLength(2);
  });

  test('is held where a whole state would delete it', () => {
    const { plan } = planFrom(live, stateFrom(services(2)), { ...protect, mode: 'dbless' });
    expect(plan.held).toMatchObject({ code: 'protected', message: expect.stringContaining('"vital"') });
  });
});
