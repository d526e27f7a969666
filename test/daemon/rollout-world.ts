import { setMaxListeners } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';
import type { DaemonStatus } from '../../src/daemon/daemon.ts';
import { openWorld } from '../../src/daemon/edge.ts';
import { LocalReviews } from '../../src/daemon/reviewing/local-reviews.ts';
import type { ReviewMaker } from '../../src/daemon/reviewing/review-maker.ts';
import { type StartedDaemon, startDaemon } from '../../src/daemon/start.ts';
import { type EmulatorOptions, type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import type { Lane } from '../../src/lane/lane.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import type { HttpClient } from '../../src/platform/http-client.ts';
import type { Log, LogFields } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { metricsText } from '../../src/server/metrics.ts';
import { statusPage } from '../../src/server/page.ts';
import { statusJson } from '../../src/server/status-json.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { type ForgeServer, startForge } from '../support/forge-server.ts';
import { createServedRepository, type ServedRepository } from '../support/served-repository.ts';
import { until } from '../support/until.ts';

/** A status, and when it was said. */
export interface Said extends LaneStatus {
  readonly at: number;
}

/** What the daemon of a world does, and with what. */
export interface RolloutShape {
  /** When it begins; an hour before 2026-06-02 in UTC where it is left out. */
  readonly start?: number;
  readonly emulators: Readonly<Record<string, EmulatorOptions['flavour']>>;
  /** Whether they are of Kong Enterprise. */
  readonly enterprise?: boolean;
  /** The destinations in YAML, one text each, by the addresses of the emulators. */
  readonly destinations: (url: (emulator: string) => string) => readonly string[];
  /** How often the branch is looked at; ten seconds where it is left out. */
  readonly interval?: string;
  /** A minute where it is left out. */
  readonly driftInterval?: string;
  /** More keys of `repository`. */
  readonly repository?: string;
  /** More sections, in YAML. */
  readonly more?: string;
  /** More keys of `policy`. */
  readonly policy?: string;
  /** The keys of `review`; nothing is reviewed where it is left out. */
  readonly review?: string;
  /** Variables of the daemon's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const token = 'not-a-secret';

/** A daemon in this process, on a clock of its own, with a real repository, emulators and a forge. */
export class RolloutWorld {
  readonly clock: VirtualClock;
  readonly #folder: Folder;
  readonly repository: ServedRepository;
  readonly forge: ForgeServer;
  readonly #emulators: ReadonlyMap<string, RunningEmulator>;
  readonly said: Said[] = [];
  readonly lines: string[] = [];
  /** The same lines with all that they say. */
  readonly logged: {
    readonly at: number;
    readonly level: string;
    readonly message: string;
    readonly fields: LogFields;
  }[] = [];
  /** Requests without an answer as yet. */
  #asked = 0;
  #env: Readonly<Record<string, string>> = {};
  #daemon: StartedDaemon | null = null;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  private constructor(parts: {
    readonly clock: VirtualClock;
    readonly folder: Folder;
    readonly repository: ServedRepository;
    readonly forge: ForgeServer;
    readonly emulators: ReadonlyMap<string, RunningEmulator>;
  }) {
    this.clock = parts.clock;
    this.#folder = parts.folder;
    this.repository = parts.repository;
    this.forge = parts.forge;
    this.#emulators = parts.emulators;
  }

  /** Opens everything, and starts the daemon on an empty branch. */
  static async open(shape: RolloutShape): Promise<RolloutWorld> {
    const folder = await temporaryFolder();
    const emulators = new Map<string, RunningEmulator>();
    for (const [name, flavour] of Object.entries(shape.emulators)) {
      emulators.set(
        name,
        await startEmulator({
          flavour,
          port: 0,
          controlPort: null,
          controlPlanes: ['test'],
          ...(shape.enterprise === true ? { edition: 'enterprise' } : {}),
        }),
      );
    }
    const path = join(folder.path, 'gateway.git');
    const world = new RolloutWorld({
      clock: new VirtualClock(shape.start ?? Date.UTC(2026, 5, 1, 23)),
      folder,
      repository: await createServedRepository(path, path),
      forge: await startForge('test/gateway', token),
      emulators,
    });
    await world.configure(shape);
    await world.start();
    return world;
  }

  /** Writes the configuration that the next start reads. */
  async configure(shape: Omit<RolloutShape, 'start' | 'emulators' | 'enterprise'>): Promise<void> {
    const destinations = shape.destinations((name) => this.kong(name).url).map((text) => `  - { ${text} }\n`);
    await this.#folder.write({
      'konverge.yaml': `repository: { url: "${this.repository.path}", branch: main, interval: ${shape.interval ?? '10s'}${shape.repository === undefined ? '' : `, ${shape.repository}`} }
policy: { driftInterval: ${shape.driftInterval ?? '1m'}, ${shape.policy ?? ''} }
destinations:
${destinations.join('')}status:
  github: { url: "${this.forge.url}", repository: test/gateway, token: ${token} }
${shape.review === undefined ? '' : `review: { ${shape.review} }\n`}${shape.more ?? ''}`,
    });
    this.#env = shape.env ?? {};
  }

  async start(): Promise<void> {
    const store = join(this.#folder.path, 'store');
    mkdirSync(store, { recursive: true });
    const configuration = loadConfiguration([join(this.#folder.path, 'konverge.yaml')], noOverrides, {
      env: () => undefined,
      readFile: (file) => readFileSync(file, 'utf8'),
    });
    const real = await openWorld();
    this.#daemon = await startDaemon(configuration, {
      ...real,
      createHttpClient: (options) => this.#counted(real.createHttpClient(options)),
      openReviews: (setup, log) => this.#countedReviews(new LocalReviews(setup, log)),
      clock: this.clock,
      random: () => 0.5,
      log: this.#log(),
      env: (name) => (Object.hasOwn(this.#env, name) ? this.#env[name] : undefined),
      store,
      changed: (status) => this.#note(status),
    });
    this.#stop = new AbortController();
    // Every request under way listens to it, as in the command.
    setMaxListeners(1_000, this.#stop.signal);
    this.#running = this.#daemon.run(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#daemon?.close();
    this.#daemon = null;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Loses what was kept of what happened, as with an empty disk. To be called between two processes. */
  async forget(): Promise<void> {
    await rm(join(this.#folder.path, 'store', 'history'), { recursive: true, force: true });
  }

  /** The file that keeps what happened at a destination. */
  historyPath(name: string): string {
    return join(this.#folder.path, 'store', 'history', `${name}.jsonl`);
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.all([this.forge.close(), ...[...this.#emulators.values()].map((emulator) => emulator.close())]);
    await this.#folder.remove();
  }

  kong(name: string): RunningEmulator {
    const found = this.#emulators.get(name);
    if (found === undefined) throw new TypeError(`there is no emulator ${name}`);
    return found;
  }

  lane(name: string): Lane {
    const found = this.#daemon?.daemon.lane(name);
    if (found === undefined) throw new TypeError(`there is no destination ${name}`);
    return found;
  }

  status(name: string): LaneStatus {
    const found = this.#daemon?.daemon.status.lanes.find(({ destination }) => destination === name);
    if (found === undefined) throw new TypeError(`there is no destination ${name}`);
    return found;
  }

  /** What was said of a destination, oldest first. */
  of(name: string): readonly Said[] {
    return this.said.filter(({ destination }) => destination === name);
  }

  /** When a destination was first said to have a revision, in milliseconds since 1970. */
  appliedAt(name: string, revision: string): number | undefined {
    return this.of(name).find(({ state, applied }) => state === 'applied' && applied === revision)?.at;
  }

  /** Lets time pass, a step at a time, until a condition holds. */
  async later(what: string, holds: () => boolean | Promise<boolean>, stepMs = 5_000): Promise<void> {
    let looks = 0;
    await until(
      what,
      async () => {
        if (await holds()) return true;
        looks += 1;
        // Time stands still while something is being asked, but for what is never answered.
        if (this.#asked > 0 && looks < 20) return false;
        looks = 0;
        await this.clock.advance(stepMs);
        return false;
      },
      {
        shown: () => [
          new Date(this.clock.now()).toISOString(),
          this.#daemon?.daemon.status.lanes.map(({ plan: _, ...rest }) => rest),
          this.lines.slice(-15),
        ],
      },
    );
  }

  /** Lets time pass, and what it brings happen. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    await this.later(`${ms} ms to pass`, () => this.clock.now() >= end, Math.max(1_000, Math.ceil(ms / 20)));
  }

  /** Waits for destinations to have a revision. */
  async applied(revision: string, ...names: readonly string[]): Promise<void> {
    await this.later(`${names.join(', ')} to have ${revision}`, () =>
      names.every((name) => this.status(name).state === 'applied' && this.status(name).applied === revision),
    );
  }

  /** Waits until a destination says something. */
  async says(name: string, state: LaneStatus['state'], words: string | RegExp, stepMs?: number): Promise<LaneStatus> {
    await this.later(
      `${name} to be ${state}: ${String(words)}`,
      () => {
        const { state: is, detail } = this.status(name);
        return is === state && (typeof words === 'string' ? detail.includes(words) : words.test(detail));
      },
      stepMs,
    );
    return this.status(name);
  }

  /** Waits until the newest status of a commit is this one. */
  async posted(revision: string, destination: string, state: string, words: string): Promise<void> {
    const newest = () => this.forge.newest(revision, `konverge/${destination}`);
    await this.later(`${destination} to be ${state} on ${revision}: ${words}`, () => {
      const status = newest();
      return status?.state === state && status.description.includes(words);
    });
  }

  /** What the daemon shows to people and machines. */
  shown(): { readonly page: string; readonly metrics: string; readonly json: string } {
    const status = this.#daemon?.daemon.status;
    if (status === undefined) throw new TypeError('the daemon does not run');
    const repositories = [{ label: { url: 'here', branch: 'main', path: '' }, status }];
    return {
      page: statusPage(repositories),
      metrics: metricsText(repositories, this.clock.now()),
      json: JSON.stringify(statusJson(repositories)),
    };
  }

  /** The events in the history of a destination, oldest first. */
  async history(name: string): Promise<readonly string[]> {
    const entries = (await this.#daemon?.history.entries(name, 100)) ?? [];
    return entries.map(({ event, detail }) => `${event}: ${detail}`);
  }

  #note(status: DaemonStatus): void {
    for (const lane of status.lanes) {
      const last = this.said.findLast(({ destination }) => destination === lane.destination);
      const { at: _, ...before } = last ?? { at: 0 };
      if (JSON.stringify(before) !== JSON.stringify(lane)) this.said.push({ ...lane, at: this.clock.now() });
    }
  }

  #counted(client: HttpClient): HttpClient {
    return {
      request: async (request, signal) => {
        this.#asked += 1;
        try {
          return await client.request(request, signal);
        } finally {
          this.#asked -= 1;
        }
      },
      close: () => client.close(),
    };
  }

  /** Reviews are made in this thread, so that the clock stands still meanwhile. */
  #countedReviews(reviews: ReviewMaker): ReviewMaker {
    return {
      see: (destination, seen, signal) => reviews.see(destination, seen, signal),
      make: async (job, signal) => {
        this.#asked += 1;
        try {
          return await reviews.make(job, signal);
        } finally {
          this.#asked -= 1;
        }
      },
      close: () => reviews.close(),
    };
  }

  #log(): Log {
    const keep = (level: string) => (fields: LogFields, message: string) => {
      this.logged.push({ at: this.clock.now(), level, message, fields });
      this.lines.push(
        `${String(fields['destination'] ?? '')}: ${message}: ${String(fields['what'] ?? fields['detail'] ?? '')}`,
      );
    };
    const log: Log = {
      debug: () => undefined,
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
      child: () => log,
    };
    return log;
  }
}

/** A repository of one service. */
export function service(host: string, more = ''): Readonly<Record<string, string>> {
  return {
    'gateway.yaml': `_format_version: "3.0"
services:
  - { name: orders, host: ${host}, routes: [{ name: orders, paths: [/orders] }] }
${more}`,
  };
}
