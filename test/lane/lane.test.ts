import { describe, expect, test } from 'vitest';
import type { Offer } from '../../src/lane/offer.ts';
import type { MakePlan } from '../../src/lane/survey.ts';
import { declaredName } from '../../src/model/declared-names.ts';
import { Failure, ownFault } from '../../src/platform/failure.ts';
import { offerOf, planServices, type SimRevision } from '../sim/content.ts';
import { Bench } from './bench.ts';

const one = { a: '1', b: '1', c: '1' };
const two = { a: '2', b: '1', c: '1' };

describe('a delivery', () => {
  test('is applied once it was read back', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({
      state: 'applied',
      applied: 'r1',
      attempted: 'r1',
      detail: '3 created; read back and equal',
      counts: { deliveries: 1, writes: 3, failures: 0, driftsCorrected: 0 },
    });
    expect(bench.states()).toEqual(['delivering', 'applied']);
  });

  test('is not made where the destination matches', async () => {
    const bench = new Bench({ content: new Map(Object.entries(one)) });
    await bench.offer(one);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', detail: 'nothing to change; read back and equal' });
    expect(bench.calls('write')).toBe(0);
  });

  test('is tried again after a wait that is doubled each time, and starts by reading', async () => {
    const bench = new Bench({}, { random: () => 0 });
    await bench.offer(one);
    await bench.answer('identify', 'transient');
    expect(bench.status).toMatchObject({
      state: 'retrying',
      nextTryAt: 500,
      waitingFor: expect.stringContaining('sync'),
    });
    await bench.clock.advance(500);
    await bench.answer('identify', 'unreachable');
    expect(bench.status).toMatchObject({ state: 'unreachable', nextTryAt: 1500, counts: { failures: 2 } });
    await bench.clock.advance(999);
    expect(bench.calls('identify')).toBe(2);
    await bench.clock.advance(1);
    await bench.settle();
    expect(bench.status.state).toBe('applied');
  });

  test('whose answer was lost is not made again', async () => {
    const bench = new Bench({ takes: 'whole' });
    await bench.offer(one);
    await bench.settle('push');
    await bench.answer('push', 'lost');
    expect(bench.status.state).toBe('unreachable');
    await bench.clock.advance(1000);
    await bench.settle();
    expect(bench.status.state).toBe('applied');
    expect(bench.calls('push')).toBe(1);
  });

  test('gives way to a newer revision before the next write', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle('write');
    await bench.offer({ ...two, d: '1' });
    await bench.settle();
    expect(bench.holds()).toEqual({ ...two, d: '1' });
    expect(bench.status.applied).toBe('r2');
    // Two were under way when the newer one came; the third was never begun.
    expect(
      bench.history.filter((event) => event.type === 'called' && event.generation === 1 && event.method === 'write'),
    ).toHaveLength(2);
  });

  test('that is told to stop begins no further write', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle('preflight');
    bench.sim.stop();
    await bench.clock.settle();
    expect(bench.sim.running).toBe(false);
    expect(bench.calls('write')).toBe(0);
  });
});

describe('a wait', () => {
  test('is not cut short by the offer that the failed try was about', async () => {
    const bench = new Bench({}, { random: () => 0 });
    await bench.offer(one);
    await bench.settle('read');
    await bench.offer(two);
    await bench.answer('read');
    await bench.answer('schemas', 'transient');
    expect(bench.status).toMatchObject({ state: 'retrying', revision: 'r2' });
    expect(bench.sim.destination.pending).toEqual([]);
  });

  test('is cut short by a newer revision, also one that came during the try', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.answer('identify', 'transient');
    await bench.offer(two);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2' });
  });

  test('is cut short by sync', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.answer('identify', 'transient');
    bench.sim.steer('sync');
    await bench.settle();
    expect(bench.status.state).toBe('applied');
  });

  test('is not cut short by an older generation', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    expect(
      bench.sim.lane.offer({
        generation: 1,
        revision: 'r0',
        build: () => {
          throw new Error('built');
        },
        declaredEarlier: async () => new Set(),
      }),
    ).toBe(false);
    await bench.clock.settle();
    expect(bench.sim.destination.pending).toEqual([]);
  });
});

