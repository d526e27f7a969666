import { Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { type ConnectionTraits, connectionFailure } from './connection-failure.ts';
import type { HttpAnswer, HttpClient, HttpClientOptions, HttpRequest } from './http-client.ts';
import { type Exchange, exchangeFailure, statusFailure } from './http-failure.ts';
import { shownUrl } from './redact.ts';
import { systemClock } from './system-clock.ts';

/** The longest time that making a connection may take, in milliseconds. */
const connectTimeoutMs = 10_000;

/**
 * A client on an undici pool of its own. A base URL's userinfo is sent as Basic authorization. Material for TLS that
 * cannot be read makes every request fail with `tls-material`; so does a base URL that is none, with `invalid-url`.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = parseBase(options.baseUrl);
  if (base === null)
    return refusing(options, 'invalid-url', 'the address is not an http or https URL', 'Correct the address.');
  if (!tlsReadable(options)) {
    return refusing(
      options,
      'tls-material',
      '`ca`, `cert` or `key` cannot be read, or key and certificate do not belong together',
      'Each has to be PEM text; `cert` and `key` have to be given together.',
    );
  }
  const dispatcher = createDispatcher(base, options);
  const traits: ConnectionTraits = {
    tls: base.protocol === 'https:',
    clientCertificate: options.tls.cert !== null,
    proxy: options.proxy !== null,
  };
  const headers = { ...defaultHeaders, ...authorization(base), ...lowerCase(options.headers) };
  const prefix = base.pathname.replace(/\/+$/, '');
  return {
    request: (request, signal) =>
      exchange(
        {
          dispatcher,
          traits,
          origin: base.origin,
          path: `${prefix}${request.path}`,
          headers: { ...headers, ...bodyHeaders(request), ...lowerCase(request.headers ?? {}) },
          timeoutMs: request.timeoutMs ?? options.timeoutMs,
          limitBytes: options.bodyLimitBytes,
        },
        request,
        signal,
      ),
    close: () => dispatcher.destroy(),
  };
}

interface Prepared {
  readonly dispatcher: Dispatcher;
  readonly traits: ConnectionTraits;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly limitBytes: number;
}

async function exchange(prepared: Prepared, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const shown: Exchange = { method: request.method, url: shownUrl(`${prepared.origin}${prepared.path}`) };
  return judge(await receive(prepared, request, shown, signal), request, prepared.limitBytes, shown);
}

async function receive(
  prepared: Prepared,
  request: HttpRequest,
  shown: Exchange,
  signal: AbortSignal,
): Promise<Received> {
  // Not AbortSignal.any: on a signal that lives as long as the process it keeps every request's signal alive.
  const cut = new AbortController();
  const onAbort = () => cut.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    cut.abort(new Error('timeout'));
  }, prepared.timeoutMs);
  try {
    return await send(prepared, request, cut.signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw timedOut ? timeout(shown, prepared.timeoutMs) : connectionFailure(shown, thrown, prepared.traits);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where the body is over the limit. */
  readonly text: string | null;
}

async function send(prepared: Prepared, request: HttpRequest, signal: AbortSignal): Promise<Received> {
  const response = await prepared.dispatcher.request({
    origin: prepared.origin,
    path: prepared.path,
    method: request.method,
    headers: prepared.headers,
    body: bodyOf(request),
    signal,
    // One limit holds for the whole exchange; undici's own are coarser and speak of parts.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const headers = flat(response.headers);
  const announced = request.method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0);
  const text = await readBody(response.body, announced, prepared.limitBytes);
  return { status: response.statusCode, headers, text };
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  announced: number,
  limitBytes: number,
): Promise<string | null> {
  const chunks: Buffer[] = [];
  // Leaving the body unread ends the connection, which is meant, and is no failure of its own.
  body.on('error', () => undefined);
  let size = announced > limitBytes ? announced : 0;
  if (size <= limitBytes) {
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > limitBytes) break;
      chunks.push(chunk);
    }
  }
  if (size <= limitBytes) return Buffer.concat(chunks).toString('utf8');
  body.destroy();
  return null;
}

