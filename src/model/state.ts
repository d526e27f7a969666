import { createHash } from 'node:crypto';
import type { Entity } from './entity.ts';
import { canonicalJson, type Json, type JsonObject } from './json.ts';
import type { KindName } from './kind.ts';
import { kindsInOrder } from './kinds.ts';

/**
 * A complete set of entities: what one destination must have, or what it was seen to have. Two entities with one
 * identity may both be in it (rules report that); the look-ups then give the first in order of writing.
 */
export interface State {
  /** Entities by kind, each list in order of identity. A kind without entities has no entry. */
  readonly entities: ReadonlyMap<KindName, readonly Entity[]>;
  /** Tags that every entity of this state carries and that bound what is owned (`select_tags`), sorted. */
  readonly selectTags: readonly string[];
  readonly byIdentity: (kind: KindName, identity: string) => Entity | undefined;
  readonly byId: (kind: KindName, id: string) => Entity | undefined;
}

/** A state of the given entities. */
export function stateOf(entities: readonly Entity[], selectTags: readonly string[] = []): State {
  const lists = new Map<KindName, Entity[]>();
  const identities = new Map<KindName, Map<string, Entity>>();
  const ids = new Map<KindName, Map<string, Entity>>();
  for (const entity of entities) {
    const list = lists.get(entity.kind);
    if (list === undefined) {
      lists.set(entity.kind, [entity]);
      identities.set(entity.kind, new Map());
      ids.set(entity.kind, new Map());
    } else list.push(entity);
    const byIdentity = identities.get(entity.kind);
    if (byIdentity !== undefined && !byIdentity.has(entity.identity)) byIdentity.set(entity.identity, entity);
    const byId = ids.get(entity.kind);
    if (byId !== undefined && !byId.has(entity.id)) byId.set(entity.id, entity);
  }
  for (const list of lists.values()) list.sort(compareEntities);
  return {
    entities: lists,
    selectTags: [...new Set(selectTags)].sort(),
    byIdentity: (kind, identity) => identities.get(kind)?.get(identity),
    byId: (kind, id) => ids.get(kind)?.get(id.toLowerCase()),
  };
}

/** Every entity of a state, parents before children, then by identity. */
export function allEntities(state: State): readonly Entity[] {
  return kindsInOrder.flatMap((kind) => state.entities.get(kind.name) ?? []);
}

/** How many entities of each kind a state holds; kinds without any are left out. */
export function countEntities(state: State): { readonly [K in KindName]?: number } {
  return Object.fromEntries(
    kindsInOrder.flatMap((kind) => {
      const list = state.entities.get(kind.name);
      return list === undefined || list.length === 0 ? [] : [[kind.name, list.length]];
    }),
  );
}

/**
 * SHA-256 over the canonical form of a state, as `sha256:` and hex: what was written, references by identity, derived
 * ids left out. Equal digests mean equal states.
 */
export function digestOf(state: State): string {
  const hash = createHash('sha256');
  for (const entity of allEntities(state)) hash.update(canonicalJson(canonicalEntity(entity))).update('\n');
  return `sha256:${hash.digest('hex')}`;
}

function canonicalEntity(entity: Entity): JsonObject {
  const references: Json[] = entity.references
    .map((reference) => [reference.field, reference.kind, reference.identity] as const)
    .sort((a, b) => compareText(a.join('\n'), b.join('\n')));
  const canonical: JsonObject = {
    kind: entity.kind,
    identity: entity.identity,
    fields: entity.fields,
    references,
  };
  return entity.idGiven ? { ...canonical, id: entity.id } : canonical;
}

function compareEntities(a: Entity, b: Entity): number {
  return compareText(a.identity, b.identity) || compareText(a.id, b.id) || compareText(placeOf(a), placeOf(b));
}

function placeOf(entity: Entity): string {
  const place = entity.source?.location;
  if (place === undefined) return '';
  return `${place.file}\n${String(place.line).padStart(9, '0')}\n${String(place.column).padStart(9, '0')}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
