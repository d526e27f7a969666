import { expect } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { applied, deck, fieldOf, one, settled } from './changing.ts';
import { deliver, wordsOf } from './deliver.ts';
import type { Contract } from './destination.ts';
import { failingNodes } from './failing-nodes.ts';
import { behave, impatient, seen } from './faults.ts';

const service = '5b1d7c52-7d0e-4a53-9d3a-0f5b6f0a7a01';

const shop: JsonObject = {
  services: [
    { id: service, name: 'a', host: 'a.test', routes: [{ name: 'r', paths: ['/r'], plugins: [{ name: 'cors' }] }] },
    { name: 'b', host: 'b.test' },
  ],
  consumers: [{ username: 'ann' }],
};

/** Servers that refuse, fail, hang, or lose what they were asked. */
export function failing(contract: Contract): void {
  const { survives, mode, edition } = contract;
  // A database is also sent POSTs that check and change nothing.
  const writes = mode === 'dbless' ? ['POST'] : ['PUT', 'PATCH', 'DELETE'];

  survives('is unreachable within its time limit when the server hangs', async (bench) => {
    behave(bench, { hang: true });
    const started = performance.now();
    const delivered = await deliver(bench, deck(shop), impatient(bench));
    expect(delivered).toMatchObject({ end: 'thrown', failure: { class: 'unreachable', code: 'timeout' } });
    expect(performance.now() - started).toBeLessThan(5_000);
    behave(bench, { hang: null });
    await applied(bench, deck(shop));
  });

  survives('does not know what came of a write that hangs, and puts it right later', async (bench) => {
    behave(bench, { hang: { methods: writes } });
    const delivered = await deliver(bench, deck(shop), impatient(bench, 700));
    expect(delivered, wordsOf(delivered)).toMatchObject({
      end: 'failed',
      failure: { class: 'unreachable', code: 'timeout' },
    });
    expect(delivered.outcome?.changes.some(({ result }) => result === 'unknown')).toBe(true);
    behave(bench, { hang: null });
    await applied(bench, deck(shop));
    await settled(bench, deck(shop));
  });

  survives('stops soon when it is told to', async (bench) => {
    behave(bench, { hang: { methods: writes } });
    const stop = new AbortController();
    const stopped = deliver(bench, deck(shop), { signal: stop.signal });
    const reason = new Error('the process ends');
    const ended = expect(stopped).rejects.toBe(reason);
    await seen(bench, writes);
    stop.abort(reason);
    await ended;
  });

  survives('starts nothing more once a newer revision waits', async (bench) => {
    const delivered = await deliver(bench, deck(shop), { goOn: () => bench.writes() === 0 });
    expect(delivered.end).toBe('superseded');
    if (mode !== 'dbless') {
      const results = delivered.outcome?.changes.map(({ result }) => result) ?? [];
      expect(results).toContain('skipped');
    }
    await applied(bench, deck(shop));
  });

  survives('makes nothing twice when the answer to a write is lost', async (bench) => {
    const files = deck({ ...shop, upstreams: [{ name: 'u.test', targets: [{ target: 'x.test:80' }] }] });
    for (const methods of [['PUT'], ['POST'], ['DELETE']]) {
      behave(bench, { loseAnswer: { methods, count: 2 } });
      for (let pass = 0; pass < 4 && (await deliver(bench, files)).end !== 'applied'; pass += 1);
      behave(bench, { loseAnswer: null });
      await applied(bench, files);
      expect(await fieldOf(bench, 'services', 'name')).toEqual(['a', 'b']);
      expect(await bench.list('targets')).toHaveLength(1);
      await settled(bench, files);
      await applied(bench, deck({}));
    }
  });

  survives('waits as long as a 429 asks for, and then goes on', async (bench) => {
    behave(bench, { fail: { status: 429, methods: writes, count: 3, retryAfterSeconds: 7 } });
    await applied(bench, deck(shop));
    expect(bench.waits.some((ms) => ms > 6_000 && ms <= 7_000)).toBe(true);
    await settled(bench, deck(shop));
  });

  survives('leaves a long Retry-After to the lane', async (bench) => {
    behave(bench, { fail: { status: 429, methods: writes, retryAfterSeconds: 3600 } });
    const delivered = await deliver(bench, deck(shop));
    expect(delivered).toMatchObject({
      end: 'failed',
      failure: { class: 'transient', status: 429, retryAfterMs: 3_600_000 },
    });
    expect(bench.waits.every((ms) => ms < 60_000)).toBe(true);
  });

  survives('bridges a fault of the server that passes', async (bench) => {
    behave(bench, { fail: { status: 500, methods: ['GET'], count: 2 } });
    await applied(bench, deck(shop));
  });

  survives('says so when nobody listens, or the connection is cut', async (bench) => {
    behave(bench, { refuse: true });
    expect(await deliver(bench, deck(shop))).toMatchObject({ end: 'thrown', failure: { class: 'unreachable' } });
    const { connection } = bench.settings;
    const nowhere = 'http://127.0.0.1:1';
    const closed = connection.type === 'dbless' ? { ...connection, nodes: [nowhere] } : { ...connection, url: nowhere };
    const delivered = await deliver(bench, deck(shop), { settings: { connection: closed } });
    expect(delivered).toMatchObject({ end: 'thrown', failure: { class: 'unreachable', code: 'connection-refused' } });
  });

  survives('is refused where it may not sign in', async (bench) => {
    behave(bench, { fail: { status: 401 } });
    expect(await deliver(bench, deck(shop))).toMatchObject({
      end: 'thrown',
      failure: { class: 'rejected', status: 401 },
    });
  });

  if (mode === 'dbless') {
    failingNodes(contract);
    return;
  }

  survives('never prunes what it may not list, and delivers nothing that declares it', async (bench) => {
    const vaulted = { ...shop, vaults: [{ name: 'env', prefix: 'kept', config: { prefix: 'V_' } }] };
    await applied(bench, deck(vaulted));
    for (const status of [403, 404]) {
      behave(bench, { fail: { status, methods: ['GET'], path: '/vaults?' } });
      const { plan } = await applied(bench, deck(shop));
      expect(plan?.changes).toEqual([]);
      bench.forget();
      const changed = { ...vaulted, consumers: [{ username: 'ann' }, { username: 'bob' }] };
      const declared = await deliver(bench, deck(changed));
      expect(declared).toMatchObject({
        end: 'rejected',
        ended: { leaves: status === 403 ? 'unknown' : 'last-good', diagnostics: [{ entities: [{ name: 'kept' }] }] },
      });
      expect(wordsOf(declared)).toMatch(
        new RegExp(
          `^kong\\.json:1 vault "kept" cannot be delivered .* GET http\\S+/vaults was answered with ${status} `,
        ),
      );
      expect(bench.writes()).toBe(0);
    }
    behave(bench, { fail: null });
    expect(await bench.list('vaults')).toHaveLength(1);
  });

  survives('opens no route whose declared authentication it cannot see, nor calls it in place', async (bench) => {
    const routes = [{ name: 'r', paths: ['/r'], plugins: [{ name: 'key-auth' }] }];
    const guarded = deck({ services: [{ name: 'a', host: 'a.test', routes }] });
    behave(bench, { fail: { status: 403, methods: ['GET'], path: '/plugins?' } });
    const delivered = await deliver(bench, guarded);
    expect(delivered.end).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(/plugin "key-auth:route\/r" .*\/plugins was answered with 403/);
    behave(bench, { fail: null });
    expect(await bench.list('routes')).toEqual([]);
    await applied(bench, guarded);
    behave(bench, { fail: { status: 403, methods: ['GET'], path: '/plugins?' } });
    expect((await deliver(bench, guarded)).end).toBe('rejected');
    behave(bench, { fail: null });
    await settled(bench, guarded);
  });

  if (mode === 'database' && edition === 'oss') {
    survives('delivers nothing of what declares a kind that an open-source Kong has not', async (bench) => {
      const partials = [{ name: 'p', type: 'redis-ce', config: { host: 'redis.test' } }];
      const delivered = await deliver(bench, deck({ ...shop, partials }));
      expect(delivered.end).toBe('rejected');
      expect(wordsOf(delivered)).toMatch(/^kong\.json:1 .*partial "p".*/);
      expect(bench.writes()).toBe(0);
      await applied(bench, deck({ ...shop, partials }), { excludeKinds: ['partials'] });
    });
  }

  survives('confirms nothing that it may not read back', async (bench) => {
    await applied(bench, deck({ services: [{ name: 'a', host: 'a.test' }] }));
    // The first reading goes through, and the permission is gone by the second.
    behave(bench, { fail: { status: 403, methods: ['GET'], path: '/plugins?', after: 1 } });
    const plugins = [{ name: 'cors' }];
    const delivered = await deliver(bench, deck({ services: [{ name: 'a', host: 'a.test', plugins }] }));
    expect(delivered).toMatchObject({ end: 'rejected', ended: { leaves: 'unknown' } });
    behave(bench, { fail: null });
  });

  survives('checks by the schemas it brings where it may not read those of the destination', async (bench) => {
    behave(bench, { fail: { status: 403, methods: ['GET'], path: '/schemas/' } });
    await applied(bench, deck(shop));
    behave(bench, { fail: null });
    await settled(bench, deck(shop));
  });

  survives('takes no missing collection that all have for an empty one', async (bench) => {
    await applied(bench, deck(shop));
    for (const status of [404, 403]) {
      const paths = status === 404 ? '/services' : '/';
      behave(bench, { fail: { status, methods: ['GET'], path: paths } });
      const delivered = await deliver(bench, deck({ consumers: [{ username: 'ann' }] }));
      if (status === 404) expect(delivered).toMatchObject({ end: 'thrown', failure: { class: 'rejected', status } });
      else expect(delivered.end).not.toBe('applied');
    }
    behave(bench, { fail: null });
    expect(await fieldOf(bench, 'services', 'name')).toEqual(['a', 'b']);
  });

  survives('repeats no secret of another entity, of what is live, or of the connection', async (bench) => {
    const person = (key: string) => [{ username: 'ann', keyauth_credentials: [{ key }] }];
    await applied(bench, deck({ services: [{ name: 'a', host: 'a.test' }], consumers: person('key-of-before') }));
    const { connection } = bench.settings;
    const signed =
      connection.type === 'konnect'
        ? { ...connection, token: 'token-of-admin' }
        : { ...connection, headers: { 'kong-admin-token': 'token-of-admin' } };
    const words = 'not with key-of-ann, key-of-before or token-of-admin';
    const body: JsonObject =
      mode === 'konnect'
        ? { code: 3, message: 'no', details: [{ type: 'ERROR_TYPE_FIELD', field: 'host', messages: [words] }] }
        : { code: 2, name: 'schema violation', message: words, fields: { host: words } };
    behave(bench, { fail: { status: 400, methods: ['PUT'], path: '/services/', body } });
    const files = deck({ services: [{ name: 'a', host: 'b.test' }], consumers: person('key-of-ann') });
    const delivered = await deliver(bench, files, { settings: { connection: signed } });
    expect(delivered.end).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(/service "a" at host: not with \*{3}, \*{3} or \*{3}/);
    expect(JSON.stringify(delivered.ended)).not.toMatch(/service "a" at host: .*(key-of|token-of)/);
    behave(bench, { fail: null });
  });

  survives('applies what it can when one write is refused, and names what depends on it', async (bench) => {
    const body: JsonObject =
      mode === 'konnect'
        ? {
            code: 3,
            message: 'validation error',
            details: [{ type: 'ERROR_TYPE_FIELD', field: 'host', messages: ['is not to our taste'] }],
          }
        : { code: 2, name: 'schema violation', message: 'no', fields: { host: 'is not to our taste' } };
    behave(bench, { fail: { status: 400, methods: ['PUT'], path: `/services/${service}`, body } });
    const yaml = `_format_version: "3.0"
services:
- id: ${service}
  name: a
  host: a.test
  routes:
  - {name: r, paths: [/r], plugins: [{name: cors}]}
- {name: b, host: b.test}
consumers:
- username: ann
`;
    const delivered = await deliver(bench, { 'shop/a.yaml': yaml });
    expect(delivered.end).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(/shop\/a\.yaml:5 .*service "a" at host: is not to our taste/);
    const results = delivered.outcome?.changes.map((outcome) => {
      const { kind, name } = delivered.plan?.changes[outcome.change] ?? {};
      return `${kind} ${name} ${outcome.result}${outcome.result === 'skipped' ? `: ${outcome.because}` : ''}`;
    });
    expect(results?.sort()).toEqual([
      'consumers ann applied',
      'plugins cors:route/r skipped: service "a" failed before it',
      'routes r skipped: service "a" failed before it',
      'services a rejected',
      'services b applied',
    ]);
    expect(await fieldOf(bench, 'services', 'name')).toEqual(['b']);
    behave(bench, { fail: null });
    await applied(bench, { 'shop/a.yaml': yaml });
    await settled(bench, { 'shop/a.yaml': yaml });
  });

  survives('goes on with all else when the server fails on one entity', async (bench) => {
    behave(bench, { fail: { status: 500, methods: ['PUT'], path: `/services/${service}` } });
    const delivered = await deliver(bench, deck(shop));
    expect(delivered).toMatchObject({ end: 'failed', failure: { class: 'transient', status: 500 } });
    expect(delivered.failure?.message).toMatch(/^service "a": /);
    expect(await fieldOf(bench, 'services', 'name')).toEqual(['b']);
    expect(await fieldOf(bench, 'consumers', 'username')).toEqual(['ann']);
  });

  survives('stops when the server fails on everything', async (bench) => {
    const consumers = Array.from({ length: 60 }, (_, at) => ({ username: `c-${at}` }));
    behave(bench, { fail: { status: 500, methods: ['PUT'] } });
    const delivered = await deliver(bench, deck({ consumers }));
    expect(delivered).toMatchObject({ end: 'failed', failure: { class: 'transient', status: 500 } });
    expect(delivered.outcome?.changes.filter(({ result }) => result === 'skipped').length).toBeGreaterThan(40);
  });

  survives('names what it was refused to delete', async (bench) => {
    await applied(bench, deck({ services: [{ id: service, name: 'a', host: 'a.test' }] }));
    const body = { code: 4, name: 'foreign key violation', message: 'no', fields: { '@referenced_by': 'routes' } };
    behave(bench, {
      fail: { status: 400, methods: ['DELETE'], path: '/services', ...(mode === 'database' ? { body } : {}) },
    });
    const delivered = await deliver(bench, deck({ consumers: [{ username: 'ann' }] }));
    expect(delivered.end).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(/refuses to delete service "a": /);
    if (mode === 'database') expect(wordsOf(delivered)).toMatch(/routes still refer to it/);
    expect(await one(bench, 'consumers', 'username', 'ann')).toBeDefined();
  });

  if (mode === 'database') {
    survives('writes nothing when the server objects beforehand', async (bench) => {
      const body = {
        code: 2,
        name: 'schema violation',
        message: 'no',
        fields: { paths: [null, 'is not to our taste'] },
      };
      behave(bench, { fail: { status: 400, path: '/schemas/routes/validate', body } });
      bench.forget();
      const yaml = '_format_version: "3.0"\nroutes:\n- name: r\n  paths:\n  - /a\n  - /b\n';
      const delivered = await deliver(bench, { 'r.yaml': yaml });
      expect(delivered.end).toBe('rejected');
      expect(wordsOf(delivered)).toMatch(/r\.yaml:6 .*route "r" at paths\.1: is not to our taste/);
      expect(bench.writes()).toBe(0);
    });
    survives('leaves the check to the write where it may not ask for one', async (bench) => {
      for (const status of [403, 404, 405]) {
        behave(bench, { fail: { status, path: '/validate' } });
        await applied(bench, deck({ services: [{ name: `s-${status}`, host: 'a.test' }] }));
      }
    });
    if (edition === 'enterprise') {
      survives('is refused where the workspace is not there', async (bench) => {
        const connection = bench.settings.connection;
        if (connection.type !== 'kong') throw new Error('not a Kong');
        const delivered = await deliver(bench, deck(shop), {
          settings: { connection: { ...connection, workspace: 'nobodys' } },
        });
        expect(delivered).toMatchObject({ end: 'thrown', failure: { class: 'rejected', code: 'no-such-collection' } });
      });
      survives('asks the workspace where the root may not be read', async (bench) => {
        behave(bench, { fail: { status: 403, methods: ['GET'], path: '/', count: 1 } });
        await applied(bench, deck(shop));
      });
    }
  }
}
