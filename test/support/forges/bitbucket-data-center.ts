import { bitbucketDataCenterPullAnswer } from './bitbucket-data-center-pulls.ts';
import { bodyOf, type ForgeEmulator, forgeToken, type Held, startEmulator, textOf } from './emulator.ts';
import { selfName } from './pull-world.ts';

interface Status {
  readonly key: string;
  readonly name: string;
  readonly state: string;
  readonly description: string;
  readonly url: string;
}

const states: Readonly<Record<string, Held['state']>> = {
  INPROGRESS: 'pending',
  SUCCESSFUL: 'success',
  FAILED: 'failure',
  CANCELLED: 'error',
  UNKNOWN: 'error',
};

/** Starts a Bitbucket Data Center with one repository. It takes a token only from who says that it is no form. */
export function startBitbucketDataCenter(repository: string): Promise<ForgeEmulator> {
  const commits = new Map<string, Map<string, Status>>();
  const [project, name] = repository.split('/');
  const errors = (message: string) => ({ errors: [{ context: null, message, exceptionName: null }] });
  return startEmulator((unknown, pulls) => ({
    isSignedIn: (got) => got.headers.authorization === `Bearer ${forgeToken}`,
    unauthorized: { status: 401, json: errors('Authentication failed. Please check your credentials and try again.') },
    forbidden: { status: 401, json: errors('You are not permitted to access this resource') },
    notFound: { status: 404, json: errors('The resource does not exist.') },
    moved: () => ({ status: 301, headers: { location: '/rest/api/latest/projects/OTHER/repos/elsewhere' } }),
    limited: (seconds) => ({
      status: 429,
      json: errors('You have been rate limited.'),
      headers: seconds === null ? {} : { 'retry-after': String(seconds), 'x-ratelimit-remaining': '0' },
    }),
    always: { 'x-auserid': String(pulls.idOf(selfName)), 'x-ausername': selfName },
    answer: (got, url) => {
      const ofPulls = bitbucketDataCenterPullAnswer(pulls, repository, got, url);
      if (ofPulls !== null) return ofPulls;
      const post = new RegExp(
        `^/rest/api/latest/projects/${project}/repos/${name}/commits/([0-9a-f]{40})/builds$`,
      ).exec(url.pathname);
      const list = /^\/rest\/build-status\/latest\/commits\/([0-9a-f]{40})$/.exec(url.pathname);
      const sha = post?.[1] ?? list?.[1] ?? '';
      if (sha === '' || unknown.has(sha)) return null;
      const held = commits.get(sha) ?? new Map<string, Status>();
      commits.set(sha, held);
      if (got.method === 'POST' && post !== null) {
        if (got.headers['x-atlassian-token'] !== 'no-check') return { status: 403, text: 'XSRF check failed' };
        const body = bodyOf(got);
        const status: Status = {
          key: textOf(body['key']),
          name: textOf(body['name']),
          state: textOf(body['state']),
          description: textOf(body['description']),
          url: textOf(body['url']),
        };
        const tooLong = status.key.length > 255 || [...status.description].length > 255 || status.url.length > 450;
        const isRef = body['ref'] === undefined || /^refs\/heads\/./.test(textOf(body['ref']));
        if (tooLong || status.key === '' || !URL.canParse(status.url) || !(status.state in states) || !isRef) {
          return { status: 400, json: errors('The build status is not valid.') };
        }
        held.set(status.key, status);
        return { status: 204 };
      }
      if (got.method !== 'GET' || list === null) return null;
      const limit = Math.min(50, Number(url.searchParams.get('limit') ?? 25));
      const start = Number(url.searchParams.get('start') ?? 0);
      const isLastPage = start + limit >= held.size;
      const values = [...held.values()].slice(start, start + limit);
      const nextPageStart = isLastPage ? null : start + limit;
      return { status: 200, json: { size: values.length, limit, start, isLastPage, values, nextPageStart } };
    },
    held: (sha) =>
      Object.fromEntries(
        [...(commits.get(sha)?.values() ?? [])].map(({ name: context, state, description, url }) => [
          context,
          {
            state: states[state] ?? 'error',
            description,
            targetUrl: /\/projects\/.*\/commits\//.test(url) ? null : url,
          },
        ]),
      ),
  }));
}
