import { z } from 'zod';
import { azurePeople } from './azure-people.ts';
import { azureStatus } from './azure-wording.ts';
import type { ForgeClient } from './forge-client.ts';
import { once } from './once.ts';
import { mostPages } from './pages.ts';
import { pullRequestFailure } from './pull-request-failure.ts';
import type { PortComment, PullRequestPort } from './pull-request-port.ts';
import type { PullRequest } from './pull-requests.ts';
import { branchRef, commitId, pageUrl } from './untrusted.ts';

/** The longest comment, in characters. */
const commentLimit = 150_000;

/** Pull requests asked for at once. */
const pageSize = 100;

/** Understood by the service and by every server since 2020; what is a preview in that version has to be asked for so. */
const apiVersion = 'api-version=6.0';
const previewVersion = 'api-version=6.0-preview.1';

/** A comment is the first of a thread of its own. */
interface Ref {
  readonly thread: number;
  readonly comment: number;
}

const account = z.object({
  id: z.string(),
  uniqueName: z.string().nullish(),
  descriptor: z.string().nullish(),
});

const pull = z.object({
  pullRequestId: z.number().int().positive(),
  title: z.string(),
  createdBy: account.nullish(),
  isDraft: z.boolean().nullish(),
  sourceRefName: z.string(),
  targetRefName: z.string(),
  forkSource: z.unknown().optional(),
  lastMergeSourceCommit: z.object({ commitId: z.string() }).nullish(),
});

const pulls = z.object({ value: z.array(pull) });

/** Whether one is open, and where it is to be merged into. */
const target = z.object({ status: z.string(), targetRefName: z.string() });

const comment = z.object({
  id: z.number(),
  author: account.nullish(),
  content: z.string().nullish(),
  commentType: z.union([z.string(), z.number()]).nullish(),
  isDeleted: z.boolean().nullish(),
  publishedDate: z.string(),
});

const thread = z.object({
  id: z.number(),
  isDeleted: z.boolean().nullish(),
  // Where it stands in a file.
  threadContext: z.unknown().optional(),
  comments: z.array(comment).nullish(),
});

const threads = z.object({ value: z.array(thread) });

const made = z.object({ id: z.number(), comments: z.array(z.object({ id: z.number() })) });

const posted = z.object({ id: z.number() });

const iterations = z.object({
  value: z.array(z.object({ id: z.number(), sourceRefCommit: z.object({ commitId: z.string() }).nullish() })),
});

const connection = z.object({ authenticatedUser: z.object({ id: z.string() }) });

/** What Azure DevOps' pull requests are read with. */
export interface AzurePulls {
  readonly client: ForgeClient;
  /** For what its own host for people answers. */
  readonly people: ForgeClient;
  /** `/PROJECT/_apis/git/repositories/NAME`. */
  readonly repository: string;
  /** The address of the pages that people look at, without the number. */
  readonly pages: string;
}

/**
 * Azure DevOps' pull requests (Git, "Pull Requests", "Pull Request Threads" and "Pull Request Statuses"). Its merge
 * rules look at statuses of the pull request, not of the commit.
 */
