import { afterEach, describe, expect, it } from 'vitest';
import type { ForgeSwitches } from '../support/forge-server.ts';
import { ReviewWorld } from './review-world.ts';
import { service } from './rollout-world.ts';

let pull: ReviewWorld;
afterEach(() => pull.close());

const hour = 3_600_000;
const consumer = (name: string) => ({
  'other.yaml': `_format_version: "3.0"\nconsumers: [{ username: ${name} }]\n`,
});

const posts = (request: string) => !request.startsWith('GET');
const comments = (request: string) => request.includes('/comments');

/** What a forge does in each trouble, from a moment on. */
const troubles: Readonly<Record<string, (switches: ForgeSwitches) => void>> = {
  'does not answer': (switches) => {
    switches.down = true;
  },
  'has had too many requests': (switches) => {
    switches.limited = { status: 403, headers: { 'retry-after': '1800' }, message: 'secondary rate limit' };
  },
  'says that the limit is used up': (switches) => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 900) };
    switches.limited = { status: 429, headers, message: 'API rate limit exceeded' };
  },
  'has revoked the token': (switches) => {
    switches.limited = { status: 401, headers: {}, message: 'Bad credentials' };
  },
  'has moved the repository': (switches) => {
    const headers = { location: 'https://api.github.com/repositories/1/pulls' };
    switches.limited = { status: 301, headers, message: 'Moved Permanently' };
  },
  'has no such repository': (switches) => {
    switches.limited = { status: 404, headers: {}, message: 'Not Found' };
  },
  'fails within': (switches) => {
    switches.limited = { status: 502, headers: {}, message: 'Bad Gateway' };
  },
  'lets nothing be written': (switches) => {
    switches.limited = { status: 403, headers: {}, message: 'Resource not accessible', of: posts };
  },
  'has revoked the token between two requests': (switches) => {
    switches.limited = { status: 401, headers: {}, message: 'Bad credentials', of: posts };
  },
  'fails for comments only': (switches) => {
    switches.limited = { status: 500, headers: {}, message: 'Server Error', of: comments };
  },
};

describe('a forge that for an hour', () => {
  for (const [what, begin] of Object.entries(troubles)) {
    it(`${what} delays no delivery, and gets the newest review of each pull request afterwards, once`, async () => {
      pull = await ReviewWorld.open();
      const { world } = pull;
      const { switches } = world.forge;
      begin(switches);
      const first = await pull.propose(service('two.example.com'));
      const second = await pull.propose(service('three.example.com'));
      const moved = await world.repository.commit({ files: consumer('shop') });
      await world.applied(moved, 'gateway');
      await world.pass(hour / 2);
      const pushed = await world.repository.commit({
        branch: 'topic/1',
        files: {
          ...service('four.example.com'),
          'third.yaml': '_format_version: "3.0"\nconsumers: [{ username: four }]\n',
        },
      });
      world.forge.pulls.push(first.number, pushed);
      const later = await world.repository.commit({ files: consumer('partner') });
      await world.applied(later, 'gateway');
      await world.pass(hour / 2);
      const before = pull.posted(first.head);
      Object.assign(switches, { down: false, limited: null });
      // Whatever wait was under way has ended by then.
      await world.pass(hour / 2);
      await pull.comment(first.number, 'four.example.com');
      await pull.comment(second.number, 'three.example.com');
      expect(pull.posted(pushed)).toEqual(['success 1 to create, 1 to update at 1 destination; 1 warning']);
      expect(pull.posted(second.head)).toEqual(['success 1 to update at 1 destination; 1 warning']);
      // The commit that was replaced meanwhile gets nothing any more.
      expect(pull.posted(first.head)).toEqual(before);
      for (const { number } of [first, second]) expect(pull.said(number)).toMatchObject([{ edits: 0 }]);
    });
  }
});

