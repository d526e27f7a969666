import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { History } from '../../src/daemon/history.ts';
import { HistoryFile } from '../../src/daemon/history-file.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import { beingDelivered, beingRead, beingTakenBack } from '../../src/lane/sayings.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { type Log, silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { failed, head, lane } from '../report/statuses.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

const clock = new VirtualClock(Date.UTC(2026, 5, 1));
let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder({});
});
afterEach(() => folder.remove());

function planned(fingerprint: string, changes = 1): Plan {
  return {
    destination: 'edge',
    revision: head,
    digest: 'sha256:d',
    fingerprint,
    summary: { create: 0, update: changes, delete: 0, unchanged: 3 },
    changes: Array.from({ length: changes }, (_, at) => ({
      action: 'update' as const,
      kind: 'services' as const,
      id: `${at}`,
      name: `s${at}`,
      parent: null,
      fields: [{ path: '/host', from: 'a value that was', to: 'a value to come' }],
      location: null,
    })),
    warnings: [],
    held: null,
  };
}

const approval = { fingerprint: 'sha256:1', by: 'person', who: null, reason: null } as const;

const counted = (deliveries: number) => ({ deliveries, failures: 0, writes: 0, driftsCorrected: 0 });

async function told(statuses: readonly LaneStatus[]): Promise<readonly (readonly [string, string | null])[]> {
  const history = new History(folder.path, silentLog, clock);
  for (const status of statuses) history.note([status]);
  const entries = await history.entries('edge', 100);
  return entries.map(({ event, plan }) => [event, plan?.fingerprint ?? null] as const);
}

test('tells a delivery, a hold and its approval, drift, and a failure that comes again once', async () => {
  const counts = { deliveries: 1, failures: 0, writes: 1, driftsCorrected: 1 };
  expect(
    await told([
      lane('edge', 'pending'),
      lane('edge', 'held', { plan: planned('sha256:1') }),
      lane('edge', 'held', { plan: planned('sha256:1'), detail: 'looked again' }),
      lane('edge', 'held', { plan: planned('sha256:1'), approval }),
      lane('edge', 'delivering', { plan: planned('sha256:1') }),
      lane('edge', 'applied', { plan: null }),
      lane('edge', 'retrying', { failure: failed({}) }),
      lane('edge', 'delivering', { plan: planned('sha256:2') }),
      lane('edge', 'applied', { plan: null, counts }),
    ]),
  ).toEqual([
    ['held', 'sha256:1'],
    ['approved', 'sha256:1'],
    ['delivering', 'sha256:1'],
    ['applied', null],
    ['retrying', null],
    ['delivering', 'sha256:2'],
    ['drift-corrected', null],
    ['applied', null],
  ]);
});

test('tries that end as the one before them are told once, until something else happens', async () => {
  const silent = lane('edge', 'unreachable', { plan: planned('sha256:1'), failure: failed({}) });
  const sent = lane('edge', 'delivering', { plan: planned('sha256:1'), failure: failed({}) });
  const other = lane('edge', 'delivering', { plan: planned('sha256:2'), failure: failed({}) });
  expect(
    await told([
      lane('edge', 'pending'),
      ...[sent, { ...silent }, { ...sent }, { ...silent }, { ...sent }, { ...silent }],
      ...[other, { ...silent }],
      lane('edge', 'applied', { plan: null }),
      ...[sent, { ...silent }],
    ]),
  ).toEqual([
    ['delivering', 'sha256:1'],
    ['unreachable', 'sha256:1'],
    ['delivering', 'sha256:2'],
    ['applied', null],
    ['delivering', 'sha256:1'],
    ['unreachable', 'sha256:1'],
  ]);
});

test('what is only read is no delivery, though a plan is known from before', async () => {
  const held = lane('edge', 'held', { plan: planned('sha256:1') });
  expect(
    await told([
      held,
      { ...held, state: 'suspended' },
      { ...held, ...beingRead },
      lane('edge', 'waiting', { plan: planned('sha256:1') }),
      { ...held, ...beingRead },
      { ...held, ...beingDelivered('revision') },
      lane('edge', 'applied', { plan: null }),
    ]),
  ).toEqual([
    ['held', 'sha256:1'],
    ['suspended', 'sha256:1'],
    ['resumed', null],
    ['waiting', 'sha256:1'],
    ['delivering', 'sha256:1'],
    ['applied', null],
  ]);
});

