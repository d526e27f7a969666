import { afterEach, expect, test } from 'vitest';
import type { Forge } from '../../src/forge/forge.ts';
import { nextQuery } from '../../src/forge/pages.ts';
import type { PullRequest, PullRequests } from '../../src/forge/pull-requests.ts';
import { branchRef, commitId, pageUrl } from '../../src/forge/untrusted.ts';
import { type ForgeEmulator, forgeToken } from '../support/forges/emulator.ts';
import { startGitlab } from '../support/forges/gitlab.ts';
import { selfName, worldStart } from '../support/forges/pull-world.ts';
import { answerJson, startServer } from '../support/http-server.ts';
import { aStatus, failureOf } from './contract.ts';
import { kinds } from './kinds.ts';

const never = new AbortController().signal;
const marker = '<!-- konverge -->';
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function opened<T extends { close(): Promise<void> }>(one: T): T {
  ends.unshift(() => one.close());
  return one;
}

function connect(kind: string, url: string): { readonly forge: Forge; readonly pulls: PullRequests } {
  const forge = kinds[kind]?.connect(url, forgeToken, 'konverge');
  if (forge?.pullRequests === undefined) throw new Error(`there is no ${kind} with pull requests`);
  return { forge: opened(forge), pulls: forge.pullRequests };
}

async function start(kind: string): Promise<{ readonly server: ForgeEmulator; readonly pulls: PullRequests }> {
  const under = kinds[kind];
  if (under === undefined) throw new Error(`there is no ${kind}`);
  const server = opened(await under.start());
  return { server, pulls: connect(kind, server.url).pulls };
}

function aPull(server: ForgeEmulator, more: Partial<PullRequest> = {}): PullRequest {
  const one = server.pulls.pull(1);
  if (one === undefined) throw new Error('there is no #1');
  const { number, title, author, isDraft, head, base } = one;
  return { number, title, author, isBot: false, isFork: false, isDraft, head, base, headRef: null, url: null, ...more };
}

test('GitLab: a status goes into the pipeline that the merge request shows', async () => {
  const server = opened(await startGitlab('acme/apis/gateway'));
  const { pulls } = connect('GitLab', server.url);
  const { head: sha } = server.pulls.open();
  const ref = 'refs/merge-requests/1/head';
  server.own.pipelines.set(1, { id: 77, project_id: 17, sha, ref });
  await pulls.status(aPull(server), aStatus({ context: 'konverge/plan' }), never);
  expect(server.jobs).toMatchObject([{ pipeline: 77, ref, sha, status: 'success' }]);
});

test('GitLab: without a pipeline of that commit here it goes to the source branch, or a fork’s to its own ref', async () => {
  const server = opened(await startGitlab('acme/apis/gateway'));
  const { pulls } = connect('GitLab', server.url);
  server.pulls.open({ source: 'topic' });
  server.pulls.open({ source: 'main', from: 'fork' });
  const old = { id: 77, project_id: 17, sha: 'e'.repeat(40), ref: 'topic' };
  server.own.pipelines.set(1, old);
  for (const one of await pulls.listOpen('main', never)) await pulls.status(one, aStatus(), never);
  expect(server.jobs.map(({ ref, pipeline }) => [ref, pipeline])).toEqual([
    ['topic', null],
    ['refs/merge-requests/2/head', null],
  ]);
});

test('Bitbucket Cloud: an access token finds its comment though nobody says whose it is', async () => {
  const { server, pulls } = await start('Bitbucket Cloud');
  server.pulls.open();
  server.pulls.hidesSelf = true;
  const theirs = server.pulls.say(1, 'mallory', `${marker} all is well`);
  await pulls.say(1, marker, `${marker} one`, never);
  await connect('Bitbucket Cloud', server.url).pulls.say(1, marker, `${marker} two`, never);
  expect(theirs).toMatchObject({ body: `${marker} all is well`, edits: 0 });
  expect(server.pulls.comments.filter(({ author }) => author === selfName).map(({ body }) => body)).toEqual([
    `${marker} two`,
  ]);
});

