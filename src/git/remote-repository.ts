import git from 'isomorphic-git';
import type { RepositorySettings } from '../config/settings.ts';
import type { CommitText } from '../model/commit-text.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure, type Failure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { gitFailure, publicUrl } from './git-failure.ts';
import { mergeCommits } from './merging/merge-commits.ts';
import type { Merged } from './merging/merge-snapshots.ts';
import { ByteCache } from './objects/byte-cache.ts';
import { StoreDamage } from './objects/store-damage.ts';
import { commitSnapshot, readCommit, readCommitBytes } from './reading/commit-snapshot.ts';
import { firstParents } from './reading/first-parents.ts';
import type { SnapshotLimits } from './reading/snapshot-limits.ts';
import type { CommitObjects, Proposals, Repository, Resolved } from './repository.ts';
import { Serial } from './store/serial.ts';
import type { Remote, Store } from './store/store.ts';
import type { StoreLimits, StoreShelf } from './store/store-shelf.ts';
import { withDeadline } from './transport/deadline.ts';
import { createHttpTransport, type HttpTransport } from './transport/http-transport.ts';
import { timeoutFailure } from './transport/network-failure.ts';

/** Bounds that the configuration does not have. */
export interface RepositoryLimits {
  readonly snapshot: SnapshotLimits;
  readonly store: StoreLimits;
  readonly blobCacheBytes: number;
  /** A poll is small, so that it need not wait as long as a fetch may. */
  readonly pollTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly silenceTimeoutMs: number;
}

/** The most that the list of refs may take: a million of them. */
const refsLimitBytes = 64 * 1024 * 1024;
/** How many commits a look back brings at a time. */
const deepenBy = 50;

/** A repository that is reached over HTTP, with its store on disk. */
export class RemoteRepository implements Repository, Proposals, CommitObjects {
  readonly #settings: RepositorySettings;
  readonly #limits: RepositoryLimits;
  readonly #shelf: StoreShelf;
  readonly #transport: HttpTransport;
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #blobs: ByteCache<Uint8Array>;
  /** Only one at a time writes to the store. Reading needs no turn. */
  readonly #writing = new Serial();
  /** The commit that was last proven to be whole, and the store it is in. */
  #proven: { readonly store: Store; readonly revision: string } | null = null;

  /** A store that something could not be read from; it is not tried again. */
  #damaged: Store | null = null;

  constructor(
    settings: RepositorySettings,
    shelf: StoreShelf,
    limits: RepositoryLimits,
    deps: { readonly log: Log; readonly clock: Pick<Clock, 'monotonic'> },
  ) {
    this.#settings = settings;
    this.#limits = limits;
    this.#shelf = shelf;
    this.#log = deps.log;
    this.#clock = deps.clock;
    this.#blobs = new ByteCache(limits.blobCacheBytes);
    this.#transport = createHttpTransport({ ...settings, ...limits });
  }

  async resolve(signal: AbortSignal): Promise<Resolved> {
    const timeoutMs = Math.min(this.#settings.timeoutMs, this.#limits.pollTimeoutMs);
    return await this.#attempt(signal, timeoutMs, async (inner) => {
      const name = `refs/heads/${this.#settings.branch}`;
      // The server gives every ref that begins so: `main-2` too.
      const refs = await this.#listRefs(name, inner);
      const found = refs.find((ref) => ref.ref === name);
      if (found !== undefined) return { found: true, revision: found.oid };
      const head = (await this.#listRefs('HEAD', inner)).find((ref) => ref.ref === 'HEAD');
      return { found: false, reason: this.#missingBranch(head?.target?.replace(/^refs\/heads\//, '') ?? null) };
    });
  }

  #missingBranch(defaultBranch: string | null): string {
    const where = `The repository at ${publicUrl(this.#transport.url)}`;
    const branch = JSON.stringify(this.#settings.branch);
    return defaultBranch === null
      ? `${where} has no branch ${branch}; it is empty, or has no default branch either.`
      : `${where} has no branch ${branch}; its default branch is ${JSON.stringify(defaultBranch)}.`;
  }

  #listRefs(prefix: string, signal: AbortSignal): ReturnType<typeof git.listServerRefs> {
    const { url } = this.#transport;
    const http = this.#transport.session(signal, refsLimitBytes);
    return git.listServerRefs({ http, url, prefix, symrefs: prefix === 'HEAD', headers: {} });
  }

