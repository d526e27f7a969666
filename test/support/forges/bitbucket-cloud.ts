import { bitbucketCloudPullAnswer } from './bitbucket-cloud-pulls.ts';
import { bodyOf, type ForgeEmulator, forgeToken, type Held, pageOf, startEmulator, textOf } from './emulator.ts';

interface Status {
  readonly key: string;
  readonly name: string;
  readonly state: string;
  readonly description: string;
  readonly url: string;
  readonly refname: string;
}

const states: Readonly<Record<string, Held['state']>> = {
  INPROGRESS: 'pending',
  SUCCESSFUL: 'success',
  FAILED: 'failure',
  STOPPED: 'error',
};

/** Starts a Bitbucket Cloud with one repository. A status takes the place of the one with its key. */
export function startBitbucketCloud(repository: string): Promise<ForgeEmulator> {
  const commits = new Map<string, Map<string, Status>>();
  const error = (message: string) => ({ type: 'error', error: { message } });
  const page = `https://bitbucket.org/${repository}/commits/`;
  return startEmulator((unknown, pulls) => ({
    isSignedIn: (got) => got.headers.authorization === `Bearer ${forgeToken}`,
    unauthorized: { status: 401, json: error('Token is invalid, expired, or not supported for this endpoint.') },
    forbidden: { status: 403, json: error('Your credentials lack one or more required privilege scopes.') },
    notFound: { status: 404, json: error('Resource not found') },
    moved: () => ({ status: 301, headers: { location: '/2.0/repositories/acme/elsewhere' } }),
    limited: (seconds) => ({
      status: 429,
      json: error('Rate limit for this resource has been exceeded'),
      headers: seconds === null ? {} : { 'retry-after': String(seconds) },
    }),
    answer: (got, url) => {
      const ofPulls = bitbucketCloudPullAnswer(pulls, repository, got, url);
      if (ofPulls !== null) return ofPulls;
      const [, sha = '', post] =
        new RegExp(`^/2.0/repositories/${repository}/commit/([0-9a-f]{40})/statuses(/build)?$`).exec(url.pathname) ??
        [];
      if (sha === '' || unknown.has(sha)) return null;
      const held = commits.get(sha) ?? new Map<string, Status>();
      commits.set(sha, held);
      if (got.method === 'POST' && post !== undefined) {
        const body = bodyOf(got);
        const status: Status = {
          key: textOf(body['key']),
          name: textOf(body['name']),
          state: textOf(body['state']),
          description: textOf(body['description']),
          url: textOf(body['url']),
          refname: textOf(body['refname']),
        };
        const wrong = status.key === '' || status.key.length > 40 || !URL.canParse(status.url);
        if (wrong || !(status.state in states)) return { status: 400, json: error('Bad request') };
        const isNew = !held.has(status.key);
        held.set(status.key, status);
        return { status: isNew ? 201 : 200, json: { type: 'build', ...status } };
      }
      if (got.method !== 'GET' || post !== undefined) return null;
      const size = Math.min(100, Number(url.searchParams.get('pagelen') ?? 10));
      const number = Number(url.searchParams.get('page') ?? 1);
      const more = held.size > number * size;
      const next = `https://api.bitbucket.org${url.pathname}?pagelen=${size}&page=${number + 1}`;
      const values = pageOf([...held.values()], number, size).map((one) => ({ type: 'build', ...one }));
      return { status: 200, json: { size: held.size, page: number, pagelen: size, values, ...(more ? { next } : {}) } };
    },
    held: (sha) =>
      Object.fromEntries(
        [...(commits.get(sha)?.values() ?? [])].map(({ name, state, description, url }) => [
          name,
          { state: states[state] ?? 'error', description, targetUrl: url.startsWith(page) ? null : url },
        ]),
      ),
  }));
}
