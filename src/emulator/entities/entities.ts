import { isUuid } from '../../model/derived-id.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import {
  type Answer,
  answer,
  envelope,
  methodNotAllowed,
  missingEntity,
  notFound,
  unexpected,
} from '../http/answers.ts';
import { inferTypes } from '../http/request.ts';
import type { Place } from '../kong/paths.ts';
import type { Collection } from '../state/collections.ts';
import { recordSchemaOf } from '../state/entity-check.ts';
import { type Gateway, newId } from '../state/gateway.ts';
import { referenceId, type Stored } from '../state/store.ts';
import { answered } from './answered.ts';
import { checkSniList, putSniList } from './certificate-snis.ts';
import { listChildren, listCollection } from './listing.ts';
import { linksOf } from './partial-links.ts';
import { purge, select } from './select.ts';
import { listTargets } from './targets.ts';
import { prepare, setEnd, store } from './write.ts';

/** What the entity endpoints need of a request. */
export interface EntityRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query: ReadonlyMap<string, string>;
  readonly body: JsonObject;
  /** Whether the body was a form, whose values have no types of their own. */
  readonly isForm: boolean;
  /** The path as it came, for the next page's. */
  readonly path: string;
}

/** The methods that a place takes. */
export function methodsOf(place: Place): readonly EntityRequest['method'][] {
  switch (place.place) {
    case 'collection':
    case 'children':
      return ['GET', 'POST'];
    case 'entity':
    case 'child':
      return ['GET', 'PUT', 'PATCH', 'DELETE'];
    case 'referenced':
      return ['GET', 'PUT', 'PATCH', 'DELETE'];
    default:
      return place satisfies never;
  }
}

/** Answers a request for a collection, an entity, or one of either under a parent. */
export function handleEntities(gateway: Gateway, place: Place, request: EntityRequest): Answer {
  if (!methodsOf(place).includes(request.method)) return methodNotAllowed;
  purge(gateway);
  const body = request.isForm ? typed(gateway, place.of, request.body) : request.body;
  const typedRequest = { ...request, body };
  switch (place.place) {
    case 'collection':
      return request.method === 'GET'
        ? listOf(gateway, place.of, typedRequest)
        : create(gateway, place.of, body, hashes(request));
    case 'entity':
      return handleEntity(gateway, place.of, place.key, typedRequest);
    case 'children':
      return handleChildren(gateway, place, typedRequest);
    case 'child':
      return handleChild(gateway, place, typedRequest);
    case 'referenced':
      return handleReferenced(gateway, place, typedRequest);
    default:
      return place satisfies never;
  }
}

function typed(gateway: Gateway, collection: Collection, body: JsonObject): JsonObject {
  return inferTypes(recordSchemaOf(gateway.schemas, collection.name, body)?.fields ?? {}, body);
}

/** Konnect and Enterprise take a password that is hashed already, when they are told. */
function hashes(request: EntityRequest): boolean {
  return request.query.get('skip_hash') !== 'true';
}

function listOf(gateway: Gateway, collection: Collection, request: EntityRequest): Answer {
  const customId = collection.name === 'consumers' ? request.query.get('custom_id') : undefined;
  if (customId === '' || customId === 'true') return answer(400, { message: 'custom_id must not be empty' });
  if (customId === undefined) return listCollection(gateway, collection, request.path, request.query);
  const found = gateway.store.findUnique('consumers', 'custom_id', customId);
  return answer(200, { data: found === undefined ? [] : [found], next: null });
}

function handleEntity(gateway: Gateway, collection: Collection, key: string, request: EntityRequest): Answer {
  const selected = select(gateway, collection, key);
  if ('refused' in selected) return selected.refused;
  const { found, by } = selected;
  switch (request.method) {
    case 'GET':
      return found === undefined ? notFound : answer(200, answered(gateway, collection, found));
    case 'PUT':
      return replace(gateway, collection, key, found, request.body, hashes(request));
    case 'PATCH':
      if (found === undefined) {
        return collection.name === 'certificates' && by.field !== 'id' ? notFound : missingEntity(by.field, by.value);
      }
      return change(gateway, collection, found, request.body, by.field);
    case 'DELETE':
      if (found === undefined && collection.name === 'certificates' && by.field !== 'id') return notFound;
      return found === undefined ? answer(204) : remove(gateway, collection, found, by.field);
    case 'POST':
      return methodNotAllowed;
    default:
      return request.method satisfies never;
  }
}

