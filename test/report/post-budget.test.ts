import { expect, test } from 'vitest';
import { silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { commitStatuses } from '../../src/report/commit-status.ts';
import { burst, everyMs, lastingMs, PostBudget } from '../../src/report/post-budget.ts';
import { Reporter } from '../../src/report/reporter.ts';
import { MemoryForge } from '../support/memory-forge.ts';
import { input, lane } from './statuses.ts';

const second = 1000;
const minute = 60 * second;

test('what is left over is kept for verdicts', () => {
  const budget = new PostBudget();
  let now = 5 * minute;
  const spend = (state: 'pending' | 'error' | 'success') => {
    let posts = 0;
    while (budget.waitMs(state, now, null) === 0) {
      budget.spend(now);
      posts += 1;
    }
    return posts;
  };
  expect([spend('pending'), spend('error'), spend('success')]).toEqual([30, 15, 15]);
  expect(budget.waitMs('success', now, null)).toBe(everyMs);
  expect(budget.waitMs('pending', now, null)).toBe(31 * everyMs);
  now += everyMs;
  expect(spend('success')).toBe(1);
  now += 24 * 60 * minute;
  expect(spend('success')).toBe(burst);
});

test('what lasts pending is said once, from what is left over, before much of it has come back', () => {
  const budget = new PostBudget();
  const now = 5 * minute;
  for (let posts = 0; posts < 40; posts += 1) budget.spend(now);
  expect(budget.waitMs('pending', now, null)).toBe(11 * everyMs);
  expect(budget.waitMs('pending', now, now)).toBe(lastingMs);
  expect(budget.waitMs('pending', now, now - lastingMs)).toBe(0);
  for (let posts = 0; posts < 15; posts += 1) budget.spend(now);
  expect(budget.waitMs('pending', now, now - lastingMs)).toBe(everyMs);
  expect(budget.waitMs('success', now, null)).toBe(0);
});

/** The most of some times, in order, that lie in one span. */
function mostWithin(times: readonly number[], span: number): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + span).length));
}

test.each([
  [3, 1],
  [30, 6],
])(
  '300 commits in ten minutes to %d destinations stay below GitHub’s secondary limits; the last one gets its verdict within %d minutes',
  async (count, minutes) => {
    const clock = new VirtualClock(0);
    const forge = new MemoryForge();
    const times: number[] = [];
    forge.during = async () => {
      times.push(clock.monotonic());
    };
    const stop = new AbortController();
    const world = { forge, clock, random: () => 0.5, log: silentLog, publicUrl: null, gatherMs: 500 };
    const reporter = new Reporter(world);
    const ended = reporter.run(stop.signal);
    const revisions = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(40, '0'));
    const say = (revision: string, state: 'delivering' | 'applied') => {
      const names = Array.from({ length: count }, (_, index) => `d${index}`);
      const lanes = names.map((name) =>
        lane(name, state, { revision, applied: state === 'applied' ? revision : null }),
      );
      const given = input(lanes);
      if (given.validation === null) throw new Error('no validation');
      const report = commitStatuses({ ...given, validation: { ...given.validation, revision } });
      if (report !== null) reporter.update(report);
    };
    for (const revision of revisions) {
      say(revision, 'delivering');
      await clock.advance(2 * second);
    }
    const last = revisions.at(-1) ?? '';
    say(last, 'applied');
    await clock.advance(minutes * minute);
    expect(Object.values(forge.held(last)).map((text) => text.replace(/:.*/, ''))).toEqual(
      Array(count + 2).fill('success'),
    );
    await clock.advance(60 * minute);
    expect(mostWithin(times, minute)).toBeLessThan(80);
    expect(mostWithin(times, 60 * minute)).toBeLessThan(500);
    const pending = revisions.filter((revision) => JSON.stringify(forge.held(revision)).includes('"pending'));
    expect(pending).toEqual([]);
    stop.abort();
    await ended;
  },
);
