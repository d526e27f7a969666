import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, connect as tcpConnect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { asFailure, type FailureFacts } from '../../src/platform/failure.ts';
import type { HttpClient, HttpClientOptions, HttpRequest } from '../../src/platform/http-client.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { answerJson, startServer } from '../support/http-server.ts';
import { certificate } from '../support/pem.ts';

const never = new AbortController().signal;
const noTls = { ca: null, cert: null, key: null, serverName: null };
const toClose: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

function client(baseUrl: string, options: Partial<HttpClientOptions> = {}): HttpClient {
  const made = createHttpClient({
    baseUrl,
    headers: {},
    timeoutMs: 5000,
    bodyLimitBytes: 1_000_000,
    connections: 2,
    tls: noTls,
    proxy: null,
    ...options,
  });
  toClose.push(() => made.close());
  return made;
}

async function server(...args: Parameters<typeof startServer>) {
  const started = await startServer(...args);
  toClose.push(() => started.close());
  return started;
}

async function failureOf(promise: Promise<unknown>): Promise<FailureFacts> {
  try {
    await promise;
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure !== undefined) return failure.facts;
    throw thrown;
  }
  throw new Error('no failure');
}

const get: HttpRequest = { method: 'GET', path: '/a?b=c' };

test('joins the base path, sends headers and JSON, and gives status, headers and parsed JSON', async () => {
  const s = await server((_, response) => answerJson(response, 201, { ok: [1] }, { 'x-one': '1' }));
  const http = client(`${s.url}/prefix/`, { headers: { 'X-Token': 'from-client', 'X-Both': 'client' } });
  const answer = await http.request(
    { method: 'PUT', path: '/services/a?x=1', json: { a: 'ü' }, headers: { 'x-both': 'request' } },
    never,
  );
  expect(answer.status).toBe(201);
  expect(answer.json).toEqual({ ok: [1] });
  expect(answer.headers['x-one']).toBe('1');
  expect(s.got).toHaveLength(1);
  expect(s.got[0]).toMatchObject({ method: 'PUT', url: '/prefix/services/a?x=1', body: '{"a":"ü"}' });
  expect(s.got[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    accept: 'application/json',
    'x-token': 'from-client',
    'x-both': 'request',
  });
});

