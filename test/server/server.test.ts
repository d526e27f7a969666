import { get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { DaemonStatus } from '../../src/daemon/daemon.ts';
import { Lane } from '../../src/lane/lane.ts';
import { alone } from '../../src/lane/lease.ts';
import { silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { type RunningServer, type ServerWorld, startServer } from '../../src/server/server.ts';
import type { RepositoryStatus } from '../../src/server/status-json.ts';
import { failed, finding, head, lane, older } from '../report/statuses.ts';
import { until } from '../support/until.ts';

const evil = '<script>alert("1")</script>';

const nothingYet: DaemonStatus = {
  watcher: { revision: null, signature: null, checkedAt: null, failure: null, failingSince: null, nextPollAt: null },
  validation: null,
  lanes: [lane('gateway', 'pending', { revision: null, attempted: null })],
};

const busy: DaemonStatus = {
  watcher: {
    revision: head,
    signature: { accepted: false, code: 'signature-missing', message: `not ${evil}`, hint: `sign ${evil}` },
    checkedAt: 1_000,
    failure: failed({ message: `cannot reach ${evil}`, body: 'a page with secret-in-a-body' }),
    failingSince: 2_000,
    nextPollAt: 3_000,
  },
  validation: {
    revision: head,
    valid: false,
    diagnostics: [finding(`${evil}.yaml`, 7, `the name ${evil} is "taken"`), finding('b.yaml', 1, 'look', 'warning')],
    invalidFor: new Set(['edge']),
    at: 1_500,
  },
  lanes: [
    lane('gateway', 'applied'),
    lane('edge', 'unreachable', {
      applied: older,
      detail: `says ${evil}`,
      failure: failed({ body: 'an answer with secret-in-a-body' }),
      waitingFor: 'the next try',
      nextTryAt: 9_000,
    }),
  ],
};

const label = { url: 'https://git.example.com/acme/gateway.git', branch: 'main', path: '' };

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function serve(more: Partial<ServerWorld> = {}, status: DaemonStatus = busy): Promise<string> {
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    repositories: () => [{ label, status }],
    lane: () => undefined,
    history: () => undefined,
    clock: new VirtualClock(10_000),
    log: silentLog,
    ...more,
  });
  running.push(server);
  return server.url;
}

const text = async (url: string, init?: RequestInit) => (await fetch(url, init)).text();

describe('health', () => {
  test('alive at once, ready when a revision of every repository was read', async () => {
    const early = await serve({}, nothingYet);
    expect((await fetch(`${early}/healthz`)).status).toBe(200);
    expect((await fetch(`${early}/readyz`)).status).toBe(503);
    const one = await serve({ repositories: () => [busy, nothingYet].map((status) => ({ label, status })) });
    expect((await fetch(`${one}/readyz`)).status).toBe(503);
    expect((await fetch(`${await serve()}/readyz`)).status).toBe(200);
  });
});

describe('the token', () => {
  test('is needed where others can reach the server', async () => {
    await expect(serve({ host: '0.0.0.0' })).rejects.toThrow('server.token');
    await expect(serve({ host: '::' })).rejects.toThrow('server.token');
  });

  test('is asked of everything but health, as a bearer or as a password', async () => {
    const url = await serve({ host: '0.0.0.0', token: 'let-me-in' });
    const local = url.replace('0.0.0.0', '127.0.0.1');
    for (const path of ['/healthz', '/readyz']) expect((await fetch(local + path)).status).toBe(200);
    const paths = ['/', '/metrics', '/api/v1/status', '/api/v1/destinations/edge/sync', '/nothing'];
    for (const path of paths) {
      const refused = await fetch(local + path);
      expect([path, refused.status, refused.headers.has('www-authenticate')]).toEqual([path, 401, true]);
    }
    const asking = (authorization: string) => fetch(`${local}/metrics`, { headers: { authorization } });
    const basic = (password: string) => `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`;
    expect((await asking('Bearer let-me-in')).status).toBe(200);
    expect((await asking(basic('let-me-in'))).status).toBe(200);
    for (const wrong of ['Bearer let-me-out', 'Bearer ', 'let-me-in', basic('let-me'), 'Digest let-me-in']) {
      expect([wrong, (await asking(wrong)).status]).toEqual([wrong, 401]);
    }
  });
});

