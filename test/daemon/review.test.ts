import { afterEach, describe, expect, it } from 'vitest';
import { ReviewWorld } from './review-world.ts';
import { type RolloutShape, type RolloutWorld, service } from './rollout-world.ts';

let world: RolloutWorld;
afterEach(() => world.close());

let pull: ReviewWorld;

async function start(more: Partial<RolloutShape> = {}, files = service('one.example.com')): Promise<void> {
  pull = await ReviewWorld.open(more, files);
  world = pull.world;
}

const propose: ReviewWorld['propose'] = (files, more) => pull.propose(files, more);
const said: ReviewWorld['said'] = (number) => pull.said(number);
const posted: ReviewWorld['posted'] = (head) => pull.posted(head);
const comment: ReviewWorld['comment'] = (number, words) => pull.comment(number, words);

describe('a pull request', () => {
  it('gets a status and one comment with the plan against what is live, and a new one as it changes', async () => {
    await start();
    const { number, head } = await propose(service('two.example.com'));
    await world.posted(head, 'plan', 'success', '1 to update at 1 destination');
    const body = await comment(number, 'two.example.com');
    expect(body).toContain('| gateway | 0 | 1 | 0 |');
    expect(body).toContain('service-destination-changed');
    expect(body).toContain(`/test/gateway/blob/${head}/gateway.yaml#L3`);

    const next = await world.repository.commit({
      branch: 'topic/1',
      files: service('one.example.com', 'consumers: [{ username: shop }]'),
    });
    world.forge.pulls.push(number, next);
    await world.posted(next, 'plan', 'success', '1 to create');
    await comment(number, 'shop');
    expect(said(number)).toHaveLength(1);
    expect(said(number)[0]?.body).not.toContain('two.example.com');
  });

  it('is told of destinations of which one would undo what the other delivers', async () => {
    const file = (name: string, tag: string) =>
      `_format_version: "3.0"\n_info: { select_tags: [${tag}] }\nservices: [{ name: ${name}, url: "http://a.internal" }]\n`;
    await start(
      {
        destinations: (url) =>
          ['gateway', 'other'].map(
            (name) => `name: ${name}, include: ["${name}/**"], kong: { url: "${url('gateway')}" }`,
          ),
      },
      { 'gateway/x.yaml': file('a', 'team-a'), 'other/x.yaml': file('b', 'team-b') },
    );
    const { number, head } = await propose({ 'other/x.yaml': file('b', 'team-a') });
    await world.posted(head, 'plan', 'failure', 'both own what is at');
    const body = await comment(number, 'overlapping-scope');
    expect(body).toContain('each would undo what the other delivers');
    expect(body).toContain('has no plan: the files are invalid');
  });

  it('is told of what a change of tags would leave behind', async () => {
    const file = (tag: string) => ({
      'gateway.yaml': `_format_version: "3.0"\n_info: { select_tags: [${tag}] }\nservices: [{ name: a, url: "http://a.internal" }]\n`,
    });
    await start({}, file('old'));
    const { number } = await propose(file('new'));
    const body = await comment(number, 'deletes-held');
    expect(body).toContain('1 entity with the old ones would be left behind');
  });

  it('is looked at as it would be after the merge, and again when the branch moves', async () => {
    await start(
      {},
      { ...service('one.example.com'), 'other.yaml': '_format_version: "3.0"\nconsumers: [{ username: shop }]\n' },
    );
    const { number, head } = await propose({ 'other.yaml': null });
    await world.posted(head, 'plan', 'success', '1 to delete');
    const moved = await world.repository.commit({
      files: service('two.example.com', 'consumers: [{ username: partner }]'),
    });
    await world.applied(moved, 'gateway');
    await world.pass(60_000);
    // What the branch has brought meanwhile is no part of the change.
    expect(said(number)[0]?.body).not.toContain('partner');
    await world.repository.commit({
      files: { 'other.yaml': '_format_version: "3.0"\nconsumers: [{ username: changed }]\n' },
    });
    await world.posted(head, 'plan', 'failure', 'does not merge: conflicts in 1 file (other.yaml)');
    await comment(number, 'other.yaml');
  });

  it('fails with file and line where it is invalid, and asks no destination anything', async () => {
    await start({ driftInterval: '1h' });
    const { reads } = world.kong('gateway').counters();
    const { head } = await propose(
      service('two.example.com', 'plugins: [{ name: rate-limitin, config: { minute: 5 } }]'),
    );
    await world.posted(head, 'plan', 'failure', 'gateway.yaml:4');
    expect(world.kong('gateway').counters().reads).toBe(reads);
  });

  it('has a verdict that changed told before any comment, and no comment edited for a branch that only moved', async () => {
    const file = (name: string, host: string) => ({
      [`${name}.yaml`]: `_format_version: "3.0"\nservices: [{ name: ${name}, host: ${host} }]\n`,
    });
    const names = ['a', 'b', 'c', 'd', 'e'];
    await start({}, Object.assign({}, ...names.map((name) => file(name, 'one.example.com'))));
    const proposed = new Map<string, { readonly number: number; readonly head: string }>();
    for (const name of names) proposed.set(name, await propose(file(name, 'two.example.com')));
    for (const { number } of proposed.values()) await comment(number, '1 to update');
    const before = world.forge.requests.length;
    const moved = await world.repository.commit({
      files: { ...file('d', 'three.example.com'), ...file('e', 'three.example.com') },
    });
    for (const name of ['d', 'e']) await comment(proposed.get(name)?.number ?? 0, 'does not merge');
    await world.applied(moved, 'gateway');
    await world.pass(120_000);
    const edits = [...proposed].map(([name, { number }]) => [name, said(number)[0]?.edits]);
    expect(Object.fromEntries(edits)).toEqual({ a: 0, b: 0, c: 0, d: 1, e: 1 });
    const sent = world.forge.requests.slice(before);
    const isOfReviews = (line: string) => names.some((name) => line.includes(proposed.get(name)?.head ?? '-'));
    const lastStatus = sent.findLastIndex((line) => line.startsWith('POST') && isOfReviews(line));
    expect(lastStatus).toBeGreaterThan(-1);
    expect(lastStatus).toBeLessThan(sent.findIndex((line) => line.startsWith('PATCH')));
  });

  it('may use a plugin that nothing used before', async () => {
    await start();
    const { number, head } = await propose(service('one.example.com', 'plugins: [{ name: cors }, { name: http-log }]'));
    await world.posted(head, 'plan', 'failure', 'http_endpoint');
    const next = await world.repository.commit({
      branch: 'topic/1',
      files: service('one.example.com', 'plugins: [{ name: cors }]'),
    });
    world.forge.pulls.push(number, next);
    await world.posted(next, 'plan', 'success', '1 to create');
  });

  it('is reviewed again when what is live has changed', async () => {
    await start({ policy: 'drift: report' });
    const { number } = await propose(service('two.example.com'));
    await comment(number, 'two.example.com');
    world.kong('gateway').request('PATCH', '/services/orders', { host: 'two.example.com' });
    await comment(number, 'nothing to do');
  });

  it('never edits its comment where only time has passed, nor after a restart posts its status again', async () => {
    await start();
    const { number, head } = await propose(service('two.example.com'));
    await comment(number, 'two.example.com');
    await world.pass(20 * 60_000);
    expect(said(number)[0]?.edits).toBe(0);
    expect(posted(head)).toHaveLength(1);
    await world.restart();
    await world.pass(5 * 60_000);
    expect(posted(head)).toHaveLength(1);
    expect(said(number)).toHaveLength(1);
  });
});

