import type { Document } from '../manifest/document.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { type ReadAllowances, readAllowances } from '../rules/comments/allowance.ts';

/** What every comment to Konverge contains, so that most files are passed over. */
const marker = Buffer.from('konverge:');

/** What the comments allow in the files that the documents were read from. */
export function allowancesIn(snapshot: Snapshot, documents: readonly Document[]): ReadAllowances {
  const files = [...new Set(documents.map((document) => document.file))];
  const read = files.flatMap((file) => {
    const entry = snapshot.entries.get(file);
    if (entry === undefined || entry.type !== 'file') return [];
    const bytes = Buffer.from(entry.bytes.buffer, entry.bytes.byteOffset, entry.bytes.byteLength);
    return bytes.includes(marker) ? [readAllowances(file, bytes.toString('utf8'))] : [];
  });
  return {
    allowances: read.flatMap(({ allowances }) => allowances),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}
