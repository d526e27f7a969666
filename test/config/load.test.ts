import { expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/configuration-error.ts';
import { loadConfiguration, loadConfigurations } from '../../src/config/load.ts';
import { noOverrides, type Overrides } from '../../src/config/overrides.ts';
import { plainRollout } from '../../src/config/rollout.ts';
import type { Configuration } from '../../src/config/settings.ts';

interface World {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: Partial<Overrides>;
  readonly secret?: (value: string) => void;
}

function sourcesOf(files: Readonly<Record<string, string>>, world: World) {
  return {
    env: (name: string) => world.env?.[name],
    readFile: (path: string) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
      return text;
    },
    ...(world.secret === undefined ? {} : { secret: world.secret }),
  };
}

function load(yaml: string, world: World = {}): Configuration {
  const files = { '/etc/konverge/konverge.yaml': yaml, ...world.files };
  const overrides = { ...noOverrides, ...world.overrides };
  return loadConfiguration(['/etc/konverge/konverge.yaml'], overrides, sourcesOf(files, world));
}

/** The lines of the error that is thrown, with the file's name cut to the place in it. */
function faults(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return thrown.message.split('\n').map((line) => line.replace('/etc/konverge/konverge.yaml:', ''));
  }
  throw new Error('nothing was thrown');
}

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

test('everything has a default', () => {
  const configuration = loadConfiguration([], noOverrides, sourcesOf({}, {}));
  expect(configuration.file).toBeNull();
  expect(configuration.destinationNames).toEqual([]);
  expect(configuration.repository()).toBeNull();
  expect(configuration.policy()).toEqual({
    onInvalid: 'reject',
    prune: true,
    adopt: false,
    maxDelete: { share: 0.3, atLeast: 10 },
    drift: 'correct',
    driftIntervalMs: 300_000,
    driftIgnore: [],
    driftReport: [],
    protect: ['konverge-protected'],
    onUnhealthy: 'hold',
  });
  expect(configuration.rules()).toEqual({});
  expect(configuration.kong()).toEqual({
    version: '3.9',
    edition: 'oss',
    router: 'traditional_compatible',
    editionSaid: false,
  });
  expect(configuration.status()).toEqual({ forges: [] });
  expect(configuration.server()).toEqual({ host: '127.0.0.1', port: 8080, token: null, publicUrl: null });
  expect(configuration.storage()).toEqual({ path: '.konverge' });
});

