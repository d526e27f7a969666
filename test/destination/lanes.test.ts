import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Lane } from '../../src/lane/lane.ts';
import { lanePlan } from '../../src/lane/lane-plan.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import { alone } from '../../src/lane/lease.ts';
import { silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { type Bench, type BenchWish, bundledSchemas, type Files, offerOf, openBench } from '../contract/bench.ts';
import { deck } from '../contract/changing.ts';
import { everyKind } from '../contract/full.ts';

/** A lane over a bench's servers, on a clock that stands still. */
class Run {
  readonly lane: Lane;
  readonly clock = new VirtualClock();
  readonly seen: LaneStatus[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #bench: Bench;
  readonly #waiting = new Set<() => void>();

  constructor(bench: Bench) {
    this.#bench = bench;
    const { policy } = bench.settings;
    this.lane = new Lane({
      destination: bench.open(),
      plan: lanePlan({
        destination: bench.name,
        policy,
        exclude: { kinds: [], tags: [], prune: false },
        knowsHistory: false,
      }),
      policy,
      clock: this.clock,
      random: () => 0.5,
      log: silentLog,
      lease: alone,
      report: (status) => {
        this.seen.push(status);
        for (const look of this.#waiting) look();
      },
    });
    this.#running = this.lane.run(this.#stop.signal);
  }

  async offer(files: Files, generation: number): Promise<string> {
    const schemas = await bundledSchemas();
    const offer = offerOf(files, this.#bench.scope, schemas[this.#bench.edition], { generation });
    this.lane.offer(offer);
    return offer.revision;
  }

  until(wanted: (status: LaneStatus) => boolean): Promise<LaneStatus> {
    return new Promise((resolve) => {
      const look = () => {
        if (!wanted(this.lane.status)) return;
        this.#waiting.delete(look);
        resolve(this.lane.status);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the test ends'));
    await this.#running;
  }
}

const wishes: readonly BenchWish[] = [
  { name: 'kong', flavour: 'kong' },
  { name: 'kong-ee', flavour: 'kong', edition: 'enterprise', version: '3.10', workspace: 'team' },
  { name: 'edge', flavour: 'dbless' },
  { name: 'edges', flavour: 'dbless', nodes: 2 },
  { name: 'konnect', flavour: 'konnect' },
];

describe.each(wishes)('a lane over $name', (wish) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(wish);
  });
  beforeEach(() => bench.reset());
  afterAll(() => bench?.close());

  test('that starts anew where all matches writes nothing', async () => {
    const files = { 'kong.json': everyKind(bench) };
    const before = new Run(bench);
    const revision = await before.offer(files, 1);
    expect(await before.until((status) => status.state === 'applied')).toMatchObject({ applied: revision });
    await before.stop();

    bench.forget();
    const after = new Run(bench);
    await after.offer(files, 1);
    const status = await after.until(({ state }) => state === 'applied' || state === 'retrying');
    expect(status).toMatchObject({ state: 'applied', applied: revision, counts: { deliveries: 0, writes: 0 } });
    expect(bench.writes()).toBe(0);
    await after.stop();
  });

  test('puts drift right at the next look, and nothing else', async () => {
    const files = deck({ services: [{ name: 'a', host: 'a.test' }] });
    const run = new Run(bench);
    await run.offer(files, 1);
    await run.until(({ state }) => state === 'applied');
    const [service] = await bench.list('services');
    // A node without anything has only restarted: what another writer gave it is drift.
    const other = { config: '{"_format_version":"3.0","services":[{"name":"b","host":"drifted.test"}]}' };
    if (bench.mode === 'dbless') await bench.ask('POST', '/config', other);
    else await bench.ask('PUT', `/services/${String(service?.['id'])}`, { name: 'a', host: 'drifted.test' });
    run.lane.sync();
    await run.until(({ counts, state }) => counts.driftsCorrected === 1 && state === 'delivering');
    await run.until(({ state }) => state === 'applied');
    expect(await bench.list('services')).toMatchObject([{ id: service?.['id'], host: 'a.test' }]);
    await run.stop();
  });
});

describe('while Konnect hangs', () => {
  let konnect: Bench;
  let gateway: Bench;
  beforeAll(async () => {
    [konnect, gateway] = await Promise.all([
      openBench({ name: 'konnect', flavour: 'konnect' }),
      openBench({ name: 'kong', flavour: 'kong' }),
    ]);
  });
  afterAll(() => Promise.all([konnect?.close(), gateway?.close()]));

  test('a gateway gets ten revisions in a row, and Konnect the newest alone, once', async () => {
    await Promise.all([konnect.reset(), gateway.reset()]);
    const [hanging, going] = [new Run(konnect), new Run(gateway)];
    const at = (generation: number) => deck({ services: [{ name: 'a', host: `v${generation}.test` }] });
    konnect.emulators[0]?.behaviour({ hang: true });
    let newest = '';
    for (let generation = 1; generation <= 10; generation += 1) {
      newest = await going.offer(at(generation), generation);
      await hanging.offer(at(generation), generation);
      const revision = newest;
      await going.until(({ state, applied }) => state === 'applied' && applied === revision);
      expect(await gateway.list('services')).toMatchObject([{ host: `v${generation}.test` }]);
    }
    expect(hanging.lane.status).toMatchObject({ state: 'delivering', applied: null });
    expect(hanging.lane.status.waitingFor).not.toBeNull();

    konnect.emulators[0]?.behaviour({ hang: null });
    const status = await hanging.until(({ state }) => state === 'applied');
    expect(status).toMatchObject({ applied: newest, counts: { deliveries: 1, writes: 1 } });
    expect(hanging.seen.filter(({ state }) => state === 'applied').map(({ applied }) => applied)).toEqual([newest]);
    expect(await konnect.list('services')).toMatchObject([{ host: 'v10.test' }]);
    await Promise.all([hanging.stop(), going.stop()]);
  });

  test('its lane says so after its time limit, and takes the newest up as soon as it answers', async () => {
    await Promise.all([konnect.reset(), gateway.reset()]);
    konnect.emulators[0]?.behaviour({ refuse: true });
    const run = new Run(konnect);
    await run.offer(deck({ services: [{ name: 'a', host: 'a.test' }] }), 1);
    const away = await run.until(({ state }) => state === 'unreachable');
    expect(away).toMatchObject({ failure: { class: 'unreachable' }, applied: null });
    expect(away.nextTryAt).toBeGreaterThan(run.clock.now());
    konnect.emulators[0]?.behaviour({ refuse: null });
    const revision = await run.offer(deck({ services: [{ name: 'b', host: 'b.test' }] }), 2);
    expect(await run.until(({ state }) => state === 'applied')).toMatchObject({ applied: revision });
    expect(await konnect.list('services')).toMatchObject([{ name: 'b' }]);
    await run.stop();
  });
});
