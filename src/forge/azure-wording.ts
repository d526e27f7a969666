import { asFailure } from '../platform/failure.ts';
import type { HttpRequest } from '../platform/http-client.ts';
import { fitDescription } from './description.ts';
import type { CommitStatus } from './forge.ts';
import { type ForgeClient, type ForgeWords, refusal } from './forge-client.ts';
import { statusLink } from './link.ts';

/** What Azure DevOps is told of the token's refusals; see ForgeWords. */
export const azureWords: ForgeWords = {
  section: 'status.azure',
  repository: 'status.azure.repository',
  permission: 'the scope Code (status)',
};

/** It names no limit; what is longer than this is cut on the page anyway. */
export const azureDescriptionLimit = 255;

const states = { pending: 'pending', success: 'succeeded', failure: 'failed', error: 'error' } as const;

/**
 * A status as Azure DevOps takes it. A context is a genre and a name there: `konverge/edge` is `edge` of the genre
 * `konverge`, and the roll-up a name without a genre.
 */
export function azureStatus(wanted: CommitStatus) {
  const link = statusLink(wanted.targetUrl, 2000);
  return {
    state: states[wanted.state],
    context: toContext(wanted.context),
    description: fitDescription(wanted.description, azureDescriptionLimit),
    ...(link === null ? {} : { targetUrl: link }),
  };
}

function toContext(context: string): { readonly genre?: string; readonly name: string } {
  const slash = context.indexOf('/');
  return slash === -1 ? { name: context } : { genre: context.slice(0, slash), name: context.slice(slash + 1) };
}

/** The same client, to which a page to sign in on is a refusal: see `signedIn`. */
export function signedInClient(client: ForgeClient): ForgeClient {
  return {
    ask: (request, signal) => signedIn(request, () => client.ask(request, signal)),
    read: (request, schema, signal) => signedIn(request, () => client.read(request, schema, signal)),
    readWhole: (request, schema, signal) => signedIn(request, () => client.readWhole(request, schema, signal)),
    needing: (words) => signedInClient(client.needing(words)),
    close: () => client.close(),
  };
}

/** To a token that it does not know, Azure DevOps answers 203 or a redirect, both to a page to sign in on. */
async function signedIn<T>(request: HttpRequest, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    const facts = asFailure(thrown)?.facts;
    if (facts?.status !== 203 && facts?.status !== 302) throw thrown;
    throw refusal(request, facts.status, 'http-401', `answered ${facts.status}, a page to sign in on`, {
      hint: 'The token of `status.azure` is wrong, has expired or was revoked.',
    });
  }
}