test('a whole configuration resolves to settings', () => {
  const configuration = load(
    `
repository:
  url: https://git.example.com/acme/gateway.git
  branch: main
  path: /gateway/
  ignore: [drafts/**]
  interval: 1m30s
  auth: { token: "\${GIT_TOKEN}" }
destinations:
  - name: prod-eu
    kong:
      url: https://kong-admin:8444/
      headers: { Kong-Admin-Token: "\${KONG_TOKEN}" }
      workspace: team
      ca: ca.pem
      cert: "\${file:/run/cert}"
      key: "\${file:/run/key}"
      serverName: kong.test
    tags: [konverge]
    policy: { maxDelete: { atLeast: 3 }, drift: report }
    limits: { timeout: 500ms, bodyLimit: 1MiB }
  - name: edge
    kong: { nodes: ["http://10.0.0.1:8001", "http://10.0.0.2:8001"], quorum: 1 }
    include: [base/**, edge/**]
  - name: konnect
    konnect: { region: eu, controlPlane: prod, token: "\${KONNECT_TOKEN}" }
    exclude: { kinds: [consumers], prune: true }
policy: { prune: false, maxDelete: { share: 50% } }
limits: { concurrency: 4, configLimit: 20MB }
rules: { weak-secret: off, unused-upstream: warning }
status: { github: { repository: acme/gateway, token: "\${GITHUB_TOKEN}" } }
kong: { version: "3.10", edition: enterprise, router: expressions }
server: { listen: "[::]:9000", token: "\${TOKEN}", publicUrl: "https://konverge.example.com/" }
storage: { path: /var/lib/konverge }
`,
    {
      files: {
        '/etc/konverge/ca.pem': pem,
        '/run/cert': pem,
        '/run/key': pem.replaceAll('CERTIFICATE', 'PRIVATE KEY'),
      },
      env: { GIT_TOKEN: 'git', KONG_TOKEN: 'kong', KONNECT_TOKEN: 'kpat', GITHUB_TOKEN: 'gh', TOKEN: 'server' },
    },
  );
  expect(configuration.repository()).toEqual({
    url: 'https://git.example.com/acme/gateway.git',
    branch: 'main',
    path: 'gateway',
    ignore: ['drafts/**'],
    intervalMs: 90_000,
    history: 500,
    auth: { type: 'token', token: 'git' },
    ca: null,
    proxy: null,
    timeoutMs: 120_000,
    packLimitBytes: 536_870_912,
  });
  expect(configuration.destinationNames).toEqual(['prod-eu', 'edge', 'konnect']);
  const exclude = { kinds: [], tags: [], files: [], prune: false };
  expect(configuration.destination('prod-eu')).toEqual({
    name: 'prod-eu',
    connection: {
      type: 'kong',
      url: 'https://kong-admin:8444',
      headers: { 'Kong-Admin-Token': 'kong' },
      workspace: 'team',
      tls: {
        ca: pem,
        cert: pem.trimEnd(),
        key: pem.replaceAll('CERTIFICATE', 'PRIVATE KEY').trimEnd(),
        serverName: 'kong.test',
      },
    },
    include: [],
    exclude,
    tags: ['konverge'],
    rollout: plainRollout,
    policy: {
      onInvalid: 'reject',
      prune: false,
      adopt: false,
      maxDelete: { share: 0.5, atLeast: 3 },
      drift: 'report',
      driftIntervalMs: 300_000,
      driftIgnore: [],
      driftReport: [],
      protect: ['konverge-protected'],
      onUnhealthy: 'hold',
    },
    limits: { timeoutMs: 500, concurrency: 4, bodyLimitBytes: 1_048_576, configLimitBytes: 20_000_000 },
  });
  const tls = { ca: null, cert: null, key: null, serverName: null };
  expect(configuration.destination('edge')).toMatchObject({
    connection: {
      type: 'dbless',
      nodes: ['http://10.0.0.1:8001', 'http://10.0.0.2:8001'],
      headers: {},
      quorum: 1,
      tls,
    },
    include: ['base/**', 'edge/**'],
    limits: { timeoutMs: 30_000, concurrency: 4, bodyLimitBytes: 67_108_864 },
  });
  expect(configuration.destination('konnect')).toMatchObject({
    connection: { type: 'konnect', url: 'https://eu.api.konghq.com', controlPlane: 'prod', token: 'kpat', tls },
    exclude: { kinds: ['consumers'], tags: [], files: [], prune: true },
  });
  expect(configuration.scope('prod-eu')).toEqual({
    include: [],
    exclude,
    tags: ['konverge'],
    workspace: 'team',
    controlPlane: null,
    mode: null,
  });
  expect(configuration.scope('konnect')).toMatchObject({ workspace: null, controlPlane: 'prod', mode: 'konnect' });
  expect(configuration.rules()).toEqual({ 'weak-secret': 'off', 'unused-upstream': 'warning' });
  expect(configuration.kong()).toEqual({
    version: '3.10',
    edition: 'enterprise',
    router: 'expressions',
    editionSaid: true,
  });
  expect(configuration.status()).toEqual({
    forges: [
      {
        kind: 'github',
        url: 'https://api.github.com',
        repository: 'acme/gateway',
        token: 'gh',
        context: 'konverge',
      },
    ],
  });
  expect(configuration.server()).toEqual({
    host: '::',
    port: 9000,
    token: 'server',
    publicUrl: 'https://konverge.example.com',
  });
  expect(configuration.storage()).toEqual({ path: '/var/lib/konverge' });
});

