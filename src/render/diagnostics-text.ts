import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Location } from '../model/location.ts';
import { hiddenParts, merged } from './mask-source.ts';
import { unreadParts } from './mask-unread.ts';
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
    lines: new Map(),
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
function checkedLine({ entities, files }: Checked, diagnostics: readonly Diagnostic[]): string {
  const summary = summaryLine(diagnostics);
  const found = `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
  const of = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  return `Checked ${of(entities, 'entity', 'entities')} in ${of(files, 'file', 'files')}: ${found}`;
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

/** What rendering one report needs; lines of a file are split once. */
interface Sheet {
  readonly options: DiagnosticsTextOptions;
  readonly paint: Paint;
  readonly lines: Map<string, readonly string[] | undefined>;
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
  const lines = linesOf(location.file, sheet);
  const line = lines?.[location.line - 1];
  if (lines === undefined || line === undefined || isWholeFile(location)) return [heading];
  const end = location.endLine === location.line ? location.endColumn : line.trimEnd().length + 1;
  const known = sheet.options.secretsIn?.(location.file);
  const hidden = hiddenParts(lines, location.line, known, sheet.unknownKeys.get(location.file));
  const unread = sheet.options.isRead?.(location.file) === false ? unreadParts(lines, location.line) : [];
  const shown = showLine(line, location.column, end, merged([...hidden, ...unread]));
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

function linesOf(file: string, sheet: Sheet): readonly string[] | undefined {
  if (!sheet.lines.has(file)) {
    sheet.lines.set(
      file,
      sheet.options
        .sources(file)
        ?.replace(/^\ufeff/, '')
        .split(/\r\n|\n|\r/),
    );
  }
  return sheet.lines.get(file);
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
