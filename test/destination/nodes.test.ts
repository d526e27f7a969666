import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { DestinationSettings } from '../../src/config/settings.ts';
import type { Destination } from '../../src/destination/destination.ts';
import { bodyOf, type ConfigBody, lengthOf } from '../../src/destination/kong/config-body.ts';
import { dnsParts, type Resolver } from '../../src/destination/kong/fleet.ts';
import { push } from '../../src/destination/kong/node.ts';
import { NodeHealth } from '../../src/destination/kong/node-health.ts';
import { Pace } from '../../src/destination/pace.ts';
import { startEmulator } from '../../src/emulator/server.ts';
import { isJsonObject } from '../../src/model/json.ts';
import { asFailure, type FailureFacts } from '../../src/platform/failure.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { type Bench, openBench } from '../contract/bench.ts';
import { applied, deck } from '../contract/changing.ts';
import { deliver, wordsOf } from '../contract/deliver.ts';

const signal = new AbortController().signal;
let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ name: 'edge', flavour: 'dbless', nodes: 3 });
});
beforeEach(() => bench.reset());
afterAll(() => bench?.close());

const shop = deck({ services: [{ name: 'a', host: 'a.test' }] });
const market = deck({ services: [{ name: 'b', host: 'b.test' }] });

/** A name server that can be told what to say. */
class Names implements Resolver {
  answers: readonly { readonly name: string; readonly port: number }[] | Error = [];
  asked: string[] = [];
  readonly addresses = async (host: string) => (await this.#say(host)).map(({ name }) => name);
  readonly services = (name: string) => this.#say(name);

  async #say(name: string) {
    this.asked.push(name);
    if (this.answers instanceof Error) throw this.answers;
    return this.answers;
  }
}

function found(dns: string, quorum: 'all' | number = 'all'): Pick<DestinationSettings, 'connection'> {
  const tls = { ca: null, cert: null, key: null, serverName: null };
  return { connection: { type: 'dbless', nodes: [], dns, headers: {}, tls, quorum } };
}

function service(at: number): { readonly name: string; readonly port: number } {
  return { name: '127.0.0.1', port: bench.emulators[at]?.port ?? 0 };
}

const hashes = () =>
  bench.emulators.map((one) => {
    const { body } = one.request('GET', '/status');
    return isJsonObject(body) ? body['configuration_hash'] : null;
  });

function detail({ ended }: Awaited<ReturnType<typeof deliver>>): string {
  return ended?.end === 'applied' ? ended.confirmation.detail : '';
}

test('reads how nodes are found by name', () => {
  expect(dnsParts('admin.edge.internal:8001')).toEqual({ scheme: 'http', host: 'admin.edge.internal', port: 8001 });
  expect(dnsParts('https://admin.edge.internal:8444')).toMatchObject({ scheme: 'https', port: 8444 });
  expect(dnsParts('_admin._tcp.edge.internal')).toMatchObject({ host: '_admin._tcp.edge.internal', port: null });
});

test('feeds the nodes that a service names, also those that join later, and forgets those that leave', async () => {
  const names = new Names();
  names.answers = [service(0)];
  const destination = bench.open(found('_admin._tcp.edge.test'), names);
  expect(detail(await applied(bench, shop, { destination }))).toBe('live on 1/1 nodes');
  names.answers = [service(0), service(1)];
  expect(detail(await applied(bench, shop, { destination }))).toBe('live on 2/2 nodes');
  expect(hashes()[2]).toBe('0'.repeat(32));
  names.answers = [service(1)];
  expect(detail(await applied(bench, market, { destination }))).toBe('live on 1/1 nodes');
  expect(hashes()[0]).not.toBe(hashes()[1]);
  expect(new Set(names.asked)).toEqual(new Set(['_admin._tcp.edge.test']));
});

test('feeds the nodes that have the addresses of a host', async () => {
  const names = new Names();
  names.answers = [service(2)];
  const destination = bench.open(found(`edge.test:${bench.emulators[2]?.port}`), names);
  expect(detail(await applied(bench, shop, { destination }))).toBe('live on 1/1 nodes');
  expect(names.asked[0]).toBe('edge.test');
});

test('keeps the nodes that it knows while the name server does not answer, and is unreachable without any', async () => {
  const names = new Names();
  names.answers = new Error('queryA ESERVFAIL edge.test');
  const destination = bench.open(found('_admin._tcp.edge.test'), names);
  const first = await deliver(bench, shop, { destination });
  expect(first).toMatchObject({ end: 'thrown', failure: { class: 'unreachable', code: 'no-nodes' } });
  expect(wordsOf(first)).toMatch(/no node is found under _admin\._tcp\.edge\.test: queryA ESERVFAIL/);
  names.answers = [];
  expect(await deliver(bench, shop, { destination })).toMatchObject({ failure: { code: 'no-nodes' } });
  names.answers = [service(0)];
  await applied(bench, shop, { destination });
  for (const silent of [new Error('timeout'), []]) {
    names.answers = silent;
    expect(detail(await applied(bench, market, { destination }))).toBe('live on 1/1 nodes');
  }
});

