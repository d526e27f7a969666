import { type RolloutShape, RolloutWorld, service } from './rollout-world.ts';

const shape: RolloutShape = {
  emulators: { gateway: 'kong' },
  destinations: (url) => [`name: gateway, kong: { url: "${url('gateway')}" }`],
  review: 'interval: 30s',
};

/** A comment of ours, as the forge holds it. */
type Said = RolloutWorld['forge']['pulls']['comments'][number];

/** A branch with one service in force at one gateway, a daemon that reviews, and pull requests. */
export class ReviewWorld {
  readonly world: RolloutWorld;

  private constructor(world: RolloutWorld) {
    this.world = world;
  }

  static async open(more: Partial<RolloutShape> = {}, files = service('one.example.com')): Promise<ReviewWorld> {
    const world = await RolloutWorld.open({ ...shape, ...more });
    const opened = new ReviewWorld(world);
    const base = await world.repository.commit({ files });
    if (more.review?.includes('requireReviewedPlan') === true) await opened.approve('no review of a pull request');
    await world.applied(base, 'gateway');
    return opened;
  }

  /** A person approves the plan that is held for these words. */
  async approve(words: string): Promise<void> {
    const { plan } = await this.world.says('gateway', 'held', words);
    this.world.lane('gateway').approve(plan?.fingerprint ?? '');
  }

  /** Proposes files in a pull request. */
  async propose(
    files: Readonly<Record<string, string | null>>,
    more: Parameters<RolloutWorld['forge']['pulls']['open']>[0] = {},
  ): Promise<{ readonly number: number; readonly head: string }> {
    const { forge, repository } = this.world;
    const source = `topic/${forge.pulls.pulls.length + 1}`;
    await repository.setBranch(source, (await repository.tip()) ?? '');
    const head = await repository.commit({ branch: source, files });
    const { number } = forge.pulls.open({ head, source, ...more });
    await repository.git('update-ref', `refs/pull/${number}/head`, head);
    return { number, head };
  }

  /** Our comments on a pull request. */
  said(number: number): readonly Said[] {
    return this.world.forge.pulls.comments.filter((one) => one.number === number && one.author === 'konverge-bot');
  }

  /** What was said of a commit, oldest first: `success 1 to update`. */
  posted(head: string): readonly string[] {
    return this.world.forge.statuses
      .filter((one) => one.sha === head && one.context === 'konverge/plan')
      .map(({ state, description }) => `${state} ${description}`);
  }

  /** Waits until our comment has these words, and gives it. */
  async comment(number: number, words: string): Promise<string> {
    const holds = () => this.said(number)[0]?.body.includes(words) === true;
    await this.world.later(`a comment on #${number} with ${words}`, holds);
    return this.said(number)[0]?.body ?? '';
  }

  async close(): Promise<void> {
    await this.world.close();
  }
}
