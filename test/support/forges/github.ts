import type { CommitStatus } from '../../../src/forge/forge.ts';
import { startForge } from '../forge-server.ts';
import { type ForgeEmulator, forgeToken, limitSeconds, newestOf, type Trouble } from './emulator.ts';
import type { GithubChecksEmulator, HeldRun, KnownApp } from './github-checks.ts';

/** GitHub, with check runs where it knows an App. */
export interface GithubEmulator extends ForgeEmulator {
  readonly checks: GithubChecksEmulator | null;
}

/** GitHub's emulator under the switches that all emulators have. */
export async function startGithub(repository: string, app?: KnownApp): Promise<GithubEmulator> {
  const server = await startForge(repository, forgeToken, app);
  let trouble: Trouble | null = null;
  const held = (sha: string) => {
    if (server.checks !== null) return heldRuns(server.checks.runs.filter((one) => one.sha === sha));
    const ofCommit = server.statuses.filter((one) => one.sha === sha);
    const newest = newestOf(ofCommit, ({ context }) => context.toLowerCase());
    return Object.fromEntries(
      newest.map(({ context, state, description, target_url: targetUrl }) => [
        context,
        { state: state as CommitStatus['state'], description, targetUrl },
      ]),
    );
  };
  return {
    url: server.url,
    checks: server.checks,
    get trouble() {
      return trouble;
    },
    set trouble(next) {
      trouble = next;
      server.switches.down = next === 'down';
      server.switches.limited = answerTo(next, server.url);
    },
    unknown: server.switches.unknown,
    get loseAnswers() {
      return server.switches.loseAnswers;
    },
    set loseAnswers(next) {
      server.switches.loseAnswers = next;
    },
    pulls: server.pulls,
    heldOn: (number) => held(server.pulls.pull(number)?.head ?? ''),
    got: server.got,
    held,
    close: () => server.close(),
  };
}

function heldRuns(runs: readonly HeldRun[]) {
  const states: Readonly<Record<string, CommitStatus['state']>> = { success: 'success', failure: 'failure' };
  return Object.fromEntries(
    runs.map(({ name, status, conclusion, title, details_url: targetUrl }) => {
      const ended = states[conclusion ?? ''] ?? 'error';
      return [name, { state: status === 'completed' ? ended : 'pending', description: title, targetUrl }];
    }),
  );
}

function answerTo(trouble: Trouble | null, url: string) {
  const answer = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) => ({
    status,
    message,
    headers,
  });
  switch (trouble) {
    case 'failing':
      return answer(502, 'Server Error');
    case 'revoked':
      return answer(401, 'Bad credentials');
    case 'forbidden':
      return answer(404, 'Not Found');
    case 'moved':
      return answer(307, 'Moved Permanently', { location: `${url}/repositories/17/statuses` });
    case 'limited':
      return answer(403, 'You have exceeded a secondary rate limit.', { 'retry-after': String(limitSeconds) });
    case 'limited-without-saying-how-long':
      return answer(429, 'Too many requests');
    default:
      return null;
  }
}
