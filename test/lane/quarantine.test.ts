import { describe, expect, test } from 'vitest';
import type { Built } from '../../src/build/built.ts';
import type { LeftOut } from '../../src/build/quarantine.ts';
import { endingOf } from '../../src/lane/ending.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { stateOf } from '../../src/model/state.ts';
import { Bench } from './bench.ts';

const one = { a: '1', b: '1', c: '1' };

describe('with quarantine, what is broken', () => {
  test('is kept as it was, what is new and broken is left out, and the rest goes out', async () => {
    const bench = new Bench({ onInvalid: 'quarantine' });
    await bench.offer(one);
    await bench.settle();
    await bench.offer({ a: 'broken', b: '2', c: '1', q: 'broken' });
    await bench.settle();
    expect(bench.holds()).toEqual({ a: '1', b: '2', c: '1' });
    expect(bench.status).toMatchObject({
      state: 'applied-degraded',
      applied: 'r1',
      revision: 'r2',
      waitingFor: 'a revision without these errors, or sync',
      quarantine: [
        { entity: { name: 'a' }, keptLastGood: true, cause: null, sinceRevision: 'r2', why: 'found by broken' },
        { entity: { name: 'q' }, keptLastGood: false, cause: null, sinceRevision: 'r2' },
      ],
    });
    expect(bench.status.detail).toContain('2 objects in quarantine, 1 left out: service "a" (found by broken)');
  });

  test('stays out since when it was first, and is back when it is sound', async () => {
    const bench = new Bench({ onInvalid: 'quarantine' });
    await bench.offer({ ...one, q: 'broken' });
    await bench.settle();
    await bench.clock.advance(1000);
    await bench.offer({ ...one, b: '2', q: 'broken', a: 'broken' });
    await bench.settle();
    expect(bench.holds()).toEqual({ ...one, b: '2' });
    expect(bench.status.quarantine).toMatchObject([
      { entity: { name: 'a' }, since: 1000, sinceRevision: 'r2' },
      { entity: { name: 'q' }, since: 0, sinceRevision: 'r1' },
    ]);
    await bench.offer({ ...one, q: '1' });
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r3', quarantine: [] });
    expect(bench.holds()).toEqual({ ...one, q: '1' });
  });

  test('is found in the past by a lane that starts, so that it writes nothing', async () => {
    const bench = new Bench({ onInvalid: 'quarantine', content: new Map(Object.entries({ ...one, b: '2' })) });
    bench.publish(one);
    bench.publish({ ...one, a: 'broken', b: '2' });
    await bench.offer({ ...one, a: 'broken', b: 'broken' });
    await bench.settle();
    expect(bench.status.state).toBe('applied-degraded');
    expect(bench.calls('write')).toBe(0);
    expect(bench.holds()).toEqual({ ...one, b: '2' });
  });

  test('counts as deleted where it is left out, so that a person is asked', async () => {
    const bench = new Bench({ onInvalid: 'quarantine', content: new Map(Object.entries(one)) });
    await bench.offer({ a: '1', b: 'broken', c: 'broken' });
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'held', detail: '2 would be deleted' });
    expect(bench.holds()).toEqual(one);
  });

  test('refuses the revision where it is all of it, and the last good one stays in force', async () => {
    const bench = new Bench({ onInvalid: 'quarantine' });
    await bench.offer(one);
    await bench.settle();
    await bench.offer({ a: '2' }, 'invalid');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'rejected', applied: 'r1' });
    expect(bench.status.detail).toBe('quarantine cannot go on without it: found by unknown-field');
    bench.sim.destination.drift(new Map());
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.holds()).toEqual(one);
  });
});

