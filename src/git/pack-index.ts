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

interface Named {
  readonly id: string;
  readonly start: number;
  readonly crc: number;
}

const baseCacheBytes = 32 * 1024 * 1024;
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
  const records = await scan(received, signal);
  const resolver = new Resolver(received, records, external);
  const named: Named[] = [];
  for (const [position, record] of records.entries()) {
    if (position % pauseEvery === 0) await pause(signal);
    const object = await resolver.resolve(record);
    named.push({ id: objectId(object), start: record.start, crc: crc32(received.subarray(record.start, record.end)) });
  }
  const pack = complete(received, records.length, resolver.borrowed, named);
  return { name: pack.subarray(-20).toString('hex'), pack, index: writeIndex(named, pack.subarray(-20)) };
}

/** Waits a turn of the event loop, so that a large pack holds nothing else up. */
async function pause(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

async function scan(pack: Buffer, signal: AbortSignal): Promise<readonly Scanned[]> {
  const end = pack.length - 20;
  if (end < 12 || pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2) {
    throw new StoreDamage('broken', 'what the server sent is no pack');
  }
  if (!createHash('sha1').update(pack.subarray(0, end)).digest().equals(pack.subarray(end))) {
    throw new StoreDamage('broken', 'the pack does not have the checksum that it ends with');
  }
  const records: Scanned[] = [];
  let at = 12;
  for (let left = pack.readUInt32BE(8); left > 0; left -= 1) {
    if (left % pauseEvery === 0) await pause(signal);
    if (at >= end) throw new StoreDamage('broken', 'the pack holds fewer records than it says');
    const { kind, size, dataAt } = parseRecordHeader(pack, at, at);
    const { consumed } = inflateRecord(pack.subarray(dataAt, end), size);
    records.push({ start: at, kind, size, dataAt, end: dataAt + consumed });
    at = dataAt + consumed;
  }
  if (at !== end) throw new StoreDamage('broken', 'the pack holds more than its records');
  return records;
}

class Resolver {
  readonly #pack: Buffer;
  readonly #external: (id: string) => Promise<GitObject>;
  readonly #byStart: ReadonlyMap<number, Scanned>;
  readonly #cache = new ByteCache<GitObject>(baseCacheBytes);
  /** Ids of objects of this pack that are not deltas, for deltas that name their base by id. */
  #whole: Map<string, Scanned> | null = null;
  /** Bases that the pack lacks. */
  readonly borrowed = new Map<string, GitObject>();

  constructor(pack: Buffer, records: readonly Scanned[], external: (id: string) => Promise<GitObject>) {
    this.#pack = pack;
    this.#external = external;
    this.#byStart = new Map(records.map((record) => [record.start, record]));
  }

  async resolve(record: Scanned): Promise<GitObject> {
    const chain: Scanned[] = [];
    let current = record;
    let object: GitObject | undefined;
    while (object === undefined) {
      object = this.#cache.get(String(current.start));
      if (object !== undefined) break;
      const { kind } = current;
      if (kind.type !== 'offset-delta' && kind.type !== 'id-delta') {
        object = this.#keep(current, { type: kind.type, bytes: this.#inflate(current) });
        break;
      }
      chain.push(current);
      if (chain.length > this.#byStart.size) throw new StoreDamage('broken', 'the deltas of a pack go in a circle');
      const base = kind.type === 'offset-delta' ? this.#byStart.get(kind.base) : this.#find(kind.base);
      if (base !== undefined) current = base;
      else if (kind.type === 'id-delta') object = await this.#borrow(kind.base);
      else throw new StoreDamage('broken', 'a delta names a base where no record starts');
    }
    for (let delta = chain.pop(); delta !== undefined; delta = chain.pop()) {
      object = this.#keep(delta, { type: object.type, bytes: applyDelta(object.bytes, this.#inflate(delta)) });
    }
    return object;
  }

  #inflate(record: Scanned): Buffer {
    return inflateRecord(this.#pack.subarray(record.dataAt, record.end), record.size).bytes;
  }

  #keep(record: Scanned, object: GitObject): GitObject {
    this.#cache.set(String(record.start), object, object.bytes.length);
    return object;
  }

  /** A base by id in this pack. Git names a base by id only across packs, so this is made when first asked for. */
  #find(id: string): Scanned | undefined {
    if (this.#whole === null) {
      this.#whole = new Map();
      for (const record of this.#byStart.values()) {
        const { type } = record.kind;
        if (type === 'offset-delta' || type === 'id-delta') continue;
        this.#whole.set(objectId({ type, bytes: this.#inflate(record) }), record);
      }
    }
    return this.#whole.get(id);
  }

  async #borrow(id: string): Promise<GitObject> {
    const known = this.borrowed.get(id);
    if (known !== undefined) return known;
    const object = await this.#external(id);
    this.borrowed.set(id, object);
    return object;
  }
}

function objectId(object: GitObject): string {
  return createHash('sha1').update(`${object.type} ${object.bytes.length}\0`).update(object.bytes).digest('hex');
}

const typeNumbers: { readonly [T in ObjectType]: number } = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** Appends the borrowed bases to a pack, with its count and checksum made to fit; names them too. */
function complete(received: Buffer, count: number, borrowed: ReadonlyMap<string, GitObject>, named: Named[]): Buffer {
  if (borrowed.size === 0) return received;
  const head = Buffer.from(received.subarray(0, 12));
  head.writeUInt32BE(count + borrowed.size, 8);
  const parts: Buffer[] = [head, received.subarray(12, -20)];
  let start = received.length - 20;
  for (const [id, object] of borrowed) {
    const record = Buffer.concat([recordHeader(object), deflateSync(object.bytes)]);
    named.push({ id, start, crc: crc32(record) });
    parts.push(record);
    start += record.length;
  }
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return Buffer.concat([...parts, hash.digest()]);
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

/** An index of version 2 (gitformat-pack). Packs of 2 GiB and more, which would need long offsets, are not taken. */
function writeIndex(named: readonly Named[], checksum: Buffer): Buffer {
  // A base that stands in a thin pack twice would be named twice; Git allows an id once.
  const sorted = [...new Map(named.map((entry) => [entry.id, entry])).values()];
  if (sorted.length !== named.length) throw new StoreDamage('broken', 'the pack holds an object twice');
  sorted.sort((a, b) => (a.id < b.id ? -1 : 1));
  const index = Buffer.alloc(8 + 1024 + sorted.length * 28 + 40);
  index.writeUInt32BE(0xff744f63, 0);
  index.writeUInt32BE(2, 4);
  const fanout = new Uint32Array(256);
  const [ids, crcs, offsets] = [1032, 1032 + sorted.length * 20, 1032 + sorted.length * 24];
  for (const [position, { id, start, crc }] of sorted.entries()) {
    index.write(id, ids + position * 20, 'hex');
    index.writeUInt32BE(crc, crcs + position * 4);
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
