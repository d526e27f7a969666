import type { ProbeSettings, Rollout } from '../config/settings.ts';
import type { OpenWorld } from '../destination/open.ts';
import type { Health, Probe } from '../lane/health.ts';
import { asFailure } from '../platform/failure.ts';
import type { HttpClient } from '../platform/http-client.ts';

/** The probes of one destination with the connections that they use; null where it has none. */
export interface OpenProbes {
  readonly health: Health;
  close(): Promise<void>;
}

/** The largest answer of a probe that is read. */
const bodyLimitBytes = 1024 * 1024;

/** Opens the probes of a destination, each with a pool of its own. Others wait `watchMs` for it: so long they are asked. */
export function openProbes(
  rollout: Rollout,
  onUnhealthy: Health['onUnhealthy'],
  { createHttpClient }: Pick<OpenWorld, 'createHttpClient'>,
  watchMs = 0,
): OpenProbes | null {
  if (rollout.probes.length === 0) return null;
  const clients: HttpClient[] = [];
  const probes = rollout.probes.map((settings): Probe => {
    const url = new URL(settings.url);
    const client = createHttpClient({
      baseUrl: url.origin,
      headers: {},
      timeoutMs: settings.timeoutMs,
      bodyLimitBytes,
      connections: 1,
      tls: { ca: null, cert: null, key: null, serverName: null },
      proxy: null,
    });
    clients.push(client);
    return probeOf(settings, url, client);
  });
  return {
    health: { probes, updateIntervalMs: rollout.updateIntervalMs, onUnhealthy, watchMs },
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

function probeOf(settings: ProbeSettings, url: URL, client: HttpClient): Probe {
  const { expectStatus, withinMs } = settings;
  const path = url.pathname;
  return {
    name: `${url.origin}${path}`,
    withinMs,
    ask: async (signal) => {
      try {
        const { status } = await client.request({ method: 'GET', path, accept: [expectStatus] }, signal);
        return status === expectStatus ? null : `answers ${status}, not ${expectStatus}`;
      } catch (thrown) {
        signal.throwIfAborted();
        const facts = asFailure(thrown)?.facts;
        if (facts === undefined) throw thrown;
        return facts.status === null
          ? `does not answer (${facts.code.replaceAll('-', ' ')})`
          : `answers ${facts.status}, not ${expectStatus}`;
      }
    },
  };
}
