import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { ByteCache } from './byte-cache.ts';
import { applyDelta } from './delta.ts';
import type { GitObject } from './object-database.ts';
import { inflateRecord, type ObjectType, parseRecordHeader, type RecordKind } from './pack-record.ts';
import { StoreDamage } from './store-damage.ts';

/** A pack that stands for itself, with its index. */
export interface IndexedPack {
  /** 40 hexadecimal digits: the pack's own checksum. */
  readonly name: string;
  readonly pack: Buffer;
  readonly index: Buffer;
}

interface Scanned {
  readonly start: number;
  readonly kind: RecordKind;
  readonly size: number;
  readonly dataAt: number;
  readonly end: number;
}

const cacheBytes = 32 * 1024 * 1024;
const pauseEvery = 256;

/**
 * Checks a pack as it came from a server and makes its index. A thin pack is completed with the bases that it lacks,
 * which `external` gives, so that what is stored is a pack as Git itself would store it. Throws StoreDamage unless
 * every object of the pack can be had. (isomorphic-git leaves out what it cannot resolve, checks no checksum, and
 * takes ten times as long.)
 */
export async function indexPack(
  received: Buffer,
  external: (id: string) => Promise<GitObject>,
  signal: AbortSignal,
): Promise<IndexedPack> {
  checkEnvelope(received);
  const indexer = new Indexer(received, external, signal);
  await indexer.scan();
  await indexer.resolveAll();
  const { pack, starts } = complete(received, indexer.names, indexer.borrowed);
  const checksum = pack.subarray(-20);
  return { name: checksum.toString('hex'), pack, index: writeIndex(pack, starts, checksum) };
}

function checkEnvelope(pack: Buffer): void {
  const end = pack.length - 20;
  if (end < 12 || pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2) {
    throw new StoreDamage('broken', 'what the server sent is no pack');
  }
  if (!createHash('sha1').update(pack.subarray(0, end)).digest().equals(pack.subarray(end))) {
    throw new StoreDamage('broken', 'the pack does not have the checksum that it ends with');
  }
}

class Indexer {
  readonly #pack: Buffer;
  readonly #external: (id: string) => Promise<GitObject>;
  readonly #signal: AbortSignal;
  readonly #byStart = new Map<number, Scanned>();
  readonly #cache = new ByteCache<GitObject>(cacheBytes);
  /** Where the objects of the pack start, by their ids, as far as they are known. */
  readonly names = new Map<string, number>();
  /** Bases that the pack lacks. */
  readonly borrowed = new Map<string, GitObject>();

  constructor(pack: Buffer, external: (id: string) => Promise<GitObject>, signal: AbortSignal) {
    this.#pack = pack;
    this.#external = external;
    this.#signal = signal;
  }

