/** The right to write to a destination. One process always has it; several share it through a lease. */
export interface Lease {
  readonly held: () => boolean;
}

/** The lease of a process that is alone. */
export const alone: Lease = { held: () => true };
