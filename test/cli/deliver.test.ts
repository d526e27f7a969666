import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge, type Ran } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

const files = {
  'gateway/services.yaml': `_format_version: "3.0"
services:
  - name: orders
    url: http://orders.example.com:8080/v1
    tags: [team-orders]
    routes:
      - name: orders
        paths: [/orders]
        plugins:
          - name: rate-limiting
            config: { minute: 60, policy: local }
  - host: nameless.example.com
    routes:
      - paths: [/nameless]
`,
  'gateway/consumers.yaml': `_format_version: "3.0"
consumers:
  - username: shop
    keyauth_credentials:
      - key: marker-of-a-key
    acls:
      - group: buyers
upstreams:
  - name: orders.internal
    targets:
      - target: 192.0.2.1:8000
`,
};

let folder: Folder;
let kong: RunningEmulator;
let node: RunningEmulator;
let konnect: RunningEmulator;

beforeAll(async () => {
  kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  node = await startEmulator({ flavour: 'dbless', port: 0, controlPort: null });
  konnect = await startEmulator({ flavour: 'konnect', port: 0, controlPort: null, controlPlanes: ['test'] });
});
afterAll(() => Promise.all([kong, node, konnect].map((emulator) => emulator.close())));

beforeEach(async () => {
  for (const emulator of [kong, node, konnect]) emulator.reset();
  folder = await temporaryFolder({
    ...files,
    'konverge.yaml': `repository: { url: ".", branch: main, path: gateway }
destinations:
  - { name: gateway, kong: { url: "${kong.url}" } }
  - { name: edge, kong: { nodes: ["${node.url}"] } }
  - { name: konnect, konnect: { url: "${konnect.url}", controlPlane: test, token: a-made-up-token } }
`,
  });
});
afterEach(() => folder.remove());

const run = (...words: readonly string[]): Promise<Ran> => konverge(words, folder.path);
const written = (name: string) => readFileSync(join(folder.path, name), 'utf8');

const planShape = z.object({
  destination: z.string(),
  revision: z.null(),
  digest: z.string().regex(/^sha256:/),
  fingerprint: z.string().regex(/^sha256:/),
  summary: z.object({ create: z.int(), update: z.int(), delete: z.int(), unchanged: z.int() }),
  changes: z.array(
    z.object({
      action: z.string(),
      kind: z.string(),
      name: z.string(),
      fields: z.array(z.object({ path: z.string() }).loose()),
      location: z.object({ file: z.string(), line: z.int(), column: z.int() }).nullable(),
    }),
  ),
  held: z.object({ code: z.string(), hint: z.string() }).nullable(),
});
const plansShape = z.object({ plans: z.array(planShape) });

const planOf = async (name: string) =>
  planShape.parse(JSON.parse((await run('plan', '--to', name, '--format', 'json')).stdout));

