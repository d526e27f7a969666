import { isJsonArray, isJsonObject, type Json, type JsonObject, ownValue, setOwn, valueAt } from '../../model/json.ts';
import { transformationFault } from '../../schema/custom/server-checks.ts';
import { type FillableRecord, fillable } from '../../schema/defaults.ts';
import {
  type Answer,
  envelope,
  foreignViolation,
  primaryKeyViolation,
  schemaViolation,
  unexpected,
  uniqueViolation,
} from '../http/answers.ts';
import type { Collection } from '../state/collections.ts';
import { asWritten, checkedEntity, recordSchemaOf, withEntityError } from '../state/entity-check.ts';
import type { Gateway } from '../state/gateway.ts';
import { referenceErrors } from '../state/reference-check.ts';
import { storedForm, withHashes, withServerMade } from '../state/server-made.ts';
import { referenceId, type Stored } from '../state/store.ts';
import { missingPartial } from './partial-links.ts';
import { protocolClash } from './plugin-protocols.ts';

/** How an entity is written: as a new one, in place of another (or as a new one), or over the fields of another. */
export type WriteMode =
  | { readonly mode: 'insert' }
  | { readonly mode: 'upsert'; readonly known: Stored | undefined; readonly id: string | null }
  | { readonly mode: 'update'; readonly known: Stored };

/** An entity that fits its schema, ready to be stored, or why it is refused. */
export type Prepared =
  | { readonly entity: Stored; readonly endsInSeconds: number | null | undefined }
  | { readonly refused: Answer };

/**
 * What a write makes of a body: references resolved, the entity before merged in, server-made fields
 * and defaults filled, checked, and transformed. Nothing is stored.
 */
export function prepare(
  gateway: Gateway,
  collection: Collection,
  body: JsonObject,
  how: WriteMode,
  hashSecrets = true,
): Prepared {
  const life = timeToLive(collection, asWritten(gateway.schemas, collection.name, body));
  if ('refused' in life) return life;
  const resolved = resolveReferences(gateway, collection, life.body);
  if ('refused' in resolved) return resolved;
  const given = withActions(collection, resolved.body);
  const known = how.mode === 'update' ? how.known : null;
  const merged = known === null ? given : merge(gateway, collection, known, given);
  const placed = how.mode === 'upsert' && how.id !== null ? { ...merged, id: how.id } : merged;
  const clash =
    collection.name === 'plugins' ? (protocolClash(gateway, placed) ?? missingPartial(gateway, placed)) : null;
  if (clash !== null) return { refused: clash };
  const made = withServerMade(gateway, collection, known === null ? placed : { ...placed, id: known.id }, known);
  const { filled, errors } = checkedEntity(gateway, collection.name, made);
  const misplaced = referenceErrors(collection, given);
  const all = withEntityError(
    misplaced === null ? errors : { ...errors, ...misplaced },
    transformationFault(collection.name, given, known)?.message ?? null,
  );
  if (all !== null) return { refused: schemaViolation(all) };
  const plain = storedForm(collection, filled);
  const isNew = (field: string) => known === null || given[field] !== undefined;
  const stored = hashSecrets ? withHashes(gateway, collection, plain, isNew) : plain;
  return {
    entity: complete(gateway, collection, stored),
    endsInSeconds: life.ttl,
  };
}

/** Enterprise takes the actions of a permission as one text, as go-kong sends them. */
function withActions(collection: Collection, body: JsonObject): JsonObject {
  const { actions } = body;
  if (!/^rbac_role_(?:endpoints|entities)$/.test(collection.name) || typeof actions !== 'string') return body;
  return { ...body, actions: actions.split(',').map((action) => action.trim()) };
}

/** Puts a prepared entity in, unless something stands in its way. Null when it was put in. */
export function store(
  gateway: Gateway,
  collection: Collection,
  prepared: Stored,
  mode: 'insert' | 'replace',
): Answer | null {
  const conflict = gateway.store.conflictOf(collection.name, prepared, mode);
  if (conflict === null) {
    gateway.store.put(collection.name, prepared);
    return null;
  }
  switch (conflict.conflict) {
    case 'primary-key':
      return primaryKeyViolation(conflict.id);
    case 'unique':
      return uniqueViolation(conflict.constraint, prepared);
    case 'foreign':
      return foreignViolation(conflict.key.field, referenceId(prepared[conflict.key.field]) ?? '', conflict.key.to);
    default:
      return conflict satisfies never;
  }
}

