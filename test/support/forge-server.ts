import { conditional } from './forges/emulator.ts';
import { GithubChecksEmulator, type KnownApp } from './forges/github-checks.ts';
import { githubPullAnswer } from './forges/github-pulls.ts';
import { PullWorld } from './forges/pull-world.ts';
import { answerJson, type Got, startServer } from './http-server.ts';

/** A status as the forge holds it. */
export interface HeldStatus {
  readonly sha: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly target_url: string | null;
}

/** Switches of the forge; all off at first. */
export interface ForgeSwitches {
  /** Connections are cut without an answer. */
  down: boolean;
  /** Answered instead of everything else, with these headers. */
  limited: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly message: string;
    /** Which requests; all of them where it is left out. */
    readonly of?: (request: string) => boolean;
  } | null;
  /** Commits that the forge does not have. */
  unknown: Set<string>;
  /** The status is taken, and the answer is lost. */
  loseAnswers: boolean;
}

/** A server on loopback that takes and lists commit statuses, pull requests and comments as GitHub does. */
export interface ForgeServer {
  readonly url: string;
  readonly switches: ForgeSwitches;
  /** Check runs, where it knows an App. */
  readonly checks: GithubChecksEmulator | null;
  /** Its pull requests and what people say on them. */
  readonly pulls: PullWorld;
  /** Requests that reached it, answered or not: `POST /repos/…`. */
  readonly requests: readonly string[];
  /** The same requests whole. */
  readonly got: readonly Got[];
  /** All statuses, oldest first. */
  readonly statuses: readonly HeldStatus[];
  /** The newest status of a context on a commit. */
  newest(sha: string, context: string): HeldStatus | undefined;
  close(): Promise<void>;
}

const states = new Set(['error', 'failure', 'pending', 'success']);

/** Starts the server. `repository` is OWNER/NAME; a request without the token is answered 401. */
export async function startForge(repository: string, token: string, app?: KnownApp): Promise<ForgeServer> {
  const statuses: HeldStatus[] = [];
  const requests: string[] = [];
  const pulls = new PullWorld();
  const switches: ForgeSwitches = { down: false, limited: null, unknown: new Set(), loseAnswers: false };
  const checks = app === undefined ? null : new GithubChecksEmulator(app, repository, switches.unknown);
  if (checks !== null) pulls.self = 'konverge[bot]';
  const same = (status: HeldStatus, sha: string, context: string) =>
    status.sha === sha && status.context.toLowerCase() === context.toLowerCase();
  const newest = (sha: string, context: string) => statuses.findLast((status) => same(status, sha, context));

  const server = await startServer((got, response) => {
    requests.push(`${got.method} ${got.url}`);
    if (switches.down) return void response.destroy();
    const isMeant = switches.limited?.of ?? (() => true);
    if (switches.limited !== null && isMeant(`${got.method} ${got.url}`)) {
      const { status, headers, message } = switches.limited;
      return answerJson(response, status, { message }, headers);
    }
    const url = new URL(got.url, 'http://forge');
    const asApp = checks?.asApp(got, url) ?? null;
    if (asApp !== null) return answerJson(response, asApp.status, asApp.json);
    const isInstallation = checks?.isInstallation(got) ?? false;
    if (got.headers.authorization !== `Bearer ${token}` && !isInstallation)
      return answerJson(response, 401, { message: 'Bad credentials' });
    if (got.headers['user-agent'] === undefined) return answerJson(response, 403, { message: 'User-Agent is needed' });
    const ofChecks = isInstallation ? (checks?.answer(got, url) ?? null) : null;
    const ofPulls = ofChecks ?? githubPullAnswer(pulls, repository, got, url);
    if (ofPulls !== null) {
      if (switches.loseAnswers && got.method !== 'GET') return void response.destroy();
      const { status, json, headers } = conditional(got, ofPulls, pulls);
      return answerJson(response, status, json, { 'x-ratelimit-remaining': '4999', ...headers });
    }
    const parts = new RegExp(`^/repos/${repository}/(statuses|commits)/([0-9a-f]{40})(/status|/statuses)?$`).exec(
      url.pathname,
    );
    if (parts === null) return answerJson(response, 404, { message: 'Not Found' });
    const [, collection, sha = '', list] = parts;
    if (switches.unknown.has(sha)) return answerJson(response, 422, { message: `No commit found for SHA: ${sha}` });
    if (got.method === 'POST' && collection === 'statuses' && list === undefined) {
      const body: Partial<HeldStatus> = JSON.parse(got.body);
      const status: HeldStatus = {
        sha,
        context: body.context ?? 'default',
        state: body.state ?? '',
        description: body.description ?? '',
        target_url: body.target_url ?? null,
      };
      const full = statuses.filter((one) => same(one, sha, status.context)).length >= 1000;
      if (!states.has(status.state) || [...status.description].length > 140 || full) {
        return answerJson(response, 422, { message: 'Validation Failed' });
      }
      statuses.push(status);
      return switches.loseAnswers
        ? void response.destroy()
        : answerJson(response, 201, { id: statuses.length, ...status });
    }
    if (got.method !== 'GET' || collection !== 'commits') return answerJson(response, 404, { message: 'Not Found' });
    const newestFirst = statuses.filter((status) => status.sha === sha).reverse();
    const size = Number(url.searchParams.get('per_page') ?? 30);
    const from = (Number(url.searchParams.get('page') ?? 1) - 1) * size;
    if (list === '/statuses') return answerJson(response, 200, newestFirst.slice(from, from + size));
    const perContext = newestFirst.filter((status) => status === newest(sha, status.context));
    answerJson(response, 200, { sha, total_count: perContext.length, statuses: perContext.slice(from, from + size) });
  });
  return {
    url: server.url,
    switches,
    checks,
    pulls,
    requests,
    got: server.got,
    statuses,
    newest,
    close: () => server.close(),
  };
}
