import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDestination } from '../../src/destination/open.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { Failure, type FailureFacts } from '../../src/platform/failure.ts';
import type { HttpClient, HttpClientOptions, HttpRequest } from '../../src/platform/http-client.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { type Bench, type BenchWish, bundledSchemas, openBench } from './bench.ts';
import { deck } from './changing.ts';
import { deliver, wordsOf } from './deliver.ts';
import { type Move, moves } from './protected-moves.ts';
import { openNow, servedBy, shutRoutes } from './served.ts';

/** How many pairs of states are tried: `PROTECTING_RUNS` tries more, `PROTECTING_SEED` others. */
const runs = {
  numRuns: Number(process.env['PROTECTING_RUNS'] ?? 2),
  seed: Number(process.env['PROTECTING_SEED'] ?? 1),
};

/** How one write goes wrong: it is refused, the server cannot, the connection is cut before or after it was carried out. */
const faults = ['refused', 'busy', 'cut', 'lost'] as const;

type Fault = (typeof faults)[number];

interface Wire {
  /** Which of the writes goes wrong, counted from 0, and all that repeat it; null where none does. */
  failing: { readonly at: number; readonly fault: Fault } | null;
  /** Writes that went out. */
  sent: HttpRequest[];
  /** Called after each write. */
  after: () => void;
}

/**
 * Whatever becomes of a single write on the way from one state to another, at no moment a route lets through what
 * neither state would.
 */
export function protecting(wish: BenchWish): void {
  describe(wish.name, () => {
    const scenario = (title: string, before: JsonObject, after: JsonObject, move?: Move) =>
      test(title, { timeout: 60_000 }, async () => {
        const bench = await openBench(wish);
        onTestFinished(() => bench.close());
        const sent = await everyFault(bench, before, after, faults, move?.closes !== true);
        if (move !== undefined) expect(sent).toBe(move.writes);
      });
    for (const move of moves) scenario(move.title, move.before, move.after, move);

    const service = (
      parts: JsonObject,
      routes: readonly JsonObject[] = [{ name: 'r', paths: ['/r'] }],
    ): JsonObject => ({
      services: [{ name: 's', host: 's.test', routes, ...parts }],
    });
    const keyAuth: JsonObject = { name: 'key-auth', instance_name: 'gate' };
    const basicAuth: JsonObject = { name: 'basic-auth', instance_name: 'gate' };
    const route = (...plugins: readonly JsonObject[]): JsonObject => ({ name: 'r', paths: ['/r'], plugins });

    scenario(
      'replaces the plugin of a route',
      service({}, [route({ name: 'key-auth' })]),
      service({}, [route({ name: 'basic-auth' })]),
    );
    scenario('hands an instance name over', service({}, [route(keyAuth)]), service({}, [route(basicAuth)]));
    scenario(
      'moves a plugin from a route to its service',
      service({}, [route(keyAuth)]),
      service({ plugins: [keyAuth] }),
    );
    scenario(
      'moves a plugin from a service to its route',
      service({ plugins: [keyAuth] }),
      service({}, [route(keyAuth)]),
    );
    scenario(
      'moves a plugin from everywhere to a service',
      { ...service({}), plugins: [keyAuth] },
      service({ plugins: [keyAuth] }),
    );
    scenario(
      'makes a service with its routes and plugins',
      {},
      {
        plugins: [{ name: 'request-size-limiting' }],
        ...service({ plugins: [{ name: 'key-auth' }] }, [
          route(),
          {
            name: 'r2',
            paths: ['/2'],
            plugins: [{ name: 'basic-auth' }, { name: 'ip-restriction', config: { deny: ['10.0.0.1'] } }],
          },
        ]),
      },
    );
    scenario(
      'enables a service',
      service({ enabled: false }),
      service({ plugins: [keyAuth] }, [
        route({ name: 'basic-auth' }),
        { name: 'n', paths: ['/n'], plugins: [{ name: 'cors' }] },
      ]),
    );
    scenario(
      'renames a service without an id',
      { services: [{ name: 'old', host: 's.test', plugins: [{ name: 'key-auth' }], routes: [route()] }] },
      service({ plugins: [{ name: 'key-auth' }] }, [route()]),
    );
    scenario(
      'changes the id of a route',
      service({}, [{ id: ids[0] ?? '', ...route({ name: 'key-auth' }) }]),
      service({}, [{ id: ids[1] ?? '', ...route({ name: 'key-auth' }) }]),
    );
    scenario(
      'changes the id of a service',
      service({ id: ids[0] ?? '', plugins: [{ name: 'key-auth' }] }),
      service({ id: ids[1] ?? '', plugins: [{ name: 'key-auth' }] }),
    );
    scenario(
      'protects a route of other protocols',
      service({ protocol: 'http' }, [{ name: 'r', protocols: ['http'], paths: ['/r'], plugins: [{ name: 'cors' }] }]),
      service({ protocol: 'grpc' }, [
        {
          name: 'r',
          protocols: ['grpc'],
          paths: ['/r'],
          plugins: [{ name: 'cors' }, { name: 'key-auth', protocols: ['grpc'] }],
        },
      ]),
    );

    test('changes the id of a plugin that is everywhere, and takes that back where the new one is refused', async () => {
      const bench = await openBench(wish);
      onTestFinished(() => bench.close());
      const plugin = (id: string | undefined) =>
        deck({ plugins: [{ ...(id === undefined ? {} : { id }), name: 'key-auth' }], ...service({}, [route()]) });
      const { wire, destination } = await wired(bench);
      expect((await deliver(bench, plugin(ids[0]), { destination })).end).toBe('applied');
      for (const fault of ['refused', 'busy', 'cut'] as const) {
        wire.sent = [];
        wire.failing = { at: 1, fault };
        const delivered = await deliver(bench, plugin(ids[1]), { destination });
        expect(delivered.end, fault).not.toBe('applied');
        expect(
          (await bench.list('plugins')).map(({ id }) => id),
          fault,
        ).toEqual([ids[0]]);
        const results = delivered.outcome?.changes.map(({ result }) => result);
        expect(results, fault).toEqual([fault === 'refused' ? 'rejected' : 'unknown', 'skipped']);
      }
      wire.failing = null;
      expect((await deliver(bench, plugin(ids[1]), { destination })).end).toBe('applied');
    });

    test('protects every route between random states', { timeout: 240_000 }, async () => {
      const bench = await openBench(wish);
      onTestFinished(() => bench.close());
      await fc.assert(
        fc.asyncProperty(states, states, async (before, after) =>
          everyFault(bench, before, after, ['refused', 'lost'], false).then(() => undefined),
        ),
        runs,
      );
    });
  });
}

