import type { BuildSettings, Built } from '../build/built.ts';

/** What a build is checked against. */
export type BuildSchemas = BuildSettings['schemas'];

/**
 * One revision offered to a lane. Generations grow; a lane refuses one that does not. `build` is pure: it builds the
 * revision for the lane's destination, with the destination's own schemas where they are known and else (null) with
 * those that the configuration assumes.
 */
export interface Offer {
  readonly generation: number;
  readonly revision: string;
  readonly build: (schemas: BuildSchemas | null) => Built;
  /**
   * Which of the wanted entities (`kind/identity`) an earlier revision of the branch declared, as far back as the
   * configuration looks. It is what tells an entity that was removed from one that was never ours.
   */
  readonly declaredEarlier: (wanted: ReadonlySet<string>, signal: AbortSignal) => Promise<ReadonlySet<string>>;
}

/** An entity as `declaredEarlier` names it. */
export function declaredName(kind: string, identity: string): string {
  return `${kind}/${identity}`;
}
