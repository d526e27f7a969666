import { isUuid } from '../../model/derived-id.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type Answer, answer, envelope, methodNotAllowed, notFound, uniqueViolation } from '../http/answers.ts';
import { readBody, type WireRequest } from '../http/request.ts';
import { emptyGateway, type Gateway, newGateway, newId } from '../state/gateway.ts';
import { adminApi } from './admin-api.ts';
import { segmentsOf } from './paths.ts';

interface Workspace {
  readonly about: JsonObject & { readonly id: string; readonly name: string };
  readonly gateway: Gateway;
  readonly api: (request: WireRequest) => Answer;
}

/** A whole emulated Kong: its Admin API, and, where the edition has workspaces, that of each of them. */
export interface EmulatedKong {
  readonly api: (request: WireRequest) => Answer;
  /** Empties it; what workspaces were made are gone. */
  readonly empty: () => void;
  /** Says whether its database is there. */
  readonly setReachable: (reachable: boolean) => void;
  /** Says which data planes a Konnect's control planes have; null for one that is up to date. A Kong has none. */
  readonly setNodes: (nodes: { readonly count: number; readonly lagging: number } | null) => void;
}

/**
 * An emulated Kong. An Enterprise one keeps its entities by workspace: `/{workspace}/…` is the Admin API of that one, and
 * a path without one is that of `default`.
 */
export function emulatedKong(gateway: Gateway): EmulatedKong {
  const api = adminApi(gateway);
  const setReachable = (reachable: boolean) => {
    gateway.reachable = reachable;
  };
  if (gateway.schemas.edition !== 'enterprise' || gateway.flavour !== 'kong') {
    return { api, empty: () => emptyGateway(gateway), setReachable, setNodes: () => {} };
  }
  const first: Workspace = { about: about(gateway, 'default', {}), gateway, api };
  const workspaces = new Map([['default', first]]);
  return {
    setReachable,
    setNodes: () => {},
    api: (request) => {
      const segments = segmentsOf(request.path);
      const [name, key, ...rest] = segments ?? [];
      if (name === 'workspaces' && rest.length === 0) return handle(gateway, workspaces, key, request);
      if (name === 'workspaces' && rest.length === 1 && rest[0] === 'meta') return meta(workspaces.get(key ?? ''));
      const workspace = name === undefined ? undefined : workspaces.get(name);
      if (workspace === undefined || key === undefined) return api(request);
      return workspace.api({ ...request, path: request.path.replace(/^\/[^/]+/, '') });
    },
    empty: () => {
      emptyGateway(gateway);
      for (const name of [...workspaces.keys()]) if (name !== 'default') workspaces.delete(name);
    },
  };
}

/** How many entities of each kind a workspace holds, of those that it holds any of. */
function meta(workspace: Workspace | undefined): Answer {
  if (workspace === undefined) return notFound;
  const { collections, store } = workspace.gateway;
  const counted = [...collections.keys()].map((name) => [name, store.count(name)] as const);
  return answer(200, { counts: Object.fromEntries(counted.filter(([, count]) => count > 0)) });
}

function about(gateway: Gateway, name: string, body: JsonObject): Workspace['about'] {
  const now = Math.floor(gateway.chance.now() / 1000);
  return {
    id: newId(gateway.chance),
    name,
    comment: body['comment'] ?? null,
    config: body['config'] ?? {},
    meta: body['meta'] ?? {},
    created_at: now,
    updated_at: now,
  };
}

/** What is wrong with a workspace's name, or null. Paths of the API itself are no names. */
function nameFault(name: Json | undefined): string | null {
  if (typeof name !== 'string' || name === '') return 'is required';
  return /^[\w.~-]+$/.test(name) && name !== 'workspaces' ? null : 'must be of letters, digits and ".-_~"';
}

function changed(
  gateway: Gateway,
  workspaces: Map<string, Workspace>,
  known: Workspace,
  { comment, config, meta }: JsonObject,
): JsonObject {
  const about = {
    ...known.about,
    ...(comment === undefined ? {} : { comment }),
    ...(config === undefined ? {} : { config }),
    ...(meta === undefined ? {} : { meta }),
    updated_at: Math.floor(gateway.chance.now() / 1000),
  };
  workspaces.set(known.about.name, { ...known, about });
  return about;
}

function handle(
  gateway: Gateway,
  workspaces: Map<string, Workspace>,
  key: string | undefined,
  request: WireRequest,
): Answer {
  const read = readBody(request, false);
  if (read.kind === 'refused') return read.answer;
  const body = read.kind === 'json' ? read.value : {};
  const make = (name: string): Answer => {
    const own = newGateway('kong', gateway.version, gateway.schemas, gateway.chance);
    const workspace: Workspace = { about: about(gateway, name, body), gateway: own, api: adminApi(own) };
    workspaces.set(name, workspace);
    return answer(request.method === 'POST' ? 201 : 200, workspace.about);
  };
  if (key === undefined) {
    if (request.method === 'GET')
      return answer(200, { data: [...workspaces.values()].map((one) => one.about), next: null });
    if (request.method !== 'POST') return methodNotAllowed;
    const { name } = body;
    const fault = nameFault(name);
    if (fault !== null || typeof name !== 'string') {
      return envelope(2, `name ${fault ?? ''}`, { fields: { name: fault ?? 'is required' } });
    }
    if (workspaces.has(name)) return uniqueViolation({ fields: ['name'], nullsClash: false }, { name });
    return make(name);
  }
  const found = [...workspaces.values()].find((one) => (isUuid(key) ? one.about.id === key : one.about.name === key));
  switch (request.method) {
    case 'GET':
      return found === undefined ? notFound : answer(200, found.about);
    case 'PUT':
      if (found !== undefined) return answer(200, changed(gateway, workspaces, found, { comment: null, ...body }));
      return nameFault(key) === null ? make(key) : envelope(10, 'no name of a workspace', {}, 'invalid unique name');
    case 'PATCH':
      return found === undefined ? notFound : answer(200, changed(gateway, workspaces, found, body));
    case 'DELETE':
      if (found === undefined) return answer(204);
      if (found.about.name === 'default' || found.gateway.store.count() > 0) {
        return answer(400, { message: 'the workspace is not empty' });
      }
      workspaces.delete(found.about.name);
      return answer(204);
    default:
      return methodNotAllowed;
  }
}