describe('drift', () => {
  test('is put right at the next interval, and counted', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    bench.sim.destination.drift(
      new Map([
        ['a', 'by hand'],
        ['b', '1'],
        ['c', '1'],
      ]),
    );
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({
      state: 'applied',
      detail: '1 updated; read back and equal',
      counts: { driftsCorrected: 1 },
    });
  });

  test('is only reported under `report`, and said to wait for nothing that would not help', async () => {
    const bench = new Bench({ drift: 'report' });
    await bench.offer(one);
    await bench.settle();
    bench.sim.destination.drift(
      new Map([
        ['a', 'by hand'],
        ['b', '1'],
        ['c', '1'],
      ]),
    );
    bench.sim.steer('sync');
    await bench.settle();
    expect(bench.status).toMatchObject({
      state: 'drifted',
      detail: 'live state differs: 1 to update; service "a" was changed',
    });
    expect(bench.status.waitingFor).not.toContain('sync');
    expect(bench.calls('write')).toBe(3);
    bench.sim.destination.drift(new Map(Object.entries(one)));
    bench.sim.steer('sync');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', detail: '3 created; read back and equal' });
  });

  test('is not looked for under `ignore`', async () => {
    const bench = new Bench({ drift: 'ignore' });
    await bench.offer(one);
    await bench.settle();
    expect(bench.clock.pending()).toEqual([]);
    expect(bench.status.nextTryAt).toBeNull();
  });

  test('that cannot be looked at leaves no word of it once it could be again', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    await bench.clock.advance(300_000);
    await bench.answer('identify', 'unreachable');
    expect(bench.status.detail).toBe('simulated: unreachable');
    await bench.clock.advance(1000);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', detail: '3 created; read back and equal', failure: null });
  });
});

describe('a refused revision', () => {
  test('leaves the last good one in force, drift put right, and stays the one that is spoken of', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    await bench.offer(two, 'invalid');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'rejected', revision: 'r2', applied: 'r1' });
    bench.sim.destination.drift(new Map());
    await bench.clock.advance(300_000);
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({
      state: 'rejected',
      revision: 'r2',
      applied: 'r1',
      counts: { driftsCorrected: 1 },
    });
    expect(bench.status.diagnostics).toHaveLength(1);
  });

  test('of which all but one part was taken is not undone by the last good one, to and fro', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    await bench.offer({ ...one, e: '1', f: 'refused' }, 'refused');
    await bench.settle();
    expect(bench.holds()).toEqual({ ...one, e: '1' });
    for (let interval = 0; interval < 3; interval += 1) {
      await bench.clock.advance(300_000);
      await bench.settle();
      expect(bench.holds()).toEqual({ ...one, e: '1' });
    }
    expect(bench.status).toMatchObject({ state: 'rejected', counts: { deliveries: 5 } });
  });

  test('that is taken whole or not at all leaves the last good one in force', async () => {
    const bench = new Bench({ takes: 'whole' });
    await bench.offer(one);
    await bench.settle();
    await bench.offer({ ...one, f: 'refused' }, 'refused');
    bench.sim.destination.drift(new Map());
    await bench.settle();
    expect(bench.holds()).toEqual(one);
    expect(bench.status).toMatchObject({ state: 'rejected', revision: 'r2', applied: 'r1' });
  });

  test('because the destination cannot be asked is not asked about twice', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    await bench.offer(two);
    await bench.answer('identify', 'rejected');
    expect(bench.status.state).toBe('rejected');
    expect(bench.sim.destination.pending).toEqual([]);
  });

  test('makes way for the next at once', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle();
    await bench.offer(two, 'objectionable');
    await bench.settle();
    await bench.offer(two);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r3', diagnostics: [] });
  });
});

