import { join, normalize, resolve } from 'node:path';
import type { RepositorySettings } from '../config/settings.ts';
import { folderSnapshot } from '../git/folder-snapshot.ts';
import { openRepository } from '../git/open-repository.ts';
import type { Repository } from '../git/repository.ts';
import { verified } from '../git/verified-repository.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { asFailure, Failure } from '../platform/failure.ts';
import { type Arguments, UsageError } from './arguments.ts';
import type { Io } from './io.ts';
import type { Session } from './session.ts';

/** The files that a command reads. */
export interface SourceFiles {
  readonly snapshot: Snapshot;
  /** Files that were named one by one. */
  readonly named: readonly string[];
  /** What stands before the files' names in the repository, such as `gateway/`; for tools that annotate it. */
  readonly prefix: string;
  /** The text of a file, for showing lines of it; undefined where it is none. */
  readonly text: (file: string) => string | undefined;
}

/** The files of a command's PATHs: of the working tree, or with `--repo` of a commit. Throws Failure or UsageError. */
export async function readSource(args: Arguments, io: Io, session: Session): Promise<SourceFiles> {
  const url = args.value('repo');
  if (url === undefined) {
    if (args.value('revision') !== undefined) throw new UsageError('--revision goes with --repo');
    const { snapshot, named } = await workingTree(args, io, session);
    if (session.configuration.verify() !== null) io.stderr(notVerified);
    return { snapshot, named, prefix: prefixOf(args, session), text: textIn(snapshot) };
  }
  const isPath = !/^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !/^[^/@:\s]+@[^/:\s]+:/.test(url);
  const snapshot = await commit(isPath ? resolve(io.cwd, url) : url, args, io, session);
  return { snapshot, named: [], prefix: prefixOf(args, session), text: textIn(snapshot) };
}

const notVerified =
  'konverge: files on disk have no signature that could be verified (repository.verify); --repo and --revision read a commit, which has\n';

/** Names are relative to the one folder that was read; several folders, and files, are named as they were given. */
function prefixOf(args: Arguments, session: Session): string {
  const [path, ...more] = args.positionals;
  if (more.length > 0) return '';
  const folder = normalize(path ?? session.configuration.files().path).replace(/^\.\/?|\/+$/g, '');
  const isFile = path !== undefined && args.value('repo') === undefined && /\.(ya?ml|json)$/i.test(folder);
  return folder === '' || isFile ? '' : `${folder}/`;
}

async function workingTree(
  args: Arguments,
  io: Io,
  session: Session,
): Promise<{ readonly snapshot: Snapshot; readonly named: readonly string[] }> {
  const given = args.positionals;
  const paths = given.length > 0 ? given : [join(session.folder, session.configuration.files().path)];
  const reading = folderSnapshot(
    paths.map((path) => (resolve(io.cwd, path) === resolve(path) ? path : resolve(io.cwd, path))),
  );
  const files = given.length > 0 ? await reading : await configured(reading);
  return { snapshot: files.snapshot, named: [...files.named] };
}

/** What the configuration names starts from its own folder, wherever the command runs. */
export async function configured<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    if (facts?.code !== 'path-missing') throw thrown;
    const hint = 'It is `repository.path`, taken from the folder of the configuration file. PATH names another place.';
    throw new Failure({ ...facts, hint });
  }
}

async function commit(url: string, args: Arguments, io: Io, session: Session): Promise<Snapshot> {
  if (args.positionals.length > 1) throw new UsageError('with --repo, one PATH can be given');
  return await readCommitOf(url, args.value('revision'), args, io, session, true);
}

/**
 * The files of a PATH at a branch or commit of a repository; the configured branch where none is named. What is not only
 * compared with has to be signed where the configuration says so. Throws Failure or ConfigurationError.
 */
export async function readCommitOf(
  url: string,
  named: string | undefined,
  args: Arguments,
  io: Io,
  session: Session,
  isForDelivery: boolean,
): Promise<Snapshot> {
  const [path] = args.positionals;
  const configured = session.configuration.repository();
  const known = configured !== null && configured.url === url ? configured : null;
  const wanted = named ?? known?.branch ?? 'main';
  const isRevision = /^[0-9a-f]{40}$/.test(wanted);
  const settings: RepositorySettings = {
    ...(known ?? settingsOfUnknown),
    url,
    branch: isRevision ? (known?.branch ?? 'main') : wanted,
    path: (path ?? known?.path ?? '').replace(/^\/+|\/+$/g, ''),
  };
  const repository = await verified(
    isForDelivery ? session.configuration.verify() : null,
    () => openRepository(settings, null, { log: session.log }),
    () => Date.now(),
  );
  try {
    const revision = isRevision ? wanted : await tip(repository, wanted, io.signal);
    await repository.fetch(revision, io.signal);
    return await repository.read(revision, io.signal);
  } finally {
    await repository.close();
  }
}

async function tip(repository: Repository, branch: string, signal: AbortSignal): Promise<string> {
  const resolved = await repository.resolve(signal);
  if (resolved.found) return resolved.revision;
  throw new Failure({
    class: 'rejected',
    code: 'branch-missing',
    message: `the branch ${branch} is not there: ${resolved.reason}`,
    hint: 'Name a branch, or a commit by its full SHA, with --revision.',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}

/** What is assumed of a repository that the configuration does not describe. */
export const settingsOfUnknown: Omit<RepositorySettings, 'url' | 'branch' | 'path'> = {
  ignore: [],
  intervalMs: 30_000,
  history: 500,
  auth: { type: 'none' },
  ca: null,
  proxy: null,
  timeoutMs: 120_000,
  packLimitBytes: 512 * 1024 * 1024,
};

function textIn(snapshot: Snapshot): (file: string) => string | undefined {
  const decoder = new TextDecoder('utf-8');
  return (file) => {
    const entry = snapshot.entries.get(file);
    return entry?.type === 'file' ? decoder.decode(entry.bytes) : undefined;
  };
}
