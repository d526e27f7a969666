import { azurePullAnswer, type PullStatus } from './azure-pulls.ts';
import { bodyOf, type ForgeEmulator, forgeToken, type Held, newestOf, startEmulator, textOf } from './emulator.ts';

interface Status {
  readonly sha: string;
  readonly state: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly context: { readonly name: string; readonly genre: string | null };
}

const states: Readonly<Record<string, Held['state']>> = {
  pending: 'pending',
  succeeded: 'success',
  failed: 'failure',
  error: 'error',
};

const nameOf = ({ context: { genre, name } }: Pick<Status, 'context'>) => (genre === null ? name : `${genre}/${name}`);

/** Starts an Azure DevOps with one repository, PROJECT/NAME. To a token that it does not know it shows a page. */
export function startAzure(repository: string): Promise<ForgeEmulator> {
  const statuses: Status[] = [];
  const pullStatuses: PullStatus[] = [];
  const [project = '', name = ''] = repository.split('/').map(encodeURIComponent);
  const basic = `Basic ${Buffer.from(`:${forgeToken}`).toString('base64')}`;
  const fault = (message: string) => ({ $id: '1', message, typeKey: 'GitException', errorCode: 0 });
  return startEmulator((unknown, pulls) => ({
    isSignedIn: (got) => got.headers.authorization === basic,
    unauthorized: { status: 203, text: '<!DOCTYPE html><title>Azure DevOps Services | Sign In</title>' },
    forbidden: { status: 403, json: fault('TF401027: You need the Git permission to perform this action.') },
    notFound: {
      status: 404,
      json: fault('TF401019: The Git repository does not exist or you do not have permissions.'),
    },
    moved: () => ({ status: 301, headers: { location: '/elsewhere' } }),
    limited: (seconds) => ({
      status: 429,
      json: fault('TF400733: The request has been canceled: request was blocked due to exceeding usage.'),
      headers: seconds === null ? {} : { 'retry-after': String(seconds), 'x-ratelimit-remaining': '0' },
    }),
    answer: (got, url) => {
      const path = `/${project}/_apis/git/repositories/${name}`;
      const ofPulls = azurePullAnswer(pulls, path, pullStatuses, got, url);
      if (ofPulls !== null) return ofPulls;
      const [, sha = ''] =
        new RegExp(`^/${project}/_apis/git/repositories/${name}/commits/([0-9a-f]{40})/statuses$`).exec(url.pathname) ??
        [];
      if (sha === '' || unknown.has(sha)) return null;
      if (!url.searchParams.has('api-version')) return { status: 400, json: fault('No api-version was supplied.') };
      if (got.method === 'POST') {
        const body = bodyOf(got);
        const context = body['context'] as { readonly name?: string; readonly genre?: string };
        const status: Status = {
          sha,
          state: textOf(body['state']),
          description: textOf(body['description']) || null,
          targetUrl: textOf(body['targetUrl']) || null,
          context: { name: context.name ?? '', genre: context.genre ?? null },
        };
        if (!(status.state in states) || status.context.name === '') return { status: 400, json: fault('Invalid') };
        statuses.push(status);
        return { status: 201, json: { id: statuses.length, ...status } };
      }
      if (got.method !== 'GET') return null;
      const ofCommit = statuses.filter((one) => one.sha === sha);
      const shown = url.searchParams.get('latestOnly') === 'true' ? newestOf(ofCommit, nameOf) : ofCommit;
      const skip = Number(url.searchParams.get('skip') ?? 0);
      const value = shown.slice(skip, skip + Number(url.searchParams.get('top') ?? 1000));
      return { status: 200, json: { count: value.length, value } };
    },
    heldOn: (number) => {
      const last = pulls.pull(number)?.heads.length ?? 0;
      const shown = pullStatuses.filter((one) => one.number === number && one.iterationId === last);
      return Object.fromEntries(
        shown.map((one) => [
          nameOf(one),
          { state: states[one.state] ?? 'error', description: one.description, targetUrl: one.targetUrl },
        ]),
      );
    },
    held: (sha) =>
      Object.fromEntries(
        statuses
          .filter((one) => one.sha === sha)
          .map((one) => [
            nameOf(one),
            { state: states[one.state] ?? 'error', description: one.description ?? '', targetUrl: one.targetUrl },
          ]),
      ),
  }));
}
