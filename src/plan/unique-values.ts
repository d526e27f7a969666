import type { Entity, Reference } from '../model/entity.ts';
import { canonicalJson, type Json, type JsonObject } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';

/** A value that one entity of its kind at most may have. `fields` are those it is made of. */
export interface UniqueValue {
  readonly key: string;
  readonly fields: readonly string[];
}

/**
 * The unique values of an entity, from its normal form; a foreign key counts as the id that `idOf` gives. Holds
 * secrets (a key-auth key): never shown.
 */
export function uniqueValues(
  entity: Entity,
  normal: JsonObject,
  idOf: (reference: Reference) => string | null,
): readonly UniqueValue[] {
  const kind = kinds[entity.kind];
  const part = (field: string): Json => {
    if (!kind.foreign.some((key) => key.field === field)) return normal[field] ?? null;
    const reference = entity.references.find((candidate) => candidate.field === field);
    return reference === undefined ? null : (idOf(reference) ?? reference.identity);
  };
  const values: UniqueValue[] = [];
  for (const [index, constraint] of kind.unique.entries()) {
    const parts = constraint.fields.map(part);
    const there = (value: Json) => value !== null && value !== '';
    if (!(constraint.nullsClash ? parts.some(there) : parts.every(there))) continue;
    values.push({ key: `${entity.kind} ${index} ${canonicalJson(parts)}`, fields: constraint.fields });
  }
  // Kong refuses a second CA certificate with the same digest (kong.md), which no field of the entity states.
  if (entity.kind === 'ca_certificates') {
    values.push({ key: `${entity.kind} digest ${entity.identity}`, fields: ['cert'] });
  }
  return values;
}

/** Fields that can stand under another value for a moment without a change to what is let through. */
const renamable: { readonly [K in KindName]?: readonly string[] } = {
  services: ['name'],
  routes: ['name'],
  upstreams: ['name'],
  consumers: ['username', 'custom_id'],
  consumer_groups: ['name'],
  key_sets: ['name'],
  partials: ['name'],
  filter_chains: ['name'],
  plugins: ['instance_name'],
  rbac_roles: ['name'],
};

/** The field that can be given a temporary value so that this unique value is free, or null where none can. */
export function renamableField(kind: KindName, value: UniqueValue): string | null {
  const [field] = value.fields;
  if (field === undefined || value.fields.length !== 1) return null;
  return renamable[kind]?.includes(field) === true ? field : null;
}