test('Bitbucket Cloud: people with one name are told apart by their ids', async () => {
  const { server, pulls } = await start('Bitbucket Cloud');
  server.pulls.open();
  server.pulls.writers.add('ann');
  expect(await pulls.mayWrite('ann', never)).toBe(false);
  expect(await pulls.mayWrite(`ann {${server.pulls.uuidOf('mallory')}}`, never)).toBe(false);
  expect(await pulls.mayWrite(`ann {${server.pulls.uuidOf('ann')}}`, never)).toBe(true);
});

test('Bitbucket Cloud: a head is asked for in full once', async () => {
  const { server, pulls } = await start('Bitbucket Cloud');
  server.pulls.open();
  server.pulls.open();
  await pulls.listOpen('main', never);
  await pulls.listOpen('main', never);
  server.pulls.push(2, 'e'.repeat(40));
  expect((await pulls.listOpen('main', never))[1]?.head).toBe('e'.repeat(40));
  expect(server.got.filter(({ url }) => url.includes('/commits?')).length).toBe(3);
});

test('Bitbucket Data Center: an answer to an old comment is read', async () => {
  const { server, pulls } = await start('Bitbucket Data Center');
  server.pulls.open();
  const root = server.pulls.say(1, 'ann', 'old', { at: worldStart });
  for (let index = 0; index < 60; index += 1) server.pulls.say(1, 'ann', 'between', { at: worldStart + 1000 });
  server.pulls.say(1, 'ann', '/konverge plan', { at: worldStart + 9000, answers: root.id });
  const read = await pulls.comments(1, worldStart + 5000, never);
  expect(read.map(({ body }) => body)).toEqual(['/konverge plan']);
});

test('Bitbucket Data Center: without the headers that say whose the token is nothing is written', async () => {
  const comment = { id: 1, version: 0, text: marker, author: { name: 'x' }, createdDate: 1 };
  const values = [{ action: 'COMMENTED', comment }];
  const server = opened(
    await startServer((_, response) => answerJson(response, 200, { values, isLastPage: true, nextPageStart: null })),
  );
  const { pulls } = connect('Bitbucket Data Center', server.url);
  expect(await failureOf(pulls.say(1, marker, marker, never))).toMatchObject({
    class: 'rejected',
    code: 'unknown-self',
  });
  expect(server.got.map(({ method }) => method)).toEqual(['GET']);
});

test('Azure DevOps: a status is of what was pushed, or is not posted', async () => {
  const { server, pulls } = await start('Azure DevOps');
  server.pulls.open();
  const before = aPull(server);
  server.pulls.push(1, 'd'.repeat(40));
  await pulls.status(before, aStatus(), never);
  expect(server.heldOn(1)).toEqual({});
  const gone = pulls.status({ ...before, head: 'e'.repeat(40) }, aStatus(), never);
  expect(await failureOf(gone)).toMatchObject({ class: 'rejected', code: 'head-moved' });
});

test('Azure DevOps: who is denied the right may not write, whatever group they are in', async () => {
  const { server, pulls } = await start('Azure DevOps');
  server.pulls.open();
  server.pulls.writers.add('barred').add('ann');
  for (const author of ['barred', 'ann']) server.pulls.say(1, author, 'hello');
  await pulls.comments(1, 0, never);
  expect(await pulls.mayWrite('barred@example.com', never)).toBe(false);
  expect(await pulls.mayWrite('ann@example.com', never)).toBe(true);
  expect(await pulls.mayWrite('nobody@example.com', never)).toBe(false);
});

test('Azure DevOps: nobody writes under a name that another one has chosen', async () => {
  const { server, pulls } = await start('Azure DevOps');
  server.pulls.open();
  server.pulls.writers.add('ann');
  for (const author of ['unnamed', 'ann']) server.pulls.say(1, author, '/konverge approve prod-eu');
  const [theirs, anns] = await pulls.comments(1, 0, never);
  expect([theirs?.author, anns?.author]).toEqual([server.pulls.uuidOf('unnamed'), 'ann@example.com']);
  expect(await pulls.mayWrite(theirs?.author ?? '', never)).toBe(false);
  expect(await pulls.mayWrite(anns?.author ?? '', never)).toBe(true);
});