test('a failure of before is not told with what comes after it', async () => {
  const history = new History(folder.path, silentLog, clock);
  history.note([lane('edge', 'retrying', { failure: failed({}) })]);
  history.note([lane('edge', 'delivering', { plan: planned('sha256:1'), failure: failed({}) })]);
  const entries = await history.entries('edge', 100);
  expect(entries.map(({ event, failure }) => [event, failure !== null])).toEqual([
    ['retrying', true],
    ['delivering', false],
  ]);
});

test('tells an ordinary delivery once, with its plan, and none where all is in place', async () => {
  expect(
    await told([
      lane('edge', 'delivering', { plan: null }),
      lane('edge', 'delivering', { plan: null, counts: counted(1) }),
      lane('edge', 'delivering', { plan: planned('sha256:1'), counts: counted(1) }),
      lane('edge', 'delivering', { plan: planned('sha256:1'), counts: counted(1), detail: 'being probed' }),
      lane('edge', 'applied', { plan: null, counts: counted(1) }),
    ]),
  ).toEqual([
    ['delivering', 'sha256:1'],
    ['applied', null],
  ]);
  expect(await told([lane('edge', 'delivering', { plan: null }), lane('edge', 'suspended')])).toEqual([
    ['delivering', 'sha256:1'],
    ['applied', null],
    ['suspended', null],
  ]);
});

test('a rest with nothing to do is told as one, and not as the delivery before it', async () => {
  const history = new History(folder.path, silentLog, clock);
  const applied = lane('edge', 'applied', { plan: null, counts: counted(1), detail: '20 created; 20 in place' });
  const states = [
    applied,
    lane('edge', 'suspended', { counts: counted(1) }),
    lane('edge', 'delivering', { counts: counted(1) }),
    applied,
  ];
  for (const status of states) history.note([{ ...status }]);
  expect((await history.entries('edge', 10)).map(({ event, detail }) => [event, detail])).toEqual([
    ['applied', '20 created; 20 in place'],
    ['suspended', 'detail of suspended'],
    ['resumed', 'delivers again, and corrects drift'],
    ['applied', 'nothing to change; 20 in place'],
  ]);
});

test('each entry carries the time at which it came, however long the state was entered before', async () => {
  const history = new History(folder.path, silentLog, clock);
  const begun = clock.now();
  history.note([lane('edge', 'applied', { since: begun })]);
  await clock.advance(60_000);
  history.note([lane('edge', 'applied', { since: begun, counts: { ...counted(1), driftsCorrected: 1 } })]);
  history.note([lane('edge', 'held', { since: begun, plan: planned('sha256:1') })]);
  await clock.advance(60_000);
  history.note([lane('edge', 'held', { since: begun, plan: planned('sha256:2') })]);
  const entries = await history.entries('edge', 10);
  expect(entries.map(({ event, at }) => [event, Date.parse(at) - begun])).toEqual([
    ['applied', 0],
    ['drift-corrected', 60_000],
    ['held', 60_000],
    ['held', 120_000],
  ]);
});

test('shows first, of a plan that is held, what it would delete', async () => {
  const history = new History(folder.path, silentLog, clock);
  const plan = planned('sha256:1', 60);
  const changes = plan.changes.map((change, at) => (at < 55 ? change : { ...change, action: 'delete' as const }));
  const held = { code: 'mass-delete' as const, message: 'It deletes much.', hint: '' };
  history.note([lane('edge', 'held', { plan: { ...plan, changes, held } })]);
  const [entry] = await history.entries('edge', 1);
  expect(entry?.plan?.changes.slice(0, 6).map(({ action, name }) => `${action} ${name}`)).toEqual([
    'delete s55',
    'delete s56',
    'delete s57',
    'delete s58',
    'delete s59',
    'update s0',
  ]);
});

