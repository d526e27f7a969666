import { describe, expect, test } from 'vitest';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import type { ReportInput } from '../../src/report/commit-status.ts';
import {
  isWanted,
  type Known,
  lookAgainAt,
  type Notice,
  nothingKnown,
  noticesOf,
  notificationBody,
  troubleLimitMs,
} from '../../src/report/notification.ts';
import { failed, finding, head, input, lane, older } from './statuses.ts';

/** Looks at one state after another, a second apart; what is told each time as `outcome destination: text`. */
function tell(...states: readonly ReportInput[]): readonly (readonly string[])[] {
  let known: Known = nothingKnown;
  return states.map((state, index) => {
    const seen = noticesOf(known, state, 1000 * index);
    known = seen.known;
    return seen.notices.map(({ outcome, destination, text }) => `${outcome} ${destination}: ${text}`);
  });
}

const counts = { deliveries: 1, failures: 0, writes: 3, driftsCorrected: 0 };
const applied = (more: Partial<LaneStatus> = {}) => lane('edge', 'applied', { counts, ...more });

describe('what is told', () => {
  test('a delivery once, and nothing of what was in place when the process began', () => {
    const delivering = input([lane('edge', 'delivering', { applied: older })]);
    expect(tell(delivering, input([applied()]), input([applied({ detail: 'no drift' })]))).toEqual([
      [],
      ['applied edge: 3 created; live on 2/2 nodes'],
      [],
    ]);
    expect(tell(input([lane('edge', 'applied')]))).toEqual([[]]);
  });

  test('a refusal, a hold, and that it is over', () => {
    const rejected = input([lane('edge', 'rejected', { failure: failed({ status: 400, class: 'rejected' }) })]);
    const held = input([lane('edge', 'held', { detail: 'held: 40 of 50 routes would be deleted' })]);
    expect(tell(rejected, rejected, held, input([lane('edge', 'delivering')]), input([applied()]))).toEqual([
      ['failure edge: refused: answered 400'],
      [],
      ['held edge: held: 40 of 50 routes would be deleted'],
      [],
      ['recovered edge: 3 created; live on 2/2 nodes'],
    ]);
  });

  test('an invalid revision once for all, and each destination that recovers', () => {
    const error = finding('a.yaml', 14, 'key used by two consumers');
    const invalid = input([applied({ revision: older, applied: older })], [error], ['edge']);
    expect(tell(invalid, invalid, input([applied()]))).toEqual([
      ['failure null: invalid: a.yaml:14 key used by two consumers'],
      [],
      ['recovered edge: 3 created; live on 2/2 nodes'],
    ]);
  });

  test('drift that is left, an unhealthy delivery and a quarantine are failures', () => {
    for (const state of ['drifted', 'rolled-back', 'applied-degraded'] as const) {
      expect(tell(input([lane('edge', state)]))[0]?.[0]).toMatch(/^failure edge: /);
    }
  });

  test('a destination out of reach after ten minutes, whatever is tried meanwhile, and not before', () => {
    const out = input([lane('edge', 'unreachable', { failure: failed({}), applied: head })]);
    const trying = input([lane('edge', 'delivering', { applied: head })]);
    const first = noticesOf(nothingKnown, out, 0);
    expect([first.notices, lookAgainAt(first.known)]).toEqual([[], troubleLimitMs]);
    const second = noticesOf(first.known, trying, 5 * 60_000);
    expect([second.notices, lookAgainAt(second.known)]).toEqual([[], troubleLimitMs]);
    const third = noticesOf(second.known, out, troubleLimitMs);
    expect(third.notices.map(({ outcome, text }) => [outcome, text])).toEqual([
      ['failure', 'unreachable: connection refused; will be tried again'],
    ]);
    expect(lookAgainAt(third.known)).toBeNull();
    const fourth = noticesOf(third.known, input([applied()]), troubleLimitMs + 1);
    expect(fourth.notices.map(({ outcome }) => outcome)).toEqual(['recovered']);
  });

  test('nothing before a revision was checked, and of each destination for itself', () => {
    expect(tell({ ...input([applied()]), validation: null })).toEqual([[]]);
    expect(tell(input([applied(), lane('konnect', 'rejected'), lane('late', 'waiting')]))[0]).toHaveLength(2);
  });
});

const notice = (more: Partial<Notice> = {}): Notice => ({
  outcome: 'failure',
  destination: 'edge',
  concerns: ['edge'],
  revision: head,
  text: 'refused',
  at: 0,
  ...more,
});

test('filters by destination and by outcome; who hears of deliveries hears of recoveries', () => {
  const all = { destinations: [], on: ['failure', 'applied'] } as const;
  expect(isWanted(notice(), all)).toBe(true);
  expect(isWanted(notice({ outcome: 'held' }), all)).toBe(false);
  expect(isWanted(notice({ outcome: 'recovered' }), all)).toBe(true);
  expect(isWanted(notice(), { ...all, destinations: ['konnect'] })).toBe(false);
  const invalid = notice({ destination: null, concerns: ['edge', 'konnect'] });
  expect(isWanted(invalid, { ...all, destinations: ['konnect'] })).toBe(true);
});

test('a message calls nobody, whatever a file is named', () => {
  const text = '<!channel> @here <https://evil.example|click> & `x`\nsecond line';
  expect(notificationBody('slack', [notice({ text })], 'https://konverge.example.com')).toEqual({
    text: 'failure: edge at aaaaaaa: &lt;!channel&gt; @\u200bhere &lt;https://evil.example|click&gt; &amp; `x` second line\nhttps://konverge.example.com',
    mrkdwn: false,
  });
  expect(notificationBody('json', [notice({ text, destination: null })], null)).toEqual({
    source: 'konverge',
    link: null,
    notices: [{ outcome: 'failure', destination: null, revision: head, text, at: '1970-01-01T00:00:00.000Z' }],
  });
});