describe('render', () => {
  test('as a decK file that builds to the same state, without derived ids', async () => {
    const rendered = await run('render');
    expect(rendered).toMatchObject({ code: 0, stderr: '' });
    expect(rendered.stdout).not.toMatch(/\bid: /);
    await folder.write({ 'again/kong.yaml': rendered.stdout });
    expect((await run('render', 'again')).stdout).toBe(rendered.stdout);
    const digest = async (path: string) => JSON.parse((await run('validate', '--format', 'json', path)).stdout).digest;
    expect(await digest('again')).toBe(await digest('gateway'));
  });

  test('with --ids, the ids are those that are delivered', async () => {
    const { stdout } = await run('render', '--ids', '--format', 'json');
    const { services } = z
      .object({ services: z.array(z.object({ id: z.string(), name: z.string().optional() })) })
      .parse(JSON.parse(stdout));
    expect((await run('apply', '--to', 'gateway')).code).toBe(0);
    const id = services.find(({ name }) => name === 'orders')?.id;
    expect(kong.request('GET', `/services/${id}`).status).toBe(200);
  });

  test('for a DB-less Kong: names and no ids, or with --ids the text that a node is sent', async () => {
    const plain = await run('render', '--format', 'dbless');
    const document = z
      .object({
        services: z.array(z.object({ id: z.string().optional(), name: z.string().optional() })),
        routes: z.array(z.object({ id: z.string().optional(), service: z.string(), name: z.string().optional() })),
        keyauth_credentials: z.array(z.strictObject({ key: z.string(), consumer: z.literal('shop') })),
        acls: z.array(z.strictObject({ group: z.string(), consumer: z.literal('shop') })),
        targets: z.array(z.strictObject({ target: z.string(), upstream: z.literal('orders.internal') })),
        plugins: z.array(z.object({ id: z.undefined().optional(), route: z.literal('orders') })),
      })
      .parse(JSON.parse(plain.stdout));
    const named = document.routes.find(({ name }) => name === 'orders');
    expect(named).toMatchObject({ service: 'orders' });
    expect(named?.id).toBeUndefined();
    // What has no name can only be meant by its id.
    const nameless = document.services.find(({ name }) => name === undefined);
    expect(document.routes.find(({ name }) => name === undefined)?.service).toBe(nameless?.id);
    expect(document.services.filter(({ id }) => id !== undefined)).toEqual([nameless]);
    const config = { config: plain.stdout };
    expect(node.request('POST', '/config', config).status).toBe(201);
    const ids = await run('render', '--format', 'dbless', '--ids');
    expect(node.request('POST', '/config', { config: ids.stdout.trimEnd() }).status).toBe(201);
    node.clearLog();
    expect(await run('apply', '--to', 'edge')).toMatchObject({ code: 0 });
    expect(node.counters().writes).toBe(0);
  });

  test('of invalid files prints nothing but what is wrong', async () => {
    await folder.write({ 'gateway/bad.yaml': 'services: [{ name: orders, hots: x }]\n' });
    const rendered = await run('render');
    expect([rendered.code, rendered.stdout]).toEqual([1, '']);
    expect(rendered.stderr).toContain('bad.yaml');
  });
});

