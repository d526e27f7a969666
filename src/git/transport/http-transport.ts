import type { HttpClient as GitHttpClient, GitHttpRequest, GitHttpResponse } from 'isomorphic-git';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import type { GitAuth } from '../../config/settings.ts';
import { asFailure } from '../../platform/failure.ts';
import { gitFailure, publicUrl } from '../git-failure.ts';
import { networkFailure, statusFailure } from './network-failure.ts';
import { remoteError } from './upload-pack-answer.ts';

/** What a transport is made with. */
export interface HttpTransportOptions {
  /** The repository's URL; userinfo in it counts as credentials where `auth` has none. */
  readonly url: string;
  readonly auth: GitAuth;
  /** PEM text, or null for the system's authorities. */
  readonly ca: string | null;
  readonly proxy: string | null;
  readonly connectTimeoutMs: number;
  /** How long a server may say nothing, before its answer and within it. */
  readonly silenceTimeoutMs: number;
}

/** How the transport of one repository is used. It is the repository's only pool of connections. */
export interface HttpTransport {
  /** The repository's URL without userinfo; the one to hand to isomorphic-git. */
  readonly url: string;
  /**
   * The HTTP side of one isomorphic-git call: a discovery and the requests that follow it. An answer is read whole
   * before it is handed on, so that one that was cut never reaches the store, and may have at most `limitBytes`.
   */
  session(signal: AbortSignal, limitBytes: number): GitHttpClient;
  close(): Promise<void>;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 5;
const discoveryPath = '/info/refs?service=git-upload-pack';

/** Makes a transport over HTTP for one repository. */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { url, authorization } = splitCredentials(options);
  const dispatcher = createDispatcher(options);
  return {
    url,
    session: (signal, limitBytes) => {
      const session = new Session({
        url,
        authorization,
        dispatcher,
        proxied: options.proxy !== null,
        signal,
        limitBytes,
      });
      return { request: (message) => session.request(message) };
    },
    close: () => dispatcher.destroy(),
  };
}

function createDispatcher(options: HttpTransportOptions): Dispatcher {
  const tls = options.ca === null ? {} : { ca: options.ca };
  const limits = {
    connections: 2,
    headersTimeout: options.silenceTimeoutMs,
    bodyTimeout: options.silenceTimeoutMs,
  };
  if (options.proxy === null) {
    return new Agent({ ...limits, connect: { ...tls, timeout: options.connectTimeoutMs } });
  }
  const proxy = new URL(options.proxy);
  const token =
    proxy.username === ''
      ? {}
      : { token: basic(decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)) };
  proxy.username = '';
  proxy.password = '';
  return new ProxyAgent({ ...limits, ...token, uri: proxy.href, requestTls: tls, proxyTls: tls });
}

