import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { asFailure, Failure } from '../platform/failure.ts';
import type { HttpAnswer, HttpClient, HttpClientOptions, HttpRequest } from '../platform/http-client.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { limitFailure } from './github-limits.ts';

/** What a GitHub is reached with. */
export interface GithubOptions {
  /** `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise Server. */
  readonly url: string;
  /** OWNER/NAME. */
  readonly repository: string;
  readonly token: string;
  /** What our contexts begin with: `konverge` is ours, and so is `konverge/…`. */
  readonly context: string;
  readonly clock: Clock;
  readonly createHttpClient: (options: HttpClientOptions) => HttpClient;
}

/** The longest description that GitHub takes, in characters (it answers 422 beyond that). */
const descriptionLimit = 140;

/** Pages of a hundred contexts that are read of one commit; nobody has that many. */
const longestList = 10;

const status = z.object({
  context: z.string(),
  state: z.enum(['pending', 'success', 'failure', 'error']),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

const combined = z.object({ statuses: z.array(status) });

/** GitHub's commit statuses (REST API of 2022-11-28, "Commit statuses"). */
export function github(options: GithubOptions): Forge {
  const http = options.createHttpClient({
    baseUrl: options.url,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${options.token}`,
      'user-agent': 'konverge',
      'x-github-api-version': '2022-11-28',
    },
    timeoutMs: 20_000,
    bodyLimitBytes: 4 * 1024 ** 2,
    connections: 1,
    tls: { ca: null, cert: null, key: null, serverName: null },
    proxy: null,
  });
  const repository = `/repos/${options.repository.split('/').map(encodeURIComponent).join('/')}`;
  const ask = (request: HttpRequest, signal: AbortSignal) => send(http, request, options.clock, signal);
  return {
    name: 'GitHub',
    descriptionLimit,
    post: async (wanted, signal) => {
      const json = {
        state: wanted.state,
        context: wanted.context,
        description: fitDescription(wanted.description, descriptionLimit),
        ...(wanted.targetUrl === null ? {} : { target_url: wanted.targetUrl }),
      };
      await ask({ method: 'POST', path: `${repository}/statuses/${wanted.revision}`, json }, signal);
    },
    list: async (revision, signal) => {
      const found: CommitStatus[] = [];
      for (let page = 1; page <= longestList; page += 1) {
        const path = `${repository}/commits/${revision}/status?per_page=100&page=${page}`;
        const { statuses } = parse(await ask({ method: 'GET', path }, signal), path);
        found.push(...statuses.filter((one) => isOurs(one.context, options.context)).map(toStatus(revision)));
        if (statuses.length < 100) break;
      }
      return found;
    },
    close: () => http.close(),
  };
}

async function send(http: HttpClient, request: HttpRequest, clock: Clock, signal: AbortSignal): Promise<HttpAnswer> {
  let answer: HttpAnswer;
  try {
    // GitHub speaks of its limits in 403 as well as in 429, and in headers that a failure does not carry.
    answer = await http.request({ ...request, accept: [403, 429] }, signal);
  } catch (thrown) {
    throw withHint(thrown);
  }
  if (answer.status !== 403 && answer.status !== 429) return answer;
  throw limitFailure(request, answer, clock.now());
}

function withHint(thrown: unknown): unknown {
  const facts = asFailure(thrown)?.facts;
  switch (facts?.status) {
    case 401:
      return new Failure({ ...facts, hint: 'The token of `status.github` is wrong or has expired.' });
    case 404:
      return new Failure({
        ...facts,
        hint: 'Check `status.github.repository`, and that the token may write commit statuses there.',
      });
    case 422:
      return new Failure({
        ...facts,
        hint: 'GitHub does not have this commit, or it has 1,000 statuses of this context already.',
      });
    default:
      return thrown;
  }
}

function parse(answer: HttpAnswer, path: string): z.infer<typeof combined> {
  const parsed = combined.safeParse(answer.json);
  if (parsed.success) return parsed.data;
  throw new Failure({
    class: 'rejected',
    code: 'unexpected-answer',
    message: `GET ${path.replace(/\?.*/, '')} answered something other than commit statuses`,
    hint: 'Check `status.github.url`: of an Enterprise Server it ends in /api/v3.',
    method: 'GET',
    url: null,
    status: answer.status,
    retryAfterMs: null,
    body: null,
  });
}

/** GitHub tells contexts apart without regard to case. */
function isOurs(context: string, prefix: string): boolean {
  const [given, ours] = [context.toLowerCase(), prefix.toLowerCase()];
  return given === ours || given.startsWith(`${ours}/`);
}

function toStatus(revision: string) {
  return (one: z.infer<typeof status>): CommitStatus => ({
    revision,
    context: one.context,
    state: one.state,
    description: one.description ?? '',
    targetUrl: one.target_url ?? null,
  });
}
