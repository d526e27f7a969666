import { z } from 'zod';
import { jsonEqual } from '../../model/json.ts';
import { Failure } from '../../platform/failure.ts';
import type { Identified } from '../destination.ts';
import { type RequestWorld, send, statusOf } from '../requests.ts';

/** What `GET /` says of a Kong, with the plugins that it has. */
export interface KongIdentity extends Identified {
  readonly mode: 'database' | 'dbless';
  readonly pluginNames: readonly string[];
}

const root = z.object({
  version: z.string(),
  edition: z.string().optional(),
  plugins: z.object({ available_on_server: z.record(z.string(), z.json()).optional() }).optional(),
  configuration: z.object({ database: z.string().optional(), router_flavor: z.string().optional() }).optional(),
});

/**
 * Asks a Kong who it is. A user who may see only a workspace cannot read `/`; the workspace's `/kong` then says the
 * same (deck.md 3.6). Throws Failure, also when what answers is no Kong.
 */
export async function identifyKong(
  world: RequestWorld,
  workspacePrefix: string,
  signal: AbortSignal,
): Promise<KongIdentity> {
  const answer = await ask(world, workspacePrefix, signal);
  const parsed = root.safeParse(answer);
  if (!parsed.success) throw notKong();
  const { version, edition: named, plugins, configuration } = parsed.data;
  const edition = named === 'enterprise' || /enterprise/.test(version) ? 'enterprise' : 'oss';
  const mode = configuration?.database === 'off' ? 'dbless' : 'database';
  const flavour = configuration?.router_flavor;
  return {
    description: `Kong ${version.replace(/-enterprise-edition$/, '')} (${edition === 'oss' ? 'open source' : 'Enterprise'}), ${mode === 'dbless' ? 'without a database' : 'with a database'}`,
    version: /^\d+\.\d+/.exec(version)?.[0] ?? null,
    edition,
    router: flavour === 'traditional' || flavour === 'expressions' ? flavour : 'traditional_compatible',
    mode,
    pluginNames: Object.entries(plugins?.available_on_server ?? {})
      .filter(([, there]) => there !== false)
      .map(([name]) => name)
      .sort(),
  };
}

/** Whether two answers are of the same Kong, so that what was asked of it (its schemas) still holds. */
export function sameIdentity(a: KongIdentity, b: KongIdentity): boolean {
  return a.description === b.description && a.router === b.router && jsonEqual([...a.pluginNames], [...b.pluginNames]);
}

async function ask(world: RequestWorld, workspacePrefix: string, signal: AbortSignal): Promise<unknown> {
  try {
    return (await send(world, { method: 'GET', path: '/' }, signal)).json;
  } catch (thrown) {
    const status = statusOf(thrown);
    if (workspacePrefix === '' || (status !== 401 && status !== 403 && status !== 404)) throw thrown;
    return (await send(world, { method: 'GET', path: `${workspacePrefix}/kong` }, signal)).json;
  }
}

function notKong(): Failure {
  return new Failure({
    class: 'rejected',
    code: 'not-kong',
    message: 'what answers at this address is not a Kong Admin API',
    hint: 'Set `kong.url` to the Admin API (port 8001 or 8444 by default), not to the proxy.',
    method: 'GET',
    url: '/',
    status: 200,
    retryAfterMs: null,
    body: null,
  });
}
