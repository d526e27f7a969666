import { z } from 'zod';
import { asFailure } from '../platform/failure.ts';
import type { CommitStatus } from './forge.ts';
import type { ForgeClient } from './forge-client.ts';
import { mostPages, queryOf } from './pages.ts';
import type { PortComment, PullRequestPort } from './pull-request-port.ts';
import type { PullRequest } from './pull-requests.ts';
import { branchRef, commitId, pageUrl } from './untrusted.ts';

/** The longest body of a comment, in characters. */
const commentLimit = 32_768;

const account = z.object({
  uuid: z.string(),
  nickname: z.string().nullish(),
  display_name: z.string().nullish(),
  type: z.string().nullish(),
});

const end = z.object({
  branch: z.object({ name: z.string() }),
  // Twelve digits of it.
  commit: z.object({ hash: z.string() }).nullish(),
  repository: z.object({ uuid: z.string() }).nullish(),
});

const pull = z.object({
  id: z.number().int().positive(),
  title: z.string(),
  author: account.nullish(),
  draft: z.boolean().nullish(),
  source: end,
  destination: end,
  links: z.object({ html: z.object({ href: z.string() }).nullish() }).nullish(),
});

/** Whether one is open, and where it is to be merged into. */
const target = z.object({ state: z.string(), destination: z.object({ branch: z.object({ name: z.string() }) }) });

const comment = z.object({
  id: z.number(),
  user: account.nullish(),
  content: z.object({ raw: z.string().nullish() }).nullish(),
  deleted: z.boolean().nullish(),
  inline: z.unknown().optional(),
  created_on: z.string(),
});

const made = z.object({ id: z.number(), user: account.nullish() });

const commits = z.object({ values: z.array(z.object({ hash: z.string() })) });

const permissions = z.object({ values: z.array(z.object({ permission: z.string(), user: account.nullish() })) });

/** What Bitbucket Cloud's pull requests are read with. */
export interface BitbucketCloudPulls {
  readonly client: ForgeClient;
  /** `/2.0/repositories/WORKSPACE/NAME`. */
  readonly repository: string;
  /** `/2.0/workspaces/WORKSPACE/permissions/repositories/NAME`. */
  readonly permissions: string;
  /** Posts a status on a commit of a branch; null where the branch is not one of this repository. */
  readonly post: (status: CommitStatus, branch: string | null, signal: AbortSignal) => Promise<void>;
}

/**
 * Bitbucket Cloud's pull requests (REST API 2.0, "Pullrequests"). Names of people are neither unique nor lasting there,
 * so that an author is a name with the user's id: `ann {5f…}`.
 */
