import type { ServerResponse } from 'node:http';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { plainRollout } from '../../src/config/rollout.ts';
import type { Destination } from '../../src/destination/destination.ts';
import { openDestination } from '../../src/destination/open.ts';
import { Pace } from '../../src/destination/pace.ts';
import { send } from '../../src/destination/requests.ts';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { stateOf } from '../../src/model/state.ts';
import { asFailure } from '../../src/platform/failure.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { type Bench, bundledSchemas, openBench } from '../contract/bench.ts';
import { applied, deck, fieldOf } from '../contract/changing.ts';
import { deliver } from '../contract/deliver.ts';
import { answerJson, type Got, startServer } from '../support/http-server.ts';

const signal = new AbortController().signal;
const noTls = { ca: null, cert: null, key: null, serverName: null };

async function destinationAt(url: string, workspace: string | null = null): Promise<Destination> {
  const destination = openDestination(
    {
      name: 'kong',
      connection: { type: 'kong', url, headers: {}, workspace, tls: noTls },
      include: [],
      exclude: { kinds: [], tags: [], files: [], prune: false },
      tags: [],
      rollout: plainRollout,
      policy: {
        onInvalid: 'reject',
        prune: true,
        adopt: true,
        maxDelete: { share: 1, atLeast: 1000 },
        drift: 'correct',
        driftIntervalMs: 1000,
        driftIgnore: [],
        driftReport: [],
        protect: [],
        onUnhealthy: 'hold',
      },
      limits: { timeoutMs: 10_000, concurrency: 4, bodyLimitBytes: 1 << 20, configLimitBytes: 1 << 20 },
    },
    {
      createHttpClient,
      clock: { ...systemClock, sleep: async () => undefined },
      random: () => 0,
      bundled: await bundledSchemas(),
    },
  );
  onTestFinished(() => destination.close());
  return destination;
}

/** A server that answers as it is told, and a destination at it. */
async function kongThat(handle: (got: Got, response: ServerResponse) => void, workspace: string | null = null) {
  const server = await startServer(handle);
  onTestFinished(() => server.close());
  return { server, destination: await destinationAt(server.url, workspace) };
}

function html(response: ServerResponse, status = 200): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end('<html><body>hello</body></html>');
}

const root = {
  version: '3.9.1',
  plugins: { available_on_server: { cors: { version: '3.9.1' }, gone: false } },
  configuration: { database: 'postgres', router_flavor: 'expressions' },
};

async function failureOf(asked: Promise<unknown>) {
  const thrown = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  return asFailure(thrown)?.facts;
}

test('tells what answers and is no Kong', async () => {
  for (const answer of [html, (response: ServerResponse) => answerJson(response, 200, { hello: 'there' })]) {
    const { destination } = await kongThat((_, response) => answer(response));
    const failure = await failureOf(destination.identify(signal));
    expect(failure).toMatchObject({ class: 'rejected', code: 'not-kong' });
    expect(failure?.hint).toMatch(/8001/);
  }
});

test('says which Kong it is', async () => {
  const { destination } = await kongThat((_, response) => answerJson(response, 200, root));
  expect(await destination.identify(signal)).toMatchObject({
    description: 'Kong 3.9.1 (open source), with a database',
    version: '3.9',
    edition: 'oss',
    router: 'expressions',
    mode: 'database',
  });
});

test('takes the word of Kong Enterprise for what it is', async () => {
  const { destination } = await kongThat((_, response) =>
    answerJson(response, 200, { version: '3.10.0.1-enterprise-edition', configuration: { database: 'off' } }),
  );
  expect(await destination.identify(signal)).toMatchObject({
    description: expect.stringMatching(/^Kong 3\.10\.0\.1 \(Enterprise\), without a database/),
    edition: 'enterprise',
    mode: 'dbless',
  });
});

test.each([401, 403, 404])('asks the workspace where the root answers %i', async (status) => {
  const { destination, server } = await kongThat((got, response) => {
    if (got.url === '/team%20a/kong') answerJson(response, 200, { ...root, edition: 'enterprise' });
    else answerJson(response, status, { message: 'not for you' });
  }, 'team a');
  expect(await destination.identify(signal)).toMatchObject({ version: '3.9' });
  expect(server.got.map(({ url }) => url)).toEqual(['/', '/team%20a/kong']);
});

test('takes no page of a proxy in the middle of a read for a list', async () => {
  const { destination } = await kongThat((got, response) => {
    if (got.url === '/') answerJson(response, 200, root);
    else if (got.url.startsWith('/services')) html(response);
    else answerJson(response, 200, { data: [], next: null });
  });
  const failure = await failureOf(destination.read(stateOf([]), signal));
  expect(failure).toMatchObject({ class: 'unreachable', code: 'not-a-list' });
});

test('ends a list that never ends', async () => {
  const { destination } = await kongThat((got, response) => {
    if (got.url === '/') answerJson(response, 200, root);
    else answerJson(response, 200, { data: [], next: '/more', offset: 'again' });
  });
  expect(await failureOf(destination.read(stateOf([]), signal))).toMatchObject({ code: 'not-a-list' });
});

test('goes on behind an empty page', async () => {
  const service = { id: '0d1e2f30-0000-4000-8000-000000000001', name: 'a', host: 'a.test' };
  const { destination } = await kongThat((got, response) => {
    if (got.url === '/') answerJson(response, 200, root);
    else if (got.url.startsWith('/services?') && !got.url.includes('offset')) {
      answerJson(response, 200, { data: [], next: '/services?size=1000&offset=x%2By' });
    } else if (got.url.startsWith('/services?')) {
      expect(got.url).toContain('offset=x%2By');
      answerJson(response, 200, { data: [service], next: null });
    } else answerJson(response, 200, { data: [], next: null });
  });
  const { state } = await destination.read(stateOf([]), signal);
  expect(state.byId('services', service.id)?.name).toBe('a');
});

