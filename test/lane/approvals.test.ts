import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/lane/approvals.ts';
import { trailerApproval } from '../../src/lane/trailer-approval.ts';
import { driftIntervalMs } from '../sim/sim-lane.ts';
import { Bench } from './bench.ts';

const before = { a: '1', b: '1', c: '1' };
const after = { a: '1' };
const message = 'Let two go\n\nThey are not used.\n\nKonverge-Approve: prod\n';
const signed = { commit: { message, signature: { accepted: true, by: 'ann@example.com' } } } as const;

async function opened(shape: ConstructorParameters<typeof Bench>[0] = {}): Promise<Bench> {
  const bench = new Bench(shape);
  await bench.offer(before);
  await bench.settle();
  return bench;
}

const drift = (bench: Bench, content: { readonly [name: string]: string }) =>
  bench.sim.destination.drift(new Map(Object.entries(content)));

const given = (bench: Bench) =>
  bench.history.flatMap((event) =>
    event.type === 'status' && event.status.approval !== null ? [event.status.approval] : [],
  );

describe('the trailer Konverge-Approve of a commit that is signed', () => {
  test('lets the plan of that commit through, which says who signed it, and is used then', async () => {
    const bench = await opened();
    await bench.offer(after, 'none', signed);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2', approval: null });
    expect(bench.holds()).toEqual(after);
    expect(bench.states()).not.toContain('held');
    expect(given(bench)[0]).toMatchObject({ by: 'trailer', who: 'ann@example.com' });
  });

  test('is for the first plan that would be held; one that changed is held anew', async () => {
    const bench = await opened({ drift: 'report' });
    // The right to write is lost after the plan was made, and another plan is due when it is back.
    bench.sim.lease(false);
    await bench.offer(after, 'none', signed);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'waiting', approval: { by: 'trailer' } });
    drift(bench, { ...before, d: '1' });
    bench.sim.lease(true);
    await bench.clock.advance(driftIntervalMs);
    await bench.settle();
    expect(bench.status).toMatchObject({
      state: 'held',
      waitingFor: expect.stringContaining('Konverge-Approve of the commit does not count: it counts once'),
    });
    expect(bench.holds()).toEqual({ ...before, d: '1' });
    bench.sim.approve(bench.status.plan?.fingerprint ?? '');
    await bench.settle();
    expect(bench.holds()).toEqual(after);
  });

  test('is not for what others do after the commit is in place', async () => {
    const bench = await opened();
    await bench.offer({ a: '1', b: '1' }, 'none', signed);
    await bench.settle();
    expect(bench.status.state).toBe('applied');
    drift(bench, { a: '1', b: '1', x: '1', y: '1', z: '1' });
    await bench.clock.advance(driftIntervalMs);
    await bench.settle();
    expect(bench.status.state).toBe('held');
    expect(bench.holds()).toHaveProperty('z');
  });

  test.each([
    { what: 'it was in place before a restart', earlier: { applied: true, takenBack: null, wasTried: true } },
    { what: 'it was used before a restart', earlier: { applied: false, takenBack: null, wasTried: true } },
  ])('does not count when $what', async ({ earlier }) => {
    const bench = await opened();
    await bench.offer(after, 'none', { ...signed, earlier });
    await bench.settle();
    expect(bench.status.state).toBe('held');
    expect(bench.holds()).toEqual(before);
  });

  test('does not count again where the branch is taken back to its commit', async () => {
    const bench = await opened();
    await bench.offer(after, 'none', signed);
    await bench.settle();
    await bench.offer({ ...after, d: '1', e: '1' });
    await bench.settle();
    await bench.offer(after, 'none', { ...signed, revision: 'r2' });
    await bench.settle();
    expect(bench.status).toMatchObject({
      state: 'held',
      revision: 'r2',
      waitingFor: expect.stringContaining('counts once'),
    });
    expect(bench.holds()).toHaveProperty('e');
  });

  test('does not count again for a copy of its commit under another name', async () => {
    const bench = await opened();
    const commit = { ...signed.commit, signed: 'c0ffee' };
    await bench.offer(after, 'none', { commit });
    await bench.settle();
    await bench.offer({ ...after, d: '1', e: '1' });
    await bench.settle();
    await bench.offer(after, 'none', { commit });
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'held', revision: 'r4', signed: 'c0ffee' });
    expect(bench.holds()).toHaveProperty('e');
  });

  test('is not for an earlier revision that is kept in the place of its commit', async () => {
    // After a restart: r2 is refused, and r1 would take two away of what is live.
    const bench = new Bench({ content: new Map(Object.entries(before)) });
    bench.publish(after);
    bench.publish({ a: '2' }, 'invalid', signed);
    bench.sim.hand(1);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'rejected', revision: 'r2', approval: null });
    expect(bench.holds()).toEqual(before);
  });

  test('that does not count leaves the plan held, and says why', async () => {
    const bench = await opened();
    await bench.offer(after, 'none', {
      commit: {
        message,
        signature: {
          accepted: false,
          code: 'signature-missing',
          message: 'the commit is not signed',
          hint: 'Sign it.',
        },
      },
    });
    await bench.settle();
    expect(bench.status).toMatchObject({
      state: 'held',
      waitingFor: expect.stringMatching(
        /^approval of .*; the trailer Konverge-Approve of the commit does not count: the commit is not signed$/,
      ),
    });
    expect(bench.holds()).toEqual(before);
  });
});