test('keeps which fields a plan changes, and no value of any; of a long plan the beginning', async () => {
  const history = new History(folder.path, silentLog, clock);
  history.note([lane('edge', 'delivering', { plan: planned('sha256:1', 70) })]);
  const [entry] = await history.entries('edge', 1);
  expect(entry?.plan?.changes).toHaveLength(50);
  expect(entry?.plan?.more).toBe(20);
  expect(entry?.plan?.changes[0]).toEqual({ action: 'update', kind: 'services', name: 's0', fields: ['/host'] });
  expect(readFileSync(join(folder.path, 'edge.jsonl'), 'utf8')).not.toContain('a value');
});

test('keeps each destination apart, and makes no file for nothing', async () => {
  const history = new History(folder.path, silentLog, clock);
  history.note([lane('one', 'applied'), lane('two', 'pending')]);
  await history.close();
  expect(existsSync(join(folder.path, 'one.jsonl'))).toBe(true);
  expect(existsSync(join(folder.path, 'two.jsonl'))).toBe(false);
  expect(await history.entries('two', 10)).toEqual([]);
});

test('passes over the half line that a killed process left, and goes on after it', async () => {
  const path = join(folder.path, 'edge.jsonl');
  const before = new History(folder.path, silentLog, clock);
  before.note([lane('edge', 'applied')]);
  await before.close();
  const whole = readFileSync(path, 'utf8');
  // All but the end of the line is the whole entry.
  for (let cut = 1; cut < whole.length - 1; cut += 37) {
    writeFileSync(path, whole);
    appendFileSync(path, whole.slice(0, cut));
    const after = new History(folder.path, silentLog, clock);
    after.note([lane('edge', 'suspended')]);
    expect((await after.entries('edge', 10)).map(({ event }) => event)).toEqual(['applied', 'suspended']);
  }
});

test('goes on after half a line that a full disk left, and writes then what has to last', async () => {
  const path = join(folder.path, 'log.jsonl');
  const lasting = (entry: unknown) => (entry as { readonly lasts?: string }).lasts ?? null;
  const file = new HistoryFile(path, undefined, lasting);
  await file.append({ at: 1 });
  // A folder takes no entry either.
  renameSync(path, `${path}.aside`);
  mkdirSync(path);
  for (const at of [2, 3, 4, 5]) {
    await expect(file.append({ at, ...(at % 2 === 0 ? { lasts: 'applied' } : {}) })).rejects.toThrow();
  }
  rmSync(path, { recursive: true });
  renameSync(`${path}.aside`, path);
  appendFileSync(path, '{"at":2,"lasts":"app');
  await file.append({ at: 6 });
  await file.append({ at: 7 });
  expect((await file.entries()).map((entry) => (entry as { readonly at: number }).at)).toEqual([1, 4, 6, 7]);
  // What nothing more follows on is written at the end.
  renameSync(path, `${path}.aside`);
  mkdirSync(path);
  await expect(file.append({ at: 8, lasts: 'applied' })).rejects.toThrow();
  rmSync(path, { recursive: true });
  renameSync(`${path}.aside`, path);
  await file.settled();
  expect(readFileSync(path, 'utf8').trim().split('\n').at(-1)).toBe('{"at":8,"lasts":"applied"}');
});

test('never grows past its bound, and lets go of the oldest first', async () => {
  const path = join(folder.path, 'log.jsonl');
  const file = new HistoryFile(path, 2_000);
  for (let at = 0; at < 200; at += 1) {
    await file.append({ at, text: 'x'.repeat(40) });
    expect(statSync(path).size).toBeLessThanOrEqual(2_000);
  }
  const kept = (await file.entries()).map((entry) => (entry as { readonly at: number }).at);
  expect(kept.at(-1)).toBe(199);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 200 - kept.length + index));
  expect(kept.length).toBeGreaterThan(10);
});

