import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Collection } from '../state/collections.ts';

/** The root of the ids that a DB-less Kong derives (kong.md, "Keys of the ids"). */
const root = Buffer.from('fd02801f09574a15a55ac8d9606f30b5', 'hex');

/** The fields whose values, in this order, make the key of an id: Kong's cache keys. */
const cacheKeys: { readonly [kind: string]: readonly string[] } = {
  plugins: ['name', 'route', 'service', 'consumer'],
  acls: ['consumer', 'group'],
  keys: ['kid', 'set'],
  basicauth_credentials: ['username'],
  hmacauth_credentials: ['username'],
};

/** Collections whose endpoint key alone makes the id. */
const byEndpointKey = new Set([
  'services',
  'routes',
  'consumers',
  'consumer_groups',
  'upstreams',
  'key_sets',
  'snis',
  'vaults',
  'partials',
]);

/**
 * The id that a DB-less Kong derives for an entity without one, or null where it makes a random id. `parent` is the
 * entity that this one is nested in; a reference written flat enters the key as it was written.
 */
export function declarativeKey(
  collection: Collection,
  item: JsonObject,
  parent: { readonly field: string; readonly id: string } | null,
): string | null {
  const key = keyOf(collection, item, parent);
  return key === null ? null : uuidV5(Buffer.from(uuidV5(root, collection.name).replaceAll('-', ''), 'hex'), key);
}

function keyOf(
  collection: Collection,
  item: JsonObject,
  parent: { readonly field: string; readonly id: string } | null,
): string | null {
  const endpoint = collection.endpointKey === null ? undefined : item[collection.endpointKey];
  if (collection.name === 'targets') {
    const upstream = parent?.id ?? textOf(item['upstream']);
    return typeof endpoint === 'string' && upstream !== null ? `${endpoint}:${upstream}` : null;
  }
  if (byEndpointKey.has(collection.name)) return typeof endpoint === 'string' ? endpoint : null;
  if (collection.name === 'plugins' && typeof endpoint === 'string') return endpoint;
  const fields = cacheKeys[collection.name];
  if (fields === undefined) return null;
  const parts: string[] = [];
  for (const field of fields) {
    const value = parent?.field === field ? parent.id : textOf(item[field]);
    const required = collection.name !== 'plugins' && field !== 'set';
    if (value === null && (required || field === 'name')) return null;
    parts.push(value ?? '');
  }
  return [collection.name, '*', ...parts].join(':');
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function uuidV5(namespace: Buffer, name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name, 'utf8').digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
