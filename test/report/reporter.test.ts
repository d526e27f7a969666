import { expect, test } from 'vitest';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import { silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { commitStatuses, type ReportInput } from '../../src/report/commit-status.ts';
import { Reporter } from '../../src/report/reporter.ts';
import { MemoryForge } from '../support/memory-forge.ts';
import { failed, finding, head, input, lane } from './statuses.ts';

const second = 1000;
const minute = 60 * second;
const next = 'c'.repeat(40);

/** A reporter at work on a virtual clock. */
function start(forge = new MemoryForge(), clock = new VirtualClock(0)) {
  const stop = new AbortController();
  const reporter = new Reporter({
    forge,
    clock,
    random: () => 0.5,
    log: silentLog,
    publicUrl: 'https://k/',
    gatherMs: second,
  });
  const ended = reporter.run(stop.signal);
  return {
    forge,
    clock,
    reporter,
    say: async (given: ReportInput, ms = 2 * second) => {
      const report = commitStatuses(given);
      if (report !== null) reporter.update(report);
      await clock.advance(ms);
    },
    stop: async () => {
      stop.abort();
      await ended;
      clock.assertIdle();
    },
  };
}

/** The same for another revision. */
function at(revision: string, lanes: readonly LaneStatus[]): ReportInput {
  const given = input(lanes.map((one) => ({ ...one, revision, applied: one.state === 'applied' ? revision : null })));
  return { ...given, validation: given.validation === null ? null : { ...given.validation, revision } };
}

test('posts what is wanted, once', async () => {
  const run = start();
  await run.say(input([lane('edge', 'applied')]));
  await run.say(input([lane('edge', 'applied')]));
  expect(run.forge.held(head)).toEqual({
    'konverge/validate': 'success: valid',
    'konverge/edge': 'success: 3 created; live on 2/2 nodes',
    konverge: 'success: in place on 1/1 destinations',
  });
  expect(run.forge.statuses).toHaveLength(3);
  expect(run.forge.statuses[0]?.targetUrl).toBe(`https://k/revisions/${run.forge.statuses[0]?.revision}`);
  await run.stop();
});

test('update returns at once, and what changes quickly is gathered', async () => {
  const run = start();
  await run.say(input([lane('edge', 'pending')]), 100);
  await run.say(input([lane('edge', 'delivering')]), 100);
  expect(run.forge.calls).toBe(0);
  await run.say(input([lane('edge', 'applied')]));
  expect(run.forge.history(head, 'konverge/edge')).toEqual(['success']);
  await run.stop();
});

test('what changes while a post is under way is posted after it, in order', async () => {
  const run = start();
  run.forge.during = () => run.clock.sleep(5 * second, new AbortController().signal);
  await run.say(input([lane('edge', 'delivering')]), 8 * second);
  await run.say(input([lane('edge', 'applied')]), 60 * second);
  expect(run.forge.history(head, 'konverge/edge')).toEqual(['pending', 'success']);
  expect(run.forge.history(head, 'konverge')).toEqual(['success']);
  await run.stop();
});

test('pending ends after ten minutes as an error with the reason, and success follows if it comes', async () => {
  const run = start();
  const unreachable = lane('edge', 'unreachable', { failure: failed({}) });
  await run.say(input([unreachable]), 5 * minute);
  await run.say(input([lane('edge', 'delivering')]), 4 * minute);
  await run.say(input([unreachable]), 50 * second);
  expect(run.forge.history(head, 'konverge/edge').at(-1)).toBe('pending');
  await run.clock.advance(20 * second);
  expect(run.forge.held(head)).toMatchObject({
    'konverge/edge': 'error: unreachable: connection refused; will be tried again; not in place after 10 minutes',
    konverge: 'error: in place on 0/1 destinations; waiting for edge; not in place after 10 minutes',
  });
  const posts = run.forge.statuses.length;
  await run.say(input([lane('edge', 'delivering')]), 60 * minute);
  expect(run.forge.statuses).toHaveLength(posts);
  await run.say(input([lane('edge', 'applied')]));
  expect(run.forge.held(head)).toMatchObject({
    'konverge/edge': expect.stringMatching(/^success/),
    konverge: expect.stringMatching(/^success/),
  });
  await run.stop();
});

test('a superseded revision that had a status ends as error; one that had none gets none', async () => {
  const run = start();
  const lanes = [lane('edge', 'applied'), lane('slow', 'unreachable', { failure: failed({}) }), lane('big', 'held')];
  await run.say(input(lanes));
  const unseen = 'd'.repeat(40);
  await run.say(at(unseen, [lane('edge', 'delivering')]), 500);
  await run.say(at(next, lanes));
  expect(run.forge.held(head)).toEqual({
    'konverge/validate': 'success: valid',
    'konverge/edge': 'success: 3 created; live on 2/2 nodes',
    'konverge/slow': 'error: superseded by ccccccc',
    'konverge/big': 'error: superseded by ccccccc',
    konverge: 'error: superseded by ccccccc',
  });
  expect(run.forge.held(unseen)).toEqual({});
  expect(Object.keys(run.forge.held(next))).toHaveLength(5);
  await run.stop();
});

test('a verdict about a revision stays when a newer one comes', async () => {
  const run = start();
  await run.say(input([lane('edge', 'applied')], [finding('a.yaml', 1, 'bad')], ['edge']));
  await run.say(at(next, [lane('edge', 'applied')]));
  expect(run.forge.held(head)).toMatchObject({
    'konverge/validate': 'failure: a.yaml:1 bad',
    'konverge/edge': 'failure: invalid: a.yaml:1 bad',
  });
  await run.stop();
});

test('a revision that comes back after it was superseded gets its statuses anew', async () => {
  const run = start();
  await run.say(input([lane('edge', 'delivering')]));
  await run.say(at(next, [lane('edge', 'delivering')]));
  await run.say(input([lane('edge', 'delivering')]));
  expect(run.forge.held(next)).toMatchObject({ 'konverge/edge': 'error: superseded by aaaaaaa' });
  expect(run.forge.held(head)).toMatchObject({ 'konverge/edge': 'pending: being delivered' });
  await run.say(input([lane('edge', 'applied')]));
  expect(run.forge.history(head, 'konverge/edge')).toEqual(['pending', 'error', 'pending', 'success']);
  await run.stop();
});

test('looking for drift after success posts nothing; drift that is only reported fails, and its end succeeds', async () => {
  const run = start();
  await run.say(input([lane('edge', 'applied')]));
  const posts = run.forge.statuses.length;
  for (let round = 0; round < 50; round += 1) {
    await run.say(input([lane('edge', 'delivering', { applied: head })]));
    await run.say(input([lane('edge', 'unreachable', { applied: head, failure: failed({}) })]), 15 * minute);
    await run.say(input([lane('edge', 'applied', { detail: `${round} updated; live` })]));
  }
  expect(run.forge.statuses).toHaveLength(posts);
  await run.say(input([lane('edge', 'drifted', { applied: head })]));
  await run.say(input([lane('edge', 'applied')]));
  expect(run.forge.history(head, 'konverge/edge')).toEqual(['success', 'failure', 'success']);
  await run.stop();
});

test('at most 20 posts for one commit and context, and the last word is not lost to the many before', async () => {
  const run = start();
  for (let round = 0; round < 40; round += 1) {
    await run.say(input([lane('edge', 'retrying', { failure: failed({ class: 'transient', status: 500 + round }) })]));
  }
  expect(run.forge.history(head, 'konverge/edge')).toHaveLength(10);
  await run.say(input([lane('edge', 'applied')]));
  expect(run.forge.held(head)['konverge/edge']).toMatch(/^success/);
  for (let round = 0; round < 40; round += 1) {
    await run.say(input([lane('edge', 'drifted', { detail: `live state differs: ${round}` })]));
  }
  expect(run.forge.history(head, 'konverge/edge')).toHaveLength(19);
  await run.say(input([lane('edge', 'applied')]));
  expect(run.forge.history(head, 'konverge/edge')).toHaveLength(20);
  expect(run.forge.held(head)['konverge/edge']).toMatch(/^success/);
  await run.stop();
});

test('a forge that is down for an hour gets the newest state only, once it is back', async () => {
  const run = start();
  run.forge.failing = {};
  await run.say(input([lane('edge', 'delivering')]), 30 * minute);
  await run.say(at(next, [lane('edge', 'delivering')]), 30 * minute);
  expect(run.forge.calls).toBeLessThan(25);
  run.forge.failing = null;
  await run.say(at(next, [lane('edge', 'applied')]), 6 * minute);
  expect(run.forge.held(head)).toEqual({});
  expect(run.forge.history(next, 'konverge/edge')).toEqual(['success']);
  await run.stop();
});

test('a limit is waited out as long as the forge asks, and uses up no posts', async () => {
  const run = start();
  await run.say(input([lane('edge', 'delivering')]));
  run.forge.failing = { class: 'transient', code: 'rate-limited', status: 429, retryAfterMs: 40 * minute };
  await run.say(input([lane('edge', 'rejected')]));
  const calls = run.forge.calls;
  run.forge.failing = null;
  await run.say(input([lane('edge', 'applied')]), 39 * minute);
  expect(run.forge.calls).toBe(calls);
  await run.clock.advance(2 * minute);
  expect(run.forge.history(head, 'konverge/edge')).toEqual(['pending', 'success']);
  await run.stop();
});

test('what the forge refuses for good is given up for this commit, and tried again with the next', async () => {
  const run = start();
  run.forge.failing = { class: 'rejected', code: 'http-404', status: 404 };
  await run.say(input([lane('edge', 'delivering')]), 60 * minute);
  expect(run.forge.calls).toBe(1);
  run.forge.failing = null;
  await run.say(at(next, [lane('edge', 'applied')]));
  expect(run.forge.held(head)).toEqual({});
  expect(run.forge.held(next)['konverge/edge']).toMatch(/^success/);
  await run.stop();
});

test('an answer that is lost is not posted twice', async () => {
  const run = start();
  run.forge.answersToLose = 3;
  await run.say(input([lane('edge', 'applied')]), 5 * minute);
  expect(run.forge.statuses).toHaveLength(3);
  expect(Object.values(run.forge.held(head)).every((one) => one.startsWith('success'))).toBe(true);
  await run.stop();
});

test('after a restart, what an earlier run left pending is put right, and what is right is left alone', async () => {
  const first = start();
  await first.say(input([lane('edge', 'delivering'), lane('gone', 'delivering'), lane('done', 'applied')]));
  await first.stop();
  const again = start(first.forge, first.clock);
  await again.say(input([lane('edge', 'applied'), lane('done', 'pending')]));
  expect(first.forge.held(head)).toEqual({
    'konverge/validate': 'success: valid',
    'konverge/edge': 'success: 3 created; live on 2/2 nodes',
    'konverge/gone': 'error: no longer a destination',
    'konverge/done': 'success: 3 created; live on 2/2 nodes',
    konverge: 'pending: in place on 1/2 destinations; waiting for done',
  });
  await again.say(input([lane('edge', 'applied'), lane('done', 'applied')]));
  expect(first.forge.history(head, 'konverge/done')).toEqual(['success']);
  expect(first.forge.history(head, 'konverge/validate')).toEqual(['success']);
  await again.stop();
});

test('a pending status of an earlier run ends after ten minutes of this one', async () => {
  const first = start();
  await first.say(input([lane('edge', 'delivering')]));
  await first.stop();
  const again = start(first.forge, first.clock);
  await again.say(input([lane('edge', 'delivering')]), 11 * minute);
  expect(first.forge.history(head, 'konverge/edge')).toEqual(['pending', 'error']);
  await again.stop();
});

test('older revisions that an earlier run left pending end as superseded', async () => {
  const first = start();
  await first.say(input([lane('edge', 'delivering')]));
  await first.stop();
  const again = start(first.forge, first.clock);
  const report = commitStatuses(at(next, [lane('edge', 'applied')]));
  if (report !== null) again.reporter.update(report);
  again.reporter.putRight([head, 'e'.repeat(40)]);
  await again.clock.advance(minute);
  expect(first.forge.held(head)).toMatchObject({
    'konverge/validate': 'success: valid',
    'konverge/edge': 'error: superseded by ccccccc',
    konverge: 'error: superseded by ccccccc',
  });
  expect(first.forge.held('e'.repeat(40))).toEqual({});
  await again.stop();
  const third = start(first.forge, first.clock);
  const posts = first.forge.statuses.length;
  const newest = commitStatuses(at('f'.repeat(40), []));
  if (newest !== null) third.reporter.update(newest);
  third.reporter.putRight([next, head]);
  await third.clock.advance(minute);
  expect(first.forge.statuses.length - posts).toBe(2);
  await third.stop();
});

test('long descriptions are cut once and not posted again for it', async () => {
  const run = start();
  const long = lane('edge', 'held', { detail: 'x'.repeat(300) });
  run.forge.answersToLose = 1;
  await run.say(input([long]), 5 * minute);
  await run.say(input([long]));
  expect(run.forge.history(head, 'konverge/edge')).toEqual(['failure']);
  expect([...(run.forge.statuses.find((one) => one.context === 'konverge/edge')?.description ?? '')]).toHaveLength(140);
  await run.stop();
});

test('drained tells whether all was posted', async () => {
  const run = start();
  const never = new AbortController().signal;
  expect(await run.reporter.drained(1000, never)).toBe(true);
  const report = commitStatuses(input([lane('edge', 'applied')]));
  if (report !== null) run.reporter.update(report);
  const soon = run.reporter.drained(10 * second, never);
  await run.clock.advance(2 * second);
  expect(await soon).toBe(true);
  expect(run.forge.statuses).toHaveLength(3);
  run.forge.failing = {};
  await run.say(at(next, [lane('edge', 'applied')]), 100);
  const late = run.reporter.drained(5 * second, never);
  await run.clock.advance(10 * second);
  expect(await late).toBe(false);
  await run.stop();
});

test('the same schedule gives the same posts', async () => {
  const once = async () => {
    const run = start();
    run.forge.during = () => run.clock.sleep(300, new AbortController().signal);
    await run.say(input([lane('a', 'delivering'), lane('b', 'delivering')]), 1500);
    run.forge.failing = {};
    await run.say(at(next, [lane('a', 'applied'), lane('b', 'held')]), 3 * minute);
    run.forge.failing = null;
    await run.clock.advance(20 * minute);
    await run.stop();
    return run.forge.statuses;
  };
  expect(await once()).toEqual(await once());
});