describe('with quarantine, a revision with errors', () => {
  const error: Diagnostic = {
    rule: 'broken',
    severity: 'error',
    message: 'found by broken',
    hint: '',
    locations: [],
    entities: [],
  };
  const state = stateOf([]);
  const built = (leftOut: readonly LeftOut[]): Built => ({
    revision: 'r2',
    state,
    digest: 'sha256:',
    diagnostics: [error],
    valid: false,
    quarantine: { leftOut, refused: null },
  });
  const ending = (leftOut: readonly LeftOut[]) =>
    endingOf(
      {
        end: 'applied',
        built: built(leftOut),
        confirmation: { confirmed: true, unread: [], detail: 'live', incomplete: false },
        delivered: null,
        plan: {
          destination: 'prod',
          revision: 'r2',
          digest: 'sha256:',
          fingerprint: 'sha256:',
          summary: { create: 0, update: 0, delete: 0, unchanged: 1 },
          changes: [],
          warnings: [],
          held: null,
        },
        left: [],
        reported: [],
      },
      {
        now: 0,
        backoffMs: () => 1,
        driftIntervalMs: null,
        retryIntervalMs: 1,
        repeated: false,
        deliveredWords: null,
        drift: [],
        inForce: null,
        corrects: true,
      },
    ).status;

  test('is never called applied, though nothing of it had to be left out', () => {
    expect(ending([])).toMatchObject({
      state: 'applied-degraded',
      detail: 'nothing to change; live; 1 error in what nothing is made of: found by broken',
      waitingFor: 'a revision without these errors, or sync',
    });
  });

  test('says the first cause where only what goes with the broken object is listed', () => {
    const leftOut: LeftOut = {
      entity: { kind: 'plugins', name: 'key-auth' },
      location: null,
      why: 'the plugin is not declared',
      cause: { kind: 'routes', name: 'a' },
      keptLastGood: true,
    };
    expect(ending([leftOut])?.detail).toContain('plugin "key-auth" (through route "a": the plugin is not declared)');
  });
});

describe('with quarantine, what the destination refuses', () => {
  test.each([
    ['before the first write', 'services', 'objectionable'],
    ['when it is written', 'services', 'refused'],
    ['with the whole state', 'whole', 'refused'],
  ] as const)('%s is left out, and the rest goes out', async (_, takes, value) => {
    const bench = new Bench({ onInvalid: 'quarantine', takes });
    await bench.offer({ ...one, f: value });
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({ state: 'applied-degraded', quarantine: [{ entity: { name: 'f' } }] });
    expect(bench.states()).toEqual(['delivering', 'applied-degraded']);
  });

  test('is kept as it is in force', async () => {
    const bench = new Bench({ onInvalid: 'quarantine' });
    await bench.offer(one);
    await bench.settle();
    await bench.offer({ ...one, a: 'objectionable', b: '2' });
    await bench.settle();
    expect(bench.holds()).toEqual({ ...one, b: '2' });
  });

  test('is looked for further back where the revision before was refused too', async () => {
    const bench = new Bench({ onInvalid: 'quarantine', content: new Map(Object.entries(one)) });
    bench.publish(one);
    bench.publish({ ...one, a: 'objectionable' });
    await bench.offer({ ...one, a: 'objectionable', b: '2' });
    await bench.settle();
    expect(bench.holds()).toEqual({ ...one, b: '2' });
    expect(bench.status.quarantine).toMatchObject([{ entity: { name: 'a' }, keptLastGood: true }]);
  });

  test('is not asked for again at each look for drift, but after an hour and by sync', async () => {
    const bench = new Bench({ onInvalid: 'quarantine' });
    await bench.offer({ ...one, f: 'objectionable' });
    await bench.settle();
    const asked = bench.calls('preflight');
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.calls('preflight')).toBe(asked);
    bench.sim.steer('sync');
    await bench.settle();
    expect(bench.calls('preflight')).toBe(asked + 1);
    expect(bench.status).toMatchObject({ state: 'applied-degraded', counts: { driftsCorrected: 0 } });
    for (let looks = 0; looks < 13; looks += 1) {
      await bench.clock.advance(300_000);
      await bench.settle();
    }
    expect(bench.calls('preflight')).toBe(asked + 2);
  });
});

describe('with reject', () => {
  test('nothing moves', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    await bench.offer({ ...one, b: '2', q: 'broken' });
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({ state: 'rejected', quarantine: [] });
  });

  test('a lane that starts on a revision that the destination refuses puts the one before in force', async () => {
    const bench = new Bench({ content: new Map(Object.entries({ ...one, x: 'foreign' })) });
    bench.publish(one);
    bench.publish({ ...one, e: 'objectionable' });
    await bench.offer({ ...one, f: 'objectionable' });
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({ state: 'rejected', revision: 'r3', applied: 'r1' });
    bench.sim.destination.drift(new Map(Object.entries({ a: '1' })));
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.holds()).toEqual(one);
  });
});