test('all faults are told together, in order of the file, each with its place', () => {
  const run = () =>
    load(`repository:
  url: ssh://git@example.com/a
  brnch: main
  interval: 30
  path: ../up
  auth: { username: me }
destinations:
  - name: Prod
    kong: { url: localhost:8001 }
    after: [staging]
  - name: edge
    kong: { nodes: [http://a:1, "http://a:1/"], url: http://b, workspace: x }
    tags: [a]
  - name: edge
  - name: validate
    konnect: { controlPlane: x, cert: y }
policy: { onInvalid: quarantine, drfit: correct, maxDelete: { share: 0.3 }, prune: maybe }
rules: { weak-secret: of }
kong: { version: 3.9 }
server: { listen: 0.0.0.0:8080, webhook: { secret: x } }
kubernetes: { targets: pods }
`);
  expect(faults(run)).toEqual([
    '2:3: repository.url is an SSH address, which is not supported yet. Use https',
    '3:3: repository.brnch is not a known key. Did you mean `branch`?',
    '4:3: repository.interval must be a duration such as 500ms, 30s, 5m or 1h',
    '5:3: repository.path must not leave the repository. Write it from the repository’s root',
    '6:3: repository.auth must have user name and password together. For a token, write `token` alone',
    '8:5: destinations.Prod.name must be 1 to 30 of a-z, 0-9 and -',
    '9:13: destinations.Prod.kong.url must be an http or https URL',
    '10:13: destinations.Prod.after[0] is `staging`, and there is no such destination. Name one of this file',
    '12:5: destinations.edge.kong must have exactly one of `url`, `nodes` and `dns`',
    '12:33: destinations.edge.kong.nodes[1] is in the list twice',
    '12:64: destinations.edge.kong.workspace cannot be used with `nodes`. A DB-less node has no workspaces',
    '13:5: destinations.edge.tags cannot be used with `nodes`. A DB-less node is always owned whole',
    '14:5: destinations.edge.name is the name of another destination too. Names have to differ',
    '14:5: destinations.edge must have exactly one of `kong` and `konnect`',
    '15:5: destinations.validate.name must not be `validate`. A commit status of Konverge has this name',
    '16:5: destinations.validate.konnect.token is missing',
    '16:5: destinations.validate.konnect must have `cert` and `key` together',
    '16:5: destinations.validate.konnect must have exactly one of `region` and `url`',
    '17:34: policy.drfit is not a known key. Did you mean `drift`?',
    '17:63: policy.maxDelete.share must be a share from 0% to 100%, such as 30%',
    '17:77: policy.prune must be true or false',
    '18:10: rules.weak-secret must be one of error, warning, off. Did you mean `off`?',
    '19:9: kong.version must be in quotes, since 3.10 without them is 3.1',
    '20:11: server.listen is reachable from other machines, so `server.token` is needed. Set a token, or listen on 127.0.0.1',
    '20:33: server.webhook is not supported yet. Take it out: leaving it in would promise what does not happen',
    '21:15: kubernetes.targets must be one of dns, endpoints',
  ]);
});

test.each([
  ['a: [', /^1:5: the file is not YAML: /],
  ['a: 1\na: 2\n', /^2:1: the file is not YAML: duplicated mapping key/],
  ['a: 1\n---\nb: 1\n', /several YAML documents/],
  ['policy: &p { maxDelete: *p }\n', /alias that contains itself/],
  ['[1, 2]', /must be a mapping/],
  ['destinations: {}', /^1:1: destinations must be a list$/],
  ['repository:\n', /^1:1: repository is empty/],
  ['repository: { url: "" }', /^1:15: repository.url must not be empty$/],
])('%j is refused with its place', (yaml, expected) => {
  expect(faults(() => load(yaml))[0]).toMatch(expected);
});

test('an empty file and one of comments alone have no faults', () => {
  expect(load('').destinationNames).toEqual([]);
  expect(load('# nothing\n').destinationNames).toEqual([]);
});

test('anchors and merge keys work', () => {
  const configuration = load(`
destinations:
  - &first { name: a, kong: { url: http://a:8001 }, tags: [t] }
  - { <<: *first, name: b, kong: { url: http://b:8001 } }
`);
  expect(configuration.destination('b').tags).toEqual(['t']);
});

