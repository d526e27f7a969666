import * as fs from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import git from 'isomorphic-git';
import type { RepositorySettings } from '../config/settings.ts';
import type { CommitText } from '../model/commit-text.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { asFailure } from '../platform/failure.ts';
import { gitFailure, shortRevision } from './git-failure.ts';
import { mergeCommits } from './merging/merge-commits.ts';
import type { Merged } from './merging/merge-snapshots.ts';
import { ByteCache } from './objects/byte-cache.ts';
import { ObjectDatabase } from './objects/object-database.ts';
import { StoreDamage } from './objects/store-damage.ts';
import { branchTip } from './reading/branch-tip.ts';
import { commitSnapshot, readCommit, readCommitBytes } from './reading/commit-snapshot.ts';
import { firstParents } from './reading/first-parents.ts';
import type { SnapshotLimits } from './reading/snapshot-limits.ts';
import type { CommitObjects, Proposals, Repository, Resolved } from './repository.ts';

/** A repository on this machine, bare or with a working tree. It is only read, and nothing of it is copied. */
export class LocalRepository implements Repository, Proposals, CommitObjects {
  readonly #settings: RepositorySettings;
  readonly #limits: SnapshotLimits;
  readonly #folder: string;
  readonly #objects: ObjectDatabase;
  readonly #blobs: ByteCache<Uint8Array>;

  constructor(settings: RepositorySettings, folder: string, limits: SnapshotLimits, blobCacheBytes: number) {
    this.#settings = settings;
    this.#folder = folder;
    this.#limits = limits;
    this.#objects = new ObjectDatabase(join(folder, 'objects'));
    this.#blobs = new ByteCache(blobCacheBytes);
  }

  async resolve(signal: AbortSignal): Promise<Resolved> {
    signal.throwIfAborted();
    const { branch } = this.#settings;
    return await this.#explain(signal, async () => {
      // Without it, a branch of a repository that is gone would be taken for one that was deleted.
      await stat(join(this.#folder, 'HEAD'));
      const revision = await branchTip(this.#folder, `refs/heads/${branch}`);
      if (revision !== null) return { found: true, revision };
      const names = await git.listBranches({ fs, gitdir: this.#folder });
      const has =
        names.length === 0
          ? 'none at all'
          : names
              .slice(0, 8)
              .map((name) => JSON.stringify(name))
              .join(', ');
      return { found: false, reason: `The repository has no branch ${JSON.stringify(branch)}; it has ${has}.` };
    });
  }

  async fetch(revision: string, signal: AbortSignal): Promise<void> {
    await this.read(revision, signal);
  }

  async read(revision: string, signal: AbortSignal): Promise<Snapshot> {
    signal.throwIfAborted();
    const reading = { objects: this.#objects, blobs: this.#blobs, limits: this.#limits, signal };
    return await this.#explain(signal, () => commitSnapshot(reading, revision, this.#settings.path), revision);
  }

  async ancestors(revision: string, limit: number, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted();
    // A clone that is shallow itself has no more to give.
    const deepen = (): Promise<boolean> => Promise.resolve(false);
    return await this.#explain(signal, () => firstParents(this.#objects, revision, limit, deepen), revision);
  }

  async describe(
    revision: string,
    signal: AbortSignal,
  ): Promise<{ readonly title: string; readonly author: string; readonly at: number }> {
    signal.throwIfAborted();
    const commit = await this.#explain(signal, () => readCommit(this.#objects, revision), revision);
    return { title: commit.title, author: commit.author, at: commit.at };
  }

  async text(revision: string, signal: AbortSignal): Promise<CommitText> {
    signal.throwIfAborted();
    const { message } = await this.#explain(signal, () => readCommit(this.#objects, revision), revision);
    return { message, signature: null };
  }

  async object(revision: string, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    return await this.#explain(signal, () => readCommitBytes(this.#objects, revision), revision);
  }

  async merge(base: string, head: string, history: number, signal: AbortSignal): Promise<Merged> {
    signal.throwIfAborted();
    const reading = { objects: this.#objects, blobs: this.#blobs, limits: this.#limits, signal };
    const request = { base, head, path: this.#settings.path, history };
    // A clone that is shallow itself has no more to give.
    return await this.#explain(signal, () => mergeCommits(reading, request, () => Promise.resolve(false)), head);
  }

  close(): Promise<void> {
    return this.#objects.close();
  }

  async #explain<T>(signal: AbortSignal, work: () => Promise<T>, revision?: string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (asFailure(error) !== undefined || (signal.aborted && error === signal.reason)) throw error;
      if (error instanceof StoreDamage) {
        throw gitFailure({
          class: 'rejected',
          code: 'repository-damaged',
          message: `Revision ${shortRevision(revision ?? '')} cannot be read from ${this.#settings.url}: ${error.message}.`,
          hint: 'Run `git fsck` there.',
        });
      }
      if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw gone(this.#settings.url);
        throw gitFailure({
          class: 'rejected',
          code: 'repository-unreadable',
          message: `The repository at ${this.#settings.url} cannot be read (${error.code}).`,
          hint: 'Check that it exists and that this user may read it.',
        });
      }
      throw error;
    }
  }
}

/** The folder was there when the repository was opened. */
function gone(path: string): Error {
  return gitFailure({
    class: 'transient',
    code: 'repository-unreadable',
    message: `The folder of the repository at ${path} is gone.`,
    hint: 'Put it back, or mount it again; it is looked for with every poll, and nothing is changed until then.',
  });
}

/**
 * The folder with a repository's refs and objects: the path itself where it is bare, its `.git`, or for a worktree
 * what the file `.git` leads to. Throws a failure where there is none, or one of a format that cannot be read.
 */
export async function findGitFolder(path: string): Promise<string> {
  const folder = (await gitFolderAt(join(path, '.git'))) ?? (await gitFolderAt(path));
  if (folder === null) {
    throw gitFailure({
      class: 'rejected',
      code: 'repository-not-found',
      message: `There is no Git repository at ${path}.`,
      hint: 'repository.url has to be an address, or the path of a repository, bare or not. A relative one starts from the folder of the configuration file; `validate`, `plan` and `apply` take another repository with --repo.',
    });
  }
  const config = await readFile(join(folder, 'config'), 'utf8').catch(() => '');
  const format = /^\s*(objectformat\s*=\s*sha256|refstorage\s*=\s*reftable)\s*$/im.exec(config)?.[1];
  if (format === undefined) return folder;
  throw gitFailure({
    class: 'rejected',
    code: 'repository-format',
    message: `The repository at ${path} has a format that cannot be read (${format.replace(/\s+/g, ' ')}).`,
    hint: 'Use a repository with SHA-1 objects and refs in files, which is what Git makes unless told otherwise.',
  });
}

async function gitFolderAt(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  if (found.isFile()) {
    const text = await readFile(path, 'utf8');
    const target = /^gitdir: (.+)$/m.exec(text)?.[1];
    return target === undefined ? null : await gitFolderAt(resolve(path, '..', target));
  }
  // The refs and objects of a worktree are those of the repository that it belongs to.
  const common = await readFile(join(path, 'commondir'), 'utf8').catch(() => null);
  const folder = common === null ? path : resolve(path, common.trim());
  const objects = await stat(join(folder, 'objects')).catch(() => null);
  const head = await stat(join(folder, 'HEAD')).catch(() => null);
  return objects?.isDirectory() && head !== null ? folder : null;
}
