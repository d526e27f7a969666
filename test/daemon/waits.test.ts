import { afterEach, expect, test, vi } from 'vitest';
import type { Behaviour } from '../../src/emulator/http/behaviour.ts';
import type { LaneState, LaneStatus } from '../../src/lane/lane-status.ts';
import type { LogFields } from '../../src/platform/log.ts';
import { RolloutWorld, service } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: RolloutWorld;
afterEach(() => world.close());

const token = 'token-that-nobody-may-see';
const elsewhere = 'every destination that does not come after this one';

/** One wait: how it comes about, and what is said of it besides what is said of all. */
interface Wait {
  readonly state: LaneState;
  readonly prod?: string;
  readonly policy?: string;
  /** Makes the destination wait; it has a first revision. */
  readonly when: () => Promise<unknown>;
  readonly detail: string | RegExp;
  readonly concerns: string | RegExp;
  readonly unaffected: string | RegExp;
  readonly endsBy: string | RegExp;
  /** Nothing but a person ends it. */
  readonly endless?: boolean;
  readonly failure?: {
    readonly code: string;
    readonly method: string;
    readonly status: number | null;
    readonly says: string;
  };
}

const commit = (host: string, more = '') => world.repository.commit({ files: service(host, more) });
const behave = (behaviour: { readonly [K in keyof Behaviour]?: Behaviour[K] | null }, name = 'prod') =>
  world.kong(name).behaviour(behaviour);
const both = /^service "orders" \(gateway\.yaml:3\)/;