describe('an approval that an earlier process did not use', () => {
  const person = (fingerprint: string): Approval => ({ fingerprint, by: 'person', who: null, reason: null });

  async function fingerprintOf(): Promise<string> {
    const bench = await opened();
    await bench.offer(after);
    await bench.settle();
    return bench.status.plan?.fingerprint ?? '';
  }

  test('is for the same plan', async () => {
    const bench = await opened();
    await bench.offer(after);
    await bench.settle();
    bench.sim.stop();
    const again = new Bench({ content: new Map(Object.entries(before)) }, { approved: person(await fingerprintOf()) });
    expect(again.status.approval).toMatchObject({ by: 'person' });
    again.publish(before);
    again.publish(after);
    again.sim.hand(1);
    await again.settle();
    expect(again.holds()).toEqual(after);
    expect(again.status).toMatchObject({ state: 'applied', approval: null });
  });

  test('is for no other plan', async () => {
    const content = new Map(Object.entries({ ...before, d: '1' }));
    const again = new Bench({ content }, { approved: person(await fingerprintOf()) });
    await again.offer(after);
    await again.settle();
    expect(again.status.state).toBe('held');
  });
});

describe('a message', () => {
  const accepted = { accepted: true, by: 'ann' } as const;

  test.each([
    ['names one', 'Title\n\nKonverge-Approve: prod\n'],
    ['names several', 'Title\n\nWhy.\n\nKonverge-Approve: staging, prod\nSigned-off-by: Ann\n'],
    ['has a line for each', 'Title\n\nkonverge-approve: staging\nKONVERGE-APPROVE: prod'],
    ['was written elsewhere', 'Title\r\n\r\nKonverge-Approve: prod\r\n'],
  ])('that %s approves', (_, text) => {
    expect(trailerApproval({ message: text, signature: accepted }, 'prod')).toEqual({ counts: true, who: 'ann' });
  });

  test.each([
    ['names another', 'Title\n\nKonverge-Approve: prod-eu\n'],
    ['says so in its title', 'Konverge-Approve: prod\n'],
    ['says so in prose', 'Title\n\nThe line\nKonverge-Approve: prod\nwould have done it.\n'],
    ['quotes it before its end', 'Title\n\nKonverge-Approve: prod\n\nNo, not that.\n'],
    ['is empty', ''],
  ])('that %s approves nothing', (_, text) => {
    expect(trailerApproval({ message: text, signature: accepted }, 'prod')).toBeNull();
  });

  test('counts nowhere where signatures are not verified', () => {
    expect(trailerApproval({ message, signature: null }, 'prod')).toMatchObject({
      counts: false,
      why: expect.stringContaining('repository.verify'),
    });
  });
});