describe('plan', () => {
  test('says what is wrong with the files once, for all destinations that it is the same for', async () => {
    await folder.write({ 'gateway/services.yaml': files['gateway/services.yaml'].replace('minute: 60', 'minute: -1') });
    const { code, stdout, stderr } = await run('plan');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^konverge: gateway, edge, konnect: the files are invalid, so there is no plan\nerror\[/);
    expect(stderr.split('the files are invalid').length).toBe(2);
  });

  test('of every destination, as JSON, without a secret and without a write', async () => {
    const planned = await run('plan', '--format', 'json');
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    const { plans } = plansShape.parse(JSON.parse(planned.stdout));
    expect(plans.map(({ destination }) => destination)).toEqual(['gateway', 'edge', 'konnect']);
    for (const { summary, changes, held } of plans) {
      expect([summary, held]).toEqual([{ create: 10, update: 0, delete: 0, unchanged: 0 }, null]);
      expect(changes.map(({ location }) => location?.file).filter((file) => file === undefined)).toEqual([]);
    }
    expect(new Set(plans.map(({ digest }) => digest)).size).toBe(1);
    expect(planned.stdout).not.toContain('marker-of-a-key');
    expect([kong, node, konnect].map((emulator) => emulator.counters().writes)).toEqual([0, 0, 0]);
  });

  test('as text and Markdown, of the destinations that are named', async () => {
    const text = await run('plan', '--to', 'gateway');
    expect(text.code).toBe(0);
    expect(text.stdout).toContain('gateway');
    expect(text.stdout).not.toContain('konnect');
    expect(text.stdout).not.toContain('marker-of-a-key');
    const markdown = await run('plan', '--to', 'gateway', '--to', 'edge', '--format', 'markdown');
    expect(markdown.stdout).toMatch(/\| gateway \|.*\n\| edge \|/);
    expect(markdown.stdout).not.toContain('marker-of-a-key');
  });

  test('--exit-code ends with 2 where there are changes, and with 0 where there are none', async () => {
    expect((await run('plan', '--exit-code')).code).toBe(2);
    expect((await run('apply', '--all')).code).toBe(0);
    expect((await run('plan', '--exit-code')).code).toBe(0);
  });

  test('one destination that cannot be reached keeps nobody from its plan', async () => {
    const planned = await run(
      'plan',
      '--format',
      'json',
      '--set',
      'destinations.edge.kong.nodes=["http://127.0.0.1:9"]',
    );
    expect(planned.code).toBe(1);
    expect(plansShape.parse(JSON.parse(planned.stdout)).plans.map(({ destination }) => destination)).toEqual([
      'gateway',
      'konnect',
    ]);
    expect(planned.stderr).toContain('edge');
  });

  test('of invalid files there is none', async () => {
    await folder.write({ 'gateway/bad.yaml': 'routes: [{ name: lost, service: nobody, paths: [/x] }]\n' });
    const planned = await run('plan', '--to', 'gateway');
    expect([planned.code, planned.stdout]).toEqual([1, '']);
    expect(planned.stderr).toContain('missing-reference');
  });

  test('what cannot be delivered is said as apply says it, and ends with 1', async () => {
    kong.behaviour({ fail: { status: 403, methods: ['GET'], path: '/plugins?' } });
    const planned = await run('plan', '--to', 'gateway', '--exit-code');
    const refused =
      /plugin "rate-limiting:route\/orders" cannot be .*\/plugins was answered with 403.*services\.yaml:10/s;
    expect(planned).toMatchObject({ code: 1, stderr: expect.stringMatching(refused) });
    expect(planned.stdout).toMatch(/to create/);
    const delivered = await run('apply', '--to', 'gateway');
    expect(delivered).toMatchObject({ code: 1, stderr: expect.stringMatching(refused) });
    kong.behaviour({ fail: null });
    expect(kong.counters().writes).toBe(0);
  });

  test('a clash with what others own there is said as apply says it, and ends with 1', async () => {
    kong.request('POST', '/services', { name: 'orders', host: 'theirs.example.com', tags: ['theirs'] });
    kong.clearLog();
    const tagged = `_info: { select_tags: [ours] }\n`;
    await folder.write({ 'gateway/tags.yaml': `_format_version: "3.0"\n${tagged}` });
    const clash = /another service with the name of service "orders".*"theirs".*services\.yaml:3/s;
    const planned = await run('plan', '--to', 'gateway');
    expect(planned).toMatchObject({ code: 1, stderr: expect.stringMatching(clash) });
    expect(kong.counters().writes).toBe(0);
    expect(await run('apply', '--to', 'gateway')).toMatchObject({ code: 1, stderr: expect.stringMatching(clash) });
    expect(kong.counters().writes).toBe(0);
  });

  test('files can be planned against a Kong that is in no configuration', async () => {
    const planned = await konverge(['plan', '--kong', kong.url, '--format', 'json', folder.path], '/');
    expect(planned.code).toBe(0);
    expect(planShape.parse(JSON.parse(planned.stdout)).destination).toBe('kong');
  });
});

