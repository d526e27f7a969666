import { afterEach, beforeEach, expect, test } from 'vitest';
import { fitDescription } from '../../src/forge/description.ts';
import type { CommitStatus, Forge } from '../../src/forge/forge.ts';
import { github } from '../../src/forge/github.ts';
import { asFailure, type FailureFacts } from '../../src/platform/failure.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { type ForgeServer, startForge } from '../support/forge-server.ts';

const never = new AbortController().signal;
const sha = 'a'.repeat(40);
let server: ForgeServer;
let forge: Forge;

const connect = (token = 'forge-token', repository = 'acme/gateway') =>
  github({ url: server.url, repository, token, context: 'konverge', clock: systemClock, createHttpClient });

beforeEach(async () => {
  server = await startForge('acme/gateway', 'forge-token');
  forge = connect();
});

afterEach(async () => {
  await forge.close();
  await server.close();
});

const status = (more: Partial<CommitStatus> = {}): CommitStatus => ({
  revision: sha,
  context: 'konverge/edge',
  state: 'success',
  description: 'live on 2/2 nodes',
  targetUrl: null,
  ...more,
});

async function failureOf(promise: Promise<unknown>): Promise<FailureFacts> {
  const thrown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const failure = asFailure(thrown);
  if (failure === undefined) throw thrown ?? new Error('no failure');
  return failure.facts;
}

test('posts a status, and lists the newest of each context of ours', async () => {
  await forge.post(status({ state: 'pending', description: 'delivering' }), never);
  await forge.post(status({ targetUrl: 'https://konverge.example.com' }), never);
  await forge.post(status({ context: 'konverge', state: 'failure', description: 'a' }), never);
  await forge.post(status({ context: 'ci/test' }), never);
  await forge.post(status({ context: 'konverged' }), never);
  expect(server.newest(sha, 'konverge/edge')).toEqual({
    sha,
    context: 'konverge/edge',
    state: 'success',
    description: 'live on 2/2 nodes',
    target_url: 'https://konverge.example.com',
  });
  const listed = await forge.list(sha, never);
  expect(listed.map((one) => [one.context, one.state]).sort()).toEqual([
    ['konverge', 'failure'],
    ['konverge/edge', 'success'],
  ]);
  expect(listed.find((one) => one.context === 'konverge/edge')).toEqual(
    status({ targetUrl: 'https://konverge.example.com' }),
  );
  expect(await forge.list('b'.repeat(40), never)).toEqual([]);
});

test('reads every page of a long list', async () => {
  for (let index = 0; index < 105; index += 1) await forge.post(status({ context: `konverge/d${index}` }), never);
  expect(await forge.list(sha, never)).toHaveLength(105);
});

test('a description is cut by code points to what GitHub takes', async () => {
  await forge.post(status({ description: `${'😀'.repeat(200)}` }), never);
  const held = server.newest(sha, 'konverge/edge')?.description ?? '';
  expect([...held]).toHaveLength(140);
  expect(held.endsWith('😀…')).toBe(true);
  expect(fitDescription(' a\n\tb\u2028c\u0007 ', 140)).toBe('a b c');
});

test('what no retry helps is rejected, with a hint', async () => {
  server.switches.unknown.add(sha);
  expect(await failureOf(forge.post(status(), never))).toMatchObject({ class: 'rejected', code: 'http-422' });
  const wrong = connect('other-token');
  const facts = await failureOf(wrong.post(status(), never));
  expect(facts).toMatchObject({ class: 'rejected', code: 'http-401' });
  expect(JSON.stringify([facts.message, facts.hint])).not.toContain('other-token');
  await wrong.close();
  const elsewhere = connect('forge-token', 'acme/other');
  expect(await failureOf(elsewhere.list(sha, never))).toMatchObject({ class: 'rejected', code: 'http-404' });
  await elsewhere.close();
});

test.each([
  ['retry-after', 429, { 'retry-after': '17' }, '', 'transient', 17_000],
  ['the reset of a limit that is used up, by the server’s clock', 403, () => resetIn(90), '', 'transient', 90_000],
  ['a secondary limit that says no more', 403, {}, 'You have exceeded a secondary rate limit.', 'transient', 60_000],
  ['a 429 that says no more', 429, {}, 'Slow down', 'transient', 60_000],
  ['a 403 that is no limit', 403, { 'x-ratelimit-remaining': '4000' }, 'Resource not accessible', 'rejected', null],
] as const)('obeys %s', async (_, code, headers, message, failureClass, wait) => {
  server.switches.limited = { status: code, headers: typeof headers === 'function' ? headers() : headers, message };
  const facts = await failureOf(forge.post(status(), never));
  expect(facts).toMatchObject({ class: failureClass, retryAfterMs: wait, status: code });
});

function resetIn(seconds: number): Readonly<Record<string, string>> {
  const at = Math.floor(Date.UTC(2031, 0, 1) / 1000);
  return {
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(at + seconds),
    date: new Date(at * 1000).toUTCString(),
  };
}

test('a forge that is down is unreachable, and one that answers something else is said so', async () => {
  server.switches.down = true;
  expect(await failureOf(forge.post(status(), never))).toMatchObject({ class: 'unreachable' });
  const { startServer, answerJson } = await import('../support/http-server.ts');
  const odd = await startServer((_, response) => answerJson(response, 200, { hello: 1 }));
  const wrong = github({
    url: odd.url,
    repository: 'a/b',
    token: 't',
    context: 'konverge',
    clock: systemClock,
    createHttpClient,
  });
  expect(await failureOf(wrong.list(sha, never))).toMatchObject({ class: 'rejected', code: 'unexpected-answer' });
  await wrong.close();
  await odd.close();
});