const statusShape = z.object({
  repositories: z.array(
    z.object({
      url: z.string(),
      revision: z.string().nullable(),
      failingSince: z.string().nullable(),
      failure: z.object({ message: z.string() }).nullable(),
      validation: z
        .object({ valid: z.boolean(), errors: z.int(), warnings: z.int(), invalidFor: z.array(z.string()) })
        .nullable(),
      destinations: z.array(
        z.object({
          name: z.string(),
          state: z.string(),
          since: z.string(),
          revisionAttempted: z.string().nullable(),
          revisionApplied: z.string().nullable(),
          lastError: z.object({ class: z.string(), message: z.string() }).nullable(),
          nextTryAt: z.string().nullable(),
          counts: z.object({ deliveries: z.int(), failures: z.int(), writes: z.int() }),
        }),
      ),
    }),
  ),
});

describe('the status of objects', () => {
  const location = { file: 'a.yaml', line: 4, column: 3, endLine: 4, endColumn: 7, pointer: '/metadata/name' };
  const programmed = { type: 'Programmed', status: 'True', reason: 'Programmed', message: '' } as const;
  const wrong = { type: 'Programmed', status: 'False', reason: 'Invalid', message: 'No.' } as const;
  const web = { kind: 'Ingress', namespace: 'shop', name: 'web', location, conditions: [programmed] };
  const alice = { kind: 'KongConsumer', namespace: 'shop', name: 'alice', location, conditions: [wrong] };
  const validation = { revision: head, valid: false, diagnostics: [], invalidFor: new Set<string>(), at: 0 };
  const objects = new Map([
    ['gateway', [web, alice]],
    ['edge', [web]],
  ]);
  const status = { ...busy, validation: { ...validation, objects } };

  test('is given by destination, unknown where the revision is not in place', async () => {
    const url = await serve({}, status);
    const all = JSON.parse(await text(`${url}/api/v1/objects`));
    expect(all.objects).toEqual([
      { destination: 'gateway', revision: head, ...web },
      { destination: 'gateway', revision: head, ...alice },
      {
        destination: 'edge',
        revision: head,
        ...web,
        conditions: [{ ...programmed, status: 'Unknown', reason: 'Pending', message: `says ${evil}` }],
      },
    ]);
    const one = JSON.parse(
      await text(`${url}/api/v1/objects?destination=gateway&kind=KongConsumer&namespace=shop&name=alice`),
    );
    expect(one.objects).toMatchObject([{ name: 'alice' }]);
    expect((await fetch(`${url}/api/v1/objects?destination=none`)).status).toBe(404);
    const counted = JSON.parse(await text(`${url}/api/v1/status`));
    expect(counted.repositories[0].validation.objects).toEqual({ read: 2, wrong: 1 });
  });

  test('is empty before anything was read', async () => {
    expect(JSON.parse(await text(`${await serve({}, nothingYet)}/api/v1/objects`))).toEqual({ objects: [] });
  });
});

