import type { Change, Plan } from '../plan/plan.ts';
import { escapedMarkdown, fencedBlock } from '../render/markdown-text.ts';
import { changeLines } from '../render/plan-markdown.ts';
import { countsInWords } from '../render/plan-words.ts';
import type { CommentOptions } from './comment.ts';
import type { CommentWriter } from './comment-writer.ts';
import type { Review } from './review.ts';
import { countOf, firstOf } from './words.ts';

/** More lines than this are folded. */
const mostUnfolded = 12;
/** Fields of one change that are shown. */
const mostFields = 40;
/** Changes with more room than this left for others are cut. */
const leastRoom = 600;

/**
 * The changes of each destination, in a block in which nothing is markup, folded when long. Destinations with the same
 * changes share one. Each has its fair share of the room that is left, and of that the deletes come first.
 */
export function writeChanges(writer: CommentWriter, review: Review, options: CommentOptions): void {
  const groups = groupsOf(review);
  for (const [index, { plans, names }] of groups.entries()) {
    const [plan] = plans;
    if (plan === undefined) continue;
    const share = Math.floor(writer.room / (groups.length - index));
    const title = `${escapedMarkdown(firstOf(names, 4))}: ${countsInWords(plan)}`;
    if (share < leastRoom) {
      writer.omit(`${countOf(plan.changes.length, 'change')} at ${firstOf(names, 4)}`);
      continue;
    }
    const { lines, left } = fitting(plan.changes, share - title.length - 200);
    const more = left === 0 ? [] : [`… and ${countOf(left, 'more change')}`];
    if (left > 0) writer.omit(`${countOf(left, 'change')} at ${firstOf(names, 4)}`);
    const block = [fencedBlock(lines, 'diff'), ...more].join('\n\n');
    const isLong = lines.length > mostUnfolded;
    const text =
      options.folds && isLong
        ? `<details><summary>${title}</summary>\n\n${block}\n\n</details>`
        : `**${title}**\n\n${block}`;
    writer.block(text, `the changes at ${firstOf(names, 4)}`);
  }
}

interface Group {
  readonly names: string[];
  readonly plans: Plan[];
}

/** Plans with changes, those with the same ones together. */
function groupsOf({ destinations }: Review): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { name, plan } of destinations) {
    if (plan === null || plan.changes.length === 0) continue;
    const key = JSON.stringify([plan.changes, plan.summary]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { names: [name], plans: [plan] });
    else {
      known.names.push(name);
      known.plans.push(plan);
    }
  }
  return [...groups.values()];
}

/** As many changes as there is room for, deletes before updates before creates where not all fit. */
function fitting(
  changes: readonly Change[],
  room: number,
): { readonly lines: readonly string[]; readonly left: number } {
  const all = changes.map(linesOf);
  const size = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (all.reduce((sum, lines) => sum + size(lines), 0) <= room) return { lines: all.flat(), left: 0 };
  const rank = { delete: 0, update: 1, create: 2 } as const;
  const order = changes
    .map((change, at) => ({ change, at }))
    .sort((a, b) => rank[a.change.action] - rank[b.change.action] || a.at - b.at);
  const shown = new Set<number>();
  let used = 0;
  for (const { at } of order) {
    const more = size(all[at] ?? []);
    if (used + more > room) break;
    used += more;
    shown.add(at);
  }
  return { lines: all.filter((_, at) => shown.has(at)).flat(), left: changes.length - shown.size };
}

function linesOf(change: Change): readonly string[] {
  const [subject = '', ...fields] = changeLines(change);
  const rest = fields.length - mostFields;
  return [subject, ...fields.slice(0, mostFields), ...(rest > 0 ? [`    … and ${countOf(rest, 'more field')}`] : [])];
}
