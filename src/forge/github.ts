import { z } from 'zod';
import type { GithubApp } from '../config/status.ts';
import { isOurs } from './context.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { type ForgeClient, type ForgeOptions, type ForgeWords, forgeClient } from './forge-client.ts';
import { appAccess } from './github-app.ts';
import { githubChecks } from './github-checks.ts';
import { githubPulls } from './github-pulls.ts';
import { statusLink } from './link.ts';
import { once } from './once.ts';
import { pullRequests } from './pull-request-port.ts';
import { repositoryPath } from './repository-path.ts';

/** What a GitHub is reached with: `url` is `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise Server. */
export type GithubOptions = Omit<ForgeOptions, 'token'> & {
  /** OWNER/NAME. */
  readonly repository: string;
} & (
    | { readonly token: string }
    /** An App posts check runs in the place of commit statuses. */
    | { readonly app: GithubApp }
  );

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

const account = z.object({ id: z.number() });

const ownApp = z.object({ id: z.number(), slug: z.string() });

const words: ForgeWords = {
  section: 'status.github',
  repository: 'status.github.repository',
  permission: 'the permission to write commit statuses of this repository',
  hints: { 422: 'GitHub does not have this commit, or it has 1,000 statuses of this context already.' },
};

/** GitHub's commit statuses (REST API of 2022-11-28, "Commit statuses"), or an App's check runs; and pull requests. */
export function github(options: GithubOptions): Forge {
  const headers = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };
  const repository = `/repos/${repositoryPath(options.repository)}`;
  if (!('app' in options)) {
    const client = forgeClient(options, { ...headers, authorization: `Bearer ${options.token}` }, words);
    const user = client.needing({ permission: 'a user: without one our own comments cannot be told from others’' });
    const self = once(async (signal) => {
      const { id } = await user.read({ method: 'GET', path: '/user' }, account, signal);
      return (author: { readonly id: number }) => author.id === id;
    });
    return forgeOf(options, { client, repository, self, ...statuses(client, repository, options.context) });
  }
  const permission = 'the permission Checks (read and write) of the App';
  const hints = { 422: 'GitHub does not have this commit.' };
  const plain = forgeClient(options, headers, { ...words, permission, hints });
  const { client, asApp } = appAccess(plain, options.app, options.repository, options.clock);
  const app = once((signal) => asApp.read({ method: 'GET', path: '/app' }, ownApp, signal));
  const self = async (signal: AbortSignal) => {
    const { slug } = await app(signal);
    return (author: { readonly login: string }) => author.login === `${slug}[bot]`;
  };
  const appId = async (signal: AbortSignal) => (await app(signal)).id;
  const { context } = options;
  const checks = githubChecks({ client, repository, context, descriptionLimit, appId });
  return forgeOf(options, { client, repository, self, ...checks });
}

function forgeOf(
  options: GithubOptions,
  parts: Parameters<typeof githubPulls>[0] & Pick<Forge, 'post' | 'list'>,
): Forge {
  return {
    name: 'GitHub',
    descriptionLimit,
    post: parts.post,
    list: parts.list,
    pullRequests: pullRequests(githubPulls(parts), options),
    close: () => parts.client.close(),
  };
}

function statuses(client: ForgeClient, repository: string, prefix: string): Pick<Forge, 'post' | 'list'> {
  return {
    post: async (wanted, signal) => {
      const link = statusLink(wanted.targetUrl, 2000);
      const json = {
        state: wanted.state,
        context: wanted.context,
        description: fitDescription(wanted.description, descriptionLimit),
        ...(link === null ? {} : { target_url: link }),
      };
      await client.ask({ method: 'POST', path: `${repository}/statuses/${wanted.revision}`, json }, signal);
    },
    list: async (revision, signal) => {
      const found: CommitStatus[] = [];
      for (let page = 1; page <= longestList; page += 1) {
        const path = `${repository}/commits/${revision}/status?per_page=100&page=${page}`;
        const { statuses: read } = await client.read({ method: 'GET', path }, combined, signal);
        found.push(...read.filter((one) => isOurs(one.context, prefix)).map(toStatus(revision)));
        if (read.length < 100) break;
      }
      return found;
    },
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
