import { createHash } from 'node:crypto';
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';
import type { ApiPaths, ForeignKey, IdentitySource, KindName, UniqueConstraint } from './kind.ts';

/** What every kind's server adds. */
export const timestamps: readonly string[] = ['created_at', 'updated_at'];

/** A foreign key of the usual form: one entity, sent as `{"id": …}`. */
export function foreign(
  field: string,
  kind: KindName,
  options: Partial<Omit<ForeignKey, 'field' | 'kind'>> = {},
): ForeignKey {
  return { field, kind, required: false, list: false, wire: 'object', onDelete: 'refuse', ...options };
}

/** A unique constraint over the given fields, each of which must be there to clash. */
export function unique(...fields: readonly string[]): UniqueConstraint {
  return { fields, nullsClash: false };
}

/** A collection that is read and written at one path, by PUT. */
export function flat(path: string, nested: ApiPaths['nested'] = null): ApiPaths {
  return { flat: path, nested, write: 'flat', verb: 'put' };
}

/** A collection that is written under its parent, and read at a flat path where one is given. */
export function nested(parent: string, path: string, verb: ApiPaths['verb'], list: string | null): ApiPaths {
  return { flat: list, nested: { parent, path }, write: 'nested', verb };
}

/** The text of a field, or null where it is absent, empty or not a text. */
export function text(fields: JsonObject, field: string): string | null {
  const value = fields[field];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** SHA-256 of a text, as hex. */
export function sha256(value: string): string {
  return createHash('sha256').update(value, 'utf8').digest('hex');
}

/** Joins the parts of a natural key, or gives null where one is missing. */
export function joined(...parts: readonly (string | null)[]): string | null {
  return parts.every((part) => part !== null) ? parts.join('/') : null;
}

/** The place of a nameless entity: its parent, and a digest of the named fields (those that decide what it matches). */
export function place(source: IdentitySource, parent: string | null, matchFields: readonly string[]): string {
  const match: { [field: string]: Json } = {};
  for (const field of matchFields) {
    const value = source.fields[field];
    if (value === undefined || value === null) continue;
    if (isJsonArray(value) && value.length === 0) continue;
    if (isJsonObject(value) && Object.keys(value).length === 0) continue;
    match[field] = isJsonArray(value) ? [...value].map(canonicalJson).sort() : value;
  }
  return `${parent ?? ''}@${sha256(canonicalJson(match)).slice(0, 16)}`;
}

/** The scope of a plugin as go-kong writes it into the plugin's key: `[:service/X][:route/X][:consumer/X][:consumer_group/X]`. */
export function pluginScope(source: IdentitySource): string {
  return ['service', 'route', 'consumer', 'consumer_group']
    .map((field) => {
      const to = source.foreign(field);
      return to === null ? '' : `:${field}/${to}`;
    })
    .join('');
}
