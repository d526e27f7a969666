import type { Json, JsonObject } from '../../model/json.ts';
import { pageAnswer, readPage } from '../entities/listing.ts';
import { type Answer, answer, envelope, methodNotAllowed, notFound } from '../http/answers.ts';
import { carriesTags } from '../state/collections.ts';
import { tagProblem } from '../state/entity-check.ts';
import type { Gateway } from '../state/gateway.ts';
import { handlePluginEndpoints } from './plugin-endpoints.ts';

/** The releases that the emulator says it is, by minor version; others end in `.0`. */
const patches: { readonly [version: string]: string } = {
  '3.4': '3.4.2',
  '3.7': '3.7.1',
  '3.8': '3.8.1',
  '3.9': '3.9.3',
};

/** What is answered about filter chains: the emulated nodes have no wasm, as Kong has not by default. */
export const noWasm: Answer = { status: 400, body: { message: 'wasm is not enabled on this node' } };

/** What is answered to a request for the node itself rather than for entities; null where the path is none of these. */
export function handleNode(
  gateway: Gateway,
  method: string,
  segments: readonly string[],
  query: ReadonlyMap<string, string>,
): Answer | null {
  const [first = '', second, third] = segments;
  const get = (body: () => Answer) => (method === 'GET' ? body() : methodNotAllowed);
  switch (first) {
    case '':
      return get(() => answer(200, nodeInfo(gateway)));
    case 'kong':
      // The same for those who may see one workspace only.
      if (gateway.schemas.edition !== 'enterprise' || second !== undefined) return null;
      return get(() => answer(200, nodeInfo(gateway)));
    case 'license':
      if (gateway.schemas.edition !== 'enterprise' || second !== 'report') return null;
      return get(() => answer(200, licenceReport(gateway)));
    case 'status':
      if (second === 'dns') return get(() => answer(501, { message: 'this node does not say how it resolves names' }));
      return second === undefined ? get(() => answer(200, nodeStatus(gateway))) : notFound;
    case 'endpoints':
      return second === undefined ? get(() => answer(200, { data: endpointPaths(gateway) })) : notFound;
    case 'timers':
      return second === undefined ? get(() => answer(200, { worker: { id: 0, count: 1 }, stats: {} })) : notFound;
    case 'clustering':
      return get(() => answer(400, { message: 'this node is no control plane of a cluster' }));
    case 'filter-chains':
      return noWasm;
    case 'debug':
      return logLevel(gateway, method, segments);
    case 'cache':
      return second === undefined ? methodFor(method, ['DELETE']) : cacheEntry(method);
    case 'proxy-cache':
    case 'acme':
    case 'metrics':
      return handlePluginEndpoints(gateway, method, segments);
    case 'plugins':
      return second === 'enabled' && third === undefined
        ? get(() => answer(200, { enabled_plugins: gateway.schemas.pluginNames }))
        : null;
    case 'tags':
      return third === undefined ? get(() => listTags(gateway, second ?? null, query)) : notFound;
    default:
      return null;
  }
}

const levels = ['debug', 'info', 'notice', 'warn', 'error', 'crit', 'alert', 'emerg'];

/** The log level, which nothing here depends on: it is kept nowhere. */
function logLevel(gateway: Gateway, method: string, [, of, what, level, more]: readonly string[]): Answer {
  if (what !== 'log-level' || more !== undefined || (of !== 'node' && of !== 'cluster')) return notFound;
  if (level === undefined) {
    if (of === 'cluster') return notFound;
    return method === 'GET' ? answer(200, { message: 'log level: notice' }) : methodNotAllowed;
  }
  if (method !== 'PUT') return methodNotAllowed;
  if (of === 'cluster' && gateway.flavour === 'dbless')
    return answer(405, { message: 'there is no cluster without a database' });
  if (!levels.includes(level)) return answer(400, { message: 'there is no such log level' });
  return answer(200, { message: 'log level changed' });
}

function methodFor(method: string, allowed: readonly string[]): Answer {
  return allowed.includes(method) ? answer(204) : methodNotAllowed;
}

function cacheEntry(method: string): Answer {
  if (method === 'GET') return notFound;
  return methodFor(method, ['DELETE']);
}

/** The full release that a minor version stands for. */
export function releaseOf(gateway: Gateway): string {
  const { version } = gateway;
  if (version.split('.').length > 2) return version;
  if (gateway.schemas.edition === 'enterprise') return `${version}.0.0`;
  return patches[version] ?? `${version}.0`;
}

function nodeInfo(gateway: Gateway): JsonObject {
  const number = releaseOf(gateway);
  const release = gateway.schemas.edition === 'enterprise' ? `${number}-enterprise-edition` : number;
  return {
    version: release,
    edition: gateway.schemas.edition === 'enterprise' ? 'enterprise' : 'community',
    tagline: 'Welcome to kong',
    hostname: 'emulator',
    node_id: gateway.nodeId,
    lua_version: 'LuaJIT 2.1.0-beta3',
    pids: { master: 1, workers: [2] },
    timers: { pending: 0, running: 0 },
    plugins: {
      available_on_server: Object.fromEntries(
        gateway.schemas.pluginNames.map((name) => [name, { version: release, priority: 1 }]),
      ),
      enabled_in_cluster: [...new Set(gateway.store.all('plugins').map((plugin) => plugin['name'] ?? null))],
    },
    configuration: {
      database: gateway.flavour === 'dbless' ? 'off' : 'postgres',
      router_flavor: gateway.schemas.router,
      role: 'traditional',
      loaded_plugins: Object.fromEntries(gateway.schemas.pluginNames.map((name) => [name, true])),
    },
  };
}

