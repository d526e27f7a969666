import { constants, inflateSync } from 'node:zlib';
import { StoreDamage } from './store-damage.ts';

/** The types that an object can have. */
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** What a record of a pack is: an object, or a delta on one that is named by its place in the pack or by its id. */
export type RecordKind =
  | { readonly type: ObjectType }
  | { readonly type: 'offset-delta'; readonly base: number }
  | { readonly type: 'id-delta'; readonly base: string };

/** The start of a record: what it is, the size of what it inflates to, and where its compressed part starts. */
export interface RecordHeader {
  readonly kind: RecordKind;
  readonly size: number;
  readonly dataAt: number;
}

/** More than any header takes: type and size, and the base's id or distance. */
export const longestHeaderBytes = 32;

const objectTypes: ReadonlyMap<number, ObjectType> = new Map([
  [1, 'commit'],
  [2, 'tree'],
  [3, 'blob'],
  [4, 'tag'],
]);

/** Parses the header of the record that is at `at` of the bytes and at `start` of its pack (gitformat-pack). */
export function parseRecordHeader(bytes: Buffer, at: number, start: number): RecordHeader {
  const first = bytes[at] ?? 0;
  const kind = (first >> 4) & 7;
  let size = first & 15;
  let next = at + 1;
  for (let byte = first, scale = 16; byte >= 0x80 && next - at < longestHeaderBytes; next += 1, scale *= 128) {
    byte = bytes[next] ?? 0;
    size += (byte & 0x7f) * scale;
  }
  if (kind === 7) {
    return { kind: { type: 'id-delta', base: bytes.toString('hex', next, next + 20) }, size, dataAt: next + 20 };
  }
  if (kind === 6) {
    const { distance, dataAt } = parseDistance(bytes, next);
    // A base comes before its delta, which also rules out a circle of them.
    if (distance === 0 || distance >= start) throw new StoreDamage('broken', 'a delta names a base outside its pack');
    return { kind: { type: 'offset-delta', base: start - distance }, size, dataAt };
  }
  const type = objectTypes.get(kind);
  if (type === undefined) throw new StoreDamage('broken', 'a pack holds a record of an unknown type');
  return { kind: { type }, size, dataAt: next };
}

function parseDistance(bytes: Buffer, at: number): { distance: number; dataAt: number } {
  let byte = bytes[at] ?? 0;
  let distance = byte & 0x7f;
  let next = at + 1;
  while (byte >= 0x80 && next - at < 10) {
    byte = bytes[next] ?? 0;
    distance = (distance + 1) * 128 + (byte & 0x7f);
    next += 1;
  }
  return { distance, dataAt: next };
}

/** What a record's compressed part inflates to, and how many bytes it took; what follows it is let alone. */
export function inflateRecord(bytes: Buffer, size: number): { readonly bytes: Buffer; readonly consumed: number } {
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    // The types of Node do not know of `info`, which makes the engine come along.
    const options = { info: true, maxOutputLength: Math.max(size, 1), chunkSize: chunkSize(size) };
    result = inflateSync(bytes, options) as unknown as typeof result;
  } catch (error) {
    throw new StoreDamage('broken', 'a record of a pack does not inflate', { cause: error });
  }
  if (result.buffer.length !== size)
    throw new StoreDamage('broken', 'a record of a pack has another size than it says');
  return { bytes: result.buffer, consumed: result.engine.bytesWritten };
}

/** The output buffer that zlib is given: 16 KiB by default, which for a record of 200 bytes costs more than the work. */
function chunkSize(size: number): number {
  return Math.min(Math.max(size + 1, 64), 64 * 1024);
}

/** The first bytes of what a record inflates to, from the first bytes of its compressed part. */
export function inflateStart(bytes: Buffer): Buffer {
  try {
    return inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    throw new StoreDamage('broken', 'a record of a pack does not inflate', { cause: error });
  }
}