test('a placeholder is resolved when its section is first needed, and once', () => {
  const asked: string[] = [];
  const configuration = loadConfiguration(['k.yaml'], noOverrides, {
    env: (name) => {
      asked.push(name);
      return name === 'URL' ? 'http://kong:8001' : undefined;
    },
    readFile: () => `
repository: { url: https://git/x, auth: { token: "\${GIT_TOKEN}" } }
destinations:
  - name: a
    kong: { url: "\${URL}", headers: { Token: "\${MISSING}" } }
    include: ["\${DIR:-base}/**"]
`,
  });
  expect(asked).toEqual([]);
  expect(configuration.scope('a').include).toEqual(['base/**']);
  expect(asked).toEqual(['DIR']);
  expect(faults(() => configuration.destination('a'))).toEqual([
    'k.yaml:5:39: destinations.a.kong.headers.Token needs the environment variable MISSING, which is not set',
  ]);
  expect(faults(() => configuration.repository())).toEqual([
    'k.yaml:2:43: repository.auth.token needs the environment variable GIT_TOKEN, which is not set',
  ]);
});

test('placeholders: default, file, literal, part of a text, number and flag from a variable, wrong ones', () => {
  const configuration = load(
    `
repository: { url: "https://\${HOST:-git.test}/\${A}-\${A}", branch: "$\${not}", history: "\${N}" }
policy: { prune: "\${FLAG}", drift: "\${DRIFT:-report}", driftInterval: "\${EVERY}" }
status: { github: { repository: a/b, token: "\${file:/run/token}" } }
`,
    { env: { A: 'x', N: '7', FLAG: 'false', HOST: '', EVERY: '2h' }, files: { '/run/token': 'secret-token\n' } },
  );
  expect(configuration.repository()).toMatchObject({ url: 'https://git.test/x-x', branch: `$\{not}`, history: 7 });
  expect(configuration.policy()).toMatchObject({ prune: false, drift: 'report', driftIntervalMs: 7_200_000 });
  expect(configuration.status().forges[0]).toMatchObject({ token: 'secret-token' });
  expect(faults(() => load(`repository: { url: "\${a b}", branch: "\${X" }`))).toHaveLength(2);
  const wrong = load(`policy: { drift: "\${D}" }\nstatus: { github: { repository: a/b, token: "\${file:/none}" } }`, {
    env: { D: 'corect' },
  });
  expect(faults(() => wrong.policy())).toEqual([
    '1:11: policy.drift must be one of correct, report, ignore. Did you mean `correct`?',
  ]);
  expect(faults(() => wrong.status())[0]).toContain('needs the file /none, which cannot be read (ENOENT)');
});

test('every secret is told, and no fault shows one', () => {
  const told: string[] = [];
  const configuration = load(
    `
repository: { url: "https://me:pass%40word@git.test/x" }
destinations:
  - name: a
    kong: { url: "http://u:admin-pw@kong:8001", headers: { Authorization: "Bearer bearer-token", Accept: text/plain } }
  - name: b
    konnect: { url: http://127.0.0.1:1, controlPlane: c, token: konnect-token }
  - name: c
    kong: { url: "\${SECRET}" }
status: { github: { repository: a/b, token: github-token } }
server: { token: server-token }
`,
    { secret: (value) => told.push(value), env: { SECRET: 'not-a-url-but-secret' } },
  );
  expect(configuration.repository()).toMatchObject({
    url: 'https://git.test/x',
    auth: { type: 'basic', username: 'me', password: 'pass@word' },
  });
  configuration.destination('a');
  configuration.destination('b');
  configuration.status();
  configuration.server();
  for (const secret of ['pass@word', 'admin-pw', 'bearer-token', 'konnect-token', 'github-token', 'server-token']) {
    expect(told).toContain(secret);
  }
  expect(told).not.toContain('text/plain');
  expect(faults(() => configuration.destination('c')).join()).not.toContain('not-a-url-but-secret');
});

test('a local repository and storage are beside the configuration file', () => {
  const configuration = load('repository: { url: ../gateway }');
  expect(configuration.repository()?.url).toBe('/etc/gateway');
  expect(configuration.storage().path).toBe('/etc/konverge/.konverge');
  expect(load('repository: { url: "file:///srv/git/x" }').repository()?.url).toBe('/srv/git/x');
});

