import { EVENT_ID } from 'js-yaml';
import type { Diagnostic } from '../model/diagnostic.ts';
import { fileLocation } from '../model/location.ts';
import { Composer } from './compose.ts';
import { decode } from './decode.ts';
import { Findings } from './findings.ts';
import { looksForeign } from './foreign.ts';
import { defaultManifestLimits, type ManifestLimits } from './limits.ts';
import { ParsedDocument } from './parsed-document.ts';
import { readEvents } from './read-events.ts';
import type { SourceText } from './source-text.ts';
import { spansValues } from './template/expand.ts';
import { hasOwnUse, maskTemplates } from './template/mask.ts';

/** What one file holds. */
export interface ParsedFile {
  readonly documents: readonly ParsedDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Set where templates stand outside of values, so that the file can be read for good only once they are carried out;
   * `spansValues` where they decide what is in the file.
   */
  readonly template: { readonly source: SourceText; readonly spansValues: boolean } | null;
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
    return { documents: [], diagnostics: findings.list, template: null };
  }
  const source = decode(file, bytes, findings);
  if (source === null || looksForeign(source, findings)) {
    return { documents: [], diagnostics: findings.list, template: null };
  }
  const documents = readDocuments(source, limits, findings);
  return { documents, diagnostics: findings.list, template: templateOf(source, findings) };
}

/** The documents of a text, as `parseFile` gives them. */
export function parseSource(source: SourceText, limits: ManifestLimits): Omit<ParsedFile, 'template'> {
  const findings = new Findings(limits.findingsPerFile);
  return { documents: readDocuments(source, limits, findings), diagnostics: findings.list };
}

function templateOf(source: SourceText, findings: Findings): ParsedFile['template'] {
  if (!source.text.includes('${{')) return null;
  const spans = spansValues(source.text);
  const isBroken = hasOwnUse(source.text) && findings.list.some(({ severity }) => severity === 'error');
  return spans || isBroken ? { source, spansValues: spans } : null;
}

function readDocuments(source: SourceText, limits: ManifestLimits, findings: Findings): readonly ParsedDocument[] {
  if (hasTooManyValues(source, limits, findings)) return [];
  const masked = maskTemplates(source.text);
  const { text, events } = readEvents(source, masked?.text ?? source.text, limits, findings);
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
  const composer = new Composer({ source, text, masked }, limits, findings, places);
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
