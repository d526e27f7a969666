import { Agent, request } from 'undici';
import { startEmulator } from '../src/emulator/server.ts';

/**
 * What the emulator itself costs, so that no benchmark against it measures it instead:
 * `node --import tsx bench/emulator.ts [ENTITIES]` (10,000 when left out) fills each emulator, reads it back page by
 * page, and prints a Markdown table. "its share" is the time that it worked, as its own counters say it; the rest of
 * the time is the client, the wire and waiting.
 */

const wanted = Number(process.argv[2] ?? 10_000);
const agent = new Agent({ connections: 16 });
const bearer = { authorization: 'Bearer bench' };

interface Row {
  readonly what: string;
  readonly requests: number;
  readonly ms: number;
  readonly workMs: number;
}

const rows: Row[] = [];

/** Sends one request and gives the JSON of its answer. Throws on a refusal. */
async function ask(url: string, method: 'GET' | 'PUT' | 'POST', body?: unknown): Promise<unknown> {
  const answer = await request(url, {
    method,
    dispatcher: agent,
    headers: { ...bearer, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${await answer.body.text()}`);
  return answer.body.json();
}

function idOf(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
}

/** One of the entities: services with a route and a plugin each, and consumers with a key. */
function entityAt(index: number): { readonly collection: string; readonly id: string; readonly fields: object } {
  const id = idOf(index);
  const first = idOf(index - (index % 5));
  switch (index % 5) {
    case 0:
      return { collection: 'services', id, fields: { name: `service-${index}`, host: `s${index}.test` } };
    case 1:
      return {
        collection: 'routes',
        id,
        fields: { name: `route-${index}`, paths: [`/r/${index}`], service: { id: first } },
      };
    case 2:
      return { collection: 'plugins', id, fields: { name: 'key-auth', service: { id: first } } };
    case 3:
      return { collection: 'consumers', id, fields: { username: `user-${index}`, tags: ['bench'] } };
    default:
      return { collection: 'key-auths', id, fields: { key: `key-${index}`, consumer: { id: idOf(index - 1) } } };
  }
}

async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** Every page of a list; how many entities there were. */
async function walk(base: string, path: string): Promise<number> {
  let count = 0;
  for (let next: string | null = path; next !== null; ) {
    const page = (await ask(`${base}${next}`, 'GET')) as { data: unknown[]; next: string | null };
    count += page.data.length;
    next = page.next;
  }
  return count;
}

type Emulator = Awaited<ReturnType<typeof startEmulator>>;

async function measured(emulator: Emulator, what: string, work: () => Promise<unknown>): Promise<void> {
  emulator.clearLog();
  const start = performance.now();
  await work();
  const { reads, writes, workMs } = emulator.counters();
  rows.push({ what, requests: reads + writes, ms: performance.now() - start, workMs });
}

const collections = ['services', 'routes', 'plugins', 'consumers', 'key-auths'];

async function listed(base: string, prefix: string): Promise<void> {
  let count = 0;
  for (const collection of collections) count += await walk(base, `${prefix}/${collection}?size=1000`);
  if (count !== wanted) throw new Error(`${count} of ${wanted} entities were listed`);
}

async function database(): Promise<void> {
  const kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  // Parents first: a level at a time, as a delivery goes.
  await measured(kong, 'Kong: PUT each', async () => {
    for (const level of [
      [0, 3],
      [1, 2, 4],
    ]) {
      await inParallel(wanted, async (index) => {
        if (!level.includes(index % 5)) return;
        const { collection, id, fields } = entityAt(index);
        await ask(`${kong.url}/${collection}/${id}`, 'PUT', fields);
      });
    }
  });
  await measured(kong, 'Kong: list all, 1000 a page', () => listed(kong.url, ''));
  await measured(kong, 'Kong: list all by a tag, 100 a page', () => walk(kong.url, '/consumers?tags=bench'));
  await kong.close();
}

async function dbless(): Promise<void> {
  const node = await startEmulator({ flavour: 'dbless', port: 0, controlPort: null });
  const lists: { [kind: string]: object[] } = {};
  for (let index = 0; index < wanted; index += 1) {
    const { collection, id, fields } = entityAt(index);
    const name = collection === 'key-auths' ? 'keyauth_credentials' : collection;
    const flat = Object.entries(fields).map(([field, value]) => [
      field,
      field === 'service' || field === 'consumer' ? (value as { id: string }).id : value,
    ]);
    lists[name] = [...(lists[name] ?? []), { id, ...Object.fromEntries(flat) }];
  }
  const config = JSON.stringify({ _format_version: '3.0', ...lists });
  await measured(node, 'DB-less: POST /config', () => ask(`${node.url}/config`, 'POST', { config }));
  await measured(node, 'DB-less: list all, 1000 a page', () => listed(node.url, ''));
  await node.close();
}

await database();
await dbless();
await agent.close();
console.log(
  `${wanted} entities\n\n| what | requests | ms | its share, ms | per request, ms |\n| --- | ---: | ---: | ---: | ---: |`,
);
for (const { what, requests, ms, workMs } of rows) {
  console.log(
    `| ${what} | ${requests} | ${ms.toFixed(0)} | ${workMs.toFixed(0)} | ${(workMs / requests).toFixed(3)} |`,
  );
}
