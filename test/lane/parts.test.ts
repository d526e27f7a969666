import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { backoffMs, longestWaitMs } from '../../src/lane/backoff.ts';
import { lanePlan } from '../../src/lane/lane-plan.ts';
import { Mailbox } from '../../src/lane/mailbox.ts';
import { Nudge } from '../../src/lane/nudge.ts';
import type { Offer } from '../../src/lane/offer.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { noSchemas, offerOf, stateFrom } from '../sim/content.ts';

describe('back-off', () => {
  test.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [5, 8_000, 16_000],
    [9, 128_000, 256_000],
    [10, 150_000, 300_000],
    [5_000, 150_000, 300_000],
  ])('after %i failures in a row is %i to %i ms', (failures, least, most) => {
    expect(backoffMs({ failures, retryAfterMs: null, random: 0 })).toBe(least);
    expect(backoffMs({ failures, retryAfterMs: null, random: 1 })).toBe(most);
    expect(most).toBeLessThanOrEqual(longestWaitMs);
  });

  test('is never shorter than the server asked for', () => {
    expect(backoffMs({ failures: 1, retryAfterMs: 60_000, random: 0 })).toBe(60_000);
    expect(backoffMs({ failures: 1, retryAfterMs: 900_000, random: 0 })).toBe(900_000);
    expect(backoffMs({ failures: 9, retryAfterMs: 1_000, random: 0 })).toBe(128_000);
  });
});

describe('a mailbox', () => {
  const offer = (generation: number): Offer =>
    offerOf({ generation, revision: `r${generation}`, content: new Map(), flaw: 'none' });

  test('holds the newest offer, whatever order they come in', () => {
    const mailbox = new Mailbox();
    expect([2, 1, 4, 3, 4].map((generation) => mailbox.put(offer(generation)))).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(mailbox.full).toBe(true);
    expect(mailbox.take()?.generation).toBe(4);
    expect(mailbox.take()).toBeNull();
    expect(mailbox.full).toBe(false);
  });

  test('refuses what is not newer than what was taken out of it', () => {
    const mailbox = new Mailbox();
    mailbox.put(offer(4));
    mailbox.take();
    expect(mailbox.put(offer(4))).toBe(false);
    expect(mailbox.put(offer(5))).toBe(true);
  });
});

describe('a rest', () => {
  test('ends when it is due, when it is nudged, and when it is stopped, and leaves nothing behind', async () => {
    const clock = new VirtualClock(0);
    const nudge = new Nudge();
    const stop = new AbortController();
    const due = nudge.rest(100, clock, stop.signal);
    await clock.advance(100);
    expect(await due).toBe('due');

    const nudged = nudge.rest(100, clock, stop.signal);
    nudge.nudge();
    expect(await nudged).toBe('nudged');

    const woken = nudge.rest(null, clock, stop.signal);
    nudge.wake();
    expect(await woken).toBe('nudged');
    expect(clock.pending()).toEqual([]);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);

    const stopped = nudge.rest(null, clock, stop.signal);
    stop.abort();
    expect(await stopped).toBe('stopped');
    expect(await nudge.rest(100, clock, stop.signal)).toBe('stopped');
    clock.assertIdle();
  });

  test('does not begin after a nudge, unless that was forgotten; and a mere waking is not remembered', async () => {
    const clock = new VirtualClock(0);
    const nudge = new Nudge();
    const { signal } = new AbortController();
    nudge.nudge();
    expect(await nudge.rest(null, clock, signal)).toBe('nudged');
    nudge.nudge();
    nudge.clear();
    nudge.wake();
    const rest = nudge.rest(50, clock, signal);
    await clock.advance(50);
    expect(await rest).toBe('due');
  });
});

describe('the plans of a lane', () => {
  const request = {
    built: {
      revision: 'r1',
      state: stateFrom(new Map([['a', '1']])),
      digest: 'sha256:a',
      diagnostics: [],
      valid: true,
    },
    live: {
      state: stateFrom(
        new Map([
          ['a', '1'],
          ['old', '1'],
        ]),
      ),
      notManaged: new Map(),
      nodes: [],
      readAt: 0,
    },
    schemas: noSchemas,
    identified: { description: '', version: '3.9', edition: 'oss', router: 'traditional', mode: 'database' },
  } as const;
  const settings = {
    destination: 'prod',
    policy: { prune: true, adopt: false, maxDelete: { share: 0.9, atLeast: 10 } },
    exclude: { kinds: [], tags: [], prune: false },
  };

  test('are held for what the branch never declared, and not for what it did', () => {
    const make = lanePlan({ ...settings, knowsHistory: true });
    expect(make({ ...request, declaredEarlier: new Set() }).plan.held?.code).toBe('foreign-prune');
    const known = make({ ...request, declaredEarlier: new Set(['services/old']) }).plan;
    expect(known).toMatchObject({
      destination: 'prod',
      revision: 'r1',
      held: null,
      summary: { delete: 1, unchanged: 1 },
    });
  });

  test('do not judge that where no history is at hand', () => {
    const make = lanePlan({ ...settings, knowsHistory: false });
    expect(make({ ...request, declaredEarlier: new Set() }).plan.held).toBeNull();
  });
});