function splitCredentials(options: HttpTransportOptions): { url: string; authorization: string | null } {
  const parsed = new URL(options.url);
  const inUrl =
    parsed.username === '' && parsed.password === ''
      ? null
      : basic(decodeURIComponent(parsed.username), decodeURIComponent(parsed.password));
  parsed.username = '';
  parsed.password = '';
  const url = parsed.href.replace(/\/+$/, '');
  switch (options.auth.type) {
    case 'none':
      return { url, authorization: inUrl };
    case 'token':
      // Forges take a token as the password of any name that is not empty; GitHub names this one for tokens of Apps.
      return { url, authorization: basic('x-access-token', options.auth.token) };
    case 'basic':
      return { url, authorization: basic(options.auth.username, options.auth.password) };
  }
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

interface SessionFacts {
  readonly url: string;
  readonly authorization: string | null;
  readonly dispatcher: Dispatcher;
  readonly proxied: boolean;
  readonly signal: AbortSignal;
  readonly limitBytes: number;
}

class Session {
  readonly #facts: SessionFacts;
  /** Where the discovery ended: the requests that follow it go there, as Git does. */
  #base: string;

  constructor(facts: SessionFacts) {
    this.#facts = facts;
    this.#base = facts.url;
  }

  async request(message: GitHttpRequest): Promise<GitHttpResponse> {
    const suffix = message.url.slice(this.#facts.url.length);
    const discovery = message.method !== 'POST';
    const body = message.body === undefined ? null : await collect(message.body);
    let url = discovery ? `${this.#facts.url}${suffix}` : `${this.#base}${suffix}`;
    for (let hops = 0; ; hops += 1) {
      const answer = await this.#send(url, message, body);
      const location = answer.headers['location'];
      if (!redirectStatuses.has(answer.statusCode) || typeof location !== 'string') {
        return await this.#accept(answer, url, discovery);
      }
      await discard(answer);
      url = this.#follow(url, location, discovery, hops);
      this.#base = url.slice(0, -discoveryPath.length);
    }
  }

  async #send(url: string, message: GitHttpRequest, body: Buffer | null): Promise<Dispatcher.ResponseData> {
    const { signal, dispatcher, authorization } = this.#facts;
    const headers: Record<string, string> = { ...message.headers, 'user-agent': 'git/konverge' };
    if (authorization !== null && this.#isHome(url)) headers['authorization'] = authorization;
    const method = message.method === 'POST' ? 'POST' : 'GET';
    try {
      return await request(url, { dispatcher, method, headers, body, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw networkFailure(error, method, url, this.#facts.proxied);
    }
  }

  /** Whether a URL has the origin that the credentials are for. */
  #isHome(url: string): boolean {
    return new URL(url).origin === new URL(this.#facts.url).origin;
  }

  #follow(from: string, location: string, discovery: boolean, hops: number): string {
    const refuse = (says: string, hint: string): never => {
      const facts = { class: 'rejected', code: 'redirect-refused', hint, url: from } as const;
      throw gitFailure({ ...facts, message: `The Git server at ${publicUrl(from)} ${says}.` });
    };
    const ask = 'Set repository.url to the address that the repository has now.';
    if (!discovery) return refuse('redirects in the middle of an exchange', ask);
    if (hops >= maxRedirects) return refuse(`redirects more than ${maxRedirects} times`, ask);
    if (!URL.canParse(location, from)) return refuse('redirects to something that is no address', ask);
    const to = new URL(location, from);
    to.username = '';
    to.password = '';
    if (to.protocol !== 'https:' && to.protocol !== 'http:')
      return refuse('redirects to something other than HTTP', ask);
    if (to.protocol === 'http:' && from.startsWith('https:')) {
      return refuse(
        'redirects from https to http',
        'Such a redirect is never followed: it would give the exchange away.',
      );
    }
    if (!to.href.endsWith(discoveryPath)) {
      return refuse(
        `redirects to ${publicUrl(to.href)}, which is no Git repository`,
        'A sign-in page? Check repository.auth.',
      );
    }
    return to.href;
  }

  async #accept(answer: Dispatcher.ResponseData, url: string, discovery: boolean): Promise<GitHttpResponse> {
    const method = discovery ? 'GET' : 'POST';
    const { authorization } = this.#facts;
    if (answer.statusCode !== 200) {
      await discard(answer);
      const signedIn = authorization !== null && this.#isHome(url);
      throw statusFailure(answer.statusCode, method, url, signedIn, retryAfterMs(answer.headers['retry-after']));
    }
    const kind = discovery ? 'advertisement' : 'result';
    const type = String(answer.headers['content-type']).split(';', 1)[0]?.trim();
    if (type !== `application/x-git-upload-pack-${kind}`) {
      await discard(answer);
      throw gitFailure({
        class: 'rejected',
        code: 'not-git',
        message: `What answers at ${publicUrl(url)} is not a Git server that speaks smart HTTP.`,
        hint: 'Check repository.url: it has to be the address that `git clone` would take.',
        method,
        url,
        status: 200,
      });
    }
    const chunks = await this.#readBody(answer, url, method);
    const error = remoteError(chunks);
    if (error !== null) throw refusedByGit(error, url, method);
    const headers: Record<string, string> = { 'content-type': `application/x-git-upload-pack-${kind}` };
    return { url, method, statusCode: 200, statusMessage: 'OK', headers, body: drain(chunks) };
  }

  async #readBody(answer: Dispatcher.ResponseData, url: string, method: string): Promise<Buffer[]> {
    const { signal, limitBytes, proxied } = this.#facts;
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > limitBytes) throw tooLarge(url, method, limitBytes);
        chunks.push(chunk);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw asFailure(error) ?? networkFailure(error, method, url, proxied);
    }
    return chunks;
  }
}

function tooLarge(url: string, method: string, limitBytes: number): Error {
  const megabytes = Math.round(limitBytes / 1024 / 1024);
  return gitFailure({
    class: 'rejected',
    code: 'pack-too-large',
    message: `The repository at ${publicUrl(url)} sends more than ${megabytes} MiB for one revision.`,
    hint: 'Keep large files out of the repository, or raise repository.packLimit.',
    url,
    method,
  });
}

function refusedByGit(error: string, url: string, method: string): Error {
  const gone = /not our ref|unadvertised object|no such remote ref/i.test(error);
  return gitFailure({
    class: 'transient',
    code: gone ? 'revision-gone' : 'git-refused',
    message: gone
      ? `The repository at ${publicUrl(url)} no longer has the revision that was asked for.`
      : `The Git server at ${publicUrl(url)} gave up: ${error}.`,
    hint: gone
      ? 'The branch was moved or rewritten meanwhile; the next poll takes what it points at then.'
      : 'See its log.',
    url,
    method,
  });
}

async function collect(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Hands chunks on and lets go of each, for isomorphic-git makes a copy of every one. */
async function* drain(chunks: Buffer[]): AsyncIterableIterator<Uint8Array> {
  chunks.reverse();
  for (let chunk = chunks.pop(); chunk !== undefined; chunk = chunks.pop()) yield chunk;
}

/** Reads what is left of a body that nobody wants, so that its connection can be used again; a long one is cut. */
async function discard(answer: Dispatcher.ResponseData): Promise<void> {
  await answer.body.dump({ limit: 64 * 1024 }).catch(() => undefined);
}

function retryAfterMs(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string' || !/^\d{1,6}$/.test(header.trim())) return null;
  return Number(header.trim()) * 1000;
}