test('--set overrides any key; destinations go by name; values are YAML', () => {
  const yaml =
    'destinations:\n  - { name: a, kong: { url: http://a:1 } }\n  - { name: b, kong: { url: http://b:1 } }\n';
  const configuration = load(yaml, {
    overrides: {
      set: [
        'destinations.b.kong.url=http://c:2',
        'policy.maxDelete.share=5%',
        'repository.url=https://x/y',
        'rules.weak-secret=off',
        'destinations.a.tags=[x, y]',
      ],
    },
  });
  expect(configuration.destination('b').connection).toMatchObject({ url: 'http://c:2' });
  expect(configuration.destination('a')).toMatchObject({ tags: ['x', 'y'], connection: { url: 'http://a:1' } });
  expect(configuration.policy().maxDelete).toEqual({ share: 0.05, atLeast: 10 });
  expect(configuration.repository()?.url).toBe('https://x/y');
  const refused = (...set: string[]) => faults(() => load(yaml, { overrides: { set } }));
  expect(refused('policy')).toEqual(['--set policy must be PATH=VALUE']);
  expect(refused('destinations.c.tags=[]')).toEqual([
    '--set destinations.c.tags names no destination; there are: a, b',
  ]);
  expect(refused('policy.prun=true')).toEqual(['policy.prun is not a known key. Did you mean `prune`?']);
  expect(refused('policy=[')).toEqual(['--set policy must have a value that is YAML']);
  expect(refused('destinations.a.name.x=1')).toHaveLength(1);
});

test('--kong stands for one destination named kong, with headers as they were typed', () => {
  const yaml = 'destinations:\n  - { name: a, kong: { url: http://a:1 } }\n';
  const configuration = load(yaml, {
    overrides: { kong: { url: 'http://localhost:8001', headers: [`Kong-Admin-Token: a:b $\{c}`] } },
  });
  expect(configuration.destinationNames).toEqual(['kong']);
  expect(configuration.destination('kong').connection).toMatchObject({
    type: 'kong',
    url: 'http://localhost:8001',
    headers: { 'Kong-Admin-Token': `a:b $\{c}` },
  });
  const wrong = faults(() => load('', { overrides: { kong: { url: 'localhost:8001', headers: [] } } }));
  expect(wrong).toEqual(['destinations.kong.kong.url must be an http or https URL']);
  expect(faults(() => load('', { overrides: { kong: { url: 'http://x', headers: ['no colon'] } } }))).toHaveLength(1);
});

test('a destination that is not there is named with those that are', () => {
  const configuration = load('destinations:\n  - { name: a, kong: { url: http://a:1 } }\n');
  expect(faults(() => configuration.destination('b'))[0]).toContain('has none named `b`. There are: a');
});

test('a file that is missing is a configuration error; several files must not share a destination', () => {
  expect(faults(() => loadConfiguration(['none.yaml'], noOverrides, sourcesOf({}, {})))).toEqual([
    'the configuration file none.yaml cannot be read (ENOENT)',
  ]);
  const one = 'destinations: [{ name: a, kong: { url: http://a } }]';
  const sources = sourcesOf({ 'a.yaml': one, 'b.yaml': one.replace('name: a', 'name: b'), 'c.yaml': one }, {});
  expect(loadConfigurations(['a.yaml', 'b.yaml'], sources)).toHaveLength(2);
  expect(faults(() => loadConfigurations(['a.yaml', 'c.yaml'], sources))[0]).toContain(
    'destination `a`, as a.yaml has',
  );
  expect(() => loadConfiguration(['a.yaml', 'b.yaml'], noOverrides, sources)).toThrow('one is taken');
});

test('PEM material: text, file, and what is neither', () => {
  const yaml = (ca: string) => `destinations:\n  - { name: a, kong: { url: https://a, ca: ${ca} } }\n`;
  const world = { files: { '/etc/konverge/ca.pem': pem, '/etc/konverge/no.pem': 'nothing' } };
  const caOf = (ca: string) => load(yaml(ca), world).destination('a').connection.tls.ca;
  expect(caOf('ca.pem')).toBe(pem);
  expect(caOf(JSON.stringify(pem))).toBe(pem);
  expect(faults(() => caOf('gone.pem'))[0]).toContain(
    'destinations.a.kong.ca names a file that cannot be read (ENOENT)',
  );
  expect(faults(() => caOf('no.pem'))[0]).toContain('holds no PEM text');
});
