import { build } from '../../src/build/build.ts';
import type { Scope } from '../../src/build/built.ts';
import { plainRollout } from '../../src/config/rollout.ts';
import type { DestinationSettings } from '../../src/config/settings.ts';
import type { Destination } from '../../src/destination/destination.ts';
import type { Resolver } from '../../src/destination/kong/fleet.ts';
import { latestMs, silentMs } from '../../src/destination/kong/read-nodes.ts';
import { openDestination } from '../../src/destination/open.ts';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import type { Offer } from '../../src/lane/offer.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { kinds } from '../../src/model/kinds.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';

/** Files of a repository: text as it stands, or an object that is written as JSON. */
export type Files = { readonly [file: string]: string | JsonObject };

/** What is put to the test. */
export interface BenchWish {
  readonly name: string;
  readonly flavour: 'kong' | 'dbless' | 'konnect';
  readonly edition?: 'oss' | 'enterprise';
  readonly version?: string;
  /** How many DB-less nodes; one is reached by `kong.url`, several by `kong.nodes`. */
  readonly nodes?: number;
  readonly workspace?: string;
  /** A real server's Admin API in the place of an emulator. It is emptied. */
  readonly url?: string;
}

/** A destination's servers, and what a test does with them besides delivering. */
export interface Bench {
  readonly name: string;
  readonly mode: 'database' | 'dbless' | 'konnect';
  readonly edition: 'oss' | 'enterprise';
  /** None for a real server. */
  readonly emulators: readonly RunningEmulator[];
  readonly urls: readonly string[];
  /** Opens the destination anew, as a process does that starts. It is closed with the bench. */
  readonly open: (changes?: Partial<DestinationSettings>, resolver?: Resolver) => Destination;
  readonly settings: DestinationSettings;
  readonly scope: Scope;
  /** Before every path: a workspace or a control plane. */
  readonly prefix: string;
  /** How long was waited between tries, in milliseconds: nothing really waits. */
  readonly waits: number[];
  /** A clock on which sleeping takes no time, and moves it on. */
  readonly clock: Clock;
  /** Sends a request as another client would, below the workspace or control plane; of the first server. */
  readonly ask: (
    method: string,
    path: string,
    body?: Json,
  ) => Promise<{ readonly status: number; readonly body: Json }>;
  /** All entities of a kind that the server holds, asked page by page, without Konverge's own reading. */
  readonly list: (kind: KindName) => Promise<readonly JsonObject[]>;
  /** Requests that changed something since the last reset or `forget`. */
  readonly writes: () => number;
  readonly forget: () => void;
  /** Empties the servers and ends their faults. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

let bundled: Promise<{ readonly oss: Schemas; readonly enterprise: Schemas }> | null = null;

/** Kong's bundled schemas, loaded once for a file of tests. */
export function bundledSchemas(): Promise<{ readonly oss: Schemas; readonly enterprise: Schemas }> {
  bundled ??= (async () => ({
    oss: await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' }),
    enterprise: await loadSchemas({ version: '3.15', edition: 'enterprise', router: 'traditional_compatible' }),
  }))();
  return bundled;
}

const noTls = { ca: null, cert: null, key: null, serverName: null };

/** Starts what a wish names. */
export async function openBench(wish: BenchWish): Promise<Bench> {
  const { flavour, name } = wish;
  const edition = wish.edition ?? (flavour === 'konnect' ? 'enterprise' : 'oss');
  // Partials and own plugins came with later versions.
  const version = edition === 'enterprise' ? '3.15' : '3.9';
  const emulators =
    wish.url === undefined
      ? await Promise.all(
          Array.from({ length: wish.nodes ?? 1 }, () =>
            startEmulator({ flavour, port: 0, controlPort: null, edition, version, controlPlanes: ['plane'] }),
          ),
        )
      : [];
  const urls = wish.url === undefined ? emulators.map((emulator) => emulator.url) : [wish.url];
  const url = urls[0] ?? '';
  const schemas = await bundledSchemas();
  const waits: number[] = [];
  let sleptMs = 0;
  const clock: Clock = {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + sleptMs,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
      // How long nodes that are late are waited for is a race with answers that take real time.
      if (ms === latestMs || ms === silentMs) return systemClock.sleep(ms, signal);
      sleptMs += ms;
    },
  };
  const settings: DestinationSettings = {
    name,
    connection: connectionOf(wish, urls),
    include: [],
    exclude: { kinds: [], tags: [], files: [], prune: false },
    tags: [],
    rollout: plainRollout,
    policy: {
      onInvalid: 'reject',
      prune: true,
      adopt: true,
      maxDelete: { share: 1, atLeast: 1_000_000 },
      drift: 'correct',
      driftIntervalMs: 300_000,
      driftIgnore: [],
      driftReport: [],
      protect: [],
      onUnhealthy: 'hold',
    },
    limits: { timeoutMs: 20_000, concurrency: 8, bodyLimitBytes: 64 << 20, configLimitBytes: 10 << 20 },
  };
  const opened: Destination[] = [];
  const prefix =
    flavour === 'konnect' ? await konnectPrefix(url) : wish.workspace === undefined ? '' : `/${wish.workspace}`;

