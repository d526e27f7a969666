import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { historyEntry } from '../../src/daemon/history.ts';
import { lastInPlace } from '../../src/daemon/last-in-place.ts';
import { RolloutWorld, service } from './rollout-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: RolloutWorld;
afterEach(() => world.close());

type Shape = Omit<Parameters<typeof RolloutWorld.open>[0], 'emulators' | 'destinations'>;

async function open(shape: Shape = {}, rollout = ''): Promise<void> {
  world = await RolloutWorld.open({ ...shapeOf(shape, rollout), emulators: { prod: 'kong' } });
}

function shapeOf(shape: Shape, rollout = '') {
  return {
    ...shape,
    destinations: (url: (emulator: string) => string) => [`name: prod, kong: { url: "${url('prod')}" }, ${rollout}`],
  };
}

test('commits from before the configured folder was there do not keep anybody from deciding on a foreign entity', async () => {
  await open({ repository: 'path: gateway/' });
  world.kong('prod').request('PUT', '/services/foreign', { host: 'foreign.example.com' });
  await world.repository.commit({ files: { 'README.md': 'Soon.\n' } });
  const [text] = Object.values(service('one.example.com'));
  await world.repository.commit({ files: { 'gateway/gateway.yaml': text ?? '' } });
  const held = await world.says('prod', 'held', 'foreign');
  world.lane('prod').approve(held.plan?.fingerprint ?? '');
  await world.says('prod', 'applied', '1 deleted');
  expect(world.kong('prod').request('GET', '/services/foreign').status).toBe(404);
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is decK's way of writing
const variable = '${{ env "DECK_HOST" }}';
const withHost = (more = '') => service(`'${variable}'`, more);
const env = { DECK_HOST: 'new.example.com' };

/** Starts anew with another configuration; what was kept of what happened is lost where that is asked for. */
async function restarted(shape: Shape, { forgets }: { readonly forgets: boolean }): Promise<number> {
  await world.stop();
  await world.configure(shapeOf(shape));
  if (forgets) await world.forget();
  const { writes } = world.kong('prod').counters();
  await world.start();
  return writes;
}

const host = () => JSON.stringify(world.kong('prod').request('GET', '/services/orders').body);

describe.each([{ forgets: false }, { forgets: true }])('after a restart, with %o,', (kept) => {
  test.each(['reject', 'quarantine'])('a variable that is not set puts nothing older in force, with %s', async (on) => {
    const shape = { env, policy: `onInvalid: ${on}` };
    await open(shape);
    await world.applied(await world.repository.commit({ files: service('old.example.com') }), 'prod');
    await world.applied(await world.repository.commit({ files: withHost() }), 'prod');
    const writes = await restarted({ ...shape, env: {} }, kept);
    const said = await world.says('prod', 'pending', 'The environment variable `DECK_HOST` is not set');
    expect(said.detail).toContain('left as it is');
    expect(said.waitingFor).toContain('a restart with that put right');
    await world.pass(300_000);
    expect(world.kong('prod').counters().writes).toBe(writes);
    expect(host()).toContain('new.example.com');
    // A commit that needs it not goes out.
    const next = await world.repository.commit({ files: service('next.example.com') });
    await world.applied(next, 'prod');
  });

  test('nor does a variable that holds what fits nowhere', async () => {
    await open({ env });
    await world.applied(await world.repository.commit({ files: service('old.example.com') }), 'prod');
    await world.applied(await world.repository.commit({ files: withHost() }), 'prod');
    const writes = await restarted({ env: { DECK_HOST: 'no host at all' } }, kept);
    await world.says('prod', 'pending', 'left as it is');
    await world.pass(120_000);
    expect(world.kong('prod').counters().writes).toBe(writes);
  });

  test('nor does a commit with errors after one whose variable is not set any more', async () => {
    await open({ env });
    await world.applied(await world.repository.commit({ files: service('old.example.com') }), 'prod');
    await world.applied(await world.repository.commit({ files: withHost() }), 'prod');
    await world.repository.commit({ files: service('bad.example.com', '  - { name: bad, port: 70000 }') });
    const writes = await restarted({ env: {} }, kept);
    await world.says('prod', 'pending', 'The environment variable `DECK_HOST` is not set');
    await world.pass(120_000);
    expect(world.kong('prod').counters().writes).toBe(writes);
  });

  test('nor does the edition that is not said any more', async () => {
    world = await RolloutWorld.open({
      ...shapeOf({ more: 'kong: { edition: enterprise }\n' }),
      emulators: { prod: 'kong' },
      enterprise: true,
    });
    await world.applied(await world.repository.commit({ files: service('old.example.com') }), 'prod');
    const groups = 'consumer_groups: [{ name: gold }]';
    await world.applied(await world.repository.commit({ files: service('new.example.com', groups) }), 'prod');
    const writes = await restarted({ more: 'kong: { edition: oss }' }, kept);
    await world.says('prod', 'pending', 'needs Kong Enterprise');
    await world.pass(120_000);
    expect(world.kong('prod').counters().writes).toBe(writes);
    expect(host()).toContain('new.example.com');
  });
});

describe('what was in place last', () => {
  const strict = 'rules: { weak-secret: error }';
  const weak = 'consumers: [{ username: shop, basicauth_credentials: [{ username: shop, password: "1234" }] }]';

  test('is left as it is where the rules refuse it now, also below a commit with errors', async () => {
    await open();
    await world.applied(await world.repository.commit({ files: service('old.example.com') }), 'prod');
    await world.applied(await world.repository.commit({ files: service('new.example.com', weak) }), 'prod');
    let writes = await restarted({ more: strict }, { forgets: false });
    await world.says('prod', 'pending', 'was applied last, and is not valid any more; left as it is');
    await world.pass(120_000);
    await world.repository.commit({ files: service('bad.example.com', '  - { name: bad, port: 70000 }') });
    writes = await restarted({ more: strict }, { forgets: false });
    await world.says('prod', 'pending', 'was applied last, and is not valid any more; left as it is');
    expect(world.kong('prod').counters().writes).toBe(writes);
    expect(host()).toContain('new.example.com');
  });

  test('is found below a commit with errors, and kept against other writers', async () => {
    await open();
    await world.applied(await world.repository.commit({ files: service('old.example.com') }), 'prod');
    const good = await world.repository.commit({ files: service('new.example.com') });
    await world.applied(good, 'prod');
    await world.repository.commit({ files: service('bad.example.com', '  - { name: bad, port: 70000 }') });
    await restarted({}, { forgets: false });
    await world.applied(good, 'prod');
    world.kong('prod').request('PATCH', '/services/orders', { host: 'other.example.com' });
    await world.later('drift to be corrected', () => host().includes('new.example.com'));
  });

  test('is not replaced by a commit of a branch that was rewritten, and is invalid', async () => {
    await open();
    const old = await world.repository.commit({ files: service('old.example.com') });
    await world.applied(old, 'prod');
    await world.applied(await world.repository.commit({ files: service('new.example.com') }), 'prod');
    await world.stop();
    const bad = service('bad.example.com', '  - { name: bad, port: 70000 }');
    await world.repository.commit({ files: bad, parents: [old] });
    const { writes } = world.kong('prod').counters();
    await world.start();
    await world.says('prod', 'pending', 'is none of the last 1 commits of the branch');
    expect(world.kong('prod').counters().writes).toBe(writes);
  });

  test.each([
    ['half a line', (text: string) => text.slice(0, -20)],
    [
      'what another program wrote',
      (text: string) => `${text}{"event":"applied","revision":7}\n\u0000\u0000\nnull\n[]\n`,
    ],
  ])('is known in spite of %s at its end', async (_, spoil) => {
    await open();
    await world.applied(await world.repository.commit({ files: service('old.example.com') }), 'prod');
    await world.applied(await world.repository.commit({ files: service('new.example.com', weak) }), 'prod');
    await world.stop();
    const path = world.historyPath('prod');
    writeFileSync(path, spoil(readFileSync(path, 'utf8')));
    await world.configure(shapeOf({ more: strict }));
    const { writes } = world.kong('prod').counters();
    await world.start();
    await world.says('prod', 'pending', 'was applied last, and is not valid any more; left as it is');
    expect(world.kong('prod').counters().writes).toBe(writes);
  });
});

test('a freeze does not leave what was in force to other writers after a restart, and lets nothing new out', async () => {
  await open();
  const good = await world.repository.commit({ files: service('new.example.com') });
  await world.applied(good, 'prod');
  await world.stop();
  const frozen = shapeOf({}, 'freeze: { until: 2026-06-30T00:00:00Z }');
  await world.configure(frozen);
  world.kong('prod').request('PATCH', '/services/orders', { host: 'other.example.com' });
  await world.start();
  await world.applied(good, 'prod');
  expect(host()).toContain('new.example.com');
  await world.repository.commit({ files: service('newer.example.com') });
  await world.says('prod', 'waiting', 'frozen until');
  await world.restart();
  await world.says('prod', 'waiting', 'frozen until');
  await world.later('what is in force to be known', () => world.status('prod').applied === good);
  world.kong('prod').request('PATCH', '/services/orders', { host: 'other.example.com' });
  await world.later('drift to be corrected', () => host().includes('new.example.com'));
  expect(world.status('prod')).toMatchObject({ state: 'waiting', applied: good });
});

const named = (path: string) => world.kong('prod').request('GET', path);

/** Somebody changes, deletes and makes one thing each, by hand. */
function byHand(): void {
  const kong = world.kong('prod');
  kong.request('PATCH', '/services/orders', { host: 'by-hand.example.com' });
  kong.request('DELETE', '/routes/orders');
  kong.request('POST', '/services', { name: 'stray', host: 'stray.example.com' });
}

const heldChanges = () => {
  const { state, plan } = world.status('prod');
  return `${state}: ${plan?.changes.map(({ action, name }) => `${action} ${name}`).join(', ')}`;
};

/** What is kept of what happened, oldest first. */
const entries = () =>
  readFileSync(world.historyPath('prod'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => historyEntry.parse(JSON.parse(line)));

test('what is invalid is told once with its first finding, and changes nothing about what was applied', async () => {
  await open();
  const good = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(good, 'prod');
  const bad = await world.repository.commit({ files: service('two.example.com', 'plugins: [{ nam: x }]') });
  const told = () => entries().filter(({ event }) => event === 'refused');
  await world.later('it to be told', () => told().length > 0);
  await world.pass(60_000);
  expect(told()).toMatchObject([
    {
      revision: bad,
      detail: expect.stringMatching(/^invalid here, with \d errors?; what is in force stays$/),
      failure: { message: expect.stringContaining('gateway.yaml:4') },
      plan: null,
    },
  ]);
  expect(lastInPlace(entries())).toMatchObject({ whole: good, attempted: null });
});

describe('what was changed by hand while nothing ran', () => {
  test('is put right, though what was made beside it waits for a person', async () => {
    await open();
    const good = await world.repository.commit({ files: service('one.example.com') });
    await world.applied(good, 'prod');
    await world.stop();
    byHand();
    await world.start();
    await world.later('the deletion alone to be held', () => heldChanges() === 'held: delete stray');
    expect([named('/routes/orders').status, named('/services/stray').status]).toEqual([200, 200]);
    expect(host()).toContain('one.example.com');
    expect(await world.history('prod')).toContainEqual(
      expect.stringMatching(/^drift-corrected: .*"orders" was deleted/),
    );
    // Nothing was confirmed as yet, and so it goes on being drift.
    world.kong('prod').request('DELETE', '/routes/orders');
    await world.later('the route to be put back', () => named('/routes/orders').status === 200);
    await world.later('the deletion alone to be held again', () => heldChanges() === 'held: delete stray');
    world.lane('prod').approve(world.status('prod').plan?.fingerprint ?? '');
    await world.applied(good, 'prod');
    expect(named('/services/stray').status).toBe(404);
  });

  test('is put right beside a revision that was held before, of which nothing goes out', async () => {
    const policy = 'maxDelete: { share: 0%, atLeast: 0 }';
    await open({ policy });
    const more = 'consumers: [{ username: shop }]';
    const good = await world.repository.commit({ files: service('one.example.com', more) });
    await world.applied(good, 'prod');
    await world.repository.commit({ files: service('two.example.com') });
    await world.says('prod', 'held', '1 of 3 entities');
    await world.stop();
    byHand();
    await world.start();
    await world.later('the route to be put back', () => named('/routes/orders').status === 200);
    await world.pass(180_000);
    expect(named('/services/stray').status).toBe(200);
    expect(named('/consumers/shop').status).toBe(200);
    expect(host()).toContain('one.example.com');
    expect(world.status('prod').state).toBe('held');
    const corrected = entries().filter(({ event }) => event === 'drift-corrected');
    expect(corrected.map(({ revision }) => revision)).toEqual([good]);
  });

  test.each(['forgotten', 'another value', 'other bounds', 'begun since'])('waits as a whole where %s', async (how) => {
    const shape = { env: { DECK_HOST: 'one.example.com' } };
    const bounded = shapeOf({}, 'exclude: { kinds: [upstreams] }');
    await open(shape);
    const good = await world.repository.commit({ files: withHost() });
    await world.applied(good, 'prod');
    await world.stop();
    byHand();
    if (how === 'forgotten') await world.forget();
    if (how === 'another value') await world.configure(shapeOf({ ...shape, env: { DECK_HOST: 'two.example.com' } }));
    if (how === 'other bounds') await world.configure({ ...bounded, ...shape });
    if (how === 'begun since') {
      const [entry] = readFileSync(world.historyPath('prod'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const begun = { ...entry, event: 'delivering', revision: '1'.repeat(40), detail: 'being delivered' };
      appendFileSync(world.historyPath('prod'), `${JSON.stringify(begun)}\n`);
    }
    const { writes } = world.kong('prod').counters();
    await world.start();
    await world.says('prod', 'held', 'service "stray"; 2 other changes wait with it');
    await world.pass(120_000);
    expect(world.kong('prod').counters().writes).toBe(writes);
  });

  test('is told and left under report', async () => {
    const shape = { policy: 'drift: report' };
    await open(shape);
    await world.applied(await world.repository.commit({ files: service('one.example.com') }), 'prod');
    await world.stop();
    world.kong('prod').request('PATCH', '/services/orders', { host: 'by-hand.example.com' });
    await world.start();
    await world.says('prod', 'drifted', 'service "orders" was changed');
    expect(host()).toContain('by-hand.example.com');
    await world.applied(await world.repository.commit({ files: service('two.example.com') }), 'prod');
  });
});

test('what a person suspended stays so over a restart, until somebody resumes it', async () => {
  await open();
  const one = await world.repository.commit({ files: service('one.example.com') });
  await world.applied(one, 'prod');
  world.lane('prod').suspend({ who: 'ann', reason: 'incident 42' });
  await world.says('prod', 'suspended', 'nothing is delivered');
  const before = world.kong('prod').counters();
  await world.restart();
  await world.says('prod', 'suspended', 'nothing is delivered');
  const two = await world.repository.commit({ files: service('two.example.com') });
  await world.pass(600_000);
  expect(world.kong('prod').counters()).toEqual(before);
  await world.restart();
  await world.says('prod', 'suspended', 'suspended by ann: incident 42');
  world.lane('prod').resume();
  await world.applied(two, 'prod');
  await world.restart();
  await world.applied(two, 'prod');
  const events = (await world.history('prod')).map((entry) => entry.replace(/:.*/, ''));
  expect(events.filter((event) => event === 'resumed')).toEqual(['resumed']);
});

describe('with quarantine, after a restart on a commit with errors,', () => {
  const policy = 'onInvalid: quarantine';
  const guarded = (host: string, plugin: string) =>
    `_format_version: "3.0"\nservices: [{ name: a, host: ${host}, routes: [{ name: a, paths: [/a] }], plugins: [{ ${plugin} }] }]\n`;

  async function openBoth(): Promise<void> {
    world = await RolloutWorld.open({
      policy,
      emulators: { prod: 'kong', node: 'dbless' },
      destinations: (url) => [
        `name: prod, kong: { url: "${url('prod')}" }`,
        `name: edge, kong: { nodes: ["${url('node')}"] }`,
      ],
    });
  }

  const both = async (words: string, revision: string) => {
    const has = (name: string) => {
      const { state, detail, revision: is } = world.status(name);
      return state === 'applied-degraded' && is === revision && detail.includes(words);
    };
    await world.later(`both to have what is right of ${revision}`, () => ['prod', 'edge'].every(has));
  };

  test('a plugin that nobody knows keeps nothing else from going out, nor a node from being fed', async () => {
    await openBoth();
    await world.applied(await world.repository.commit({ files: service('old.example.com') }), 'prod', 'edge');
    const broken = { 'team.yaml': guarded('a.example.com', 'name: gatekeeper-of-ours') };
    await both('gatekeeper-of-ours', await world.repository.commit({ files: broken }));
    const said = world.logged.find(({ message }) => message === 'a revision is invalid');
    expect(said?.fields['unaffected']).toBe('what is sound of it goes out');
    await world.stop();
    world.kong('node').restart(false);
    await world.start();
    await world.later('the node to be fed', () =>
      JSON.stringify(world.kong('node').request('GET', '/services/orders').body).includes('old.example.com'),
    );
    await both('gatekeeper-of-ours', await world.repository.commit({ files: service('new.example.com') }));
    expect(host()).toContain('new.example.com');
  });

  test('the configuration of a plugin that a Secret of the repository holds is no fault of the environment', async () => {
    const named = (kind: string, name: string, more: string, version = 'v1') =>
      `apiVersion: ${version}\nkind: ${kind}\nmetadata: { name: ${name}, namespace: a${more}`;
    const manifests = (minute: string, host: string) => ({
      'secret.yaml': `${named('Secret', 'limit', ' }')}\nstringData: { conf: "minute: ${minute}" }\n`,
      'plugin.yaml': `${named('KongPlugin', 'limit', ' }', 'configuration.konghq.com/v1')}\nplugin: rate-limiting\nconfigFrom: { secretKeyRef: { name: limit, key: conf } }\n`,
      'service.yaml': `${named('Service', 'web', ', annotations: { konghq.com/plugins: limit } }')}\nspec: { ports: [{ port: 80 }] }\n`,
      'ingress.yaml': `${named('Ingress', 'web', ' }', 'networking.k8s.io/v1')}\nspec:\n  ingressClassName: kong\n  rules:\n    - host: a.example.com\n      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }\n`,
      ...service(host),
    });
    await openBoth();
    await world.applied(await world.repository.commit({ files: manifests('5', 'old.example.com') }), 'prod', 'edge');
    await both('config.minute', await world.repository.commit({ files: manifests('x', 'old.example.com') }));
    await world.restart();
    await both('config.minute', await world.repository.commit({ files: manifests('x', 'new.example.com') }));
    expect(host()).toContain('new.example.com');
  });

  test("what is put back in its last good version is compared by the destination's own schemas", async () => {
    await openBoth();
    const files = { 'team.yaml': guarded('a.example.com', 'name: key-auth') };
    await world.applied(await world.repository.commit({ files }), 'prod', 'edge');
    const broken = { 'team.yaml': guarded('b.example.com', 'name: key-auth, config: { key_names: 5 }') };
    const revision = await world.repository.commit({ files: broken });
    await both('config.key_names', revision);
    await world.stop();
    const [, plugin = ''] =
      /"id":"([^"]+)"/.exec(JSON.stringify(world.kong('prod').request('GET', '/plugins').body)) ?? [];
    expect(world.kong('prod').request('DELETE', `/plugins/${plugin}`).status).toBe(204);
    const before = world.of('prod').length;
    await world.start();
    await world.says('prod', 'applied-degraded', '1 created');
    expect(
      world
        .of('prod')
        .slice(before)
        .map(({ state }) => state),
    ).not.toContain('retrying');
  });
});
