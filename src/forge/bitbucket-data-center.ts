import { z } from 'zod';
import { bitbucketDataCenterPulls } from './bitbucket-data-center-pulls.ts';
import { contextKey, isOurs } from './context.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { type ForgeOptions, forgeClient } from './forge-client.ts';
import { statusLink } from './link.ts';
import { pullRequests } from './pull-request-port.ts';

/** What a Bitbucket Data Center is reached with: `url` is the address that people use, without `/rest`. */
export interface BitbucketDataCenterOptions extends ForgeOptions {
  /** PROJECT/NAME. */
  readonly repository: string;
  /** The branch that is followed. */
  readonly branch: string;
}

/** The longest texts that it takes, in characters. */
const keyLimit = 255;
const descriptionLimit = 255;
const linkLimit = 450;

/** Pages of a hundred statuses that are read of one commit. */
const longestList = 10;

/** Its words for our states; `CANCELLED` is what tells "we could not" from "it is wrong". */
const states = { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED', error: 'CANCELLED' } as const;

const status = z.object({
  key: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  url: z.string().nullish(),
});

const page = z.object({
  values: z.array(status),
  isLastPage: z.boolean().nullish(),
  nextPageStart: z.number().int().nullish(),
});

/**
 * Build statuses of Bitbucket Data Center (REST API, "Builds and deployments"). They are posted to the repository, and
 * read from the older `build-status` API, since the newer one lists none without its key. A post of the same key
 * replaces the one before.
 */
export function bitbucketDataCenter(options: BitbucketDataCenterOptions): Forge {
  const client = forgeClient(
    options,
    { authorization: `Bearer ${options.token}`, 'x-atlassian-token': 'no-check' },
    {
      section: 'status.bitbucketDataCenter',
      repository: 'status.bitbucketDataCenter.repository',
      permission: 'the right to write to the repository',
    },
  );
  const [project = '', name = ''] = options.repository.split('/').map(encodeURIComponent);
  const commits = `/rest/api/latest/projects/${project}/repos/${name}/commits`;
  const commitPage = (revision: string) => `${options.url}/projects/${project}/repos/${name}/commits/${revision}`;
  const post = async (wanted: CommitStatus, ref: string | null, signal: AbortSignal) => {
    const json = {
      key: contextKey(wanted.context, keyLimit),
      name: wanted.context,
      state: states[wanted.state],
      description: fitDescription(wanted.description, descriptionLimit),
      // It cannot be left out.
      url: statusLink(wanted.targetUrl, linkLimit) ?? statusLink(commitPage(wanted.revision), Number.MAX_SAFE_INTEGER),
      ...(ref === null ? {} : { ref }),
    };
    await client.ask({ method: 'POST', path: `${commits}/${wanted.revision}/builds`, json }, signal);
  };
  const pulls = bitbucketDataCenterPulls({
    client,
    repository: options.repository,
    post: (wanted, signal) => post(wanted, null, signal),
  });
  return {
    name: 'Bitbucket Data Center',
    takesAnyCommit: true,
    descriptionLimit,
    post: (wanted, signal) => post(wanted, `refs/heads/${options.branch}`, signal),
    list: async (revision, signal) => {
      const found: CommitStatus[] = [];
      let start = 0;
      for (let read = 0; read < longestList; read += 1) {
        const path = `/rest/build-status/latest/commits/${revision}?limit=100&start=${start}`;
        const { values, isLastPage, nextPageStart } = await client.read({ method: 'GET', path }, page, signal);
        const ours = values.filter((one) => isOurs(one.key, options.context));
        found.push(...ours.map((one) => toStatus(one, revision, statusLink(commitPage(revision), 10_000))));
        if (isLastPage !== false || nextPageStart === undefined || nextPageStart === null) break;
        start = nextPageStart;
      }
      return found;
    },
    pullRequests: pullRequests(pulls, options),
    close: () => client.close(),
  };
}

function toStatus(one: z.infer<typeof status>, revision: string, commitPage: string | null): CommitStatus {
  return {
    revision,
    context: one.key,
    state: stateOf(one.state),
    description: one.description ?? '',
    targetUrl: one.url === commitPage ? null : (one.url ?? null),
  };
}

function stateOf(state: string): CommitStatus['state'] {
  switch (state) {
    case 'INPROGRESS':
      return 'pending';
    case 'SUCCESSFUL':
      return 'success';
    case 'FAILED':
      return 'failure';
    default:
      return 'error';
  }
}
