import { describe, expect, test } from 'vitest';
import type { Closed } from '../../src/lane/gate.ts';
import type { Offer } from '../../src/lane/offer.ts';
import { type Log, silentLog } from '../../src/platform/log.ts';
import { offerOf } from '../sim/content.ts';
import { Bench } from './bench.ts';

const one = { a: '1', b: '1', c: '1' };
const two = { a: '2', b: '1', c: '1' };
const bad = { ...one, h: 'unhealthy' };

describe('a gate', () => {
  test('holds a revision back, says why and till when, and lets it go when it opens', async () => {
    const bench = new Bench({ gated: true });
    bench.sim.gate(600_000);
    await bench.offer(one);
    await bench.settle();
    expect(bench.status).toMatchObject({
      state: 'waiting',
      revision: 'r1',
      detail: 'closed',
      waitingFor: 'the gate',
      plan: { summary: { create: 3 } },
    });
    expect(bench.holds()).toEqual({});
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.status.state).toBe('waiting');
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r1' });
  });

  test('that opens before its time is noticed at once', async () => {
    const bench = new Bench({ gated: true });
    bench.sim.gate(Number.POSITIVE_INFINITY);
    await bench.offer(one);
    await bench.settle();
    bench.sim.gate(null);
    await bench.settle();
    expect(bench.status.state).toBe('applied');
    expect(bench.clock.now()).toBe(0);
  });

  test('does not leave what is in force to drift', async () => {
    const bench = new Bench({ gated: true });
    await bench.offer(one);
    await bench.settle();
    bench.sim.gate(Number.POSITIVE_INFINITY);
    await bench.offer(two);
    await bench.settle();
    bench.sim.destination.drift(new Map([['x', 'foreign']]));
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({ state: 'waiting', revision: 'r2', applied: 'r1' });
  });

  test('that is closed for another reason while what is in force is looked at is told of at once, and till when', async () => {
    let closed: Closed | null = null;
    const bench = new Bench({}, { gate: () => closed });
    await bench.offer(one);
    await bench.settle();
    closed = { reason: 'staging delivers', waitingFor: 'staging', until: null };
    await bench.offer(two);
    while (bench.status.state !== 'waiting') {
      bench.sim.destination.pending[0]?.answer('ok');
      await bench.clock.settle();
    }
    expect(bench.sim.destination.pending).not.toEqual([]);
    closed = { reason: 'staging soaks', waitingFor: 'staging to stay so', until: 60_000 };
    bench.sim.lane.reconsider();
    await bench.settle();
    expect(bench.status).toMatchObject({ detail: 'staging soaks', nextTryAt: 60_000 });
    closed = { reason: 'staging was rolled back', waitingFor: 'another revision', until: null };
    bench.sim.lane.reconsider();
    await bench.settle();
    expect(bench.status.detail).toBe('staging was rolled back');
  });

  test('is not asked about what is in place already', async () => {
    const bench = new Bench({ gated: true, content: new Map(Object.entries(one)) });
    bench.sim.gate(Number.POSITIVE_INFINITY);
    await bench.offer(one);
    await bench.settle();
    expect(bench.status.state).toBe('applied');
  });
});

describe('the log', () => {
  test('says once that all is in place, and of an ordinary wait as no warning', async () => {
    const lines: string[] = [];
    const log: Log = {
      ...silentLog,
      info: (_, message) => lines.push(`info: ${message}`),
      warn: (_, message) => lines.push(`warn: ${message}`),
    };
    let closed: Closed | null = null;
    const bench = new Bench({ content: new Map(Object.entries(one)) }, { log, gate: () => closed });
    await bench.offer(one);
    await bench.settle();
    for (let checks = 0; checks < 3; checks += 1) {
      await bench.clock.advance(300_000);
      await bench.settle();
    }
    closed = { reason: 'closed', waitingFor: 'the gate', until: null };
    await bench.offer(two);
    await bench.settle();
    expect(bench.status.state).toBe('waiting');
    expect(lines.filter((line) => !line.includes('asked who'))).toEqual([
      'info: the destination matches',
      'info: waiting before delivering',
    ]);
  });
});

