import { expect, test } from 'vitest';
import { endingOf } from '../../src/lane/ending.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import type { PassEnd } from '../../src/lane/pass.ts';
import { tellEnding } from '../../src/lane/tell-ending.ts';
import { stateOf } from '../../src/model/state.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { type Log, type LogFields, silentLog } from '../../src/platform/log.ts';
import { failed, head, lane } from '../report/statuses.ts';

const plan: Plan = {
  destination: 'edge',
  revision: head,
  digest: 'sha256:d',
  fingerprint: 'sha256:f',
  summary: { create: 0, update: 0, delete: 1, unchanged: 0 },
  changes: [],
  warnings: [],
  held: null,
};

const refusal = (status: number): PassEnd => ({
  end: 'rejected',
  diagnostics: [],
  failure: failed({ class: 'rejected', code: `http-${status}`, status, message: 'no', hint: 'Check the token.' }),
  plan: null,
  leaves: 'unknown',
});

function applied(delivered: Plan | null): PassEnd {
  return {
    end: 'applied',
    confirmation: { confirmed: true, unread: [], detail: 'live', incomplete: false },
    delivered,
    plan,
    built: { revision: head, state: stateOf([]), digest: 'sha256:', diagnostics: [], valid: true },
    left: [],
    reported: [],
  };
}

function told(status: LaneStatus, ended: PassEnd): readonly [string, string, LogFields][] {
  const lines: [string, string, LogFields][] = [];
  const at = (level: string) => (fields: LogFields, message: string) => void lines.push([level, message, fields]);
  const log: Log = { ...silentLog, debug: at('debug'), info: at('info'), warn: at('warn') };
  tellEnding({ log, now: 60_000 }, head, status, ended);
  return lines;
}

function ending(ended: PassEnd) {
  return endingOf(ended, {
    now: 0,
    backoffMs: () => 1,
    driftIntervalMs: null,
    retryIntervalMs: 1,
    repeated: false,
    deliveredWords: null,
    drift: [],
    inForce: null,
    corrects: true,
  }).status;
}

test('warns once of a revision that was taken back, and not of each look that finds it so', () => {
  const status = lane('edge', 'rolled-back');
  expect(told(status, applied(plan)).map(([level, message]) => [level, message])).toEqual([
    ['warn', 'the destination was taken back to an earlier revision'],
  ]);
  expect(told(status, applied(null)).map(([level]) => level)).toEqual(['debug']);
});

test('says what can be done about a failure, and about a plan that is held', () => {
  const refused = failed({ code: 'http-401', hint: 'Check the token.' });
  expect(told(lane('edge', 'rejected', { failure: refused }), refusal(401))[0]?.[2]).toMatchObject({
    hint: 'Check the token.',
  });
  const held = { code: 'mass-delete', message: 'too much', hint: 'approve it' } as const;
  const status = lane('edge', 'held', { plan: { ...plan, held } });
  expect(told(status, { end: 'held', plan })[0]?.[2]).toMatchObject({ hint: 'approve it' });
});

test('a destination that does not let Konverge in has not refused the revision', () => {
  const said = ending(refusal(401));
  expect(said?.waitingFor).toBe('access (a restart takes up another token), a newer revision, or sync');
  const status = lane('edge', 'rejected', { failure: said?.failure ?? null });
  expect(told(status, refusal(403))[0]?.[1]).toBe('the destination does not let Konverge in');
  expect(told(lane('edge', 'rejected'), refusal(409))[0]?.[1]).toBe('the destination refused the revision');
  expect(ending(refusal(409))?.waitingFor).toBe('a newer revision, or sync');
});
