import type { RiskCode } from '../build/risk/codes.ts';
import type { RiskNote } from '../build/risk/risk.ts';
import type { Plan } from '../plan/plan.ts';

const code: RiskCode = 'deletes-held';

/** What a plan itself says of a risk: that it deletes, or leaves behind, more than may go without an approval. */
export function riskNotesOfPlan(plan: Plan | null): readonly RiskNote[] {
  const held = plan?.held ?? null;
  if (held === null || !isForDeletes(held.code)) return [];
  const hint = held.hint.charAt(0).toUpperCase() + held.hint.slice(1);
  return [
    {
      code,
      severity: 'danger',
      message: `It will be held: ${held.message}. ${hint}.`.replace(/\.\.$/, '.'),
      locations: [],
    },
  ];
}

/** Whether a plan is held for what it deletes or leaves behind. */
export function isForDeletes(held: NonNullable<Plan['held']>['code']): boolean {
  switch (held) {
    case 'mass-delete':
    case 'empty-target':
    case 'last-of-kind':
    case 'foreign-prune':
    case 'protected':
    case 'not-pruned':
    case 'scope-change':
      return true;
    case 'plan-changed':
    case 'not-reviewed':
    case 'unhealthy':
      return false;
  }
}
