import { EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml';
import type { Diagnostic } from '../model/diagnostic.ts';
import { fileLocation } from '../model/location.ts';
import { Composer } from './compose.ts';
import { tooDeep } from './compose-findings.ts';
import { decode } from './decode.ts';
import { Findings } from './findings.ts';
import { looksForeign } from './foreign.ts';
import { defaultManifestLimits, type ManifestLimits } from './limits.ts';
import { ParsedDocument } from './parsed-document.ts';
import { trimEnd } from './scan.ts';
import type { SourceText } from './source-text.ts';
import { syntaxFinding } from './syntax-findings.ts';
import { type Masked, maskTemplates } from './template-mask.ts';

/** What one file holds. */
export interface ParsedFile {
  readonly documents: readonly ParsedDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The documents of one YAML or JSON file, in order; those that are empty or null are left out. A document with an error
 * is left out too, and so is all that follows a syntax error; what stands before it is kept. Never throws.
 */
export function parseFile(file: string, bytes: Uint8Array, limits: ManifestLimits = defaultManifestLimits): ParsedFile {
  const findings = new Findings(limits.findingsPerFile);
  if (bytes.length > limits.fileBytes) {
    findings.add(
      {
        rule: 'file-too-large',
        message: `This file has ${bytes.length} bytes; at most ${limits.fileBytes} are read.`,
        hint: 'Split the file, or leave it out with an `ignore` pattern.',
      },
      fileLocation(file),
    );
    return { documents: [], diagnostics: findings.list };
  }
  const source = decode(file, bytes, findings);
  const documents = source === null || looksForeign(source, findings) ? [] : readDocuments(source, limits, findings);
  return { documents, diagnostics: findings.list };
}

function readDocuments(source: SourceText, limits: ManifestLimits, findings: Findings): readonly ParsedDocument[] {
  if (hasTooManyValues(source, limits, findings)) return [];
  const masked = maskTemplates(source.text);
  const events = readEvents(source, masked, limits, findings);
  let count = 0;
  let places = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) count += 1;
    else if (event.type !== EVENT_ID.POP) places += 1;
  }
  if (count > limits.documentsPerFile) {
    findings.add(
      {
        rule: 'yaml-limit',
        message: `This file holds ${count} documents; at most ${limits.documentsPerFile} are read.`,
        hint: 'Split the file.',
      },
      fileLocation(source.file),
    );
    return [];
  }
  const composer = new Composer(source, masked, limits, findings, places);
  return composer
    .compose(events)
    .map((composed, index) => ({ ...composed, index }))
    .filter(({ value, broken }) => value !== null && !broken)
    .map(({ value, root, index }) => new ParsedDocument(source, index, value, composer.places, root));
}

/**
 * Whether a text would take the parser too much memory. Counted before it is parsed, and so from the outside: nearly
 * every value has a comma, an opening bracket or a line of its own.
 */
function hasTooManyValues(source: SourceText, limits: ManifestLimits, findings: Findings): boolean {
  const { text } = source;
  if (text.length <= limits.valuesPerFile) return false;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 44 || unit === 91 || unit === 123 || unit === 10) count += 1;
  }
  if (count <= limits.valuesPerFile) return false;
  findings.add(
    {
      rule: 'yaml-limit',
      message: `This file holds about ${count} values; at most ${limits.valuesPerFile} are read.`,
      hint: 'Split the file.',
    },
    fileLocation(source.file),
  );
  return true;
}

/** The parser's events; after a syntax error, those of the documents before it. */
function readEvents(
  source: SourceText,
  masked: Masked | null,
  limits: ManifestLimits,
  findings: Findings,
): readonly Event[] {
  const text = masked?.text ?? source.text;
  try {
    return parseEvents(text, { maxDepth: limits.depth });
  } catch (error) {
    const offset = error instanceof YAMLException ? (error.mark?.position ?? 0) : 0;
    addSyntaxFinding(source, error instanceof YAMLException ? error.reason : '', offset, limits, findings);
    return eventsBefore(text, offset, limits);
  }
}

/** How many document markers before an error are tried: the last one nearly always begins the broken document. */
const markersTried = 3;

function eventsBefore(text: string, offset: number, limits: ManifestLimits): readonly Event[] {
  let end = offset;
  for (let tried = 0; tried < markersTried; tried += 1) {
    end = Math.max(text.lastIndexOf('\n---', end - 1), text.lastIndexOf('\r---', end - 1));
    if (end <= 0) return [];
    if (!/^[\r\n]---(?:\s|$)/.test(text.slice(end, end + 5))) continue;
    try {
      return parseEvents(text.slice(0, end + 1), { maxDepth: limits.depth });
    } catch {
      // The error was already reported; this marker stood inside of the broken document.
    }
  }
  return [];
}

function addSyntaxFinding(
  source: SourceText,
  reason: string,
  offset: number,
  limits: ManifestLimits,
  findings: Findings,
): void {
  const { text } = source;
  // An error at the end is shown at the last thing written, not on an empty line.
  const at = offset < text.length ? offset : Math.max(trimEnd(text, 0, text.length) - 1, 0);
  const lineStart = source.lineStart(at);
  const indentation = /^[ \t]*/.exec(text.slice(lineStart, lineStart + 1000))?.[0] ?? '';
  const tab = indentation.indexOf('\t');
  if (tab !== -1) {
    const place = source.location(lineStart + tab, lineStart + tab + 1);
    findings.add(syntaxFinding('tab characters'), place);
    return;
  }
  const atEnd = offset >= trimEnd(text, 0, text.length);
  const found = reason.startsWith('nesting exceeded')
    ? tooDeep(limits.depth)
    : syntaxFinding(atEnd && reason === 'deficient indentation' ? 'within a flow collection' : reason);
  const line = text.slice(lineStart, lineStart + 2000).split(/[\r\n]/, 1)[0] ?? '';
  const hint = line.includes('${{')
    ? `${found.hint} A template expression \${{ … }} can only stand inside of a value: put the value in quotes.`
    : found.hint;
  findings.add({ ...found, hint }, source.location(at, Math.min(at + 1, text.length)));
}
