import { z } from 'zod';
import { isOurs } from './context.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { type ForgeOptions, forgeClient } from './forge-client.ts';
import { githubPulls } from './github-pulls.ts';
import { statusLink } from './link.ts';
import { pullRequests } from './pull-request-port.ts';
import { repositoryPath } from './repository-path.ts';

/** What a GitHub is reached with: `url` is `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise Server. */
export interface GithubOptions extends ForgeOptions {
  /** OWNER/NAME. */
  readonly repository: string;
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
  const client = forgeClient(
    options,
    {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${options.token}`,
      'x-github-api-version': '2022-11-28',
    },
    {
      section: 'status.github',
      repository: 'status.github.repository',
      permission: 'the permission to write commit statuses of this repository',
      hints: { 422: 'GitHub does not have this commit, or it has 1,000 statuses of this context already.' },
    },
  );
  const repository = `/repos/${repositoryPath(options.repository)}`;
  const post = async (wanted: CommitStatus, signal: AbortSignal) => {
    const link = statusLink(wanted.targetUrl, 2000);
    const json = {
      state: wanted.state,
      context: wanted.context,
      description: fitDescription(wanted.description, descriptionLimit),
      ...(link === null ? {} : { target_url: link }),
    };
    await client.ask({ method: 'POST', path: `${repository}/statuses/${wanted.revision}`, json }, signal);
  };
  return {
    name: 'GitHub',
    descriptionLimit,
    post,
    list: async (revision, signal) => {
      const found: CommitStatus[] = [];
      for (let page = 1; page <= longestList; page += 1) {
        const path = `${repository}/commits/${revision}/status?per_page=100&page=${page}`;
        const { statuses } = await client.read({ method: 'GET', path }, combined, signal);
        found.push(...statuses.filter((one) => isOurs(one.context, options.context)).map(toStatus(revision)));
        if (statuses.length < 100) break;
      }
      return found;
    },
    pullRequests: pullRequests(githubPulls({ client, repository, post }), options),
    close: () => client.close(),
  };
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
