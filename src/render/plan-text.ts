import type { Action, Change, Plan } from '../plan/plan.ts';
import { type Ink, type Paint, painter } from './paint.ts';
import { countsInWords, fieldInWords, isEmptyPlan, shortRevision, signs, subjectOf } from './plan-words.ts';
import { printable } from './source-line.ts';

const inks: { readonly [A in Action]: Ink } = { create: 'good', update: 'warning', delete: 'error' };

/** Plans for people at a terminal, one after the other, ending in a line break. */
export function renderPlansText(plans: readonly Plan[], options: { readonly color: boolean }): string {
  const paint = painter(options.color);
  return plans.map((plan) => `${planLines(plan, paint).join('\n')}\n`).join('\n');
}

function planLines(plan: Plan, paint: Paint): readonly string[] {
  const head = paint('bold', `${plan.destination}: plan for ${shortRevision(plan.revision)}`);
  const notes = [
    ...plan.warnings.map((warning) => `${paint('warning', 'warning:')} ${printable(warning)}`),
    ...(plan.held === null
      ? []
      : [
          `${paint('error', `held (${plan.held.code}):`)} ${printable(plan.held.message)}`,
          `  ${plan.held.hint}`,
          `  fingerprint: ${plan.fingerprint}`,
        ]),
  ];
  if (isEmptyPlan(plan)) return [head, `no changes; ${plan.summary.unchanged} unchanged`, ...notes];
  return [head, ...plan.changes.flatMap((change) => changeLines(change, paint)), countsInWords(plan), ...notes];
}

function changeLines(change: Change, paint: Paint): readonly string[] {
  const place = change.location === null ? '' : `  ${printable(change.location.file)}:${change.location.line}`;
  return [
    `  ${paint(inks[change.action], `${signs[change.action]} ${subjectOf(change)}`)}${paint('gutter', place)}`,
    ...change.fields.map((field) => `      ${printable(field.path)}: ${fieldInWords(field)}`),
  ];
}
