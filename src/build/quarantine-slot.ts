import type { Entity, Reference } from '../model/entity.ts';
import { canonicalJson } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import type { State } from '../model/state.ts';

/** Why an entity is not taken as the revision has it, and the one that it started with. */
export interface Reason {
  readonly why: string;
  /** Null where the entity is broken itself. */
  readonly root: Slot | null;
}

/** One entity as the revision has it and in its last good version, and which of the two is taken. */
export interface Slot {
  /** Null where the revision does not have it any more, or its file cannot be read. */
  readonly wanted: Entity | null;
  old: Entity | null;
  /** Whether the last good version does not hold in this state. */
  banned: boolean;
  /** Why it is broken or out by itself. */
  fallen: Reason | null;
  /** Why its last good version is to come back although the revision does not have it; null where it is not. */
  asked: Reason | null;
  /** Why the revision's own version is not taken: it has fallen, or depends on what has. */
  reason: Reason | null;
  taken: 'wanted' | 'old' | 'none';
}

/** The reason of what goes with another one. */
export function through(slot: Slot): Reason {
  return { why: slot.reason?.why ?? '', root: slot.reason?.root ?? slot };
}

/** What is taken, by kind. */
export type Present = Map<KindName, { readonly byId: Map<string, Entity>; readonly byIdentity: Map<string, Entity> }>;

/** What is taken of a kind by an id, else by an identity. */
export function find(present: Present, kind: KindName, { id, identity }: { id: string | null; identity: string }) {
  const index = present.get(kind);
  return (id === null ? undefined : index?.byId.get(id)) ?? index?.byIdentity.get(identity);
}

/** The version of an entity that is taken. */
export function takenOf({ taken, wanted, old }: Slot): Entity | null {
  return taken === 'wanted' ? wanted : taken === 'old' ? old : null;
}

/** What an entity of the revision was before; undefined where it is new. */
export function lastVersion(wanted: Entity, before: State): Entity | undefined {
  const byId = wanted.idGiven ? before.byId(wanted.kind, wanted.id) : undefined;
  return byId ?? before.byIdentity(wanted.kind, wanted.identity);
}

/** An entity whose references lead to the versions that are taken. */
export function resolved(entity: Entity, present: Present): Entity {
  const references = entity.references.map((reference): Reference => {
    const to = find(present, reference.kind, reference);
    if (to === undefined || (reference.resolved && to.id === reference.id && to.identity === reference.identity)) {
      return reference;
    }
    return { ...reference, id: to.id, identity: to.identity, resolved: true };
  });
  const same = references.every((reference, index) => reference === entity.references[index]);
  return same ? entity : { ...entity, references };
}

/** Whether two versions of an entity read the same. */
export function isSame(a: Entity, b: Entity): boolean {
  const of = ({ fields, references, idGiven, id, identity }: Entity) =>
    canonicalJson([
      identity,
      idGiven ? id : null,
      fields,
      references.map(({ field, index, kind, identity: to }) => [field, index, kind, to]),
    ]);
  return of(a) === of(b);
}
