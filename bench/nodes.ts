// How a push reaches many DB-less nodes, and what memory a large one takes: npx tsx bench/nodes.ts. The nodes are small
// servers in a process of their own, which take a second to load what they are sent, as a Kong does. Ends with exit
// code 1 when 100 nodes take more than twice the time of the slowest single push, or a large push a copy of its text.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bodyOf, lengthOf } from '../src/destination/kong/config-body.ts';
import { type NodeWorld, push } from '../src/destination/kong/node.ts';
import { NodeHealth } from '../src/destination/kong/node-health.ts';
import { Pace } from '../src/destination/pace.ts';
import { systemClock } from '../src/platform/system-clock.ts';
import { createHttpClient } from '../src/platform/undici-client.ts';

const count = 100;
const loadMs = 1_000;
const never = new AbortController().signal;
setMaxListeners(1_000, never);
const tls = { ca: null, cert: null, key: null, serverName: null };

if (process.argv[2] === 'serve') serve();
else process.exitCode = (await measure()) ? 0 : 1;

/** Listens as so many nodes, and tells the parent their ports. */
function serve(): void {
  const ports: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const server = createServer((request, response) => {
      const hash = createHash('md5');
      request.on('data', (chunk: Buffer) => hash.update(chunk));
      request.on('end', () => {
        const answer = JSON.stringify({ hash: hash.digest('hex') });
        setTimeout(() => response.writeHead(201, { 'content-type': 'application/json' }).end(answer), loadMs);
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
    return all <= 2 * single && more < 100;
  } finally {
    await Promise.all(nodes.map((one) => one.http.close()));
    child.kill();
  }
}
