import { describe, expect, test } from 'vitest';
import { deliverOnce, isSettled } from '../../src/lane/deliver-once.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import { alone } from '../../src/lane/lease.ts';
import { silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { type Content, type Flaw, offerOf, planServices } from '../sim/content.ts';
import type { Answer, Method } from '../sim/events.ts';
import { SimDestination } from '../sim/sim-destination.ts';

interface Once {
  readonly live?: Content;
  readonly wanted: Content;
  readonly flaw?: Flaw;
  readonly approve?: string;
  readonly answer?: (method: Method) => Answer | null;
  readonly stop?: AbortSignal;
}

/** Delivers once to a destination in memory, which answers as it is told. */
async function once(given: Once): Promise<{ readonly status: LaneStatus; readonly holds: Content }> {
  const clock = new VirtualClock(0);
  const destination = new SimDestination({
    name: 'prod',
    takes: 'services',
    atOnce: new Set(),
    content: given.live ?? new Map(),
    record: () => undefined,
    now: () => 0,
    landsWhenGivenUp: () => false,
    generationOf: () => 1,
    generationOfRevision: () => 1,
  });
  const world = {
    destination,
    plan: planServices,
    policy: { drift: 'correct', driftIntervalMs: 1_000 },
    clock,
    random: () => 0,
    log: silentLog,
    lease: alone,
  } as const;
  const offer = offerOf({ generation: 1, revision: 'r1', content: given.wanted, flaw: given.flaw ?? 'none' });
  const stop = given.stop ?? new AbortController().signal;
  const under = { way: true };
  const delivery = deliverOnce(world, offer, given.approve ?? null, stop).finally(() => {
    under.way = false;
  });
  // Whoever waits for it takes what it throws.
  delivery.catch(() => undefined);
  for (let turn = 0; under.way && turn < 50; turn += 1) {
    const [call] = destination.pending;
    const answer = call === undefined ? null : given.answer === undefined ? call.answers[0] : given.answer(call.method);
    if (call !== undefined && answer !== null && answer !== undefined) call.answer(answer);
    await clock.settle();
  }
  const status = await delivery;
  clock.assertIdle();
  return { status, holds: destination.content };
}

const three: Content = new Map([
  ['a', '1'],
  ['b', '1'],
  ['c', '1'],
]);

describe('to deliver once', () => {
  test('ends when it is applied', async () => {
    const { status, holds } = await once({ wanted: three });
    expect(status).toMatchObject({ state: 'applied', applied: 'r1' });
    expect(holds).toEqual(three);
  });

  test('ends at the first failure, without a second try', async () => {
    let asked = 0;
    const { status } = await once({
      wanted: three,
      answer: () => {
        asked += 1;
        return 'unreachable';
      },
    });
    expect(status).toMatchObject({ state: 'unreachable', failure: { code: 'timeout' } });
    expect(asked).toBe(1);
  });

  test('ends with a refusal and what was found', async () => {
    const { status } = await once({ wanted: three, flaw: 'invalid' });
    expect(status.state).toBe('rejected');
    expect(status.diagnostics.map(({ rule }) => rule)).toEqual(['unknown-field']);
  });

  test('ends with a hold, and goes through it with the approval of its fingerprint', async () => {
    const held = await once({ live: three, wanted: new Map([['a', '1']]) });
    expect(held.status.state).toBe('held');
    expect(held.holds).toEqual(three);
    const approve = held.status.plan?.fingerprint ?? '';
    const through = await once({ live: three, wanted: new Map([['a', '1']]), approve });
    expect(through.status.state).toBe('applied');
    expect(through.holds).toEqual(new Map([['a', '1']]));
  });

  test('throws what it was stopped with', async () => {
    const stop = new AbortController();
    const answer = (): null => {
      stop.abort(new Error('enough'));
      return null;
    };
    await expect(once({ wanted: three, stop: stop.signal, answer })).rejects.toThrow('enough');
  });
});

test('a state is settled when a first try has ended', () => {
  expect((['pending', 'waiting', 'delivering'] as const).map(isSettled)).toEqual([false, false, false]);
  expect((['applied', 'held', 'rejected', 'retrying', 'drifted', 'suspended'] as const).every(isSettled)).toBe(true);
});