  async fetch(revision: string, signal: AbortSignal): Promise<void> {
    await this.#attempt(signal, this.#settings.timeoutMs, (inner) =>
      this.#writing.run(inner, () => this.#bring(revision, inner)),
    );
  }

  async read(revision: string, signal: AbortSignal): Promise<Snapshot> {
    return await this.#withCommit(revision, signal, (store) => this.#snapshot(store, revision, signal));
  }

  async describe(
    revision: string,
    signal: AbortSignal,
  ): Promise<{ readonly title: string; readonly author: string; readonly at: number }> {
    const { title, author, at } = await this.#withCommit(revision, signal, (store) =>
      readCommit(store.objects, revision),
    );
    return { title, author, at };
  }

  async text(revision: string, signal: AbortSignal): Promise<CommitText> {
    const { message } = await this.#withCommit(revision, signal, (store) => readCommit(store.objects, revision));
    return { message, signature: null };
  }

  async object(revision: string, signal: AbortSignal): Promise<Uint8Array> {
    return await this.#withCommit(revision, signal, (store) => readCommitBytes(store.objects, revision));
  }

  async ancestors(revision: string, limit: number, signal: AbortSignal): Promise<readonly string[]> {
    return await this.#withCommit(revision, signal, (store) =>
      firstParents(store.objects, revision, limit, async (depth) => {
        await this.#attempt(signal, this.#settings.timeoutMs, (inner) =>
          this.#writing.run(inner, async () => {
            await store.deepen(this.#remote(inner), revision, depth + deepenBy);
          }),
        );
        return true;
      }),
    );
  }

  async merge(base: string, head: string, history: number, signal: AbortSignal): Promise<Merged> {
    const deepen = async (depth: number): Promise<boolean> => {
      await this.#attempt(signal, this.#settings.timeoutMs, (inner) =>
        this.#writing.run(inner, async () => {
          const store = this.#shelf.current;
          if (store === null) throw new StoreDamage('missing', 'the store is closed');
          await store.deepen(this.#remote(inner), base, depth);
          await store.deepen(this.#remote(inner), head, depth);
        }),
      );
      return true;
    };
    for (const revision of [base, head]) {
      await this.#attempt(signal, this.#settings.timeoutMs, (inner) =>
        this.#writing.run(inner, () => this.#bringObjects(revision, inner)),
      );
    }
    return await this.#withCommit(base, signal, async (store) => {
      const reading = { objects: store.objects, blobs: this.#blobs, limits: this.#limits.snapshot, signal };
      return await mergeCommits(reading, { base, head, path: this.#settings.path, history }, deepen);
    });
  }

  async close(): Promise<void> {
    await this.#transport.close();
    await this.#shelf.close();
  }

  /** Works on the store in force; a commit that it does not have or that is broken there is fetched first. */
  async #withCommit<T>(revision: string, signal: AbortSignal, work: (store: Store) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const current = this.#shelf.current;
    try {
      if (current !== null) return await current.use(work);
    } catch (error) {
      const damage = damageOf(error);
      if (damage === null) throw this.#explain(error, signal);
      this.#proven = null;
      // A commit that was never fetched is no damage; one that is there and cannot be read is.
      if (await current?.objects.has(revision).catch(() => true)) {
        this.#log.warn({ revision, damage }, 'the store is damaged and will be fetched anew');
        this.#damaged = current;
      }
    }
    await this.fetch(revision, signal);
    try {
      const store = this.#shelf.current;
      if (store === null) throw new StoreDamage('missing', 'the store is closed');
      return await store.use(work);
    } catch (error) {
      throw this.#explain(error, signal);
    }
  }

  /** Makes sure that a commit is in the store in force, whole. Only in turn. */
  async #bring(revision: string, signal: AbortSignal): Promise<void> {
    const store = this.#shelf.current;
    if (store !== null && this.#proven?.store === store && this.#proven.revision === revision) return;
    let reason = 'there is none';
    if (store !== null) {
      const damage = store === this.#damaged ? 'it is damaged' : await this.#tryStore(store, revision, signal);
      if (damage === null) return;
      reason = damage;
    }
    const begun = this.#clock.monotonic();
    let refusal: Failure | null = null;
    const fresh = await this.#shelf.replace(async (next) => {
      await next.fetchCommit(this.#remote(signal), revision);
      refusal = await this.#prove(next, revision, signal);
    });
    const ms = Math.round(this.#clock.monotonic() - begun);
    this.#log.info({ revision, reason, ms }, 'a new store was fetched');
    this.#settle(fresh, revision, refusal);
  }

  /** Makes sure that a commit's objects are in the store in force, whatever the commit itself is refused for. Only in turn. */
  async #bringObjects(revision: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#bring(revision, signal);
    } catch (error) {
      // What a commit is refused for was read from it: it is there.
      if (signal.aborted || asFailure(error)?.facts.code !== 'path-missing') throw error;
    }
  }

  /** Notes that a store has a commit whole; throws what the commit itself is refused for. */
  #settle(store: Store, revision: string, refusal: Failure | null): void {
    if (refusal !== null) throw refusal;
    this.#proven = { store, revision };
  }

  /** Brings a commit into a store that is there; gives the reason when that has to be done in a new one instead. */
  async #tryStore(store: Store, revision: string, signal: AbortSignal): Promise<string | null> {
    try {
      this.#settle(store, revision, await this.#prove(store, revision, signal));
      return null;
    } catch (error) {
      if (!(error instanceof StoreDamage && error.kind === 'missing')) return reasonToReplace(error);
    }
    if (await this.#shelf.overgrown(this.#limits.store)) return 'the old one has grown past its bound';
    try {
      const begun = this.#clock.monotonic();
      const bytes = await store.fetchCommit(this.#remote(signal), revision);
      const refusal = await this.#prove(store, revision, signal);
      this.#log.debug({ revision, bytes, ms: Math.round(this.#clock.monotonic() - begun) }, 'a commit was fetched');
      this.#settle(store, revision, refusal);
      return null;
    } catch (error) {
      return reasonToReplace(error);
    }
  }

  /**
   * Reads all of a commit below the path. What the commit itself is to blame for (it lacks the path, say) is given
   * back: the store is sound then, and fetching again would change nothing.
   */
  async #prove(store: Store, revision: string, signal: AbortSignal): Promise<Failure | null> {
    try {
      await this.#snapshot(store, revision, signal);
      return null;
    } catch (error) {
      const refusal = asFailure(error);
      if (refusal === undefined || signal.aborted) throw error;
      return refusal;
    }
  }

  #snapshot(store: Store, revision: string, signal: AbortSignal): Promise<Snapshot> {
    const reading = { objects: store.objects, blobs: this.#blobs, limits: this.#limits.snapshot, signal };
    return commitSnapshot(reading, revision, this.#settings.path);
  }

  #remote(signal: AbortSignal): Remote {
    const { url } = this.#transport;
    return { url, http: this.#transport.session(signal, this.#settings.packLimitBytes), signal };
  }

  /** Runs work under a time limit, with every error of it as a failure. */
  async #attempt<T>(signal: AbortSignal, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(signal, timeoutMs, () => timeoutFailure(this.#transport.url, timeoutMs), work);
    } catch (error) {
      throw this.#explain(error, signal);
    }
  }

  /** The failure behind an error. A reason that the caller gave for stopping, and a fault of ours, stay as they are. */
  #explain(error: unknown, signal: AbortSignal): unknown {
    if (asFailure(error) !== undefined || (signal.aborted && error === signal.reason)) return error;
    return storeFailure(error, this.#transport.url) ?? error;
  }
}

