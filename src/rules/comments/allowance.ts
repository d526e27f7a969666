import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Location } from '../../model/location.ts';

/** A comment that switches a rule off for the entity written at a line. */
export interface Allowance {
  readonly rule: string;
  readonly file: string;
  /** The line, from 1, that the comment stands in or before. */
  readonly line: number;
  /** Where the comment is. */
  readonly location: Location;
}

/** What the comments of one file say. */
export interface ReadAllowances {
  readonly allowances: readonly Allowance[];
  readonly diagnostics: readonly Diagnostic[];
}

const marker = 'konverge:';
const comment = /(?:^|\s)#\s*konverge:\s*(.*?)\s*$/d;
const wellFormed = /^allow\s+([a-z]+(?:-[a-z]+)*(?:\s*,\s*[a-z]+(?:-[a-z]+)*)*)\s+because\s+\S/;

/**
 * The comments `# konverge: allow RULE because …` of a file's text. One that stands on a line of its own is about the
 * next line that is neither empty nor a comment; one behind something is about its own line. Whatever else a comment to
 * Konverge says is a warning, for it does not do what its author thinks.
 */
export function readAllowances(file: string, text: string): ReadAllowances {
  if (!text.includes(marker)) return { allowances: [], diagnostics: [] };
  const allowances: Allowance[] = [];
  const diagnostics: Diagnostic[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    if (!line.includes(marker)) continue;
    const found = comment.exec(line);
    const [start, end] = found?.indices?.[1] ?? [0, 0];
    if (found === null || isQuoted(line, found.index)) continue;
    const begin = line.indexOf('#', found.index);
    const location = place(file, index, begin, end);
    const said = line.slice(start, end);
    const [, names] = wellFormed.exec(said) ?? [];
    if (names === undefined) {
      diagnostics.push(malformed(said, location));
      continue;
    }
    const about = line.slice(0, begin).trim() === '' ? nextContent(lines, index) : index;
    for (const rule of names.split(/\s*,\s*/)) allowances.push({ rule, file, line: about + 1, location });
  }
  return { allowances, diagnostics };
}

/** Whether a place in a line lies in a quoted text, as far as the line alone can tell. */
function isQuoted(line: string, at: number): boolean {
  const before = line.slice(0, at).replace(/\\./g, '');
  const plain = before.replace(/'[^']*'|"[^"]*"/g, '');
  return /(?:^|[\s[{,:-])["'][^"']*$/.test(plain);
}

function nextContent(lines: readonly string[], index: number): number {
  for (let next = index + 1; next < lines.length; next += 1) if (!/^\s*(?:#.*)?$/.test(lines[next] ?? '')) return next;
  return index;
}

function place(file: string, index: number, start: number, end: number): Location {
  return { file, line: index + 1, column: start + 1, endLine: index + 1, endColumn: end + 1, pointer: null };
}

function malformed(said: string, location: Location): Diagnostic {
  const lacksReason = /^allow\s+[a-z-]+/.test(said);
  return {
    rule: 'invalid-allow',
    severity: 'warning',
    message: lacksReason
      ? 'This comment allows something and gives no reason, so it has no effect.'
      : 'This comment is none that Konverge understands, so it has no effect.',
    hint: 'Write "# konverge: allow RULE because REASON".',
    locations: [location],
    entities: [],
  };
}
