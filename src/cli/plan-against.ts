import { join, relative, resolve, sep } from 'node:path';
import { build } from '../build/build.ts';
import type { Built, Scope } from '../build/built.ts';
import { excludedKinds } from '../daemon/excluded-kinds.ts';
import { scopeOf } from '../daemon/scope.ts';
import { enclosingRepository, namedRevision } from '../git/named-revision.ts';
import { openRepository } from '../git/open-repository.ts';
import { lanePlan } from '../lane/lane-plan.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Plan } from '../plan/plan.ts';
import { asFailure } from '../platform/failure.ts';
import { type Arguments, UsageError } from './arguments.ts';
import type { Io } from './io.ts';
import { chosenDestinations, type Session } from './session.ts';
import { readCommitOf, type SourceFiles, settingsOfUnknown } from './source-files.ts';

/** The difference between two revisions at one destination, or why there is none. */
export type AgainstResult =
  | { readonly plan: Plan; readonly name: string; readonly built: Built; readonly refused: readonly Diagnostic[] }
  | { readonly name: string; readonly invalid: Built };

/** What stands for a destination where the configuration has none. */
const noDestination = 'files';

/**
 * The plans from another revision to these files, for each destination: what `--against` asks for. Asks no destination
 * and looks at no value of the environment. Throws Failure or UsageError.
 */
export async function plansAgainst(
  args: Arguments,
  io: Io,
  session: Session,
  files: SourceFiles,
): Promise<readonly AgainstResult[]> {
  if (args.value('kong') !== undefined) throw new UsageError('--against compares revisions, and takes no --kong');
  const { configuration } = session;
  const before = await otherSnapshot(args, io, session);
  const named = configuration.destinationNames.length === 0 ? [] : chosenDestinations(args, configuration, true);
  if (named.length === 0) return [between(noDestination, null, before, session, files)];
  return named.map((name) => between(name, scopeOf(configuration, name), before, session, files));
}

function between(
  name: string,
  scope: Scope | null,
  before: Snapshot,
  session: Session,
  files: SourceFiles,
): AgainstResult {
  const assumed = session.assumed(scope === null ? null : name);
  const settings = { ...session.settings, ...assumed.settings, scope, standIns: true };
  const built = build(files.snapshot, { ...settings, named: files.named });
  if (!built.valid) return { name, invalid: built };
  const { state } = build(before, settings);
  const { exclude } = scope === null ? { exclude: null } : session.configuration.scope(name);
  const make = lanePlan({
    destination: name,
    // Nothing is held: the question is what differs, and nothing goes out.
    policy: { prune: true, adopt: true, maxDelete: { share: 1, atLeast: Number.MAX_SAFE_INTEGER } },
    exclude: {
      kinds: exclude === null ? [] : excludedKinds(name, exclude.kinds),
      tags: exclude?.tags ?? [],
      prune: exclude?.prune ?? false,
    },
    knowsHistory: false,
  });
  const mode = scope?.mode ?? 'database';
  const { plan } = make({
    built,
    live: { state, notManaged: new Map(), nodes: [], readAt: session.settings.instant },
    schemas: assumed.schemas,
    identified: { description: '', version: null, edition: 'oss', router: 'traditional_compatible', mode },
    declaredEarlier: new Set(),
  });
  return { plan: { ...plan, held: null }, name, built, refused: [] };
}

async function otherSnapshot(args: Arguments, io: Io, session: Session): Promise<Snapshot> {
  const wanted = args.value('against') ?? '';
  const [path, ...more] = args.positionals;
  if (more.length > 0) throw new UsageError('with --against, one PATH can be given');
  const url = args.value('repo');
  if (url !== undefined) return emptyWhereMissing(readCommitOf(url, wanted, args, io, session, false));
  const folder = path === undefined ? join(session.folder, session.configuration.files().path) : path;
  const place = resolve(io.cwd, folder);
  const repository = await enclosingRepository(io.cwd);
  if (repository === null) {
    throw new UsageError('--against needs a Git repository: run it inside of one, or name one with --repo');
  }
  const below = relative(repository.top, place).split(sep).join('/');
  if (below.startsWith('..')) throw new UsageError(`${folder} is not in the Git repository of this folder`);
  const revision = await namedRevision(repository, wanted);
  const settings = { ...settingsOfUnknown, url: repository.top, branch: 'main', path: below };
  const opened = await openRepository(settings, null, { log: session.log });
  try {
    return await emptyWhereMissing(opened.read(revision, io.signal));
  } finally {
    await opened.close();
  }
}

/** A revision from before the folder was made has nothing in it. */
async function emptyWhereMissing(reading: Promise<Snapshot>): Promise<Snapshot> {
  try {
    return await reading;
  } catch (error) {
    if (asFailure(error)?.facts.code !== 'path-missing') throw error;
    return { revision: null, entries: new Map() };
  }
}