/** Sets, changes or ends the time to live of an entity. */
export function setEnd(gateway: Gateway, id: string, seconds: number | null | undefined): void {
  if (seconds === undefined) return;
  if (seconds === null || seconds === 0) gateway.ends.delete(id);
  else gateway.ends.set(id, gateway.chance.now() + seconds * 1000);
}

/** Only these have a time to live in Kong. */
const withTimeToLive = new Set(['keyauth_credentials', 'oauth2_tokens', 'sessions', 'acme_storage']);

function timeToLive(
  collection: Collection,
  body: JsonObject,
): { readonly body: JsonObject; readonly ttl: number | undefined } | { readonly refused: Answer } {
  if (!withTimeToLive.has(collection.name) || body['ttl'] === undefined) return { body, ttl: undefined };
  const { ttl, ...rest } = body;
  // Kong fails on a null, which is what it answers itself where none is set (kong.md, "Real 500s").
  if (ttl === null || ttl === undefined) return { refused: unexpected };
  const seconds = Number(ttl);
  if (typeof ttl === 'number' && Number.isInteger(seconds) && seconds >= 0 && seconds <= 100_000_000) {
    return { body: rest, ttl: seconds };
  }
  return {
    refused: envelope(11, 'the time to live is out of range', {
      options: { ttl: 'must be an integer between 0 and 100000000' },
    }),
  };
}

function resolveReferences(
  gateway: Gateway,
  collection: Collection,
  body: JsonObject,
): { readonly body: JsonObject } | { readonly refused: Answer } {
  let resolved = body;
  const unresolved: { [field: string]: Json } = {};
  for (const { field, to } of collection.foreign) {
    const value = body[field];
    const target = gateway.collections.get(to);
    if (!isJsonObject(value) || typeof value['id'] === 'string' || target?.endpointKey === undefined) continue;
    const key = target.endpointKey;
    const name = key === null ? undefined : value[key];
    if (key === null || typeof name !== 'string') continue;
    const found = gateway.store.findUnique(to, key, name);
    if (found !== undefined) resolved = { ...resolved, [field]: { id: found.id } };
    else {
      const pair = `{${key}="${name}"}`;
      unresolved[field] = { [key]: `the foreign key cannot be resolved with '${pair}' for an existing '${to}' entity` };
    }
  }
  const fields = Object.keys(unresolved);
  if (fields.length === 0) return { body: resolved };
  return { refused: envelope(13, `names nothing that exists: ${fields.join(', ')}`, { fields: unresolved }) };
}

/** A change over the entity before: records field by field, all else whole. */
function merge(gateway: Gateway, collection: Collection, known: Stored, given: JsonObject): JsonObject {
  const { snis: _, ...before } = known;
  const { id: _id, ...change } = given;
  const schema = recordSchemaOf(gateway.schemas, collection.name, { ...before, ...change });
  return schema === undefined ? { ...before, ...change } : mergeRecord(schema, before, change);
}

function mergeRecord(record: FillableRecord, before: JsonObject, change: JsonObject): JsonObject {
  let merged: { [field: string]: Json } = { ...before };
  for (const shorthand of record.shorthand_fields ?? []) {
    if (change[shorthand.name] === undefined) continue;
    // What a shorthand is to change must not stand in its way.
    for (const path of shorthand.paths) {
      if (valueAt(change, path) === undefined) merged = without(merged, path);
    }
  }
  for (const [name, value] of Object.entries(change)) {
    const field = ownValue(record.fields, name);
    const old = ownValue(merged, name);
    const isInner = field?.type === 'record' && isJsonObject(old) && isJsonObject(value);
    setOwn(merged, name, isInner ? mergeRecord(fillable(field), old, value) : value);
  }
  return merged;
}

function without(record: JsonObject, path: readonly string[]): JsonObject {
  const [step, ...rest] = path;
  if (step === undefined) return record;
  const { [step]: inner, ...others } = record;
  if (rest.length === 0 || !isJsonObject(inner)) return others;
  return { ...others, [step]: without(inner, rest) };
}

/** Every field of the schema, null where unset; nothing that is only taken and not kept. */
function complete(gateway: Gateway, collection: Collection, entity: JsonObject): Stored {
  const schema = recordSchemaOf(gateway.schemas, collection.name, entity);
  const stored: { [field: string]: Json } = {};
  if (schema === undefined) Object.assign(stored, entity);
  for (const [name, field] of Object.entries(schema?.fields ?? {})) {
    if (field.transient === true || (collection.name === 'keyauth_credentials' && name === 'ttl')) continue;
    const value = entity[name];
    stored[name] = value === undefined ? null : name === 'tags' && isJsonArray(value) ? [...new Set(value)] : value;
  }
  return { ...stored, id: String(entity['id']) };
}