describe('a hold', () => {
  test('ends by an approval of just this plan, once', async () => {
    const bench = new Bench({ content: new Map(Object.entries(one)) });
    await bench.offer({ a: '1' });
    await bench.settle();
    expect(bench.status).toMatchObject({
      state: 'held',
      attempted: 'r1',
      waitingFor: expect.stringContaining('approval'),
    });
    const fingerprint = bench.status.plan?.fingerprint ?? '';
    bench.sim.approve('another');
    await bench.settle();
    expect(bench.status.state).toBe('held');
    bench.sim.approve(fingerprint);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r1' });
    // The very same difference again is held again.
    bench.sim.destination.drift(new Map(Object.entries(one)));
    bench.sim.steer('sync');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'held', plan: { fingerprint } });
  });

  test('of a plan that changed meanwhile is a new one', async () => {
    const bench = new Bench({ content: new Map(Object.entries(one)) });
    await bench.offer({ a: '1' });
    await bench.settle();
    const fingerprint = bench.status.plan?.fingerprint ?? '';
    bench.sim.destination.drift(new Map(Object.entries({ ...one, d: '1' })));
    bench.sim.approve(fingerprint);
    await bench.settle();
    expect(bench.status.state).toBe('held');
    expect(bench.status.plan?.fingerprint).not.toBe(fingerprint);
  });
});

describe('suspension', () => {
  test('stops delivering after what is under way, and resume goes on', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle('write');
    bench.sim.steer('suspend');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'suspended', nextTryAt: null });
    expect(Object.keys(bench.holds())).toHaveLength(2);
    bench.sim.steer('resume');
    await bench.clock.settle();
    expect(bench.status).toMatchObject({ state: 'delivering', revision: 'r1' });
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r1' });
  });

  test('that is over before the delivery noticed costs no back-off', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle('write');
    bench.sim.steer('suspend');
    await bench.answer('write');
    bench.sim.steer('resume');
    await bench.settle();
    expect(bench.status.state).toBe('applied');
    expect(bench.states()).not.toContain('retrying');
  });

  test('without a revision ends as it began', async () => {
    const bench = new Bench();
    bench.sim.steer('suspend');
    await bench.settle();
    expect(bench.status.state).toBe('suspended');
    bench.sim.steer('resume');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'pending', waitingFor: 'the first revision' });
  });
});

describe('the lease', () => {
  test('is waited for where there is something to deliver', async () => {
    const bench = new Bench();
    bench.sim.lease(false);
    await bench.offer(one);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'waiting', waitingFor: 'the lease', nextTryAt: 10_000 });
    expect(bench.calls('write')).toBe(0);
    bench.sim.lease(true);
    await bench.clock.advance(10_000);
    await bench.settle();
    expect(bench.status.state).toBe('applied');
  });

  test('that is lost during a delivery is waited for, and is no failure', async () => {
    const bench = new Bench();
    await bench.offer(one);
    await bench.settle('write');
    bench.sim.lease(false);
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'waiting', counts: { failures: 0 } });
    expect(bench.states()).not.toContain('retrying');
  });
});

describe('a fault of ours', () => {
  test('in a build ends neither the lane nor its trying', async () => {
    const bench = new Bench();
    await bench.offer(one, 'faulty');
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'retrying', failure: { code: 'internal-fault' } });
    await bench.clock.advance(1000);
    await bench.settle();
    expect(bench.status.state).toBe('applied');
  });

  test('in whoever listens does not reach the lane', async () => {
    const bench = new Bench(
      {},
      {
        report: () => {
          throw new Error('a listener that breaks');
        },
      },
    );
    await bench.offer(one);
    await bench.settle();
    expect(bench.sim.running).toBe(true);
    expect(bench.status.state).toBe('applied');
  });
});

describe('a state that is not confirmed', () => {
  test('is delivered again after back-off, and refused when it is the same once more', async () => {
    const bench = new Bench({ takes: 'whole' });
    await bench.offer(one);
    const spoil = async () => {
      await bench.settle('push');
      await bench.answer('push');
      bench.sim.destination.drift(new Map([['a', 'always']]));
      await bench.settle();
    };
    await spoil();
    expect(bench.status).toMatchObject({
      state: 'retrying',
      detail: 'not confirmed after the delivery: still differs',
    });
    await bench.clock.advance(1000);
    await spoil();
    expect(bench.status).toMatchObject({ state: 'rejected', applied: null, nextTryAt: bench.clock.now() + 300_000 });
  });
});

