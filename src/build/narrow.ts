import { findRaw, type RawEntity, type RawReference, rawLookup } from '../model/assemble.ts';
import { isJsonArray } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { foreignKey, kinds, kindsInOrder } from '../model/kinds.ts';
import type { LeftOutHere } from '../rules/rule.ts';
import type { Scope } from './built.ts';

/** What a destination gets of the entities that the files declare. */
export interface Narrowed {
  readonly raw: readonly RawEntity[];
  /** Kinds of which entities were left out, so that a reference to one may name something that others manage. */
  readonly external: ReadonlySet<KindName>;
  readonly leftOut: LeftOutHere;
}

/** All of it. */
export function notNarrowed(raw: readonly RawEntity[]): Narrowed {
  return { raw, external: new Set(), leftOut: { kinds: new Set(), entities: [] } };
}

/**
 * Leaves out the kinds and tags that the destination excludes, and with an entity what cannot be without it: what a
 * server would delete together with it, and what is written under an entity that is left out for its tags. A plugin
 * never loses its scope that way: it goes as a whole.
 */
export function narrow(raw: readonly RawEntity[], scope: Scope): Narrowed {
  if (scope.excludeKinds.length === 0 && scope.excludeTags.length === 0) return notNarrowed(raw);
  const lookup = rawLookup(raw);
  const out = new Set<RawEntity>();
  const leaves = (entity: RawEntity): boolean => {
    if (scope.excludeKinds.includes(entity.kind) || hasTag(entity, scope.excludeTags)) return true;
    return entity.references.some((reference) => {
      const key = foreignKey(entity.kind, reference.field);
      if (key === undefined) return false;
      const belongs = key.onDelete === 'cascade';
      if (belongs && scope.excludeKinds.includes(key.kind)) return true;
      const found = findRaw(lookup, entity.kind, reference);
      if (found === undefined || !out.has(found)) return false;
      return belongs || (kinds[entity.kind].parent === key.field && !scope.excludeKinds.includes(key.kind));
    });
  };
  // By level, so that what an entity names has been decided before it.
  for (const kind of kindsInOrder) {
    for (const entity of raw) if (entity.kind === kind.name && leaves(entity)) out.add(entity);
  }
  const kept = raw.filter((entity) => !out.has(entity));
  return {
    raw: kept.map((entity) => withOpenReferences(entity, out)),
    external: new Set([...scope.excludeKinds, ...[...out].map((entity) => entity.kind)]),
    leftOut: { kinds: new Set(scope.excludeKinds), entities: [...out] },
  };
}

function hasTag(entity: RawEntity, tags: readonly string[]): boolean {
  const written = entity.fields['tags'];
  return isJsonArray(written) && written.some((tag) => typeof tag === 'string' && tags.includes(tag));
}

/** The entity with its references to what is left out by id or name: that is not part of this state. */
function withOpenReferences(entity: RawEntity, out: ReadonlySet<RawEntity>): RawEntity {
  const isOut = ({ to }: RawReference) => 'entity' in to && out.has(to.entity);
  if (!entity.references.some(isOut)) return entity;
  const references = entity.references.map((reference): RawReference => {
    if (!('entity' in reference.to) || !isOut(reference)) return reference;
    const { id, fields, fromEnvironment } = reference.to.entity;
    const name = fields['name'] ?? fields['username'] ?? fields['custom_id'] ?? fields['prefix'];
    const to = id !== null ? { id } : { name: typeof name === 'string' ? name : '' };
    return { ...reference, to, ...(fromEnvironment.size > 0 ? { fromEnvironment: true } : {}) };
  });
  return { ...entity, references };
}