test('counts the changes as applied where some node took them, and says which did not', async () => {
  bench.emulators[1]?.behaviour({ fail: { status: 400, path: '/config', body: { message: 'no', fields: {} } } });
  const delivered = await deliver(bench, shop);
  expect(delivered.end).toBe('rejected');
  expect(delivered.outcome?.changes).toEqual([{ change: 0, result: 'applied' }]);
  expect(delivered.failure?.message).toContain(bench.urls[1]);
  expect(delivered.failure?.message).toMatch(/\(2 of 3 nodes have the configuration\)$/);
});

test('a node beyond the quorum that refuses is said to, with what it objects to', async () => {
  const { connection } = bench.settings;
  if (connection.type !== 'dbless') throw new Error('not a set of nodes');
  const body = { code: 14, name: 'invalid', message: 'no', fields: { services: [{ host: 'not here' }] } };
  bench.emulators[1]?.behaviour({ fail: { status: 400, path: '/config', body } });
  const destination = bench.open({ connection: { ...connection, quorum: 2 } });
  const said = detail(await applied(bench, shop, { destination }));
  expect(said).toMatch(/^live on 2\/3 nodes; http\S+ refuses it: \S+:\d+ edge refuses service "a" at host: not here/);
  expect(said).toContain(bench.urls[1]);
});

test('a node that hangs holds up neither the others nor the delivery that the others are enough for', async () => {
  const { connection } = bench.settings;
  if (connection.type !== 'dbless') throw new Error('not a set of nodes');
  const [, dead] = bench.emulators;
  dead?.behaviour({ hang: true });
  // All that answer are empty, and nobody can say what the one that hangs has.
  const destination = bench.open({ connection: { ...connection, quorum: 2 } });
  const started = performance.now();
  const first = deliver(bench, shop, { destination });
  const [empty] = hashes();
  while (hashes()[0] === empty || hashes()[2] === empty) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(performance.now() - started).toBeLessThan(8_000);
  expect(detail(await first)).toMatch(
    /^live on 2\/3 nodes; http\S+: GET http\S+ no answer, while other nodes answered/,
  );
  const again = performance.now();
  expect(detail(await applied(bench, market, { destination }))).toMatch(/^live on 2\/3 nodes; /);
  expect(performance.now() - again).toBeLessThan(8_000);
  expect(hashes()[0]).toBe(hashes()[2]);
}, 30_000);

test('with all nodes asked for, one that hangs fails the delivery in seconds, and has it when it is back', async () => {
  await applied(bench, shop);
  const [, dead] = bench.emulators;
  dead?.behaviour({ hang: true });
  const destination = bench.open();
  const started = performance.now();
  const failed = await deliver(bench, market, { destination });
  expect(failed).toMatchObject({ end: 'failed', failure: { class: 'unreachable', code: 'timeout' } });
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(hashes()[0]).toBe(hashes()[2]);
  dead?.behaviour({ hang: null });
  await bench.clock.sleep(60_000, signal);
  expect(detail(await applied(bench, market, { destination }))).toBe('live on 3/3 nodes');
}, 30_000);

const silence: FailureFacts = {
  class: 'unreachable',
  code: 'timeout',
  message: 'no answer',
  hint: '',
  method: null,
  url: null,
  status: null,
  retryAfterMs: null,
  body: null,
};

test('a node that does not answer is left alone longer each time, up to half a minute, until it answers', () => {
  let now = 0;
  const clock = { now: () => now, monotonic: () => now, sleep: async () => undefined };
  const health = new NodeHealth(clock, true);
  const rests = Array.from({ length: 10 }, () => {
    health.failed(silence);
    const from = now;
    while (health.resting !== null) now += 100;
    return now - from;
  });
  expect(rests.slice(0, 3)).toEqual([400, 800, 1_600]);
  expect(rests.at(-1)).toBe(30_000);
  health.failed(silence);
  // The same each time, so that a log and a history that say it see that it is no news; when it is asked again is `seen`.
  expect(health.resting?.message).toBe('no answer; it is left alone for a while');
  expect(health.seen.nextTryAt).toBe(now + 30_000);
  health.answered();
  expect(health.resting).toBeNull();
  health.failed({ ...silence, class: 'rejected' });
  expect(health.resting).toBeNull();
});

