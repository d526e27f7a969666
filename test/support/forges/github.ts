import type { CommitStatus } from '../../../src/forge/forge.ts';
import { startForge } from '../forge-server.ts';
import { type ForgeEmulator, forgeToken, limitSeconds, newestOf, type Trouble } from './emulator.ts';

/** GitHub's emulator under the switches that all emulators have. */
export async function startGithub(repository: string): Promise<ForgeEmulator> {
  const server = await startForge(repository, forgeToken);
  let trouble: Trouble | null = null;
  const held = (sha: string) => {
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
