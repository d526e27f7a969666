import { isUuid } from '../../model/derived-id.ts';
import type { JsonObject } from '../../model/json.ts';
import { isKindName, kinds } from '../../model/kinds.ts';
import { handleEntities } from '../entities/entities.ts';
import { handleMemberships } from '../entities/memberships.ts';
import { handlePartialLinks } from '../entities/partial-links.ts';
import { type Answer, answer } from '../http/answers.ts';
import { readBody, type WireRequest } from '../http/request.ts';
import { type Place, placesOf, segmentsOf } from '../kong/paths.ts';
import { handleSchemas } from '../kong/schema-endpoints.ts';
import type { Gateway } from '../state/gateway.ts';
import { type ControlPlanes, problem, rollout } from './control-planes.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { asKonnect, grpcFieldError, grpcNotAllowed, grpcNotFound } from './konnect-errors.ts';

const placesByGateway = new WeakMap<Gateway, ReturnType<typeof placesOf>>();

/**
 * Konnect's control plane API: a request in, an answer out. Any bearer token will do, but there must be one. `added` are
 * the plugins whose schemas were uploaded.
 */
export function konnectApi(
  planes: ControlPlanes,
  now: () => number,
  added: readonly string[] = [],
): (request: WireRequest) => Answer {
  return (request) => {
    const told = pluginSchemas(planes, added, request) ?? route(planes, now, request);
    return request.method === 'HEAD' ? { ...told, body: undefined } : told;
  };
}

function route(planes: ControlPlanes, now: () => number, request: WireRequest): Answer {
  if (!/^Bearer \S+$/i.test(request.headers['authorization'] ?? '')) {
    return answer(401, { message: 'Unauthorized', status: 401 });
  }
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const body = readBody(request, false);
  const segments = segmentsOf(request.path) ?? [];
  const [v2, what, id, part, ...rest] = segments;
  if (v2 === 'v2' && what === 'organizations' && id === 'me') {
    return answer(200, { id: '00000000-0000-4000-8000-000000000000', name: 'emulator', state: 'active' });
  }
  if (v2 !== 'v2' || what !== 'control-planes') return answer(404, { message: 'Not found', status: 404 });
  const json = body.kind === 'json' ? body.value : {};
  if (part === undefined) {
    if (body.kind === 'refused') return problem(400, 'Bad Request', 'the body cannot be read');
    return planes.handle(method, id, request.query, json);
  }
  const plane = planes.get(id ?? '');
  if (plane === undefined) return problem(404, 'Not Found', 'there is no such control plane');
  if (part !== 'core-entities') {
    const told = method === 'GET' && rest.length === 0 ? rollout(plane, part, now()) : null;
    return told ?? answer(404, { message: 'Not found' });
  }
  if (plane.clusterType === 'CLUSTER_TYPE_CONTROL_PLANE_GROUP') {
    return answer(400, { code: 9, message: 'a control plane group holds no entities', details: [] });
  }
  if (body.kind === 'refused') return answer(400, { code: 3, message: 'the body cannot be read', details: [] });
  return coreEntities(plane.gateway, method, rest, request, json);
}

/** The list of uploaded plugin schemas; null for any other request, and where there are none. */
function pluginSchemas(planes: ControlPlanes, added: readonly string[], request: WireRequest): Answer | null {
  const [, , id = '', , last, ...rest] = segmentsOf(request.path) ?? [];
  if (added.length === 0 || last !== 'plugin-schemas' || rest.length > 0 || planes.get(id) === undefined) return null;
  if (!/^Bearer \S+$/i.test(request.headers['authorization'] ?? '') || request.method !== 'GET') return null;
  return answer(200, { items: added.map((name) => ({ name })), page: { total_count: added.length } });
}

function coreEntities(
  gateway: Gateway,
  method: string,
  segments: readonly string[],
  request: WireRequest,
  body: JsonObject,
): Answer {
  if (method === 'PATCH') return grpcNotAllowed;
  if (segments[0] === 'v1' && segments[1] === 'schemas' && segments[2] === 'json') {
    const schema = segments.length === 4 ? jsonSchemaOf(gateway.schemas, segments[3] ?? '') : undefined;
    if (method !== 'GET') return grpcNotAllowed;
    return schema === undefined ? grpcNotFound : answer(200, schema);
  }
  if (segments[0] === 'schemas') {
    return asKonnect(
      handleSchemas(gateway, method, [kindNamed(gateway, segments[1] ?? ''), ...segments.slice(2)], body),
    );
  }
  const membership =
    handleMemberships(gateway, method, segments, body) ?? handlePartialLinks(gateway, method, segments);
  if (membership !== null) return asKonnect(membership);
  const known = placesByGateway.get(gateway) ?? placesOf([...gateway.collections.values()]);
  placesByGateway.set(gateway, known);
  const place = known(segments);
  if (place === null || place.place === 'referenced') return grpcNotFound;
  if (method !== 'GET' && method !== 'POST' && method !== 'PUT' && method !== 'DELETE') return grpcNotAllowed;
  const refused = method === 'GET' ? null : refusal(gateway, place, method, body);
  if (refused !== null) return refused;
  return asKonnect(
    handleEntities(gateway, place, {
      method,
      query: request.query,
      body,
      isForm: false,
      path: request.path.replace(/\/$/, ''),
    }),
  );
}

/** The collection of an entity named in any of the ways that clients name it: `service`, `services`, `key-set`. */
function kindNamed(gateway: Gateway, name: string): string {
  const word = name.replaceAll('-', '_');
  const found = [...gateway.collections.values()].find(
    (collection) => collection.name === word || collection.singular === word || collection.path?.join('/') === name,
  );
  return found?.name ?? name;
}

/** What Konnect takes in fewer ways than a gateway does (deck.md 5.3, 5.5). */
function refusal(gateway: Gateway, place: Place, method: 'POST' | 'PUT' | 'DELETE', body: JsonObject): Answer | null {
  const name = place.of.name;
  const isFlat = place.place === 'collection' || place.place === 'entity';
  if (isFlat && isKindName(name) && kinds[name].konnect?.write === 'nested') return grpcNotAllowed;
  if (method === 'PUT' && (place.place === 'entity' || place.place === 'child') && !isUuid(place.key)) {
    return grpcFieldError('id', 'must be a UUID');
  }
  if (method === 'DELETE' && (place.place === 'entity' || place.place === 'child')) {
    if (!isUuid(place.key) || gateway.store.get(name, place.key) === undefined) return grpcNotFound;
  }
  if (name === 'certificates' && body['snis'] !== undefined) {
    return grpcFieldError('snis', 'is made by SNIs of their own, not by the certificate');
  }
  return null;
}
