import { expect, test } from 'vitest';
import type { ChangeOutcome } from '../../src/destination/destination.ts';
import { runWrites } from '../../src/destination/writing/run-writes.ts';
import type { Change, PlannedDelivery, Write } from '../../src/plan/plan.ts';
import { Failure, type FailureFacts } from '../../src/platform/failure.ts';

/** A delivery of writes `a`, `b`, …, each a change of its own unless it says otherwise. */
function delivery(
  writes: readonly {
    readonly after?: readonly number[];
    readonly covers?: readonly number[];
    readonly change?: number;
  }[],
  changes = writes.length,
): PlannedDelivery {
  const names = 'abcdefghijklmnopqrstuvwxyz';
  const change = (index: number): Change => ({
    action: 'update',
    kind: 'services',
    id: `${index}`,
    name: names[index] ?? `${index}`,
    parent: null,
    fields: [],
    location: null,
  });
  return {
    plan: {
      destination: 'd',
      revision: null,
      digest: '',
      fingerprint: '',
      summary: { create: 0, update: changes, delete: 0, unchanged: 0 },
      changes: Array.from({ length: changes }, (_, index) => change(index)),
      warnings: [],
      held: null,
    },
    writes: writes.map(
      ({ after = [], covers = [], change: of }, index): Write => ({
        change: of ?? index,
        covers,
        action: 'update',
        kind: 'services',
        id: `${index}`,
        body: {},
        parentId: null,
        after,
      }),
    ),
    unread: [],
  };
}

function failure(facts: Partial<FailureFacts>): Failure {
  return new Failure({
    class: 'rejected',
    code: 'http-400',
    message: 'refused',
    hint: '',
    method: null,
    url: null,
    status: 400,
    retryAfterMs: null,
    body: null,
    ...facts,
  });
}

const refused = failure({});
const broken = failure({ class: 'transient', code: 'http-500', status: 500 });
const unanswered = failure({ class: 'unreachable', code: 'timeout', status: null });

interface Sent {
  readonly order: string[];
  readonly most: () => number;
}

/** Runs writes, of which those named fail, and gives what came of each as one word. */
async function run(
  planned: PlannedDelivery,
  options: {
    readonly fails?: { readonly [id: string]: unknown };
    readonly concurrency?: number;
    readonly goOn?: (done: number, total: number) => boolean;
    readonly signal?: AbortSignal;
    readonly onSend?: (id: string) => void | Promise<void>;
  } = {},
) {
  const order: string[] = [];
  let [under, most] = [0, 0];
  const sent: Sent = { order, most: () => most };
  const result = await runWrites(
    planned,
    {
      concurrency: options.concurrency ?? 4,
      goOn: options.goOn ?? (() => true),
      sendWrite: async ({ id }) => {
        order.push(id);
        under += 1;
        most = Math.max(most, under);
        await options.onSend?.(id);
        await new Promise((resolve) => setImmediate(resolve));
        under -= 1;
        const fails = options.fails?.[id];
        if (fails !== undefined) throw fails;
      },
    },
    options.signal ?? new AbortController().signal,
  );
  return { ...result, ...sent, words: result.changes.map(word) };
}

function word(outcome: ChangeOutcome): string {
  return outcome.result === 'skipped' ? `skipped: ${outcome.because}` : outcome.result;
}

test('sends each write once those before it are done, and no more at once than allowed', async () => {
  const writes = [{ after: [1] }, {}, {}, {}, { after: [0, 2, 3] }, {}];
  const { order, most, words, failure: worst, sent } = await run(delivery(writes), { concurrency: 2 });
  expect(words).toEqual(Array(6).fill('applied'));
  expect(order.indexOf('1')).toBeLessThan(order.indexOf('0'));
  expect(order.indexOf('4')).toBeGreaterThan(Math.max(...['0', '2', '3'].map((id) => order.indexOf(id))));
  expect(most()).toBe(2);
  expect([worst, sent]).toEqual([null, 6]);
});

test('skips what comes after a refused write, to any depth, and names what failed', async () => {
  const writes = [{}, { after: [0] }, { after: [1] }, {}, { after: [3] }];
  const { words, failure: worst, sent } = await run(delivery(writes), { fails: { 0: refused } });
  expect(words).toEqual([
    'rejected',
    'skipped: service "a" failed before it',
    'skipped: service "a" failed before it',
    'applied',
    'applied',
  ]);
  expect(worst).toMatchObject({ class: 'rejected', message: 'service "a": refused' });
  expect(sent).toBe(3);
});

test('skips a chain of any length without running out of stack', async () => {
  const writes = Array.from({ length: 50_000 }, (_, index) => ({ after: index === 0 ? [] : [index - 1] }));
  const { words } = await run(delivery(writes), { fails: { 0: refused } });
  expect(words.at(-1)).toBe('skipped: service "a" failed before it');
});

test('starts nothing after a write without an answer', async () => {
  const writes = Array.from({ length: 10 }, () => ({}));
  const { words, failure: worst, sent } = await run(delivery(writes), { fails: { 1: unanswered }, concurrency: 2 });
  expect(words.slice(0, 2)).toEqual(['applied', 'unknown']);
  expect(sent).toBeLessThanOrEqual(3);
  expect(words.at(-1)).toMatch(/^skipped: an earlier write had no answer/);
  expect(worst?.class).toBe('unreachable');
});

test.each([429, 502, 503, 504])('starts nothing after a %i', async (status) => {
  const overloaded = failure({ class: 'transient', code: `http-${status}`, status });
  const { sent, words } = await run(delivery([{}, {}, {}]), { fails: { 0: overloaded }, concurrency: 1 });
  expect(sent).toBe(1);
  expect(words).toEqual(['unknown', ...Array(2).fill('skipped: the destination cannot take writes now')]);
});

