import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Forge } from '../../src/forge/forge.ts';
import { silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { commitStatuses } from '../../src/report/commit-status.ts';
import { Reporter } from '../../src/report/reporter.ts';
import { kinds } from '../forge/kinds.ts';
import { type ForgeEmulator, forgeToken, limitSeconds } from '../support/forges/emulator.ts';
import { until } from '../support/until.ts';
import { head, input, lane } from './statuses.ts';

const second = 1000;
const minute = 60 * second;
const next = 'c'.repeat(40);
const contexts = ['konverge', 'konverge/edge', 'konverge/validate'];

/** The report of a revision whose only destination is in this state. */
function reportOf(revision: string, state: 'delivering' | 'applied') {
  const given = input([lane('edge', state, { revision, applied: state === 'applied' ? revision : null })]);
  const report = commitStatuses({
    ...given,
    validation: given.validation === null ? null : { ...given.validation, revision },
  });
  if (report === null) throw new Error('no report');
  return report;
}

describe.each(Object.entries(kinds))('%s', (_, under) => {
  let server: ForgeEmulator;
  const ends: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    server = await under.start();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await server.close();
  });

  /** A reporter at work on a virtual clock, over a real client. */
  function start(token = forgeToken) {
    const forge: Forge = under.connect(server.url, token, 'konverge');
    const clock = new VirtualClock(Date.UTC(2030, 2, 17));
    const stop = new AbortController();
    const world = { forge, clock, random: () => 0.5, log: silentLog, publicUrl: null, gatherMs: second };
    const reporter = new Reporter(world);
    const ended = reporter.run(stop.signal);
    ends.push(async () => {
      stop.abort();
      await ended;
      await forge.close();
    });
    return {
      clock,
      reporter,
      /** Moves time, until something was asked of the forge and the reporter waits again. */
      nextTry: async (ms: number) => {
        const before = server.got.length;
        await clock.advance(ms);
        await until('a request', () => server.got.length > before);
        await until('the wait after it', () => clock.pending().length > 0);
      },
    };
  }

  const states = (sha: string) =>
    Object.fromEntries(Object.entries(server.held(sha)).map(([context, { state }]) => [context, state]));
  const isApplied = (sha: string) => contexts.every((context) => states(sha)[context] === 'success');

  test('down for an hour: then the newest truth, and nothing else', async () => {
    const run = start();
    server.trouble = 'down';
    run.reporter.update(reportOf(head, 'delivering'));
    for (let spent = 0; spent < 60; spent += 5) await run.nextTry(5 * minute);
    const asked = server.got.length;
    expect(asked).toBeLessThan(25);
    run.reporter.update(reportOf(next, 'delivering'));
    run.reporter.update(reportOf(next, 'applied'));
    server.trouble = null;
    await run.clock.advance(5 * minute);
    await until('the newest truth', () => isApplied(next), { shown: () => states(next) });
    expect(states(head)).toEqual({});
    const posts = server.got.slice(asked).filter(({ method, url }) => method === 'POST' && !url.startsWith('/app/'));
    expect(posts).toHaveLength(3);
  });

  test('a limit that is reached: nothing is asked before it is over', async () => {
    const run = start();
    run.reporter.update(reportOf(head, 'delivering'));
    await run.clock.advance(2 * second);
    await until('it to be pending', () => Object.keys(states(head)).length === 3);
    await until('the wait after it', () => run.clock.pending().length > 0);
    server.trouble = 'limited';
    run.reporter.update(reportOf(head, 'applied'));
    await run.nextTry(2 * second);
    server.trouble = null;
    const asked = server.got.length;
    await run.clock.advance((limitSeconds - 1) * second);
    expect(server.got).toHaveLength(asked);
    await run.clock.advance(2 * second);
    await until('the verdict', () => isApplied(head), { shown: () => states(head) });
  });

  test('a token that was revoked: given up for this commit, and tried again with the next', async () => {
    const run = start();
    server.trouble = 'revoked';
    run.reporter.update(reportOf(head, 'applied'));
    await run.clock.advance(2 * second);
    await until('it to be refused', () => server.got.length === 1);
    expect(await run.reporter.drained(minute, new AbortController().signal)).toBe(true);
    await run.clock.advance(60 * minute);
    expect(server.got).toHaveLength(1);
    server.trouble = null;
    run.reporter.update(reportOf(next, 'applied'));
    await run.clock.advance(2 * second);
    await until('the next commit', () => isApplied(next));
    expect(states(head)).toEqual({});
  });

  test('after a restart: what an earlier run left pending ends, and what is right is not posted again', async () => {
    const first = start();
    first.reporter.update(reportOf(head, 'delivering'));
    await first.clock.advance(2 * second);
    await until('it to be pending', () => Object.keys(states(head)).length === 3);
    await ends.pop()?.();
    const again = start();
    again.reporter.update(reportOf(next, 'applied'));
    again.reporter.putRight([head]);
    await again.clock.advance(2 * second);
    await until('both to be right', () => isApplied(next) && !Object.values(states(head)).includes('pending'));
    expect(states(head)).toEqual({ konverge: 'error', 'konverge/edge': 'error', 'konverge/validate': 'success' });
    await until('all to be posted', () => again.reporter.drained(second, new AbortController().signal));
    await ends.pop()?.();
    const posts = () => server.got.filter(({ method, url }) => method === 'POST' && !url.startsWith('/app/')).length;
    const before = posts();
    const third = start();
    third.reporter.update(reportOf(next, 'applied'));
    third.reporter.putRight([head]);
    await third.clock.advance(2 * second);
    expect(await third.reporter.drained(minute, new AbortController().signal)).toBe(true);
    expect(posts()).toBe(before);
  });
});
