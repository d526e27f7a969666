import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Location } from '../model/location.ts';
import { type HiddenPart, merged, sourceMask } from './mask-source.ts';
import { unreadMask } from './mask-unread.ts';
import { type Paint, painter } from './paint.ts';
import { printable, showLine } from './source-line.ts';

/** How diagnostics are shown to a person. */
export interface DiagnosticsTextOptions {
  /** The text of a file, so that lines can be shown; undefined where it is not at hand. */
  readonly sources: (file: string) => string | undefined;
  /** Places of secrets in a file beyond what is secret by the name of its key. */
  readonly secretsIn?: (file: string) => readonly Location[];
  /** Whether all of a file was read, so that `secretsIn` knows each of its values; true where it is left out. */
  readonly isRead?: (file: string) => boolean;
  readonly color: boolean;
  /** How many diagnostics are shown at most; the summary counts all. */
  readonly max?: number;
  /** How much was checked, for the line that sums up; left out of it where this is. */
  readonly checked?: Checked;
}

/** How much a validation looked at. */
export interface Checked {
  readonly entities: number;
  readonly files: number;
  /** How many destinations that was for; 1 where it was for none in particular. */
  readonly destinations: number;
}

/** How many places a diagnostic shows besides the first. */
const relatedShown = 8;

/**
 * Diagnostics as text: for each what is wrong, the source line with a caret, the places it conflicts with, and what to
 * do; then one line that sums up. No secret of a source line is shown.
 */
export function renderDiagnosticsText(diagnostics: readonly Diagnostic[], options: DiagnosticsTextOptions): string {
  const sheet: Sheet = {
    options,
    paint: painter(options.color),
    files: new Map(),
    unknownKeys: unknownKeys(diagnostics),
  };
  const groups = withNotesTogether(diagnostics);
  const shownGroups = groups.slice(0, options.max ?? groups.length);
  const shown = shownGroups.map(({ diagnostic }) => diagnostic);
  const parts = shownGroups.map(({ diagnostic, also }) => renderOne(diagnostic, also, sheet));
  const more = groups.slice(shownGroups.length).reduce((sum, { also }) => sum + 1 + also, 0);
  if (more > 0) parts.push(`${sheet.paint('bold', `… and ${more} more`)}\n`);
  const { checked } = options;
  const last = checked === undefined ? summaryLine(diagnostics) : checkedLine(checked, diagnostics);
  parts.push(checked === undefined ? `${last}\n${explanationLine(shown)}` : `${explanationLine(shown)}${last}\n`);
  return parts.join('\n');
}

/** A diagnostic, and how many others say the very same of other places. */
interface Group {
  readonly diagnostic: Diagnostic;
  readonly also: number;
}

/** Notes in the same words are one: they ask for nothing, and a repository has the same one in many files. */
function withNotesTogether(diagnostics: readonly Diagnostic[]): readonly Group[] {
  const groups: { readonly diagnostic: Diagnostic; also: number }[] = [];
  const notes = new Map<string, (typeof groups)[number]>();
  for (const diagnostic of diagnostics) {
    const key = JSON.stringify([diagnostic.rule, diagnostic.message, diagnostic.hint]);
    const same = diagnostic.severity === 'info' ? notes.get(key) : undefined;
    if (same !== undefined) {
      same.also += 1;
      continue;
    }
    const group = { diagnostic, also: 0 };
    groups.push(group);
    if (diagnostic.severity === 'info') notes.set(key, group);
  }
  return groups;
}

/** How to read more about what was shown. */
function explanationLine(shown: readonly Diagnostic[]): string {
  const rules = [...new Set(shown.map((diagnostic) => diagnostic.rule))];
  const [first] = rules;
  if (first === undefined) return '';
  return `For what ${rules.length === 1 ? 'it means' : 'one of them means'} and how to fix it: konverge explain ${rules.length === 1 ? first : 'RULE'}\n`;
}

