import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../platform/make-folder.ts';
import { Store } from './store.ts';

/** Bounds past which a store is fetched anew. */
export interface StoreLimits {
  readonly packs: number;
  /** A store may take this many bytes, or `growth` times what it took when it was new, whichever is more. */
  readonly bytes: number;
  readonly growth: number;
}

/** The bounds where nothing else is said. Past 200 packs, looking for an object begins to cost. */
export const defaultStoreLimits: StoreLimits = { packs: 200, bytes: 64 * 1024 * 1024, growth: 4 };

const recordSchema = z.object({
  folder: z.string().regex(/^store-\d+\.git$/),
  url: z.string(),
  branch: z.string(),
  newBytes: z.number(),
});
type StoreRecord = z.infer<typeof recordSchema>;

const recordName = 'current.json';

/**
 * The folder with the store in force and the one that is being made to take its place. A small file says which is
 * which; it is replaced in one step, so that a process killed at any point leaves one store in force, or none.
 */
export class StoreShelf {
  readonly #path: string;
  readonly #temporary: boolean;
  readonly #url: string;
  readonly #branch: string;
  #current: { readonly store: Store; readonly newBytes: number } | null = null;
  #next = 1;

  private constructor(path: string, temporary: boolean, url: string, branch: string) {
    this.#path = path;
    this.#temporary = temporary;
    this.#url = url;
    this.#branch = branch;
  }

  /** Opens the folder, or one of its own that goes when it is closed; what a killed process left behind is removed. */
  static async open(path: string | null, url: string, branch: string): Promise<StoreShelf> {
    const folder = path ?? (await mkdtemp(join(tmpdir(), 'konverge-git-')));
    await makeFolder(folder);
    const shelf = new StoreShelf(folder, path === null, url, branch);
    const record = await shelf.#readRecord();
    for (const name of await readdir(folder)) {
      const number = /^store-(\d+)\.git$/.exec(name)?.[1];
      if (number === undefined) continue;
      shelf.#next = Math.max(shelf.#next, Number(number) + 1);
      if (name === record?.folder) {
        shelf.#current = { store: new Store(join(folder, name), branch), newBytes: record.newBytes };
      } else await rm(join(folder, name), { recursive: true, force: true });
    }
    return shelf;
  }

  /** The store in force, or null when there is none yet. */
  get current(): Store | null {
    return this.#current?.store ?? null;
  }

  /** Whether the store in force has grown past the limits. */
  async overgrown(limits: StoreLimits): Promise<boolean> {
    if (this.#current === null) return false;
    const { packs, bytes } = await this.#current.store.usage();
    return packs > limits.packs || bytes > Math.max(limits.bytes, limits.growth * this.#current.newBytes);
  }

  /**
   * Makes a store beside the one in force, has it filled, and puts it in force. When filling fails the one in force
   * stays, and the new one is removed.
   */
  async replace(fill: (store: Store) => Promise<void>): Promise<Store> {
    const name = `store-${this.#next}.git`;
    this.#next += 1;
    const store = await Store.create(join(this.#path, name), this.#branch);
    try {
      await fill(store);
      const newBytes = (await store.usage()).bytes;
      await this.#writeRecord({ folder: name, url: this.#url, branch: this.#branch, newBytes });
      const old = this.#current;
      this.#current = { store, newBytes };
      await old?.store.discard();
      return store;
    } catch (error) {
      await store.discard();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#current?.store.close();
    this.#current = null;
    if (this.#temporary) await rm(this.#path, { recursive: true, force: true });
  }

  /** What the file says; null when it is not there, cannot be read, or speaks of another repository or branch. */
  async #readRecord(): Promise<StoreRecord | null> {
    try {
      const record = recordSchema.parse(JSON.parse(await readFile(join(this.#path, recordName), 'utf8')));
      return record.url === this.#url && record.branch === this.#branch ? record : null;
    } catch {
      // Losing it costs a fetch and nothing else.
      return null;
    }
  }

  async #writeRecord(record: StoreRecord): Promise<void> {
    const path = join(this.#path, recordName);
    await writeFile(`${path}.new`, JSON.stringify(record));
    await rename(`${path}.new`, path);
  }
}