export function azurePulls({ client: common, people, repository, pages }: AzurePulls): PullRequestPort<Ref> {
  const client = common.needing({
    permission: 'the scopes Code (read), Code (status) and Pull Request Threads (read & write)',
  });
  const base = `${repository}/pullrequests`;
  const self = once(async (signal) => {
    const path = '/_apis/connectionData?api-version=6.0-preview';
    return (await client.read({ method: 'GET', path }, connection, signal)).authenticatedUser.id;
  });
  const rights = azurePeople({ client, people, repository });
  return {
    commentLimit,
    listOpen: async function* (branch, signal) {
      const target = encodeURIComponent(`refs/heads/${branch}`);
      const query = `searchCriteria.status=active&searchCriteria.targetRefName=${target}`;
      for (let read = 0; read < mostPages; read += 1) {
        const range = `$top=${pageSize}&$skip=${read * pageSize}`;
        const path = `${base}?${query}&${range}&${apiVersion}`;
        const { value } = await client.read({ method: 'GET', path }, pulls, signal);
        for (const one of value) yield* toPullRequest(one, pages);
        if (value.length < pageSize) break;
      }
    },
    base: async (number, signal) => {
      const request = { method: 'GET', path: `${base}/${number}?${apiVersion}`, accept: [404] } as const;
      const found = target.safeParse((await client.ask(request, signal)).json);
      return found.success && found.data.status === 'active'
        ? found.data.targetRefName.replace(/^refs\/heads\//, '')
        : null;
    },
    comments: async function* (number, _since, signal) {
      const own = await self(signal);
      const path = `${base}/${number}/threads?${apiVersion}`;
      const { value } = await client.read({ method: 'GET', path }, threads, signal);
      for (const one of value) {
        const isGeneral = one.threadContext === undefined || one.threadContext === null;
        if (one.isDeleted === true || !isGeneral) continue;
        for (const { author, ...rest } of one.comments ?? []) {
          // `system` is what the service itself writes, of votes and pushes.
          if (rest.isDeleted === true || (rest.commentType !== 'text' && rest.commentType !== 1)) continue;
          const name = nameOf(author);
          if (author) rights.met(name, author.id);
          yield { ...toComment(one.id, rest), author: name, isOwn: author?.id === own };
        }
      }
    },
    create: async (number, content, signal) => {
      // One that is open would have to be resolved before the merge, where a branch's rules say so.
      const json = { comments: [{ parentCommentId: 0, content, commentType: 1 }], status: 'closed' };
      const path = `${base}/${number}/threads?${apiVersion}`;
      const { id, comments } = await client.read({ method: 'POST', path, json }, made, signal);
      return { thread: id, comment: comments[0]?.id ?? 1 };
    },
    edit: async (number, place, content, signal) => {
      const path = `${base}/${number}/threads/${place.thread}/comments/${place.comment}?${apiVersion}`;
      const answer = await client.ask({ method: 'PATCH', path, json: { content }, accept: [404] }, signal);
      return answer.status === 404 ? null : place;
    },
    status: async ({ number, head }, status, signal) => {
      const path = `${base}/${number}/iterations?${apiVersion}`;
      const { value } = await client.read({ method: 'GET', path }, iterations, signal);
      const iteration = value.findLast(({ sourceRefCommit }) => commitId(sourceRefCommit?.commitId) === head);
      if (iteration === undefined) throw gone(number);
      // Of an iteration, so that it says nothing of what is pushed later.
      const json = { ...azureStatus(status), iterationId: iteration.id };
      await client.read({ method: 'POST', path: `${base}/${number}/statuses?${previewVersion}`, json }, posted, signal);
    },
    mayWrite: (author, signal) => rights.mayWrite(author, signal),
  };
}

/** Who it is, in a form that nobody can choose for themselves. */
function nameOf(author: z.infer<typeof account> | null | undefined): string {
  return author?.uniqueName || author?.id || '';
}

function toPullRequest(one: z.infer<typeof pull>, pages: string): readonly PullRequest[] {
  const head = commitId(one.lastMergeSourceCommit?.commitId);
  if (head === null) return [];
  const isFork = one.forkSource !== undefined && one.forkSource !== null;
  return [
    {
      number: one.pullRequestId,
      title: one.title,
      author: nameOf(one.createdBy),
      // Services and applications have descriptors of their own kinds.
      isBot: /^(?:svc|s2s|aadsp)\./.test(one.createdBy?.descriptor ?? ''),
      isFork,
      isDraft: one.isDraft === true,
      head,
      base: one.targetRefName.replace(/^refs\/heads\//, ''),
      headRef: isFork ? null : branchRef(one.sourceRefName),
      url: pageUrl(`${pages}/${one.pullRequestId}`),
    },
  ];
}

function toComment(
  thread: number,
  { id, content, publishedDate }: Omit<z.infer<typeof comment>, 'author'>,
): Omit<PortComment<Ref>, 'author' | 'isOwn'> {
  return {
    ref: { thread, comment: id },
    id: `${thread}.${id}`,
    body: content ?? '',
    at: Date.parse(publishedDate),
  };
}

function gone(number: number) {
  return pullRequestFailure('rejected', 'head-moved', {
    message: `#${number} does not have the commit that its status is about`,
    hint: 'Nothing to do: what was pushed meanwhile gets a status of its own.',
  });
}
