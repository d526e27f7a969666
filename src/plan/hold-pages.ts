import type { Pages } from '../model/page.ts';
import type { Hold } from './plan.ts';

const approve =
  'If it is meant, approve the plan by its fingerprint: `konverge approve NAME FINGERPRINT` for what a daemon holds, `konverge apply --approve FINGERPRINT` without one.';

/** What each reason to hold a plan means; docs/operations.md has them all. */
export const holdPages: Pages<Hold['code']> = {
  'mass-delete': {
    what: 'The plan deletes more than `policy.maxDelete` lets through: more than its share of what is live in scope, and more than its number.',
    why: 'A lost folder, a wrong path or a bad merge looks exactly so. What goes along with a deleted parent counts as well.',
    fix: `See in the plan what would go, and commit what should stay. ${approve} To let more through at all times, raise \`policy.maxDelete\`.`,
  },
  'empty-target': {
    what: 'The files declare nothing, and the destination has something; or its DB-less nodes have nothing, and what they had before is not known.',
    why: 'Delivered, it would delete everything that is in scope; or what an older revision had would be lost without a trace.',
    fix: `Check \`repository.path\`, \`repository.branch\`, \`include\`, \`exclude\` and \`ignore\`. ${approve}`,
  },
  'last-of-kind': {
    what: 'The plan deletes all entities of a kind, and these are more than three.',
    why: 'A file that is no longer read often holds all of one kind: all consumers, say, or all certificates.',
    fix: `Commit the file again, or correct what keeps it from being read. ${approve}`,
  },
  'foreign-prune': {
    what: 'The plan deletes what no revision of the branch ever declared.',
    why: 'Somebody else may have made it, and may need it: this repository knows nothing of it.',
    fix: `Declare what should stay, or give it a tag of \`policy.protect\` or \`exclude.tags\` to have it left alone. ${approve} \`policy.adopt: true\` lets all such deletions through. A command that asks no history (\`plan\`, \`apply\`) holds nothing for this.`,
  },
  protected: {
    what: 'The plan deletes, at DB-less nodes, what carries a tag of `policy.protect`.',
    why: 'Such a node takes its configuration whole, so that what is not declared cannot be kept on it. Elsewhere it is kept.',
    fix: `Declare it, or take the tag away by a revision of its own. ${approve}`,
  },
  'not-pruned': {
    what: 'The plan deletes, at DB-less nodes, what `policy.prune: false` or `exclude` is to leave alone.',
    why: 'Such a node takes its configuration whole, so that nothing can be left alone on it.',
    fix: `Declare it, or have it deleted with \`prune: true\`. ${approve}`,
  },
  'scope-change': {
    what: 'The tags that bound what is owned (`select_tags`, or `tags` of the destination) change, and what is live with the old ones would be left behind.',
    why: 'What does not carry the new tags is neither seen nor changed nor pruned any more: it would go on serving, owned by nobody.',
    fix: `Delete it first, by a revision with the old tags; or give what is live the new tags as well. ${approve} What is left behind then stays until somebody deletes it by hand.`,
  },
  'plan-changed': {
    what: '`konverge apply --plan FILE` found another plan than the one in the file.',
    why: 'What was looked at is not what would be done: the files, the configuration or the destination changed since.',
    fix: 'Make the plan again with `konverge plan --out FILE`, look at it, and apply that.',
  },
  'not-reviewed': {
    what: 'With `review.requireReviewedPlan`, the plan is not the one that the review of a pull request showed, or no review showed one.',
    why: 'The destination or the branch changed since the review, or the commit came without a pull request.',
    fix: `Look at the plan and at what it says of the difference. ${approve}`,
  },
  unhealthy: {
    what: 'The revision was delivered and confirmed, and its probes say that it does not work.',
    why: '`policy.onUnhealthy: hold` leaves it in place and lets nothing that comes `after` this destination have it.',
    fix: 'Correct the files, or what stands behind Kong: the probes are asked on, and the hold ends when they answer rightly. To approve the plan is to say that it is good. `policy.onUnhealthy: rollback` takes such revisions back.',
  },
};
