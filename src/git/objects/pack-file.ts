import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { deltaResultSize } from './delta.ts';
import { inflateRecord, inflateStart, longestHeaderBytes, parseRecordHeader, type RecordKind } from './pack-record.ts';
import { StoreDamage } from './store-damage.ts';

/** One pack with its index, read only. Only the records asked for are read from the file, each by itself. */
export class PackFile {
  readonly path: string;
  readonly #index: Buffer;
  readonly #count: number;
  /** Where records start, sorted, with the pack's end last: a record ends where the next one starts. */
  readonly #starts: Float64Array;
  readonly #file: FileHandle;

  private constructor(path: string, index: Buffer, count: number, starts: Float64Array, file: FileHandle) {
    this.path = path;
    this.#index = index;
    this.#count = count;
    this.#starts = starts;
    this.#file = file;
  }

  /** Opens `<path>.pack` by `<path>.idx`; throws StoreDamage where the two are broken or do not belong together. */
  static async open(path: string): Promise<PackFile> {
    const index = await readFile(`${path}.idx`);
    const count = checkIndex(index, path);
    const file = await open(`${path}.pack`, 'r');
    try {
      const { size } = await file.stat();
      const head = Buffer.alloc(12);
      const tail = Buffer.alloc(20);
      await file.read(head, 0, 12, 0);
      await file.read(tail, 0, 20, Math.max(0, size - 20));
      const named = index.subarray(index.length - 40, index.length - 20);
      if (head.toString('latin1', 0, 4) !== 'PACK' || head.readUInt32BE(8) !== count || !tail.equals(named)) {
        throw new StoreDamage('broken', `${path}.pack does not belong to its index`);
      }
      return new PackFile(path, index, count, recordStarts(index, count, size - 20, path), file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Where an object's record starts, or null when the pack does not have it. */
  find(id: string): number | null {
    const wanted = Buffer.from(id, 'hex');
    const first = wanted[0] ?? 0;
    let low = first === 0 ? 0 : this.#index.readUInt32BE(8 + (first - 1) * 4);
    let high = this.#index.readUInt32BE(8 + first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = 1032 + middle * 20;
      const order = this.#index.compare(wanted, 0, 20, at, at + 20);
      if (order === 0) return offsetOf(this.#index, this.#count, middle);
      // `compare` says how the index's id stands to the wanted one.
      if (order > 0) high = middle;
      else low = middle + 1;
    }
    return null;
  }

  /** Reads and inflates one record: an object, or a delta. */
  async read(start: number): Promise<{ readonly kind: RecordKind; readonly bytes: Buffer }> {
    const raw = await this.#readRaw(start, this.#end(start) - start);
    const { kind, size, dataAt } = parseRecordHeader(raw, 0, start);
    return { kind, bytes: inflateRecord(raw.subarray(dataAt), size).bytes };
  }

  /** The size of the object that a record stands for, from no more than the record's first bytes. */
  async objectSize(start: number): Promise<number> {
    // Enough compressed bytes to inflate the two numbers that a delta begins with.
    const raw = await this.#readRaw(start, Math.min(this.#end(start) - start, longestHeaderBytes + 256));
    const { kind, size, dataAt } = parseRecordHeader(raw, 0, start);
    if (kind.type !== 'offset-delta' && kind.type !== 'id-delta') return size;
    return deltaResultSize(inflateStart(raw.subarray(dataAt)));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #end(start: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    return this.#starts[low] ?? start;
  }

  async #readRaw(start: number, length: number): Promise<Buffer> {
    const raw = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.read(raw, 0, length, start);
    if (bytesRead !== length || length < 2) throw new StoreDamage('broken', `${this.path}.pack ends too early`);
    return raw;
  }
}

/** Checks a version 2 index (gitformat-pack) against its own checksum; gives how many objects it names. */
function checkIndex(index: Buffer, path: string): number {
  const count = index.length < 1072 ? -1 : index.readUInt32BE(8 + 255 * 4);
  const sound =
    count >= 0 &&
    index.readUInt32BE(0) === 0xff744f63 &&
    index.readUInt32BE(4) === 2 &&
    index.length >= 1032 + count * 28 + 40 &&
    createHash('sha1').update(index.subarray(0, -20)).digest().equals(index.subarray(-20));
  if (!sound) throw new StoreDamage('broken', `${path}.idx is broken`);
  return count;
}

function offsetOf(index: Buffer, count: number, position: number): number {
  const offset = index.readUInt32BE(1032 + count * 24 + position * 4);
  if (offset < 0x80000000) return offset;
  // The high bit says that the offset stands in the table of long ones.
  return Number(index.readBigUInt64BE(1032 + count * 28 + (offset - 0x80000000) * 8));
}

function recordStarts(index: Buffer, count: number, end: number, path: string): Float64Array {
  const starts = new Float64Array(count + 1);
  for (let position = 0; position < count; position += 1) starts[position] = offsetOf(index, count, position);
  starts[count] = end;
  starts.sort();
  if (starts[count] !== end) throw new StoreDamage('broken', `${path}.pack ends too early`);
  return starts;
}