function judge(received: Received, request: HttpRequest, limitBytes: number, shown: Exchange): HttpAnswer {
  const { status, headers } = received;
  const expected = (status >= 200 && status < 300) || (request.accept?.includes(status) ?? false);
  const json = received.text === null ? undefined : parseJson(received.text, headers['content-type']);
  if (!expected) throw statusFailure(shown, { status, headers, body: json ?? null }, systemClock.now());
  if (received.text === null) {
    throw exchangeFailure(
      shown,
      {
        class: 'rejected',
        code: 'body-too-large',
        message: `the answer (${status}) is larger than the ${limitBytes} bytes that are read`,
        hint: 'Raise the limit on the size of an answer if it is meant to be that large.',
      },
      { status },
    );
  }
  return { status, headers, text: received.text, json };
}

function timeout(shown: Exchange, timeoutMs: number): Error {
  return exchangeFailure(shown, {
    class: 'unreachable',
    code: 'timeout',
    message: `no whole answer within ${timeoutMs >= 1000 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`}`,
    hint: 'Whether the server did what was asked is not known. Check its load, or allow more time.',
  });
}

function createDispatcher(base: URL, options: HttpClientOptions): Dispatcher {
  const tls = {
    ...(options.tls.ca === null ? {} : { ca: options.tls.ca }),
    ...(options.tls.cert === null ? {} : { cert: options.tls.cert }),
    ...(options.tls.key === null ? {} : { key: options.tls.key }),
    ...(options.tls.serverName === null ? {} : { servername: options.tls.serverName }),
    timeout: Math.min(connectTimeoutMs, options.timeoutMs),
  };
  const bounds = { connections: options.connections, pipelining: 1 };
  if (options.proxy === null) return new Pool(base.origin, { ...bounds, connect: tls });
  return new ProxyAgent({ ...bounds, uri: options.proxy, requestTls: tls });
}

function tlsReadable(options: HttpClientOptions): boolean {
  const { ca, cert, key } = options.tls;
  if ((cert === null) !== (key === null)) return false;
  if (ca !== null && !ca.includes('-----BEGIN ')) return false;
  try {
    createSecureContext({
      ...(ca === null ? {} : { ca }),
      ...(cert === null ? {} : { cert }),
      ...(key === null ? {} : { key }),
    });
    return true;
  } catch {
    return false;
  }
}

function refusing(options: HttpClientOptions, code: string, message: string, hint: string): HttpClient {
  return {
    request: (request) =>
      Promise.reject(
        exchangeFailure(
          { method: request.method, url: shownUrl(options.baseUrl) },
          { class: 'rejected', code, message, hint },
        ),
      ),
    close: () => Promise.resolve(),
  };
}

const defaultHeaders = { accept: 'application/json', 'user-agent': 'konverge' };

function bodyOf(request: HttpRequest): string | Uint8Array | Readable | null {
  if (request.made !== undefined) return Readable.from(request.made.pieces());
  return request.json === undefined ? (request.text ?? null) : JSON.stringify(request.json);
}

function bodyHeaders(request: HttpRequest): Readonly<Record<string, string>> {
  if (request.made !== undefined) return { 'content-length': String(request.made.length) };
  return request.json === undefined ? {} : { 'content-type': 'application/json' };
}

function authorization(base: URL): Readonly<Record<string, string>> {
  if (base.username === '' && base.password === '') return {};
  const pair = `${decoded(base.username)}:${decoded(base.password)}`;
  return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parseBase(url: string): URL | null {
  if (!URL.canParse(url)) return null;
  const base = new URL(url);
  return base.protocol === 'http:' || base.protocol === 'https:' ? base : null;
}

function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** The body as JSON, or undefined where it is none. An answer without a content type is tried. */
function parseJson(text: string, contentType: string | undefined): unknown {
  if (text === '' || (contentType !== undefined && !/json/i.test(contentType))) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
