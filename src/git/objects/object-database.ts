import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';
import { ByteCache } from './byte-cache.ts';
import { applyDelta } from './delta.ts';
import { PackFile } from './pack-file.ts';
import type { ObjectType } from './pack-record.ts';
import { StoreDamage } from './store-damage.ts';

/** An object as it is in the database, checked against its id. */
export interface GitObject {
  readonly type: ObjectType;
  readonly bytes: Buffer;
}

/** Inflated bases of deltas that are kept, in bytes. */
const baseCacheBytes = 16 * 1024 * 1024;
/** No chain that Git makes comes near it. */
const maxDeltaChain = 5000;

/**
 * The objects of a repository, read only: packs, loose objects and alternates. isomorphic-git reads the same, but
 * inflates in JavaScript, which takes seconds where this takes a tenth of one. Every object is hashed as it is read.
 */
export class ObjectDatabase {
  readonly folder: string;
  readonly #packs = new Map<string, PackFile>();
  readonly #bases = new ByteCache<GitObject>(baseCacheBytes);
  #alternates: readonly string[] | null = null;

  /** `folder` is a repository's `objects` folder. */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Reads an object; throws StoreDamage where it is missing or broken. */
  async read(id: string): Promise<GitObject> {
    const found = await this.#locate(id);
    const object = found === null ? await this.#readLoose(id) : await this.#readPacked(found.pack, found.start);
    if (object === null) throw new StoreDamage('missing', `object ${id} is missing`);
    const hash = createHash('sha1').update(`${object.type} ${object.bytes.length}\0`).update(object.bytes);
    if (hash.digest('hex') !== id) throw new StoreDamage('broken', `object ${id} is not what its name says`);
    return object;
  }

  /** The size of an object without its content. A loose object is read for it. Throws as `read` does. */
  async size(id: string): Promise<number> {
    const found = await this.#locate(id);
    if (found !== null) return await found.pack.objectSize(found.start);
    return (await this.read(id)).bytes.length;
  }

  /** Whether the object is there; says nothing on its content. */
  async has(id: string): Promise<boolean> {
    return (await this.#locate(id)) !== null || (await this.#readLoose(id)) !== null;
  }

  async close(): Promise<void> {
    const packs = [...this.#packs.values()];
    this.#packs.clear();
    await Promise.all(packs.map((pack) => pack.close()));
  }

  async #locate(id: string): Promise<{ pack: PackFile; start: number } | null> {
    const known = this.#search(id);
    if (known !== null) return known;
    // Not there: a fetch, or Git in somebody's repository, may have brought packs since they were listed.
    await this.#listPacks();
    return this.#search(id);
  }

  #search(id: string): { pack: PackFile; start: number } | null {
    for (const pack of this.#packs.values()) {
      const start = pack.find(id);
      if (start !== null) return { pack, start };
    }
    return null;
  }

  async #folders(): Promise<readonly string[]> {
    if (this.#alternates === null) {
      const text = await readFile(join(this.folder, 'info/alternates'), 'utf8').catch(ifMissing(''));
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      this.#alternates = lines.map((line) => resolve(this.folder, line));
    }
    return [this.folder, ...this.#alternates];
  }

  async #listPacks(): Promise<void> {
    const listed = new Set<string>();
    for (const folder of await this.#folders()) {
      const names = new Set(await readdir(join(folder, 'pack')).catch(ifMissing<string[]>([])));
      // A pack without index is one that a fetch was killed in the middle of; it counts for nothing.
      for (const name of names) {
        const stem = name.slice(0, -'.idx'.length);
        if (name.endsWith('.idx') && names.has(`${stem}.pack`)) listed.add(join(folder, 'pack', stem));
      }
    }
    for (const [path, pack] of this.#packs) {
      if (listed.has(path)) continue;
      this.#packs.delete(path);
      await pack.close();
    }
    for (const path of listed) {
      if (!this.#packs.has(path)) this.#packs.set(path, await PackFile.open(path));
    }
  }

  async #readLoose(id: string): Promise<GitObject | null> {
    for (const folder of await this.#folders()) {
      const packed = await readFile(join(folder, id.slice(0, 2), id.slice(2))).catch(ifMissing(null));
      if (packed !== null) return parseLoose(packed, id);
    }
    return null;
  }

  /** Follows a chain of deltas down to an object that is whole, then applies them on the way back. */
  async #readPacked(firstPack: PackFile, firstStart: number): Promise<GitObject> {
    const deltas: { readonly key: string; readonly bytes: Buffer }[] = [];
    let [pack, start] = [firstPack, firstStart];
    let object: GitObject | null = null;
    while (object === null) {
      const key = `${pack.path}:${start}`;
      object = this.#bases.get(key) ?? null;
      if (object !== null) break;
      const { kind, bytes } = await pack.read(start);
      if (kind.type === 'offset-delta') {
        start = kind.base;
      } else if (kind.type === 'id-delta') {
        const base = await this.#locate(kind.base);
        if (base === null) object = await this.#readBase(kind.base);
        else ({ pack, start } = base);
      } else {
        object = { type: kind.type, bytes };
        if (deltas.length > 0) this.#bases.set(key, object, bytes.length);
        break;
      }
      deltas.push({ key, bytes });
      if (deltas.length > maxDeltaChain) throw new StoreDamage('broken', `${pack.path}.pack holds an endless delta`);
    }
    for (let delta = deltas.pop(); delta !== undefined; delta = deltas.pop()) {
      object = { type: object.type, bytes: applyDelta(object.bytes, delta.bytes) };
      if (deltas.length > 0) this.#bases.set(delta.key, object, object.bytes.length);
    }
    return object;
  }

  async #readBase(id: string): Promise<GitObject> {
    const loose = await this.#readLoose(id);
    if (loose === null) throw new StoreDamage('missing', `object ${id}, the base of a delta, is missing`);
    return loose;
  }
}

function parseLoose(packed: Buffer, id: string): GitObject {
  const broken = (cause?: unknown): StoreDamage => new StoreDamage('broken', `object ${id} is broken`, { cause });
  let raw: Buffer;
  try {
    raw = inflateSync(packed);
  } catch (error) {
    throw broken(error);
  }
  const end = raw.indexOf(0);
  const header = /^(commit|tree|blob|tag) (\d+)$/.exec(raw.toString('latin1', 0, Math.max(0, Math.min(end, 40))));
  const bytes = raw.subarray(end + 1);
  if (header === null || bytes.length !== Number(header[2])) throw broken();
  return { type: header[1] as ObjectType, bytes };
}

function ifMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return instead;
    throw error;
  };
}

/** How many packs a repository has and how many bytes they take, without opening any. */
export async function packUsage(folder: string): Promise<{ readonly packs: number; readonly bytes: number }> {
  const names = await readdir(join(folder, 'pack')).catch(ifMissing<string[]>([]));
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(folder, 'pack', name))).size;
  return { packs: names.filter((name) => name.endsWith('.pack')).length, bytes };
}