describe('what one pull request is in trouble for', () => {
  it('keeps no other one from being reviewed, and is told once the forge takes it', async () => {
    pull = await ReviewWorld.open();
    const { world } = pull;
    const locked = await pull.propose(service('two.example.com'));
    const { switches } = world.forge;
    const of = (request: string) => request.startsWith('POST') && request.includes(`/issues/${locked.number}/comments`);
    switches.limited = { status: 403, headers: {}, message: 'Unable to create comment because issue is locked', of };
    const other = await pull.propose(service('three.example.com'));
    await pull.comment(other.number, 'three.example.com');
    await world.pass(hour);
    expect(pull.said(locked.number)).toEqual([]);
    expect(pull.posted(locked.head)).toHaveLength(1);
    const tries = world.forge.requests.filter(of).length;
    expect(tries).toBeLessThan(25);
    switches.limited = null;
    await pull.comment(locked.number, 'two.example.com');
    expect(pull.posted(locked.head)).toHaveLength(1);
  });

  it('does not slow down the others, though the forge fails for it again and again', async () => {
    pull = await ReviewWorld.open();
    const { world } = pull;
    const { switches } = world.forge;
    const of = (request: string) => /\/issues\/[123]\/comments/.test(request);
    switches.limited = { status: 500, headers: {}, message: 'Server Error', of };
    const broken = [];
    for (const host of ['a', 'b', 'c']) broken.push(await pull.propose(service(`${host}.example.com`)));
    await pull.propose(service('four.example.com'));
    await pull.comment(4, 'four.example.com');
    await world.pass(hour);
    const since = world.clock.now();
    const five = await pull.propose(service('five.example.com'));
    await pull.comment(five.number, 'five.example.com');
    expect(world.clock.now() - since).toBeLessThan(120_000);
    switches.limited = null;
    for (const { number } of broken) await pull.comment(number, 'example.com');
  });

  it('is said where its commit cannot be fetched, once, and the next commit is reviewed', async () => {
    pull = await ReviewWorld.open();
    const { world } = pull;
    const gone = world.forge.pulls.open({ head: 'd'.repeat(40), from: 'fork' });
    const other = await pull.propose(service('three.example.com'));
    await pull.comment(other.number, 'three.example.com');
    await pull.comment(gone.number, 'cannot be fetched');
    await world.repository.commit({ files: consumer('shop') });
    await world.pass(hour);
    expect(pull.posted(gone.head)).toEqual(['error could not be reviewed: its commit ddddddd cannot be fetched']);
    expect(pull.said(gone.number)).toMatchObject([{ edits: 0 }]);
    const next = await pull.propose(service('four.example.com'));
    world.forge.pulls.push(gone.number, next.head);
    await pull.comment(gone.number, 'four.example.com');
  });

  it('is over when it is closed: what was left half told is ended', async () => {
    pull = await ReviewWorld.open();
    const { world } = pull;
    const { switches, pulls } = world.forge;
    switches.loseAnswers = true;
    const { number, head } = await pull.propose(service('two.example.com'));
    await world.later('the status', () => pull.posted(head).length > 0);
    const state = { sha: head, context: 'konverge/plan', state: 'pending', description: 'under way', target_url: null };
    await world.pass(1_000);
    Object.assign(pulls.pull(number) ?? {}, { isOpen: false });
    // As a check run is that was not completed.
    (world.forge.statuses as (typeof state)[]).push(state);
    switches.loseAnswers = false;
    await world.later('its end', () => pull.posted(head).at(-1) === 'error closed before its review was told');
    await world.pass(hour / 4);
    expect(pull.posted(head).at(-1)).toBe('error closed before its review was told');
  });
});

describe('a pull request whose base changes', () => {
  it('is told where it went, as it goes, and reviewed as it comes', async () => {
    pull = await ReviewWorld.open();
    const { world } = pull;
    const { pulls } = world.forge;
    const away = await pull.propose(service('two.example.com'));
    const here = await pull.propose(service('three.example.com'), { base: 'release' });
    await pull.comment(away.number, 'two.example.com');
    expect(pull.said(here.number)).toEqual([]);
    Object.assign(pulls.pull(away.number) ?? {}, { base: 'release' });
    Object.assign(pulls.pull(here.number) ?? {}, { base: 'main' });
    await pull.comment(here.number, 'three.example.com');
    await world.repository.commit({ files: service('five.example.com') });
    await pull.comment(here.number, 'does not merge');
    await world.pass(120_000);
    expect(pull.said(away.number)).toMatchObject([{ edits: 1 }]);
    expect(pull.said(away.number)[0]?.body).toContain(
      'No longer reviewed against `main`\n\nIt asks to be merged into `release` now.',
    );
    Object.assign(pulls.pull(away.number) ?? {}, { base: 'main' });
    await pull.comment(away.number, 'does not merge');
    expect(pull.said(away.number)).toMatchObject([{ edits: 2 }]);
  });

  it('is told where it went also after a restart, but not over what another has said since, nor where it was closed', async () => {
    pull = await ReviewWorld.open();
    const { world } = pull;
    const { pulls } = world.forge;
    const all = [];
    for (const host of ['two', 'three', 'four']) all.push(await pull.propose(service(`${host}.example.com`)));
    const [away, taken, closed] = all.map(({ number }) => number);
    for (const { number } of all) await pull.comment(number, 'example.com');
    await world.stop();
    for (const number of [away, taken]) Object.assign(pulls.pull(number ?? 0) ?? {}, { base: 'release' });
    Object.assign(pulls.pull(closed ?? 0) ?? {}, { isOpen: false });
    const [other] = pull.said(taken ?? 0);
    Object.assign(other ?? {}, { body: '<!-- konverge:review -->\nreviewed against release' });
    await world.start();
    await pull.comment(away ?? 0, 'No longer reviewed against `main`');
    await world.pass(120_000);
    expect([taken, closed].map((number) => pull.said(number ?? 0))).toMatchObject([[{ edits: 0 }], [{ edits: 0 }]]);
  });
});
