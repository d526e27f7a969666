import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Forge, PostedStatus } from '../../src/forge/forge.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { asFailure, type FailureFacts } from '../../src/platform/failure.ts';
import { type ForgeEmulator, forgeToken, limitSeconds, type Trouble } from '../support/forges/emulator.ts';
import type { WorldPull } from '../support/forges/pull-world.ts';

/** A kind of forge, for the suite that all of them pass. */
export interface ForgeUnderTest {
  start(): Promise<ForgeEmulator>;
  /** A client with this token whose contexts begin with this prefix. */
  connect(url: string, token: string, context: string, clock?: Clock): Forge;
  /** The section of the configuration that its hints name. */
  readonly section: string;
  /** How its pull requests differ from others'. */
  readonly pulls: {
    /** A person as the forge names them. */
    author(name: string, server: ForgeEmulator): string;
    /** The ref under which Git serves a head. */
    headRef(pull: WorldPull): string | null;
    /** Whether its answers have entity tags. */
    readonly hasTags: boolean;
  };
}

const never = new AbortController().signal;
const sha = 'a'.repeat(40);
const longPrefix = `konverge-${'x'.repeat(51)}`;

/** The failure that something ends with; throws where it does not fail, or not so. */
export async function failureOf(promise: Promise<unknown>): Promise<FailureFacts> {
  const thrown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const failure = asFailure(thrown);
  if (failure === undefined) throw thrown ?? new Error('no failure');
  return failure.facts;
}

/** A status that a test posts. */
export function aStatus(more: Partial<PostedStatus> = {}): PostedStatus {
  return {
    revision: sha,
    context: 'konverge/edge',
    state: 'success',
    description: 'live on 2/2 nodes',
    targetUrl: 'https://konverge.example.com/revision',
    ...more,
  };
}

