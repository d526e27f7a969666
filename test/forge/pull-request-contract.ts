import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommitStatus, Forge } from '../../src/forge/forge.ts';
import type { PullRequest, PullRequests } from '../../src/forge/pull-requests.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { type ForgeEmulator, forgeToken, limitSeconds, type Trouble } from '../support/forges/emulator.ts';
import { worldStart } from '../support/forges/pull-world.ts';
import { aStatus, type ForgeUnderTest, failureOf } from './contract.ts';

const never = new AbortController().signal;
const marker = '<!-- konverge:plan:main -->';
const stranger = 'mallory';

/** What every forge's pull requests have to do, against an emulator that answers as its documentation says. */
export function pullRequestContract(name: string, under: ForgeUnderTest): void {
  describe(`${name}: pull requests`, () => {
    let server: ForgeEmulator;
    let forge: Forge;
    let clock: VirtualClock;
    const opened: Forge[] = [];
    const connect = (token = forgeToken) => {
      const one = under.connect(server.url, token, 'konverge', clock);
      opened.push(one);
      return one;
    };
    const of = (one: Forge): PullRequests => {
      if (one.pullRequests === undefined) throw new Error('it has no pull requests');
      return one.pullRequests;
    };
    const say = (body: string, one = forge) => of(one).say(1, marker, `${marker}\n${body}`, never);
    const ours = () => server.pulls.comments.filter(({ author }) => author === server.pulls.self);
    const writes = () => server.got.filter(({ method, url }) => method !== 'GET' && !url.startsWith('/app/')).length;
    const aPull = (more: Partial<PullRequest> = {}): PullRequest => {
      const head = server.pulls.pull(1)?.head ?? '';
      const plain = { number: 1, title: '', author: '', isBot: false, isFork: false, isDraft: false };
      return { ...plain, head, base: 'main', headRef: 'refs/heads/topic/1', url: null, ...more };
    };

    beforeEach(async () => {
      server = await under.start();
      clock = new VirtualClock(worldStart);
      forge = connect();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await server.close();
    });

    test('lists what is open against the branch, over all pages and nothing else', async () => {
      for (let index = 0; index < 130; index += 1) {
        server.pulls.open(index % 13 === 12 ? { base: index % 2 === 0 ? 'main-2' : 'release/1' } : {});
      }
      const closed = server.pulls.pull(5);
      if (closed !== undefined) closed.isOpen = false;
      const expected = server.pulls.openOn('main').map(({ number }) => number);
      expect(expected).toHaveLength(119);
      expect((await of(forge).listOpen('main', never)).map(({ number }) => number)).toEqual(expected);
      const release = await of(forge).listOpen('release/1', never);
      expect(new Set(release.map(({ base }) => base))).toEqual(new Set(['release/1']));
      expect(await of(forge).listOpen('nobody', never)).toEqual([]);
    });

    test('tells forks, bots and drafts, where the head is and where people look', async () => {
      server.pulls.open();
      server.pulls.open({ from: 'fork', isDraft: true });
      server.pulls.open({ from: 'gone' });
      const bot = name === 'GitLab' ? 'project_17_bot_5' : 'renovate';
      server.pulls.open({ isBot: true, author: bot, title: '<b>`x`</b> @everyone\u202e' });
      const listed = await of(forge).listOpen('main', never);
      expect(listed.map(({ isFork, isBot, isDraft }) => [isFork, isBot, isDraft])).toEqual([
        [false, false, false],
        [true, false, true],
        [true, false, false],
        [false, true, false],
      ]);
      expect(listed.map(({ headRef }) => headRef)).toEqual(server.pulls.pulls.map(under.pulls.headRef));
      expect(listed.map(({ head }) => head)).toEqual(server.pulls.pulls.map(({ head }) => head));
      expect(listed[0]).toMatchObject({ title: 'change 1', author: under.pulls.author('ann', server), base: 'main' });
      expect(listed[3]?.title).toBe('<b>`x`</b> @everyone\u202e');
      for (const { url, number } of listed) expect(url).toMatch(new RegExp(`^https?://.+/${number}$`));
    });

    test('asks again under the condition of the last answer, and sees what is new', async () => {
      for (let index = 0; index < 120; index += 1) server.pulls.open();
      await of(forge).listOpen('main', never);
      const first = server.got.length;
      expect(await of(forge).listOpen('main', never)).toHaveLength(120);
      const again = server.got.length - first;
      expect(server.pulls.notModified).toBe(under.pulls.hasTags ? again : 0);
      server.pulls.push(120, 'd'.repeat(40));
      server.pulls.open();
      const listed = await of(forge).listOpen('main', never);
      expect(listed.slice(-2).map(({ number, head }) => [number, head])).toEqual([
        [120, 'd'.repeat(40)],
        [121, server.pulls.pull(121)?.head],
      ]);
      if (under.pulls.hasTags) expect(server.pulls.notModified).toBeGreaterThan(again);
    });

    test('sees what comes after a page that was full', async () => {
      for (let index = 0; index < 100; index += 1) server.pulls.open();
      expect(await of(forge).listOpen('main', never)).toHaveLength(100);
      server.pulls.open();
      expect(await of(forge).listOpen('main', never)).toHaveLength(101);
      for (let index = 0; index < 100; index += 1) server.pulls.say(1, 'ann', 'hello');
      expect(await of(forge).comments(1, worldStart, never)).toHaveLength(100);
      server.pulls.say(1, 'ann', 'hello');
      expect(await of(forge).comments(1, worldStart, never)).toHaveLength(101);
    });

    test('our comment is made once, edited in place, and left alone when nothing changes', async () => {
      server.pulls.open();
      await say('one');
      await say('one');
      expect(writes()).toBe(1);
      await say('two');
      expect(writes()).toBe(2);
      const requests = server.got.length;
      await say('two');
      expect(server.got).toHaveLength(requests);
      expect(ours().map(({ body, edits }) => [body, edits])).toEqual([[`${marker}\ntwo`, 1]]);
    });

    test('our comment is found again after a restart, among many and on any page', async () => {
      server.pulls.open();
      for (let index = 0; index < 120; index += 1) server.pulls.say(1, stranger, `hello ${index}`);
      await say('| a |\n| - |\n| b |\n');
      for (let index = 0; index < 120; index += 1) server.pulls.say(1, stranger, `hello again ${index}`);
      const before = writes();
      await say('| a |\n| - |\n| b |\n', connect());
      expect(writes()).toBe(before);
      await say('two', connect());
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\ntwo`]);
    });

    test('tells where one that is open asks to be merged into', async () => {
      server.pulls.open({ base: 'release/1' });
      server.pulls.open({ isOpen: false });
      expect(await Promise.all([1, 2, 3].map((number) => of(forge).base(number, never)))).toEqual([
        'release/1',
        null,
        null,
      ]);
    });

    test('our comment is changed by what it says, and none is made', async () => {
      server.pulls.open();
      const amend = (to: string | null, one = forge) =>
        of(one).amend(1, marker, (body) => (body.includes('one') ? to : null), never);
      server.pulls.say(1, stranger, `${marker}\none`);
      expect(await amend(`${marker}\ntwo`)).toBe(false);
      expect(writes()).toBe(0);
      await say('one');
      expect(await amend(null)).toBe(false);
      expect(await amend(`${marker}\ntwo`, connect())).toBe(true);
      expect(await amend(`${marker}\nthree`)).toBe(false);
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\ntwo`]);
      await say('one');
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\none`]);
    });

    test('a stranger’s comment with our marker is not ours', async () => {
      server.pulls.open();
      const theirs = server.pulls.say(1, stranger, `${marker}\nall is well`);
      await say('two creates');
      await say('three creates', connect());
      expect(theirs).toMatchObject({ body: `${marker}\nall is well`, edits: 0 });
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\nthree creates`]);
    });

    test('each marker has a comment of its own, and a body without its marker gets it', async () => {
      server.pulls.open();
      const other = '<!-- konverge:plan:other -->';
      await say('one');
      await of(forge).say(1, other, 'without', never);
      await of(connect()).say(1, other, 'still without', never);
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\none`, `${other}\nstill without`]);
    });

    test('calls at the same time make one comment', async () => {
      server.pulls.open();
      await Promise.all([say('one'), say('two'), say('three')]);
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\nthree`]);
    });

    test('a comment that somebody removed is made again', async () => {
      server.pulls.open();
      await say('one');
      server.pulls.remove(ours()[0]?.id ?? 0);
      await say('two');
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\ntwo`]);
    });

    test('a comment whose answer was lost is not made twice, though the forge lists it late', async () => {
      server.pulls.open();
      server.pulls.say(1, stranger, 'hello');
      server.loseAnswers = true;
      expect(await failureOf(say('one'))).toMatchObject({ class: 'unreachable' });
      server.loseAnswers = false;
      server.pulls.lag = 1;
      const doubt = await failureOf(say('two'));
      expect(doubt).toMatchObject({ class: 'transient', code: 'comment-in-doubt' });
      expect(doubt.retryAfterMs).toBeGreaterThan(0);
      await say('two');
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\ntwo`]);
    });

    test('a comment that was never made, though nobody knew, is made when the doubt is over', async () => {
      server.pulls.open();
      await of(forge).comments(1, 0, never);
      server.trouble = 'down';
      expect(await failureOf(say('one'))).toMatchObject({ class: 'unreachable' });
      server.trouble = null;
      server.loseAnswers = true;
      await failureOf(say('one'));
      server.pulls.remove(ours()[0]?.id ?? 0);
      server.loseAnswers = false;
      expect(await failureOf(say('one'))).toMatchObject({ code: 'comment-in-doubt' });
      await clock.advance(31_000);
      await say('one');
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\none`]);
    });

    test('an edit whose answer was lost is made good', async () => {
      server.pulls.open();
      await say('one');
      server.loseAnswers = true;
      expect(await failureOf(say('two'))).toMatchObject({ class: 'unreachable' });
      server.loseAnswers = false;
      await say('three');
      await say('two');
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\ntwo`]);
    });

    test('a comment that is edited by somebody else in between is edited all the same', async () => {
      server.pulls.open();
      await say('one');
      server.pulls.edit(ours()[0]?.id ?? 0, `${marker}\nsomething else`);
      await say('two');
      expect(ours().map(({ body }) => body)).toEqual([`${marker}\ntwo`]);
    });

    test('the longest comment is taken, and a longer one is not sent', async () => {
      server.pulls.open();
      const limit = of(forge).commentLimit;
      const room = limit - marker.length - 1;
      await say('x'.repeat(room));
      expect(ours()[0]?.body).toHaveLength(limit);
      const requests = server.got.length;
      expect(await failureOf(say('x'.repeat(room + 1)))).toMatchObject({ class: 'rejected', code: 'comment-too-long' });
      expect(server.got).toHaveLength(requests);
      expect(server.pulls.refused).toBe(0);
    });

    test('the status of a review is where the merge rules look, for what is proposed now', async () => {
      server.pulls.open();
      const status: CommitStatus = aStatus({ context: 'konverge/plan', revision: 'f'.repeat(40), state: 'failure' });
      await of(forge).status(aPull(), status, never);
      const { description, targetUrl } = status;
      expect(server.heldOn(1)).toEqual({ 'konverge/plan': { state: 'failure', description, targetUrl } });
      await of(forge).status(aPull(), { ...status, state: 'success' }, never);
      expect(server.heldOn(1)).toMatchObject({ 'konverge/plan': { state: 'success' } });
      server.pulls.push(1, 'd'.repeat(40));
      expect(server.heldOn(1)).toEqual({});
      await of(forge).status(aPull({ isFork: true, headRef: null }), status, never);
      expect(server.heldOn(1)).toMatchObject({ 'konverge/plan': { state: 'failure' } });
    });

    test('reads what others said since an instant, oldest first', async () => {
      server.pulls.open();
      server.pulls.open();
      const at = worldStart + 60_000;
      server.pulls.say(1, 'ann', '/konverge plan', { at: at - 5000 });
      server.pulls.say(1, 'ann', 'in a file', { at, isInFile: true });
      await say('ours');
      server.pulls.say(2, 'ann', 'elsewhere', { at });
      server.pulls.say(1, 'forge', 'ann pushed', { at, isSystem: true });
      const first = server.pulls.say(1, 'ann', '/konverge approve prod-eu', { at });
      const second = server.pulls.say(1, stranger, '/konverge approve prod-eu', { at: at + 1000 });
      const read = await of(forge).comments(1, at, never);
      expect(read.map(({ author, body, at: when }) => ({ author, body, at: when }))).toEqual(
        [first, second].map((one) => ({ author: under.pulls.author(one.author, server), body: one.body, at: one.at })),
      );
      expect(new Set(read.map(({ id }) => id)).size).toBe(2);
      expect(await of(forge).comments(1, at + 2000, never)).toEqual([]);
      for (let index = 0; index < 130; index += 1) server.pulls.say(1, 'ann', `${index}`, { at: at + 5000 + index });
      const many = await of(forge).comments(1, at + 4000, never);
      expect(many.map(({ body }) => body)).toEqual(Array.from({ length: 130 }, (_, index) => String(index)));
    });

    test('knows who may write to the repository', async () => {
      server.pulls.open();
      server.pulls.writers.add('ann');
      server.pulls.readers.add('anna').add('reader');
      for (const author of ['ann', 'reader', stranger, 'an', 'n']) server.pulls.say(1, author, 'hello');
      const said = await of(forge).comments(1, 0, never);
      const may = await Promise.all(said.map(({ author }) => of(forge).mayWrite(author, never)));
      expect(may).toEqual([true, false, false, false, false]);
    });

    const calls = (one: Forge): readonly (() => Promise<unknown>)[] => [
      () => of(one).listOpen('main', never),
      () => say('one', one),
      () => of(one).status(aPull(), aStatus(), never),
      () => of(one).comments(1, 0, never),
      () => of(one).mayWrite(`ann {${server.pulls.uuidOf('ann')}}`, never),
    ];

    test.each<readonly [Trouble, RegExp]>([
      ['revoked', /(token|key) .*(wrong|needs|revoked)/],
      ['forbidden', /token|installation/],
      ['moved', /moved/],
    ])('%s is rejected, with a hint that names the key and no secret', async (trouble, hint) => {
      server.pulls.open();
      server.trouble = trouble;
      for (const call of calls(forge)) {
        const facts = await failureOf(call());
        expect(facts).toMatchObject({ class: 'rejected', retryAfterMs: null });
        expect(facts.hint).toMatch(hint);
        expect(facts.hint).toContain(under.section);
        expect(JSON.stringify([facts.message, facts.hint, facts.url])).not.toContain(forgeToken);
      }
      expect(server.pulls.comments).toEqual([]);
    });

    test('limits are waited out, and a forge that is down or fails is tried again', async () => {
      server.pulls.open();
      const expected = [
        ['limited', { class: 'transient', code: 'rate-limited', retryAfterMs: limitSeconds * 1000 }],
        ['limited-without-saying-how-long', { class: 'transient', code: 'rate-limited', retryAfterMs: 60_000 }],
        ['failing', { class: 'transient' }],
        ['down', { class: 'unreachable' }],
      ] as const;
      for (const [trouble, facts] of expected) {
        server.trouble = trouble;
        for (const call of calls(forge)) expect(await failureOf(call())).toMatchObject(facts);
      }
      server.trouble = null;
      for (const call of calls(forge)) await call();
      expect(ours()).toHaveLength(1);
    });

    test('a call that is cut ends with the reason', async () => {
      server.pulls.open();
      const reason = new Error('stopped');
      const signal = AbortSignal.abort(reason);
      await expect(of(forge).listOpen('main', signal)).rejects.toBe(reason);
      await expect(of(forge).say(1, marker, 'x', signal)).rejects.toBe(reason);
    });
  });
}