describe('apply', () => {
  test('needs to be told where to, unless there is only one place', async () => {
    const unsaid = await run('apply');
    expect(unsaid.code).toBe(64);
    expect(unsaid.stderr).toContain('--all');
    expect([kong, node, konnect].map((emulator) => emulator.counters().writes)).toEqual([0, 0, 0]);
    expect((await konverge(['apply', '--kong', kong.url, 'gateway'], folder.path)).code).toBe(0);
    expect(kong.counters().writes).toBeGreaterThan(0);
  });

  test('to all, after which a second plan is empty and a second apply writes nothing', async () => {
    const applied = await run('apply', '--all');
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['gateway', 'edge', 'konnect']) expect(applied.stdout).toContain(`${name}: applied`);
    const before = [kong, node, konnect].map((emulator) => emulator.counters().writes);
    expect((await planOf('gateway')).summary).toEqual({ create: 0, update: 0, delete: 0, unchanged: 10 });
    expect((await run('apply', '--all')).code).toBe(0);
    expect([kong, node, konnect].map((emulator) => emulator.counters().writes)).toEqual(before);
  });

  test('a change is one write', async () => {
    await run('apply', '--to', 'gateway');
    const before = kong.counters().writes;
    await folder.write({
      'gateway/services.yaml': files['gateway/services.yaml'].replace('minute: 60', 'minute: 61'),
    });
    expect((await run('apply', '--to', 'gateway')).code).toBe(0);
    expect(kong.counters().writes).toBe(before + 1);
  });

  test('a plan that deletes too much is held; an approval of that plan, and no other, lets it through', async () => {
    for (let number = 1; number <= 11; number += 1) {
      const service = { name: `of-somebody-else-${number}`, host: 'other.example.com' };
      expect(kong.request('POST', '/services', service).status).toBe(201);
    }
    const writes = kong.counters().writes;
    const held = await run('apply', '--to', 'gateway');
    expect(held.code).toBe(1);
    expect(held.stderr).toContain('held');
    expect(held.stdout).toContain('of-somebody-else-11');
    expect(kong.counters().writes).toBe(writes);
    const { fingerprint, held: why } = await planOf('gateway');
    expect(held.stderr).toContain(`--approve ${fingerprint}`);
    expect(why?.code).toBe('mass-delete');
    const other = fingerprint.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    expect((await run('apply', '--to', 'gateway', '--approve', other)).code).toBe(1);
    expect((await run('apply', '--to', 'gateway', '--approve', fingerprint)).code).toBe(0);
    expect(kong.request('GET', '/services/of-somebody-else-1').status).toBe(404);
  });

  test('an empty folder does not empty a gateway', async () => {
    await run('apply', '--to', 'gateway');
    await folder.write({ 'empty/readme.md': '' });
    const held = await run('apply', '--to', 'gateway', 'empty');
    expect(held.code).toBe(1);
    expect(held.stderr).toContain('empty');
    expect(kong.request('GET', '/services/orders').status).toBe(200);
  });

  test('a plan file is applied while it is still the plan, and refused when the live state has changed', async () => {
    const planned = await run('plan', '--to', 'gateway', '--out', 'plan.json');
    expect(planned.code).toBe(0);
    expect(written('plan.json')).not.toContain('marker-of-a-key');
    expect((await run('apply', '--to', 'gateway', '--plan', 'plan.json')).code).toBe(0);

    await folder.write({
      'gateway/services.yaml': files['gateway/services.yaml'].replace('minute: 60', 'minute: 61'),
    });
    await run('plan', '--to', 'gateway', '--out', 'plan.json');
    kong.request('PATCH', '/services/orders', { retries: 3 });
    const writes = kong.counters().writes;
    const refused = await run('apply', '--to', 'gateway', '--plan', 'plan.json');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('not the one in the file');
    expect(kong.counters().writes).toBe(writes);
  });

  test('a plan file of other files, or none at all, is refused', async () => {
    await run('plan', '--to', 'gateway', '--out', 'plan.json');
    await folder.write({
      'gateway/services.yaml': files['gateway/services.yaml'].replace('minute: 60', 'minute: 61'),
    });
    expect((await run('apply', '--to', 'gateway', '--plan', 'plan.json')).code).toBe(1);
    await folder.write({ 'wrong.json': '{"plans": 3}', 'broken.json': '{' });
    for (const name of ['wrong.json', 'broken.json', 'none.json']) {
      expect([name, (await run('apply', '--to', 'gateway', '--plan', name)).code]).toEqual([name, 64]);
    }
    // A plan of another destination says nothing of this one; where none is named, the plan says which.
    await run('plan', '--to', 'edge', '--out', 'edge.json');
    expect((await run('apply', '--to', 'gateway', '--plan', 'edge.json')).code).toBe(64);
    expect((await run('apply', '--all', '--plan', 'edge.json')).code).toBe(64);
    expect([kong, node, konnect].map((emulator) => emulator.counters().writes)).toEqual([0, 0, 0]);
    expect((await run('apply', '--plan', 'edge.json')).code).toBe(0);
    expect([kong, node, konnect].map((emulator) => emulator.counters().writes)).toEqual([0, 1, 0]);
  });

  test('a refusal says which entity and where it was written, and one failing destination stops no other', async () => {
    kong.behaviour({ fail: { methods: ['PUT', 'POST', 'PATCH'], path: '/services', status: 400 } });
    const applied = await run('apply', '--all');
    expect(applied.code).toBe(1);
    expect(applied.stdout).toContain('edge: applied');
    expect(applied.stdout).toContain('konnect: applied');
    expect(applied.stderr).toContain('gateway: rejected');
    kong.behaviour({ fail: null });
    expect((await run('apply', '--to', 'gateway')).code).toBe(0);
  });
});