const waits: Readonly<Record<string, Wait>> = {
  'a write that is answered with 503': {
    state: 'retrying',
    when: () => {
      const body = { message: `no worker is free for ${token}` };
      behave({ fail: { methods: ['PUT'], path: '/services', status: 503, body } });
      return commit('two.example.com');
    },
    detail: /^service "orders": PUT http:\/\/127\.0\.0\.1:\d+\/services\/[0-9a-f-]+ answered 503 \(not available now\)/,
    concerns: 'service "orders" (gateway.yaml:3)',
    unaffected: elsewhere,
    endsBy: 'the next try, a newer revision, or sync',
    failure: { code: 'http-503', method: 'PUT', status: 503, says: '"no worker is free for ***"' },
  },
  'one of two writes that is answered with 503': {
    state: 'retrying',
    when: () => {
      behave({ fail: { methods: ['PUT'], path: '/consumers', status: 500 } });
      return commit('two.example.com', 'consumers:\n  - { username: shop }\n');
    },
    detail: /^consumer "shop": PUT /,
    concerns: 'consumer "shop" (gateway.yaml:5)',
    unaffected: `${elsewhere}; 1 of 2 changes, which were made`,
    endsBy: 'the next try, a newer revision, or sync',
    failure: { code: 'http-500', method: 'PUT', status: 500, says: '"told to fail"' },
  },
  'a check before the writes that is answered with 500': {
    state: 'retrying',
    when: () => {
      const body = { message: `no memory for ${token}` };
      behave({ fail: { methods: ['POST'], path: '/validate', status: 500, body } });
      return commit('two.example.com');
    },
    detail:
      /^service "orders": POST http:\/\/127\.0\.0\.1:\d+\/schemas\/services\/validate answered 500 \(fault of the server\)/,
    concerns: 'service "orders" (gateway.yaml:3)',
    unaffected: /; revision [0-9a-f]{7}, which is in force here$/,
    endsBy: 'the next try, a newer revision, or sync',
    failure: { code: 'http-500', method: 'POST', status: 500, says: '"no memory for ***"' },
  },
  'a read that is answered with 429': {
    state: 'retrying',
    when: () => {
      const body = { message: `too much from ${token}` };
      behave({ fail: { methods: ['GET'], status: 429, retryAfterSeconds: 120, body } });
      return commit('two.example.com');
    },
    detail: /^GET http:\/\/127\.0\.0\.1:\d+\/ answered 429 \(too many requests\)/,
    concerns: 'everything at this destination',
    unaffected: /; revision [0-9a-f]{7}, which is in force here$/,
    endsBy: 'the next try, a newer revision, or sync',
    failure: { code: 'http-429', method: 'GET', status: 429, says: '"too much from ***"' },
  },
  'no answer': {
    state: 'unreachable',
    when: () => {
      behave({ refuse: true });
      return commit('two.example.com');
    },
    detail: /^GET http:\/\/127\.0\.0\.1:\d+\/: /,
    concerns: 'everything at this destination',
    unaffected: /; revision [0-9a-f]{7}, which is in force here$/,
    endsBy: 'the next try, a newer revision, or sync',
    failure: { code: 'connection-closed', method: 'GET', status: null, says: '' },
  },
  'a token that is not taken any more': {
    state: 'rejected',
    when: () => {
      const body = { message: `who is ${token}?` };
      behave({ fail: { methods: ['GET'], status: 401, body } });
      return commit('two.example.com');
    },
    detail: /^GET http:\/\/127\.0\.0\.1:\d+\/ answered 401 \(not signed in\)/,
    concerns: 'everything at this destination',
    unaffected: /; revision [0-9a-f]{7}, which is in force here$/,
    endsBy: 'access (a restart takes up another token), a newer revision, or sync',
    failure: { code: 'http-401', method: 'GET', status: 401, says: '"who is ***?"' },
  },
  'a token that may not write, under quarantine': {
    state: 'rejected',
    policy: 'onInvalid: quarantine',
    when: () => {
      const body = { message: `${token} may only read` };
      behave({ fail: { methods: ['PUT'], status: 403, body } });
      return commit('two.example.com', 'consumers:\n  - { username: shop }\n');
    },
    detail:
      /^(service "orders"|consumer "shop"): PUT http:\/\/127\.0\.0\.1:\d+\/[a-z]+\/[0-9a-f-]+ answered 403 \(not allowed\)/,
    concerns: /service "orders" \(gateway\.yaml:3\)/,
    unaffected: `${elsewhere}; what was not refused, and is live`,
    endsBy: 'access (a restart takes up another token), a newer revision, or sync',
    failure: { code: 'http-403', method: 'PUT', status: 403, says: '"*** may only read"' },
  },
  'a refusal': {
    state: 'rejected',
    when: () => {
      const body = { code: 2, name: 'schema violation', fields: { host: 'not this one' } };
      behave({ fail: { methods: ['PUT'], path: '/services', status: 400, body } });
      return commit('two.example.com');
    },
    detail: /^gateway\.yaml:3 prod refuses service "orders" at host: not this one/,
    concerns: both,
    unaffected: `${elsewhere}; what was not refused, and is live`,
    endsBy: 'a newer revision, or sync',
    failure: { code: 'http-400', method: 'PUT', status: 400, says: '' },
  },
  'a plan that deletes too much': {
    state: 'held',
    when: () => world.repository.commit({ files: { 'gateway.yaml': '_format_version: "3.0"\n' } }),
    detail: 'all would be deleted',
    concerns: /route "orders" \(in no file\)/,
    unaffected: /; revision [0-9a-f]{7}, which is in force here and kept against drift$/,
    endsBy: /^approval of sha256:[0-9a-f]+, or a newer revision$/,
  },
  'a window that is closed': {
    state: 'waiting',
    prod: 'windows: [{ cron: "0 23 * * *", duration: 30m }]',
    when: async () => {
      await world.later('the window to close', () => world.clock.now() > Date.UTC(2026, 5, 1, 23, 31), 60_000);
      await commit('two.example.com');
    },
    detail: 'outside of its windows: the next opens at 2026-06-02 23:00Z',
    concerns: both,
    unaffected: /; revision [0-9a-f]{7}, which is in force here and kept against drift$/,
    endsBy: 'a window',
  },
  'another destination that has to be first': {
    state: 'waiting',
    prod: 'after: [staging]',
    when: () => {
      behave({ refuse: true }, 'staging');
      return commit('two.example.com');
    },
    detail: /^held back by staging, which is unreachable: GET http/,
    concerns: both,
    unaffected: /; revision [0-9a-f]{7}, which is in force here and kept against drift$/,
    endsBy: 'staging to confirm this revision',
  },
  'a soak': {
    state: 'waiting',
    prod: 'after: [staging], soak: 5m',
    when: () => commit('two.example.com'),
    detail: /^staging has confirmed this revision; it soaks until 2026-06-01 23:\d\dZ$/,
    concerns: both,
    unaffected: /; revision [0-9a-f]{7}, which is in force here and kept against drift$/,
    endsBy: 'staging to confirm this revision and to stay so for 5m',
  },
  'a person who suspended it': {
    state: 'suspended',
    when: async () => {
      world.lane('prod').suspend();
      await commit('two.example.com');
    },
    detail: 'nothing is delivered and drift is not corrected',
    concerns: 'everything at this destination',
    unaffected: `${elsewhere}; what is live here stays as it is`,
    endsBy: 'resume',
    endless: true,
  },
  'drift that is only reported': {
    state: 'drifted',
    policy: 'drift: report',
    when: async () => world.kong('prod').request('PATCH', '/services/orders', { host: 'by-hand.example.com' }),
    detail: 'live state differs: 1 to update; service "orders" was changed',
    concerns: 'service "orders" (gateway.yaml:3)',
    unaffected: `${elsewhere}; what does not differ`,
    endsBy: 'a newer revision, or another writer that puts it right',
  },
  'a part of it that is only reported': {
    state: 'drifted',
    policy: 'driftReport: ["services/*/host"]',
    when: async () => world.kong('prod').request('PATCH', '/services/orders', { host: 'by-hand.example.com' }),
    detail: 'live state differs where policy.driftReport leaves it: service "orders" was changed',
    concerns: 'service "orders" (gateway.yaml:3)',
    unaffected: `${elsewhere}; all else here, which is put right`,
    endsBy: 'a newer revision, or another writer that puts it right',
  },
};

