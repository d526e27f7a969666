import type { KindName } from './kind.ts';
import type { State } from './state.ts';

/** One node of a DB-less destination, as read. `hash` is its `configuration_hash`; null where it did not answer. */
export interface LiveNode {
  readonly url: string;
  readonly hash: string | null;
  /** Why the node did not answer, for people; null where it did. */
  readonly failure: string | null;
}

/** How far the data planes of a control plane are. */
export interface Rollout {
  readonly nodes: number;
  /** How many of them run what the control plane holds. */
  readonly running: number;
  /** The names of the others. */
  readonly behind: readonly string[];
}

/** A listing that a destination refused. */
export interface Unlisted {
  readonly url: string;
  readonly status: number;
}

/** What a destination answered: a complete read, or there is no Live at all. */
export interface Live {
  /** What is in scope (all of it, or what carries the scope's tags). Each entity's id is the destination's. */
  readonly state: State;
  /** Kinds that the destination refused to list or does not have, and why. Never the same as empty. */
  readonly notManaged: ReadonlyMap<KindName, string>;
  /** Of the kinds that are not managed, those whose listing was asked for and refused. */
  readonly unlisted?: ReadonlyMap<KindName, Unlisted>;
  /** The nodes, of a DB-less destination; empty otherwise. */
  readonly nodes: readonly LiveNode[];
  /** How far a control plane's data planes are; absent where there are none, null where that is not told. */
  readonly rollout?: Rollout | null;
  /** When the read ended, in milliseconds since 1970. */
  readonly readAt: number;
}