/** Makes a new entity. */
export function create(gateway: Gateway, collection: Collection, body: JsonObject, hashSecrets: boolean): Answer {
  const snis = collection.name === 'certificates' ? checkSniList(gateway, body['snis'], null) : { names: undefined };
  if ('refused' in snis) return snis.refused;
  const prepared = prepare(gateway, collection, body, { mode: 'insert' }, hashSecrets);
  if ('refused' in prepared) return prepared.refused;
  if (gateway.flavour === 'dbless') return unsupported('create', collection, null);
  const refused = store(gateway, collection, prepared.entity, 'insert');
  if (refused !== null) return refused;
  setEnd(gateway, prepared.entity.id, prepared.endsInSeconds);
  if (snis.names !== undefined) putSniList(gateway, prepared.entity.id, snis.names);
  return answer(201, answered(gateway, collection, prepared.entity));
}

/** Puts an entity in the place that a key names: a new one, or instead of the one that is there. */
function replace(
  gateway: Gateway,
  collection: Collection,
  key: string,
  found: Stored | undefined,
  body: JsonObject,
  hashSecrets = true,
): Answer {
  const byId = isUuid(key);
  // No constraint of the database fits these, and Kong fails (kong.md, "Real 500s").
  if (!byId && (collection.name === 'key_sets' || collection.name === 'keys') && gateway.flavour === 'kong') {
    const checked = prepare(gateway, collection, { ...body, name: key }, { mode: 'upsert', known: found, id: null });
    return 'refused' in checked ? checked.refused : unexpected;
  }
  // Written by name, a new entity has the id that its body gives.
  const certificate = collection.name === 'certificates';
  const hasOwn = found === undefined && !byId && !certificate && body['id'] !== undefined;
  const id = byId ? key.toLowerCase() : (found?.id ?? newId(gateway.chance));
  const field = collection.endpointKey;
  const full = byId || field === null ? body : { ...body, [field]: key };
  const snis = certificate ? checkSniList(gateway, body['snis'], id) : { names: undefined };
  if ('refused' in snis) return snis.refused;
  const prepared = prepare(
    gateway,
    collection,
    full,
    { mode: 'upsert', known: found, id: hasOwn ? null : id },
    hashSecrets,
  );
  if ('refused' in prepared) return prepared.refused;
  if (gateway.flavour === 'dbless') return unsupported('create or update', collection, byId ? null : field);
  const refused = store(gateway, collection, prepared.entity, hasOwn ? 'insert' : 'replace');
  if (refused !== null) return refused;
  setEnd(gateway, prepared.entity.id, prepared.endsInSeconds ?? null);
  // On Konnect a certificate says nothing of its SNIs (deck.md 5.5), so that writing it leaves them as they are.
  if (certificate && gateway.flavour !== 'konnect') putSniList(gateway, id, snis.names ?? []);
  return answer(200, answered(gateway, collection, prepared.entity));
}

/** Changes the fields that a body gives, and keeps the others. */
function change(gateway: Gateway, collection: Collection, found: Stored, body: JsonObject, by: string): Answer {
  const snis =
    collection.name === 'certificates' ? checkSniList(gateway, body['snis'], found.id) : { names: undefined };
  if ('refused' in snis) return snis.refused;
  const prepared = prepare(gateway, collection, body, { mode: 'update', known: found });
  if ('refused' in prepared) return prepared.refused;
  if (gateway.flavour === 'dbless') return unsupported('update', collection, by === 'id' ? null : by);
  const refused = store(gateway, collection, prepared.entity, 'replace');
  if (refused !== null) return refused;
  setEnd(gateway, found.id, prepared.endsInSeconds);
  if (snis.names !== undefined) putSniList(gateway, found.id, snis.names);
  return answer(200, answered(gateway, collection, prepared.entity));
}

/** Deletes an entity and what goes with it, unless something else still needs it. */
function remove(gateway: Gateway, collection: Collection, found: Stored, by: string): Answer {
  if (gateway.flavour === 'dbless') return unsupported('remove', collection, by === 'id' ? null : by);
  const linked = collection.name === 'partials' ? linksOf(gateway, found.id).length : 0;
  if (linked > 0) return envelope(19, `plugins still use this partial: ${linked}`);
  const keeper = gateway.store.keeperOf(collection.name, found.id);
  if (keeper?.list === true) {
    return envelope(19, `an entity of ${keeper.by.name} still lists this one: ${keeper.id}`);
  }
  if (keeper !== null) {
    return envelope(4, `an entity of ${keeper.by.name} still names this one`, {
      fields: { '@referenced_by': keeper.by.name },
    });
  }
  gateway.store.remove(collection.name, found.id);
  gateway.ends.delete(found.id);
  return answer(204);
}