const ids = ['0a1b2c3d-0000-4000-8000-00000000000a', '0a1b2c3d-0000-4000-8000-00000000000b'];

/**
 * Goes from one state to another as often as that takes writes, another one of which goes wrong each time. Gives how
 * many it takes.
 */
async function everyFault(
  bench: Bench,
  before: JsonObject,
  after: JsonObject,
  tried: readonly Fault[] = faults,
  reopens = true,
): Promise<number> {
  const [emulator] = bench.emulators;
  const { wire, destination } = await wired(bench);
  emulator?.reset();
  wire.sent = [];
  const first = await deliver(bench, deck(before), { destination });
  expect(first.end, wordsOf(first)).toBe('applied');
  const start = [...wire.sent];
  const atFirst = servedBy(bench);
  expect((await deliver(bench, deck(after), { destination })).end).toBe('applied');
  const atLast = servedBy(bench);
  const again = () => {
    emulator?.reset();
    for (const { method, path, json } of start) emulator?.request(method, path, json as JsonObject | undefined);
    wire.sent = [];
  };
  let label = '';
  wire.after = () => {
    const found = openNow(servedBy(bench), atFirst, atLast);
    const words = () =>
      wire.sent.map(({ method, path, json }) => `${method} ${path} ${JSON.stringify(json)}`).join('\n');
    if (found !== null) {
      throw new Error(`${label}: ${found}\n${JSON.stringify(before)}\n${JSON.stringify(after)}\n${words()}`);
    }
  };
  const pass = async (failing: Wire['failing']) => {
    wire.failing = failing;
    wire.sent = [];
    return deliver(bench, deck(after), { destination });
  };
  again();
  label = 'without a fault';
  const undisturbed = await pass(null);
  expect(undisturbed.end, wordsOf(undisturbed)).toBe('applied');
  const writes = wire.sent.length;
  for (const fault of tried) {
    for (let at = 0; at < writes; at += 1) {
      again();
      label = `${fault} at ${at}`;
      const disturbed = await pass({ at, fault });
      const refused = wire.sent[at];
      expect(disturbed.end, label).not.toBe('applied');
      wire.after();
      if (reopens && fault === 'refused' && refused?.path.includes('/plugins') === true) {
        const served = (id: string) => [atFirst, atLast].every((all) => all.some((one) => one.id === id));
        expect(shutRoutes(bench).filter(served), label).toEqual([]);
      }
      label = `after ${label}`;
      const next = await pass(null);
      expect(next.end, `${label} ${wordsOf(next)}`).toBe('applied');
      expect((await pass(null)).plan?.changes, label).toEqual([]);
      expect(shutRoutes(bench), label).toEqual([]);
    }
  }
  return writes;
}

