import { isJsonArray, type Json, type JsonObject } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { normalTarget } from '../../model/target-address.ts';
import { checkValue } from '../checks/value.ts';
import type { Fault } from '../fault.ts';
import { urlParts } from './urls.ts';

/**
 * An entity as Kong sees it before it fills and checks: a service's `url` taken apart, which no document lists, and an
 * upstream's algorithm as its hashing asks for.
 */
export function prepareEntity(kind: KindName, value: JsonObject): JsonObject {
  switch (kind) {
    case 'services':
      return withUrlTakenApart(value);
    case 'upstreams':
      return withAlgorithm(value);
    default:
      return value;
  }
}

/** Hashing on something makes the algorithm consistent hashing; least-connections leaves hashing out. */
function withAlgorithm(upstream: JsonObject): JsonObject {
  const { algorithm, hash_on: hashOn } = upstream;
  if (algorithm === 'least-connections') return { ...upstream, hash_on: 'none' };
  if (hashOn === undefined || hashOn === 'none') return upstream;
  return hashOn === null ? { ...upstream, hash_on: 'none' } : { ...upstream, algorithm: 'consistent-hashing' };
}

/** What is wrong with a service's `url` itself, which no document lists; null where it can be taken apart. */
export function urlFault(kind: KindName, value: JsonObject): Fault | null {
  const url = kind === 'services' ? (value['url'] ?? null) : null;
  if (url === null) return null;
  const found = checkValue({ type: 'string' }, url, ['url']);
  return found === null ? null : { ...found, code: 'shorthand' };
}

/** As Kong does: what the URL says wins over what was given; its query is dropped. */
function withUrlTakenApart(service: JsonObject): JsonObject {
  const { url, ...rest } = service;
  if (url === undefined || url === null) return url === null ? rest : service;
  if (typeof url !== 'string') return service;
  const { scheme, host, port, path } = urlParts(url);
  const given = port === undefined || !/^\d+$/.test(port) ? port : Number(port);
  const implied: { [scheme: string]: number } = { http: 80, https: 443 };
  const parts: { [field: string]: Json } = {};
  if (scheme !== undefined) parts['protocol'] = scheme;
  if (host !== undefined) parts['host'] = host;
  const number = given ?? (scheme === undefined ? undefined : implied[scheme]);
  if (number !== undefined) parts['port'] = number;
  if (path !== undefined) parts['path'] = path;
  return { ...rest, ...parts };
}

/** What Kong changes on write beyond filling defaults. `given` is the entity as written. */
export function storedForm(kind: KindName, given: JsonObject, filled: JsonObject): JsonObject {
  switch (kind) {
    case 'targets':
      return typeof filled['target'] === 'string' ? { ...filled, target: normalTarget(filled['target']) } : filled;
    case 'routes':
      return isGrpc(filled) && given['strip_path'] === undefined ? { ...filled, strip_path: false } : filled;
    default:
      return filled;
  }
}

/**
 * A normal form without what cannot be compared: a time to live counts down once it is set, and a client secret that is
 * stored hashed cannot be read back.
 */
export function comparable(kind: KindName, normal: JsonObject, written: JsonObject): JsonObject {
  if (kind === 'keyauth_credentials' && typeof normal['ttl'] === 'number' && typeof written['ttl'] === 'number') {
    return { ...normal, ttl: written['ttl'] };
  }
  if (kind === 'oauth2_credentials' && normal['hash_secret'] === true) {
    const { client_secret: _, ...rest } = normal;
    return rest;
  }
  return normal;
}

function isGrpc(route: JsonObject): boolean {
  const protocols = route['protocols'];
  return isJsonArray(protocols) && protocols.some((protocol) => protocol === 'grpc' || protocol === 'grpcs');
}