  const ask = async (method: string, path: string, body?: Json) => {
    const response = await fetch(`${url}${prefix}${path}`, {
      method,
      headers: { authorization: 'Bearer test', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: parsed(await response.text()) };
  };
  const pages = async (path: string): Promise<readonly JsonObject[]> => {
    const found: JsonObject[] = [];
    let offset: Json | undefined = '';
    do {
      const { status, body } = await ask(
        'GET',
        `/${path}?size=1000${offset === '' ? '' : `&offset=${String(offset)}`}`,
      );
      if (status !== 200 || !isJsonObject(body) || !isJsonArray(body['data'])) {
        throw new Error(`${path} answered ${status}`);
      }
      found.push(...body['data'].filter(isJsonObject));
      offset = body['next'] === null || body['next'] === undefined ? undefined : body['offset'];
    } while (offset !== undefined && offset !== null);
    return found;
  };
  const list = async (kind: KindName): Promise<readonly JsonObject[]> => {
    const api = flavour === 'konnect' ? kinds[kind].konnect : kinds[kind].admin;
    if (api === null) return [];
    if (api.flat !== null) return pages(api.flat);
    const key = kinds[kind].foreign.find(({ field }) => field === api.nested?.parent);
    if (api.nested === null || key === undefined) return [];
    const found: JsonObject[] = [];
    for (const parent of await pages(kinds[key.kind].admin.flat ?? '')) {
      const under = await pages(api.nested.path.replace('{parent}', String(parent['id'])));
      found.push(...under.map((entity) => ({ ...entity, [key.field]: { id: parent['id'] ?? null } })));
    }
    return found;
  };

  const bench: Bench = {
    name,
    mode: flavour === 'kong' ? 'database' : flavour,
    edition,
    emulators,
    urls,
    settings,
    scope: {
      include: [],
      excludeFiles: [],
      excludeKinds: [],
      excludeTags: [],
      tags: [],
      workspace: wish.workspace ?? null,
      controlPlane: flavour === 'konnect' ? 'plane' : null,
    },
    prefix,
    waits,
    clock,
    ask,
    list,
    open: (changes, resolver) => {
      const destination = openDestination(
        { ...settings, ...changes },
        {
          createHttpClient,
          clock,
          random: () => 0.5,
          bundled: schemas,
          ...(resolver === undefined ? {} : { resolver }),
        },
      );
      opened.push(destination);
      return destination;
    },
    writes: () => emulators.reduce((sum, emulator) => sum + emulator.counters().writes, 0),
    forget: () => {
      for (const emulator of emulators) emulator.clearLog();
    },
    reset: async () => {
      waits.length = 0;
      await Promise.all(opened.splice(0).map((destination) => destination.close()));
      for (const emulator of emulators) emulator.reset();
      if (emulators.length === 0) await emptied(ask, pages, flavour);
      else if (wish.workspace !== undefined) {
        emulators[0]?.request('POST', '/workspaces', { name: wish.workspace });
        emulators[0]?.clearLog();
      }
    },
    close: async () => {
      await Promise.all(opened.splice(0).map((destination) => destination.close()));
      await Promise.all(emulators.map((emulator) => emulator.close()));
    },
  };
  return bench;
}

function connectionOf(wish: BenchWish, urls: readonly string[]): DestinationSettings['connection'] {
  const url = urls[0] ?? '';
  switch (wish.flavour) {
    case 'kong':
      return { type: 'kong', url, headers: {}, workspace: wish.workspace ?? null, tls: noTls };
    case 'dbless':
      return urls.length === 1
        ? { type: 'kong', url, headers: {}, workspace: null, tls: noTls }
        : { type: 'dbless', nodes: urls, headers: {}, tls: noTls, quorum: 'all' };
    case 'konnect':
      return { type: 'konnect', url, controlPlane: 'plane', token: 'test', tls: noTls };
  }
}

async function konnectPrefix(url: string): Promise<string> {
  const response = await fetch(`${url}/v2/control-planes`, { headers: { authorization: 'Bearer test' } });
  const body = parsed(await response.text());
  const [plane] = isJsonObject(body) && isJsonArray(body['data']) ? body['data'] : [];
  return `/v2/control-planes/${isJsonObject(plane) ? String(plane['id']) : ''}/core-entities`;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Empties a real server without Konverge's help. */
async function emptied(
  ask: Bench['ask'],
  pages: (path: string) => Promise<readonly JsonObject[]>,
  flavour: BenchWish['flavour'],
): Promise<void> {
  if (flavour === 'dbless') {
    await ask('POST', '/config', { config: '{"_format_version":"3.0"}' });
    return;
  }
  const collections = ['plugins', 'routes', 'services', 'consumers', 'upstreams', 'snis', 'certificates'];
  for (const path of [...collections, 'ca_certificates', 'vaults', 'keys', 'key-sets']) {
    for (const entity of await pages(path)) await ask('DELETE', `/${path}/${String(entity['id'])}`);
  }
}

/** A snapshot of files. */
export function snapshotOf(files: Files, revision: string | null = null): Snapshot {
  return {
    revision,
    entries: new Map(
      Object.entries(files).map(([file, content]) => [
        file,
        {
          type: 'file',
          bytes: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
          blob: null,
        } as const,
      ]),
    ),
  };
}

/** An offer of files, built for one scope. */
export function offerOf(
  files: Files,
  scope: Scope,
  schemas: Schemas,
  { generation = 1, rules = {} }: { generation?: number; rules?: { readonly [rule: string]: 'off' } } = {},
): Offer {
  const revision = generation.toString(16).padStart(40, '0');
  const known = new Map<Schemas, ReturnType<typeof build>>();
  return {
    generation,
    revision,
    build: (asked) => {
      const used = asked ?? schemas;
      const before = known.get(used);
      if (before !== undefined) return before;
      const built = build(snapshotOf(files, revision), {
        scope,
        schemas: used,
        rules,
        environment: (variable) => (variable === 'DECK_SECRET' ? 'from-the-environment' : undefined),
        instant: Date.now(),
      });
      known.set(used, built);
      return built;
    },
    declaredEarlier: async (wanted) => wanted,
  };
}
