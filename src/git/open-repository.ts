import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RepositorySettings } from '../config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { gitFailure, publicUrl } from './git-failure.ts';
import { findGitFolder, LocalRepository } from './local-repository.ts';
import { defaultSnapshotLimits } from './reading/snapshot-limits.ts';
import { RemoteRepository, type RepositoryLimits } from './remote-repository.ts';
import type { CommitObjects, Proposals, Repository } from './repository.ts';
import { defaultStoreLimits, StoreShelf } from './store/store-shelf.ts';

/** What a repository is given besides its settings. */
export interface RepositoryDeps {
  readonly log: Log;
  /** Measures how long a fetch took; the process's own where it is not given. */
  readonly clock?: Pick<Clock, 'monotonic'>;
  /** Bounds other than the usual ones. */
  readonly limits?: Partial<RepositoryLimits>;
}

const defaultLimits: RepositoryLimits = {
  snapshot: defaultSnapshotLimits,
  store: defaultStoreLimits,
  blobCacheBytes: 64 * 1024 * 1024,
  pollTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  silenceTimeoutMs: 30_000,
};

/**
 * Opens a repository over http, https, or at a local path. `storePath` is the folder that keeps what was fetched
 * between runs; null takes a folder of its own that goes with `close`. Nothing is asked of a remote yet. Throws a
 * failure where the address cannot be used or the folder not be written.
 */
export async function openRepository(
  settings: RepositorySettings,
  storePath: string | null,
  deps: RepositoryDeps,
): Promise<Repository & Proposals & CommitObjects> {
  const limits = { ...defaultLimits, ...deps.limits };
  const { url } = settings;
  if (/^https?:\/\//i.test(url)) {
    if (!URL.canParse(url)) throw unusable(url, 'is no valid address');
    const shelf = await openShelf(settings, storePath);
    return new RemoteRepository(settings, shelf, limits, {
      log: deps.log,
      clock: deps.clock ?? { monotonic: () => performance.now() },
    });
  }
  if (/^(ssh|git|git\+ssh|ftps?):\/\//i.test(url) || /^[^/@:\s]+@[^/:\s]+:/.test(url)) {
    throw unusable(url, 'is reached over a transport that is not supported');
  }
  const path = /^file:\/\//i.test(url) ? fileURLToPath(url) : resolve(url);
  return new LocalRepository(settings, await findGitFolder(path), limits.snapshot, limits.blobCacheBytes);
}

async function openShelf(settings: RepositorySettings, storePath: string | null): Promise<StoreShelf> {
  try {
    return await StoreShelf.open(storePath, publicUrl(settings.url), settings.branch);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
    throw gitFailure({
      class: 'transient',
      code: 'store-failed',
      message: `The Git store at ${storePath ?? 'a temporary folder'} cannot be opened (${code}).`,
      hint: 'Check that the storage folder can be written and has room.',
    });
  }
}

function unusable(url: string, says: string): Error {
  return gitFailure({
    class: 'rejected',
    code: 'url-unsupported',
    message: `The repository ${publicUrl(url)} ${says}.`,
    hint: 'repository.url takes https://…, http://…, or the path of a repository on this machine.',
  });
}
