import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { type ForgeServer, startForge } from '../support/forge-server.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import type { ServedRepository } from '../support/served-repository.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Values that no output may ever have. Each begins alike, so that one search finds any. */
export const marker = 'marker-of-a-secret';
export const secrets = {
  GIT_TOKEN: `${marker}-git`,
  KONNECT_TOKEN: `${marker}-konnect`,
  FORGE_TOKEN: `${marker}-forge`,
  ADMIN_TOKEN: `${marker}-admin`,
  SERVER_TOKEN: `${marker}-server`,
  DECK_SHOP_KEY: `${marker}-shop-key`,
} as const;

const laneShape = z.object({
  name: z.string(),
  state: z.string(),
  revision: z.string().nullable(),
  revisionAttempted: z.string().nullable(),
  revisionApplied: z.string().nullable(),
  detail: z.string(),
  waitingFor: z.string().nullable(),
  lastError: z.object({ class: z.string(), message: z.string() }).nullable(),
  counts: z.object({ writes: z.int(), driftsCorrected: z.int() }),
});

const statusShape = z.object({
  repositories: z.array(
    z.object({
      revision: z.string().nullable(),
      failure: z.object({ code: z.string(), message: z.string() }).nullable(),
      validation: z
        .object({
          revision: z.string(),
          valid: z.boolean(),
          diagnostics: z.array(
            z.object({
              rule: z.string(),
              message: z.string(),
              locations: z.array(z.object({ file: z.string(), line: z.int() })),
            }),
          ),
        })
        .nullable(),
      destinations: z.array(laneShape),
    }),
  ),
});

export type ShownStatus = z.infer<typeof statusShape>['repositories'][number];
export type ShownLane = z.infer<typeof laneShape>;

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A daemon process, and everything that it talks to, on loopback. */
export class DaemonWorld {
  readonly folder: Folder;
  readonly git: GitServer;
  readonly repository: ServedRepository;
  readonly forge: ForgeServer;
  readonly kong: RunningEmulator;
  readonly node: RunningEmulator;
  readonly konnect: RunningEmulator;
  /** All that every process of this world has printed. */
  output = '';
  #child: Child | null = null;
  #ended: Promise<number | null> = Promise.resolve(null);
  #url = '';

  private constructor(parts: {
    readonly folder: Folder;
    readonly git: GitServer;
    readonly repository: ServedRepository;
    readonly forge: ForgeServer;
    readonly emulators: readonly [RunningEmulator, RunningEmulator, RunningEmulator];
  }) {
    this.folder = parts.folder;
    this.git = parts.git;
    this.repository = parts.repository;
    this.forge = parts.forge;
    [this.kong, this.node, this.konnect] = parts.emulators;
  }

