import { sign } from 'node:crypto';
import { z } from 'zod';
import type { GithubApp } from '../config/status.ts';
import type { Clock } from '../platform/clock.ts';
import { asFailure } from '../platform/failure.ts';
import type { HttpRequest } from '../platform/http-client.ts';
import type { ForgeClient, ForgeWords } from './forge-client.ts';

/** How long before its end a token is not used any more, in milliseconds. */
const marginMs = 5 * 60_000;

const issued = z.object({ token: z.string().min(1), expires_at: z.string() });

const words: Pick<ForgeWords, 'permission' | 'hints'> = {
  permission: 'an App that is installed on the repository',
  hints: {
    401: 'The key of `status.github.app` is wrong or was revoked, its `id` is another App’s, or this machine’s clock is wrong.',
    404: 'Check `status.github.app.installation`: there is none of this number, or it is another App’s.',
    422: 'The installation of `status.github.app` does not have the repository: add it there.',
  },
};

/** A GitHub App that acts on one repository. */
export interface AppAccess {
  /** The client, with an installation token in every request. */
  readonly client: ForgeClient;
  /** The same as the App itself, for what only that may ask. */
  readonly asApp: ForgeClient;
}

/**
 * Signs in as an App's installation (GitHub, "Authenticating as a GitHub App installation"): its token is for this
 * repository alone, is kept in memory only, and is replaced before it ends, or once when it is refused.
 */
export function appAccess(plain: ForgeClient, app: GithubApp, repository: string, clock: Clock): AppAccess {
  const asApp = signed(plain.needing(words), async () => appToken(app, clock.now()));
  let held: { readonly token: string; readonly until: number } | null = null;
  const installationToken = async (signal: AbortSignal) => {
    if (held !== null && clock.monotonic() < held.until) return held.token;
    const path = `/app/installations/${app.installation}/access_tokens`;
    const json = { repositories: [repository.slice(repository.indexOf('/') + 1)] };
    const { data, headers } = await asApp.readWhole({ method: 'POST', path, json }, issued, signal);
    const { token, expires_at } = data ?? { token: '', expires_at: '' };
    // By GitHub's own clock, which ours may differ from.
    const sentAt = Date.parse(headers['date'] ?? '');
    const life = Date.parse(expires_at) - (Number.isNaN(sentAt) ? clock.now() : sentAt);
    held = { token, until: clock.monotonic() + Math.max(0, life - marginMs) };
    return token;
  };
  const forget = (token: string) => {
    if (held?.token === token) held = null;
  };
  return { client: signed(plain, installationToken, forget), asApp };
}

/** A token by which GitHub knows the App itself: good for nine minutes, from a minute ago for clocks that differ. */
function appToken({ id, key }: GithubApp, now: number): string {
  const second = Math.floor(now / 1000);
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { iat: second - 60, exp: second + 540, iss: id },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
}

function signed(
  client: ForgeClient,
  token: (signal: AbortSignal) => Promise<string>,
  refused: ((token: string) => void) | null = null,
): ForgeClient {
  const send = async <T>(request: HttpRequest, signal: AbortSignal, ask: (request: HttpRequest) => Promise<T>) => {
    const used = await token(signal);
    try {
      return await ask(withToken(request, used));
    } catch (thrown) {
      if (refused === null || asFailure(thrown)?.facts.status !== 401) throw thrown;
      refused(used);
      return ask(withToken(request, await token(signal)));
    }
  };
  return {
    ask: (request, signal) => send(request, signal, (dressed) => client.ask(dressed, signal)),
    read: (request, schema, signal) => send(request, signal, (dressed) => client.read(dressed, schema, signal)),
    readWhole: (request, schema, signal) =>
      send(request, signal, (dressed) => client.readWhole(dressed, schema, signal)),
    needing: (other) => signed(client.needing(other), token, refused),
    close: () => client.close(),
  };
}

function withToken(request: HttpRequest, token: string): HttpRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