test('never lets go of what was put in place last, however much came after it', async () => {
  const history = new History(folder.path, silentLog, clock);
  history.note([lane('edge', 'applied', { revision: 'applied-once' })]);
  history.note([lane('edge', 'delivering', { revision: 'begun-later', plan: planned('sha256:1') })]);
  const detail = 'x'.repeat(100_000);
  for (let at = 0; at < 30; at += 1) {
    history.note([lane('edge', 'retrying', { detail, revision: `r${at}`, failure: failed({ code: `c${at}` }) })]);
  }
  expect((await history.entries('edge', 100)).length).toBeLessThan(15);
  expect(await history.lastInPlace('edge')).toMatchObject({ whole: 'applied-once', attempted: 'begun-later' });
});

test('a revision that was taken back is not what was in place last', async () => {
  const history = new History(folder.path, silentLog, clock);
  history.note([lane('edge', 'applied', { revision: 'kept' })]);
  history.note([lane('edge', 'delivering', { revision: 'sick', plan: planned('sha256:1') })]);
  history.note([lane('edge', 'applied', { revision: 'sick' })]);
  history.note([lane('edge', 'rolled-back', { revision: 'sick', detail: 'taken back to kept: not healthy' })]);
  expect(await history.lastInPlace('edge')).toMatchObject({
    whole: 'kept',
    attempted: null,
    takenBack: { revision: 'sick', why: 'not healthy' },
  });
  // To put it right again is no new try; a new one is.
  const { detail } = beingTakenBack;
  history.note([lane('edge', 'delivering', { revision: 'sick', detail, plan: planned('sha256:2') })]);
  expect((await history.lastInPlace('edge')).takenBack?.revision).toBe('sick');
  history.note([lane('edge', 'delivering', { revision: 'sick', plan: planned('sha256:1') })]);
  expect((await history.lastInPlace('edge')).takenBack).toBeUndefined();
});

test('a log that cannot be written is said once, and stops nothing', async () => {
  // A folder stands where the file would be: as with a disk that is full, no write succeeds.
  const said: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => said.push(message) };
  const history = new History(folder.path, log, clock);
  mkdirSync(join(folder.path, 'edge.jsonl'));
  history.note([lane('edge', 'applied')]);
  history.note([lane('edge', 'suspended')]);
  await history.close();
  expect(await history.entries('edge', 10)).toEqual([]);
  expect(said).toEqual(['history cannot be kept']);
});

test('tells at a start what was approved and not delivered, and whose trailer was used', async () => {
  const trailer = { fingerprint: 'sha256:1', by: 'trailer', who: 'ann', reason: null } as const;
  const lastAfter = async (statuses: readonly LaneStatus[]) => {
    await told(statuses);
    const found = await new History(folder.path, silentLog, clock).lastInPlace('edge');
    await folder.write({ 'edge.jsonl': '' });
    return found;
  };
  const held = lane('edge', 'held', { plan: planned('sha256:1') });
  expect(await lastAfter([held, { ...held, approval }])).toMatchObject({ approval });
  const used = await lastAfter([held, { ...held, approval: trailer }, { ...held, state: 'delivering' }]);
  expect(used.tried).toEqual(new Set([head]));
  expect(used).not.toHaveProperty('approval');
  const good = { ...held, approval: null, plan: null, state: 'applied' as const };
  expect(await lastAfter([held, { ...held, approval }, good])).not.toHaveProperty('approval');
});

test('an approval is told with who gave it, and outlives what came before it', async () => {
  const history = new History(folder.path, silentLog, clock);
  history.note([lane('edge', 'held', { plan: planned('sha256:1') })]);
  history.note([
    lane('edge', 'held', {
      plan: planned('sha256:1'),
      approval: { fingerprint: 'sha256:1', by: 'trailer', who: 'ann@example.com', reason: null },
    }),
  ]);
  for (let at = 0; at < 3000; at += 1) {
    history.note([lane('edge', at % 2 === 0 ? 'waiting' : 'suspended', { detail: 'x'.repeat(400) })]);
  }
  const entries = await history.entries('edge', 100_000);
  expect(entries.find(({ event }) => event === 'held')).toBeUndefined();
  expect(entries.find(({ event }) => event === 'approved')).toMatchObject({
    detail: 'approved by the trailer Konverge-Approve of the commit, signed by ann@example.com',
    approval: { by: 'trailer', who: 'ann@example.com', fingerprint: 'sha256:1' },
    plan: { fingerprint: 'sha256:1' },
  });
  const known = await history.lastInPlace('edge');
  expect(known.approval).toMatchObject({ fingerprint: 'sha256:1' });
  expect(known.tried).toEqual(new Set([head]));
});

