import type { JsonObject } from '../../model/json.ts';
import { getConfig, postConfig } from '../dbless/config-endpoint.ts';
import { handleEntities, methodsOf } from '../entities/entities.ts';
import { handleMemberships } from '../entities/memberships.ts';
import { handlePartialLinks } from '../entities/partial-links.ts';
import { type Answer, answer, methodNotAllowed, notFound } from '../http/answers.ts';
import { underConditions } from '../http/conditional.ts';
import { readBody, type WireRequest } from '../http/request.ts';
import type { Gateway } from '../state/gateway.ts';
import { handleNode, noWasm } from './node-endpoints.ts';
import { type Place, placesOf, segmentsOf } from './paths.ts';
import { handleSchemas, servePluginConfig } from './schema-endpoints.ts';
import { handleUpstreamHealth } from './upstream-health.ts';
import { handleUserRoles } from './user-roles.ts';

/** The Admin API of one gateway: a request in, an answer out. */
export function adminApi(gateway: Gateway): (request: WireRequest) => Answer {
  const placeAt = placesOf([...gateway.collections.values()]);
  return (request) => {
    const answered = underConditions(request, route(gateway, placeAt, request));
    return request.method === 'HEAD' ? { ...answered, body: undefined } : answered;
  };
}

function route(gateway: Gateway, placeAt: (segments: readonly string[]) => Place | null, request: WireRequest): Answer {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const body = readBody(request, request.path.replace(/\/$/, '') === '/config');
  if (body.kind === 'refused' && body.answer.status === 413) return body.answer;
  const segments = segmentsOf(request.path);
  if (segments === null) return notFound;
  const json = body.kind === 'json' ? body.value : {};
  const [first, second, third] = segments;
  if (first === 'config' && second === undefined) {
    if (method === 'OPTIONS') return options(['GET', 'POST']);
    if (method !== 'GET' && method !== 'POST') return methodNotAllowed;
    if (body.kind === 'refused') return body.answer;
    if (gateway.flavour !== 'dbless') return answer(400, { message: 'this is for nodes without a database only' });
    if (method === 'GET') return getConfig(gateway);
    return postConfig(gateway, body, new TextDecoder().decode(request.body), request.query);
  }
  if (second !== undefined && (third === 'filters' || third === 'filter-chains')) return noWasm;
  const special = handleUpstreamHealth(gateway, method, segments, request.query);
  if (special !== null) return special;
  const membership =
    handleMemberships(gateway, method, segments, json) ??
    handlePartialLinks(gateway, method, segments) ??
    handleUserRoles(gateway, method, segments, () => bodyOfDelete(request, json));
  if (membership !== null) return body.kind === 'refused' ? body.answer : membership;
  const place = placeAt(segments);
  const ofNode = () => {
    if (first === 'schemas') return handleSchemas(gateway, method, segments.slice(1), json);
    if (first === 'plugins' && second === 'schema' && third !== undefined) {
      return method === 'GET' ? servePluginConfig(gateway, third) : methodNotAllowed;
    }
    return handleNode(gateway, method, segments, request.query);
  };
  if (method === 'OPTIONS') {
    if (place !== null) return options(methodsOf(place));
    return ofNode() === null ? notFound : options(['GET']);
  }
  // A fixed path goes before a key that looks like it: no plugin is called "enabled".
  const fixed = first === 'plugins' || first === 'filter-chains' || place === null ? ofNode() : null;
  if (fixed !== null)
    return body.kind === 'refused' && fixed.status !== 404 && fixed.status !== 405 ? body.answer : fixed;
  if (place === null) return notFound;
  if (!isEntityMethod(method)) return methodNotAllowed;
  if (body.kind === 'refused') return body.answer;
  return handleEntities(gateway, place, {
    method,
    query: request.query,
    body: json,
    isForm: body.kind === 'json' && body.isForm,
    path: request.path.replace(/\/$/, ''),
  });
}

/** The body of a request, which the one DELETE that has any is read for too. */
function bodyOfDelete(request: WireRequest, known: JsonObject): JsonObject {
  if (request.method !== 'DELETE') return known;
  const body = readBody({ ...request, method: 'POST' }, false);
  return body.kind === 'json' ? body.value : {};
}

function isEntityMethod(method: string): method is 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' {
  return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method);
}

function options(methods: readonly string[]): Answer {
  const allowed = [...new Set([...methods, 'HEAD', 'OPTIONS'])].sort().join(', ');
  return answer(204, undefined, {
    Allow: allowed,
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': 'Content-Type',
  });
}