test('a node that is alone is always asked', () => {
  const health = new NodeHealth(new VirtualClock(), false);
  health.failed(silence);
  expect(health.resting).toBeNull();
});

async function watched(destination: Destination, happens: () => void): Promise<number> {
  const stop = new AbortController();
  let calls = 0;
  happens();
  await new Promise<void>((resolve) => {
    const running = destination.watch?.(() => {
      calls += 1;
      stop.abort();
      resolve(running);
    }, stop.signal);
  });
  return calls;
}

test('says so between deliveries when a node lost its state, or one that lacks it joined', async () => {
  const names = new Names();
  names.answers = [service(0)];
  const destination = bench.open(found('_admin._tcp.edge.test'), names);
  await applied(bench, shop, { destination });
  expect(await watched(destination, () => bench.emulators[0]?.restart(false))).toBe(1);
  await applied(bench, shop, { destination });
  const joins = () => {
    names.answers = [service(0), service(1)];
  };
  expect(await watched(destination, joins)).toBe(1);
});

function bytes(body: ConfigBody): Buffer {
  return Buffer.concat(body instanceof Uint8Array ? [body] : [...body.pieces()]);
}

test.each([
  ['short', 'a "quoted"\n line with 😀 and ü'],
  ['long', `${'x'.repeat(65_535)}😀"\\\n${'ü'.repeat(20 * 1024 * 1024)}`],
])('a %s configuration is sent as the JSON text that it is', (_, text) => {
  const body = bodyOf(text);
  const sent = bytes(body);
  expect(sent.length).toBe(lengthOf(body));
  const read = JSON.parse(sent.toString('utf8')).config;
  expect(createHash('md5').update(read).digest('hex')).toBe(createHash('md5').update(text).digest('hex'));
  expect(body instanceof Uint8Array).toBe(text.length < 1024);
});

test('a configuration that is made while it is sent arrives whole, and again when it has to', async () => {
  const text = `{"_format_version":"3.0","x":"${'ü'.repeat(20 * 1024 * 1024)}"}`;
  const taken: string[] = [];
  const server = createServer((request, response) => {
    const hash = createHash('md5');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => {
      taken.push(`${request.url} ${request.headers['content-length']} ${hash.digest('hex')}`);
      response.writeHead(taken.length === 1 ? 500 : 201).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const url = `http://127.0.0.1:${port}`;
  const tls = { ca: null, cert: null, key: null, serverName: null };
  const options = { baseUrl: url, headers: {}, timeoutMs: 60_000, bodyLimitBytes: 1 << 20, connections: 1, tls };
  const http = createHttpClient({ ...options, proxy: null });
  const { clock } = bench;
  const node = { url, http, pace: new Pace(), clock, random: () => 0, configLimitBytes: 1 << 30 };
  const body = bodyOf(text);
  const pushed = await push({ ...node, health: new NodeHealth(clock, false) }, body, signal);
  expect(pushed).toEqual({ url, result: 'taken' });
  const wanted = createHash('md5')
    .update(JSON.stringify({ config: text }))
    .digest('hex');
  expect(taken).toEqual(['/config?flatten_errors=1', '/config'].map((path) => `${path} ${lengthOf(body)} ${wanted}`));
  await http.close();
  server.close();
}, 60_000);

test('a name without nodes is no stack trace', async () => {
  const names = new Names();
  const destination = bench.open(found('edge.test:8001'), names);
  const thrown = await destination.identify(signal).catch((error: unknown) => error);
  expect(asFailure(thrown)?.facts.hint).toMatch(/HOST:PORT/);
});

test('goes by one node as long as any says the same, whoever of several versions is quickest', async () => {
  const older = await startEmulator({ flavour: 'dbless', version: '3.4', port: 0, controlPort: null });
  try {
    const tls = { ca: null, cert: null, key: null, serverName: null };
    const nodes = [bench.urls[0] ?? '', older.url, bench.urls[1] ?? ''];
    older.behaviour({ latencyMs: 200 });
    const destination = bench.open({
      connection: { type: 'dbless', nodes, headers: {}, tls, quorum: 'all' },
    });
    expect((await destination.identify(signal)).version).toBe('3.9');
    older.behaviour({ latencyMs: null });
    for (const at of [0, 1]) bench.emulators[at]?.behaviour({ latencyMs: 200 });
    expect((await destination.identify(signal)).version).toBe('3.9');
    bench.emulators[0]?.behaviour({ refuse: true });
    expect((await destination.identify(signal)).version).toBe('3.9');
    bench.emulators[1]?.behaviour({ refuse: true });
    expect((await destination.identify(signal)).version).toBe('3.4');
  } finally {
    await older.close();
  }
});
