import { z } from 'zod';
import { isOurs } from './context.ts';
import { fitDescription } from './description.ts';
import type { Annotation, CommitStatus, PostedStatus } from './forge.ts';
import type { ForgeClient } from './forge-client.ts';
import { statusLink } from './link.ts';

/** Annotations of one request, of one check run, and the longest texts of one, in characters. */
const perRequest = 50;
const mostAnnotations = 250;
const titleLimit = 255;
const messageLimit = 10_000;

/** Pages of a hundred check runs that are read of one commit. */
const longestList = 10;

/** Open check runs that are remembered at most. */
const mostOpen = 500;

/** Its conclusions for our verdicts. It has no `error`; `cancelled` is what tells "we could not" from "it is wrong". */
const conclusions = { success: 'success', failure: 'failure', error: 'cancelled' } as const;

const run = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  details_url: z.string().nullish(),
  output: z.object({ title: z.string().nullish() }).nullish(),
  app: z.object({ id: z.number() }).nullish(),
});

const page = z.object({ check_runs: z.array(run) });

const made = z.object({ id: z.number() });

/** What check runs are posted with. */
export interface GithubChecks {
  readonly client: ForgeClient;
  /** `/repos/OWNER/NAME`. */
  readonly repository: string;
  /** What our contexts begin with. */
  readonly context: string;
  readonly descriptionLimit: number;
  /** The App's number: others may have check runs of our names. */
  readonly appId: (signal: AbortSignal) => Promise<number>;
}

/**
 * Statuses as check runs (GitHub, "Check runs"), which only an App may post. A run that has not ended is updated; one
 * that has is followed by a new one of its name, since an ended run does not begin again.
 */
export function githubChecks(options: GithubChecks) {
  const { client, repository, context, descriptionLimit, appId } = options;
  const open = new Map<string, number>();
  const send = async (number: number | undefined, json: unknown, signal: AbortSignal): Promise<number> => {
    const path = `${repository}/check-runs${number === undefined ? '' : `/${number}`}`;
    const method = number === undefined ? 'POST' : 'PATCH';
    return (await client.read({ method, path, json }, made, signal)).id;
  };
  return {
    post: async (wanted: PostedStatus, signal: AbortSignal): Promise<void> => {
      const key = `${wanted.revision} ${wanted.context}`;
      const title = fitDescription(wanted.description, descriptionLimit) || wanted.context;
      const link = statusLink(wanted.targetUrl, 2000);
      const all = (wanted.annotations ?? []).slice(0, mostAnnotations).map(toAnnotation);
      const left = (wanted.annotations?.length ?? 0) - all.length;
      const summary =
        left > 0 ? `${title}\n\nThe first ${all.length} findings are shown; there are ${left} more.` : title;
      const what = {
        name: wanted.context,
        head_sha: wanted.revision,
        ...(link === null ? {} : { details_url: link }),
      };
      let number = open.get(key);
      // What becomes of the run is not known until it is answered; another one takes its place then.
      open.delete(key);
      // The verdict comes with the last of them: a run whose findings are not all there has not ended.
      for (let from = 0; from === 0 || from < all.length; from += perRequest) {
        const isLast = from + perRequest >= all.length;
        const output = { title, summary, annotations: all.slice(from, from + perRequest) };
        number = await send(number, { ...what, ...stateOf(wanted.state, isLast), output }, signal);
      }
      if (wanted.state !== 'pending' && number !== undefined) return;
      if (number !== undefined) open.set(key, number);
      const [oldest] = open.keys();
      if (oldest !== undefined && open.size > mostOpen) open.delete(oldest);
    },
    list: async (revision: string, signal: AbortSignal): Promise<readonly CommitStatus[]> => {
      const own = await appId(signal);
      const found: CommitStatus[] = [];
      for (let number = 1; number <= longestList; number += 1) {
        const path = `${repository}/commits/${revision}/check-runs?filter=latest&per_page=100&page=${number}`;
        const { check_runs: runs } = await client.read({ method: 'GET', path }, page, signal);
        for (const one of runs) {
          if (one.app?.id !== own || !isOurs(one.name, context)) continue;
          if (one.status !== 'completed') open.set(`${revision} ${one.name}`, one.id);
          found.push(toStatus(one, revision));
        }
        if (runs.length < 100) break;
      }
      return found;
    },
  };
}

function stateOf(state: CommitStatus['state'], isLast: boolean) {
  if (state === 'pending' || !isLast) return { status: 'in_progress' };
  return { status: 'completed', conclusion: conclusions[state] };
}

function toAnnotation({ file, line, endLine, level, title, message }: Annotation) {
  return {
    path: file,
    start_line: line,
    end_line: Math.max(line, endLine),
    annotation_level: level,
    title: fitDescription(title, titleLimit),
    message: message.slice(0, messageLimit) || title,
  };
}

function toStatus(one: z.infer<typeof run>, revision: string): CommitStatus {
  return {
    revision,
    context: one.name,
    state: verdictOf(one),
    description: one.output?.title ?? '',
    targetUrl: one.details_url || null,
  };
}

function verdictOf({ status, conclusion }: z.infer<typeof run>): CommitStatus['state'] {
  if (status !== 'completed') return 'pending';
  if (conclusion === 'success' || conclusion === 'failure') return conclusion;
  return 'error';
}