test('reads again when a parent goes while its children are read', async () => {
  const upstream = { id: '0d1e2f30-0000-4000-8000-000000000002', name: 'u.test' };
  const { destination } = await kongThat((got, response) => {
    if (got.url === '/') answerJson(response, 200, root);
    else if (got.url.startsWith('/upstreams?')) answerJson(response, 200, { data: [upstream], next: null });
    else if (got.url.startsWith(`/upstreams/${upstream.id}`)) answerJson(response, 404, { message: 'Not found' });
    else answerJson(response, 200, { data: [], next: null });
  });
  const failure = await failureOf(destination.read(stateOf([]), signal));
  expect(failure).toMatchObject({ class: 'transient', code: 'changed-while-reading' });
});

/** What stands before an emulator, and passes requests on to the one that is current. */
async function switching(first: RunningEmulator): Promise<{ readonly url: string; current: RunningEmulator }> {
  const state = { url: '', current: first };
  const server = await startServer((got, response) => {
    const type = got.headers['content-type'];
    fetch(`${state.current.url}${got.url}`, {
      method: got.method,
      ...(type === undefined ? {} : { headers: { 'content-type': type }, body: got.body }),
    })
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
        response.end(await answer.text());
      })
      .catch(() => response.destroy());
  });
  onTestFinished(() => server.close());
  state.url = server.url;
  return state;
}

async function emulator(options: Partial<Parameters<typeof startEmulator>[0]>): Promise<RunningEmulator> {
  const started = await startEmulator({ flavour: 'kong', port: 0, controlPort: null, ...options });
  onTestFinished(() => started.close());
  return started;
}

let bench: Bench | null = null;
afterEach(async () => {
  await bench?.close();
  bench = null;
});

test('notices a server that lost its database, got it back, and became another one', async () => {
  const [withDatabase, without, newer] = await Promise.all([
    emulator({}),
    emulator({ flavour: 'dbless' }),
    emulator({ edition: 'enterprise', version: '3.10' }),
  ]);
  const front = await switching(withDatabase);
  bench = await openBench({ name: 'kong', flavour: 'kong', url: front.url });
  const destination = bench.open();
  const files = deck({ services: [{ name: 'a', host: 'a.test' }], plugins: [{ name: 'cors' }] });
  await applied(bench, files, { destination });
  for (const current of [without, withDatabase, newer]) {
    front.current = current;
    await applied(bench, files, { destination });
    expect(await fieldOf(bench, 'services', 'name')).toEqual(['a']);
    const again = await deliver(bench, files, { destination });
    expect(again).toMatchObject({ end: 'applied', outcome: null });
  }
  expect(await destination.identify(signal)).toMatchObject({ edition: 'enterprise', version: '3.10' });
});

const proxied = { message: 'no Route matched with those values', request_id: 'made-up' };

test('says that a proxy is no Admin API, also of a DELETE that would take its 404 for done', async () => {
  const { destination, server } = await kongThat((_, response) => answerJson(response, 404, proxied));
  const words = /\/ answered 404 .*looks like Kong's proxy, not its Admin API/;
  await expect(destination.identify(signal)).rejects.toMatchObject({
    facts: { class: 'rejected', code: 'kong-proxy', message: expect.stringMatching(words) },
  });
  const http = createHttpClient({ ...clientOptions, baseUrl: server.url });
  onTestFinished(() => http.close());
  const world = { http, pace: new Pace(), clock: systemClock, random: () => 0 };
  const deletion = send(world, { method: 'DELETE', path: '/services/a', accept: [404] }, signal);
  await expect(deletion).rejects.toMatchObject({ facts: { code: 'kong-proxy' } });
});

const clientOptions = {
  headers: {},
  timeoutMs: 10_000,
  bodyLimitBytes: 1 << 20,
  connections: 1,
  tls: noTls,
  proxy: null,
} as const;

test.each([
  ['an open-source Kong', { edition: 'oss' }, /workspace "team" is configured, and http\S+ is an open-source Kong/],
  ['a DB-less node', { flavour: 'dbless', edition: 'enterprise' }, /is a Kong without a database, which has none/],
] as const)('says that %s has no workspaces', async (_, wish, words) => {
  const emulator = await startEmulator({ flavour: 'kong', port: 0, controlPort: null, ...wish });
  onTestFinished(() => emulator.close());
  const destination = await destinationAt(emulator.url, 'team');
  await expect(destination.identify(signal)).rejects.toMatchObject({
    facts: { class: 'rejected', code: 'no-workspaces', message: expect.stringMatching(words) },
  });
});

test('owns no part of a DB-less node by tags: all of it is replaced at once', async () => {
  const bench = await openBench({ name: 'edge', flavour: 'dbless' });
  onTestFinished(() => bench.close());
  const tagged = await deliver(bench, deck({ services: [{ name: 'a', host: 'a.test' }] }), { tags: ['ours'] });
  expect(tagged).toMatchObject({ end: 'thrown', failure: { code: 'tags-without-database' } });
  await applied(bench, deck({ services: [{ name: 'theirs', host: 'h.test' }] }));
  const selected = deck({ _info: { select_tags: ['ours'] }, services: [{ name: 'a', host: 'a.test' }] });
  expect((await applied(bench, selected)).plan?.summary).toMatchObject({ create: 1, delete: 1 });
});
