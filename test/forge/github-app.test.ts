import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Annotation, Forge } from '../../src/forge/forge.ts';
import { github } from '../../src/forge/github.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { type GithubEmulator, startGithub } from '../support/forges/github.ts';
import type { GithubChecksEmulator } from '../support/forges/github-checks.ts';
import { aStatus, failureOf } from './contract.ts';
import { githubApp, knownApp } from './kinds.ts';

const never = new AbortController().signal;
const sha = 'a'.repeat(40);
let server: GithubEmulator;
let checks: GithubChecksEmulator;
let clock: VirtualClock;
const opened: Forge[] = [];

function connect(app = githubApp, repository = 'acme/gateway'): Forge {
  const forge = github({ url: server.url, repository, context: 'konverge', clock, createHttpClient, app });
  opened.push(forge);
  return forge;
}

function annotations(count: number): readonly Annotation[] {
  return Array.from({ length: count }, (_, index) => ({
    level: 'failure',
    file: 'gateways/eu/orders.yaml',
    line: index + 1,
    endLine: index + 1,
    title: 'unique-key',
    message: `finding ${index + 1}`,
  }));
}

beforeEach(async () => {
  server = await startGithub('acme/gateway', knownApp);
  if (server.checks === null) throw new Error('it knows no App');
  checks = server.checks;
  clock = new VirtualClock(Date.now());
});

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  await server.close();
});

test('a run that has not ended is updated, and one that has is followed by another', async () => {
  const forge = connect();
  await forge.post(aStatus({ state: 'pending', description: 'waits to be delivered' }), never);
  await forge.post(aStatus({ state: 'pending', description: 'being delivered' }), never);
  await forge.post(aStatus(), never);
  expect(checks.runs).toMatchObject([{ status: 'completed', conclusion: 'success', title: 'live on 2/2 nodes' }]);
  await forge.post(aStatus({ state: 'error' }), never);
  expect(checks.runs.map(({ conclusion }) => conclusion)).toEqual(['success', 'cancelled']);
});

test('a run that an earlier process left open is ended, not followed by another', async () => {
  await connect().post(aStatus({ state: 'pending' }), never);
  const next = connect();
  expect(await next.list(sha, never)).toEqual([aStatus({ state: 'pending' })]);
  await next.post(aStatus({ state: 'error', description: 'superseded by bbbbbbb' }), never);
  expect(checks.runs).toMatchObject([{ status: 'completed', conclusion: 'cancelled' }]);
});

test('findings stand at their lines, fifty in a request, and the verdict comes with the last of them', async () => {
  const forge = connect();
  const before = server.got.length;
  await forge.post(aStatus({ state: 'failure', annotations: annotations(120) }), never);
  const sent = server.got.slice(before).filter(({ url }) => url.includes('/check-runs'));
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH']);
  expect(sent.map(({ body }) => JSON.parse(body).status)).toEqual(['in_progress', 'in_progress', 'completed']);
  const [run] = checks.runs;
  expect(run?.annotations).toHaveLength(120);
  expect(run?.annotations[119]).toEqual({
    path: 'gateways/eu/orders.yaml',
    start_line: 120,
    end_line: 120,
    annotation_level: 'failure',
    title: 'unique-key',
    message: 'finding 120',
  });
});

test('more findings than people read are counted', async () => {
  await connect().post(aStatus({ state: 'failure', annotations: annotations(1000) }), never);
  expect(checks.runs[0]?.annotations).toHaveLength(250);
  expect(checks.runs[0]?.summary).toContain('The first 250 findings are shown; there are 750 more.');
});

test('check runs of our names by others are not ours', async () => {
  const forge = connect();
  await forge.post(aStatus(), never);
  const { list } = forge;
  expect(await list(sha, never)).toHaveLength(1);
  const theirs = { sha, name: 'konverge/edge', conclusion: 'failure', details_url: null, summary: '', annotations: [] };
  checks.runs.push({ ...theirs, id: 900, status: 'completed', title: 'no', app: 1 });
  expect(await list(sha, never)).toEqual([]);
});

test('a token is kept until shortly before its end, and is for one repository', async () => {
  const forge = connect();
  await forge.post(aStatus(), never);
  await clock.advance(54 * 60_000);
  await forge.post(aStatus({ state: 'failure' }), never);
  expect(checks.issued).toBe(1);
  await clock.advance(2 * 60_000);
  await forge.post(aStatus(), never);
  expect(checks.issued).toBe(2);
  const asked = server.got.filter(({ url }) => url.endsWith('/access_tokens'));
  expect(asked.map(({ body }) => JSON.parse(body))).toEqual(Array(2).fill({ repositories: ['gateway'] }));
});

test('a token lasts as long as GitHub says by its own clock, however wrong ours is', async () => {
  clock = new VirtualClock(Date.now() + 3 * 3_600_000);
  const forge = connect();
  await forge.post(aStatus(), never);
  await forge.post(aStatus({ state: 'failure' }), never);
  expect(checks.issued).toBe(1);
});

test('a token that is refused is replaced once', async () => {
  const forge = connect();
  await forge.post(aStatus(), never);
  checks.tokens.clear();
  await forge.post(aStatus({ state: 'failure' }), never);
  expect(checks.issued).toBe(2);
  server.trouble = 'revoked';
  const before = server.got.length;
  expect(await failureOf(forge.post(aStatus(), never))).toMatchObject({ class: 'rejected', status: 401 });
  expect(server.got.length - before).toBe(2);
});

test('another App’s key, an installation that is none and a repository it lacks are said, without a secret', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const wrong = [
    [connect({ ...githubApp, key: privateKey }), /key of `status.github.app`/],
    [connect({ ...githubApp, installation: 1 }), /`status.github.app.installation`/],
    [connect(githubApp, 'acme/other'), /does not have the repository/],
  ] as const;
  for (const [forge, hint] of wrong) {
    const facts = await failureOf(forge.post(aStatus(), never));
    expect(facts).toMatchObject({ class: 'rejected' });
    expect(facts.hint).toMatch(hint);
    expect(JSON.stringify(facts)).not.toMatch(/ghs_|eyJ|PRIVATE KEY/);
  }
});

test('our comment is known by the App’s name', async () => {
  server.pulls.open();
  server.pulls.say(1, 'konverge', '<!-- k -->');
  await connect().pullRequests?.say(1, '<!-- k -->', '<!-- k --> one', never);
  await connect().pullRequests?.say(1, '<!-- k -->', '<!-- k --> two', never);
  expect(server.pulls.comments.map(({ author, body }) => [author, body])).toEqual([
    ['konverge', '<!-- k -->'],
    ['konverge[bot]', '<!-- k --> two'],
  ]);
});
