// How a push reaches many DB-less nodes, and what memory a large one takes: npx tsx bench/nodes.ts. The nodes are small
// servers in a process of their own, which take a second to load what they are sent, as a Kong does. Ends with exit
// code 1 when 100 nodes take more than twice the time of the slowest single push, when one that never answers delays any
// of the others, or when a large push takes a copy of its text.
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bodyOf, lengthOf } from '../src/destination/kong/config-body.ts';
import { kongDbless } from '../src/destination/kong/dbless.ts';
import { listedFleet } from '../src/destination/kong/fleet.ts';
import { type NodeWorld, push } from '../src/destination/kong/node.ts';
import { NodeHealth } from '../src/destination/kong/node-health.ts';
import { Pace } from '../src/destination/pace.ts';
import type { Entity } from '../src/model/entity.ts';
import { stateOf } from '../src/model/state.ts';
import { systemClock } from '../src/platform/system-clock.ts';
import { createHttpClient } from '../src/platform/undici-client.ts';
import { loadSchemas } from '../src/schema/bundled.ts';

const count = 100;
const loadMs = 1_000;
const never = new AbortController().signal;
setMaxListeners(1_000, never);
const tls = { ca: null, cert: null, key: null, serverName: null };

if (process.argv[2] === 'serve') serve();
else process.exitCode = (await measure()) ? 0 : 1;

/** Listens as so many nodes, tells the parent their ports, and when each has loaded something. Told so, the last is dead. */
function serve(): void {
  const ports: number[] = [];
  let dead: number | null = null;
  process.on('message', () => {
    dead = ports.at(-1) ?? null;
  });
  for (let at = 0; at < count; at += 1) {
    const server = createServer((request, response) => {
      if (request.socket.localPort === dead) return;
      const isBesideADeadOne = dead !== null;
      if (request.method === 'GET') {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"configuration_hash":"${'0'.repeat(32)}"}`);
        return;
      }
      const hash = createHash('md5');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      request.on('end', () => {
        const answer = JSON.stringify({ hash: hash.digest('hex') });
        setTimeout(() => {
          response.writeHead(201, { 'content-type': 'application/json' }).end(answer);
          if (isBesideADeadOne) process.send?.({ loaded: request.socket.localPort });
        }, loadMs);
      });
    });
    server.listen(0, '127.0.0.1', () => {
      ports.push(z.object({ port: z.number() }).parse(server.address()).port);
      if (ports.length === count) process.send?.(ports);
    });
  }
}

function node(url: string): NodeWorld {
  const http = createHttpClient({
    baseUrl: url,
    headers: {},
    timeoutMs: 120_000,
    bodyLimitBytes: 1 << 20,
    connections: 4,
    tls,
    proxy: null,
  });
  const health = new NodeHealth(systemClock, true);
  return { url, http, health, pace: new Pace(), clock: systemClock, random: Math.random, configLimitBytes: 1 << 30 };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** How long a delivery takes to reach all nodes but one, which is asked for ever; the delivery is given up then. */
async function besideADeadOne(child: ChildProcess, nodes: readonly NodeWorld[]): Promise<number> {
  child.send('one is dead');
  const reached = new Set<number>();
  const stop = new AbortController();
  setMaxListeners(1_000, stop.signal);
  const all = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      const told = z.object({ loaded: z.number() }).safeParse(message);
      if (told.success) reached.add(told.data.loaded);
      if (reached.size === count - 1) resolve();
    });
  });
  const [oss, enterprise] = await Promise.all([
    loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' }),
    loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' }),
  ]);
  const destination = kongDbless({
    name: 'edge',
    fleet: listedFleet(nodes),
    quorum: 'all',
    concurrency: 8,
    bundled: { oss, enterprise },
    clock: systemClock,
    secrets: [],
  });
  const entity: Entity = {
    kind: 'services',
    id: '7fca84d6-7d37-4a74-a7b0-93e576089a41',
    idGiven: true,
    made: {},
    fromEnvironment: new Map(),
    identity: 'a',
    name: 'a',
    fields: { name: 'a', host: 'a.example.com', tags: ['x'.repeat(100 * 1024)] },
    references: [],
    source: null,
  };
  const summary = { create: 0, update: 0, delete: 0, unchanged: 0 };
  const plan = { destination: 'edge', revision: null, digest: '', fingerprint: '', summary, changes: [], warnings: [] };
  return timed(async () => {
    const delivery = { plan: { ...plan, held: null }, writes: [], unread: [] };
    const delivered = destination.apply(stateOf([entity]), delivery, stop.signal, () => true).catch(() => undefined);
    await all;
    stop.abort();
    await delivered;
  });
}

async function measure(): Promise<boolean> {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: ['--import', 'tsx'] });
  const ports = await new Promise<readonly number[]>((resolve) => {
    child.once('message', (message) => resolve(z.array(z.number()).parse(message)));
  });
  const nodes = ports.map((port) => node(`http://127.0.0.1:${port}`));
  try {
    const body = bodyOf(JSON.stringify({ services: 'x'.repeat(100 * 1024) }));
    await Promise.all(nodes.map((one) => push(one, body, never)));
    let single = 0;
    for (const one of nodes.slice(0, 5)) single = Math.max(single, await timed(() => push(one, body, never)));
    const all = await timed(() => Promise.all(nodes.map((one) => push(one, body, never))));
    console.log(`| slowest single push | ${Math.round(single)} ms |`);
    console.log(`| all ${count} nodes at once | ${Math.round(all)} ms |`);
    const others = await besideADeadOne(child, nodes);
    console.log(`| the other ${count - 1} while one never answers | ${Math.round(others)} ms |`);
    const text = `{"_format_version":"3.0","x":"${'y'.repeat(100 * 1024 * 1024)}"}`;
    // Makes one text of what is joined so far, so that only what the push itself takes is measured.
    if (/z/.test(text)) throw new Error('there is no z in it');
    const [first] = nodes;
    const before = process.memoryUsage().rss;
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 5);
    const large = bodyOf(text);
    const took = first === undefined ? 0 : await timed(() => push(first, large, never));
    clearInterval(timer);
    const more = Math.round((peak - before) / 1024 / 1024);
    console.log(
      `| a push of ${Math.round(lengthOf(large) / 1024 / 1024)} MiB | ${Math.round(took)} ms, ${more} MiB more than its text |`,
    );
    return all <= 2 * single && others <= 2 * single && more < 100;
  } finally {
    await Promise.all(nodes.map((one) => one.http.close()));
    child.kill();
  }
}
