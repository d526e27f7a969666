import * as fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import git from 'isomorphic-git';
import { asFailure } from '../platform/failure.ts';
import { gitFailure, isRevision } from './git-failure.ts';
import { findGitFolder } from './local-repository.ts';

/** Where a name of a revision is looked for, in Git's own order (gitrevisions) as far as people use it for branches. */
const places = ['refs/heads/', 'refs/tags/', 'refs/remotes/', 'refs/remotes/origin/'];

/** The repository that a folder of this machine stands in, and that repository's top folder; null where it is in none. */
export async function enclosingRepository(
  folder: string,
): Promise<{ readonly top: string; readonly gitFolder: string } | null> {
  for (let top = resolve(folder); ; top = dirname(top)) {
    try {
      if (fs.existsSync(resolve(top, '.git'))) return { top, gitFolder: await findGitFolder(top) };
    } catch (error) {
      if (asFailure(error)?.facts.code !== 'repository-not-found') throw error;
    }
    if (dirname(top) === top) return null;
  }
}

/**
 * The commit that a name means in a repository of this machine: a full or shortened SHA, a branch, one of `origin`, or
 * a tag. Throws a failure where there is no such thing, with what may be wrong.
 */
export async function namedRevision(gitFolder: string, name: string): Promise<string> {
  const oid = await oidOf(gitFolder, name);
  if (oid === null) {
    throw gitFailure({
      class: 'rejected',
      code: 'revision-missing',
      message: `the repository has no branch, tag or commit ${JSON.stringify(name)}`,
      hint: 'A clone in CI often has only the newest commit: fetch that branch as well, as in `git fetch origin main`.',
    });
  }
  // A tag leads to its commit.
  const { oid: commit } = await git.readCommit({ fs, gitdir: gitFolder, oid }).catch(() => ({ oid: null }));
  if (commit !== null) return commit;
  throw gitFailure({
    class: 'rejected',
    code: 'revision-missing',
    message: `${JSON.stringify(name)} leads to no commit that is here`,
    hint: 'A clone that is shallow lacks what is older: fetch the commit as well.',
  });
}

async function oidOf(gitFolder: string, name: string): Promise<string | null> {
  if (isRevision(name)) return name;
  const refs = name === 'HEAD' || name.startsWith('refs/') ? [name] : places.map((place) => `${place}${name}`);
  for (const ref of refs) {
    const oid = await git.resolveRef({ fs, gitdir: gitFolder, ref }).catch(() => null);
    if (oid !== null) return oid;
  }
  if (!/^[0-9a-f]{4,39}$/.test(name)) return null;
  return await git.expandOid({ fs, gitdir: gitFolder, oid: name }).catch(() => null);
}
