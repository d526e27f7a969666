import { z } from 'zod';
import { bitbucketCloudPulls } from './bitbucket-cloud-pulls.ts';
import { contextKey, isOurs } from './context.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { type ForgeOptions, forgeClient } from './forge-client.ts';
import { statusLink } from './link.ts';
import { pullRequests } from './pull-request-port.ts';
import { repositoryPath } from './repository-path.ts';

/** What Bitbucket Cloud is reached with: `url` is `https://api.bitbucket.org`. */
export interface BitbucketCloudOptions extends ForgeOptions {
  /** WORKSPACE/NAME. */
  readonly repository: string;
  /** Whose token it is, for an API token; null for an access token of the repository, project or workspace. */
  readonly username: string | null;
  /** The branch that is followed. */
  readonly branch: string;
}

/** The longest key, in characters. */
const keyLimit = 40;

/** It names no limit; what is longer than this is cut on the page anyway. */
const descriptionLimit = 255;

/** Pages of a hundred statuses that are read of one commit. */
const longestList = 10;

/** Bitbucket's words for our states. It has no `error`; `STOPPED` is what tells "we could not" from "it is wrong". */
const states = { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED', error: 'STOPPED' } as const;

const meanings = { INPROGRESS: 'pending', SUCCESSFUL: 'success', FAILED: 'failure', STOPPED: 'error' } as const;

const status = z.object({
  key: z.string(),
  state: z.enum(['INPROGRESS', 'SUCCESSFUL', 'FAILED', 'STOPPED']),
  name: z.string().nullish(),
  description: z.string().nullish(),
  url: z.string().nullish(),
});

const page = z.object({ values: z.array(status), next: z.string().nullish() });

/** Bitbucket Cloud's build statuses (REST API 2.0, "Commit statuses"). A post of the same key replaces the one before. */
export function bitbucketCloud(options: BitbucketCloudOptions): Forge {
  const basic = Buffer.from(`${options.username ?? ''}:${options.token}`, 'utf8').toString('base64');
  const client = forgeClient(
    options,
    { authorization: options.username === null ? `Bearer ${options.token}` : `Basic ${basic}` },
    {
      section: 'status.bitbucket',
      repository: 'status.bitbucket.repository',
      permission: 'the scope `repository` (read and write for an API token)',
    },
  );
  const repository = `/2.0/repositories/${repositoryPath(options.repository)}`;
  const commits = `${repository}/commit`;
  const post = async (wanted: CommitStatus, branch: string | null, signal: AbortSignal) => {
    const json = {
      key: contextKey(wanted.context, keyLimit),
      name: wanted.context,
      state: states[wanted.state],
      description: fitDescription(wanted.description, descriptionLimit),
      // It cannot be left out.
      url: statusLink(wanted.targetUrl, 2000) ?? commitPage(options.repository, wanted.revision),
      ...(branch === null ? {} : { refname: branch }),
    };
    await client.ask({ method: 'POST', path: `${commits}/${wanted.revision}/statuses/build`, json }, signal);
  };
  const [workspace, name] = options.repository.split('/').map(encodeURIComponent);
  const permissions = `/2.0/workspaces/${workspace}/permissions/repositories/${name}`;
  return {
    name: 'Bitbucket Cloud',
    descriptionLimit,
    post: (wanted, signal) => post(wanted, options.branch, signal),
    list: async (revision, signal) => {
      const found: CommitStatus[] = [];
      let query = '?pagelen=100';
      for (let read = 0; read < longestList; read += 1) {
        const path = `${commits}/${revision}/statuses${query}`;
        const { values, next } = await client.read({ method: 'GET', path }, page, signal);
        found.push(...values.flatMap((one) => toStatus(one, revision, options)));
        if (next === undefined || next === null || !URL.canParse(next)) break;
        // Of the next page's address only what is asked: the token goes to no other host than the one configured.
        query = new URL(next).search;
      }
      return found;
    },
    pullRequests: pullRequests(bitbucketCloudPulls({ client, repository, permissions, post }), options),
    close: () => client.close(),
  };
}

function commitPage(repository: string, revision: string): string {
  return `https://bitbucket.org/${repositoryPath(repository)}/commits/${revision}`;
}

function toStatus(
  one: z.infer<typeof status>,
  revision: string,
  options: BitbucketCloudOptions,
): readonly CommitStatus[] {
  const context = contextOf(one, keyLimit);
  if (!isOurs(context, options.context)) return [];
  const targetUrl = one.url ?? null;
  return [
    {
      revision,
      context,
      state: meanings[one.state],
      description: one.description ?? '',
      targetUrl: targetUrl === commitPage(options.repository, revision) ? null : targetUrl,
    },
  ];
}

/** The context of a status whose key may be a shortened one: its name has it in full. */
function contextOf({ key, name }: z.infer<typeof status>, limit: number): string {
  return name !== undefined && name !== null && contextKey(name, limit) === key ? name : key;
}
