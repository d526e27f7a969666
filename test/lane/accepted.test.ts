import { expect, test } from 'vitest';
import { Failure, type FailureFacts, ownFault } from '../../src/platform/failure.ts';
import { driftIntervalMs } from '../sim/sim-lane.ts';
import { Bench } from './bench.ts';

const before = { a: '1', b: '1', c: '1' };
const unknownKey: FailureFacts = {
  ...ownFault(),
  class: 'rejected',
  code: 'signature-unknown-key',
  message: 'Revision r2 is not accepted: its key is none of the accepted ones.',
};

async function opened(): Promise<Bench> {
  const bench = new Bench();
  await bench.offer(before);
  await bench.settle();
  return bench;
}

/** An offer whose key is taken out of the files at some time. */
function signed(): { refusal: () => Promise<FailureFacts | null>; answer: FailureFacts | Error | null } {
  const key: ReturnType<typeof signed> = {
    answer: null,
    refusal: async () => {
      if (key.answer instanceof Error) throw key.answer;
      return key.answer;
    },
  };
  return key;
}

test('what waited while its key was taken out does not go out when a suspension ends', async () => {
  const bench = await opened();
  const key = signed();
  bench.sim.lane.suspend();
  await bench.settle();
  await bench.offer({ ...before, evil: '1' }, 'none', key);
  key.answer = unknownKey;
  bench.sim.lane.resume();
  await bench.settle();
  expect(bench.status).toMatchObject({ state: 'rejected', revision: 'r2', failure: { code: unknownKey.code } });
  expect(bench.status.detail).toBe(unknownKey.message);
  expect(bench.holds()).toEqual(before);
  // What is in force is kept against drift meanwhile.
  bench.sim.destination.drift(new Map([['a', '2']]));
  await bench.clock.advance(driftIntervalMs);
  await bench.settle();
  expect(bench.holds()).toEqual(before);
});

test('what is held does not go out by an approval once its key was taken out, and does when the key is back', async () => {
  const bench = await opened();
  const key = signed();
  await bench.offer({ a: '1' }, 'none', key);
  await bench.settle();
  expect(bench.status.state).toBe('held');
  const fingerprint = bench.status.plan?.fingerprint ?? '';
  key.answer = unknownKey;
  bench.sim.approve(fingerprint);
  await bench.settle();
  expect(bench.status.state).toBe('rejected');
  expect(bench.holds()).toEqual(before);
  key.answer = null;
  bench.sim.lane.sync();
  await bench.settle();
  expect(bench.holds()).toEqual({ a: '1' });
});

test('a key that is taken out while the destination is read is taken out in time', async () => {
  const bench = await opened();
  let asked = 0;
  const refusal = async () => {
    asked += 1;
    return asked === 1 ? null : unknownKey;
  };
  await bench.offer({ ...before, evil: '1' }, 'none', { refusal });
  await bench.settle();
  expect(bench.status.state).toBe('rejected');
  expect(bench.holds()).toEqual(before);
});

test('where nobody can tell which keys are meant, what waits goes on waiting, and is tried again', async () => {
  const bench = await opened();
  const key = signed();
  key.answer = new Failure({ ...unknownKey, class: 'transient', code: 'signing-keys' });
  await bench.offer({ ...before, d: '1' }, 'none', key);
  await bench.settle();
  expect(bench.status).toMatchObject({ state: 'retrying', failure: { code: 'signing-keys' } });
  expect(bench.holds()).toEqual(before);
  key.answer = null;
  await bench.clock.advance(60_000);
  await bench.settle();
  expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2' });
});

test('what is in force stays so without its key, and is kept against drift', async () => {
  const bench = new Bench();
  const key = signed();
  await bench.offer(before, 'none', key);
  await bench.settle();
  key.answer = unknownKey;
  bench.sim.destination.drift(new Map([['a', '2']]));
  await bench.clock.advance(driftIntervalMs);
  await bench.settle();
  expect(bench.status).toMatchObject({ state: 'applied', applied: 'r1' });
  expect(bench.holds()).toEqual(before);
});

test('nothing is taken back to what is not accepted any more, and that is not tried over and over', async () => {
  let wrong: string | null = null;
  const probes = [{ name: 'probe', withinMs: 1_000, ask: async () => wrong }];
  const health = { probes, updateIntervalMs: 0, watchMs: 600_000, onUnhealthy: 'rollback' } as const;
  const bench = new Bench({}, { health });
  const key = signed();
  await bench.offer(before, 'none', key);
  await bench.settle();
  await bench.offer({ ...before, d: '1' });
  await bench.settle();
  expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2' });
  key.answer = unknownKey;
  wrong = 'answers 500';
  for (let minute = 0; minute < 5; minute += 0.1) {
    await bench.clock.advance(6_000);
    await bench.settle();
  }
  expect(bench.status).toMatchObject({ state: 'rejected', failure: { code: unknownKey.code } });
  expect(bench.status.detail).toMatch(/^not healthy: probe answers 500; to take it back to r1 is refused: Revision r2/);
  expect(bench.holds()).toEqual({ ...before, d: '1' });
});
