import type { RiskNote } from '../build/risk/risk.ts';
import { findingsOf, risksOf } from './findings.ts';
import type { Review, ReviewedDestination, ReviewVerdict } from './review.ts';
import { countOf, firstOf } from './words.ts';

/** What the configuration has of verdicts (`review.fail`). */
export interface VerdictPolicy {
  /** Codes of risk notes, and severities, that make a review fail. */
  readonly fail: readonly string[];
}

/**
 * What `konverge/plan` says of a review: failure where the change is wrong (it conflicts, is invalid, or has a note that
 * the configuration makes fail), error where nothing is known of any destination, success with the counts otherwise.
 */
export function verdictOf(review: Review, policy: VerdictPolicy): ReviewVerdict {
  const { conflicts, destinations } = review;
  if (conflicts.length > 0) {
    const files = countOf(conflicts.length, 'file');
    return { state: 'failure', description: `does not merge: conflicts in ${files} (${firstOf(conflicts, 3)})` };
  }
  return (
    invalidity(review) ??
    refusedRisk(review, policy) ??
    unplanned(destinations) ?? { state: 'success', description: countsOf(review) }
  );
}

/** Whether a note makes a review fail. */
export function isFailing({ code, severity }: Pick<RiskNote, 'code' | 'severity'>, { fail }: VerdictPolicy): boolean {
  return fail.includes(code) || fail.includes(severity);
}

function invalidity(review: Review): ReviewVerdict | null {
  if (review.destinations.every(({ head }) => head.valid)) return null;
  const errors = findingsOf(review).filter(({ diagnostic }) => diagnostic.severity === 'error');
  const [first] = errors;
  if (first === undefined) return { state: 'failure', description: 'invalid' };
  const [place] = first.diagnostic.locations;
  const where = place === undefined ? '' : `${place.file}:${place.line} `;
  const more = errors.length > 1 ? ` (+${errors.length - 1} more)` : '';
  return { state: 'failure', description: `${where}${first.diagnostic.message}${more}` };
}

function refusedRisk(review: Review, policy: VerdictPolicy): ReviewVerdict | null {
  const failing = risksOf(review).filter(({ note }) => isFailing(note, policy));
  const [first] = failing;
  if (first === undefined) return null;
  const more = failing.length > 1 ? ` (+${failing.length - 1} more)` : '';
  return { state: 'failure', description: `${first.note.code}: ${first.note.message}${more}` };
}

/** Where nothing could be planned, nothing is known of what the change does. */
function unplanned(destinations: readonly ReviewedDestination[]): ReviewVerdict | null {
  const wanted = destinations.filter(({ checkedOnly }) => checkedOnly !== true);
  const [first] = wanted;
  if (first === undefined || destinations.some(({ plan }) => plan !== null)) return null;
  const where = wanted.length === 1 ? first.name : `${first.name} (+${wanted.length - 1} more)`;
  return { state: 'error', description: `nothing could be planned; ${where}: ${first.noPlan ?? 'no plan was made'}` };
}

/** `3 to create, 1 to update at 2 destinations; 1 will be held; 2 warnings`. */
function countsOf(review: Review): string {
  const { destinations } = review;
  if (destinations.length === 0) return 'no destination to plan for';
  const plans = destinations.map(({ plan }) => plan).filter((plan) => plan !== null);
  const total = (action: 'create' | 'update' | 'delete') =>
    plans.reduce((sum, { summary }) => sum + summary[action], 0);
  const counts = (['create', 'update', 'delete'] as const).flatMap((action) =>
    total(action) === 0 ? [] : [`${total(action)} to ${action}`],
  );
  const changed = plans.filter(({ changes }) => changes.length > 0).length;
  const held = plans.filter((plan) => plan.held !== null).length;
  const missing = destinations.length - plans.length;
  if (plans.length === 0) {
    const remark = isUnaccepted(review) ? `; ${unacceptedWords}` : '';
    return `valid for ${countOf(destinations.length, 'destination')}; not planned${remark}`;
  }
  const severities = risksOf(review).map(({ note }) => note.severity);
  const warnings =
    findingsOf(review).filter(({ diagnostic, known }) => diagnostic.severity === 'warning' && !known).length +
    severities.filter((severity) => severity === 'warning').length;
  const dangers = severities.filter((severity) => severity === 'danger').length;
  const untold = destinations.reduce((sum, { notCompared }) => sum + (notCompared?.length ?? 0), 0);
  return [
    counts.length === 0
      ? `nothing to do at ${countOf(plans.length, 'destination')}`
      : `${counts.join(', ')} at ${countOf(changed, 'destination')}`,
    ...(held === 0 ? [] : [`${held} will be held`]),
    ...(missing === 0 ? [] : [`no plan for ${missing}`]),
    ...(untold === 0 ? [] : [`${untold} not compared`]),
    ...(dangers === 0 ? [] : [countOf(dangers, 'danger')]),
    ...(warnings === 0 ? [] : [countOf(warnings, 'warning')]),
    ...(isUnaccepted(review) ? [unacceptedWords] : []),
  ].join('; ');
}

const unacceptedWords = 'the commit itself is not signed by an accepted key';

function isUnaccepted({ unaccepted = null }: Review): boolean {
  return unaccepted !== null;
}
