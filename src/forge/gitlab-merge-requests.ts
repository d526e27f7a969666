import { z } from 'zod';
import { asFailure } from '../platform/failure.ts';
import type { CommitStatus } from './forge.ts';
import type { ForgeClient } from './forge-client.ts';
import { once } from './once.ts';
import { LinkedPages } from './pages.ts';
import type { PortComment, PullRequestPort } from './pull-request-port.ts';
import type { PullRequest } from './pull-requests.ts';
import { commitId, pageUrl } from './untrusted.ts';

/** The longest note, in characters. */
const noteLimit = 1_000_000;

/** The least role that may push (GitLab, "Roles and permissions": Developer). */
const developer = 30;

/** Where a status belongs to: the pipeline where there is one, and the ref that it is for. */
export interface StatusPlace {
  readonly ref: string;
  readonly pipeline_id?: number;
}

const account = z.object({ id: z.number(), username: z.string() });

const mergeRequest = z.object({
  iid: z.number().int().positive(),
  title: z.string(),
  author: account.nullish(),
  draft: z.boolean().nullish(),
  work_in_progress: z.boolean().nullish(),
  // Null until GitLab has looked at what was pushed.
  sha: z.string().nullish(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.number().nullish(),
  target_project_id: z.number(),
  web_url: z.string().nullish(),
});

const pipeline = z.object({ id: z.number(), project_id: z.number(), sha: z.string(), ref: z.string() });

const mergeRequestInFull = mergeRequest.extend({ head_pipeline: pipeline.nullish() });

/** Whether one is open, and where it is to be merged into. */
const target = z.object({ state: z.string(), target_branch: z.string() });

const note = z.object({
  id: z.number(),
  author: account.nullish(),
  body: z.string(),
  system: z.boolean().nullish(),
  type: z.string().nullish(),
  created_at: z.string(),
});

const made = z.object({ id: z.number() });

const member = z.object({ access_level: z.number(), state: z.string().nullish() });

/** What GitLab's merge requests are read with. */
export interface GitlabMergeRequests {
  readonly client: ForgeClient;
  /** `/api/v4/projects/ID`. */
  readonly project: string;
  readonly post: (status: CommitStatus, place: StatusPlace, signal: AbortSignal) => Promise<void>;
}

/** GitLab's merge requests (REST API of version 4, "Merge requests", "Notes" and "Members"). */
export function gitlabMergeRequests({ client, project, post }: GitlabMergeRequests): PullRequestPort<number> {
  const requests = new LinkedPages(client, mergeRequest, { pages: 100, length: Number.MAX_SAFE_INTEGER, full: 100 });
  const notes = new LinkedPages(client, note, { pages: 300, length: 65_536, full: 100 });
  const self = once((signal) => client.read({ method: 'GET', path: '/api/v4/user' }, account, signal));
  const one = (number: number) => `${project}/merge_requests/${number}`;
  return {
    commentLimit: noteLimit,
    listOpen: async function* (branch, signal) {
      const target = encodeURIComponent(branch);
      const query = `state=opened&target_branch=${target}&order_by=created_at&sort=asc&per_page=100`;
      for await (const found of requests.all(`${project}/merge_requests?${query}`, signal)) yield* toPullRequest(found);
    },
    base: async (number, signal) => {
      const request = { method: 'GET', path: one(number), accept: [404] } as const;
      const found = target.safeParse((await client.ask(request, signal)).json);
      return found.success && found.data.state === 'opened' ? found.data.target_branch : null;
    },
    comments: async function* (number, since, signal) {
      const own = await self(signal);
      const sort = since === null ? 'asc' : 'desc';
      const list = `${one(number)}/notes?activity_filter=only_comments&order_by=created_at&sort=${sort}&per_page=100`;
      for await (const found of notes.all(list, signal)) {
        if (since !== null && Date.parse(found.created_at) < since) return;
        if (found.system !== true && found.type !== 'DiffNote') yield toComment(found, own.id);
      }
    },
    create: async (number, body, signal) => {
      const request = { method: 'POST', path: `${one(number)}/notes`, json: { body } } as const;
      return (await client.read(request, made, signal)).id;
    },
    edit: async (number, id, body, signal) => {
      const path = `${one(number)}/notes/${id}`;
      const request = { method: 'PUT', path, json: { body }, accept: [404] } as const;
      return (await client.ask(request, signal)).status === 404 ? null : id;
    },
    status: async (pullRequest, status, signal) => {
      const found = await client.read({ method: 'GET', path: one(pullRequest.number) }, mergeRequestInFull, signal);
      await post(status, placeOf(found, status.revision), signal);
    },
    mayWrite: (author, signal) => mayWrite(client, project, author, signal),
  };
}

/**
 * In the pipeline that the merge request shows, or else in one for its branch: a pipeline of another kind would take
 * the place of the one that it shows. A fork's branch may have the name of one of ours, so that its own ref stands there.
 */
function placeOf(found: z.infer<typeof mergeRequestInFull>, revision: string): StatusPlace {
  const shown = found.head_pipeline;
  if (shown && shown.project_id === found.target_project_id && shown.sha === revision) {
    return { ref: shown.ref, pipeline_id: shown.id };
  }
  const isFork = found.source_project_id !== found.target_project_id;
  return { ref: isFork ? `refs/merge-requests/${found.iid}/head` : found.source_branch };
}

async function mayWrite(client: ForgeClient, project: string, author: string, signal: AbortSignal): Promise<boolean> {
  const path = `/api/v4/users?username=${encodeURIComponent(author)}`;
  const found = await client.read({ method: 'GET', path }, z.array(account), signal);
  const user = found.find(({ username }) => username.toLowerCase() === author.toLowerCase());
  if (user === undefined) return false;
  try {
    const request = { method: 'GET', path: `${project}/members/all/${user.id}` } as const;
    const { access_level, state } = await client.read(request, member, signal);
    return access_level >= developer && (state ?? 'active') === 'active';
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    // Of a project that the token may not see it says "404 Project Not Found".
    if (facts?.status === 404 && !/project/i.test(JSON.stringify(facts.body))) return false;
    throw thrown;
  }
}

function toPullRequest(found: z.infer<typeof mergeRequest>): readonly PullRequest[] {
  const head = commitId(found.sha);
  if (head === null) return [];
  const author = found.author?.username ?? 'ghost';
  return [
    {
      number: found.iid,
      title: found.title,
      author,
      // The names that GitLab gives the users of project and group tokens, and of service accounts.
      isBot: /^(?:project|group)_\d+_bot(?:_|\d*$)|^service_account_/.test(author),
      isFork: found.source_project_id !== found.target_project_id,
      isDraft: found.draft ?? found.work_in_progress ?? false,
      head,
      base: found.target_branch,
      headRef: `refs/merge-requests/${found.iid}/head`,
      url: pageUrl(found.web_url),
    },
  ];
}

function toComment({ id, author, body, created_at }: z.infer<typeof note>, own: number): PortComment<number> {
  return {
    ref: id,
    id: String(id),
    author: author?.username ?? 'ghost',
    isOwn: author?.id === own,
    body,
    at: Date.parse(created_at),
  };
}
