import { expect, test } from 'vitest';
import type { LaneState, LaneStatus } from '../../src/lane/lane-status.ts';
import { commitStatuses, type ReportInput } from '../../src/report/commit-status.ts';
import { failed, finding, head, input, lane, older } from './statuses.ts';

/** `state: description` by context. */
function shown(given: ReportInput): Readonly<Record<string, string>> {
  const statuses = commitStatuses(given)?.statuses ?? [];
  return Object.fromEntries(statuses.map((one) => [one.context, `${one.state}: ${one.description}`]));
}

const of = (state: LaneState, more: Partial<LaneStatus> = {}) =>
  shown(input([lane('edge', state, more)]))['konverge/edge'];

test('nothing is said before a revision was checked', () => {
  expect(commitStatuses({ validation: null, lanes: [lane('edge', 'applied')], context: 'konverge' })).toBeNull();
});

test('all applied is success everywhere', () => {
  expect(shown(input([lane('edge', 'applied'), lane('konnect', 'applied')]))).toEqual({
    'konverge/validate': 'success: valid',
    'konverge/edge': 'success: 3 created; live on 2/2 nodes',
    'konverge/konnect': 'success: 3 created; live on 2/2 nodes',
    konverge: 'success: in place on 2/2 destinations',
  });
});

test('an invalid revision fails validation, the destinations that it is invalid for, and the roll-up', () => {
  const diagnostics = [
    finding('w.yaml', 1, 'only a warning', 'warning'),
    finding('a.yaml', 14, 'key used by two consumers'),
    finding('b.yaml', 2, 'x'),
    finding('b.yaml', 3, 'y'),
  ];
  const lanes = [lane('edge', 'applied'), lane('konnect', 'applied', { revision: older, applied: older })];
  expect(shown(input(lanes, diagnostics, ['konnect']))).toEqual({
    'konverge/validate': 'failure: a.yaml:14 key used by two consumers (+2 more)',
    'konverge/edge': 'success: 3 created; live on 2/2 nodes',
    'konverge/konnect': 'failure: invalid: a.yaml:14 key used by two consumers (+2 more)',
    konverge: 'failure: a.yaml:14 key used by two consumers (+2 more)',
  });
});

test('warnings are counted and fail nothing', () => {
  const one = finding('a.yaml', 1, 'w', 'warning');
  expect(shown(input([], [one]))).toEqual({
    'konverge/validate': 'success: valid, 1 warning',
    konverge: 'success: valid, 1 warning',
  });
});

test('success is said only of the revision that was confirmed', () => {
  expect(of('applied', { applied: older })).toBe('pending: waits to be delivered');
  expect(of('applied', { revision: older, applied: older })).toBe('pending: waits to be delivered');
  for (const state of ['pending', 'waiting', 'delivering', 'retrying', 'unreachable', 'suspended'] as const) {
    expect(of(state)).toMatch(/^pending: /);
    expect(of(state, { applied: head })).toMatch(/^success: /);
  }
});

test.each([
  [
    'applied-degraded',
    {
      quarantine: [
        {
          entity: { kind: 'plugins', name: 'key-auth:route/a' },
          location: null,
          why: 'through',
          cause: { kind: 'routes', name: 'a' },
          keptLastGood: false,
          since: 0,
          sinceRevision: 'x',
        },
        {
          entity: { kind: 'routes', name: 'a' },
          location: null,
          why: 'it has no path',
          cause: null,
          keptLastGood: false,
          since: 0,
          sinceRevision: 'x',
        },
      ],
    },
    'failure: in place but for 2 objects in quarantine, left out: route "a" (it has no path), plugin "key-auth:route/a" (through route "a")',
  ],
  ['held', { detail: 'would delete 40 of 100' }, 'failure: held: would delete 40 of 100'],
  ['rejected', { detail: 'not confirmed' }, 'failure: refused: not confirmed'],
  [
    'rejected',
    { failure: failed({ class: 'rejected', code: 'http-403', status: 403 }) },
    'failure: refused: answered 403',
  ],
  ['rejected', { diagnostics: [finding('a.yaml', 3, 'bad path')] }, 'failure: a.yaml:3 bad path'],
  ['drifted', { detail: 'live state differs: 1 to create' }, 'failure: live state differs: 1 to create'],
  ['delivering', {}, 'pending: being delivered'],
  ['delivering', { revision: older }, 'pending: waits for the delivery of bbbbbbb to end'],
  ['waiting', { detail: 'another instance has the right' }, 'pending: waiting: another instance has the right'],
  [
    'waiting',
    {
      detail:
        'held back by staging, which is retrying: service "a": PUT http://kong-admin.internal:8001/services/a answered 503 (not available now)',
    },
    'pending: waiting: held back by staging, which is retrying: service "a": PUT answered 503 (not available now)',
  ],
  [
    'waiting',
    { detail: 'held back by staging, which is unreachable: GET https://kong-admin.internal:8444/: no whole answer' },
    'pending: waiting: held back by staging, which is unreachable: GET: no whole answer',
  ],
  [
    'retrying',
    { failure: failed({ class: 'transient', code: 'http-503', status: 503 }) },
    'pending: retrying: answered 503',
  ],
  ['unreachable', { failure: failed({}) }, 'pending: unreachable: connection refused; will be tried again'],
  [
    'unreachable',
    { failure: failed({}), revision: older },
    'pending: unreachable: connection refused; will be tried again',
  ],
  ['suspended', {}, 'pending: suspended: nothing is delivered until it is resumed'],
] as const)('%s %j', (state, more, expected) => {
  expect(of(state, more)).toBe(expected);
  expect(of(state, more)).not.toContain('kong-admin.internal');
});

test('the roll-up fails with the first failure, and else waits for what is open', () => {
  const rollUp = (...lanes: LaneStatus[]) => shown(input(lanes))['konverge'];
  expect(rollUp(lane('a', 'held'), lane('b', 'delivering'), lane('c', 'drifted'))).toBe(
    'failure: a: held: detail of held (+1 more)',
  );
  expect(rollUp(lane('a', 'applied'), lane('b', 'delivering'), lane('c', 'unreachable'))).toBe(
    'pending: in place on 1/3 destinations; waiting for b, c',
  );
});

test('what is not a last word is not settled', () => {
  const settled = (state: LaneState) => commitStatuses(input([lane('a', state)]))?.statuses.map((one) => one.settled);
  expect(settled('applied')).toEqual([true, true, true]);
  expect(settled('rejected')).toEqual([true, true, true]);
  expect(settled('held')).toEqual([true, false, false]);
  expect(settled('delivering')).toEqual([true, false, false]);
});
