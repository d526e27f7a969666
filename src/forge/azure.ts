import { z } from 'zod';
import { asFailure } from '../platform/failure.ts';
import type { HttpRequest } from '../platform/http-client.ts';
import { isOurs } from './context.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { type ForgeClient, type ForgeOptions, forgeClient, refusal } from './forge-client.ts';
import { statusLink } from './link.ts';

/** What an Azure DevOps is reached with: `url` is `https://dev.azure.com/ORGANIZATION`, or a server's collection. */
export interface AzureOptions extends ForgeOptions {
  /** PROJECT/NAME. */
  readonly repository: string;
}

/** It names no limit; what is longer than this is cut on the page anyway. */
const descriptionLimit = 255;

/** Statuses asked for at once, and pages that are read of one commit. */
const pageSize = 100;
const longestList = 10;

/** Understood by the service and by every server since 2020. */
const apiVersion = 'api-version=6.0';

const states = { pending: 'pending', success: 'succeeded', failure: 'failed', error: 'error' } as const;

const status = z.object({
  state: z.string(),
  description: z.string().nullish(),
  targetUrl: z.string().nullish(),
  context: z.object({ name: z.string(), genre: z.string().nullish() }),
});

const page = z.object({ value: z.array(status) });

/**
 * Azure DevOps' commit statuses (Git, "Statuses"). A context is a genre and a name there: `konverge/edge` is `edge` of
 * the genre `konverge`, and the roll-up a name without a genre.
 */
export function azure(options: AzureOptions): Forge {
  const client = forgeClient(
    options,
    { authorization: `Basic ${Buffer.from(`:${options.token}`, 'utf8').toString('base64')}` },
    {
      section: 'status.azure',
      repository: 'status.azure.repository',
      permission: 'the scope Code (status)',
    },
  );
  const [project = '', name = ''] = options.repository.split('/').map(encodeURIComponent);
  const commits = `/${project}/_apis/git/repositories/${name}/commits`;
  return {
    name: 'Azure DevOps',
    descriptionLimit,
    post: async (wanted, signal) => {
      const link = statusLink(wanted.targetUrl, 2000);
      const json = {
        state: states[wanted.state],
        context: toContext(wanted.context),
        description: fitDescription(wanted.description, descriptionLimit),
        ...(link === null ? {} : { targetUrl: link }),
      };
      const path = `${commits}/${wanted.revision}/statuses?${apiVersion}`;
      await signedIn(client, { method: 'POST', path, json }, status, signal);
    },
    list: async (revision, signal) => {
      const found: CommitStatus[] = [];
      for (let read = 0; read < longestList; read += 1) {
        const range = `latestOnly=true&top=${pageSize}&skip=${read * pageSize}`;
        const path = `${commits}/${revision}/statuses?${range}&${apiVersion}`;
        const { value } = await signedIn(client, { method: 'GET', path }, page, signal);
        const statuses = value.map(toStatus(revision));
        found.push(...statuses.filter((one) => isOurs(one.context, options.context)));
        if (value.length < pageSize) break;
      }
      return found;
    },
    close: () => client.close(),
  };
}

/** To a token that it does not know, Azure DevOps answers 203 or a redirect, both to a page to sign in on. */
async function signedIn<S extends z.ZodType>(
  client: ForgeClient,
  request: HttpRequest,
  schema: S,
  signal: AbortSignal,
): Promise<z.output<S>> {
  try {
    return await client.read(request, schema, signal);
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    if (facts?.status !== 203 && facts?.status !== 302) throw thrown;
    throw refusal(request, facts.status, 'http-401', `answered ${facts.status}, a page to sign in on`, {
      hint: 'The token of `status.azure` is wrong, has expired or was revoked.',
    });
  }
}

function toContext(context: string): { readonly genre?: string; readonly name: string } {
  const slash = context.indexOf('/');
  return slash === -1 ? { name: context } : { genre: context.slice(0, slash), name: context.slice(slash + 1) };
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
