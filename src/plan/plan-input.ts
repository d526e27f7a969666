import type { Entity } from '../model/entity.ts';
import type { KindName } from '../model/kind.ts';
import type { Live } from '../model/live.ts';
import type { State } from '../model/state.ts';
import type { Schemas } from '../schema/schema.ts';

/** All that a plan is made from. */
export interface PlanInput {
  /** The destination's name. */
  readonly destination: string;
  /** What the destination is: decides what a write has to carry, and whether there are writes at all. */
  readonly mode: 'database' | 'dbless' | 'konnect';
  /** The full SHA that the target state was built from, or null for a working tree. */
  readonly revision: string | null;
  /** The target state, with its digest. Its `selectTags` bound what is owned. */
  readonly state: State;
  readonly digest: string;
  readonly live: Live;
  /** The schemas that both sides are brought to their normal form with: best the destination's own. */
  readonly schemas: Schemas;
  readonly policy: PrunePolicy;
  readonly exclude: Exclusion;
  /** Whether an earlier revision of the branch declared an entity; null where that is not known and not to be judged. */
  readonly declaredEarlier: ((entity: Entity) => boolean) | null;
  /** The names that revisions of the branch declared (`declaredNames`), for what the environment names; none where left out. */
  readonly namesEarlier?: ReadonlySet<string>;
  /** What was in force before; null or left out where that is not known. */
  readonly before?: Before | null;
  /** What others may change, as `KIND/NAME` or `KIND/NAME/FIELD/…`; nothing where left out. */
  readonly ignore?: readonly string[];
  /** What is told and not put right, named like `ignore`; nothing where left out. A DB-less destination has none. */
  readonly report?: readonly string[];
  /** Values of the environment that files may name, or may have named: never shown. None where left out. */
  readonly hidden?: readonly string[];
  /** Live entities (`kind/id`) that are left as they are for now, since another writer keeps changing them. */
  readonly leave?: ReadonlySet<string>;
}

/** What may be deleted. */
export interface PrunePolicy {
  readonly prune: boolean;
  /** Whether entities that no revision declared may be deleted. */
  readonly adopt: boolean;
  /** A plan is held when it deletes more than `share` (0 to 1) of what is live in scope and more than `atLeast`. */
  readonly maxDelete: { readonly share: number; readonly atLeast: number };
  /** A plan is held when it deletes all entities of a kind and these are more than so many; never where left out. */
  readonly lastOfKind?: number;
  /** Tags of live entities that are never deleted; none where left out. */
  readonly protect?: readonly string[];
}

/** What the branch had before, as far as a plan has to know it: the tags that bound it, and what is live with them. */
export interface Before {
  readonly selectTags: readonly string[];
  readonly live: Live;
}

/** What a destination is not given. With `prune` it is deleted where it is live, else left alone. */
export interface Exclusion {
  readonly kinds: readonly KindName[];
  readonly tags: readonly string[];
  readonly prune: boolean;
}