describe('what is read', () => {
  test('the status says of every repository and destination where it is, and holds no body of an answer', async () => {
    const answer = await text(`${await serve()}/api/v1/status`);
    expect(answer).not.toContain('secret-in-a-body');
    const { repositories } = statusShape.parse(JSON.parse(answer));
    expect(repositories).toMatchObject([
      {
        url: label.url,
        revision: head,
        failingSince: '1970-01-01T00:00:02.000Z',
        validation: { valid: false, errors: 1, warnings: 1, invalidFor: ['edge'] },
        destinations: [
          { name: 'gateway', state: 'applied', revisionApplied: head, lastError: null },
          {
            name: 'edge',
            state: 'unreachable',
            revisionAttempted: head,
            revisionApplied: older,
            nextTryAt: '1970-01-01T00:00:09.000Z',
            lastError: { class: 'unreachable' },
          },
        ],
      },
    ]);
  });

  test('metrics are in the format of Prometheus, one family each, labels escaped', async () => {
    const odd = { ...label, path: 'a"b\\c\nd' };
    const url = await serve({ repositories: () => [{ label: odd, status: busy }] });
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const body = await answer.text();
    expect(body.endsWith('\n')).toBe(true);
    const line =
      /^(?:# HELP [a-z_]+ \S.*|# TYPE [a-z_]+ (?:gauge|counter)|[a-z_]+(?:\{[a-z]+="(?:[^"\\]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\]|\\["\\n])*")*\})? -?\d+(?:\.\d+)?)$/;
    const lines = body.trimEnd().split('\n');
    expect(lines.filter((written) => !line.test(written))).toEqual([]);
    const families = lines.flatMap((written) => /^# TYPE (\S+)/.exec(written)?.[1] ?? []);
    expect(new Set(families).size).toBe(families.length);
    expect(lines).toContain('konverge_destination_state{destination="edge",state="unreachable"} 1');
    expect(lines).toContain('konverge_destination_state{destination="edge",state="applied"} 0');
    expect(lines).toContain('konverge_destination_in_place{destination="gateway"} 1');
    expect(lines).toContain('konverge_destination_in_place{destination="edge"} 0');
    expect(lines).toContain(`konverge_repository_up{repository="${label.url}",branch="main",path="a\\"b\\\\c\\nd"} 0`);
  });

  test('the page escapes all that comes from elsewhere, and runs no script', async () => {
    const answer = await fetch(`${await serve()}/`);
    const page = await answer.text();
    expect(page).not.toContain(evil);
    expect(page).not.toContain('<script');
    expect(page).not.toContain('secret-in-a-body');
    expect(page).toContain('&#60;script&#62;');
    expect(page).toContain('unreachable');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await text(`${await serve({}, nothingYet)}/`)).toContain('none yet');
  });

  test('HEAD is answered without a body, and what is not there with 404', async () => {
    const url = await serve();
    const head_ = await fetch(`${url}/api/v1/status`, { method: 'HEAD' });
    expect([head_.status, await head_.text()]).toEqual([200, '']);
    for (const path of ['/nothing', '/api/v1', '//evil.example/x', '/%ff']) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
    }
  });
});

