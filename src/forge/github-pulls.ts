import { z } from 'zod';
import { asFailure } from '../platform/failure.ts';
import type { PostedStatus } from './forge.ts';
import type { ForgeClient } from './forge-client.ts';
import { LinkedPages } from './pages.ts';
import type { PortComment, PullRequestPort } from './pull-request-port.ts';
import type { PullRequest } from './pull-requests.ts';
import { commitId, pageUrl } from './untrusted.ts';

/** The longest body of a comment, in characters (it answers 422 beyond that). */
const commentLimit = 65_536;

const account = z.object({ id: z.number(), login: z.string(), type: z.string().nullish() });

const pull = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  user: account.nullish(),
  draft: z.boolean().nullish(),
  html_url: z.string().nullish(),
  head: z.object({ sha: z.string().nullish(), repo: z.object({ id: z.number() }).nullish() }),
  base: z.object({ ref: z.string(), repo: z.object({ id: z.number() }) }),
});

/** Whether one is open, and where it is to be merged into. */
const target = z.object({ state: z.string(), base: z.object({ ref: z.string() }) });

const comment = z.object({
  id: z.number(),
  user: account.nullish(),
  body: z.string().nullish(),
  created_at: z.string(),
});

const made = z.object({ id: z.number() });

const permission = z.object({ permission: z.string() });

const refusalBody = z.object({ message: z.string() });

/** What GitHub's pull requests are read with. */
export interface GithubPulls {
  readonly client: ForgeClient;
  /** `/repos/OWNER/NAME`. */
  readonly repository: string;
  readonly post: (status: PostedStatus, signal: AbortSignal) => Promise<void>;
  /** Tells whether somebody is the one whose token it is. */
  readonly self: (signal: AbortSignal) => Promise<(author: GithubAccount) => boolean>;
}

/** Somebody as GitHub names them. */
export interface GithubAccount {
  readonly id: number;
  readonly login: string;
}

/**
 * GitHub's pull requests (REST API of 2022-11-28, "Pull requests", "Issue comments" and "Collaborators"). Their lists
 * are asked for under the condition of the last answer: one that still holds (304) counts towards no limit.
 */
export function githubPulls({ client: common, repository, post, self }: GithubPulls): PullRequestPort<number> {
  const client = common.needing({ permission: 'the permission to read and write pull requests of this repository' });
  const pulls = new LinkedPages(client, pull, { pages: 100, length: Number.MAX_SAFE_INTEGER, full: 50 });
  const comments = new LinkedPages(client, comment, { pages: 300, length: 65_536, full: 100 });
  return {
    commentLimit,
    listOpen: async function* (branch, signal) {
      // Oldest first: what is opened or changed meanwhile moves nothing from one page to another.
      const query = `state=open&base=${encodeURIComponent(branch)}&sort=created&direction=asc&per_page=50`;
      for await (const one of pulls.all(`${repository}/pulls?${query}`, signal)) yield* toPullRequest(one);
    },
    base: async (number, signal) => {
      const request = { method: 'GET', path: `${repository}/pulls/${number}`, accept: [404] } as const;
      const found = target.safeParse((await client.ask(request, signal)).json);
      return found.success && found.data.state === 'open' ? found.data.base.ref : null;
    },
    comments: async function* (number, since, signal) {
      const own = await self(signal);
      // GitHub compares with the time of the last edit, which is never before that of the making.
      const after = since === null ? '' : `&since=${new Date(Math.floor(since / 1000) * 1000).toISOString()}`;
      const list = `${repository}/issues/${number}/comments?per_page=100${after}`;
      for await (const one of comments.all(list, signal)) yield toComment(one, own);
    },
    create: async (number, body, signal) => {
      const path = `${repository}/issues/${number}/comments`;
      return (await client.read({ method: 'POST', path, json: { body } }, made, signal)).id;
    },
    edit: async (_number, id, body, signal) => {
      const path = `${repository}/issues/comments/${id}`;
      const { status } = await client.ask({ method: 'PATCH', path, json: { body }, accept: [404, 410] }, signal);
      return status < 300 ? id : null;
    },
    status: (_pullRequest, status, signal) => post(status, signal),
    mayWrite: async (author, signal) => {
      const path = `${repository}/collaborators/${encodeURIComponent(author)}/permission`;
      try {
        const answer = await client.read({ method: 'GET', path }, permission, signal);
        return answer.permission === 'admin' || answer.permission === 'write';
      } catch (thrown) {
        const facts = asFailure(thrown)?.facts;
        const refused = refusalBody.safeParse(facts?.body);
        if (facts?.status === 404 && refused.success && /is not a user/i.test(refused.data.message)) return false;
        throw thrown;
      }
    },
  };
}

function toPullRequest(one: z.infer<typeof pull>): readonly PullRequest[] {
  const head = commitId(one.head.sha);
  if (head === null) return [];
  return [
    {
      number: one.number,
      title: one.title,
      author: one.user?.login ?? 'ghost',
      isBot: one.user?.type === 'Bot',
      isFork: one.head.repo?.id !== one.base.repo.id,
      isDraft: one.draft === true,
      head,
      base: one.base.ref,
      headRef: `refs/pull/${one.number}/head`,
      url: pageUrl(one.html_url),
    },
  ];
}

function toComment(
  { id, user, body, created_at }: z.infer<typeof comment>,
  isOwn: (author: GithubAccount) => boolean,
): PortComment<number> {
  return {
    ref: id,
    id: String(id),
    author: user?.login ?? 'ghost',
    isOwn: user ? isOwn(user) : false,
    body: body ?? '',
    at: Date.parse(created_at),
  };
}
