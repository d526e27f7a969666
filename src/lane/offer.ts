import type { Built } from '../build/built.ts';
import type { Schemas } from '../schema/schema.ts';

/**
 * One revision offered to a lane. Generations grow; a lane refuses one that does not. `build` is pure: it builds the
 * revision for the lane's destination, with the destination's own schemas where they are known and else (null) with
 * those that the configuration assumes.
 */
export interface Offer {
  readonly generation: number;
  readonly revision: string;
  readonly build: (schemas: Schemas | null) => Built;
}