describe('steering', () => {
  /** A lane that runs, whose destination never answers. */
  async function steered() {
    const clock = new VirtualClock(0);
    const never = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    const one = new Lane({
      destination: {
        name: 'edge',
        identify: never,
        schemas: (_, signal) => never(signal),
        read: (_, signal) => never(signal),
        preflight: async () => [],
        apply: (_state, _delivery, signal) => never(signal),
        inPlace: () => ({ confirmed: false, detail: '', incomplete: false, unread: [] }),
        close: async () => undefined,
      },
      plan: () => {
        throw new TypeError('nothing is planned');
      },
      policy: { drift: 'correct', driftIntervalMs: 1_000 },
      clock,
      random: () => 0,
      log: silentLog,
      lease: alone,
      report: () => undefined,
    });
    const stop = new AbortController();
    const ended = one.run(stop.signal);
    const url = await serve({ lane: (name) => (name === 'edge' ? one : undefined) });
    const post = (path: string, init: RequestInit = {}) =>
      fetch(`${url}/api/v1/destinations/${path}`, { method: 'POST', ...init });
    return {
      one,
      url,
      post,
      stop: async () => {
        stop.abort();
        await ended;
      },
    };
  }

  test('suspends, resumes and syncs a destination, and approves nothing that is not held', async () => {
    const { one, post, stop } = await steered();
    expect((await post('edge/suspend')).status).toBe(202);
    await until('the lane to be suspended', () => one.status.state === 'suspended');
    const synced = await post('edge/sync');
    expect([synced.status, await synced.text()]).toEqual([409, expect.stringContaining('resume it first')]);
    expect(await (await post('edge/resume')).json()).toEqual({ destination: 'edge', action: 'resume' });
    await until('the lane to go on', () => one.status.state !== 'suspended');
    expect((await post('edge/sync')).status).toBe(202);
    const body = JSON.stringify({ fingerprint: 'sha256:00' });
    const approved = await post('edge/approve', { body });
    expect([approved.status, await approved.text()]).toEqual([
      409,
      expect.stringContaining('nothing is held there now'),
    ]);
    await stop();
  });

  test('takes down who suspends and why, and no more of it than a line', async () => {
    const { one, post, stop } = await steered();
    await post('edge/suspend', { body: JSON.stringify({ who: ' ann\u0000\n', reason: 'incident 42' }) });
    await until('the lane to be suspended', () => one.status.state === 'suspended');
    expect(one.status).toMatchObject({
      suspension: { who: 'ann', reason: 'incident 42' },
      detail: 'nothing is delivered and drift is not corrected; suspended by ann: incident 42',
    });
    await post('edge/resume');
    await until('the lane to go on', () => one.status.state !== 'suspended');
    expect(one.status.suspension).toBeNull();
    expect((await post('edge/suspend', { body: JSON.stringify({ who: 'x'.repeat(201) }) })).status).toBe(400);
    expect((await post('edge/suspend', { body: JSON.stringify({ reason: 1 }) })).status).toBe(400);
    await stop();
  });

  test('refuses what it does not understand', async () => {
    const { url, post, stop } = await steered();
    expect((await post('other/sync')).status).toBe(404);
    expect((await post('edge/explode')).status).toBe(404);
    expect((await fetch(`${url}/api/v1/destinations/edge/sync`, { method: 'PUT' })).status).toBe(405);
    const bodies = ['', 'no json', '{}', '{"fingerprint": ""}', '{"fingerprint": 1}', '{"fingerprint": "a", "b": 1}'];
    for (const body of [...bodies, `"${'x'.repeat(20_000)}"`]) {
      const answer = await post('edge/approve', { body });
      expect([body.slice(0, 40), answer.status]).toEqual([body.slice(0, 40), 400]);
    }
    await stop();
  });

  test('answers to no name but its own where it asks for no token', async () => {
    const asked = async (url: string, host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(url);
        const headers = { host };
        get({ hostname, port, path: '/api/v1/status', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).once('error', reject);
      });
    const url = await serve({ publicUrl: 'https://konverge.example.com/' });
    for (const own of ['localhost:8080', '127.0.0.1', '[::1]:8080', 'konverge.example.com']) {
      expect([own, await asked(url, own)]).toEqual([own, 200]);
    }
    for (const other of ['evil.example:8080', '127.0.0.1.evil.example']) {
      expect([other, await asked(url, other)]).toEqual([other, 421]);
    }
    expect(await asked(await serve({ token: 'let-me-in' }), 'evil.example')).toBe(401);
  });

  test('takes no request of another site', async () => {
    const { one, url, post, stop } = await steered();
    expect((await post('edge/suspend', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await post('edge/suspend', { headers: { origin: 'null' } })).status).toBe(403);
    expect(one.status.state).not.toBe('suspended');
    expect((await post('edge/suspend', { headers: { origin: url } })).status).toBe(202);
    await stop();
  });
});

describe('history', () => {
  test('is told of one destination, the newest entries of it', async () => {
    const asked: [string, number][] = [];
    const url = await serve({
      history: (name, limit) => {
        asked.push([name, limit]);
        return name === 'edge' ? Promise.resolve([]) : undefined;
      },
    });
    expect(await (await fetch(`${url}/api/v1/history?destination=edge&limit=7`)).json()).toEqual({ entries: [] });
    await fetch(`${url}/api/v1/history?destination=edge&limit=99999`);
    await fetch(`${url}/api/v1/history?destination=edge`);
    expect(asked).toEqual([
      ['edge', 7],
      ['edge', 1_000],
      ['edge', 100],
    ]);
    const unknown = await fetch(`${url}/api/v1/history?destination=nobodys`);
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toMatch(/there is no destination \\"nobodys\\"; there are: [a-z]/);
    expect((await fetch(`${url}/api/v1/history`)).status).toBe(400);
    expect((await fetch(`${url}/api/v1/history?destination=edge&limit=-1`)).status).toBe(400);
  });
});

/** The status of the answer to a request whose target is written as it is, and its body. */
function asked(
  url: string,
  target: string,
  method = 'GET',
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve({ status: Number(answer.split(' ')[1]), text: answer }));
    socket.end(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}

describe('requests that are written oddly', () => {
  const odd = ['//', '///', '/\\', '//[', '/%zz', '/%', '*', 'nonsense', 'ftp://a/', 'http://[', '/a/../..//', '/?%zz'];

  test.each(odd)('%s is no fault, and needs the token', async (target) => {
    const faults: unknown[] = [];
    const log = { ...silentLog, error: (fields: object) => void faults.push(fields) };
    const open = await serve({ log });
    expect([200, 400, 404]).toContain((await asked(open, target)).status);
    const closed = await serve({ token: 'let-me-in', log });
    const refused = await asked(closed, target);
    expect([400, 401]).toContain(refused.status);
    expect(refused.text).not.toContain('.ts:');
    expect(faults).toEqual([]);
  });

  test('a whole address is one like another, and its host counts', async () => {
    const url = await serve();
    expect((await asked(url, `${url}/api/v1/status`)).status).toBe(200);
    expect((await asked(url, 'http://evil.example.com/api/v1/status')).status).toBe(421);
  });
});

test('a path answers other methods with 405 and those it takes', async () => {
  const url = await serve();
  const reading = ['/', '/healthz', '/readyz', '/metrics', '/api/v1/status', '/api/v1/history', '/api/v1/objects'];
  for (const path of reading) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const refused = await fetch(url + path, { method });
      expect([path, method, refused.status, refused.headers.get('allow')]).toEqual([path, method, 405, 'GET, HEAD']);
    }
  }
  for (const verb of ['sync', 'suspend', 'resume', 'approve']) {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const refused = await fetch(`${url}/api/v1/destinations/edge/${verb}`, { method });
      expect([verb, method, refused.status, refused.headers.get('allow')]).toEqual([verb, method, 405, 'POST']);
    }
  }
  expect((await fetch(`${url}/nothing`, { method: 'POST' })).status).toBe(404);
});

