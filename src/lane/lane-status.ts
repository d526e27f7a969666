import type { LeftOut } from '../build/quarantine.ts';
import type { Identified, NodeStatus } from '../destination/destination.ts';
import type { Diagnostic, EntityName } from '../model/diagnostic.ts';
import type { FieldChange, Plan } from '../plan/plan.ts';
import type { FailureFacts } from '../platform/failure.ts';
import type { Approval } from './approvals.ts';
import type { GivenBy } from './given-by.ts';

/** The states of a destination: a closed list, one sentence each in docs/states.md. */
export type LaneState =
  | 'pending'
  | 'waiting'
  | 'delivering'
  | 'applied'
  | 'applied-degraded'
  | 'held'
  | 'rejected'
  | 'retrying'
  | 'unreachable'
  | 'drifted'
  | 'rolled-back'
  | 'suspended';

/** An entity in quarantine, and since when it is: time in milliseconds since 1970, and revision. */
export interface InQuarantine extends LeftOut {
  readonly since: number;
  readonly sinceRevision: string;
}

/** One change by another writer. No field holds a secret. */
export interface DriftSeen {
  /** When it was seen last, in milliseconds since 1970, and how often it was since the revision was put in force. */
  readonly seenAt: number;
  readonly times: number;
  /** What the other writer did. */
  readonly did: 'made' | 'changed' | 'deleted';
  readonly entity: EntityName;
  /** What was changed: from what was delivered to what was found. */
  readonly fields: readonly FieldChange[];
  /** `corrected`: put right; `reported`: left as the policy asks; `flapping`: left because it was done over and over. */
  readonly outcome: 'corrected' | 'reported' | 'flapping';
}

/** All that a lane says about its destination: a value, replaced whole at every step. Holds no secret. */
export interface LaneStatus {
  readonly destination: string;
  readonly state: LaneState;
  /** When the state was entered, in milliseconds since 1970. */
  readonly since: number;
  /** The generation and revision that the lane works on or worked on last. */
  readonly generation: number;
  readonly revision: string | null;
  /** What is signed of the newest revision's commit, as its text has it; none where signatures are not verified. */
  readonly signed?: string | null;
  /** The last revision that a delivery was started for. */
  readonly attempted: string | null;
  /** The last revision confirmed in place, and when. One with objects in quarantine is not in place as it was written. */
  readonly applied: string | null;
  readonly appliedAt: number | null;
  /** The digest of what was confirmed then. */
  readonly appliedDigest: string | null;
  /** One sentence of fact for people: `3 created, 1 updated; live on 2/2 nodes`. */
  readonly detail: string;
  /** What is being waited for and what would end the wait sooner; null when nothing is. */
  readonly waitingFor: string | null;
  /** Which entities and files are concerned by what is waited for: `service "a" (a.yaml:3)`; null when nothing is. */
  readonly concerns: string | null;
  /** What is not concerned by it; null when nothing is waited for. */
  readonly unaffected: string | null;
  /** When the next try or drift check is due, in milliseconds since 1970; null while one is under way. */
  readonly nextTryAt: number | null;
  readonly failure: FailureFacts | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly plan: Plan | null;
  /** What a person let through and was not delivered yet. */
  readonly approval: Approval | null;
  /** Who had it suspended and why, while it is. */
  readonly suspension: GivenBy | null;
  /** What is in quarantine: as long as the state is `applied-degraded`, and while it is looked at again. */
  readonly quarantine: readonly InQuarantine[];
  /** The last changes by another writer that were seen, newest first; bounded. */
  readonly drift: readonly DriftSeen[];
  /** The revision that drift was put right from last: not the one that is worked on while that waits or is refused. */
  readonly corrected: string | null;
  readonly identified: Identified | null;
  /** The nodes of the destination, one by one; empty where they are not known so. */
  readonly nodes: readonly NodeStatus[];
  /** Counted since the lane was started. */
  readonly counts: {
    readonly deliveries: number;
    readonly failures: number;
    readonly writes: number;
    readonly driftsCorrected: number;
  };
}
