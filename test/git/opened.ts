import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { RepositorySettings } from '../../src/config/settings.ts';
import { openRepository, type RepositoryDeps } from '../../src/git/open-repository.ts';
import type { Proposals, Repository } from '../../src/git/repository.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { Failure } from '../../src/platform/failure.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import type { ServedRepository } from '../support/served-repository.ts';
import { repositorySettings } from './repository-settings.ts';

/** A signal that is never aborted. */
export const signal = new AbortController().signal;

/** A server with an empty repository, and repositories opened on it, for each test of a file. */
export interface Scene {
  readonly server: GitServer;
  readonly remote: ServedRepository;
  /** The folder of the store that `open` uses. */
  readonly storePath: string;
  open(settings?: Partial<RepositorySettings>, limits?: RepositoryDeps['limits']): Promise<Repository & Proposals>;
}

/** Sets a scene up before each test and takes it down afterwards. What is given is filled in before a test runs. */
export function useScene(): Scene {
  const opened: Repository[] = [];
  let built: { server: GitServer; remote: ServedRepository; storePath: string } | null = null;
  const current = (): { server: GitServer; remote: ServedRepository; storePath: string } => {
    if (built === null) throw new Error('a scene is there only inside a test');
    return built;
  };
  beforeEach(async () => {
    const server = await startGitServer();
    built = {
      server,
      remote: await server.createRepository('acme.git'),
      storePath: await mkdtemp(join(tmpdir(), 'store-')),
    };
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((repository) => repository.close()));
    await current().server.close();
    await rm(current().storePath, { recursive: true, force: true });
  });
  return {
    get server() {
      return current().server;
    },
    get remote() {
      return current().remote;
    },
    get storePath() {
      return current().storePath;
    },
    open: async (settings = {}, limits = {}) => {
      const all = repositorySettings(current().remote.url, settings);
      const repository = await openRepository(all, current().storePath, { log: silentLog, limits });
      opened.push(repository);
      return repository;
    },
  };
}

/** Polls once and fetches what the branch points at. */
export async function follow(repository: Repository): Promise<string> {
  const found = await repository.resolve(signal);
  if (!found.found) throw new Error(found.reason);
  await repository.fetch(found.revision, signal);
  return found.revision;
}

/** A snapshot's files as texts; what is no file as the word for it. */
export function texts(snapshot: Snapshot): Record<string, string> {
  const shown = [...snapshot.entries].map(([path, entry]) => [
    path,
    entry.type === 'file' ? Buffer.from(entry.bytes).toString() : entry.type,
  ]);
  return Object.fromEntries(shown);
}

/** The facts of the failure that something ends in. */
export async function failure(work: Promise<unknown>): Promise<Failure['facts']> {
  const error: unknown = await work.then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw new Error('not a failure', { cause: error });
  return error.facts;
}