/** `Checked 12 entities in 3 files: 2 errors and 1 warning in 2 files.` */
function checkedLine({ entities, files, destinations }: Checked, diagnostics: readonly Diagnostic[]): string {
  const summary = summaryLine(diagnostics);
  const found = `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
  const of = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  const where = destinations > 1 ? ` for ${destinations} destinations` : '';
  return `Checked ${of(entities, 'entity', 'entities')} in ${of(files, 'file', 'files')}${where}: ${found}`;
}

/** `2 errors and 1 warning in 2 files`, or that nothing was found. */
export function summaryLine(diagnostics: readonly Diagnostic[]): string {
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return count === 0 ? [] : [`${count} ${plural(severity, count)}`];
  });
  if (counts.length === 0) return 'No errors and no warnings.';
  const files = new Set(diagnostics.flatMap((diagnostic) => diagnostic.locations[0]?.file ?? []));
  const last = counts.pop() ?? '';
  const listed = counts.length === 0 ? last : `${counts.join(', ')} and ${last}`;
  return files.size === 0 ? `${listed}.` : `${listed} in ${files.size} ${files.size === 1 ? 'file' : 'files'}.`;
}

function plural(severity: Severity, count: number): string {
  switch (severity) {
    case 'error':
    case 'warning':
      return count === 1 ? severity : `${severity}s`;
    case 'info':
      return count === 1 ? 'note' : 'notes';
  }
}

/** What rendering one report needs; a file is gone through once. */
interface Sheet {
  readonly options: DiagnosticsTextOptions;
  readonly paint: Paint;
  readonly files: Map<string, SourceFile | undefined>;
  /** Places of keys that nobody knows, by file: their values may be secrets under a misspelt name. */
  readonly unknownKeys: ReadonlyMap<string, readonly Location[]>;
}

function renderOne(diagnostic: Diagnostic, also: number, sheet: Sheet): string {
  const { paint } = sheet;
  const [first, ...others] = diagnostic.locations;
  const related = others.slice(0, relatedShown);
  const width = String(diagnostic.locations.reduce((most, { line }) => Math.max(most, line), 1)).length;
  const word = diagnostic.severity === 'info' ? 'note' : diagnostic.severity;
  const heading = `${paint(diagnostic.severity, `${word}[${diagnostic.rule}]`)}${paint('bold', `: ${printable(diagnostic.message)}`)}`;
  const rows = [heading];
  if (first !== undefined)
    for (const one of renderPlace(first, '-->', '^', diagnostic.severity, width, sheet)) rows.push(one);
  for (const row of related.flatMap((location) => renderPlace(location, ':::', '-', 'gutter', width, sheet)))
    rows.push(row);
  const hidden = others.length - related.length + also;
  const margin = ' '.repeat(width);
  if (hidden > 0)
    rows.push(`${margin} ${paint('gutter', '=')} and ${hidden} more ${hidden === 1 ? 'place' : 'places'}`);
  if (diagnostic.hint !== '')
    rows.push(`${margin} ${paint('gutter', '=')} ${paint('bold', 'help')}: ${printable(diagnostic.hint)}`);
  return `${rows.join('\n')}\n`;
}

function renderPlace(
  location: Location,
  arrow: string,
  mark: string,
  ink: 'gutter' | Severity,
  width: number,
  sheet: Sheet,
): readonly string[] {
  const { paint } = sheet;
  const margin = ' '.repeat(width);
  const place = `${printable(location.file)}:${location.line}:${location.column}`;
  const heading = `${margin}${paint('gutter', arrow)} ${place}`;
  const source = sourceOf(location.file, sheet);
  const line = source?.lines[location.line - 1];
  if (source === undefined || line === undefined || isWholeFile(location)) return [heading];
  const end = location.endLine === location.line ? location.endColumn : line.trimEnd().length + 1;
  const shown = showLine(line, location.column, end, source.hidden(location.line));
  const bar = paint('gutter', '|');
  return [
    heading,
    `${margin} ${bar}`,
    `${paint('gutter', String(location.line).padStart(width))} ${bar} ${shown.text}`.trimEnd(),
    `${margin} ${bar} ${' '.repeat(shown.start)}${paint(ink, mark.repeat(shown.width))}`,
  ];
}

/** A place that names no value: only the file is meant. */
function isWholeFile(location: Location): boolean {
  return location.pointer === null && location.endLine === 1 && location.endColumn === 1;
}

/** A file as its lines are shown. */
interface SourceFile {
  readonly lines: readonly string[];
  /** What of a line must not be shown, worked out once. */
  readonly hidden: (line: number) => readonly HiddenPart[];
}

function sourceOf(file: string, sheet: Sheet): SourceFile | undefined {
  if (sheet.files.has(file)) return sheet.files.get(file);
  const text = sheet.options.sources(file);
  const source = text === undefined ? undefined : readSource(file, text.replace(/^\ufeff/, ''), sheet);
  sheet.files.set(file, source);
  return source;
}

function readSource(file: string, text: string, { options, unknownKeys }: Sheet): SourceFile {
  const lines = text.split(/\r\n|\n|\r/);
  // Where each value was judged by the place where it stands, those under keys that nobody knows were, too.
  const isJudged = options.secretsIn !== undefined && options.isRead?.(file) === true;
  const masks = [sourceMask(lines, options.secretsIn?.(file), isJudged ? [] : unknownKeys.get(file))];
  if (options.isRead?.(file) === false) masks.push(unreadMask(lines));
  const known = new Map<number, readonly HiddenPart[]>();
  const hidden = (line: number) => {
    const parts = known.get(line) ?? merged(masks.flatMap((mask) => mask(line)));
    known.set(line, parts);
    return parts;
  };
  return { lines, hidden };
}

/** Rules about keys that nobody knows. */
const unknownKeyRules: ReadonlySet<string> = new Set(['unknown-field', 'unknown-key']);

function unknownKeys(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, readonly Location[]> {
  const byFile = new Map<string, Location[]>();
  for (const { rule, locations } of diagnostics) {
    const place = unknownKeyRules.has(rule) ? locations[0] : undefined;
    if (place === undefined) continue;
    const places = byFile.get(place.file);
    if (places === undefined) byFile.set(place.file, [place]);
    else places.push(place);
  }
  return byFile;
}