describe('what strangers propose', () => {
  it('from a fork is only checked, and not told what is live', async () => {
    await start({ policy: 'drift: report' });
    world.kong('gateway').request('PATCH', '/services/orders', { host: 'live.example.com' });
    await world.says('gateway', 'drifted', '');
    const { number, head } = await propose(service('two.example.com'), { from: 'fork' });
    await world.posted(head, 'plan', 'success', 'not planned');
    expect(await comment(number, 'only its files are checked')).not.toContain('live.example.com');
  });

  it('is planned or ignored where the configuration says so; bots and drafts as well', async () => {
    await start({ review: 'interval: 30s, forks: plan, bots: false, drafts: false' });
    const bot = await propose(service('two.example.com'), { isBot: true });
    const draft = await propose(service('two.example.com'), { isDraft: true });
    const fork = await propose(service('two.example.com'), { from: 'gone' });
    await world.posted(fork.head, 'plan', 'success', '1 to update');
    expect([...posted(bot.head), ...posted(draft.head), ...said(bot.number), ...said(draft.number)]).toEqual([]);
  });

  it('shows no value of the environment, whatever it asks for', async () => {
    const key = (name: string) =>
      `consumers: [{ username: shop, keyauth_credentials: [{ id: 8a1f2d7e-45a6-4d1f-9a51-3f2f8f3e7c11, key: '\${{ env "DECK_${name}" }}' }] }]`;
    await start(
      { env: { DECK_KEY: 'hush-key-one', DECK_OTHER: 'hush-key-two', GITHUB_TOKEN: 'hush-token' } },
      service('one.example.com', key('KEY')),
    );
    const same = await propose(service('two.example.com', key('KEY')));
    expect(await comment(same.number, 'two.example.com')).not.toContain('key-auth');
    const other = await propose(service(`'\${{ env "DECK_KEY" }}'`, key('OTHER')));
    expect(await comment(other.number, 'key-auth credential')).toContain('/key: changed (secret)');
    expect(JSON.stringify([world.forge.pulls.comments, world.forge.statuses, world.lines])).not.toContain('hush');
  });
});

