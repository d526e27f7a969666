import { describe, expect, it } from 'vitest';
import { ask, started } from './ask.ts';

const service = { host: 'a.example' };

describe('what an emulator can be told to do', () => {
  it('fails the requests it is told to, and only those', async () => {
    const { url, behaviour } = await started();
    behaviour({ fail: { methods: ['PUT'], status: 503, after: 1, count: 1, retryAfterSeconds: 7 } });
    const put = (name: string) => ask(url, 'PUT', `/services/${name}`, service);
    expect((await ask(url, 'GET', '/services')).status).toBe(200);
    const told = [await put('a'), await put('b'), await put('c')];
    expect(told.map(({ status }) => status)).toEqual([200, 503, 200]);
    expect(told[1]?.headers.get('retry-after')).toBe('7');
    expect((await ask(url, 'GET', '/services')).body.data).toHaveLength(2);
  });

  it('loses an answer after the write', async () => {
    const { url, behaviour, log } = await started();
    behaviour({ loseAnswer: { methods: ['PUT'], count: 1 } });
    await expect(ask(url, 'PUT', '/services/a', service)).rejects.toThrow();
    expect((await ask(url, 'GET', '/services/a')).status).toBe(200);
    expect(log().map(({ status }) => status)).toEqual([null, 200]);
  });

  it('writes and then says that it failed', async () => {
    const { url, behaviour } = await started();
    behaviour({ fail: { methods: ['PUT'], status: 500, count: 1, afterWrite: true } });
    expect((await ask(url, 'PUT', '/services/a', service)).status).toBe(500);
    expect((await ask(url, 'GET', '/services/a')).status).toBe(200);
  });

  it('hangs until it is told to let go', async () => {
    const { url, behaviour, log } = await started();
    behaviour({ hang: true });
    const waiting = ask(url, 'GET', '/services').then(
      () => 'answered',
      () => 'cut',
    );
    await expect.poll(() => log().length).toBe(1);
    expect(log()[0]?.status).toBeNull();
    behaviour({ hang: null });
    expect(await waiting).toBe('cut');
    expect((await ask(url, 'GET', '/services')).status).toBe(200);
  });

  it('lets so many requests through per window, and says when the next may come', async () => {
    let time = 1_000_000;
    const { url, behaviour } = await started({ now: () => time });
    behaviour({ rateLimit: { requests: 2, windowMs: 5_000 } });
    const get = () => ask(url, 'GET', '/services');
    expect([(await get()).status, (await get()).status]).toEqual([200, 200]);
    time += 1_000;
    const told = await get();
    expect([told.status, told.headers.get('retry-after')]).toEqual([429, '4']);
    time += 4_000;
    expect((await get()).status).toBe(200);
  });

  it('does what was asked although the client has gone away', async () => {
    const sleepers: (() => void)[] = [];
    const { url, behaviour, request, log } = await started({
      sleep: () => new Promise<void>((resolve) => sleepers.push(resolve)),
    });
    behaviour({ latencyMs: 1, answerLate: true });
    const abort = new AbortController();
    const asked = fetch(`${url}/services/a`, {
      method: 'PUT',
      body: JSON.stringify(service),
      headers: { 'content-type': 'application/json' },
      signal: abort.signal,
    });
    await expect.poll(() => sleepers.length).toBe(1);
    abort.abort();
    await expect(asked).rejects.toThrow();
    for (const wake of sleepers) wake();
    await expect.poll(() => log().length).toBe(1);
    expect(request('GET', '/services/a').status).toBe(200);
  });

  it('counts reads and writes, a check as a read, and leaves another writer out', async () => {
    const { url, counters, request, clearLog } = await started();
    await ask(url, 'PUT', '/services/a', service);
    await ask(url, 'POST', '/schemas/services/validate', service);
    await ask(url, 'GET', '/services');
    request('PATCH', '/services/a', { host: 'other.example' });
    expect(counters()).toMatchObject({ reads: 2, writes: 1, byMethod: { GET: 1, POST: 1, PUT: 1 } });
    expect((await ask(url, 'GET', '/services/a')).body.host).toBe('other.example');
    clearLog();
    expect(counters()).toMatchObject({ reads: 0, writes: 0 });
  });

  it('answers 500 without its database, but for its status and schemas', async () => {
    const { url, behaviour } = await started();
    behaviour({ databaseDown: true });
    const status = async (path: string) => (await ask(url, 'GET', path)).status;
    expect([
      await status('/services'),
      await status('/'),
      await status('/status'),
      await status('/schemas/services'),
    ]).toEqual([500, 500, 200, 200]);
    expect((await ask(url, 'GET', '/status')).body.database.reachable).toBe(false);
  });

  it('is steered over its control server', async () => {
    const { url, controlUrl } = await started({ controlPort: 0 });
    const control = (method: string, path: string, body?: unknown) => ask(controlUrl ?? '', method, path, body);
    await ask(url, 'PUT', '/services/a', service);
    expect((await control('GET', '/counters')).body).toMatchObject({ writes: 1 });
    expect((await control('GET', '/log')).body).toMatchObject([{ method: 'PUT', path: '/services/a', status: 200 }]);
    const other = { otherWriter: { method: 'PATCH', path: '/services/a', body: { host: 'b.example' } } };
    expect((await control('POST', '/behaviour', other)).body.otherWriter.status).toBe(200);
    expect((await control('POST', '/behaviour', { fail: { status: 503 } })).status).toBe(200);
    expect((await ask(url, 'GET', '/services')).status).toBe(503);
    expect((await control('POST', '/behaviour', { fial: 1 })).status).toBe(400);
    expect((await control('POST', '/reset')).status).toBe(200);
    expect((await ask(url, 'GET', '/services')).body.data).toEqual([]);
    expect((await control('GET', '/other')).status).toBe(404);
  });
});
