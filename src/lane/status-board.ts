import type { Identified, Outcome } from '../destination/destination.ts';
import type { Plan } from '../plan/plan.ts';
import { type FailureFacts, faultText, ownFault } from '../platform/failure.ts';
import { countChanges, stateWords } from './ending.ts';
import type { Closed } from './gate.ts';
import type { LaneStatus } from './lane-status.ts';
import type { LaneWorld } from './lane-world.ts';
import { firstStatus } from './sayings.ts';
import { waitFields } from './tell-ending.ts';

/** What a delivery is for: `nodes` are fed that were restarted, joined, or were left behind. */
export type DeliveryReason = 'revision' | 'drift' | 'nodes' | 'roll-back';

/** What one lane says, told to whoever listens at every change, with its counts and its log. */
export class StatusBoard {
  readonly #world: Pick<LaneWorld, 'destination' | 'clock' | 'log' | 'report'>;
  #status: LaneStatus;

  constructor(world: Pick<LaneWorld, 'destination' | 'clock' | 'log' | 'report'>) {
    this.#world = world;
    this.#status = firstStatus(world.destination.name, world.clock.now());
  }

  /** What the lane says now. The nodes are as they were seen last, which may be since anything was said. */
  get status(): LaneStatus {
    const nodes = this.#world.destination.nodes?.() ?? this.#status.nodes;
    if (nodes !== this.#status.nodes) this.#status = { ...this.#status, nodes };
    return this.#status;
  }

  /** Changes what the lane says. */
  show(change: Partial<LaneStatus>): void {
    const since = change.state !== undefined && change.state !== this.#status.state ? this.#world.clock.now() : null;
    this.#status = { ...this.#status, ...change, ...(since === null ? {} : { since }) };
    try {
      this.#world.report(this.status);
    } catch (thrown) {
      // Whoever listens may break without breaking the delivery.
      this.ownFault(thrown);
    }
  }

  /** Tells of a fault of ours; a fault in one lane ends neither the lane nor another. */
  ownFault(thrown: unknown): FailureFacts {
    this.#world.log.error(
      { ...this.fields(this.#status.revision), stack: faultText(thrown) },
      'a fault of Konverge itself',
    );
    return ownFault();
  }

  /** A delivery began. */
  countDelivery(revision: string, plan: Plan, why: DeliveryReason): void {
    const { counts } = this.#status;
    this.#world.log.info({ ...this.fields(revision), ...countChanges(plan) }, beginning[why]);
    this.show({
      ...(why === 'drift' ? { corrected: revision } : {}),
      counts: {
        ...counts,
        deliveries: counts.deliveries + 1,
        driftsCorrected: counts.driftsCorrected + (why === 'drift' ? 1 : 0),
      },
    });
  }

  /** Says why what waits does so now; whether it has to look again sooner than it would. */
  waitsOn({ reason, waitingFor, until }: Closed): boolean {
    const { state, detail, nextTryAt } = this.#status;
    if (state !== 'waiting') return false;
    if (detail !== reason) {
      this.show({ detail: reason, waitingFor });
      this.#tellWait();
    }
    return until !== null && nextTryAt !== null && until < nextTryAt;
  }

  /** A person suspended the destination. */
  rests(saying: Partial<LaneStatus>): void {
    this.show(saying);
    this.#tellWait();
  }

  #tellWait(): void {
    const { status } = this;
    const { log, clock } = this.#world;
    const fields = waitFields(status, status.revision, clock.now());
    // To wait for one's turn in a roll-out is as it should be.
    if (status.state === 'waiting') log.info(fields, stateWords[status.state]);
    else log.warn(fields, stateWords[status.state]);
  }

  /** A delivery ended. */
  countWrites(outcome: Outcome): void {
    const { counts } = this.#status;
    this.show({ counts: { ...counts, writes: counts.writes + outcome.writes } });
  }

  /** The destination said who it is. Whether it says something else than before. */
  identified(identified: Identified): boolean {
    if (this.#status.identified?.description === identified.description) return false;
    this.#world.log.info({ ...this.fields(null), is: identified.description }, 'asked who the destination is');
    this.show({ identified });
    return true;
  }

  /** The fields of every log line. */
  fields<R extends string | null>(revision: R): { destination: string; revision: R } {
    return { destination: this.#world.destination.name, revision };
  }
}

const beginning: { readonly [R in DeliveryReason]: string } = {
  revision: 'delivering a revision',
  drift: 'putting drift right',
  nodes: 'feeding nodes that lack what was delivered',
  'roll-back': 'going back to an earlier revision',
};
