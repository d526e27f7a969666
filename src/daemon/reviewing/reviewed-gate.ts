import type { MakePlan } from '../../lane/survey.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Hold, Plan, PlannedDelivery } from '../../plan/plan.ts';
import { planDifferences, planPrint } from '../../review/plan-print.ts';
import type { ReviewedPlans } from './reviewed-plans.ts';
import { treeKey } from './tree-key.ts';

/** How many revisions are remembered with their files. */
const mostRevisions = 100;

/** The files of the newest revisions. */
export class RevisionTrees {
  readonly #known = new Map<string, string>();

  /** Notes the files of a revision. */
  note(snapshot: Snapshot): void {
    const { revision } = snapshot;
    if (revision === null || this.#known.has(revision)) return;
    this.#known.set(revision, treeKey(snapshot));
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= mostRevisions) return;
      this.#known.delete(oldest);
    }
  }

  /** The name of a revision's files, or null. */
  of(revision: string | null): string | null {
    return revision === null ? null : (this.#known.get(revision) ?? null);
  }
}

/** What the merge gate of one destination is made with. */
export interface GateWorld {
  readonly reviewed: ReviewedPlans;
  readonly trees: RevisionTrees;
  /** Whether a revision goes out only as it was reviewed. */
  readonly isRequired: boolean;
}

/** How many differences are named. */
const mostNamed = 3;

/**
 * Compares each plan with the one that a review of the same files showed. What differs is a warning of the plan, or,
 * where the review is required, holds it. An approval on the pull request lets through what was approved there. What
 * corrects drift was never reviewed and is not compared.
 */
export function comparedWithReview(make: MakePlan, world: GateWorld): MakePlan {
  return (request) => {
    const delivery = make(request);
    const { plan } = delivery;
    const tree = world.trees.of(plan.revision);
    if (tree === null) return delivery;
    if (plan.changes.length === 0) world.reviewed.confirm(plan.destination, tree);
    if (world.reviewed.isInForce(plan.destination, tree)) return delivery;
    const reviewed = world.reviewed.of(tree);
    const shown = reviewed?.plans[plan.destination];
    if (reviewed === undefined || shown === undefined) {
      return world.isRequired ? held(delivery, notReviewed) : delivery;
    }
    const where = `the review of pull request ${reviewed.number}`;
    const differences = planDifferences(shown, planPrint(plan));
    if (differences.length > 0) return differing(delivery, where, differences, world.isRequired);
    if (world.isRequired && !reviewed.passed) return held(delivery, notPassed(where));
    const isApproved = reviewed.approvals[plan.destination] !== undefined;
    return isApproved && plan.held !== null ? { ...delivery, plan: { ...plan, held: null } } : delivery;
  };
}

const notReviewed: Hold = {
  code: 'not-reviewed',
  message: 'no review of a pull request showed a plan for these files',
  hint: 'Merge by a pull request whose review has passed; or approve this plan by its fingerprint.',
};

function notPassed(where: string): Hold {
  return {
    code: 'not-reviewed',
    message: `${where} did not pass`,
    hint: 'Correct it in another pull request; or approve this plan by its fingerprint.',
  };
}

function differing(
  delivery: PlannedDelivery,
  where: string,
  differences: readonly string[],
  isRequired: boolean,
): PlannedDelivery {
  const named = differences.slice(0, mostNamed).join('; ');
  const more = differences.length > mostNamed ? `; and ${differences.length - mostNamed} more` : '';
  const message = `this is not what ${where} showed: ${named}${more}`;
  if (isRequired) {
    const hint = 'What is live has changed since. Look at this plan, and approve it by its fingerprint.';
    return held(delivery, { code: 'not-reviewed', message, hint });
  }
  const plan: Plan = { ...delivery.plan, warnings: [...delivery.plan.warnings, message] };
  return { ...delivery, plan };
}

/** What holds a plan for another reason is said first. */
function held(delivery: PlannedDelivery, hold: Hold): PlannedDelivery {
  return { ...delivery, plan: { ...delivery.plan, held: delivery.plan.held ?? hold } };
}