test('a suspension is told when it is asked for, not once what is under way has ended', async () => {
  const delivering = lane('edge', 'delivering', { plan: planned('sha256:1') });
  const suspension = { who: 'ann', reason: 'incident 42' };
  const history = new History(folder.path, silentLog, clock);
  for (const status of [delivering, { ...delivering, suspension }]) history.note([status]);
  expect(await history.lastInPlace('edge')).toMatchObject({ suspended: suspension });
  history.note([{ ...delivering, state: 'suspended', suspension }]);
  history.note([{ ...delivering, state: 'suspended' }]);
  history.note([delivering]);
  expect((await history.entries('edge', 10)).map(({ event, detail }) => [event, detail])).toEqual([
    ['delivering', 'detail of delivering'],
    ['suspended', 'nothing is delivered and drift is not corrected; suspended by ann: incident 42'],
    ['resumed', 'delivers again, and corrects drift'],
    ['delivering', 'detail of delivering'],
  ]);
  expect(await history.lastInPlace('edge')).not.toHaveProperty('suspended');
});

test('tells what was confirmed, as long as nothing else was begun since', async () => {
  const history = new History(folder.path, silentLog, clock, (name, digest) => `${name} has ${digest}`);
  const known = async () => (await history.lastInPlace('edge')).content;
  const counts = counted(1);
  history.note([lane('edge', 'applied', { plan: null, counts, appliedDigest: 'sha256:d' })]);
  expect(await known()).toBe('edge has sha256:d');
  history.note([lane('edge', 'delivering', { plan: planned('sha256:1'), counts, ...beingDelivered('drift') })]);
  expect(await known()).toBe('edge has sha256:d');
  history.note([lane('edge', 'held', { plan: planned('sha256:2'), counts, revision: 'newer' })]);
  expect(await known()).toBe('edge has sha256:d');
  history.note([lane('edge', 'delivering', { plan: planned('sha256:3'), counts, ...beingDelivered('revision') })]);
  expect(await known()).toBeUndefined();
  history.note([lane('edge', 'applied-degraded', { plan: null, counts, appliedDigest: 'sha256:d' })]);
  expect(await known()).toBeUndefined();
  history.note([lane('edge', 'applied', { plan: null, counts: counted(2), appliedDigest: 'sha256:e' })]);
  expect(await known()).toBe('edge has sha256:e');
});

test('what is not accepted is told for each destination once, and what fails goes on to be told once beside it', async () => {
  const history = new History(folder.path, silentLog, clock);
  const found: Diagnostic = {
    rule: 'signature-missing',
    severity: 'error',
    message: 'The commit is not signed.',
    hint: '',
    locations: [],
    entities: [],
  };
  const refusal = { revision: 'new', valid: false, diagnostics: [found], invalidFor: new Set(['edge']), at: 0 };
  const silent = lane('edge', 'unreachable', { failure: failed({}) });
  history.note([silent], refusal);
  history.note([{ ...silent, state: 'delivering' }], { ...refusal });
  history.note([{ ...silent }], refusal);
  history.note([{ ...silent }], { ...refusal, revision: 'newer' });
  const entries = await history.entries('edge', 10);
  expect(entries.map(({ event, revision, detail, failure }) => [event, revision, detail, failure?.code])).toEqual([
    ['refused', 'new', 'not accepted; what is in force stays', 'signature-missing'],
    ['unreachable', head, 'detail of unreachable', expect.any(String)],
    ['refused', 'newer', 'not accepted; what is in force stays', 'signature-missing'],
  ]);
});