/** A destination whose requests are counted and go wrong as they are told to. */
async function wired(bench: Bench) {
  const wire: Wire = { failing: null, sent: [], after: () => undefined };
  let broken: string | null = null;
  const client = (options: HttpClientOptions): HttpClient => {
    const inner = createHttpClient(options);
    return {
      close: () => inner.close(),
      request: async (request, signal) => {
        if (request.method === 'GET' || request.path.includes('/validate')) return inner.request(request, signal);
        const name = `${request.method} ${request.path} ${JSON.stringify(request.json)}`;
        const { failing } = wire;
        if (failing === null) broken = null;
        else if (wire.sent.length === failing.at) broken = name;
        wire.sent.push(request);
        if (failing !== null && broken === name) {
          if (failing.fault === 'lost') await inner.request(request, signal);
          wire.after();
          throw failureOf(failing.fault);
        }
        const answer = await inner.request(request, signal);
        wire.after();
        return answer;
      },
    };
  };
  const destination = openDestination(
    { ...bench.settings, limits: { ...bench.settings.limits, concurrency: 1 } },
    { createHttpClient: client, clock: bench.clock, random: () => 0.5, bundled: await bundledSchemas() },
  );
  onTestFinished(() => destination.close());
  return { wire, destination };
}

function failureOf(fault: Fault): Failure {
  const facts: { readonly [F in Fault]: Pick<FailureFacts, 'class' | 'code' | 'status'> } = {
    refused: { class: 'rejected', code: 'http-400', status: 400 },
    busy: { class: 'transient', code: 'http-503', status: 503 },
    cut: { class: 'unreachable', code: 'connection-closed', status: null },
    lost: { class: 'unreachable', code: 'connection-closed', status: null },
  };
  return new Failure({
    message: fault,
    hint: '',
    method: null,
    url: null,
    retryAfterMs: null,
    body: null,
    ...facts[fault],
  });
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

const gates: readonly JsonObject[] = [
  { name: 'key-auth' },
  { name: 'basic-auth' },
  { name: 'ip-restriction', config: { deny: ['10.0.0.1'] } },
];

const pluginsOfOne: fc.Arbitrary<readonly JsonObject[]> = fc
  .tuple(fc.subarray([...gates], { maxLength: 2 }), fc.integer({ min: 0, max: 9 }))
  .map(([chosen, off]) => chosen.map((plugin, at) => (off === at ? { ...plugin, enabled: false } : plugin)));

const routeOf = (name: string): fc.Arbitrary<readonly JsonObject[]> =>
  fc
    .option(fc.tuple(pluginsOfOne, fc.constantFrom('/a', '/b')), { freq: 4 })
    .map((wish) => (wish === null ? [] : [{ name, paths: [wish[1]], plugins: [...wish[0]] }]));

/** Small states: two services at most, three routes that lie under either or none, plugins in each scope. */
const states: fc.Arbitrary<JsonObject> = fc
  .record({
    global: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: pluginsOfOne }),
    a: pluginsOfOne,
    b: pluginsOfOne,
    disabled: fc.integer({ min: 0, max: 6 }),
    routes: fc.tuple(routeOf('r'), routeOf('r2'), routeOf('r3')),
    places: fc.tuple(...[0, 1, 2].map(() => fc.constantFrom('a', 'b', 'none'))),
    named: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ global, a, b, disabled, routes, places, named }) => {
    const at = (place: string) => routes.flatMap((route, index) => (places[index] === place ? route : []));
    const services = [
      { name: 'a', host: 'a.test', enabled: disabled !== 0, plugins: [...a], routes: at('a') },
      { name: 'b', host: 'b.test', plugins: [...b], routes: at('b') },
    ];
    const all = [global, a, b, ...routes.flat().map((route) => objects(route['plugins']))].flat();
    const bearer = all[named];
    const lend = (plugin: JsonObject) => (plugin === bearer ? { ...plugin, instance_name: 'gate' } : plugin);
    const withName = (holder: JsonObject): JsonObject => ({ ...holder, plugins: objects(holder['plugins']).map(lend) });
    let lent = false;
    const once = (holder: JsonObject): JsonObject => {
      const next = withName(holder);
      const has = objects(next['plugins']).some((plugin) => plugin['instance_name'] !== undefined);
      if (!has || lent) return holder;
      lent = true;
      return next;
    };
    return {
      plugins: objects(once({ plugins: [...global] })['plugins']),
      services: services.map((service) => {
        const own = once(service);
        return { ...own, routes: objects(own['routes']).map(once) };
      }),
      routes: at('none').map(once),
    };
  });
