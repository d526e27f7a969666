import type { Diagnostic, EntityName } from '../model/diagnostic.ts';
import type { Json } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import type { Location } from '../model/location.ts';

/** What a change does to its entity. */
export type Action = 'create' | 'update' | 'delete';

/** One field that changes. Both values of a secret field read `***`; `from` is absent where there was nothing, `to` where nothing will be. */
export interface FieldChange {
  readonly path: string;
  readonly from?: Json;
  readonly to?: Json;
  readonly secret?: true;
  /** Of code, which is secret as a whole: what may be told of the new one, or of the old one where none follows. */
  readonly code?: CodeShape;
}

/** What is told of a code that is not shown. */
export interface CodeShape {
  readonly lines: number;
  /** SHA-256 of what was there and of what will be, by which a change is told from another one; shown nowhere. */
  readonly digest: string;
}

/** One create, update or delete of one entity, as people and scripts see it. */
export interface Change {
  readonly action: Action;
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  readonly parent: EntityName | null;
  readonly fields: readonly FieldChange[];
  readonly location: Location | null;
}

/**
 * Why a plan may not be delivered without an approval. It deletes much (`mass-delete`), everything (`empty-target`), the
 * last of a kind (`last-of-kind`), what no revision declared (`foreign-prune`), what is protected (`protected`)
 * or to be left alone (`not-pruned`); it leaves behind what other tags bound (`scope-change`); it is not the plan that was looked at (`plan-changed`) or
 * that a pull request's review showed (`not-reviewed`); or it was carried out and is not healthy (`unhealthy`).
 */
export interface Hold {
  readonly code:
    | 'mass-delete'
    | 'empty-target'
    | 'last-of-kind'
    | 'foreign-prune'
    | 'protected'
    | 'not-pruned'
    | 'scope-change'
    | 'plan-changed'
    | 'not-reviewed'
    | 'unhealthy';
  readonly message: string;
  readonly hint: string;
}

/**
 * The ordered difference between live state and target state; complete before anything is sent, and free of secrets,
 * so that it may be printed, stored and compared. Key order and names are those of the stable JSON form.
 */
export interface Plan {
  readonly destination: string;
  readonly revision: string | null;
  readonly digest: string;
  readonly fingerprint: string;
  readonly summary: {
    readonly create: number;
    readonly update: number;
    readonly delete: number;
    readonly unchanged: number;
  };
  readonly changes: readonly Change[];
  readonly warnings: readonly string[];
  readonly held: Hold | null;
}

/**
 * What carries out one change (or a part of it). Holds secrets: never printed, stored or logged. `after` names the
 * writes that must have succeeded before this one is sent, by their place in the list.
 */
export interface Write {
  /** The change's place in the plan. Several writes may carry out one change: it is done when the last of them is. */
  readonly change: number;
  /** Changes without a write of their own: deletes that the server makes together with this one. */
  readonly covers: readonly number[];
  readonly action: Action;
  readonly kind: KindName;
  /** The entity's id as the destination knows it; of a group membership, which has none, the consumer's. */
  readonly id: string;
  /** The whole entity in the Admin API's form, with ids in its foreign keys as the destination knows them; null for a delete. */
  readonly body: { readonly [field: string]: Json } | null;
  /**
   * Fields of `body` that the destination is to leave as they are, for they hold its own hash of a secret; none where it
   * is left out.
   */
  readonly kept?: readonly string[];
  /** The id of the entity that this one is nested under for its path, or null. */
  readonly parentId: string | null;
  readonly after: readonly number[];
  /**
   * Of a write that had to come first: what puts the entity back as it was. Of a delete of protection, when one of the
   * writes `unless` ends without success (`one-fails`); of a closing of a route, when it is known that none of them was
   * carried out (`none-comes`). Left out where there is nothing to put back.
   */
  readonly takenBack?: {
    readonly body: { readonly [field: string]: Json };
    readonly unless: readonly number[];
    readonly when: 'one-fails' | 'none-comes';
  };
}

/** A plan and the writes that carry it out. */
export interface PlannedDelivery {
  readonly plan: Plan;
  /** In the order in which they may be sent; empty for a DB-less destination, which takes its state whole. */
  readonly writes: readonly Write[];
  /**
   * Why the destination cannot have all that is declared, whatever is written: a finding for each entity that would be
   * missing. With any, nothing may go out, and nothing counts as in place. Left out where there is none.
   */
  readonly refused?: readonly Diagnostic[];
  /** Changes that were left out because another writer keeps undoing them; none where left out. */
  readonly left?: readonly Change[];
  /** Changes, whole or in part, that were left out because they are only to be told; none where left out. */
  readonly reported?: readonly Change[];
  /** Fields that were not compared because the destination does not give them back, as `kind/field`, sorted. */
  readonly unread: readonly string[];
}
