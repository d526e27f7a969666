import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** What becomes of one path in a commit: text, bytes, a symlink, a submodule, or null for gone. */
export type FileChange = string | Uint8Array | { readonly symlink: string } | { readonly submodule: string } | null;

/** A commit to make. */
export interface CommitRequest {
  readonly files: Readonly<Record<string, FileChange>>;
  /** `main` where it is not given. */
  readonly branch?: string;
  readonly message?: string;
  /** The first is what the tree starts from. The branch's tip where it is not given; none makes a root commit. */
  readonly parents?: readonly string[];
}

/** A bare repository that commits are made in without a working tree. */
export interface ServedRepository {
  readonly path: string;
  readonly url: string;
  /** Makes a commit and moves the branch to it, also where that is no fast-forward. Gives the commit's SHA. */
  commit(request: CommitRequest): Promise<string>;
  /** The branch's commit, or null. */
  tip(branch?: string): Promise<string | null>;
  setBranch(branch: string, revision: string): Promise<void>;
  deleteBranch(branch: string): Promise<void>;
  /** Writes an object of any content, also one that Git would not make; gives its id. */
  hashObject(type: 'blob' | 'tree' | 'commit', bytes: Uint8Array): Promise<string>;
  /** Runs Git in the repository and gives what it prints. */
  git(...args: string[]): Promise<string>;
}

/** An environment in which Git reads no configuration but the repository's own and asks for nothing. */
export function gitEnvironment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Test Author',
    GIT_AUTHOR_EMAIL: 'author@example.com',
    GIT_COMMITTER_NAME: 'Test Author',
    GIT_COMMITTER_EMAIL: 'author@example.com',
    LC_ALL: 'C',
  };
}

/** Runs Git and gives its output; throws with what it wrote to standard error when it fails. */
export async function runGit(args: readonly string[], cwd: string, input?: readonly Uint8Array[]): Promise<string> {
  const child = spawn('git', args, { cwd, env: gitEnvironment(), stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.on('error', () => undefined);
  for (const part of input ?? []) child.stdin.write(part);
  child.stdin.end();
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}: ${errors}`);
  return output;
}

/** Makes an empty bare repository at a path that does not exist yet. */
export async function createServedRepository(path: string, url: string): Promise<ServedRepository> {
  await runGit(['init', '--quiet', '--bare', '--initial-branch=main', path], '/');
  const git = (...args: string[]): Promise<string> => runGit(args, path);
  const tip = async (branch = 'main'): Promise<string | null> =>
    (await git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`)).trim() || null;
  let count = 0;
  return {
    path,
    url,
    git,
    tip,
    setBranch: async (branch, revision) => {
      await git('update-ref', `refs/heads/${branch}`, revision);
    },
    hashObject: async (type, bytes) =>
      (await runGit(['hash-object', '--literally', '--stdin', '-w', '-t', type], path, [bytes])).trim(),
    deleteBranch: async (branch) => {
      await git('update-ref', '-d', `refs/heads/${branch}`);
    },
    commit: async (request) => {
      count += 1;
      const from = await tip(request.branch);
      const parents = request.parents ?? (from === null ? [] : [from]);
      const stream = importStream(request, parents, count);
      const args = ['-c', 'fastimport.unpackLimit=100', 'fast-import', '--quiet', '--force', '--date-format=raw'];
      return (await runGit(args, path, stream)).trim();
    },
  };
}

/** Commits are a minute apart from a fixed time on, so that the same test makes the same SHAs. */
const firstCommitSeconds = 1_700_000_000;

function importStream(request: CommitRequest, parents: readonly string[], count: number): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  const line = (words: string): void => void parts.push(Buffer.from(`${words}\n`));
  const data = (bytes: Uint8Array): void => {
    line(`data ${bytes.length}`);
    parts.push(bytes, Buffer.from('\n'));
  };
  const branch = `refs/heads/${request.branch ?? 'main'}`;
  // A reset first, or the tree of a root commit would start from the branch's tip.
  line(`reset ${branch}`);
  line(`commit ${branch}`);
  line('mark :1');
  line(`committer Test Author <author@example.com> ${firstCommitSeconds + count * 60} +0000`);
  data(Buffer.from(request.message ?? `Change ${count}`));
  parents.forEach((parent, index) => {
    line(`${index === 0 ? 'from' : 'merge'} ${parent}`);
  });
  for (const [path, change] of Object.entries(request.files)) {
    const name = quotePath(path);
    if (change === null) line(`D ${name}`);
    else if (typeof change === 'string' || change instanceof Uint8Array) {
      line(`M 100644 inline ${name}`);
      data(typeof change === 'string' ? Buffer.from(change) : change);
    } else if ('symlink' in change) {
      line(`M 120000 inline ${name}`);
      data(Buffer.from(change.symlink));
    } else line(`M 160000 ${change.submodule} ${name}`);
  }
  line('');
  line('get-mark :1');
  return parts;
}

function quotePath(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