  /** Starts everything but the daemon. `more` is put at the end of the configuration. */
  static async open(more = ''): Promise<DaemonWorld> {
    const authorization = `Basic ${Buffer.from(`x-access-token:${secrets.GIT_TOKEN}`).toString('base64')}`;
    const git = await startGitServer({ authorization });
    const emulator = (flavour: 'kong' | 'dbless' | 'konnect') =>
      startEmulator({
        flavour,
        port: 0,
        controlPort: null,
        ...(flavour === 'konnect' ? { controlPlanes: ['test'] } : {}),
      });
    const world = new DaemonWorld({
      folder: await temporaryFolder(),
      git,
      repository: await git.createRepository('gateway.git'),
      forge: await startForge('test/gateway', secrets.FORGE_TOKEN),
      emulators: [await emulator('kong'), await emulator('dbless'), await emulator('konnect')],
    });
    await world.folder.write({ 'konverge.yaml': world.#configuration(more) });
    return world;
  }

  #configuration(more: string): string {
    return `repository:
  url: ${this.repository.url}
  branch: main
  path: gateway
  interval: 1s
  auth: { token: "\${GIT_TOKEN}" }
policy: { driftInterval: 1h }
destinations:
  - name: gateway
    kong: { url: "${this.kong.url}", headers: { Kong-Admin-Token: "\${ADMIN_TOKEN}" } }
  - name: edge
    kong: { nodes: ["${this.node.url}"] }
  - name: konnect
    konnect: { url: "${this.konnect.url}", controlPlane: test, token: "\${KONNECT_TOKEN}" }
    limits: { timeout: 1s }
status:
  github: { url: "${this.forge.url}", repository: test/gateway, token: "\${FORGE_TOKEN}" }
server: { listen: "127.0.0.1:0", token: "\${SERVER_TOKEN}" }
storage: { path: ./store }
${more}`;
  }

  /** Spawns `konverge run` and waits until its server listens. `freshStore` forgets what was fetched. */
  async start(options: { readonly freshStore?: boolean; readonly wait?: boolean } = {}): Promise<void> {
    if (options.freshStore === true) await rm(join(this.folder.path, 'store'), { recursive: true, force: true });
    const { child, ended } = this.spawn(['run', '--config', 'konverge.yaml', '--verbose']);
    this.#child = child;
    this.#ended = ended;
    const from = this.output.length;
    if (options.wait === false) return;
    await until(
      'the daemon to listen',
      () => {
        const found = /"url":"(http:[^"]+)","message":"the status page is up"/.exec(this.output.slice(from));
        this.#url = found?.[1] ?? '';
        return found !== null;
      },
      { shown: () => this.output.slice(from) },
    );
  }

  /** Spawns Konverge's command line in the folder of the configuration. */
  spawn(words: readonly string[]): { readonly child: Child; readonly ended: Promise<number | null> } {
    const loader = fileURLToPath(import.meta.resolve('tsx'));
    const child = spawn(process.execPath, ['--import', loader, join(root, 'src/main.ts'), ...words], {
      cwd: this.folder.path,
      env: { PATH: process.env['PATH'] ?? '', ...secrets },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const collect = (text: string) => {
      this.output += text;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', (code) => resolve(code));
    });
    return { child, ended };
  }

  /** Sends the daemon a signal and waits for its end; gives its exit code, null where the signal ended it. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    this.#child?.kill(signal);
    this.#child = null;
    return this.#ended;
  }

  /** A request to the daemon's server, with its token. */
  async ask(path: string, init: RequestInit = {}): Promise<string> {
    const answer = await fetch(this.#url + path, {
      ...init,
      headers: { authorization: `Bearer ${secrets.SERVER_TOKEN}` },
    });
    return answer.text();
  }

  /** What the daemon says of the one repository that it follows. */
  async status(): Promise<ShownStatus> {
    const [only] = statusShape.parse(JSON.parse(await this.ask('/api/v1/status'))).repositories;
    if (only === undefined) throw new TypeError('the daemon follows no repository');
    return only;
  }

  /** What the daemon says of a destination. */
  async lane(name: string): Promise<ShownLane> {
    const lane = (await this.status()).destinations.find((destination) => destination.name === name);
    if (lane === undefined) throw new TypeError(`there is no destination ${name}`);
    return lane;
  }

  /** Waits until the destinations have a revision, confirmed. */
  async applied(revision: string, names: readonly string[] = ['gateway', 'edge', 'konnect']): Promise<void> {
    let last: ShownStatus | null = null;
    await until(
      `${names.join(', ')} to have ${revision}`,
      async () => {
        last = await this.status();
        return names.every((name) =>
          last?.destinations.some(
            (lane) => lane.name === name && lane.state === 'applied' && lane.revisionApplied === revision,
          ),
        );
      },
      { limitMs: 60_000, shown: () => last },
    );
  }

  /** Waits until the newest statuses of a commit are these. */
  async posted(revision: string, states: Readonly<Record<string, string>>): Promise<void> {
    const newest = () =>
      Object.fromEntries(
        Object.keys(states).map((context) => [context, this.forge.newest(revision, context)?.state ?? 'none']),
      );
    await until(`the statuses of ${revision}`, () => JSON.stringify(newest()) === JSON.stringify(states), {
      shown: newest,
    });
  }

  /** Writes that reached any destination. */
  writes(): number {
    return [this.kong, this.node, this.konnect].reduce((sum, emulator) => sum + emulator.counters().writes, 0);
  }

  /** Everything that this world's processes have said to anybody, as one text. */
  async said(): Promise<string> {
    const pages =
      this.#child === null ? [] : await Promise.all(['/', '/metrics', '/api/v1/status'].map((path) => this.ask(path)));
    return [this.output, JSON.stringify(this.forge.statuses), ...pages].join('\n');
  }

  async close(): Promise<void> {
    await this.stop('SIGKILL');
    const servers = [this.git, this.forge, this.kong, this.node, this.konnect];
    await Promise.all(servers.map((server) => server.close()));
    await this.folder.remove();
  }
}

/** The statuses of a commit that is in place, or refused, everywhere. */
export function everywhere(state: string): Readonly<Record<string, string>> {
  const contexts = ['konverge/validate', 'konverge/gateway', 'konverge/edge', 'konverge/konnect', 'konverge'];
  return Object.fromEntries(contexts.map((context) => [context, state]));
}

/** A small valid repository. `limit` is what changes from commit to commit. */
export function files(limit: number): Readonly<Record<string, string>> {
  return {
    'gateway/services.yaml': `_format_version: "3.0"
services:
  - name: orders
    url: http://orders.example.com:8080
    routes:
      - name: orders
        paths: [/orders]
        plugins:
          - name: rate-limiting
            config: { minute: ${limit}, policy: local }
`,
    'gateway/consumers.yaml': `_format_version: "3.0"
consumers:
  - username: shop
    keyauth_credentials:
      - key: \${{ env "DECK_SHOP_KEY" }}
    basicauth_credentials:
      - username: shop
        password: ${marker}-password
`,
  };
}

/** Another consumer with the key that is in use. */
export const clash: Readonly<Record<string, string>> = {
  'gateway/partner.yaml': `_format_version: "3.0"
consumers:
  - username: partner
    keyauth_credentials:
      - key: ${secrets.DECK_SHOP_KEY}
`,
};