describe('health after a delivery', () => {
  test('is asked for once the nodes had the time to follow', async () => {
    const bench = new Bench({ onUnhealthy: 'hold' });
    await bench.offer(one);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'delivering', detail: 'delivered; the probes are being asked' });
    expect(bench.calls('probe')).toBe(0);
    await bench.clock.advance(5_000);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', detail: '3 created; read back and equal' });
    expect(bench.calls('probe')).toBe(1);
  });

  test('may take a while', async () => {
    const bench = new Bench({ onUnhealthy: 'hold' });
    await bench.offer(one);
    await bench.settle();
    await bench.clock.advance(5_000);
    await bench.answer('probe', 'unreachable');
    await bench.clock.advance(1_000);
    await bench.settle();
    expect(bench.status.state).toBe('applied');
  });

  async function unhealthy(onUnhealthy: 'hold' | 'rollback'): Promise<Bench> {
    const bench = new Bench({ onUnhealthy });
    await bench.offer(one);
    await bench.settle();
    await bench.clock.advance(5_000);
    await bench.settle();
    await bench.offer(bad);
    await bench.settle();
    for (let second = 0; second < 9; second += 1) {
      await bench.clock.advance(1_000);
      await bench.settle();
    }
    return bench;
  }

  test('that fails is held, and a person may say that it is good', async () => {
    const bench = await unhealthy('hold');
    expect(bench.status).toMatchObject({
      state: 'held',
      applied: 'r1',
      detail: 'delivered, and not healthy: simulated does not work',
      plan: { held: { code: 'unhealthy' } },
    });
    expect(bench.holds()).toEqual(bad);
    bench.sim.approve(bench.status.plan?.fingerprint ?? '');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2' });
  });

  test('that comes back in time ends the hold', async () => {
    const bench = await unhealthy('hold');
    bench.sim.destination.drift(new Map(Object.entries(one)));
    await bench.clock.advance(30_000);
    await bench.settle();
    // What was changed by hand is put right, and it is as bad as before.
    expect(bench.holds()).toEqual(bad);
    expect(bench.status.state).not.toBe('applied');
  });

  test('that fails takes the revision back, and another one goes out', async () => {
    const bench = await unhealthy('rollback');
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({
      state: 'rolled-back',
      revision: 'r2',
      generation: 3,
      applied: 'r1',
      detail: 'taken back to r1: not healthy: simulated does not work',
    });
    bench.sim.destination.drift(new Map());
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status.state).toBe('rolled-back');
  });

  test('gives way to a newer revision', async () => {
    const bench = new Bench({ onUnhealthy: 'rollback' });
    await bench.offer(bad);
    await bench.settle();
    await bench.offer(two);
    await bench.clock.advance(1_000);
    await bench.settle();
    expect(bench.holds()).toEqual(two);
    await bench.clock.advance(5_000);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2' });
    expect(bench.states()).toEqual(['delivering', 'applied']);
  });

  /** A lane on a destination that holds something already, as after a restart; its probes had the time to fail. */
  async function restarted(
    onUnhealthy: 'hold' | 'rollback',
    revision: { readonly [name: string]: string },
    more: Partial<Offer> = {},
  ): Promise<Bench> {
    const bench = new Bench({ onUnhealthy, content: new Map(Object.entries(revision)) });
    bench.publish(one);
    bench.sim.onTheirWay.length = 0;
    if (Object.keys(more).length === 0) await bench.offer(revision);
    else bench.sim.lane.offer({ ...offerOf(bench.publish(revision)), ...more });
    await passes(bench, 9);
    return bench;
  }

  async function passes(bench: Bench, seconds: number): Promise<void> {
    await bench.settle();
    for (let second = 0; second < seconds; second += 1) {
      await bench.clock.advance(1_000);
      await bench.settle();
    }
  }

  const found = async () => ({
    revision: 'r1',
    build: offerOf({ ...first, content: new Map(Object.entries(one)) }).build,
  });
  const first = { generation: 1, revision: 'r1', content: new Map(), flaw: 'none' } as const;

  test('that fails holds the next revision with the same content, until the probes answer rightly', async () => {
    const bench = await unhealthy('hold');
    const { plan } = bench.status;
    expect(plan?.summary.create).toBe(1);
    await bench.offer(bad);
    await passes(bench, 9);
    expect(bench.status).toMatchObject({ state: 'held', revision: 'r3', applied: 'r1' });
    // What is to be approved is what brought it.
    expect(bench.status.plan?.fingerprint).toBe(plan?.fingerprint);
    bench.sim.approve(plan?.fingerprint ?? '');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r3' });
    // It was said to be good, and is so in the next one, too.
    await bench.offer(bad);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r4', detail: expect.stringMatching(/^nothing/) });
  });

  test('that fails stays held, as said, while it is asked for again', async () => {
    const bench = await unhealthy('hold');
    const before = bench.states();
    await passes(bench, 100);
    expect(bench.states()).toEqual(before);
    expect(bench.calls('probe')).toBeGreaterThan(8);
  });

  test('is not asked for again for the same content that was proven', async () => {
    const bench = new Bench({ onUnhealthy: 'hold' });
    await bench.offer(one);
    await passes(bench, 5);
    await bench.offer(one);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2' });
    expect(bench.calls('probe')).toBe(1);
  });

  test('is asked for after a restart where nothing is to be written, too', async () => {
    const bench = await restarted('hold', one);
    expect(bench.status).toMatchObject({ state: 'applied', detail: 'nothing to change; read back and equal' });
    expect(bench.calls('probe')).toBe(1);
    expect(bench.status.counts.writes).toBe(0);
  });

  test.each(['services', 'whole'] as const)('that fails after a restart is held, of what takes %s', async (takes) => {
    const bench = new Bench({ onUnhealthy: 'hold', takes, content: new Map(Object.entries(bad)) });
    await bench.offer(bad);
    await passes(bench, 9);
    expect(bench.status).toMatchObject({ state: 'held', applied: null, plan: { held: { code: 'unhealthy' } } });
    bench.sim.approve(bench.status.plan?.fingerprint ?? '');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r1' });
  });

  test('that fails after a restart takes the revision back to what the past has', async () => {
    const bench = await restarted('rollback', bad);
    expect(bench.status).toMatchObject({ state: 'rolled-back', revision: 'r2', applied: 'r1' });
    expect(bench.holds()).toEqual(one);
  });

  test('that fails after a restart takes nothing back to the same content', async () => {
    const bench = new Bench({ onUnhealthy: 'rollback', content: new Map(Object.entries(bad)) });
    bench.publish(one);
    bench.publish(bad);
    bench.sim.onTheirWay.length = 0;
    await bench.offer(bad);
    await passes(bench, 9);
    expect(bench.status).toMatchObject({ state: 'rolled-back', revision: 'r3', applied: 'r1' });
    expect(bench.holds()).toEqual(one);
  });

  test('that fails after a restart takes nothing back that an earlier process applied', async () => {
    const bench = await restarted('rollback', bad, { earlier: { applied: true, takenBack: null }, lastGood: found });
    expect(bench.status.state).toBe('held');
    expect(bench.holds()).toEqual(bad);
  });

  test('after a restart what was taken back before stays so, until a person asks for it', async () => {
    const bench = new Bench({ onUnhealthy: 'rollback', content: new Map(Object.entries(one)) });
    const offer = offerOf({ ...first, generation: 3, revision: 'r2', content: new Map(Object.entries(bad)) });
    bench.sim.lane.offer({ ...offer, earlier: { applied: false, takenBack: 'not healthy' }, lastInPlace: found });
    await passes(bench, 9);
    expect(bench.status).toMatchObject({ state: 'rolled-back', revision: 'r2', applied: 'r1' });
    expect(bench.status.detail).toBe('taken back to r1: not healthy');
    expect([bench.calls('write'), bench.calls('probe')]).toEqual([0, 0]);
    bench.sim.lane.sync();
    await bench.settle();
    expect(bench.holds()).toEqual(bad);
  });

  test('that fails with nothing to go back to is held', async () => {
    const bench = new Bench({ onUnhealthy: 'rollback' });
    await bench.offer(bad);
    await bench.settle();
    for (let second = 0; second < 9; second += 1) {
      await bench.clock.advance(1_000);
      await bench.settle();
    }
    expect(bench.status.state).toBe('held');
  });
});