/** What is wrong with a store, in an error that reading or writing it met; null when the error has nothing to do with it. */
function damageOf(error: unknown): string | null {
  if (error instanceof StoreDamage) return error.message;
  // Whatever the file system says no to: where it is not the store, a new one will meet the same.
  return isFileError(error) ? error.message : null;
}

/** The damage as a reason for a new store; throws an error that is none. */
function reasonToReplace(error: unknown): string {
  const damage = damageOf(error);
  if (damage === null) throw error;
  return damage;
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function storeFailure(error: unknown, url: string): Failure | null {
  if (error instanceof StoreDamage) {
    return gitFailure({
      class: 'transient',
      code: 'pack-broken',
      message: `What the Git server at ${publicUrl(url)} sent is broken or not complete (${error.message}).`,
      hint: 'The next poll fetches it again. If this stays, run `git fsck` on the server.',
      url,
    });
  }
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  if (isFileError(error)) {
    return gitFailure({
      class: 'transient',
      code: 'store-failed',
      message: `The Git store on disk cannot be used (${error.code}).`,
      hint: 'Check that the storage folder can be written and has room.',
    });
  }
  // Errors of isomorphic-git carry a code too: the server's answer was not what the protocol says.
  return gitFailure({
    class: 'transient',
    code: 'git-protocol',
    message: `The Git server at ${publicUrl(url)} gave an answer that makes no sense (${error.code}).`,
    hint: 'Check that repository.url is the address that `git clone` would take.',
    url,
  });
}
