import type { Json } from '../model/json.ts';
import { kinds } from '../model/kinds.ts';
import type { Action, Change, FieldChange, Plan } from '../plan/plan.ts';
import { printable } from './source-line.ts';

/** The sign of an action, as it is known from diffs. */
export const signs: { readonly [A in Action]: string } = { create: '+', update: '~', delete: '-' };

/** The counts of a plan in a sentence: `1 to create, 2 to update, none to delete; 41 unchanged`. */
export function countsInWords({ summary }: Plan): string {
  const part = (count: number, verb: string) => `${count === 0 ? 'none' : count} to ${verb}`;
  return [
    [part(summary.create, 'create'), part(summary.update, 'update'), part(summary.delete, 'delete')].join(', '),
    `${summary.unchanged} unchanged`,
  ].join('; ');
}

/** Whether nothing is to be done. */
export function isEmptyPlan({ changes }: Plan): boolean {
  return changes.length === 0;
}

/** What a change is of: `route "orders" of service "shop"`. Control characters come escaped or blank. */
export function subjectOf({ kind, name, parent }: Change): string {
  const owner = parent === null ? '' : ` of ${kinds[parent.kind].label} ${quoted(parent.name)}`;
  return `${kinds[kind].label} ${quoted(name)}${owner}`;
}

/** How one field changes: `"/v1" → "/v2"`, `(nothing) → 5`, `changed (secret)`; of code, `changed (12 lines)`. */
export function fieldInWords(field: FieldChange): string {
  const from = field.from === undefined ? '(nothing)' : valueInWords(field.from);
  const to = field.to === undefined ? '(nothing)' : valueInWords(field.to);
  if (field.secret === true) {
    const what = field.code === undefined ? 'secret' : linesInWords(field.code.lines);
    if (field.from === undefined) return `set (${what})`;
    return field.to === undefined ? `removed (${what})` : `changed (${what})`;
  }
  return `${from} → ${to}`;
}

function linesInWords(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}

/** A longer value is cut here: what a reader needs is that it changed, and the JSON form has all of it. */
const longestValue = 120;

/** A value on one line. Text is quoted with its line breaks and control characters escaped. */
export function valueInWords(value: Json): string {
  const text = printable(JSON.stringify(value));
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}… (${text.length} characters)`;
}

function quoted(name: string): string {
  return printable(JSON.stringify(name));
}

/** A revision as people name it. */
export function shortRevision(revision: string | null): string {
  return revision === null ? 'the working tree' : revision.slice(0, 7);
}
