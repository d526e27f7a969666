import { describe, expect, test } from 'vitest';
import { planWhole } from '../sim/content.ts';
import { driftIntervalMs } from '../sim/sim-lane.ts';
import { Bench } from './bench.ts';

const before = { a: '1', b: '1', c: '1' };
const after = { a: '1' };

async function held(shape: ConstructorParameters<typeof Bench>[0] = {}): Promise<Bench> {
  const bench = new Bench(shape);
  await bench.offer(before);
  await bench.settle();
  await bench.offer(after);
  await bench.settle();
  expect(bench.status).toMatchObject({ state: 'held', detail: '2 would be deleted', applied: 'r1' });
  return bench;
}

const drift = (bench: Bench, content: { readonly [name: string]: string }) =>
  bench.sim.destination.drift(new Map(Object.entries(content)));

async function next(bench: Bench): Promise<void> {
  await bench.clock.advance(driftIntervalMs);
  await bench.settle();
}

describe.each(['services', 'whole'] as const)('while a plan is held, of a destination that takes %s', (takes) => {
  test('what is in force is put right, and the plan stays the one that was shown', async () => {
    const bench = await held({ takes });
    const { fingerprint } = bench.status.plan ?? {};
    drift(bench, { ...before, b: 'by hand' });
    const from = bench.history.length;
    await next(bench);
    expect(bench.holds()).toEqual(before);
    expect(bench.status).toMatchObject({
      state: 'held',
      revision: 'r2',
      applied: 'r1',
      plan: { fingerprint },
      counts: { driftsCorrected: 1 },
      drift: [{ did: 'changed', outcome: 'corrected' }],
    });
    const said = bench.history.slice(from).flatMap((event) => (event.type === 'status' ? [event.status] : []));
    expect(new Set(said.map(({ state }) => state))).toEqual(new Set(['held']));
    expect(new Set(said.map(({ plan }) => plan?.fingerprint))).toEqual(new Set([fingerprint]));
  });

  test('an approval lets just it through, also where drift is put right in between', async () => {
    const bench = await held({ takes });
    drift(bench, { ...before, b: 'by hand' });
    bench.sim.approve(bench.status.plan?.fingerprint ?? '');
    await bench.settle();
    expect(bench.holds()).toEqual(after);
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2', counts: { driftsCorrected: 1 } });
  });

  test('what is lost lets nothing through: it is put back first', async () => {
    const bench = await held({ takes });
    drift(bench, {});
    await next(bench);
    expect(bench.holds()).toEqual(before);
    expect(bench.status).toMatchObject({ state: 'held', applied: 'r1' });
  });

  test('what is lost during the look at it lets nothing through either', async () => {
    const bench = await held({ takes });
    bench.sim.steer('sync');
    await bench.clock.settle();
    // What is in force is looked at first, and all is well then.
    for (const method of ['identify', 'read', 'schemas'] as const) await bench.answer(method);
    drift(bench, {});
    await bench.settle();
    expect(bench.holds()).toEqual(before);
    expect(bench.status).toMatchObject({ state: 'held', detail: '2 would be deleted', applied: 'r1' });
  });

  test('another revision is judged by what is in force too', async () => {
    const bench = await held({ takes });
    drift(bench, {});
    await bench.offer({ a: '2' });
    await bench.settle();
    expect(bench.holds()).toEqual(before);
    expect(bench.status).toMatchObject({ state: 'held', revision: 'r3', applied: 'r1' });
    await bench.offer({ ...before, d: '1' });
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r4' });
  });

  test('what is in force stays as another writer leaves it, where that is only reported', async () => {
    const bench = await held({ takes, drift: 'report' });
    drift(bench, { ...before, b: 'by hand' });
    await next(bench);
    expect(bench.holds()).toEqual({ ...before, b: 'by hand' });
    expect(bench.status).toMatchObject({ state: 'held', counts: { driftsCorrected: 0 } });
  });
});

test('a plan that was approved and failed midway is not undone while what is left of it is held', async () => {
  const all = { a: '1', b: '1', c: '1', d: '1', e: '1', f: '1' };
  const bench = new Bench();
  await bench.offer(all);
  await bench.settle();
  await bench.offer({ a: '1' });
  await bench.settle();
  bench.sim.approve(bench.status.plan?.fingerprint ?? '');
  await bench.settle('write');
  await bench.sim.destination.pending[0]?.answer('ok');
  await bench.clock.settle();
  for (const call of bench.sim.destination.pending) call.answer('unreachable');
  await bench.settle();
  const left = bench.holds();
  expect(Object.keys(left).length).toBeLessThan(6);
  for (let looks = 0; looks < 5; looks += 1) await next(bench);
  expect(bench.status.state).toBe('held');
  expect(bench.holds()).toEqual(left);
});

test('after a start beside a plan that is held, what was in place before is put right', async () => {
  const bench = new Bench(
    { takes: 'whole', content: new Map(Object.entries({ ...before, b: 'by hand' })) },
    { plan: planWhole },
  );
  bench.publish(before);
  const newest = bench.publish(after);
  bench.sim.hand(bench.sim.onTheirWay.indexOf(newest));
  await bench.settle();
  // It is not known to have been in force: it is one of the past.
  expect(bench.holds()).toEqual({ ...before, b: 'by hand' });
  expect(bench.status).toMatchObject({ state: 'held', applied: null });
  drift(bench, before);
  await next(bench);
  expect(bench.status).toMatchObject({ state: 'held', applied: 'r1' });
  drift(bench, { ...before, b: 'by hand' });
  await next(bench);
  expect(bench.holds()).toEqual(before);
});