/** What every forge has to do, against an emulator that answers as its documentation says. */
export function forgeContract(name: string, under: ForgeUnderTest): void {
  describe(name, () => {
    let server: ForgeEmulator;
    let forge: Forge;
    const opened: Forge[] = [];
    const connect = (token = forgeToken, context = 'konverge') => {
      const one = under.connect(server.url, token, context);
      opened.push(one);
      return one;
    };

    beforeEach(async () => {
      server = await under.start();
      forge = connect();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await server.close();
    });

    test.each(['pending', 'success', 'failure', 'error'] as const)(
      '%s arrives, and is read as it was posted',
      async (state) => {
        await forge.post(aStatus({ state }), never);
        const { description, targetUrl } = aStatus();
        expect(server.held(sha)).toEqual({ 'konverge/edge': { state, description, targetUrl } });
        expect(await forge.list(sha, never)).toEqual([aStatus({ state })]);
      },
    );

    test('lists the newest of each context of its own prefix, and nothing of a commit without statuses', async () => {
      const other = connect(forgeToken, 'konverged');
      await forge.post(aStatus({ state: 'pending', description: 'being delivered' }), never);
      await forge.post(aStatus(), never);
      await forge.post(aStatus({ context: 'konverge', state: 'failure', targetUrl: null }), never);
      await other.post(aStatus({ context: 'konverged/edge' }), never);
      await other.post(aStatus({ context: 'ci' }), never);
      const listed = (await forge.list(sha, never)).map(({ context, state }) => `${context} ${state}`);
      expect(listed.sort()).toEqual(['konverge failure', 'konverge/edge success']);
      expect(await other.list(sha, never)).toEqual([aStatus({ context: 'konverged/edge' })]);
      expect(await forge.list('b'.repeat(40), never)).toEqual([]);
    });

    test('every way from one state to another arrives, the same state with another text too', async () => {
      const states = ['pending', 'success', 'failure', 'error'] as const;
      let number = 0;
      for (const from of states) {
        for (const to of states) {
          const context = `konverge/${from}-${to}`;
          number += 1;
          await forge.post(aStatus({ context, state: from, description: `first ${number}` }), never);
          await forge.post(aStatus({ context, state: to, description: `then ${number}` }), never);
          expect([context, server.held(sha)[context]]).toMatchObject([
            context,
            { state: to, description: `then ${number}` },
          ]);
        }
      }
    });

    test('the same status twice does no harm', async () => {
      await forge.post(aStatus({ state: 'pending' }), never);
      await forge.post(aStatus({ state: 'pending' }), never);
      await forge.post(aStatus({ state: 'pending' }), never);
      expect(await forge.list(sha, never)).toEqual([aStatus({ state: 'pending' })]);
    });

    test('reads every page of a long list', async () => {
      for (let index = 0; index < 105; index += 1) await forge.post(aStatus({ context: `konverge/d${index}` }), never);
      expect(new Set((await forge.list(sha, never)).map(({ context }) => context)).size).toBe(105);
    });

    test('a description is cut by code points to what the forge takes, and is one line', async () => {
      await forge.post(aStatus({ description: `a\n\tb ${'😀'.repeat(400)}` }), never);
      const held = server.held(sha)['konverge/edge']?.description ?? '';
      expect([...held]).toHaveLength(forge.descriptionLimit);
      expect(held.startsWith('a b 😀')).toBe(true);
      expect(held.endsWith('😀…')).toBe(true);
    });

    test('the longest contexts stay apart, and are read in full', async () => {
      const long = connect(forgeToken, longPrefix);
      const contexts = ['a', 'b'].map((end) => `${longPrefix}/${'d'.repeat(29)}${end}`);
      for (const context of contexts) await long.post(aStatus({ context }), never);
      expect((await long.list(sha, never)).map(({ context }) => context).sort()).toEqual(contexts);
    });

    test('a link has no user name and password, and one that is too long is left out', async () => {
      await forge.post(aStatus({ targetUrl: 'https://me:hush-hush@konverge.example.com/revision' }), never);
      expect(server.held(sha)['konverge/edge']?.targetUrl).toBe('https://konverge.example.com/revision');
      await forge.post(aStatus({ context: 'konverge', targetUrl: `https://example.com/${'x'.repeat(3000)}` }), never);
      expect(server.held(sha)['konverge']?.targetUrl).toBeNull();
      expect(JSON.stringify(server.got.map(({ url, body }) => [url, body]))).not.toMatch(/hush|7f3a/);
    });

    test.each<readonly [Trouble, RegExp]>([
      ['revoked', /(token|key) .*(wrong|needs|revoked)/],
      ['forbidden', /token|installation/],
      ['moved', /moved/],
    ])('%s is rejected, with a hint that names the key and no secret', async (trouble, hint) => {
      server.trouble = trouble;
      for (const call of [forge.post(aStatus(), never), forge.list(sha, never)]) {
        const facts = await failureOf(call);
        expect(facts).toMatchObject({ class: 'rejected', retryAfterMs: null });
        expect(facts.hint).toMatch(hint);
        expect(facts.hint).toContain(under.section);
        expect(JSON.stringify([facts.message, facts.hint, facts.url])).not.toContain(forgeToken);
      }
    });

    test('another token and a commit that the forge does not have are rejected', async () => {
      expect(await failureOf(connect('another-token').post(aStatus(), never))).toMatchObject({ class: 'rejected' });
      server.unknown.add(sha);
      expect(await failureOf(forge.post(aStatus(), never))).toMatchObject({ class: 'rejected' });
      expect(await failureOf(forge.list(sha, never))).toMatchObject({ class: 'rejected' });
    });

    test('a limit is waited out as long as the forge asks, or a minute', async () => {
      server.trouble = 'limited';
      const limited = { class: 'transient', code: 'rate-limited' };
      expect(await failureOf(forge.post(aStatus(), never))).toMatchObject({
        ...limited,
        retryAfterMs: limitSeconds * 1000,
      });
      server.trouble = 'limited-without-saying-how-long';
      expect(await failureOf(forge.list(sha, never))).toMatchObject({ ...limited, retryAfterMs: 60_000 });
    });

    test('a forge that is down is unreachable, and one that fails is tried again', async () => {
      server.trouble = 'down';
      expect(await failureOf(forge.post(aStatus(), never))).toMatchObject({ class: 'unreachable' });
      server.trouble = 'failing';
      expect(await failureOf(forge.list(sha, never))).toMatchObject({ class: 'transient' });
      server.trouble = null;
      await forge.post(aStatus(), never);
      expect(await forge.list(sha, never)).toEqual([aStatus()]);
    });

    test('a status whose answer was lost is found, and posting it again does no harm', async () => {
      server.loseAnswers = true;
      expect(await failureOf(forge.post(aStatus(), never))).toMatchObject({ class: 'unreachable' });
      server.loseAnswers = false;
      expect(await forge.list(sha, never)).toEqual([aStatus()]);
      await forge.post(aStatus(), never);
      expect(await forge.list(sha, never)).toEqual([aStatus()]);
    });
  });
}