test('goes on after a fault that one entity meets, and stops when all meet it', async () => {
  const writes = Array.from({ length: 20 }, () => ({}));
  const some = await run(delivery(writes), { fails: { 3: broken, 4: broken, 9: broken }, concurrency: 1 });
  expect(some.words.filter((outcome) => outcome === 'applied')).toHaveLength(17);
  expect(some.failure).toMatchObject({ class: 'transient', message: 'service "d": refused' });
  const all = await run(delivery(writes), {
    fails: Object.fromEntries(writes.map((_, index) => [index, broken])),
    concurrency: 1,
  });
  expect(all.sent).toBe(5);
});

test('tells the worst failure first: no answer, then a fault, then a refusal', async () => {
  const fails = { 0: refused, 1: broken, 2: unanswered };
  const { failure: worst } = await run(delivery([{}, {}, {}]), { fails, concurrency: 3 });
  expect(worst?.class).toBe('unreachable');
});

test('counts a change as done when all of its writes are, and what a write covers as that write', async () => {
  // Change 0 takes two writes (out of the way, then in place); the write of change 1 stands for the delete of change 2.
  const writes = [{ change: 0 }, { change: 0, after: [0, 2] }, { change: 1, covers: [2] }];
  expect((await run(delivery(writes, 3))).words).toEqual(['applied', 'applied', 'applied']);
  expect((await run(delivery(writes, 3), { fails: { 2: refused } })).words).toEqual([
    'skipped: service "b" failed before it',
    'rejected',
    'rejected',
  ]);
  expect((await run(delivery(writes, 3), { fails: { 0: refused } })).words[0]).toBe('rejected');
});

test('starts nothing more once it may not go on, and waits for what is under way', async () => {
  const asked: number[] = [];
  const { words, sent, order } = await run(delivery(Array.from({ length: 6 }, () => ({}))), {
    concurrency: 2,
    goOn: (done, total) => {
      asked.push(done);
      expect(total).toBe(6);
      return done < 2;
    },
  });
  expect(sent).toBe(order.length);
  expect(words.slice(0, sent)).toEqual(Array(sent).fill('applied'));
  expect(words.slice(sent)).toEqual(Array(6 - sent).fill('skipped: a newer revision is taken up instead'));
});

test('ends with the reason of its signal once nothing is under way', async () => {
  const stop = new AbortController();
  const reason = new Error('stopped');
  let under = 0;
  const running = runWrites(
    delivery([{}, {}, {}]),
    {
      concurrency: 2,
      goOn: () => true,
      sendWrite: async (_, signal) => {
        under += 1;
        stop.abort(reason);
        await new Promise((resolve) => setImmediate(resolve));
        under -= 1;
        signal.throwIfAborted();
      },
    },
    stop.signal,
  );
  await expect(running).rejects.toBe(reason);
  expect(under).toBe(0);
});

test('passes a fault of its own on, once nothing is under way', async () => {
  const fault = new TypeError('a fault');
  const done: string[] = [];
  const running = run(delivery([{}, {}, {}, {}]), {
    concurrency: 2,
    fails: { 0: fault },
    onSend: async (id) => {
      if (id === '1') await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      done.push(id);
    },
  });
  await expect(running).rejects.toBe(fault);
  expect(done).toEqual(['0', '1']);
});

test('puts back what was deleted for another one that is refused, and says so', async () => {
  const planned = delivery([{}, { after: [0] }, {}]);
  const takenBack = { body: { name: 'before' }, unless: [1], when: 'one-fails' } as const;
  const writes = planned.writes.map((write, at) => (at === 0 ? { ...write, body: null, takenBack } : write));
  const revocable = { ...planned, writes };
  const refusedHeir = await run(revocable, { fails: { 1: refused }, concurrency: 1 });
  expect(refusedHeir.order.filter((id) => id === '0')).toHaveLength(2);
  expect(refusedHeir.words).toEqual([
    'skipped: it was put back, because service "b" did not take its place',
    'rejected',
    'applied',
  ]);
  const unanswered1 = await run(revocable, { fails: { 1: unanswered }, concurrency: 1 });
  expect(unanswered1.words[0]).toMatch(/^skipped: it was put back/);
  const superseded = await run(revocable, { goOn: (done) => done < 1, concurrency: 1 });
  expect(superseded.words[0]).toMatch(/^skipped: it was put back/);
  const fine = await run(revocable, { concurrency: 1 });
  expect(fine.words).toEqual(['applied', 'applied', 'applied']);
  expect(fine.order).toHaveLength(3);
});

test('puts a route back that was closed for what was refused, and not where that may have come', async () => {
  const planned = delivery([{}, { after: [0] }, { after: [0] }, { after: [1, 2] }]);
  const takenBack = { body: { name: 'before' }, unless: [1, 2], when: 'none-comes' } as const;
  const writes = planned.writes.map((write, at) => (at === 0 ? { ...write, takenBack } : write));
  const closing = { ...planned, writes };
  const neither = await run(closing, { fails: { 1: refused, 2: refused }, concurrency: 1 });
  expect(neither.order.filter((id) => id === '0')).toHaveLength(2);
  expect(neither.words[0]).toBe('skipped: it was put back, because service "b" was not changed');
  const superseded = await run(closing, { goOn: (done) => done < 1, concurrency: 1 });
  expect(superseded.words[0]).toMatch(/^skipped: it was put back/);
  for (const fails of [{ 1: refused }, { 1: unanswered }, { 3: refused }]) {
    const one = await run(closing, { fails, concurrency: 1 });
    expect(one.order.filter((id) => id === '0')).toHaveLength(1);
  }
  expect((await run(closing, { concurrency: 1 })).order).toHaveLength(4);
});
