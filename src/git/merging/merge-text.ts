import { diff3Merge } from 'node-diff3';

/** More lines than this are not merged line by line; a hand has to, as with a binary file. */
const mostLines = 200_000;

/**
 * The three-way merge of a text, line by line, as Git merges a file that both sides changed; null where they changed
 * the same lines, or where the content is no text.
 */
export function mergeText(ours: Uint8Array, original: Uint8Array, theirs: Uint8Array): Uint8Array | null {
  const parts = [ours, original, theirs].map(linesOf);
  const [a, o, b] = parts;
  if (a === undefined || o === undefined || b === undefined) return null;
  if (a === null || o === null || b === null) return null;
  const merged: string[] = [];
  for (const region of diff3Merge<string>([...a], [...o], [...b], { excludeFalseConflicts: true })) {
    if (region.ok === undefined) return null;
    for (const line of region.ok) merged.push(line);
  }
  return Buffer.from(merged.join(''), 'latin1');
}

/** Lines with their ends, one character for each byte; null for what is no text, by Git's measure: it holds a NUL. */
function linesOf(bytes: Uint8Array): readonly string[] | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (text.includes('\0')) return null;
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.length > mostLines ? null : lines;
}
