import { z } from 'zod';
import { isOurs } from './context.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { type ForgeOptions, forgeClient } from './forge-client.ts';
import { giteaPulls } from './gitea-pulls.ts';
import { statusLink } from './link.ts';
import { pullRequests } from './pull-request-port.ts';
import { repositoryPath } from './repository-path.ts';

/** What a Gitea or a Forgejo is reached with: `url` is the address that people use, without `/api/v1`. */
export interface GiteaOptions extends ForgeOptions {
  readonly product: 'gitea' | 'forgejo';
  /** OWNER/NAME. */
  readonly repository: string;
}

/** Neither names a limit; what is longer than this is cut on the page anyway. */
const descriptionLimit = 255;

/** Contexts asked for at once: what a server gives at most unless it was set up otherwise. */
const pageSize = 50;

/** Pages that are read of one commit. */
const longestList = 20;

const status = z.object({
  context: z.string(),
  status: z.enum(['pending', 'success', 'error', 'failure', 'warning', 'skipped']),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

// A commit without statuses has `null` there.
const combined = z.object({ statuses: z.array(status).nullish() });

/** Commit statuses of Gitea and Forgejo (API of version 1, "Create a commit status"), which are the same. */
export function gitea(options: GiteaOptions): Forge {
  const section = `status.${options.product}`;
  const client = forgeClient(
    options,
    { authorization: `token ${options.token}` },
    {
      section,
      repository: `${section}.repository`,
      permission: 'the scope `write:repository`, and its user the right to write to the repository',
    },
  );
  const repository = `/api/v1/repos/${repositoryPath(options.repository)}`;
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
    name: options.product === 'gitea' ? 'Gitea' : 'Forgejo',
    descriptionLimit,
    post,
    list: async (revision, signal) => {
      const found = new Map<string, CommitStatus>();
      const seen = new Set<string>();
      for (let page = 1; page <= longestList; page += 1) {
        const path = `${repository}/commits/${revision}/status?limit=${pageSize}&page=${page}`;
        const statuses = (await client.read({ method: 'GET', path }, combined, signal)).statuses ?? [];
        const news = statuses.filter((one) => !seen.has(one.context));
        for (const one of news) {
          seen.add(one.context);
          if (isOurs(one.context, options.context)) found.set(one.context, toStatus(one, revision));
        }
        // A server may give shorter pages than were asked for, and an older one knows no pages here.
        if (news.length === 0) break;
      }
      return [...found.values()];
    },
    pullRequests: pullRequests(giteaPulls({ client, repository, post }), options),
    close: () => client.close(),
  };
}

function toStatus(one: z.infer<typeof status>, revision: string): CommitStatus {
  return {
    revision,
    context: one.context,
    // Neither is ever posted by us, so that what says so has to be put right.
    state: one.status === 'warning' || one.status === 'skipped' ? 'error' : one.status,
    description: one.description ?? '',
    targetUrl: one.target_url || null,
  };
}
