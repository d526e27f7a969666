import { z } from 'zod';
import { azurePulls } from './azure-pulls.ts';
import { azureDescriptionLimit, azureStatus, azureWords, signedInClient } from './azure-wording.ts';
import { isOurs } from './context.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { type ForgeOptions, forgeClient } from './forge-client.ts';
import { pullRequests } from './pull-request-port.ts';

/** What an Azure DevOps is reached with: `url` is `https://dev.azure.com/ORGANIZATION`, or a server's collection. */
export interface AzureOptions extends ForgeOptions {
  /** PROJECT/NAME. */
  readonly repository: string;
}

/** Statuses asked for at once, and pages that are read of one commit. */
const pageSize = 100;
const longestList = 10;

/** Understood by the service and by every server since 2020. */
const apiVersion = 'api-version=6.0';

const status = z.object({
  state: z.string(),
  description: z.string().nullish(),
  targetUrl: z.string().nullish(),
  context: z.object({ name: z.string(), genre: z.string().nullish() }),
});

const page = z.object({ value: z.array(status) });

/** Azure DevOps' commit statuses (Git, "Statuses"), and its pull requests. */
export function azure(options: AzureOptions): Forge {
  const headers = { authorization: `Basic ${Buffer.from(`:${options.token}`, 'utf8').toString('base64')}` };
  const client = signedInClient(forgeClient(options, headers, azureWords));
  const people = signedInClient(forgeClient({ ...options, url: peopleUrl(options.url) }, headers, azureWords));
  const [project = '', name = ''] = options.repository.split('/').map(encodeURIComponent);
  const repository = `/${project}/_apis/git/repositories/${name}`;
  const commits = `${repository}/commits`;
  const pages = `${options.url}/${project}/_git/${name}/pullrequest`;
  return {
    name: 'Azure DevOps',
    descriptionLimit: azureDescriptionLimit,
    post: async (wanted, signal) => {
      const path = `${commits}/${wanted.revision}/statuses?${apiVersion}`;
      await client.read({ method: 'POST', path, json: azureStatus(wanted) }, status, signal);
    },
    list: async (revision, signal) => {
      const found: CommitStatus[] = [];
      for (let read = 0; read < longestList; read += 1) {
        const range = `latestOnly=true&top=${pageSize}&skip=${read * pageSize}`;
        const path = `${commits}/${revision}/statuses?${range}&${apiVersion}`;
        const { value } = await client.read({ method: 'GET', path }, page, signal);
        const statuses = value.map(toStatus(revision));
        found.push(...statuses.filter((one) => isOurs(one.context, options.context)));
        if (value.length < pageSize) break;
      }
      return found;
    },
    pullRequests: pullRequests(azurePulls({ client, people, repository, pages }), options),
    close: async () => {
      await Promise.all([client.close(), people.close()]);
    },
  };
}

/** Where people are asked for: the service has a host of its own for them, a server has not ("Identities"). */
function peopleUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  if (address.host === 'dev.azure.com') address.host = 'vssps.dev.azure.com';
  const [, organization] = /^([\w-]+)\.visualstudio\.com$/.exec(address.host) ?? [];
  if (organization !== undefined) address.host = `${organization}.vssps.visualstudio.com`;
  return address.href.replace(/\/$/, '');
}

function toStatus(revision: string) {
  return ({ context, state, description, targetUrl }: z.infer<typeof status>): CommitStatus => ({
    revision,
    context: context.genre ? `${context.genre}/${context.name}` : context.name,
    state: stateOf(state),
    description: description ?? '',
    targetUrl: targetUrl ?? null,
  });
}

function stateOf(state: string): CommitStatus['state'] {
  switch (state) {
    case 'pending':
    case 'notSet':
      return 'pending';
    case 'succeeded':
      return 'success';
    case 'failed':
      return 'failure';
    default:
      // error, notApplicable, and what a later release may add: no verdict of ours.
      return 'error';
  }
}
