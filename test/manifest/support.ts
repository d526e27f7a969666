import { defaultManifestLimits, type ManifestLimits } from '../../src/manifest/limits.ts';
import { type ParsedFile, parseFile } from '../../src/manifest/parse.ts';
import type { ParsedDocument } from '../../src/manifest/parsed-document.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { JsonPath } from '../../src/model/json.ts';
import type { Location } from '../../src/model/location.ts';

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function parse(text: string, limits: Partial<ManifestLimits> = {}, file = 'a.yaml'): ParsedFile {
  return parseFile(file, bytes(text), { ...defaultManifestLimits, ...limits });
}

/** The only document of a text without findings. */
export function only(text: string): ParsedDocument {
  const { documents, diagnostics } = parse(text);
  const [document] = documents;
  if (document === undefined || documents.length > 1 || diagnostics.length > 0) {
    throw new Error(`not one clean document: ${JSON.stringify(diagnostics)}`);
  }
  return document;
}

/** `line:column-endLine:endColumn`. */
export function shown(location: Location): string {
  return `${location.line}:${location.column}-${location.endLine}:${location.endColumn}`;
}

/** What a text has between the ends of a location, found by splitting lines rather than as the parser does it. */
export function slice(text: string, location: Location): string {
  const lines = text.replace(/^\uFEFF/, '').split(/(?<=\r\n|\n|\r(?!\n))/);
  const offset = (line: number, column: number) =>
    lines.slice(0, line - 1).reduce((sum, item) => sum + item.length, 0) + column - 1;
  const whole = lines.join('');
  return whole.slice(offset(location.line, location.column), offset(location.endLine, location.endColumn));
}

export function sliceAt(text: string, path: JsonPath, part: 'value' | 'key' = 'value'): string {
  return slice(text, only(text).at(path, part));
}

/** Rule and first place of each diagnostic. */
export function found(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ rule, locations: [first] }) => `${rule} ${first === undefined ? '-' : shown(first)}`);
}

export function findings(text: string, limits: Partial<ManifestLimits> = {}): readonly string[] {
  return found(parse(text, limits).diagnostics);
}

/** decK's way of naming a variable; `pipeline` is written after it. */
export function template(variable: string, pipeline = ''): string {
  return `\${{ env "${variable}"${pipeline === '' ? '' : ` | ${pipeline}`} }}`;
}