test('sends text as it stands, and userinfo of the base URL as Basic authorization', async () => {
  const s = await server((_, response) => response.writeHead(204).end());
  const http = client(s.url.replace('http://', 'http://me:p%40ss@'));
  const answer = await http.request(
    { method: 'POST', path: '/config', text: 'a: 1', headers: { 'content-type': 'text/yaml' } },
    never,
  );
  expect(answer).toMatchObject({ status: 204, text: '', json: undefined });
  expect(s.got[0]).toMatchObject({ body: 'a: 1' });
  expect(s.got[0]?.headers['content-type']).toBe('text/yaml');
  expect(s.got[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

test('a 2xx that is not JSON is an answer without json', async () => {
  const s = await server((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi'));
  expect(await client(s.url).request(get, never)).toMatchObject({ text: '<p>hi', json: undefined });
});

test.each([
  [400, 'rejected', 'http-400'],
  [401, 'rejected', 'http-401'],
  [403, 'rejected', 'http-403'],
  [404, 'rejected', 'http-404'],
  [409, 'rejected', 'http-409'],
  [413, 'rejected', 'http-413'],
  [302, 'rejected', 'redirect'],
  [408, 'transient', 'http-408'],
  [429, 'transient', 'http-429'],
  [500, 'transient', 'http-500'],
  [503, 'transient', 'http-503'],
] as const)('%i is %s', async (status, failureClass, code) => {
  const s = await server((_, response) => answerJson(response, status, { message: 'no' }, { location: '/elsewhere' }));
  const facts = await failureOf(client(s.url.replace('//', '//u:hidden-pw@')).request(get, never));
  expect(facts).toMatchObject({ class: failureClass, code, status, method: 'GET', body: { message: 'no' } });
  expect(facts.url).toBe(`${s.url}/a`);
  expect(JSON.stringify([facts.message, facts.hint, facts.url])).not.toMatch(/hidden-pw|b=c|elsewhere/);
  expect(s.got).toHaveLength(1);
});

test('accepted statuses are answers', async () => {
  const s = await server((_, response) => answerJson(response, 404, { message: 'Not found' }));
  expect((await client(s.url).request({ ...get, accept: [404] }, never)).status).toBe(404);
});

test('Retry-After is read in seconds and as a date', async () => {
  const header = { value: '7' };
  const s = await server((_, response) => answerJson(response, 429, {}, { 'retry-after': header.value }));
  const http = client(s.url);
  expect((await failureOf(http.request(get, never))).retryAfterMs).toBe(7000);
  header.value = new Date(Date.now() + 60_000).toUTCString();
  const wait = (await failureOf(http.request(get, never))).retryAfterMs;
  expect(wait).toBeGreaterThan(50_000);
  expect(wait).toBeLessThanOrEqual(60_000);
  header.value = 'soon';
  expect((await failureOf(http.request(get, never))).retryAfterMs).toBeNull();
});

test('the time limit holds for the whole exchange: no answer, and an answer that trickles', async () => {
  const s = await server((got, response) => {
    if (got.url !== '/trickle') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(timer));
  });
  const http = client(s.url);
  for (const path of ['/hang', '/trickle']) {
    const facts = await failureOf(http.request({ method: 'GET', path, timeoutMs: 120 }, never));
    expect(facts).toMatchObject({ class: 'unreachable', code: 'timeout', status: null });
    expect(facts.message).toContain('120 ms');
  }
});

test('an abort ends the request at once with the signal’s reason, also one that waits in the pool', async () => {
  const s = await server(() => undefined);
  const http = client(s.url, { connections: 1 });
  const abort = new AbortController();
  const both = [http.request(get, abort.signal), http.request(get, abort.signal)];
  const reason = new Error('newer revision');
  abort.abort(reason);
  for (const one of both) await expect(one).rejects.toBe(reason);
  await expect(http.request(get, abort.signal)).rejects.toBe(reason);
});

test('reads no more of an answer than the limit, whether its length is announced or not', async () => {
  let sent = 0;
  const s = await server((got, response) => {
    response.writeHead(200, got.url === '/announced' ? { 'content-length': '500000000' } : {});
    const timer = setInterval(() => {
      sent += 10_000;
      response.write('x'.repeat(10_000));
    }, 1);
    response.on('close', () => clearInterval(timer));
  });
  const http = client(s.url, { bodyLimitBytes: 50_000 });
  for (const path of ['/announced', '/chunked']) {
    const facts = await failureOf(http.request({ method: 'GET', path }, never));
    expect(facts).toMatchObject({ class: 'rejected', code: 'body-too-large', status: 200 });
    expect(facts.message).toContain('50000 bytes');
  }
  expect(sent).toBeLessThan(2_000_000);
});

test('an answer that is cut is unreachable', async () => {
  const s = await server((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"a":');
    setImmediate(() => response.destroy());
  });
  expect(await failureOf(client(s.url).request(get, never))).toMatchObject({ class: 'unreachable' });
});

test('a closed port and an unknown host are told apart', async () => {
  const s = await startServer(() => undefined);
  await s.close();
  expect(await failureOf(client(s.url).request(get, never))).toMatchObject({
    class: 'unreachable',
    code: 'connection-refused',
  });
  const dns = await failureOf(client('http://nobody.invalid').request(get, never));
  expect(dns).toMatchObject({ class: 'unreachable', code: 'dns' });
});

test('what does not speak HTTP, and https towards plain http, are said so', async () => {
  const tcp = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('SSH-2.0-Something\r\n', () => socket.destroySoon());
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  toClose.push(() => new Promise((resolve) => tcp.close(resolve)));
  const { port } = tcp.address() as AddressInfo;
  expect(await failureOf(client(`http://127.0.0.1:${port}`).request(get, never))).toMatchObject({ code: 'not-http' });
  const s = await server((_, response) => response.end());
  const facts = await failureOf(client(s.url.replace('http:', 'https:')).request(get, never));
  expect(facts).toMatchObject({ class: 'unreachable', code: 'tls-not-spoken' });
});

test('TLS: own authority, name by serverName, and what is wrong when it is wrong', async () => {
  const ca = certificate({ commonName: 'Test CA', authority: true });
  const issuer = { ...ca, commonName: 'Test CA' };
  const leaf = certificate({ commonName: 'kong', names: ['kong.test'], issuer });
  const s = await server((_, response) => answerJson(response, 200, {}), leaf);
  const code = async (tls: Partial<HttpClientOptions['tls']>) =>
    (await failureOf(client(s.url, { tls: { ...noTls, ...tls } }).request(get, never))).code;

  const trusted = client(s.url, { tls: { ...noTls, ca: ca.cert, serverName: 'kong.test' } });
  expect((await trusted.request(get, never)).status).toBe(200);
  expect(await code({})).toBe('tls-untrusted');
  expect(await code({ ca: ca.cert })).toBe('tls-name-mismatch');
  expect(await code({ ca: 'no pem' })).toBe('tls-material');
  expect(await code({ ca: ca.cert, cert: leaf.cert })).toBe('tls-material');
  expect(await code({ cert: leaf.cert, key: ca.key })).toBe('tls-material');
});

test('an expired certificate is said to have expired', async () => {
  const expired = certificate({
    commonName: 'x',
    names: ['127.0.0.1'],
    authority: true,
    notAfter: new Date('2021-01-01'),
  });
  const s = await server((_, response) => response.end(), expired);
  const facts = await failureOf(client(s.url, { tls: { ...noTls, ca: expired.cert } }).request(get, never));
  expect(facts.code).toBe('tls-expired');
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'mutual TLS over %s: with a client certificate, and the hint without',
  async (version) => {
    const ca = certificate({ commonName: 'Test CA', authority: true });
    const issuer = { ...ca, commonName: 'Test CA' };
    const leaf = certificate({ commonName: 'kong', names: ['127.0.0.1'], issuer });
    const own = certificate({ commonName: 'konverge', issuer, keyType: 'rsa' });
    const s = await server((_, response) => answerJson(response, 200, {}), {
      ...leaf,
      ca: ca.cert,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: version,
      maxVersion: version,
    });
    const tls = { ...noTls, ca: ca.cert };
    expect((await client(s.url, { tls: { ...tls, ...own } }).request(get, never)).status).toBe(200);
    const facts = await failureOf(client(s.url, { tls }).request(get, never));
    expect(facts.class).toBe('unreachable');
    expect(facts.hint).toMatch(/client certificate/);
  },
);

test('goes through a proxy, and says when the proxy refuses', async () => {
  const s = await server((_, response) => answerJson(response, 200, { via: 'proxy' }));
  const seen: (string | undefined)[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    seen.push(request.headers['proxy-authorization']);
    socket.on('error', () => undefined);
    if (request.headers['proxy-authorization'] === undefined) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = tcpConnect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    toClose.push(async () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  toClose.push(async () => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  const answer = await client(s.url, { proxy: `http://user:word@127.0.0.1:${port}` }).request(get, never);
  expect(answer.json).toEqual({ via: 'proxy' });
  expect(seen).toEqual([`Basic ${Buffer.from('user:word').toString('base64')}`]);
  const refused = await failureOf(client(s.url, { proxy: `http://127.0.0.1:${port}` }).request(get, never));
  expect(refused).toMatchObject({ class: 'unreachable', code: 'proxy-refused' });
  expect(refused.message).toContain('407');
});

test('a header with a line break is refused without showing it', async () => {
  const s = await server((_, response) => response.end());
  const facts = await failureOf(
    client(s.url, { headers: { authorization: 'Bearer abc-secret\n' } }).request(get, never),
  );
  expect(facts).toMatchObject({ class: 'rejected', code: 'invalid-request' });
  expect(JSON.stringify(facts)).not.toContain('abc-secret');
});

test('a base URL that is none, or not http, fails each request', async () => {
  for (const url of ['kong:8001', 'not a url', 'ftp://x']) {
    expect(await failureOf(client(url).request(get, never))).toMatchObject({ class: 'rejected', code: 'invalid-url' });
  }
});

test('closing cuts what is under way', async () => {
  const s = await server(() => undefined);
  const http = client(s.url);
  const pending = failureOf(http.request(get, never));
  await http.close();
  expect(await pending).toMatchObject({ class: 'unreachable', code: 'closed' });
});