test.each(Object.entries(waits))('%s explains itself in the status and in the log', async (_, wait) => {
  const prod = wait.prod === undefined ? '' : `, ${wait.prod}`;
  world = await RolloutWorld.open({
    emulators: { prod: 'kong', staging: 'kong' },
    ...(wait.policy === undefined ? {} : { policy: wait.policy }),
    destinations: (url) => [
      `name: staging, kong: { url: "${url('staging')}" }`,
      `name: prod, kong: { url: "${url('prod')}", headers: { apikey: ${token} } }${prod}`,
    ],
  });
  const first = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(first, 'staging', 'prod');
  const from = world.logged.length;
  const revision = await wait.when();
  await world.later('the revision to be taken up', () => {
    return typeof revision !== 'string' || world.status('prod').revision === revision;
  });
  const said = await world.says('prod', wait.state, wait.detail);
  expectSaid(said, wait);
  const line = world.logged.slice(from).findLast(({ fields }) => {
    return fields['destination'] === 'prod' && fields['state'] === wait.state && fields['detail'] === said.detail;
  });
  // A roll-out that waits its turn is no cause for alarm.
  expect(line?.level).toBe(wait.state === 'waiting' ? 'info' : 'warn');
  expectLogged(line?.fields ?? {}, said, wait);
  // The page and the API say the same, and nobody says what the destination is reached with.
  const { page, json } = world.shown();
  for (const words of ['concerns ', 'unaffected: ', 'waits for ']) expect(page).toContain(words);
  expect(json).toContain(JSON.stringify({ concerns: said.concerns, unaffected: said.unaffected }).slice(1, -1));
  expect(`${page}${json}${JSON.stringify(world.logged)}`).not.toContain(token);
});

test('a wait that goes on is told once an hour, with how often it was tried', async () => {
  world = await RolloutWorld.open({
    emulators: { prod: 'kong' },
    destinations: (url) => [`name: prod, kong: { url: "${url('prod')}" }`],
  });
  behave({ refuse: true });
  await commit('one.example.com');
  await world.says('prod', 'unreachable', 'GET ');
  await world.pass(2 * 3_600_000);
  const tries = world.of('prod').filter(({ state, nextTryAt }) => state === 'unreachable' && nextTryAt !== null);
  const lines = world.logged.filter(({ fields }) => fields['state'] === 'unreachable');
  expect(tries.length).toBeGreaterThan(20);
  expect(lines.map(({ fields: { repeated = null } }) => repeated !== null && Number(repeated) > 5)).toEqual([
    false,
    true,
  ]);
});

function expectSaid(said: LaneStatus, { concerns, unaffected, endsBy, endless, failure }: Wait): void {
  expect(said.concerns).toEqual(matching(concerns));
  expect(said.unaffected).toEqual(matching(unaffected));
  expect(said.unaffected).toContain(elsewhere);
  expect(said.waitingFor).toEqual(matching(endsBy));
  if (endless === true) expect(said.nextTryAt).toBeNull();
  else expect(said.nextTryAt).toBeGreaterThan(said.since);
  if (failure === undefined) {
    expect(said.failure).toBeNull();
    return;
  }
  const { says, ...facts } = failure;
  expect(said.failure).toMatchObject(facts);
  expect(said.failure?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[^?]*$/);
  expect(said.failure?.message).toContain(says);
}

function expectLogged(fields: LogFields, said: LaneStatus, { endless, failure }: Wait): void {
  const { concerns, unaffected, waitingFor, revision } = said;
  expect(fields).toMatchObject({ concerns, unaffected, waitingFor, revision });
  if (endless === true) expect(fields['nextTryInSeconds']).toBeNull();
  else expect(fields['nextTryInSeconds']).toBeGreaterThan(0);
  if (failure === undefined) return;
  const { message, url, method, code, status } = said.failure ?? {};
  expect(fields).toMatchObject({ failure: message, url, method, code, status });
}

function matching(wanted: string | RegExp): string {
  return typeof wanted === 'string' ? expect.stringMatching(exactly(wanted)) : expect.stringMatching(wanted);
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}
