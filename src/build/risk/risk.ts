import type { Location } from '../../model/location.ts';

/** How much attention a note asks for. */
export type RiskSeverity = 'notice' | 'warning' | 'danger';

/** One thing about a proposed change that a reviewer should know, found in two states. Holds no secret. */
export interface RiskNote {
  /** `route-moved`, `authentication-removed` …: never changes its meaning. */
  readonly code: string;
  readonly severity: RiskSeverity;
  /** One or two sentences: what changes, before and after. */
  readonly message: string;
  /** Where the proposed files (or, of what is removed, the branch's) say so. */
  readonly locations: readonly Location[];
  /** Whether the locations are those of the branch's files, since the proposed ones no longer have it. */
  readonly removed?: true;
}
