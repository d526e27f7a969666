import type { DestinationSettings, TlsSettings } from '../config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { HttpClient, HttpClientOptions } from '../platform/http-client.ts';
import type { Destination } from './destination.ts';
import { kongDbless } from './kong/dbless.ts';
import { type Fleet, listedFleet, namedFleet, type Resolver } from './kong/fleet.ts';
import { kong } from './kong/kong.ts';
import type { NodeWorld } from './kong/node.ts';
import { shownNode } from './kong/node.ts';
import { NodeHealth } from './kong/node-health.ts';
import { systemResolver } from './kong/system-resolver.ts';
import { konnect } from './konnect/konnect.ts';
import { Pace } from './pace.ts';
import type { Bundled } from './reading/served-schemas.ts';
import { withoutScheme } from './writing/hide-secrets.ts';

/** What destinations are opened with. `createHttpClient` is called once per address, so that no pool is shared. */
export interface OpenWorld {
  readonly createHttpClient: (options: HttpClientOptions) => HttpClient;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Schemas to fall back on where a destination serves none: by edition. */
  readonly bundled: Bundled;
  /** What nodes are found with by name; the machine's name servers where it is left out. */
  readonly resolver?: Resolver;
}

/** Opens a destination: nothing is sent before it is first asked. */
export function openDestination(settings: DestinationSettings, world: OpenWorld): Destination {
  const { connection, limits, name, tags } = settings;
  const { clock, random } = world;
  const secrets = secretsOf(connection);
  const client = (baseUrl: string, headers: Readonly<Record<string, string>>, tls: TlsSettings): HttpClient =>
    world.createHttpClient({
      baseUrl,
      headers,
      tls,
      timeoutMs: limits.timeoutMs,
      bodyLimitBytes: limits.bodyLimitBytes,
      connections: limits.concurrency,
      proxy: null,
    });
  switch (connection.type) {
    case 'kong':
      return kong({
        name,
        tags,
        clock,
        random,
        pace: new Pace(),
        url: connection.url,
        http: client(connection.url, connection.headers, connection.tls),
        workspace: connection.workspace === 'default' ? null : connection.workspace,
        concurrency: limits.concurrency,
        configLimitBytes: limits.configLimitBytes,
        bundled: world.bundled,
        secrets,
      });
    case 'dbless':
      return kongDbless({
        name,
        clock,
        quorum: connection.quorum,
        concurrency: limits.concurrency,
        bundled: world.bundled,
        secrets,
        fleet: fleetOf(connection, world, (url, tls, rests) => ({
          url: shownNode(url),
          clock,
          random,
          pace: new Pace(),
          http: client(url, connection.headers, tls),
          configLimitBytes: limits.configLimitBytes,
          secrets,
          health: new NodeHealth(clock, rests),
        })),
      });
    case 'konnect':
      return konnect({
        name,
        tags,
        clock,
        random,
        pace: new Pace(),
        http: client(connection.url, { authorization: `Bearer ${connection.token}` }, connection.tls),
        controlPlane: connection.controlPlane,
        concurrency: limits.concurrency,
        bundled: world.bundled.enterprise,
        secrets,
      });
  }
}

/** What a destination is reached with and nobody may see, should its server repeat it. */
function secretsOf(connection: DestinationSettings['connection']): readonly string[] {
  const { key } = connection.tls;
  const keys = key === null ? [] : [key];
  if (connection.type === 'konnect') return [connection.token, ...keys];
  const urls = connection.type === 'kong' ? [connection.url] : connection.nodes;
  return [...Object.values(connection.headers).flatMap(withoutScheme), ...urls.flatMap(passwordIn), ...keys];
}

/** The password of a URL, by itself and as Basic authentication sends it. */
function passwordIn(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  if (password === '') return [];
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return [secret, password, Buffer.from(`${user}:${secret}`, 'utf8').toString('base64')];
}

type DblessConnection = Extract<DestinationSettings['connection'], { readonly type: 'dbless' }>;

function fleetOf(
  connection: DblessConnection,
  world: OpenWorld,
  open: (url: string, tls: TlsSettings, rests: boolean) => NodeWorld,
): Fleet {
  const { dns, nodes, tls } = connection;
  if (dns === undefined) return listedFleet(nodes.map((url) => open(url, tls, nodes.length > 1)));
  return namedFleet({
    dns,
    resolver: world.resolver ?? systemResolver,
    open: (url, serverName) => open(url, { ...tls, serverName: tls.serverName ?? serverName }, true),
  });
}
