import { z } from 'zod';
import { asFailure } from '../platform/failure.ts';
import type { CommitStatus } from './forge.ts';
import type { ForgeClient } from './forge-client.ts';
import { once } from './once.ts';
import { LinkedPages } from './pages.ts';
import type { PortComment, PullRequestPort } from './pull-request-port.ts';
import type { PullRequest } from './pull-requests.ts';
import { commitId, pageUrl } from './untrusted.ts';

/** Neither names a limit: it is what a page of theirs shows without trouble, in characters. */
const commentLimit = 65_536;

const account = z.object({ id: z.number(), login: z.string() });

const branch = z.object({ ref: z.string(), sha: z.string().nullish(), repo_id: z.number().nullish() });

const pull = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  user: account.nullish(),
  draft: z.boolean().nullish(),
  html_url: z.string().nullish(),
  head: branch.extend({ repo: z.object({ id: z.number() }).nullish() }),
  base: branch.extend({ repo: z.object({ id: z.number() }).nullish() }),
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

/** What pull requests of Gitea and Forgejo are read with. */
export interface GiteaPulls {
  readonly client: ForgeClient;
  /** `/api/v1/repos/OWNER/NAME`. */
  readonly repository: string;
  readonly post: (status: CommitStatus, signal: AbortSignal) => Promise<void>;
}

/** Pull requests of Gitea and Forgejo (API of version 1, "List a repo's pull requests"). Neither has entity tags. */
export function giteaPulls({ client: common, repository, post }: GiteaPulls): PullRequestPort<number> {
  const client = common.needing({
    permission: 'the scopes `write:repository`, `write:issue` and `read:user`, and its user the right to write',
  });
  const admin = common.needing({
    permission: 'a user who administers the repository: others may not ask who may write to it',
  });
  const pulls = new LinkedPages(client, pull, { pages: 100, length: Number.MAX_SAFE_INTEGER, full: 50 });
  const comments = new LinkedPages(client, comment, { pages: 300, length: 65_536, full: 50 });
  const self = once((signal) => client.read({ method: 'GET', path: '/api/v1/user' }, account, signal));
  return {
    commentLimit,
    listOpen: async function* (_branch, signal) {
      // It has no condition for the branch that every release knows.
      const list = `${repository}/pulls?state=open&sort=oldest&limit=50`;
      for await (const one of pulls.all(list, signal)) yield* toPullRequest(one);
    },
    base: async (number, signal) => {
      const request = { method: 'GET', path: `${repository}/pulls/${number}`, accept: [404] } as const;
      const found = target.safeParse((await client.ask(request, signal)).json);
      return found.success && found.data.state === 'open' ? found.data.base.ref : null;
    },
    comments: async function* (number, since, signal) {
      const own = await self(signal);
      const after = since === null ? '' : `since=${new Date(Math.floor(since / 1000) * 1000).toISOString()}`;
      const list = `${repository}/issues/${number}/comments?${after}`;
      for await (const one of comments.all(list, signal)) yield toComment(one, own.id);
    },
    create: async (number, body, signal) => {
      const path = `${repository}/issues/${number}/comments`;
      return (await client.read({ method: 'POST', path, json: { body } }, made, signal)).id;
    },
    edit: async (_number, id, body, signal) => {
      const path = `${repository}/issues/comments/${id}`;
      // 204 is what it answers where the id is that of no comment of people.
      const { status } = await client.ask({ method: 'PATCH', path, json: { body }, accept: [404] }, signal);
      return status === 404 || status === 204 ? null : id;
    },
    status: (_pullRequest, status, signal) => post(status, signal),
    mayWrite: async (author, signal) => {
      const path = `${repository}/collaborators/${encodeURIComponent(author)}/permission`;
      try {
        const answer = await admin.read({ method: 'GET', path }, permission, signal);
        return ['owner', 'admin', 'write'].includes(answer.permission);
      } catch (thrown) {
        const facts = asFailure(thrown)?.facts;
        if (facts?.status === 404 && /user does not exist/i.test(JSON.stringify(facts.body))) return false;
        throw thrown;
      }
    },
  };
}

function toPullRequest(one: z.infer<typeof pull>): readonly PullRequest[] {
  const head = commitId(one.head.sha);
  if (head === null) return [];
  const { user } = one;
  const into = one.base.repo_id ?? one.base.repo?.id;
  return [
    {
      number: one.number,
      title: one.title,
      author: user?.login ?? 'Ghost',
      // The user that workflows act as has a number below zero.
      isBot: (user?.id ?? 0) < 0 || /\[bot\]$|^(?:gitea|forgejo)-actions$/i.test(user?.login ?? ''),
      isFork: one.head.repo?.id !== into,
      isDraft: one.draft ?? /^\s*(?:wip:|\[wip\])/i.test(one.title),
      head,
      base: one.base.ref,
      headRef: `refs/pull/${one.number}/head`,
      url: pageUrl(one.html_url),
    },
  ];
}

function toComment({ id, user, body, created_at }: z.infer<typeof comment>, own: number): PortComment<number> {
  return {
    ref: id,
    id: String(id),
    author: user?.login ?? 'Ghost',
    isOwn: user?.id === own,
    body: body ?? '',
    at: Date.parse(created_at),
  };
}
