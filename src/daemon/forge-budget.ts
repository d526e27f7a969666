import type { ForgeSettings } from '../config/status.ts';
import type { PostBudget } from '../report/post-budget.ts';
import type { PostBudgets } from '../report/post-budgets.ts';

/** The budget that everything shares which posts to a forge in the same name. */
export function budgetOf(budgets: PostBudgets, settings: ForgeSettings): PostBudget {
  return budgets.of(settings.url, 'token' in settings ? settings.token : settings.app.id);
}
