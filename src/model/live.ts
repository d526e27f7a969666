import type { KindName } from './kind.ts';
import type { State } from './state.ts';

/** One node of a DB-less destination, as read. `hash` is its `configuration_hash`; null where it did not answer. */
export interface LiveNode {
  readonly url: string;
  readonly hash: string | null;
  /** Why the node did not answer, for people; null where it did. */
  readonly failure: string | null;
}

/** What a destination answered: a complete read, or there is no Live at all. */
export interface Live {
  /** What is in scope (all of it, or what carries the scope's tags). Each entity's id is the destination's. */
  readonly state: State;
  /** Kinds that the destination refused to list or does not have, and why. Never the same as empty. */
  readonly notManaged: ReadonlyMap<KindName, string>;
  /** The nodes, of a DB-less destination; empty otherwise. */
  readonly nodes: readonly LiveNode[];
  /** When the read ended, in milliseconds since 1970. */
  readonly readAt: number;
}
