import type { EntityName } from './diagnostic.ts';
import type { Json, JsonObject } from './json.ts';
import type { KindName } from './kind.ts';
import { kinds } from './kinds.ts';
import type { Source } from './location.ts';

/**
 * One entity naming another. `identity` is that of the entity meant, or the text as written where the state holds
 * nothing that fits (`id` is then the id as written, or null). `index` is the place in a field that holds a list.
 */
export interface Reference {
  readonly field: string;
  readonly index: number | null;
  readonly kind: KindName;
  readonly identity: string;
  readonly id: string | null;
  readonly resolved: boolean;
  /** Whether what was written came from the environment, so that it is never shown; false where it is left out. */
  readonly fromEnvironment?: boolean;
}

/**
 * One Kong object. `fields` are what was written (or, of a live entity, what was read), in the Admin API's names,
 * without the id, the foreign keys and what the server makes. Two entities of a kind are the same one when their given
 * ids are equal, or else their identities.
 */
export interface Entity {
  readonly kind: KindName;
  readonly id: string;
  /** Whether the id was written (or read) rather than derived. */
  readonly idGiven: boolean;
  readonly identity: string;
  /** What people read. Holds no secret. */
  readonly name: string;
  readonly fields: JsonObject;
  readonly references: readonly Reference[];
  /** What the server made: timestamps and the like. Empty for an entity that was written. */
  readonly made: JsonObject;
  /** JSON pointers into `fields` of values that came from the environment, with the variable's name: never shown. */
  readonly fromEnvironment: ReadonlyMap<string, string>;
  readonly source: Source | null;
}

/** The entity as a diagnostic names it. */
export function entityName(entity: Entity): EntityName {
  return { kind: entity.kind, name: entity.name };
}

/** The entity for a sentence: `route "orders"`. */
export function describe(entity: Entity): string {
  return `${kinds[entity.kind].label} "${entity.name}"`;
}

/** The reference of an entity by a foreign key that holds one, or undefined where it is unset. */
export function referenceOf(entity: Entity, field: string): Reference | undefined {
  return entity.references.find((reference) => reference.field === field);
}

/**
 * The entity as the Admin API takes it: its fields, its foreign keys in their wire form, and its id. `idOf` gives the
 * id to send for a reference (an adopted one, say); it defaults to the reference's own. References that name nothing
 * are left out.
 */
export function wireBody(
  entity: Entity,
  idOf: (reference: Reference) => string | null = (reference) => reference.id,
): JsonObject {
  const body: { [field: string]: Json } = { id: entity.id, ...entity.fields };
  const lists = new Map<string, Json[]>();
  for (const reference of entity.references) {
    const id = idOf(reference);
    if (id === null) continue;
    const key = kinds[entity.kind].foreign.find((candidate) => candidate.field === reference.field);
    const wire: Json = key?.wire === 'id' ? id : { id };
    if (key?.list === true) {
      const list = lists.get(reference.field) ?? [];
      list.push(wire);
      lists.set(reference.field, list);
    } else body[reference.field] = wire;
  }
  for (const [field, list] of lists) body[field] = list;
  return body;
}
