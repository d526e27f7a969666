import { fileLocation, type Location } from '../model/location.ts';
import type { Findings } from './findings.ts';
import { SourceText } from './source-text.ts';

/**
 * The text of a file, its byte order mark dropped, or null where the bytes are no UTF-8 text, with a finding that says
 * where and why.
 */
export function decode(file: string, bytes: Uint8Array, findings: Findings): SourceText | null {
  const wide = wideEncoding(bytes);
  if (wide !== null) {
    findings.add(
      {
        rule: 'file-encoding',
        message: `This file is written in ${wide}, and only UTF-8 is read.`,
        hint: 'Save the file as UTF-8.',
      },
      fileLocation(file),
    );
    return null;
  }
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    findings.add(
      {
        rule: 'file-encoding',
        message: `This file holds a NUL byte (byte ${nul + 1}), so it is binary or damaged, not a manifest.`,
        hint: 'Restore the file, rename it, or leave it out with an `ignore` pattern.',
      },
      byteLocation(file, bytes, nul),
    );
    return null;
  }
  try {
    return new SourceText(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    const offset = firstBadByte(bytes);
    findings.add(
      {
        rule: 'file-encoding',
        message: `Byte ${offset + 1} of this file is not UTF-8.`,
        hint: 'Save the file as UTF-8 (it may be in Latin-1 or Windows-1252), or leave it out with an `ignore` pattern.',
      },
      byteLocation(file, bytes, offset),
    );
    return null;
  }
}

/** The name of a UTF-16 or UTF-32 encoding that a file begins as, by its mark or by its NUL bytes; else null. */
function wideEncoding(bytes: Uint8Array): string | null {
  const [a, b, c, d] = [bytes[0], bytes[1], bytes[2], bytes[3]];
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'UTF-32' : 'UTF-16';
  if (a === 0xfe && b === 0xff) return 'UTF-16';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'UTF-32';
  const ascii = (byte: number | undefined) =>
    byte !== undefined && (byte === 9 || byte === 10 || byte >= 32) && byte < 127;
  if (ascii(a) && b === 0 && ascii(c) && d === 0) return 'UTF-16';
  if (a === 0 && ascii(b) && c === 0 && ascii(d)) return 'UTF-16';
  return null;
}

/** The place of a byte in a file whose bytes before it are UTF-8. */
function byteLocation(file: string, bytes: Uint8Array, offset: number): Location {
  const before = new SourceText(file, new TextDecoder('utf-8').decode(bytes.subarray(0, offset)));
  const { length } = before.text;
  const { line, column } = before.location(length, length);
  return { file, line, column, endLine: line, endColumn: column + 1, pointer: null };
}

/** The offset of the first byte that does not belong to well-formed UTF-8 (Unicode, table 3-7), or the length. */
function firstBadByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

function sequenceLength(bytes: Uint8Array, at: number): 0 | 1 | 2 | 3 | 4 {
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  const tail = (offset: number) => ((bytes[at + offset] ?? 0) & 0xc0) === 0x80;
  const between = (low: number, high: number) => second >= low && second <= high;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const low = first === 0xe0 ? 0xa0 : 0x80;
    const high = first === 0xed ? 0x9f : 0xbf;
    return between(low, high) && tail(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const low = first === 0xf0 ? 0x90 : 0x80;
    const high = first === 0xf4 ? 0x8f : 0xbf;
    return between(low, high) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}