function handleChildren(gateway: Gateway, place: Place & { place: 'children' }, request: EntityRequest): Answer {
  const parent = select(gateway, place.parent, place.parentKey);
  if ('refused' in parent) return parent.refused;
  if (parent.found === undefined) return notFound;
  if (request.method === 'POST') {
    return create(gateway, place.of, { ...request.body, [place.field]: { id: parent.found.id } }, hashes(request));
  }
  const children = gateway.store.childrenOf(place.of.name, place.field, parent.found.id);
  if (place.of.name === 'targets' && gateway.flavour !== 'konnect')
    return listTargets(gateway, place.of, children, request);
  return listChildren(gateway, place.of, children, request.path, request.query);
}

function handleChild(gateway: Gateway, place: Place & { place: 'child' }, request: EntityRequest): Answer {
  const parent = select(gateway, place.parent, place.parentKey);
  if ('refused' in parent) return parent.refused;
  if (parent.found === undefined) return notFound;
  const owner = parent.found.id;
  const byGroup = place.of.name === 'acls' && !isUuid(place.key);
  const selected =
    place.of.name === 'targets' || byGroup
      ? { found: amongChildren(gateway, place, owner) }
      : select(gateway, place.of, place.key);
  if ('refused' in selected) return selected.refused;
  const found = selected.found;
  const own = found !== undefined && referenceId(found[place.field]) === owner ? found : undefined;
  switch (request.method) {
    case 'GET':
      return own === undefined || isSwitchedOff(gateway, place.of, own)
        ? notFound
        : answer(200, answered(gateway, place.of, own));
    case 'DELETE':
      return own === undefined ? notFound : remove(gateway, place.of, own, 'id');
    case 'PATCH':
      if (own === undefined) return notFound;
      return change(gateway, place.of, own, withOwner(request.body, place.field, owner), 'id');
    case 'PUT': {
      // PUT of a target changes it, and never makes one (kong.md, "Targets").
      if (place.of.name === 'targets' && gateway.flavour !== 'konnect') {
        return own === undefined ? notFound : change(gateway, place.of, own, request.body, 'id');
      }
      const body: JsonObject = { ...request.body, [place.field]: { id: owner } };
      if (!byGroup) return replace(gateway, place.of, place.key, found, body, hashes(request));
      return replace(gateway, place.of, own?.id ?? newId(gateway.chance), own, { ...body, group: place.key });
    }
    case 'POST':
      return methodNotAllowed;
    default:
      return request.method satisfies never;
  }
}

function withOwner(body: JsonObject, field: string, owner: string): JsonObject {
  return body[field] === undefined || body[field] === null ? { ...body, [field]: { id: owner } } : body;
}

/** A target without weight is listed, and yet not there when it is asked for. */
function isSwitchedOff(gateway: Gateway, collection: Collection, entity: Stored): boolean {
  return collection.name === 'targets' && entity['weight'] === 0 && gateway.flavour !== 'konnect';
}

/** A child by a key that is unique under its parent only. */
function amongChildren(gateway: Gateway, place: Place & { place: 'child' }, owner: string): Stored | undefined {
  if (isUuid(place.key)) return gateway.store.get(place.of.name, place.key);
  const field = place.of.name === 'acls' ? 'group' : (place.of.endpointKey ?? 'id');
  return gateway.store.childrenOf(place.of.name, place.field, owner).find((child) => child[field] === place.key);
}

function handleReferenced(gateway: Gateway, place: Place & { place: 'referenced' }, request: EntityRequest): Answer {
  const from = select(gateway, place.from, place.key);
  if ('refused' in from) return from.refused;
  if (from.found === undefined) return notFound;
  const id = referenceId(from.found[place.field]);
  if (request.method === 'PUT' && id === null) {
    const made = newId(gateway.chance);
    const put = replace(gateway, place.of, made, undefined, request.body);
    if (put.status === 200) {
      const known: { [field: string]: Json } & { id: string } = { ...from.found, [place.field]: { id: made } };
      gateway.store.put(place.from.name, known);
    }
    return put;
  }
  if (id === null) return notFound;
  // What is referenced is not deleted through what names it.
  return request.method === 'DELETE' ? methodNotAllowed : handleEntity(gateway, place.of, id, request);
}

/** What a DB-less node answers to a write that would have been made (kong.md, "Writes on entity endpoints"). */
function unsupported(what: string, collection: Collection, by: string | null): Answer {
  const name = by === null ? '' : ` by ${by}`;
  return envelope(12, `this node has no database: it cannot ${what} entities of ${collection.name}${name}`);
}
