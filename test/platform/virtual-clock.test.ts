import { expect, test } from 'vitest';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';

const never = new AbortController().signal;

test('sleeps end in order of due time, then of arrival, and later sleeps begun on the way are kept in order', async () => {
  const clock = new VirtualClock(1000);
  const log: string[] = [];
  const sleep = async (name: string, ms: number) => {
    await clock.sleep(ms, never);
    log.push(`${name}@${clock.now()}`);
  };
  void sleep('b', 20).then(() => sleep('d', 10));
  void sleep('a', 10);
  void sleep('c', 20);
  await clock.advance(29);
  expect(log).toEqual(['a@1010', 'b@1020', 'c@1020']);
  expect(clock.monotonic()).toBe(29);
  expect(clock.pending().map((timer) => timer.due)).toEqual([30]);
  await clock.advance(1);
  expect(log.at(-1)).toBe('d@1030');
  clock.assertIdle();
});

test('an abort rejects with the reason and leaves no timer', async () => {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const slept = clock.sleep(100, abort.signal);
  expect(() => clock.assertIdle()).toThrow('1 timers are pending, due in 100 ms');
  const reason = new Error('stop');
  abort.abort(reason);
  await expect(slept).rejects.toBe(reason);
  await expect(clock.sleep(1, abort.signal)).rejects.toBe(reason);
  clock.assertIdle();
});

test('firing a later timer first makes the earlier one late, and time never goes back', async () => {
  const clock = new VirtualClock(0);
  const log: number[] = [];
  void clock.sleep(10, never).then(() => log.push(10));
  void clock.sleep(50, never).then(() => log.push(50));
  const later = clock.pending()[1];
  expect(clock.fire(later?.id ?? -1)).toBe(true);
  await clock.settle();
  expect([log, clock.monotonic()]).toEqual([[50], 50]);
  expect(clock.fireEarliest()).toBe(true);
  await clock.settle();
  expect([log, clock.monotonic()]).toEqual([[50, 10], 50]);
  expect(clock.fireEarliest()).toBe(false);
});

test('a jump of the wall clock moves no sleep', async () => {
  const clock = new VirtualClock(0);
  void clock.sleep(10, never);
  clock.jump(-5000);
  expect(clock.now()).toBe(-5000);
  expect(clock.pending()[0]?.due).toBe(10);
});
