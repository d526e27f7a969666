import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openRepository } from '../../src/git/open-repository.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { certificate } from '../support/pem.ts';
import { failure, follow, signal, texts, useScene } from './opened.ts';
import { repositorySettings } from './repository-settings.ts';

const scene = useScene();
const secret = 'canary-7f3a';
const authorization = `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`;
const numbers = Array.from({ length: 999 }, (_, index) => Math.sqrt(index)).join('\n');
const auth = { type: 'basic', username: 'robot', password: secret } as const;

async function withServer<T>(
  options: Parameters<typeof startGitServer>[0],
  work: (server: GitServer) => Promise<T>,
): Promise<T> {
  const server = await startGitServer(options);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

describe('a server that does not answer as it should', () => {
  it('that refuses the connection is unreachable, without userinfo in the message', async () => {
    const url = await withServer({}, async (server) => server.url);
    const repository = await scene.open({ url: `${url.replace('//', `//robot:${secret}@`)}/acme.git` });
    const facts = await failure(repository.resolve(signal));
    expect(facts).toMatchObject({ class: 'unreachable', code: 'connection-refused', url: `${url}/acme.git/info/refs` });
    expect(JSON.stringify(facts)).not.toContain(secret);
  });

  it('whose name nobody knows is unreachable', async () => {
    const repository = await scene.open({ url: 'http://git.invalid/acme.git' });
    expect(await failure(repository.resolve(signal))).toMatchObject({ class: 'unreachable', code: 'dns' });
  });

  it('that hangs ends at the time limit, and at once when the caller stops', async () => {
    scene.server.faults.hang = true;
    const repository = await scene.open({ timeoutMs: 150 });
    expect(await failure(repository.resolve(signal))).toMatchObject({ class: 'unreachable', code: 'timeout' });
    const patient = await scene.open();
    const controller = new AbortController();
    const poll = patient.resolve(controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(poll).rejects.toBe(reason);
  });

  it('that hangs holds up no caller who stops waiting for his turn, nor closing', async () => {
    const revision = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await scene.open();
    scene.server.faults.hang = true;
    const first = failure(repository.fetch(revision, signal));
    const controller = new AbortController();
    const second = repository.fetch(revision, controller.signal);
    controller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await repository.close();
    expect(await first).toMatchObject({ class: 'unreachable' });
  });

  it('that stops in the middle of a pack ends at the time limit, and the next poll recovers', async () => {
    const impatient = await scene.open({ timeoutMs: 400 });
    await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    Object.assign(scene.server.faults, { only: 'POST', stallAfterBytes: 100 });
    const found = await scene.remote.tip();
    expect(await failure(impatient.fetch(found ?? '', signal))).toMatchObject({ code: 'timeout' });
    await impatient.close();
    scene.server.heal();
    // In the same store, and with all the time that a busy machine needs.
    expect(await follow(await scene.open())).toBe(found);
  });

  it.each([
    [503, { class: 'transient', code: 'http-503' }],
    [429, { class: 'transient', code: 'http-429' }],
    [403, { class: 'rejected', code: 'unauthorized' }],
    [200, { class: 'rejected', code: 'not-git' }],
    [418, { class: 'rejected', code: 'http-418' }],
  ])('that answers %i with a page is told by it', async (status, facts) => {
    scene.server.faults.status = status;
    const repository = await scene.open();
    expect(await failure(repository.resolve(signal))).toMatchObject({ ...facts, status });
  });

  it('that answers with something other than the protocol is told so', async () => {
    await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    scene.server.faults.rewrite = () => Buffer.from('0005zzzz-and-more');
    const repository = await scene.open();
    expect(await failure(repository.resolve(signal))).toMatchObject({ class: 'transient', code: 'git-protocol' });
  });
});

describe('a pack that does not arrive whole', () => {
  it.each([10, 60, 300, 2000])(
    'cut after %i bytes leaves the last revision readable, and comes with the next',
    async (bytes) => {
      const first = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
      const repository = await scene.open();
      await follow(repository);
      const second = await scene.remote.commit({
        files: { 'b.yaml': numbers },
      });
      Object.assign(scene.server.faults, { only: 'POST', cutAfterBytes: bytes });
      expect(await failure(repository.fetch(second, signal))).toMatchObject({
        class: 'unreachable',
        code: 'connection-lost',
      });
      expect(texts(await repository.read(first, signal))).toEqual({ 'a.yaml': 'a: 1' });
      scene.server.heal();
      expect(await follow(repository)).toBe(second);
      expect(Object.keys(texts(await repository.read(second, signal)))).toEqual(['a.yaml', 'b.yaml']);
    },
  );

  it('with a byte flipped on the way is never taken in', async () => {
    const first = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    const repository = await scene.open();
    await follow(repository);
    const second = await scene.remote.commit({ files: { 'b.yaml': 'b: 1' } });
    scene.server.faults.only = 'POST';
    scene.server.faults.rewrite = (body) => {
      const flipped = Buffer.from(body);
      flipped[body.length - 30] = (flipped[body.length - 30] ?? 0) ^ 1;
      return flipped;
    };
    expect(await failure(repository.fetch(second, signal))).toMatchObject({ class: 'transient', code: 'pack-broken' });
    expect(texts(await repository.read(first, signal))).toEqual({ 'a.yaml': 'a: 1' });
    scene.server.heal();
    expect(await follow(repository)).toBe(second);
  });

  it('for want of room under the limit is refused, with the setting to raise', async () => {
    await scene.remote.commit({ files: { 'a.yaml': numbers } });
    const repository = await scene.open({ packLimitBytes: 2000 });
    expect(await failure(follow(repository))).toMatchObject({
      class: 'rejected',
      code: 'pack-too-large',
      hint: expect.stringContaining('repository.packLimit'),
    });
  });
});

describe('credentials', () => {
  it('are sent to the server of the repository, from settings or URL, and never shown', async () => {
    await withServer({ authorization }, async (server) => {
      const remote = await server.createRepository('private.git');
      const revision = await remote.commit({ files: { 'a.yaml': 'a: 1' } });
      expect(await follow(await scene.open({ url: remote.url, auth }))).toBe(revision);
      const inUrl = remote.url.replace('//', `//robot:${secret}@`);
      expect(await follow(await scene.open({ url: inUrl }))).toBe(revision);
      const none = await failure((await scene.open({ url: remote.url })).resolve(signal));
      expect(none).toMatchObject({ class: 'rejected', code: 'unauthorized', status: 401 });
      const wrong = await scene.open({ url: remote.url, auth: { ...auth, password: `${secret}-old` } });
      const facts = await failure(wrong.resolve(signal));
      expect(facts).toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('refused the credentials'),
      });
      expect(JSON.stringify(facts)).not.toContain(secret);
    });
  });

  it('are not forwarded to another origin, where the exchange then goes', async () => {
    await withServer({}, async (other) => {
      const moved = await other.createRepository('moved.git');
      const revision = await moved.commit({ files: { 'a.yaml': 'a: 1' } });
      scene.server.faults.redirect = (path) => ({ status: 302, location: path.replace('/acme.git', moved.url) });
      const repository = await scene.open({ auth });
      expect(await follow(repository)).toBe(revision);
      expect(scene.server.requests.every((request) => request.authorization === authorization)).toBe(true);
      expect(other.requests.map((request) => request.authorization)).toEqual(other.requests.map(() => null));
      expect(other.requests.map((request) => request.method)).toEqual(['GET', 'POST', 'GET', 'POST']);
    });
  });

  it('stay with a redirect inside the origin', async () => {
    await withServer({ authorization }, async (server) => {
      const remote = await server.createRepository('new.git');
      const revision = await remote.commit({ files: { 'a.yaml': 'a: 1' } });
      server.faults.redirect = (path) =>
        path.startsWith('/old') ? { status: 301, location: path.replace('/old', '/new.git') } : null;
      expect(await follow(await scene.open({ url: `${server.url}/old`, auth }))).toBe(revision);
    });
  });
});

describe('a redirect', () => {
  it.each([
    ['in a circle', (path: string) => path, 'more than 5 times'],
    ['to a sign-in page', () => '/users/sign_in', 'no Git repository'],
    ['to another scheme', () => 'file:///etc/passwd', 'other than HTTP'],
  ])('%s is refused', async (_, location, says) => {
    scene.server.faults.redirect = (path) => ({ status: 302, location: location(path) });
    const repository = await scene.open();
    expect(await failure(repository.resolve(signal))).toMatchObject({
      code: 'redirect-refused',
      message: expect.stringContaining(says),
    });
  });

  it('of a request that carries a body is refused', async () => {
    await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
    scene.server.faults.only = 'POST';
    scene.server.faults.redirect = (path) => ({ status: 307, location: path });
    const repository = await scene.open();
    expect(await failure(repository.resolve(signal))).toMatchObject({
      code: 'redirect-refused',
      message: expect.stringContaining('in the middle'),
    });
  });

  it('from https to http is refused', async () => {
    const tls = certificate({ commonName: '127.0.0.1', names: ['127.0.0.1'] });
    await withServer({ tls }, async (server) => {
      server.faults.redirect = (path) => ({ status: 302, location: `${scene.server.url}${path}` });
      const repository = await scene.open({ url: `${server.url}/acme.git`, ca: tls.cert });
      expect(await failure(repository.resolve(signal))).toMatchObject({
        code: 'redirect-refused',
        message: expect.stringContaining('https to http'),
      });
      expect(scene.server.requests).toEqual([]);
    });
  });
});

describe('TLS', () => {
  it('takes a server by the authority that is given, and no other', async () => {
    const tls = certificate({ commonName: '127.0.0.1', names: ['127.0.0.1'] });
    await withServer({ tls }, async (server) => {
      const remote = await server.createRepository('acme.git');
      const revision = await remote.commit({ files: { 'a.yaml': 'a: 1' } });
      expect(await follow(await scene.open({ url: remote.url, ca: tls.cert }))).toBe(revision);
      expect(await failure((await scene.open({ url: remote.url })).resolve(signal))).toMatchObject({
        class: 'unreachable',
        code: 'tls',
        hint: expect.stringContaining('repository.ca'),
      });
    });
  });
});

describe('a proxy', () => {
  it('is gone through by CONNECT, with its own credentials, which the server never sees', async () => {
    const seen: (string | undefined)[] = [];
    const proxy = await startProxy((authorizationHeader) => seen.push(authorizationHeader));
    try {
      const revision = await scene.remote.commit({ files: { 'a.yaml': 'a: 1' } });
      const address = `http://user:${secret}@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      expect(await follow(await scene.open({ proxy: address }))).toBe(revision);
      expect(seen[0]).toBe(`Basic ${Buffer.from(`user:${secret}`).toString('base64')}`);
      expect(scene.server.requests.every((request) => request.authorization === null)).toBe(true);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('that refuses is told apart from the server', async () => {
    const proxy = await startProxy(null);
    try {
      const address = `http://user:${secret}@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const facts = await failure((await scene.open({ proxy: address })).resolve(signal));
      expect(facts).toMatchObject({ class: 'unreachable', code: 'proxy' });
      expect(JSON.stringify(facts)).not.toContain(secret);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});

/** A proxy that tells what credentials it was given, or refuses everybody. */
async function startProxy(onConnect: ((authorization: string | undefined) => void) | null): Promise<Server> {
  const proxy = createServer();
  proxy.on('connect', (request, client, head) => {
    client.on('error', () => undefined);
    if (onConnect === null) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    onConnect(request.headers['proxy-authorization']);
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

describe('an address', () => {
  it.each(['ssh://git@example.com/acme.git', 'git@example.com:acme.git', 'http://'])('%s is refused', async (url) => {
    const opening = openRepository(repositorySettings(url), scene.storePath, { log: silentLog });
    expect(await failure(opening)).toMatchObject({ class: 'rejected', code: 'url-unsupported' });
  });
});
