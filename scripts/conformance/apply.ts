import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type EmulatorOptions, type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import { konverge, type Ran } from '../../test/support/command-line.ts';
import type { Outcome } from './outcome.ts';

const cases = z.array(z.object({ file: z.string().optional(), folder: z.string().optional() }));

/** A server that files are delivered to. */
interface Server extends Pick<EmulatorOptions, 'flavour'> {
  readonly edition: 'oss' | 'enterprise';
  readonly version: string;
  readonly router: NonNullable<EmulatorOptions['router']>;
}

/** The Kongs that a file may be for: the first that takes it is used. */
const kongs: readonly Omit<Server, 'flavour'>[] = [
  { edition: 'oss', version: '3.9', router: 'traditional_compatible' },
  ...['3.15', '3.14', '3.13', '3.12', '3.10', '3.9', '3.4'].map((version) => {
    return { edition: 'enterprise', version, router: 'traditional_compatible' } as const;
  }),
  { edition: 'oss', version: '3.4', router: 'traditional_compatible' },
  { edition: 'enterprise', version: '3.9', router: 'expressions' },
];

const konnect: Server = {
  flavour: 'konnect',
  edition: 'enterprise',
  version: '3.15',
  router: 'traditional_compatible',
};

/**
 * Delivers every file of the decK corpus that is valid for some Kong to an emulator of it, with a database and without
 * one, and those of Konnect to Konnect: the plan after it has to be empty. Files that none of them takes are counted, and
 * with `show` told with what each said.
 */
export async function applyCases(
  folder: string,
  wanted: (name: string) => boolean,
  show = false,
): Promise<readonly Outcome[]> {
  const servers = new Servers(mkdtempSync(join(tmpdir(), 'konverge-conformance-')));
  try {
    const outcomes: Outcome[] = [];
    for (const { file, folder: inside } of cases.parse(JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')))) {
      const name = file ?? inside ?? '';
      if (!wanted(name) || !existsSync(join(folder, name))) continue;
      outcomes.push(...(await deliveries(servers, name, join(folder, name))));
    }
    console.log(`files that none of the emulated servers takes, and nothing was written: ${servers.unfit.length}`);
    if (show) for (const { name, why } of servers.unfit) console.log(`${name}\n  ${why.join('\n  ')}`);
    return outcomes;
  } finally {
    await servers.close();
  }
}

async function deliveries(servers: Servers, name: string, path: string): Promise<readonly Outcome[]> {
  const text = filesOf(path)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const env = Object.fromEntries((text.match(/DECK_\w+/g) ?? []).map((variable) => [variable, '10']));
  const place = {
    workspace: /^_workspace:\s*"?([^"\s]+)/m.exec(text)?.[1] ?? null,
    plane: /control_plane_name:\s*"?([^"\n]+?)"?\s*$/m.exec(text)?.[1] ?? null,
  };
  const given = { name, path, env, ...place };
  if (/^_konnect:/m.test(text)) return await servers.first([konnect], given);
  const database = await servers.first(
    kongs.map((kong) => ({ ...kong, flavour: 'kong' })),
    given,
  );
  const dbless = await servers.first(
    kongs.map((kong) => ({ ...kong, flavour: 'dbless' })),
    given,
  );
  return [...database, ...dbless];
}

function filesOf(path: string): readonly string[] {
  const files = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
  return files.filter((file) => statSync(file).isFile());
}

/** One file on its way to one server. */
interface Delivery {
  readonly server: Server;
  readonly name: string;
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string | null;
  readonly plane: string | null;
}

const groups = { kong: 'Kong with a database', dbless: 'Kong without a database', konnect: 'Konnect' } as const;

/** What is said where a file is for a server that has things already, or plugins of its own. */
const notThere = /refers to what is not there|names nothing among|there is no plugin "/;

/** Emulators, started when they are needed and emptied before each file. */
class Servers {
  readonly #cwd: string;
  readonly #running = new Map<string, RunningEmulator>();
  /** Files that no server takes, and what each said. */
  readonly unfit: { readonly name: string; readonly why: readonly string[] }[] = [];

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** How a file fares on the first server that it is valid for; nothing where it is for none. */
  async first(servers: readonly Server[], given: Omit<Delivery, 'server'>): Promise<readonly Outcome[]> {
    const refused: string[] = [];
    for (const server of servers) {
      const one = await this.#deliver({ ...given, server });
      if (typeof one !== 'string') return [one];
      refused.push(`${server.edition} ${server.version}: ${one}`);
    }
    this.unfit.push({ name: `${given.name} (${groups[servers[0]?.flavour ?? 'kong']})`, why: refused });
    return [];
  }

  /** How a file fares on one server; why, where the server does not take it, and nothing was written. */
  async #deliver(delivery: Delivery): Promise<Outcome | string> {
    const { server, name, path, env, workspace, plane } = delivery;
    if (workspace !== null && server.edition === 'oss' && workspace !== 'default') return 'has no workspaces';
    const emulator = await this.#start(server, plane ?? 'default');
    if (workspace !== null) emulator.request('POST', '/workspaces', { name: workspace });
    writeFileSync(join(this.#cwd, 'konverge.yaml'), configuration(delivery, emulator.url));
    const run = (...words: readonly string[]) => konverge([...words, path], this.#cwd, env);
    const valid = await run('validate');
    if (valid.code !== 0) return said(valid);
    emulator.clearLog();
    const applied = await run('apply');
    const refused = applied.code !== 0 && emulator.counters().writes === 0;
    const misses = applied.code !== 0 && notThere.test(applied.stderr);
    if (refused || misses) return said(applied);
    const shown = `${name} (${groups[server.flavour]})`;
    const outcome = (faults: readonly string[]): Outcome => {
      return { group: groups[server.flavour], name: shown, passed: faults.length === 0, faults };
    };
    if (applied.code !== 0) return outcome([`apply ends with ${said(applied)}`]);
    const again = await run('plan', '--exit-code');
    return outcome(again.code === 0 ? [] : [`the plan after it ends with ${said(again)}`]);
  }

  async #start(server: Server, plane: string): Promise<RunningEmulator> {
    // Control planes are there from the start.
    const key = JSON.stringify([server, server.flavour === 'konnect' ? plane : null]);
    const running = this.#running.get(key);
    if (running !== undefined) {
      running.reset();
      return running;
    }
    const started = await startEmulator({ ...server, port: 0, controlPort: null, controlPlanes: [plane] });
    this.#running.set(key, started);
    return started;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((emulator) => emulator.close()));
    rmSync(this.#cwd, { recursive: true, force: true });
  }
}

function configuration({ server, workspace, plane }: Delivery, url: string): string {
  const { flavour, edition, version, router } = server;
  const connection = {
    kong: { kong: { url, ...(workspace === null ? {} : { workspace }) } },
    dbless: { kong: { nodes: [url] } },
    konnect: { konnect: { url, controlPlane: plane ?? 'default', token: 'not-a-secret' } },
  }[flavour];
  return JSON.stringify({ destinations: [{ name: 'there', ...connection }], kong: { edition, version, router } });
}

function said(ran: Ran): string {
  return `exit ${ran.code}: ${`${ran.stdout}\n${ran.stderr}`.trim().replace(/\s+/g, ' ').slice(-400)}`;
}
