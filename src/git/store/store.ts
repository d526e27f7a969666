import * as fs from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import git, { type HttpClient } from 'isomorphic-git';
import { ObjectDatabase, packUsage } from '../objects/object-database.ts';
import { indexPack } from '../objects/pack-index.ts';
import { readCommit } from '../reading/commit-snapshot.ts';
import { fetchPack } from '../transport/fetch-pack.ts';

/** What brings objects into a store. */
export interface Remote {
  readonly http: HttpClient;
  readonly url: string;
  readonly signal: AbortSignal;
}

/**
 * One bare repository on disk. What is written is written whole or not at all, and in an order that a process killed
 * at any point leaves nothing behind that counts: a pack without index, or objects that no ref names yet.
 */
export class Store {
  readonly folder: string;
  readonly objects: ObjectDatabase;
  readonly #ref: string;
  #users = 0;
  #discarded = false;

  constructor(folder: string, branch: string) {
    this.folder = folder;
    this.objects = new ObjectDatabase(join(folder, 'objects'));
    this.#ref = `refs/heads/${branch}`;
  }

  /** Makes an empty store in a folder that does not exist. */
  static async create(folder: string, branch: string): Promise<Store> {
    await git.init({ fs, dir: folder, bare: true, defaultBranch: branch });
    return new Store(folder, branch);
  }

  /** Fetches a commit without its history; what the store's newest commit has is not sent again. Gives the bytes sent. */
  async fetchCommit(remote: Remote, revision: string): Promise<number> {
    const tip = await this.#tip();
    const answer = await fetchPack(remote.http, remote.url, {
      want: revision,
      have: tip,
      boundary: await this.#boundary(),
      depth: 1,
    });
    await this.#addPack(answer.pack, remote.signal);
    await readCommit(this.objects, revision);
    // From here on only this commit is offered to the server, so that only where its history ends is of interest.
    await this.#writeBoundary(answer.shallow);
    await git.writeRef({ fs, gitdir: this.folder, ref: this.#ref, value: revision, force: true });
    return answer.pack.length;
  }

  /** Fetches the history of a commit that is here, so many generations with itself. Gives the bytes sent. */
  async deepen(remote: Remote, revision: string, depth: number): Promise<number> {
    const boundary = await this.#boundary();
    const have = await this.#tip();
    const answer = await fetchPack(remote.http, remote.url, { want: revision, have, boundary, depth });
    await this.#addPack(answer.pack, remote.signal);
    const unshallow = new Set(answer.unshallow);
    await this.#writeBoundary([...boundary.filter((id) => !unshallow.has(id)), ...answer.shallow]);
    return answer.pack.length;
  }

  /** What the store takes on disk. */
  usage(): Promise<{ readonly packs: number; readonly bytes: number }> {
    return packUsage(this.objects.folder);
  }

  /** Uses the store; it is not removed before the work is done, even if it is discarded meanwhile. */
  async use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await work(this);
    } finally {
      this.#users -= 1;
      await this.#removeWhenUnused();
    }
  }

  /** Removes the store from disk, as soon as nobody uses it. */
  async discard(): Promise<void> {
    this.#discarded = true;
    await this.#removeWhenUnused();
  }

  /** Lets go of open files. The store stays on disk. */
  close(): Promise<void> {
    return this.objects.close();
  }

  async #removeWhenUnused(): Promise<void> {
    if (!this.#discarded || this.#users > 0) return;
    await this.objects.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The newest commit that was fetched whole, or null. */
  async #tip(): Promise<string | null> {
    const tip = await git.resolveRef({ fs, gitdir: this.folder, ref: this.#ref }).catch(() => null);
    return tip !== null && (await this.objects.has(tip)) ? tip : null;
  }

  async #boundary(): Promise<readonly string[]> {
    const text = await readFile(join(this.folder, 'shallow'), 'utf8').catch(() => '');
    return text.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line));
  }

  async #writeBoundary(commits: readonly string[]): Promise<void> {
    await this.#write('shallow', Buffer.from([...new Set(commits)].map((id) => `${id}\n`).join('')));
  }

  async #addPack(received: Buffer, signal: AbortSignal): Promise<void> {
    if (received.length === 0) return;
    const { name, pack, index } = await indexPack(received, (id) => this.objects.read(id), signal);
    if (pack.readUInt32BE(8) === 0) return;
    await this.#write(`objects/pack/pack-${name}.pack`, pack);
    await this.#write(`objects/pack/pack-${name}.idx`, index);
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, name);
    await writeFile(`${path}.new`, bytes);
    await rename(`${path}.new`, path);
  }
}