describe('files that are invalid where quarantine is asked for', () => {
  test.each([['validate'], ['plan', '--to', 'gateway'], ['apply', '--to', 'gateway']])(
    '%s says that a daemon would go on',
    async (...words) => {
      const given = readFileSync(join(folder.path, 'konverge.yaml'), 'utf8');
      await folder.write({
        'gateway/wrong.yaml': '_format_version: "3.0"\nservices: [{ name: wrong, retries: many }]\n',
      });
      const plain = await run(...words);
      expect([plain.code, plain.stderr]).toEqual([1, expect.not.stringContaining('quarantine')]);
      await folder.write({ 'konverge.yaml': `${given}policy: { onInvalid: quarantine }\n` });
      const ran = await run(...words);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/gateway.*: `policy\.onInvalid: quarantine` is for a running daemon/);
      expect(kong.counters().writes).toBe(0);
    },
  );
});

describe('export', () => {
  test.each(['gateway', 'edge', 'konnect'])('of %s builds to what is live', async (name) => {
    await run('apply', '--all');
    const exported = await run('export', '--from', name, '--out', 'exported');
    expect(exported.code).toBe(0);
    expect(statSync(join(folder.path, 'exported/kong.yaml')).mode & 0o077).toBe(0);
    expect((await run('validate', 'exported')).code).toBe(0);
    const planned = await run('plan', '--to', name, '--exit-code', 'exported');
    expect([planned.code, planned.stderr]).toEqual([0, '']);
    const printed = await run('export', '--from', name);
    expect(printed.stdout).toBe(written('exported/kong.yaml'));
  });

  test('needs to be told what, and writes nothing where it cannot be read', async () => {
    expect((await run('export')).code).toBe(64);
    expect((await run('export', '--from', 'nobody')).code).toBe(64);
    const failed = await run('export', '--kong', 'http://127.0.0.1:9', '--out', 'none');
    expect(failed.code).toBe(1);
    expect(existsSync(join(folder.path, 'none/kong.yaml'))).toBe(false);
  });
});

test('one try that failed is not called a retry, hints at none, and names the address once', async () => {
  kong.behaviour({ fail: { status: 503, methods: ['PUT'] } });
  const failed = await run('apply', '--to', 'gateway');
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/^konverge: gateway: failed: .*answered 503/m);
  expect(failed.stderr).not.toMatch(/retry|tried again|next try/i);
  kong.behaviour({ fail: null });
  await folder.write({
    'konverge.yaml': `destinations: [{ name: gateway, kong: { url: "http://127.0.0.1:1" } }]\n`,
  });
  for (const command of ['plan', 'apply', 'doctor']) {
    const refused = await run(command, ...(command === 'doctor' ? [] : ['gateway']));
    expect(refused.code).toBe(1);
    const lines = (refused.stdout + refused.stderr).split('\n').filter((line) => line.includes('connection refused'));
    expect(lines, command).toHaveLength(1);
    expect(lines[0]?.match(/127\.0\.0\.1:1/g), command).toHaveLength(1);
  }
});

test('a value of the environment that files named once is not in the plan of what is deleted then', async () => {
  const variable = (name: string) => `\${{ env "${name}" }}`;
  await folder.write({
    'once/a.yaml': `_format_version: "3.0"\nservices: [{ name: 'team-${variable('DECK_TEAM')}', host: h.example.com }]\n`,
    'then/a.yaml': '_format_version: "3.0"\nservices: [{ name: other, host: h.example.com }]\n',
  });
  const env = { DECK_TEAM: 'marker-of-a-team' };
  const at = (...words: readonly string[]) => konverge([...words, '--kong', kong.url], folder.path, env);
  expect((await at('apply', 'once')).code).toBe(0);
  for (const format of ['text', 'json', 'markdown']) {
    const planned = await at('plan', '--format', format, 'then');
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('team-***') });
    expect(planned.stdout + planned.stderr).not.toContain('marker-of-a-team');
  }
});