/** What an Enterprise gateway reports of itself to those who count. */
function licenceReport(gateway: Gateway): JsonObject {
  return {
    kong_version: `${releaseOf(gateway)}-enterprise-edition`,
    db_version: 'postgres 16',
    license_key: gateway.store.count('licenses') === 0 ? 'UNLICENSED' : 'emulated',
    rbac_users: gateway.store.count('rbac_users'),
    services_count: gateway.store.count('services'),
    routes_count: gateway.store.count('routes'),
    workspaces_count: 1,
  };
}

function nodeStatus(gateway: Gateway): JsonObject {
  return {
    database: { reachable: gateway.reachable },
    memory: { lua_shared_dicts: {}, workers_lua_vms: [] },
    server: {
      connections_accepted: 1,
      connections_active: 1,
      connections_handled: 1,
      connections_reading: 0,
      connections_waiting: 0,
      connections_writing: 1,
      total_requests: 1,
    },
    ...(gateway.flavour === 'dbless' ? { configuration_hash: gateway.hash } : {}),
  };
}

function endpointPaths(gateway: Gateway): readonly string[] {
  const paths = new Set([
    '/',
    '/config',
    '/endpoints',
    '/plugins/enabled',
    '/status',
    '/tags',
    '/tags/{tags}',
    '/timers',
  ]);
  for (const collection of gateway.collections.values()) {
    if (collection.path !== null) {
      const path = `/${collection.path.join('/')}`;
      paths.add(path).add(`${path}/{${collection.name}}`);
      for (const { field } of collection.foreign) paths.add(`${path}/{${collection.name}}/${field}`);
    }
    for (const [field, nested] of collection.nested) {
      const to = collection.foreign.find((key) => key.field === field)?.to;
      const parent = to === undefined ? undefined : gateway.collections.get(to);
      if (parent === undefined || parent.path === null) continue;
      const path = `/${parent.path.join('/')}/{${parent.name}}/${nested.join('/')}`;
      paths.add(path).add(`${path}/{${collection.name}}`);
    }
  }
  return [...paths].sort();
}

interface Tagged {
  readonly entity_name: string;
  readonly entity_id: string;
  readonly tag: string;
}

function tagsOf(gateway: Gateway, name: string, only: string | null): readonly Tagged[] {
  return gateway.store.all(name).flatMap((entity) => {
    const tags = entity['tags'];
    if (!Array.isArray(tags)) return [];
    return tags
      .filter((tag) => typeof tag === 'string' && (only === null || tag === only))
      .map((tag) => ({ entity_name: name, entity_id: entity.id, tag: String(tag) }));
  });
}

/** Every tag there is, or every use of one. A DB-less node walks its collections one by one, most of them empty. */
function listTags(gateway: Gateway, only: string | null, query: ReadonlyMap<string, string>): Answer {
  const problem = only === null ? null : tagProblem(only);
  if (problem !== null) return envelope(10, problem, {}, 'invalid unique tag');
  const page = readPage(gateway, null, query);
  if ('status' in page) return page;
  const path = only === null ? '/tags' : `/tags/${encodeURIComponent(only)}`;
  const names = [...gateway.collections.values()]
    .filter((collection) => carriesTags(collection, gateway.schemas))
    .map((collection) => collection.name);
  if (gateway.flavour === 'dbless') {
    const order = [null, 'consumers', ...names.filter((name) => name !== 'consumers')];
    const [asked = '', start = '0'] = (page.offset ?? '').split('|');
    const at = page.offset === null ? 0 : Math.max(0, order.indexOf(asked));
    const name = order[at] ?? null;
    const all = name === null ? [] : tagsOf(gateway, name, only);
    const from = start === 'nil' ? 0 : Number(start) || 0;
    const next = order[at + 1];
    const token =
      from + page.size < all.length ? `${asked}|${from + page.size}` : next === undefined ? null : `${next}|nil`;
    const size = query.has('size') && only === null ? `&size=${query.get('size')}` : '';
    return pageAnswer(json(all.slice(from, from + page.size)), token, path, size);
  }
  const all = names.flatMap((name) => tagsOf(gateway, name, only));
  const token = page.offset === null ? '[0]' : Buffer.from(page.offset, 'base64url').toString('utf8');
  const from = Number(/^\[(\d+)\]$/.exec(token)?.[1]);
  if (Number.isNaN(from)) return envelope(7, 'offset is not a token of a page');
  const next =
    from + page.size < all.length ? Buffer.from(JSON.stringify([from + page.size])).toString('base64url') : null;
  const size = query.has('size') ? `&size=${query.get('size')}` : '';
  return pageAnswer(json(all.slice(from, from + page.size)), next, path, size);
}

function json(tagged: readonly Tagged[]): readonly Json[] {
  return tagged.map((entry) => ({ ...entry }));
}
