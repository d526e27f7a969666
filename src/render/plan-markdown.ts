import type { Change, Plan } from '../plan/plan.ts';
import { escapedMarkdown, fencedBlock } from './markdown-text.ts';
import { countsInWords, fieldInWords, isEmptyPlan, shortRevision, signs, subjectOf } from './plan-words.ts';
import { printable } from './source-line.ts';

/** How much detail one plan may take: a comment has a bound (GitHub's is 65,536 characters), and a reader too. */
const longestDetail = 12_000;

const mostWarnings = 20;

/** Plans as Markdown for a comment: a table of all, then the changes of each, folded. Ends in a line break. */
export function renderPlansMarkdown(plans: readonly Plan[]): string {
  const table = [
    '| destination | create | update | delete | unchanged | |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...plans.map(summaryRow),
  ];
  return `${[table.join('\n'), ...groupsOf(plans).flatMap(details)].join('\n\n')}\n`;
}

function summaryRow(plan: Plan): string {
  const { create, update, delete: gone, unchanged } = plan.summary;
  const state = plan.held === null ? (isEmptyPlan(plan) ? 'in place' : '') : `held: ${plan.held.code}`;
  return `| ${escapedMarkdown(plan.destination)} | ${create} | ${update} | ${gone} | ${unchanged} | ${state} |`;
}

/** Plans that say the same, with the names of their destinations. A held one is approved by itself. */
interface Group {
  readonly plan: Plan;
  readonly names: readonly string[];
}

function groupsOf(plans: readonly Plan[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const plan of plans) {
    const { destination, revision, changes, summary, warnings, held } = plan;
    const own = held === null ? '' : destination;
    const key = JSON.stringify([own, revision, changes, summary, warnings]);
    groups.set(key, { plan, names: [...(groups.get(key)?.names ?? []), destination] });
  }
  return [...groups.values()];
}

function details({ plan, names }: Group): readonly string[] {
  const shown = escapedMarkdown(listed(names));
  const blocks: string[] = [];
  if (plan.held !== null) {
    blocks.push(
      `**${shown} is held:** ${escapedMarkdown(plan.held.message)}. ${escapedMarkdown(plan.held.hint)}. Fingerprint: \`${plan.fingerprint}\``,
    );
  }
  if (plan.warnings.length > 0) {
    blocks.push(warningList(shown, plan.warnings));
  }
  if (isEmptyPlan(plan)) return blocks;
  const title = `${shown}: ${countsInWords(plan)} (${shortRevision(plan.revision)})`;
  return [...blocks, `<details><summary>${title}</summary>\n\n${changeList(plan.changes)}\n\n</details>`];
}

/** So many destinations are named. */
const mostNames = 4;

function listed(names: readonly string[]): string {
  const more = names.length - mostNames;
  return `${names.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function warningList(shown: string, warnings: readonly string[]): string {
  const lines = warnings.slice(0, mostWarnings).map((warning) => `- ⚠ ${shown}: ${escapedMarkdown(warning)}`);
  const rest = warnings.length - lines.length;
  return [...lines, ...(rest === 0 ? [] : [`- … and ${rest} more`])].join('\n');
}

/** The changes in a fenced block, in which nothing is markup, as many as there is room for. */
function changeList(changes: readonly Change[]): string {
  const lines: string[] = [];
  let size = 0;
  let shown = 0;
  for (const change of changes) {
    const block = changeLines(change);
    size += block.reduce((sum, line) => sum + line.length + 1, 0);
    if (size > longestDetail) break;
    for (const one of block) lines.push(one);
    shown += 1;
  }
  const rest = changes.length - shown;
  const more = rest === 0 ? [] : [`… and ${rest} more ${rest === 1 ? 'change' : 'changes'}`];
  return [fencedBlock(lines, 'diff'), ...more].join('\n');
}

/** A change with its place and its fields, in lines for a block of the language `diff`. */
export function changeLines(change: Change): readonly string[] {
  const place = change.location === null ? '' : ` (${change.location.file}:${change.location.line})`;
  const sign = change.action === 'update' ? '!' : signs[change.action];
  const fields = change.fields.map((field) => `    ${field.path}: ${fieldInWords(field)}`);
  return [`${sign} ${subjectOf(change)}${place}`, ...fields].map(printable);
}