describe('the merge', () => {
  it('that delivers another plan than the reviewed one says so, and is held where reviews are required', async () => {
    await start({ review: 'interval: 30s, requireReviewedPlan: true' });
    const direct = await world.repository.commit({ files: service('three.example.com') });
    await world.says('gateway', 'held', 'no review of a pull request');
    expect(world.status('gateway').revision).toBe(direct);
    await world.repository.commit({ files: service('one.example.com') });
    await world.says('gateway', 'applied', '');
    world.kong('gateway').request('PATCH', '/services/orders', { host: 'drift.example.com' });
    await world.restart();
    // Drift from what is in force needs no review, even where it was found after a restart.
    await world.says('gateway', 'applied', '');

    const { number, head } = await propose(service('two.example.com', 'consumers: [{ username: shop }]'));
    await comment(number, 'two.example.com');
    await world.pass(60_000);
    // Merged as one commit of another name.
    const squashed = await world.repository.commit({
      files: service('two.example.com', 'consumers: [{ username: shop }]'),
    });
    expect(squashed).not.toBe(head);
    await world.applied(squashed, 'gateway');

    const later = await propose(service('four.example.com', 'consumers: [{ username: shop }]'));
    await comment(later.number, 'four.example.com');
    world.forge.switches.down = true;
    world.lane('gateway').suspend();
    await world.says('gateway', 'suspended', '');
    world.kong('gateway').request('PATCH', '/services/orders', { retries: 3 });
    await world.repository.setBranch('main', later.head);
    await world.pass(30_000);
    world.lane('gateway').resume();
    await world.says('gateway', 'held', `this is not what the review of pull request ${later.number} showed`);
  });

  it('is known as reviewed after a restart, too', async () => {
    await start({ review: 'interval: 30s, requireReviewedPlan: true' });
    const { number, head } = await propose(service('two.example.com'));
    await comment(number, 'two.example.com');
    await world.stop();
    await world.repository.setBranch('main', head);
    await world.start();
    await world.applied(head, 'gateway');
  });
});

describe('commands in comments', () => {
  const emptying = { 'gateway.yaml': '_format_version: "3.0"\nservices: [{ name: orders, host: one.example.com }]\n' };

  it('of people who may write are carried out: an approval lets the merged plan through', async () => {
    await start(
      { review: 'interval: 30s, commands: true', policy: 'maxDelete: { share: 1%, atLeast: 0 }' },
      service('one.example.com'),
    );
    const { pulls } = world.forge;
    pulls.writers.add('ann');
    const { number, head } = await propose(emptying);
    expect(await comment(number, 'will be held')).toContain('deletes-held');
    const at = world.clock.now();
    pulls.say(number, 'eve', '/konverge approve gateway', { at: at + 1 });
    pulls.say(number, 'ann', 'I would say:\n> /konverge approve gateway\n```\n/konverge approve gateway\n```', {
      at: at + 2,
    });
    await world.pass(120_000);
    expect(world.lines.join('\n')).toContain('may not write');
    expect(world.lines.join('\n')).not.toContain('a plan was approved');
    pulls.say(number, 'ann', 'Fine.\r\n/konverge approve gateway\r\n', { at: world.clock.now() });
    await world.later('the approval', () => world.lines.join('\n').includes('a plan was approved'));
    await world.repository.setBranch('main', head);
    await world.applied(head, 'gateway');
  });

  it('are text like any other where they are not enabled', async () => {
    await start({ policy: 'maxDelete: { share: 1%, atLeast: 0 }' });
    world.forge.pulls.writers.add('ann');
    const { number, head } = await propose(emptying);
    await comment(number, 'will be held');
    world.forge.pulls.say(number, 'ann', '/konverge approve gateway', { at: world.clock.now() });
    await world.pass(120_000);
    await world.repository.setBranch('main', head);
    await world.says('gateway', 'held', 'would be deleted');
  });
});
