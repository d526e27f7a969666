import { afterEach, describe, expect, it } from 'vitest';
import { ReviewWorld } from './review-world.ts';
import { service } from './rollout-world.ts';

let pull: ReviewWorld;
afterEach(() => pull.close());

const emptying = { 'gateway.yaml': '_format_version: "3.0"\nservices: [{ name: orders, host: one.example.com }]\n' };

/** A pull request whose plan will be held, reviewed; ann may write. */
async function held(): Promise<{ readonly number: number; readonly head: string }> {
  const review = 'interval: 30s, commands: true';
  pull = await ReviewWorld.open({ review, policy: 'maxDelete: { share: 1%, atLeast: 0 }' });
  pull.world.forge.pulls.writers.add('ann');
  const proposed = await pull.propose(emptying);
  await pull.comment(proposed.number, 'will be held');
  await pull.world.pass(2_000);
  return proposed;
}

/** Somebody says something now. */
const say = (number: number, author: string, body: string) =>
  pull.world.forge.pulls.say(number, author, body, { at: pull.world.clock.now() });

/** The answers that our comment ends with. */
function answers(number: number): readonly string[] {
  const [, end = ''] = pull.said(number)[0]?.body.split('#### Commands') ?? [];
  return end.split('\n').filter((line) => line.startsWith('- '));
}

async function answered(number: number, words: string): Promise<void> {
  await pull.world.later(`an answer with ${words}`, () => answers(number).some((line) => line.includes(words)));
}

describe('a command in a comment is answered', () => {
  it('with what was done, and for whom; still after a restart, which repeats nothing', async () => {
    const { number, head } = await held();
    say(number, 'ann', '/konverge approve gateway');
    await answered(number, 'approved for gateway');
    const [line = ''] = answers(number);
    expect(line).toContain('`/konverge approve gateway` (ann): approved for gateway: 1 change, as the review of');
    expect(line).toContain(head.slice(0, 7));
    // Whatever else the comment has to say is said by then.
    await pull.world.pass(60_000);
    const edits = pull.said(number)[0]?.edits;
    await pull.world.restart();
    await pull.world.pass(5 * 60_000);
    expect(answers(number)).toEqual([line]);
    expect(pull.said(number)).toMatchObject([{ edits }]);
    expect(pull.world.lines.filter((one) => one.includes('a plan was approved'))).toHaveLength(1);
    await pull.world.repository.setBranch('main', head);
    await pull.world.applied(head, 'gateway');
  });

  it('with why it was refused, and nothing is done then', async () => {
    const { number, head } = await held();
    say(number, 'eve', '/konverge approve gateway');
    say(number, 'eve', '/konverge approve gateway');
    say(number, 'ann', '/konverge approve nowhere');
    await answered(number, 'there is no destination nowhere');
    expect(answers(number)).toEqual([
      '- `/konverge approve gateway` (eve): refused, since that takes the right to write to this repository',
      '- `/konverge approve nowhere` (ann): not approved: there is no destination nowhere',
    ]);
    await pull.world.repository.setBranch('main', head);
    await pull.world.says('gateway', 'held', 'would be deleted');
  });

  it('after a restart, where it was written while nothing ran', async () => {
    const { number, head } = await held();
    await pull.world.stop();
    say(number, 'ann', '/konverge approve gateway');
    await pull.world.start();
    await answered(number, 'approved for gateway');
    await pull.world.repository.setBranch('main', head);
    await pull.world.applied(head, 'gateway');
  });

  it('though another one of the same second was answered before', async () => {
    const { number } = await held();
    const at = Math.ceil(pull.world.clock.now() / 1000) * 1000;
    const { pulls } = pull.world.forge;
    pulls.say(number, 'ann', '/konverge plan', { at });
    await answered(number, 'the destinations were asked');
    pulls.say(number, 'ann', '/konverge approve gateway', { at });
    await answered(number, 'approved for gateway');
    expect(answers(number)).toHaveLength(2);
  });

  it('by a refusal where the plan was shown only after it was written', async () => {
    const { number } = await held();
    const written = pull.world.clock.now();
    const next = await pull.world.repository.commit({
      branch: 'topic/1',
      files: { 'gateway.yaml': '_format_version: "3.0"\nconsumers: [{ username: shop }]\n' },
    });
    pull.world.forge.pulls.push(number, next);
    await pull.comment(number, 'shop');
    pull.world.forge.pulls.say(number, 'ann', '/konverge approve gateway', { at: written });
    await answered(number, 'renewed after that was written');
    say(number, 'ann', '/konverge approve gateway');
    await answered(number, 'approved for gateway');
  });

  it('by a refusal where another commit was pushed that was not reviewed yet', async () => {
    const { number } = await held();
    const next = await pull.world.repository.commit({ branch: 'topic/1', files: service('two.example.com') });
    pull.world.forge.pulls.push(number, next);
    say(number, 'ann', '/konverge approve gateway');
    await answered(number, `${next.slice(0, 7)} was not reviewed then`);
  });
});

it('what was said before the pull request was seen first counts from when it could be seen', async () => {
  pull = await ReviewWorld.open({ review: 'interval: 30s, commands: true' });
  const { world } = pull;
  world.forge.pulls.writers.add('ann');
  await world.pass(120_000);
  const { number } = await pull.propose(service('two.example.com'));
  // Between two looks, as people do who open one.
  say(number, 'ann', '/konverge plan');
  await answered(number, 'the destinations were asked');
});

it('two forges with pull requests of one number have approvals of their own', async () => {
  const { ReviewedPlans } = await import('../../src/daemon/reviewing/reviewed-plans.ts');
  const { silentLog } = await import('../../src/platform/log.ts');
  const { temporaryFolder } = await import('../support/folder.ts');
  pull = await ReviewWorld.open();
  const folder = await temporaryFolder();
  try {
    const plans = await ReviewedPlans.open(`${folder.path}/plans.json`, silentLog);
    const plan = { changes: [], digest: 'd', count: 0 };
    const common = { number: 7, head: 'h', at: 1, passed: true, plans: { gateway: plan } };
    plans.keep({ ...common, tree: 'one', forge: 'a' });
    plans.keep({ ...common, tree: 'other', forge: 'b' });
    const approval = { number: 7, head: 'h', destination: 'gateway', by: 'ann', at: 2 };
    expect(plans.approve({ ...approval, forge: 'a' })).toEqual({ outcome: 'approved', changes: 0 });
    expect(plans.of('one')?.approvals).toEqual({ gateway: 'ann' });
    expect(plans.of('other')?.approvals).toEqual({});
    expect(plans.approve({ ...approval, forge: 'c' })).toEqual({ outcome: 'no-plan' });
    await plans.close();
  } finally {
    await folder.remove();
  }
});
