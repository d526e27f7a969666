import {
  bodyOf,
  type ForgeEmulator,
  forgeToken,
  type Held,
  newestOf,
  pageOf,
  startEmulator,
  textOf,
} from './emulator.ts';
import { giteaPullAnswer } from './gitea-pulls.ts';

interface Status {
  readonly sha: string;
  readonly context: string;
  readonly status: string;
  readonly description: string;
  readonly target_url: string;
}

const states = new Set(['pending', 'success', 'error', 'failure', 'warning']);

/** Starts a Gitea with one repository; Forgejo answers alike. Pages are shorter than what is asked for. */
export function startGitea(repository: string): Promise<ForgeEmulator> {
  const statuses: Status[] = [];
  const base = `/api/v1/repos/${repository}`;
  return startEmulator((unknown, pulls) => ({
    isSignedIn: (got) => got.headers.authorization === `token ${forgeToken}`,
    unauthorized: { status: 401, json: { message: 'user does not exist [uid: 0, name: ]', url: '' } },
    forbidden: { status: 403, json: { message: 'token does not have at least one of required scope(s)', url: '' } },
    notFound: { status: 404, json: { message: 'The target couldn’t be found.', url: '', errors: [] } },
    moved: () => ({ status: 301, headers: { location: `/api/v1/repos/acme/elsewhere` } }),
    limited: (seconds) => ({
      status: 429,
      text: 'Too Many Requests',
      headers: seconds === null ? {} : { 'retry-after': String(seconds) },
    }),
    answer: (got, url) => {
      const ofPulls = giteaPullAnswer(pulls, base, got, url);
      if (ofPulls !== null) return ofPulls;
      const [kind, sha = '', list] = new RegExp(`^${base}/(statuses|commits)/([0-9a-f]{40})(/status)?$`)
        .exec(url.pathname)
        ?.slice(1) ?? [''];
      if (unknown.has(sha)) return null;
      if (got.method === 'POST' && kind === 'statuses' && list === undefined) {
        const body = bodyOf(got);
        if (!states.has(textOf(body['state']))) return { status: 422, json: { message: 'Invalid state', url: '' } };
        const status: Status = {
          sha,
          context: textOf(body['context']) || 'default',
          status: textOf(body['state']),
          description: textOf(body['description']),
          target_url: textOf(body['target_url']),
        };
        statuses.push(status);
        return { status: 201, json: { id: statuses.length, ...status } };
      }
      if (got.method !== 'GET' || kind !== 'commits' || list === undefined) return null;
      const newest = newestOf(
        statuses.filter((one) => one.sha === sha),
        ({ context }) => context,
      );
      const size = Math.min(30, Number(url.searchParams.get('limit') ?? 30));
      const shown = pageOf(newest, Number(url.searchParams.get('page') ?? 1), size);
      const json = { state: '', sha, total_count: newest.length, statuses: shown.length === 0 ? null : shown };
      return { status: 200, json };
    },
    held: (sha) =>
      Object.fromEntries(
        statuses
          .filter((one) => one.sha === sha)
          .map(({ context, status, description, target_url: link }) => [
            context,
            { state: status as Held['state'], description, targetUrl: link === '' ? null : link },
          ]),
      ),
  }));
}
