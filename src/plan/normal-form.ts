import { createHash } from 'node:crypto';
import type { Entity } from '../model/entity.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject, setOwn } from '../model/json.ts';
import { kinds } from '../model/kinds.ts';
import { normalTarget } from '../model/target-address.ts';
import { fillEntity } from '../schema/entity.ts';
import { entitySchema } from '../schema/entity-schema.ts';
import type { FieldSchema, RecordFields, Schemas } from '../schema/schema.ts';

/**
 * An entity's fields as they compare: defaults filled, short forms folded, sets sorted, what the server makes and what
 * references hold left out, and nothing said for null, an empty list or an empty object: Kong keeps those apart but
 * means the same by them.
 */
export function normalFields(entity: Entity, schemas: Schemas): JsonObject {
  const own = ownFields(entity);
  const schema = entitySchema(schemas, entity.kind, own);
  const filled = schema === undefined ? own : fillEntity(schemas, entity.kind, own);
  const sorted = schema === undefined ? filled : sortRecord(schema.fields, filled);
  return finish(entity, sorted);
}

/** As `normalFields`, with nothing said for what was not written. */
export function writtenFields(entity: Entity): JsonObject {
  return finish(entity, ownFields(entity));
}

function ownFields(entity: Entity): JsonObject {
  const { serverMade, foreign } = kinds[entity.kind];
  return without(entity.fields, ['id', ...serverMade, ...foreign.map((key) => key.field)]);
}

function finish(entity: Entity, fields: JsonObject): JsonObject {
  const { serverMade, foreign, sets } = kinds[entity.kind];
  const own = without(fields, ['id', ...serverMade, ...foreign.map((key) => key.field)]);
  const sorted = Object.fromEntries(
    Object.entries(own).map(([field, value]) => [
      field,
      isJsonArray(value) && sets.includes(`/${field}`) ? sortedSet(value) : value,
    ]),
  );
  return withoutNothing(special(entity, sorted));
}

function without(fields: JsonObject, names: readonly string[]): JsonObject {
  const rest: { [field: string]: Json } = { ...fields };
  for (const name of names) delete rest[name];
  return rest;
}

function sortRecord(fields: RecordFields, value: JsonObject): JsonObject {
  const sorted: { [field: string]: Json } = {};
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    setOwn(sorted, name, field === undefined ? inner : sortValue(field, inner));
  }
  return sorted;
}

/** Puts what a schema calls a set into one order, at every depth. */
function sortValue(field: FieldSchema, value: Json): Json {
  if (isJsonArray(value)) {
    const { elements } = field;
    const items = elements === undefined ? value : value.map((item) => sortValue(elements, item));
    return field.type === 'set' ? sortedSet(items) : items;
  }
  if (!isJsonObject(value)) return value;
  if (field.fields !== undefined) return sortRecord(field.fields, value);
  const { values } = field;
  if (values === undefined) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sortValue(values, item)]));
}

function sortedSet(values: readonly Json[]): readonly Json[] {
  const byText = new Map(values.map((value) => [canonicalJson(value), value]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value);
}

/** Where Kong stores another spelling of the same thing. */
function special(entity: Entity, fields: JsonObject): JsonObject {
  const rewrite = (field: string, change: (value: string) => string): JsonObject => {
    const value = fields[field];
    return typeof value === 'string' ? { ...fields, [field]: change(value) } : fields;
  };
  // Without a schema nobody else did it.
  if (entity.kind === 'targets') return rewrite('target', normalTarget);
  if (entity.kind === 'certificates' || entity.kind === 'ca_certificates') {
    return Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [field, typeof value === 'string' ? normalPem(value) : value]),
    );
  }
  return fields;
}

function normalPem(text: string): string {
  return text.includes('-----BEGIN ') ? text.replaceAll('\r\n', '\n').trim() : text;
}

function withoutNothing(value: JsonObject): JsonObject {
  const result: { [field: string]: Json } = {};
  for (const [field, inner] of Object.entries(value)) {
    const kept = something(inner);
    if (kept !== undefined) setOwn(result, field, kept);
  }
  return result;
}

function something(value: Json): Json | undefined {
  if (value === null) return undefined;
  if (isJsonArray(value)) {
    if (value.length === 0) return undefined;
    return value.map((item) => (isJsonObject(item) ? withoutNothing(item) : item));
  }
  if (!isJsonObject(value)) return value;
  const kept = withoutNothing(value);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** What two normal forms of one entity come to, once what cannot be compared directly is settled. */
export interface Aligned {
  readonly live: JsonObject;
  readonly target: JsonObject;
  /** Fields that the destination does not give back. */
  readonly unread: readonly string[];
}

/** Secrets that every entity of their kind has, so that one that is not in an answer was kept back. */
const alwaysThere: { readonly [kind: string]: readonly (readonly string[])[] } = {
  basicauth_credentials: [['password']],
  keyauth_credentials: [['key']],
  hmacauth_credentials: [['secret']],
  jwt_secrets: [['secret']],
  oauth2_credentials: [['client_secret']],
  certificates: [['key']],
  licenses: [['payload']],
  keys: [['jwk', 'pem']],
};

/** Settles the fields that Kong stores hashed, counts down or keeps back. `consumerId` is the live consumer's. */
export function align(entity: Entity, live: JsonObject, target: JsonObject, consumerId: string | null): Aligned {
  let written = target;
  const unread: string[] = [];
  for (const group of alwaysThere[entity.kind] ?? []) {
    if (group.some((field) => live[field] !== undefined)) continue;
    for (const field of group) {
      if (written[field] === undefined) continue;
      written = without(written, [field]);
      unread.push(field);
    }
  }
  if (entity.kind === 'basicauth_credentials') written = alignPassword(written, live, consumerId);
  if (entity.kind === 'keyauth_credentials') written = alignTtl(written, live);
  if (entity.kind === 'oauth2_credentials' && isHashed(live['client_secret'])) {
    if (written['client_secret'] !== undefined && !isHashed(written['client_secret'])) unread.push('client_secret');
    written = { ...written, client_secret: live['client_secret'] ?? null };
  }
  return { live, target: written, unread };
}

function isHashed(value: Json | undefined): boolean {
  return typeof value === 'string' && value.startsWith('$pbkdf2');
}

/** Kong stores SHA-1 of the password followed by the consumer's id (kong.md). */
function alignPassword(target: JsonObject, live: JsonObject, consumerId: string | null): JsonObject {
  const [stored, password] = [live['password'], target['password']];
  if (typeof stored !== 'string' || typeof password !== 'string' || consumerId === null) return target;
  if (!/^[0-9a-f]{40}$/.test(stored)) return target;
  const hash = createHash('sha1').update(`${password}${consumerId}`, 'utf8').digest('hex');
  return hash === stored ? { ...target, password: stored } : target;
}

/** A time to live counts down in what Kong answers, so any rest of it is the same one. */
function alignTtl(target: JsonObject, live: JsonObject): JsonObject {
  const [rest, ttl] = [live['ttl'], target['ttl']];
  return typeof rest === 'number' && typeof ttl === 'number' && rest <= ttl ? { ...target, ttl: rest } : target;
}
