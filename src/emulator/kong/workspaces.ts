import { isUuid } from '../../model/derived-id.ts';
import type { JsonObject } from '../../model/json.ts';
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
    return { api, empty: () => emptyGateway(gateway), setReachable };
  }
  const first: Workspace = { about: about(gateway, 'default', {}), gateway, api };
  const workspaces = new Map([['default', first]]);
  return {
    setReachable,
    api: (request) => {
      const segments = segmentsOf(request.path);
      const [name, key, ...rest] = segments ?? [];
      if (name === 'workspaces' && rest.length === 0) return handle(gateway, workspaces, key, request);
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
    if (typeof name !== 'string' || name === '')
      return envelope(2, 'name is required', { fields: { name: 'is required' } });
    if (workspaces.has(name)) return uniqueViolation({ fields: ['name'], nullsClash: false }, { name });
    return make(name);
  }
  const found = [...workspaces.values()].find((one) => (isUuid(key) ? one.about.id === key : one.about.name === key));
  switch (request.method) {
    case 'GET':
      return found === undefined ? notFound : answer(200, found.about);
    case 'PUT':
      return found === undefined ? make(key) : answer(200, found.about);
    case 'PATCH':
      return found === undefined ? notFound : answer(200, found.about);
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
