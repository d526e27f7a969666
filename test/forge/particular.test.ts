import { afterEach, expect, test } from 'vitest';
import { bitbucketCloud } from '../../src/forge/bitbucket-cloud.ts';
import { contextKey } from '../../src/forge/context.ts';
import type { Forge } from '../../src/forge/forge.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { startBitbucketCloud } from '../support/forges/bitbucket-cloud.ts';
import { bodyOf, type ForgeEmulator, forgeToken } from '../support/forges/emulator.ts';
import { startGitlab } from '../support/forges/gitlab.ts';
import { answerJson, startServer } from '../support/http-server.ts';
import { aStatus, failureOf } from './contract.ts';
import { kinds } from './kinds.ts';

const never = new AbortController().signal;
const sha = 'a'.repeat(40);
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function opened<T extends { close(): Promise<void> }>(one: T): T {
  ends.unshift(() => one.close());
  return one;
}

async function start(kind: string): Promise<{ readonly server: ForgeEmulator; readonly forge: Forge }> {
  const under = kinds[kind];
  if (under === undefined) throw new Error(`there is no ${kind}`);
  const server = opened(await under.start());
  return { server, forge: opened(under.connect(server.url, forgeToken, 'konverge')) };
}

async function gitlabStarted() {
  const server = opened(await startGitlab('acme/apis/gateway'));
  const forge = kinds['GitLab']?.connect(server.url, forgeToken, 'konverge');
  if (forge === undefined) throw new Error('there is no GitLab');
  return { server, forge: opened(forge) };
}

test('GitLab: every post names the branch, and a job that is open is not left for a new one', async () => {
  const { server, forge } = await gitlabStarted();
  for (const [state, description] of [
    ['pending', 'waits to be delivered'],
    ['pending', 'being delivered'],
    ['pending', 'retrying: answered 503'],
    ['success', 'live'],
  ] as const) {
    await forge.post(aStatus({ state, description }), never);
  }
  expect(server.jobs).toMatchObject([{ ref: 'main', name: 'konverge/edge', status: 'success', description: 'live' }]);
  await forge.post(aStatus({ state: 'failure', description: 'drifted' }), never);
  expect(server.jobs.map(({ status }) => status)).toEqual(['success', 'failed']);
});

test('GitLab: what runs already keeps its text rather than be refused', async () => {
  const { server, forge } = await gitlabStarted();
  for (const description of ['one', 'two', 'three']) {
    await forge.post(aStatus({ state: 'pending', description }), never);
  }
  expect(server.held(sha)['konverge/edge']).toMatchObject({ state: 'pending', description: 'two' });
});

test('GitLab: a conflict with another post is tried again', async () => {
  const { server, forge } = await gitlabStarted();
  server.own.conflicts = 1;
  expect(await failureOf(forge.post(aStatus(), never))).toMatchObject({ class: 'transient', code: 'forge-busy' });
  await forge.post(aStatus(), never);
  expect(server.held(sha)['konverge/edge']?.state).toBe('success');
});

test('GitLab: a refusal that is about no transition stays one', async () => {
  const odd = opened(await startServer((_, response) => answerJson(response, 400, { message: 'name is invalid' })));
  const forge = opened(kinds['GitLab']?.connect(odd.url, 't', 'konverge') ?? (await start('GitLab')).forge);
  expect(await failureOf(forge.post(aStatus(), never))).toMatchObject({ class: 'rejected', code: 'http-400' });
});

test('Bitbucket Cloud: keys of 40 characters at most, each the same for ever; the name has the context in full', async () => {
  const { server, forge } = await start('Bitbucket Cloud');
  const context = `konverge/${'production-gateways-of-europe'.padEnd(30, 'e')}-and-more`;
  await forge.post(aStatus({ context, targetUrl: null }), never);
  const body = bodyOf(server.got[0] ?? { method: '', url: '', headers: {}, body: '{}' });
  expect(body).toMatchObject({
    key: 'konverge/production-gateways-of-03c756b4',
    name: context,
    url: `https://bitbucket.org/acme/gateway/commits/${sha}`,
    refname: 'main',
  });
  expect(contextKey('konverge/edge', 40)).toBe('konverge/edge');
  expect(contextKey(context, 40)).toHaveLength(40);
});

test('Bitbucket Cloud: an API token signs in with its user', async () => {
  const server = opened(await startBitbucketCloud('acme/gateway'));
  const forge = opened(
    bitbucketCloud({
      url: server.url,
      token: 'api-token',
      username: 'me@example.com',
      repository: 'acme/gateway',
      branch: 'main',
      context: 'konverge',
      clock: systemClock,
      createHttpClient,
    }),
  );
  await failureOf(forge.post(aStatus(), never));
  const sent = server.got[0]?.headers.authorization ?? '';
  expect(Buffer.from(sent.replace('Basic ', ''), 'base64').toString()).toBe('me@example.com:api-token');
});

test('Bitbucket Cloud: the next page is asked of the configured host, whatever address the answer names', async () => {
  const values = (from: number) =>
    Array.from({ length: 100 }, (_, index) => ({ key: `konverge/${from + index}`, state: 'SUCCESSFUL' }));
  const server = opened(
    await startServer(({ url }, response) => {
      const isFirst = !url.includes('page=2');
      const next = 'https://elsewhere.example.com/steal?page=2&pagelen=100';
      answerJson(response, 200, isFirst ? { values: values(0), next } : { values: values(100) });
    }),
  );
  const forge = opened(kinds['Bitbucket Cloud']?.connect(server.url, 't', 'konverge') ?? (await start('GitLab')).forge);
  expect(await forge.list(sha, never)).toHaveLength(200);
});

test('Azure DevOps: the roll-up is a name without a genre, all else a name of the genre', async () => {
  const { server, forge } = await start('Azure DevOps');
  await forge.post(aStatus({ context: 'konverge' }), never);
  await forge.post(aStatus(), never);
  expect(server.got.map((got) => bodyOf(got)['context'])).toEqual([
    { name: 'konverge' },
    { genre: 'konverge', name: 'edge' },
  ]);
});

test('Azure DevOps: a page to sign in on is no success', async () => {
  const { server, forge } = await start('Azure DevOps');
  server.trouble = 'revoked';
  expect(await failureOf(forge.post(aStatus(), never))).toMatchObject({ class: 'rejected', code: 'http-401' });
});

test('an answer of another form is said to be one', async () => {
  const odd = opened(await startServer((_, response) => answerJson(response, 200, { hello: 1 })));
  for (const [kind, under] of Object.entries(kinds)) {
    // Gitea's answer may lack the list, when there is none.
    if (kind === 'Gitea' || kind === 'Forgejo') continue;
    const forge = opened(under.connect(odd.url, 't', 'konverge'));
    expect(await failureOf(forge.list(sha, never))).toMatchObject({ class: 'rejected', code: 'unexpected-answer' });
  }
});