  /** Finds where each record starts and ends, which takes inflating it; names those that are no deltas. */
  async scan(): Promise<void> {
    const end = this.#pack.length - 20;
    let at = 12;
    for (let left = this.#pack.readUInt32BE(8); left > 0; left -= 1) {
      if (left % pauseEvery === 0) await this.#pause();
      if (at >= end) throw new StoreDamage('broken', 'the pack holds fewer records than it says');
      const { kind, size, dataAt } = parseRecordHeader(this.#pack, at, at);
      const { bytes, consumed } = inflateRecord(this.#pack.subarray(dataAt, end), size);
      const record = { start: at, kind, size, dataAt, end: dataAt + consumed };
      this.#byStart.set(at, record);
      if (kind.type !== 'offset-delta' && kind.type !== 'id-delta') this.#name(record, { type: kind.type, bytes });
      at = record.end;
    }
    if (at !== end) throw new StoreDamage('broken', 'the pack holds more than its records');
  }

  /**
   * Names the deltas. One whose base goes by an id that is not known yet waits for the next round; what no round of
   * the pack itself brings is borrowed.
   */
  async resolveAll(): Promise<void> {
    let waiting = [...this.#byStart.values()].filter(({ kind }) => kind.type.endsWith('-delta'));
    let borrow = false;
    while (waiting.length > 0) {
      const still: Scanned[] = [];
      for (const [position, record] of waiting.entries()) {
        if (position % pauseEvery === 0) await this.#pause();
        const object = await this.#resolve(record, borrow);
        if (object === null) still.push(record);
        else this.#name(record, object);
      }
      if (still.length < waiting.length) borrow = false;
      else if (borrow) throw new StoreDamage('missing', 'the base of a delta is missing');
      else borrow = true;
      waiting = still;
    }
  }

  /** Waits a turn of the event loop, so that a large pack holds nothing else up. */
  async #pause(): Promise<void> {
    await setImmediate();
    this.#signal.throwIfAborted();
  }

  #name(record: Scanned, object: GitObject): void {
    const id = objectId(object);
    const other = this.names.get(id);
    if (other !== undefined && other !== record.start)
      throw new StoreDamage('broken', 'the pack holds an object twice');
    this.names.set(id, record.start);
    this.#cache.set(String(record.start), object, object.bytes.length);
  }

  /** The object that a record stands for, or null when its base is not known. */
  async #resolve(record: Scanned, borrow: boolean): Promise<GitObject | null> {
    const chain: Scanned[] = [];
    let current = record;
    let object = this.#cache.get(String(current.start)) ?? null;
    while (object === null) {
      const { kind } = current;
      if (kind.type !== 'offset-delta' && kind.type !== 'id-delta') {
        object = { type: kind.type, bytes: this.#inflate(current) };
        break;
      }
      chain.push(current);
      if (chain.length > this.#byStart.size) throw new StoreDamage('broken', 'the deltas of a pack go in a circle');
      const start = kind.type === 'offset-delta' ? kind.base : this.names.get(kind.base);
      if (start === undefined) {
        object = this.borrowed.get(String(kind.base)) ?? (borrow ? await this.#borrow(String(kind.base)) : null);
        if (object === null) return null;
        break;
      }
      const base = this.#byStart.get(start);
      if (base === undefined) throw new StoreDamage('broken', 'a delta names a base where no record starts');
      current = base;
      object = this.#cache.get(String(start)) ?? null;
    }
    for (let delta = chain.pop(); delta !== undefined; delta = chain.pop()) {
      object = { type: object.type, bytes: applyDelta(object.bytes, this.#inflate(delta)) };
      this.#cache.set(String(delta.start), object, object.bytes.length);
    }
    return object;
  }

  #inflate(record: Scanned): Buffer {
    return inflateRecord(this.#pack.subarray(record.dataAt, record.end), record.size).bytes;
  }

  async #borrow(id: string): Promise<GitObject | null> {
    try {
      const object = await this.#external(id);
      this.borrowed.set(id, object);
      return object;
    } catch (error) {
      // It may be an object of this pack that is not named yet.
      if (error instanceof StoreDamage && error.kind === 'missing') return null;
      throw error;
    }
  }
}

function objectId(object: GitObject): string {
  return createHash('sha1').update(`${object.type} ${object.bytes.length}\0`).update(object.bytes).digest('hex');
}

const typeNumbers: { readonly [T in ObjectType]: number } = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** Appends the borrowed bases to a pack, with its count and checksum made to fit. */
function complete(
  received: Buffer,
  names: ReadonlyMap<string, number>,
  borrowed: ReadonlyMap<string, GitObject>,
): { readonly pack: Buffer; readonly starts: ReadonlyMap<string, number> } {
  const lacking = [...borrowed].filter(([id]) => !names.has(id));
  if (lacking.length === 0) return { pack: received, starts: names };
  const head = Buffer.from(received.subarray(0, 12));
  head.writeUInt32BE(names.size + lacking.length, 8);
  const parts: Buffer[] = [head, received.subarray(12, -20)];
  const starts = new Map(names);
  let start = received.length - 20;
  for (const [id, object] of lacking) {
    const record = Buffer.concat([recordHeader(object), deflateSync(object.bytes)]);
    starts.set(id, start);
    parts.push(record);
    start += record.length;
  }
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return { pack: Buffer.concat([...parts, hash.digest()]), starts };
}

function recordHeader(object: GitObject): Buffer {
  const bytes: number[] = [];
  let size = object.bytes.length;
  let byte = (typeNumbers[object.type] << 4) | (size & 15);
  size = Math.floor(size / 16);
  while (size > 0) {
    bytes.push(byte | 0x80);
    byte = size & 0x7f;
    size = Math.floor(size / 128);
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}

/** An index of version 2 (gitformat-pack). Packs of 2 GiB and more, which would need long offsets, do not come here. */
function writeIndex(pack: Buffer, starts: ReadonlyMap<string, number>, checksum: Buffer): Buffer {
  const count = starts.size;
  const index = Buffer.alloc(8 + 1024 + count * 28 + 40);
  index.writeUInt32BE(0xff744f63, 0);
  index.writeUInt32BE(2, 4);
  const fanout = new Uint32Array(256);
  const ends = recordEnds(starts, pack.length - 20);
  const [ids, crcs, offsets] = [1032, 1032 + count * 20, 1032 + count * 24];
  const sorted = [...starts].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [position, [id, start]] of sorted.entries()) {
    index.write(id, ids + position * 20, 'hex');
    index.writeUInt32BE(crc32(pack.subarray(start, ends.get(start))), crcs + position * 4);
    index.writeUInt32BE(start, offsets + position * 4);
    const first = Number.parseInt(id.slice(0, 2), 16);
    fanout[first] = (fanout[first] ?? 0) + 1;
  }
  let sum = 0;
  for (const [byte, own] of fanout.entries()) {
    sum += own;
    index.writeUInt32BE(sum, 8 + byte * 4);
  }
  checksum.copy(index, index.length - 40);
  createHash('sha1')
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  return index;
}

/** Where each record ends: where the next one starts. */
function recordEnds(starts: ReadonlyMap<string, number>, packEnd: number): ReadonlyMap<number, number> {
  const sorted = [...starts.values()].sort((a, b) => a - b);
  return new Map(sorted.map((start, position) => [start, sorted[position + 1] ?? packEnd]));
}