describe('the page of a revision', () => {
  const entry = {
    at: '2026-03-01T09:21:10.000Z',
    destination: 'edge',
    event: 'applied',
    revision: older,
    detail: `in place on ${evil}`,
    failure: null,
    plan: {
      fingerprint: 'sha256:1',
      summary: { create: 1, update: 0, delete: 0, unchanged: 3 },
      changes: [{ action: 'create', kind: 'services', name: evil, fields: ['/host'] }],
      more: 4,
    },
    approval: null,
    signed: null,
    suspension: null,
  };
  const other = { ...entry, revision: head, detail: 'another one' };
  const history = (name: string) => Promise.resolve(name === 'edge' ? [entry, other] : []);

  test('says what was found, and how each destination stands to it', async () => {
    const page = await (await fetch(`${await serve({ history })}/revisions/${head}`)).text();
    expect(page).toContain('<span class="bad">invalid</span>');
    expect(page).toContain('.yaml:7:1');
    expect(page).toContain('<td class="good">applied</td>');
    expect(page).toContain('<td class="bad">invalid</td><td>it keeps what it has</td>');
    expect(page).toContain('another one');
    expect(page).not.toContain(evil);
  });

  test('of an older one says which is the newest, and what happened with this one', async () => {
    const page = await (await fetch(`${await serve({ history })}/revisions/${older}`)).text();
    expect(page).toContain(`not the newest revision, which is <code>${head.slice(0, 10)}</code>`);
    expect(page).toContain('<td class="good">in place</td>');
    expect(page).toContain('plan: 1 to create, 0 to update, 0 to delete');
    expect(page).toContain('and 4 more');
    expect(page).not.toContain('another one');
    expect(page).not.toContain(evil);
  });

  test('of a proposed commit has what its review said', async () => {
    const proposed = 'd'.repeat(40);
    const review = {
      number: 7,
      head: proposed,
      base: head,
      verdict: { state: 'failure', description: `fails for ${evil}` },
      comment: `### ❌ fails for ${evil}`,
      at: 5_000,
    } as const;
    const reviews = (sha: string) => (sha === proposed ? [review] : []);
    const url = await serve({ reviews });
    const page = await (await fetch(`${url}/revisions/${proposed}`)).text();
    expect(page).toContain('Proposed in #7: <span class="bad">failure</span>');
    expect(page).toContain('<pre>### ❌ fails for');
    expect(page).not.toContain(evil);
  });

  test('is 404 where nothing is known, no path for anything else, and asks for the token', async () => {
    const url = await serve();
    const unknown = await fetch(`${url}/revisions/${'e'.repeat(40)}`);
    expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('Nothing is known')]);
    expect((await fetch(`${url}/revisions/main`)).status).toBe(404);
    expect((await fetch(`${url}/revisions/${head}`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${await serve({ token: 'hush' })}/revisions/${head}`)).status).toBe(401);
  });
});

test('the status page lists an error of all destinations once', async () => {
  const shared = finding('a.yaml', 7, 'wrong for everybody');
  const own = finding('a.yaml', 9, 'wrong at the edge');
  const status: DaemonStatus = {
    ...busy,
    validation: busy.validation === null ? null : { ...busy.validation, diagnostics: [shared] },
    lanes: [
      lane('gateway', 'rejected', { diagnostics: [shared] }),
      lane('edge', 'rejected', { diagnostics: [shared, own] }),
    ],
  };
  const page = await (await fetch(await serve({}, status))).text();
  expect(page.split('wrong for everybody')).toHaveLength(2);
  expect(page.split('wrong at the edge')).toHaveLength(2);
  expect(page.split('1 error, listed above')).toHaveLength(3);
});

test('the status page, the API and the metrics show the reviews of pull requests', async () => {
  const reviews: NonNullable<RepositoryStatus['reviews']> = [
    {
      forge: 'GitHub',
      repository: 'https://api.github.com/acme/gateway',
      open: 2,
      checkedAt: 4_000,
      failure: failed({ message: `cannot reach ${evil}`, body: 'a page with secret-in-a-body' }),
      nextLookAt: 64_000,
      pullRequests: [
        {
          number: 7,
          head: older,
          base: 'main',
          verdict: { state: 'failure', description: `the route ${evil}` },
          reviewedAt: 3_000,
        },
        { number: 8, head, base: 'main', verdict: null, reviewedAt: null },
      ],
      counts: { reviews: 5, failures: 1, posts: 9 },
    },
  ];
  const url = await serve({ repositories: () => [{ label, status: busy, reviews }] });
  const page = await (await fetch(url)).text();
  expect(page).toContain('Pull requests on GitHub');
  expect(page).toContain(`<td>#7</td><td class="bad">failure</td>`);
  expect(page).toContain(`href="revisions/${older}"`);
  expect(page).not.toContain(evil);
  const json = await (await fetch(`${url}/api/v1/status`)).text();
  expect(json).not.toContain('secret-in-a-body');
  expect(JSON.parse(json).repositories[0].reviews).toMatchObject([
    {
      open: 2,
      checkedAt: '1970-01-01T00:00:04.000Z',
      nextLookAt: '1970-01-01T00:01:04.000Z',
      failure: { code: 'connection-refused' },
      pullRequests: [
        { number: 7, head: older, base: 'main', state: 'failure', reviewedAt: '1970-01-01T00:00:03.000Z' },
        { number: 8, state: 'pending', description: null, reviewedAt: null },
      ],
      counts: { reviews: 5, failures: 1, posts: 9 },
    },
  ]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const labels = '{forge="GitHub",repository="https://api.github.com/acme/gateway",branch="main"}';
  expect(metrics).toContain(`konverge_reviews_up${labels} 0\n`);
  expect(metrics).toContain(`konverge_pull_requests${labels} 2\n`);
  expect(metrics).toContain(`konverge_review_posts_total${labels} 9\n`);
});
