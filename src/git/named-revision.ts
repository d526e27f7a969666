import * as fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import git from 'isomorphic-git';
import { asFailure } from '../platform/failure.ts';
import { gitFailure, isRevision } from './git-failure.ts';
import { findGitFolder } from './local-repository.ts';

/** Where a name of a revision is looked for, in Git's own order (gitrevisions) as far as people use it for branches. */
const places = ['refs/heads/', 'refs/tags/', 'refs/remotes/', 'refs/remotes/origin/'];

/** A repository of this machine, as a folder inside of it sees it. */
export interface EnclosingRepository {
  /** The top folder of the working tree. */
  readonly top: string;
  /** Where branches, tags and objects are. */
  readonly gitFolder: string;
  /** Where this working tree's own HEAD is: elsewhere for a linked worktree. */
  readonly headFolder: string;
}

/** The repository that a folder of this machine stands in; null where it is in none. */
export async function enclosingRepository(folder: string): Promise<EnclosingRepository | null> {
  for (let top = resolve(folder); ; top = dirname(top)) {
    try {
      const own = resolve(top, '.git');
      if (fs.existsSync(own)) {
        const gitFolder = await findGitFolder(top);
        const link = fs.statSync(own).isFile() ? /^gitdir: (.+)$/m.exec(fs.readFileSync(own, 'utf8'))?.[1] : undefined;
        return { top, gitFolder, headFolder: link === undefined ? gitFolder : resolve(top, link) };
      }
    } catch (error) {
      if (asFailure(error)?.facts.code !== 'repository-not-found') throw error;
    }
    if (dirname(top) === top) return null;
  }
}

/**
 * The commit that a name means in a repository of this machine: a full or shortened SHA, a branch, one of `origin`, a
 * tag, `HEAD` or `@`, what was fetched last as `FETCH_HEAD`, and any of these with `~N` and `^N` behind it (gitrevisions).
 * Throws a failure where there is no such thing, with what may be wrong.
 */
export async function namedRevision(repository: EnclosingRepository, name: string): Promise<string> {
  const [, base = '', steps = ''] = /^(.*?)((?:[~^]\d*)*)$/s.exec(name) ?? [];
  const oid = await oidOf(repository, base === '@' ? 'HEAD' : base);
  if (oid === null) {
    throw missing(
      `the repository has no branch, tag or commit ${JSON.stringify(base)}`,
      `A clone in CI often has only the newest commit: fetch that branch as well, as in \`${fetching(base)}\`.`,
    );
  }
  // A tag leads to its commit.
  let commit = await readCommit(repository, oid);
  for (const [, kind = '', count] of steps.matchAll(/([~^])(\d*)/g)) {
    const number = count === undefined || count === '' ? 1 : Number(count);
    // `~N` goes N times to the first parent, `^N` once to the Nth one, and `^0` nowhere.
    const ways = kind === '~' ? Array.from({ length: Math.min(number, mostSteps) }, () => 0) : [number - 1];
    for (const way of ways.filter((index) => index >= 0)) {
      const parent = commit?.parents[way];
      if (commit !== null && parent === undefined) {
        throw missing(`${JSON.stringify(name)} is before the first commit, or leads to a parent that is not there`, '');
      }
      commit = parent === undefined ? null : await readCommit(repository, parent);
    }
  }
  if (commit !== null) return commit.oid;
  throw missing(
    `${JSON.stringify(name)} leads to no commit that is here`,
    `A clone that is shallow lacks what is older: \`git fetch --unshallow\`, or \`${fetching(base)}\` for the tip of a branch.`,
  );
}

/** Whoever goes back further means something else; Git would be as slow at it. */
const mostSteps = 100_000;

/** What fetches a branch so that it has a name: without the second half it has one only where it is followed. */
function fetching(name: string): string {
  const branch = name.replace(/^(refs\/remotes\/|refs\/heads\/)?(origin\/)?/, '');
  const fit =
    /^[A-Za-z0-9][\w./-]*$/.test(branch) && !/^([0-9a-f]{4,40}|HEAD|FETCH_HEAD)$/.test(branch) ? branch : 'main';
  return `git fetch origin ${fit}:refs/remotes/origin/${fit}`;
}

function missing(message: string, hint: string): Error {
  return gitFailure({ class: 'rejected', code: 'revision-missing', message, hint });
}

async function readCommit(
  { gitFolder }: EnclosingRepository,
  oid: string,
): Promise<{ readonly oid: string; readonly parents: readonly string[] } | null> {
  const read = await git.readCommit({ fs, gitdir: gitFolder, oid }).catch(() => null);
  return read === null ? null : { oid: read.oid, parents: read.commit.parent };
}

async function oidOf({ gitFolder, headFolder }: EnclosingRepository, name: string): Promise<string | null> {
  if (isRevision(name)) return name;
  if (name === 'HEAD' || name === 'FETCH_HEAD') return await headOf(name, gitFolder, headFolder);
  const refs = name.startsWith('refs/') ? [name] : places.map((place) => `${place}${name}`);
  for (const ref of refs) {
    const oid = await git.resolveRef({ fs, gitdir: gitFolder, ref }).catch(() => null);
    if (oid !== null) return oid;
  }
  if (!/^[0-9a-f]{4,39}$/.test(name)) return null;
  return await git.expandOid({ fs, gitdir: gitFolder, oid: name }).catch(() => null);
}

/** What a working tree's own file says: a commit, of several the first one, or the ref that it stands for. */
async function headOf(name: string, gitFolder: string, headFolder: string): Promise<string | null> {
  const text = await readFile(join(headFolder, name), 'utf8').catch(() => '');
  const [, ref] = /^ref: (.+)$/m.exec(text) ?? [];
  if (ref !== undefined) return await git.resolveRef({ fs, gitdir: gitFolder, ref: ref.trim() }).catch(() => null);
  return /^[0-9a-f]{40}\b/.exec(text)?.[0] ?? null;
}
