import { type Event, parseEvents, YAMLException } from 'js-yaml';
import { tooDeep } from './compose-findings.ts';
import type { Findings } from './findings.ts';
import { flattenFlows } from './flow-layout.ts';
import type { ManifestLimits } from './limits.ts';
import { trimEnd } from './scan.ts';
import type { SourceText } from './source-text.ts';
import { syntaxFinding } from './syntax-findings.ts';

/** A parser's events, and the text that their offsets and values are of; the offsets hold in the file as well. */
export interface ReadEvents {
  readonly text: string;
  readonly events: readonly Event[];
}

/** The events of a text; after a syntax error, which is reported, those of the documents before it. */
export function readEvents(source: SourceText, text: string, limits: ManifestLimits, findings: Findings): ReadEvents {
  const read = tryEvents(text, limits);
  if ('events' in read) return { text, events: read.events };
  const flattened = read.reason === deficient ? flattenFlows(text) : null;
  if (flattened === null) return readBefore(source, text, read, limits, findings);
  const again = tryEvents(flattened, limits);
  if ('events' in again) return { text: flattened, events: again.events };
  return again.offset > read.offset
    ? readBefore(source, flattened, again, limits, findings)
    : readBefore(source, text, read, limits, findings);
}

/** js-yaml's reason for a line that is not indented as far as its value asks for. */
const deficient = 'deficient indentation';

interface SyntaxError {
  readonly reason: string;
  readonly offset: number;
}

function tryEvents(text: string, limits: ManifestLimits): { readonly events: readonly Event[] } | SyntaxError {
  try {
    return { events: parseEvents(text, { maxDepth: limits.depth }) };
  } catch (error) {
    if (!(error instanceof YAMLException)) return { reason: '', offset: 0 };
    return { reason: error.reason, offset: error.mark?.position ?? 0 };
  }
}

function readBefore(
  source: SourceText,
  text: string,
  error: SyntaxError,
  limits: ManifestLimits,
  findings: Findings,
): ReadEvents {
  addSyntaxFinding(source, error.reason, error.offset, limits, findings);
  return { text, events: eventsBefore(text, error.offset, limits) };
}

/** How many document markers before an error are tried: the last one nearly always begins the broken document. */
const markersTried = 3;

function eventsBefore(text: string, offset: number, limits: ManifestLimits): readonly Event[] {
  let end = offset;
  for (let tried = 0; tried < markersTried; tried += 1) {
    end = Math.max(text.lastIndexOf('\n---', end - 1), text.lastIndexOf('\r---', end - 1));
    if (end <= 0) return [];
    if (!/^[\r\n]---(?:\s|$)/.test(text.slice(end, end + 5))) continue;
    const read = tryEvents(text.slice(0, end + 1), limits);
    if ('events' in read) return read.events;
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
    : syntaxFinding(atEnd && reason === deficient ? 'within a flow collection' : reason);
  const line = text.slice(lineStart, lineStart + 2000).split(/[\r\n]/, 1)[0] ?? '';
  const hint = line.includes('${{')
    ? `${found.hint} A template expression \${{ … }} can only stand inside of a value: put the value in quotes.`
    : found.hint;
  findings.add({ ...found, hint }, source.location(at, Math.min(at + 1, text.length)));
}
