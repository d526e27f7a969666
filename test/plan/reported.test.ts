import { describe, expect, test } from 'vitest';
import type { PlannedDelivery } from '../../src/plan/plan.ts';
import { changesOf, fieldsOf, planFrom, raw, stateFrom } from './support.ts';

const service = (name: string, fields: { readonly [field: string]: string | number } = {}) =>
  raw('services', { name, host: 'a', ...fields });
const route = (name: string, to: ReturnType<typeof service>, path = '/') =>
  raw('routes', { name, paths: [path] }, { to: { service: to } });
const consumer = raw('consumers', { username: 'ann' });
const key = raw('keyauth_credentials', { key: 'abc' }, { to: { consumer } });

const told = ({ reported = [] }: PlannedDelivery) =>
  reported.map(({ action, kind, name, fields }) =>
    [action, kind, kind === 'keyauth_credentials' ? 'key' : name, ...fields.map(({ path }) => path)].join(' '),
  );

describe('what is only reported', () => {
  test('is a field: the rest of the entity is put right', () => {
    const live = stateFrom([service('s', { host: 'by-hand', retries: 9 })]);
    const delivery = planFrom(live, stateFrom([service('s', { retries: 1 })]), { report: ['services/*/host'] });
    expect(fieldsOf(delivery)).toEqual(['/retries: 9 → 1']);
    expect(delivery.writes[0]?.body).toMatchObject({ host: 'by-hand', retries: 1 });
    expect(delivery.reported).toMatchObject([
      { action: 'update', kind: 'services', name: 's', fields: [{ path: '/host', from: 'by-hand', to: 'a' }] },
    ]);
  });

  test('is an entity, whatever was done to it', () => {
    const live = stateFrom([service('changed', { host: 'x' }), service('made'), service('other', { host: 'x' })]);
    const target = stateFrom([service('changed'), service('deleted'), service('other')]);
    const report = ['services/changed', 'services/made', 'services/deleted'];
    const delivery = planFrom(live, target, { report });
    expect(changesOf(delivery)).toEqual(['update services other']);
    expect([...told(delivery)].sort()).toEqual([
      'create services deleted /host /name',
      'delete services made',
      'update services changed /host',
    ]);
    const whole = planFrom(live, target, { report: ['services/*'] });
    expect([whole.plan.changes, whole.writes, told(whole).length]).toEqual([[], [], 4]);
  });

  test('is no secret: that is put right', () => {
    const credential = (password: string) =>
      raw('basicauth_credentials', { username: 'ann', password }, { to: { consumer } });
    const [live, target] = [stateFrom([consumer, credential('a hash')]), stateFrom([consumer, credential('s3cret')])];
    const delivery = planFrom(live, target, { report: ['basicauth_credentials/*/password'] });
    expect(told(delivery)).toEqual([]);
  });

  test('is nothing where the state is pushed whole', () => {
    const [live, target] = [stateFrom([service('s', { host: 'x' })]), stateFrom([service('s')])];
    const delivery = planFrom(live, target, { report: ['services/*'], mode: 'dbless' });
    expect([changesOf(delivery), told(delivery)]).toEqual([['update services s'], []]);
  });

  test('does not count for the guard', () => {
    const live = stateFrom(['a', 'b', 'c', 'd'].map((name) => service(name)));
    const policy = { prune: true, adopt: true, maxDelete: { share: 0.3, atLeast: 1 } };
    expect(planFrom(live, stateFrom([service('a')]), { policy }).plan.held?.code).toBe('mass-delete');
    expect(planFrom(live, stateFrom([service('a')]), { policy, report: ['services/*'] }).plan.held).toBe(null);
  });
});

describe('what could be left, and is needed', () => {
  test('is made for what names it', () => {
    const target = stateFrom([service('s'), service('t'), route('r', service('s'))]);
    const delivery = planFrom(stateFrom([]), target, { report: ['services/*'] });
    expect(changesOf(delivery)).toEqual(['create services s', 'create routes r']);
    expect(told(delivery)).toEqual(['create services t /host /name']);
  });

  test('goes with what it belongs to', () => {
    const delivery = planFrom(stateFrom([consumer, key]), stateFrom([]), { report: ['keyauth_credentials/*'] });
    expect([...changesOf(delivery)].sort()).toHaveLength(2);
    expect(told(delivery)).toEqual([]);
  });

  test.each(['report', 'ignore'])('stays where what is left by %s names it', (way) => {
    const live = stateFrom([service('s'), service('theirs'), route('r', service('theirs'))]);
    const target = stateFrom([service('s'), route('r', service('s'))]);
    const delivery = planFrom(live, target, { [way]: ['routes/*'] });
    expect([changesOf(delivery), delivery.writes]).toEqual([[], []]);
    expect([...told(delivery)].sort()).toEqual(
      way === 'ignore' ? [] : ['delete services theirs', 'update routes r /service'],
    );
  });
});
