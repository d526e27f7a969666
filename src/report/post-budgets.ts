import { PostBudget } from './post-budget.ts';

/**
 * The budgets of one process: whatever posts to the same forge in the same name shares one, since that is how a forge
 * counts. Several repositories, branches and the reviews of their pull requests are no way around a limit.
 */
export class PostBudgets {
  readonly #known = new Map<string, PostBudget>();

  /** The budget of a forge's address and of what we sign in to it with. */
  of(url: string, identity: string): PostBudget {
    const key = JSON.stringify([url, identity]);
    const known = this.#known.get(key) ?? new PostBudget();
    this.#known.set(key, known);
    return known;
  }
}
