import { createHash } from 'node:crypto';
import type { Change, Plan } from '../plan/plan.ts';
import { subjectOf } from '../render/plan-words.ts';

/** One change of a plan as it is remembered: enough to tell whether another plan makes the same one. No secret. */
export interface PrintedChange {
  /** `create routes orders`. */
  readonly words: string;
  /** A part of the SHA-256 of the change. */
  readonly digest: string;
}

/** More changes than this are remembered as their number and one digest of all. */
const mostChanges = 500;

/** What is remembered of a plan that was reviewed. */
export interface PlanPrint {
  readonly changes: readonly PrintedChange[];
  /** Of the changes in any order. */
  readonly digest: string;
  readonly count: number;
}

/**
 * What a plan does, free of what a review cannot know: the values of secrets and of the environment, and ids, which
 * the plan of a review may have derived otherwise.
 */
export function planPrint(plan: Plan): PlanPrint {
  const changes = plan.changes.map((change) => ({
    words: `${change.action} ${subjectOf(change)}`,
    digest: digestOf(JSON.stringify(comparable(change))),
  }));
  changes.sort((a, b) => (a.words < b.words ? -1 : 1));
  const digest = digestOf(changes.map((change) => change.digest).join('\n'));
  return { changes: changes.slice(0, mostChanges), digest, count: changes.length };
}

/** What a plan does that the reviewed one did not, and the other way round, in words; empty where they do the same. */
export function planDifferences(reviewed: PlanPrint, now: PlanPrint): readonly string[] {
  if (reviewed.digest === now.digest) return [];
  const before = new Map(reviewed.changes.map((change) => [change.words, change.digest]));
  const after = new Map(now.changes.map((change) => [change.words, change.digest]));
  const found: string[] = [];
  for (const [words, digest] of after) {
    const was = before.get(words);
    if (was === undefined) found.push(`${words} was not in it`);
    else if (was !== digest) found.push(`${words} is another one`);
  }
  for (const words of before.keys()) if (!after.has(words)) found.push(`${words} is missing`);
  return found.length > 0 ? found : [`it had ${reviewed.count} changes, and now there are ${now.count} others`];
}

function comparable(change: Change): readonly unknown[] {
  const { action, kind, name, parent, fields } = change;
  return [
    action,
    kind,
    name,
    parent?.kind ?? null,
    parent?.name ?? null,
    fields.map(({ path, from, to, secret, code }) => {
      if (code !== undefined) return [path, code.digest];
      return secret === true ? [path, 'secret'] : [path, from, to];
    }),
  ];
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
