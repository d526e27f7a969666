import { z } from 'zod';
import type { CommitStatus } from './forge.ts';
import type { ForgeClient, Whole } from './forge-client.ts';
import { mostPages } from './pages.ts';
import { pullRequestFailure } from './pull-request-failure.ts';
import type { PortComment, PullRequestPort } from './pull-request-port.ts';
import type { PullRequest } from './pull-requests.ts';
import { commitId, pageUrl } from './untrusted.ts';

/** The longest text of a comment, in characters. */
const commentLimit = 32_768;

/** A comment is edited by its number and the version that is replaced. */
interface Ref {
  readonly id: number;
  readonly version: number;
}

const user = z.object({ id: z.number().nullish(), name: z.string(), type: z.string().nullish() });

const end = z.object({
  id: z.string(),
  displayId: z.string().nullish(),
  latestCommit: z.string().nullish(),
  repository: z.object({ id: z.number() }).nullish(),
});

const pull = z.object({
  id: z.number().int().positive(),
  title: z.string(),
  draft: z.boolean().nullish(),
  author: z.object({ user }).nullish(),
  fromRef: end,
  toRef: end,
  links: z.object({ self: z.array(z.object({ href: z.string() })).nullish() }).nullish(),
});

const ref = z.object({ id: z.number(), version: z.number() });

/** Whether one is open, and where it is to be merged into. */
const target = z.object({ state: z.string(), toRef: z.object({ id: z.string() }) });

const comment = ref.extend({
  text: z.string(),
  author: user.nullish(),
  createdDate: z.number(),
  get comments() {
    return z.array(comment).nullish();
  },
});

type Comment = z.infer<typeof comment>;

const activity = z.object({
  action: z.string(),
  commentAction: z.string().nullish(),
  comment: comment.nullish(),
  // Where it stands in a file.
  commentAnchor: z.unknown().optional(),
});

const person = z.object({ name: z.string(), active: z.boolean().nullish() });

/** What pull requests of a Bitbucket Data Center are read with. */
export interface BitbucketDataCenterPulls {
  readonly client: ForgeClient;
  /** PROJECT/NAME. */
  readonly repository: string;
  /** Posts a status on a commit of no branch. */
  readonly post: (status: CommitStatus, signal: AbortSignal) => Promise<void>;
}

/** Pull requests of Bitbucket Data Center (REST API, "Pull Requests"). It has no entity tags. */
export function bitbucketDataCenterPulls(options: BitbucketDataCenterPulls): PullRequestPort<Ref> {
  const { post } = options;
  const client = options.client.needing({ permission: 'the right to write to the repository' });
  const [project = '', name = ''] = options.repository.split('/');
  const pulls = `/rest/api/latest/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(name)}/pull-requests`;
  return {
    commentLimit,
    listOpen: async function* (branch, signal) {
      const at = encodeURIComponent(`refs/heads/${branch}`);
      const query = `state=OPEN&direction=INCOMING&order=OLDEST&at=${at}`;
      for await (const { item } of paged(client, `${pulls}?${query}`, pull, signal)) yield* toPullRequest(item);
    },
    base: async (number, signal) => {
      const request = { method: 'GET', path: `${pulls}/${number}`, accept: [404] } as const;
      const found = target.safeParse((await client.ask(request, signal)).json);
      return found.success && found.data.state === 'OPEN' ? found.data.toRef.id.replace(/^refs\/heads\//, '') : null;
    },
    comments: async function* (number, _since, signal) {
      // An answer to an old comment stands below that one, however new it is: all of them are read.
      for await (const { item, headers } of paged(client, `${pulls}/${number}/activities?`, activity, signal)) {
        const isGeneral = item.commentAnchor === undefined || item.commentAnchor === null;
        if (item.action !== 'COMMENTED' || !item.comment || !isGeneral || item.commentAction === 'DELETED') continue;
        yield* withAnswers(item.comment).map(toComment(headers));
      }
    },
    create: async (number, text, signal) => {
      const path = `${pulls}/${number}/comments`;
      const { id, version } = await client.read({ method: 'POST', path, json: { text } }, ref, signal);
      return { id, version };
    },
    edit: async (number, { id, version }, text, signal) => {
      const path = `${pulls}/${number}/comments/${id}`;
      const request = { method: 'PUT', path, json: { text, version }, accept: [404, 409] } as const;
      const answer = await client.ask(request, signal);
      if (answer.status >= 300) return null;
      const edited = ref.safeParse(answer.json);
      return { id, version: edited.success ? edited.data.version : version + 1 };
    },
    status: (_pullRequest, status, signal) => post(status, signal),
    mayWrite: async (author, signal) => {
      const query = new URLSearchParams({
        filter: author,
        'permission.1': 'REPO_WRITE',
        'permission.1.projectKey': project,
        'permission.1.repositorySlug': name,
      });
      for await (const { item } of paged(client, `/rest/api/latest/users?${query}`, person, signal)) {
        if (item.name.toLowerCase() === author.toLowerCase()) return item.active !== false;
      }
      return false;
    },
  };
}

interface Read<T> {
  readonly item: T;
  readonly headers: Readonly<Record<string, string>>;
}

async function* paged<T>(
  client: ForgeClient,
  path: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): AsyncGenerator<Read<T>> {
  const page = z.object({
    values: z.array(item),
    isLastPage: z.boolean().nullish(),
    nextPageStart: z.number().int().nullish(),
  });
  let start: number | null = 0;
  for (let read = 0; read < mostPages && start !== null; read += 1) {
    const asked: string = `${path}${path.endsWith('?') ? '' : '&'}limit=100&start=${start}`;
    const whole: Whole<z.output<typeof page>> = await client.readWhole({ method: 'GET', path: asked }, page, signal);
    for (const one of whole.data?.values ?? []) yield { item: one, headers: whole.headers };
    start = whole.data?.isLastPage === false ? (whole.data.nextPageStart ?? null) : null;
  }
}

function withAnswers(one: Comment): readonly Comment[] {
  return [one, ...(one.comments ?? []).flatMap(withAnswers)];
}

function toPullRequest(one: z.infer<typeof pull>): readonly PullRequest[] {
  const head = commitId(one.fromRef.latestCommit);
  if (head === null) return [];
  return [
    {
      number: one.id,
      title: one.title,
      author: one.author?.user.name ?? '',
      isBot: one.author?.user.type === 'SERVICE',
      isFork: one.fromRef.repository?.id !== one.toRef.repository?.id,
      isDraft: one.draft === true,
      head,
      base: one.toRef.id.replace(/^refs\/heads\//, ''),
      headRef: `refs/pull-requests/${one.id}/from`,
      url: pageUrl(one.links?.self?.[0]?.href),
    },
  ];
}

/** Who we are it says in a header of every answer, and nowhere else. */
function toComment(headers: Readonly<Record<string, string>>) {
  const [id, name] = [headers['x-auserid'], headers['x-ausername']];
  if (id === undefined && name === undefined) {
    throw pullRequestFailure('rejected', 'unknown-self', {
      message: 'Bitbucket does not say whose the token is, so that our own comments cannot be told from others’',
      hint: 'A proxy before it may take away the headers `X-AUSERID` and `X-AUSERNAME`.',
    });
  }
  return ({ id: number, version, text, author, createdDate }: Comment): PortComment<Ref> => ({
    ref: { id: number, version },
    id: String(number),
    author: author?.name ?? '',
    isOwn: id !== undefined && author?.id ? String(author.id) === id : author?.name === decoded(name ?? ''),
    body: text,
    at: createdDate,
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