export function bitbucketCloudPulls(options: BitbucketCloudPulls): PullRequestPort<number> {
  const { repository, post } = options;
  const client = options.client.needing({
    permission: 'the scope `pullrequest:write` (read and write of pull requests for an API token)',
  });
  const admin = options.client.needing({
    permission: 'the rights of an administrator of the workspace: others may not ask who may write',
  });
  const self = new Self(client);
  const heads = new Map<number, { readonly short: string; readonly full: string }>();
  const pulls = `${repository}/pullrequests`;
  return {
    commentLimit,
    listOpen: async function* (branch, signal) {
      const condition = `destination.branch.name="${branch.replace(/["\\]/g, '\\$&')}"`;
      const query = `?state=OPEN&sort=created_on&pagelen=50&q=${encodeURIComponent(condition)}`;
      const open = new Set<number>();
      for await (const one of paged(client, pulls, query, pull, signal)) {
        open.add(one.id);
        const head = await fullHead(client, pulls, one, heads, signal);
        if (head !== null) yield toPullRequest(one, head);
      }
      for (const number of heads.keys()) if (!open.has(number)) heads.delete(number);
    },
    base: async (number, signal) => {
      const request = { method: 'GET', path: `${pulls}/${number}`, accept: [404] } as const;
      const found = target.safeParse((await client.ask(request, signal)).json);
      return found.success && found.data.state === 'OPEN' ? found.data.destination.branch.name : null;
    },
    comments: async function* (number, since, signal) {
      await self.ask(signal);
      const newest = since === null ? 'created_on' : '-created_on';
      for await (const one of paged(
        client,
        `${pulls}/${number}/comments`,
        `?sort=${newest}&pagelen=100`,
        comment,
        signal,
      )) {
        if (since !== null && Date.parse(one.created_on) < since) return;
        const isGeneral = one.inline === undefined || one.inline === null;
        if (one.deleted !== true && isGeneral) yield toComment(one, self);
      }
    },
    create: async (number, body, signal) => {
      const path = `${pulls}/${number}/comments`;
      const { id, user } = await client.read({ method: 'POST', path, json: { content: { raw: body } } }, made, signal);
      if (user) self.learn(user.uuid);
      return id;
    },
    edit: async (number, id, body, signal) => {
      const path = `${pulls}/${number}/comments/${id}`;
      try {
        const { user } = await client.read({ method: 'PUT', path, json: { content: { raw: body } } }, made, signal);
        // Only who wrote a comment may edit it.
        if (user) self.learn(user.uuid);
        return id;
      } catch (thrown) {
        const status = asFailure(thrown)?.facts.status;
        if (status === 404 || status === 410 || (status === 403 && !self.isKnown)) return null;
        throw thrown;
      }
    },
    status: ({ headRef }, status, signal) => post(status, headRef?.replace(/^refs\/heads\//, '') ?? null, signal),
    mayWrite: async (author, signal) => {
      const uuid = /\{[0-9a-f-]{36}\}$/i.exec(author)?.[0];
      if (uuid === undefined) return false;
      const path = `${options.permissions}?q=${encodeURIComponent(`user.uuid="${uuid}"`)}`;
      const { values } = await admin.read({ method: 'GET', path }, permissions, signal);
      const own = values.filter(({ user }) => user?.uuid.toLowerCase() === uuid.toLowerCase());
      return own.some(({ permission }) => permission === 'admin' || permission === 'write');
    },
  };
}

/** Who the token is: its user, or, for an access token, of which Bitbucket does not say it, who wrote our comments. */
class Self {
  readonly #client: ForgeClient;
  #uuid: string | null = null;
  #isTold = true;

  constructor(client: ForgeClient) {
    this.#client = client;
  }

  get isKnown(): boolean {
    return this.#uuid !== null;
  }

  async ask(signal: AbortSignal): Promise<void> {
    if (this.#uuid !== null || !this.#isTold) return;
    try {
      this.#uuid = (await this.#client.read({ method: 'GET', path: '/2.0/user' }, account, signal)).uuid;
    } catch (thrown) {
      // A token that is not taken at all is refused again by what is asked next.
      const facts = asFailure(thrown)?.facts;
      if (facts?.class !== 'rejected' || (facts.status !== 401 && facts.status !== 403)) throw thrown;
      this.#isTold = false;
    }
  }

  learn(uuid: string): void {
    this.#uuid = uuid;
  }

  wrote(uuid: string | undefined): boolean | null {
    return this.#uuid === null ? null : uuid === this.#uuid;
  }
}

/** All items of a list. Of the next page's address only what is asked is taken: the token goes to no other host. */
async function* paged<T>(
  client: ForgeClient,
  path: string,
  query: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const page = z.object({ values: z.array(item), next: z.string().nullish() });
  let asked: string | null = query;
  for (let read = 0; read < mostPages && asked !== null; read += 1) {
    const answer: z.output<typeof page> = await client.read({ method: 'GET', path: `${path}${asked}` }, page, signal);
    yield* answer.values;
    asked = answer.next ? queryOf(answer.next) : null;
  }
}

/** The head's whole id, which the list has twelve digits of; null where it is gone. */
async function fullHead(
  client: ForgeClient,
  pulls: string,
  { id, source }: z.infer<typeof pull>,
  heads: Map<number, { readonly short: string; readonly full: string }>,
  signal: AbortSignal,
): Promise<string | null> {
  const short = source.commit?.hash.toLowerCase() ?? '';
  const given = commitId(short);
  if (given !== null) return given;
  const known = heads.get(id);
  if (known !== undefined && known.short === short) return known.full;
  try {
    const { values } = await client.read({ method: 'GET', path: `${pulls}/${id}/commits?pagelen=1` }, commits, signal);
    const full = commitId(values[0]?.hash);
    // It was pushed to meanwhile where the two differ: the next list has the new one.
    if (full === null || !full.startsWith(short)) return null;
    heads.set(id, { short, full });
    return full;
  } catch (thrown) {
    if (asFailure(thrown)?.facts.status === 404) return null;
    throw thrown;
  }
}

function nameOf(user: z.infer<typeof account> | null | undefined): string {
  return user ? `${user.nickname ?? user.display_name ?? ''} ${user.uuid}`.trim() : 'gone';
}

function toPullRequest(one: z.infer<typeof pull>, head: string): PullRequest {
  const isFork = one.source.repository?.uuid !== one.destination.repository?.uuid;
  return {
    number: one.id,
    title: one.title,
    author: nameOf(one.author),
    isBot: one.author?.type === 'app_user' || one.author?.type === 'AppUser',
    isFork,
    isDraft: one.draft === true,
    head,
    base: one.destination.branch.name,
    headRef: isFork ? null : branchRef(one.source.branch.name),
    url: pageUrl(one.links?.html?.href),
  };
}

function toComment({ id, user, content, created_on }: z.infer<typeof comment>, self: Self): PortComment<number> {
  return {
    ref: id,
    id: String(id),
    author: nameOf(user),
    isOwn: self.wrote(user?.uuid),
    body: content?.raw ?? '',
    at: Date.parse(created_on),
  };
}
