import { expect, test } from 'vitest';
import { Failure, type FailureFacts } from '../../src/platform/failure.ts';
import { type RetryOptions, withRetry } from '../../src/platform/retry.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';

function failure(facts: Partial<FailureFacts>): Failure {
  return new Failure({
    class: 'transient',
    code: 'http-503',
    message: 'm',
    hint: '',
    method: 'GET',
    url: 'http://x/',
    status: 503,
    retryAfterMs: null,
    body: null,
    ...facts,
  });
}

/** Runs attempts that fail as listed and then succeed; tells when each was made, and how it ended. */
async function run(failures: readonly Error[], options: Partial<RetryOptions> = {}) {
  const clock = new VirtualClock(0);
  const at: number[] = [];
  const abort = new AbortController();
  let ended: unknown = 'not ended';
  void withRetry(
    async () => {
      at.push(clock.monotonic());
      const next = failures[at.length - 1];
      if (next !== undefined) throw next;
      return 'done';
    },
    {
      clock,
      signal: abort.signal,
      retries: 2,
      firstWaitMs: 100,
      longestWaitMs: 1000,
      idempotent: true,
      random: () => 0,
      ...options,
    },
  ).then(
    (value) => {
      ended = value;
    },
    (thrown: unknown) => {
      ended = thrown;
    },
  );
  await clock.settle();
  return {
    clock,
    abort,
    finish: async () => {
      await clock.advance(100_000);
      clock.assertIdle();
      return { at, ended };
    },
  };
}

test('waits double, and the last failure is thrown when tries run out', async () => {
  const unreachable = failure({ class: 'unreachable', status: null });
  expect(await (await run([failure({}), unreachable])).finish()).toEqual({ at: [0, 100, 300], ended: 'done' });
  const last = failure({ code: 'http-500' });
  expect(await (await run([failure({}), unreachable, last])).finish()).toEqual({ at: [0, 100, 300], ended: last });
});

test('a wait that the server asks for is kept, unless it is too long to bridge', async () => {
  expect((await (await run([failure({ retryAfterMs: 700 })])).finish()).at).toEqual([0, 700]);
  const long = failure({ retryAfterMs: 60_000 });
  expect(await (await run([long])).finish()).toEqual({ at: [0], ended: long });
});

test('jitter shortens a wait by up to a half', async () => {
  expect((await (await run([failure({})], { random: () => 0.5 })).finish()).at).toEqual([0, 75]);
});

test('rejections, faults of ours and unanswered writes are not tried again; a 429 is', async () => {
  for (const [thrown, idempotent] of [
    [failure({ class: 'rejected', status: 400 }), true],
    [new TypeError('ours'), true],
    [new Error('ours'), true],
    [failure({ class: 'unreachable', status: null }), false],
    [failure({ status: 503 }), false],
  ] as const) {
    expect(await (await run([thrown], { idempotent })).finish()).toEqual({ at: [0], ended: thrown });
  }
  expect((await (await run([failure({ status: 429 })], { idempotent: false })).finish()).ended).toBe('done');
});

test('an abort ends a wait at once and leaves no timer', async () => {
  const running = await run([failure({})]);
  const reason = new Error('stop');
  running.abort.abort(reason);
  await running.clock.settle();
  running.clock.assertIdle();
  expect(await running.finish()).toEqual({ at: [0], ended: reason });
});
