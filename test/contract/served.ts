import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { Bench } from './bench.ts';
import { idIn } from './changing.ts';

/** What one route lets through: requests of one path and protocol to one host, and the plugins that look at them. */
interface Served {
  readonly id: string;
  readonly route: string;
  readonly path: string;
  readonly host: string;
  readonly by: ReadonlySet<string>;
}

/** Plugins that keep nobody out. */
const harmless: ReadonlySet<string> = new Set(['cors', 'file-log', 'prometheus', 'correlation-id']);

/** Everything that a server lets through now, asked in the process. */
export function servedBy(bench: Bench): readonly Served[] {
  const [routes = [], services = [], plugins = []] = ['routes', 'services', 'plugins'].map((path) =>
    listed(bench, path),
  );
  return routes.flatMap((route) => {
    const service = services.find(({ id }) => id === idIn(route, 'service'));
    if (isShut(route) || service?.['enabled'] === false) return [];
    const bears = (plugin: JsonObject, protocol: Json) => {
      const [ownRoute, ownService] = [idIn(plugin, 'route') ?? null, idIn(plugin, 'service') ?? null];
      const forAll = (idIn(plugin, 'consumer') ?? null) === null;
      const isMeant =
        (ownRoute === null || ownRoute === route['id']) && (ownService === null || ownService === service?.['id']);
      const speaks = !isJsonArray(plugin['protocols']) || plugin['protocols'].includes(protocol);
      return isMeant && forAll && speaks && plugin['enabled'] !== false && !harmless.has(String(plugin['name']));
    };
    const paths = isJsonArray(route['paths']) ? route['paths'] : [null];
    const protocols = isJsonArray(route['protocols']) ? route['protocols'] : [];
    return paths.flatMap((path) =>
      protocols.map((protocol) => ({
        id: String(route['id']),
        route: String(route['name']),
        path: `${String(protocol)} ${String(path)}`,
        host: service === undefined ? 'nowhere' : `${String(service['host'])}:${String(service['port'])}`,
        by: new Set(plugins.filter((plugin) => bears(plugin, protocol)).map(looksAs)),
      })),
    );
  });
}

/** The ids of routes that are there and match nothing. */
export function shutRoutes(bench: Bench): readonly string[] {
  return listed(bench, 'routes')
    .filter(isShut)
    .map(({ id }) => String(id));
}

/**
 * What is let through now, and would be with fewer plugins than before and than it is to be; null where nothing is. Where
 * a path leads to a host that it leads to neither before nor after, what is asked of the path holds.
 */
export function openNow(now: readonly Served[], before: readonly Served[], after: readonly Served[]): string | null {
  const known = [...before, ...after];
  for (const served of now) {
    const ofPath = known.filter(({ path }) => path === served.path);
    const same = ofPath.filter(({ host }) => host === served.host);
    const asked =
      same.length > 0 ? same : ofPath.length > 0 ? ofPath : known.filter(({ host }) => host === served.host);
    if (asked.some(({ by }) => [...by].every((plugin) => served.by.has(plugin)))) continue;
    return `${served.route}: ${served.path} to ${served.host} by ${[...served.by].join(', ') || 'nothing'}`;
  }
  return null;
}

/** Restrictions of addresses are told apart by whom they let in. */
function looksAs({ name, config }: JsonObject): string {
  const allowed = name === 'ip-restriction' && isJsonObject(config) ? JSON.stringify(config['allow'] ?? null) : '';
  return `${String(name)}${allowed}`;
}

function isShut({ headers }: JsonObject): boolean {
  return isJsonObject(headers) && headers['x-konverge-closed'] !== undefined;
}

function listed(bench: Bench, path: string): readonly JsonObject[] {
  const answered = bench.emulators[0]?.request('GET', `${bench.prefix}/${path}?size=1000`)?.body;
  const body: unknown = typeof answered === 'string' ? JSON.parse(answered) : answered;
  const data = isJsonObject(body as Json) ? (body as JsonObject)['data'] : undefined;
  return isJsonArray(data) ? data.filter(isJsonObject) : [];
}
