import { z } from 'zod';
import { asFailure, Failure } from '../platform/failure.ts';
import { isOurs } from './context.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { type ForgeClient, type ForgeOptions, forgeClient } from './forge-client.ts';
import { gitlabMergeRequests, type StatusPlace } from './gitlab-merge-requests.ts';
import { statusLink } from './link.ts';
import { pullRequests } from './pull-request-port.ts';

/** What a GitLab is reached with: `url` is `https://gitlab.com` or that of an own instance, without `/api/v4`. */
export interface GitlabOptions extends ForgeOptions {
  /** GROUP/…/NAME, or the project's number. */
  readonly project: string;
  /** The branch that is followed: without it GitLab chooses one that has the commit. */
  readonly branch: string;
}

/** The longest texts that GitLab takes, in characters. */
const textLimit = 255;

/** Pages of a hundred statuses that are read of one commit. */
const longestList = 10;

/** GitLab's words for our states. It has no `error`; `canceled` is what tells "we could not" from "it is wrong". */
const states = { pending: 'pending', success: 'success', failure: 'failed', error: 'canceled' } as const;

type GitlabState = (typeof states)[keyof typeof states] | 'running';

const status = z.object({
  name: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

const errorBody = z.object({ message: z.unknown() });

/**
 * GitLab's commit statuses (REST API of version 4, "Commits": "Set the pipeline status of a commit"). A status is the
 * state of a job there, so that not every post is taken: see `transition`.
 */
export function gitlab(options: GitlabOptions): Forge {
  const client = forgeClient(
    options,
    { 'private-token': options.token },
    {
      section: 'status.gitlab',
      repository: 'status.gitlab.project',
      permission: 'the scope `api` and the role Developer at least',
      // What GitLab answers to a post for a project that has another path now.
      hints: { 405: 'The project has moved: correct `status.gitlab.project`.' },
    },
  );
  const project = `/api/v4/projects/${encodeURIComponent(options.project)}`;
  const send = (wanted: CommitStatus, place: StatusPlace, state: GitlabState, signal: AbortSignal) => {
    const link = statusLink(wanted.targetUrl, textLimit);
    const json = {
      state,
      name: wanted.context,
      ...place,
      description: fitDescription(wanted.description, textLimit),
      ...(link === null ? {} : { target_url: link }),
    };
    return client.ask({ method: 'POST', path: `${project}/statuses/${wanted.revision}`, json }, signal);
  };
  const post = (wanted: CommitStatus, place: StatusPlace, signal: AbortSignal) =>
    transition(wanted, (state) => send(wanted, place, state, signal));
  return {
    name: 'GitLab',
    descriptionLimit: textLimit,
    post: (wanted, signal) => post(wanted, { ref: options.branch }, signal),
    list: async (revision, signal) => {
      const base = `${project}/repository/commits/${revision}/statuses`;
      const query = `ref=${encodeURIComponent(options.branch)}&per_page=100`;
      const found = await readAll(client, `${base}?${query}`, signal);
      return found.filter((one) => isOurs(one.name, options.context)).map(toStatus(revision));
    },
    pullRequests: pullRequests(gitlabMergeRequests({ client, project, post }), options),
    close: () => client.close(),
  };
}

/**
 * Posts a state as far as GitLab's jobs let it. A job does not go from a state to the same one ("Cannot transition
 * status via :run from :running"): a pending one starts to run instead, which takes the new description, and a finished
 * one gets a new job that runs and ends alike. What runs already stays as it is: it says no less than the truth.
 */
async function transition(wanted: CommitStatus, send: (state: GitlabState) => Promise<unknown>): Promise<void> {
  const state = states[wanted.state];
  const first = await refusedFrom(() => send(state));
  if (first === null || (state === 'pending' && first === 'running')) return;
  const running = await refusedFrom(() => send('running'));
  if (running !== null && running !== 'running') throw busy(running);
  if (state === 'pending') return;
  const last = await refusedFrom(() => send(state));
  if (last !== null) throw busy(last);
}

/** The state that a job could not leave, or null where the post was taken. Throws Failure for all else. */
async function refusedFrom(send: () => Promise<unknown>): Promise<string | null> {
  try {
    await send();
    return null;
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    // Another post to the same pipeline was under way.
    if (facts?.status === 409) throw new Failure({ ...facts, class: 'transient', code: 'forge-busy' });
    if (facts?.status !== 400) throw thrown;
    const body = errorBody.safeParse(facts.body);
    const message = body.success ? JSON.stringify(body.data.message) : '';
    const from = /Cannot transition status via :\w+ from :(\w+)/.exec(message)?.[1];
    if (from === undefined) throw thrown;
    return from;
  }
}

function busy(from: string): Failure {
  return new Failure({
    class: 'transient',
    code: 'forge-busy',
    message: `GitLab does not let the status leave the state ${/^\w{1,20}$/.test(from) ? from : 'it is in'}`,
    hint: 'Nothing to do: it is read again and then tried again.',
    method: 'POST',
    url: null,
    status: 400,
    retryAfterMs: null,
    body: null,
  });
}

async function readAll(client: ForgeClient, path: string, signal: AbortSignal) {
  // Without `all` GitLab gives the newest job of each name.
  const found: z.infer<typeof status>[] = [];
  for (let page = 1; page <= longestList; page += 1) {
    const statuses = await client.read({ method: 'GET', path: `${path}&page=${page}` }, z.array(status), signal);
    found.push(...statuses);
    if (statuses.length < 100) break;
  }
  return found;
}

function toStatus(revision: string) {
  return (one: z.infer<typeof status>): CommitStatus => ({
    revision,
    context: one.name,
    state: stateOf(one.status),
    description: one.description ?? '',
    targetUrl: one.target_url ?? null,
  });
}

function stateOf(status: string): CommitStatus['state'] {
  switch (status) {
    case 'success':
      return 'success';
    case 'failed':
      return 'failure';
    case 'canceled':
    case 'skipped':
      return 'error';
    default:
      // created, pending, running, waiting_for_resource, …: not ended.
      return 'pending';
  }
}
