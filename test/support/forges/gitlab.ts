import {
  bodyOf,
  type ForgeEmulator,
  forgeToken,
  type Held,
  newestOf,
  pageOf,
  startEmulator,
  textOf,
} from './emulator.ts';
import { gitlabPullAnswer, type Pipeline } from './gitlab-merge-requests.ts';

interface Job {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  readonly ref: string;
  readonly pipeline: unknown;
  status: string;
  description: string | null;
  target_url: string | null;
}

/** The event that leads to each state that may be posted, and the states that it may start from. */
const events: Readonly<Record<string, { readonly name: string; readonly from: readonly string[] }>> = {
  pending: { name: 'enqueue', from: ['created'] },
  running: { name: 'run', from: ['created', 'pending'] },
  success: { name: 'success', from: ['created', 'pending', 'running'] },
  failed: { name: 'drop', from: ['created', 'pending', 'running'] },
  canceled: { name: 'cancel', from: ['created', 'pending', 'running'] },
};

const states: Readonly<Record<string, Held['state']>> = {
  pending: 'pending',
  running: 'pending',
  success: 'success',
  failed: 'failure',
  canceled: 'error',
};

/** A GitLab whose statuses are jobs: what is posted is an event, which a job's state may refuse. */
export interface GitlabEmulator extends ForgeEmulator {
  readonly jobs: readonly Job[];
  /** The next so many posts meet another one to the same pipeline. */
  readonly own: { conflicts: number; readonly pipelines: Map<number, Pipeline> };
}

/** Starts a GitLab with one project. */
export async function startGitlab(project: string): Promise<GitlabEmulator> {
  const jobs: Job[] = [];
  const own = { conflicts: 0, pipelines: new Map<number, Pipeline>() };
  const base = `/api/v4/projects/${encodeURIComponent(project)}`;
  const emulator = await startEmulator((unknown, pulls) => ({
    isSignedIn: (got) => got.headers['private-token'] === forgeToken,
    unauthorized: { status: 401, json: { message: '401 Unauthorized' } },
    forbidden: { status: 404, json: { message: '404 Project Not Found' } },
    notFound: { status: 404, json: { message: '404 Not Found' } },
    moved: (got) =>
      got.method === 'GET'
        ? { status: 301, headers: { location: '/api/v4/projects/17' } }
        : { status: 405, json: { message: 'Non GET methods are not allowed for moved projects' } },
    limited: (seconds) => ({
      status: 429,
      text: 'Retry later',
      headers:
        seconds === null
          ? {}
          : {
              'ratelimit-remaining': '0',
              'ratelimit-reset': String(1_900_000_000 + seconds),
              date: dateOf(1_900_000_000),
            },
    }),
    hasTags: true,
    answer: (got, url) => {
      const ofPulls = gitlabPullAnswer(pulls, base, own.pipelines, got, url);
      if (ofPulls !== null) return ofPulls;
      const [, posted] = /^(.*)\/statuses\/([0-9a-f]{40})$/.exec(url.pathname)?.slice(1) ?? [];
      if (got.method === 'POST' && posted !== undefined && url.pathname.startsWith(`${base}/statuses/`)) {
        if (unknown.has(posted)) return { status: 404, json: { message: '404 Commit Not Found' } };
        if (own.conflicts > 0) {
          own.conflicts -= 1;
          return { status: 409, json: { message: 'Conflict: another process is updating this pipeline' } };
        }
        return take(jobs, posted, bodyOf(got), [...own.pipelines.values()]);
      }
      const [listed] = /\/repository\/commits\/([0-9a-f]{40})\/statuses$/.exec(url.pathname)?.slice(1) ?? [];
      if (got.method !== 'GET' || listed === undefined || !url.pathname.startsWith(base)) return null;
      if (unknown.has(listed)) return null;
      const ofCommit = jobs.filter((job) => job.sha === listed && job.ref === url.searchParams.get('ref'));
      const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 20));
      return {
        status: 200,
        json: pageOf(
          newestOf(ofCommit, ({ name }) => name),
          Number(url.searchParams.get('page') ?? 1),
          size,
        ),
      };
    },
    held: (sha) =>
      Object.fromEntries(
        jobs
          .filter((job) => job.sha === sha)
          .map((job) => [
            job.name,
            { state: states[job.status] ?? 'error', description: job.description ?? '', targetUrl: job.target_url },
          ]),
      ),
  }));
  return Object.assign(emulator, { jobs, own });
}

function take(jobs: Job[], sha: string, body: Readonly<Record<string, unknown>>, pipelines: readonly Pipeline[]) {
  const state = textOf(body['state']);
  const name = textOf(body['name']) || 'default';
  const event = events[state];
  const texts = [name, textOf(body['description']), textOf(body['target_url'])];
  if (event === undefined || texts.some((text) => [...text].length > 255)) {
    return { status: 400, json: { message: { description: ['is too long (maximum is 255 characters)'] } } };
  }
  const pipeline = body['pipeline_id'] ?? null;
  const isThere = pipelines.some((one) => one.id === pipeline && one.sha === sha && one.ref === body['ref']);
  if (pipeline !== null && !isThere)
    return { status: 404, json: { message: '404 Pipeline for pipeline_id Not Found' } };
  const last = jobs.findLast((job) => job.sha === sha && job.name === name && job.ref === body['ref']);
  const isOpen = last !== undefined && ['created', 'pending', 'running'].includes(last.status);
  const from = isOpen || last?.status === state ? last.status : 'created';
  if (!event.from.includes(from)) {
    const reason = `Reason(s): Status cannot transition via "${event.name}"`;
    return {
      status: 400,
      json: { message: `Cannot transition status via :${event.name} from :${from} (${reason})` },
    };
  }
  const job: Job =
    isOpen && last !== undefined
      ? last
      : {
          id: jobs.length,
          sha,
          name,
          ref: textOf(body['ref']),
          pipeline,
          status: '',
          description: null,
          target_url: null,
        };
  job.status = state;
  job.description = textOf(body['description']) || null;
  job.target_url = textOf(body['target_url']) || null;
  if (job !== last) jobs.push(job);
  return { status: 201, json: job };
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}
