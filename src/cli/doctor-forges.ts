import type { OpenWorld } from '../destination/open.ts';
import type { Forge } from '../forge/forge.ts';
import { openForge } from '../forge/open.ts';
import type { PullRequests } from '../forge/pull-requests.ts';
import { asFailure } from '../platform/failure.ts';
import { configured, type Finding, tried } from './doctor-finding.ts';
import type { Io } from './io.ts';
import type { Session } from './session.ts';

/** A commit that no repository has, and the number of a pull request that none has got to. */
const [noCommit, noPullRequest] = ['0'.repeat(40), 2_147_483_647];

const absent = new Set([400, 404, 409, 410, 422]);

/** What every forge is needed for: commit statuses, and where pull requests are reviewed, those. Nothing is left there. */
export async function forgeFindings(
  session: Session,
  world: OpenWorld,
  head: string | null,
  io: Io,
): Promise<readonly Finding[]> {
  const status = await configured(() => session.configuration.status());
  if (status instanceof Error) return [{ what: 'status', well: false, said: status.message, hint: '' }];
  const review = await configured(() => session.configuration.review());
  if (review instanceof Error) return [{ what: 'review', well: false, said: review.message, hint: '' }];
  const branch = session.configuration.repository()?.branch ?? '';
  const all = await Promise.all(
    status.forges.map(async (settings) => {
      const forge = openForge(settings, { ...world, branch });
      const where = `on ${forge.name} (${settings.repository})`;
      try {
        const read = await tried(`commit statuses ${where}`, io, async () => {
          if (head === null) throw new Error('not tried, because no commit is known');
          const known = await forge.list(head, io.signal);
          return `${known.length} statuses on ${head.slice(0, 10)} read`;
        });
        if (!read.well && head !== null) return [read];
        const posts = 'app' in settings ? 'check runs' : 'commit statuses';
        const post = await tried(`posting ${posts} ${where}`, io, () => mayPost(forge, settings.context, posts, io));
        const { pullRequests } = forge;
        if (review === null || pullRequests === undefined) return [read, post];
        return [read, post, ...(await reviewFindings(pullRequests, { where, branch, review }, io))];
      } finally {
        await forge.close();
      }
    }),
  );
  return all.flat();
}

async function reviewFindings(
  pulls: PullRequests,
  {
    where,
    branch,
    review,
  }: { readonly where: string; readonly branch: string; readonly review: { comment: boolean; commands: boolean } },
  io: Io,
): Promise<readonly Finding[]> {
  let newest: { readonly number: number; readonly author: string } | undefined;
  const list = await tried(`pull requests ${where}`, io, async () => {
    const open = await pulls.listOpen(branch, io.signal);
    newest = open.at(-1);
    return `${open.length} open against ${branch}`;
  });
  if (!list.well) return [list];
  const found: Finding[] = [list];
  const one = newest;
  if (review.comment) {
    if (one !== undefined) {
      const read = async () => {
        const comments = await pulls.comments(one.number, 0, io.signal);
        return `${comments.length} by others on #${one.number} read`;
      };
      found.push(await tried(`comments of pull requests ${where}`, io, read));
    }
    const words = 'konverge doctor tries whether it may write comments.';
    const write = (signal: AbortSignal) => pulls.comment(noPullRequest, words, signal);
    found.push(await tried(`writing comments ${where}`, io, () => notRefused(write, 'a pull request', io)));
  }
  if (review.commands) {
    found.push(
      await tried(`who may write ${where}`, io, async () => {
        if (one === undefined) return 'not tried, for want of an open pull request';
        const may = await pulls.mayWrite(one.author, io.signal);
        return `the author of #${one.number} ${may ? 'may' : 'may not'}`;
      }),
    );
  }
  return found;
}

async function mayPost(forge: Forge, context: string, posts: string, io: Io): Promise<string> {
  // It takes builds of any commit, whether or not there is one.
  if (forge.takesAnyCommit === true) return 'cannot be tried without leaving one; the first delivery tells';
  const status = {
    revision: noCommit,
    context: `${context}/doctor`,
    state: 'error',
    description: `konverge doctor tries whether it may post ${posts}`,
    targetUrl: null,
  } as const;
  return notRefused((signal) => forge.post(status, signal), 'a commit', io);
}

/**
 * Asks a forge for what it cannot do, since what it is about is not there. Who may not do it at all is told so first;
 * throws that. What else it says tells nothing against the right.
 */
async function notRefused(ask: (signal: AbortSignal) => Promise<void>, of: string, io: Io): Promise<string> {
  try {
    await ask(io.signal);
  } catch (thrown) {
    const status = asFailure(thrown)?.facts.status ?? null;
    if (status === null || status === 401 || status === 403) throw thrown;
    if (absent.has(status)) return `not refused (${status} for ${of} that there is not)`;
    return `cannot be told: ${status} for ${of} that there is not; the first one tells`;
  }
  return `taken for ${of} that there is not`;
}
