import type { Destination } from '../destination/destination.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Approval } from './approvals.ts';
import type { Gate } from './gate.ts';
import type { Health } from './health.ts';
import type { LaneStatus } from './lane-status.ts';
import type { Lease } from './lease.ts';
import type { MakePlan } from './survey.ts';

/** What a lane is made with. Nothing in it is shared with another lane in a way that can wait. */
export interface LaneWorld {
  readonly destination: Destination;
  readonly plan: MakePlan;
  /** Whether broken parts of a revision are left out, so that the rest can go on; they are not where it is left out. */
  readonly onInvalid?: 'reject' | 'quarantine';
  readonly policy: {
    readonly drift: 'correct' | 'report' | 'ignore';
    readonly driftIntervalMs: number;
    /** What is reported while all else is corrected, as `KIND/NAME` or `KIND/NAME/FIELD/…`; nothing where left out. */
    readonly driftReport?: readonly string[];
  };
  /** Holds a revision back; none does where it is left out. Drift from what is in force is put right all the same. */
  readonly gate?: Gate;
  /** How health is told after a delivery; it is not asked for where it is left out. */
  readonly health?: Health;
  /** For how long others want it to have stayed as confirmed, in milliseconds each; for none where it is left out. */
  readonly soaksMs?: readonly number[];
  /** What a person approved in an earlier process and was not used; nothing where it is left out. */
  readonly approved?: Approval | null;
  /**
   * Whether an earlier process confirmed a revision here with content of this digest, as it was written, and began nothing
   * else since: what differs from it is drift. That is not known of any where it is left out.
   */
  readonly wasConfirmed?: (revision: string, digest: string) => boolean;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly lease: Lease;
  /** Told every new status, at once. Must not wait. */
  readonly report: (status: LaneStatus) => void;
}