test('Azure DevOps: a comment of ours holds up no merge', async () => {
  const { server, pulls } = await start('Azure DevOps');
  server.pulls.open();
  await pulls.say(1, marker, marker, never);
  expect(JSON.parse(server.got.at(-1)?.body ?? '{}')).toMatchObject({ status: 'closed' });
});

test('GitHub: polling what does not change costs nothing of the limit', async () => {
  const { server, pulls } = await start('GitHub');
  for (let index = 0; index < 40; index += 1) server.pulls.open();
  await pulls.listOpen('main', never);
  for (let number = 1; number <= 40; number += 1) await pulls.comments(number, worldStart, never);
  const before = server.got.length;
  await pulls.listOpen('main', never);
  for (let number = 1; number <= 40; number += 1) await pulls.comments(number, worldStart, never);
  expect(server.got.length - before).toBe(41);
  expect(server.pulls.notModified).toBe(41);
});

test('the next page is asked of the configured host, whatever address the answer names', async () => {
  const pull = (number: number) => ({
    number,
    title: '',
    head: { sha: 'a'.repeat(40), repo: { id: 1 } },
    base: { ref: 'main', repo: { id: 1 } },
  });
  const server = opened(
    await startServer(({ url }, response) => {
      const isFirst = !url.includes('page=2');
      const link = '<https://elsewhere.example.com/steal?page=2>; rel="next"';
      answerJson(response, 200, [pull(isFirst ? 1 : 2)], isFirst ? { link } : {});
    }),
  );
  const listed = await connect('GitHub', server.url).pulls.listOpen('main', never);
  expect(listed.map(({ number }) => number)).toEqual([1, 2]);
  expect(server.got.map(({ url }) => url.replace(/\?.*/, ''))).toEqual(Array(2).fill('/repos/acme/gateway/pulls'));
});

test('a forge that goes on for ever is not followed for ever', async () => {
  const server = opened(
    await startServer((_, response) =>
      answerJson(response, 200, [], { link: '<https://x.example/?page=2>; rel=next' }),
    ),
  );
  expect(await connect('Gitea', server.url).pulls.listOpen('main', never)).toEqual([]);
  expect(server.got.length).toBeLessThan(100);
});

test('reads the links of a header', () => {
  expect(nextQuery('<https://a.example/x?page=1>; rel="prev", <https://a.example/x?page=3&a=b,c>; rel="next"')).toBe(
    '?page=3&a=b,c',
  );
  expect(nextQuery('</x?page=2>; title="rel"; rel="last next"')).toBe('?page=2');
  expect(nextQuery('<https://a.example/x?page=1>; rel="nextish"')).toBeNull();
  expect(nextQuery(undefined)).toBeNull();
});

test('takes of what others wrote only what can be what it says', () => {
  expect(commitId('A'.repeat(40))).toBe('a'.repeat(40));
  for (const text of ['abc', `${'a'.repeat(40)}\n`, '--upload-pack=x', null]) expect(commitId(text)).toBeNull();
  expect(branchRef('refs/heads/topic/a-1')).toBe('refs/heads/topic/a-1');
  expect(branchRef('ünïcode')).toBe('refs/heads/ünïcode');
  for (const text of ['-x', 'a b', 'a..b', 'a:b', 'a\nb', '/a', 'a/', 'a.lock', 'a//b', '.a', 'a@{1}', '', undefined]) {
    expect(branchRef(text)).toBeNull();
  }
  expect(pageUrl('https://forge.example.com/1')).toBe('https://forge.example.com/1');
  for (const text of ['javascript:alert(1)', 'https://me:pw@forge.example.com', '//x', null]) {
    expect(pageUrl(text)).toBeNull();
  }
});