describe('the history of the branch', () => {
  const foreign = { code: 'foreign-prune', message: 'foreign', hint: '' } as const;
  /** Holds what deletes an entity that the branch is not known to have declared. */
  const guarded: MakePlan = (request) => {
    const made = planServices(request);
    const unknown = made.plan.changes.some(
      (change) => change.action === 'delete' && !request.declaredEarlier.has(declaredName(change.kind, change.name)),
    );
    return { ...made, plan: { ...made.plan, held: unknown ? foreign : null } };
  };
  const content = new Map([
    ['a', '1'],
    ['old', '1'],
  ]);

  async function offered(declaredEarlier: Offer['declaredEarlier']): Promise<Bench> {
    const bench = new Bench({ content }, { plan: guarded });
    const revision: SimRevision = { generation: 1, revision: 'r1', content: new Map([['a', '1']]), flaw: 'none' };
    bench.sim.lane.offer({ ...offerOf(revision), declaredEarlier });
    await bench.settle();
    return bench;
  }

  test('is asked before what this process never saw declared is held', async () => {
    const bench = await offered(async (wanted) => wanted);
    expect(bench.status.state).toBe('applied');
    expect(bench.holds()).toEqual({ a: '1' });
  });

  test('that never had it leaves the plan held', async () => {
    const bench = await offered(async () => new Set());
    expect(bench.status).toMatchObject({ state: 'held', detail: 'foreign' });
    expect(bench.holds()).toEqual({ a: '1', old: '1' });
  });

  test('that cannot be read is not taken for a destination that does not answer', async () => {
    const bench = await offered(async () => {
      throw new Failure({ ...ownFault(), class: 'unreachable', code: 'timeout', message: 'git is away' });
    });
    expect(bench.status).toMatchObject({
      state: 'retrying',
      detail: 'what the branch declared earlier could not be read: git is away',
    });
    expect(bench.holds()).toEqual({ a: '1', old: '1' });
  });

  test('need not be asked of what an earlier revision of this process declared', async () => {
    const bench = new Bench({ content: new Map() }, { plan: guarded });
    await bench.offer({ a: '1', old: '1' });
    await bench.settle();
    await bench.offer({ a: '1' });
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'applied', applied: 'r2' });
  });
});

describe('a change of the tags that bound what is owned', () => {
  const planOfTags: MakePlan = (request) => {
    const delivery = planServices(request);
    const seen = request.before?.selectTags ?? [];
    const held = { code: 'scope-change', message: `the tags were ${seen.join()}`, hint: '' } as const;
    const isChange = request.built.state.selectTags.some((tag) => !seen.includes(tag)) && seen.length > 0;
    return isChange ? { ...delivery, plan: { ...delivery.plan, held } } : delivery;
  };
  const tagged = (revision: SimRevision, tag: string, lastGood?: Offer['lastGood']): Offer => {
    const offer = offerOf(revision);
    const built = { ...offer.build(null), state: { ...offer.build(null).state, selectTags: [tag] } };
    return { ...offer, build: () => built, ...(lastGood === undefined ? {} : { lastGood }) };
  };
  const revision = (generation: number): SimRevision => ({
    generation,
    revision: `r${generation}`,
    content: new Map([['a', '1']]),
    flaw: 'none',
  });

  test('is told from what this lane confirmed last', async () => {
    const bench = new Bench({}, { plan: planOfTags });
    bench.sim.lane.offer(tagged(revision(1), 'old'));
    await bench.settle();
    expect(bench.status.state).toBe('applied');
    bench.sim.lane.offer(tagged({ ...revision(2), content: new Map([['a', '2']]) }, 'new'));
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'held', detail: 'the tags were old' });
  });

  test('is told from the past of the branch by a lane that starts and finds nothing', async () => {
    const before = tagged(revision(1), 'old');
    const bench = new Bench({}, { plan: planOfTags });
    bench.sim.lane.offer(tagged(revision(2), 'new', async () => ({ revision: 'r1', build: before.build })));
    await bench.settle();
    expect(bench.status).toMatchObject({ state: 'held', detail: 'the tags were old' });
  });

  test('waits for the repository where that cannot be asked', async () => {
    const bench = new Bench({}, { plan: planOfTags });
    const lastGood = () => Promise.reject(new Failure({ ...ownFault(), class: 'unreachable', message: 'no answer' }));
    bench.sim.lane.offer(tagged(revision(2), 'new', lastGood));
    await bench.settle();
    expect(bench.status).toMatchObject({
      state: 'retrying',
      detail: 'the tags of the revision before could not be read: no answer',
    });
  });
});
