import { getEventListeners } from 'node:events';
import { gateOf } from '../../src/daemon/gates.ts';
import type { Gate } from '../../src/lane/gate.ts';
import type { Lane } from '../../src/lane/lane.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import type { LaneWorld } from '../../src/lane/lane-world.ts';
import type { Offer } from '../../src/lane/offer.ts';
import type { State } from '../../src/model/state.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { silentLog } from '../../src/platform/log.ts';
import { randomFrom } from './choices.ts';
import {
  type Content,
  goodContent,
  lastGoodOf,
  offerOf,
  planServices,
  planWhole,
  type SimRevision,
  textOf,
} from './content.ts';
import type { Happening, Method, SimEvent } from './events.ts';
import { SimDestination } from './sim-destination.ts';

/** Makes a lane: the shipped one, or one with a planted fault. */
export type MakeLane = ((world: LaneWorld) => Lane) & { readonly gateOf?: typeof gateOf };

/** What one lane of a simulation is. */
export interface LaneShape {
  readonly name: string;
  readonly takes: 'services' | 'whole';
  readonly atOnce: ReadonlySet<Method>;
  readonly drift: 'correct' | 'report' | 'ignore';
  /** What becomes of a revision with errors; `reject` where it is left out. */
  readonly onInvalid?: 'reject' | 'quarantine';
  /** What follows where a probe fails; there are none where it is left out. */
  readonly onUnhealthy?: 'hold' | 'rollback';
  /** Whether there is a gate. */
  readonly gated?: boolean;
  /** The lane whose confirmation of a revision is waited for, and for how long it has to stand, in milliseconds. */
  readonly after?: { readonly lane: string; readonly soakMs: number };
  /** Whether its destination never answers anything. */
  readonly hangs: boolean;
  readonly content: Content;
}

/** What a simulated lane is put into. */
export interface SimLaneWorld {
  readonly makeLane: MakeLane;
  readonly clock: Clock;
  readonly record: (event: SimEvent) => void;
  readonly landsWhenGivenUp: () => boolean;
  /** What another lane says now. */
  readonly statusOf?: (lane: string) => LaneStatus | undefined;
  /** What the other lanes are. */
  readonly shapes?: readonly LaneShape[];
  /** Told whenever a lane said something. */
  readonly said?: () => void;
}

/** How often the lanes of a simulation look for drift, in milliseconds. */
export const driftIntervalMs = 300_000;

/** A lane with its destination, across restarts: what the daemon round it would hold. */
export class SimLane {
  readonly shape: LaneShape;
  readonly destination: SimDestination;
  /** Offers on their way, in order of their making; they may come in any order. */
  readonly onTheirWay: SimRevision[] = [];
  /** The newest revision that was made for this lane. */
  newest: SimRevision | null = null;
  /** All revisions that were made for this lane, newest first. */
  readonly published: SimRevision[] = [];
  suspended = false;
  leaseHeld = true;
  /** Until when the gate is closed, in milliseconds since 1970; null where it is open. */
  closedUntil: number | null = null;
  readonly #world: SimLaneWorld;
  readonly #generations = new WeakMap<State, number>();
  readonly #random: () => number;
  #lane: Lane | null = null;
  #stop = new AbortController();
  #timers = 0;
  #running = false;
  /** What was confirmed last, and nothing else was begun since: what a history would tell the next process. */
  #confirmed: { readonly revision: string | null; readonly digest: string; readonly at: number | null } | null = null;

  constructor(shape: LaneShape, world: SimLaneWorld) {
    this.shape = shape;
    this.#world = world;
    this.#random = randomFrom(shape.name.length + shape.name.charCodeAt(0));
    this.destination = new SimDestination({
      ...shape,
      record: (happening) => {
        if (happening.type === 'applying' && happening.content !== this.#confirmed?.digest) this.#confirmed = null;
        this.#record(happening);
      },
      now: () => world.clock.now(),
      landsWhenGivenUp: world.landsWhenGivenUp,
      generationOf: (state) => this.#generations.get(state),
      generationOfRevision: (name) => this.published.find(({ revision }) => revision === name)?.generation ?? 0,
    });
  }

  /** The lane that runs now. */
  get lane(): Lane {
    if (this.#lane === null) throw new Error('the lane was not started');
    return this.#lane;
  }

  /** Whether the lane has not ended. */
  get running(): boolean {
    return this.#running;
  }

  /** Starts a lane, as a process that starts does. */
  start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.suspended = false;
    this.#record({ type: 'started' });
    const lane = this.#world.makeLane({
      destination: this.destination,
      plan: this.shape.takes === 'whole' ? planWhole : planServices,
      policy: { drift: this.shape.drift, driftIntervalMs },
      onInvalid: this.shape.onInvalid ?? 'reject',
      ...this.#rollout(),
      clock: this.#countingClock(),
      random: this.#random,
      log: silentLog,
      wasConfirmed: (() => {
        const known = this.#confirmed;
        return (revision: string, digest: string) => known?.revision === revision && known.digest === digest;
      })(),
      lease: { held: () => this.leaseHeld },
      // What a lane says while it is being killed is heard by nobody.
      report: (status) => {
        if (!stop.signal.aborted) this.#said(status);
        this.#world.said?.();
      },
    });
    this.#lane = lane;
    this.#running = true;
    const ended = (fault: string | null) => {
      if (this.#lane === lane) this.#running = false;
      this.#record({ type: 'ended', fault });
    };
    lane.run(stop.signal).then(
      () => ended(null),
      (thrown: unknown) => ended(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  }

  /** Tells the lane to stop, or kills it: what differs is who listens. */
  stop(): void {
    this.#record({ type: 'stopping' });
    this.#stop.abort(new Error('stopped'));
  }

  /** Makes a revision for this lane; its offer is on its way then. */
  publish(revision: SimRevision): void {
    this.newest = revision;
    this.published.unshift(revision);
    this.onTheirWay.push(revision);
    const { generation, revision: name, content } = revision;
    const good = textOf(goodContent(revision, this.#earlier(revision)));
    this.#record({ type: 'published', generation, revision: name, content: textOf(content), good });
  }

  /** Hands the lane one of the offers on their way. */
  hand(index: number): void {
    const [revision] = this.onTheirWay.splice(index, 1);
    if (revision === undefined) return;
    const offer = this.#known(revision);
    const accepted = this.lane.offer(offer);
    const { generation, revision: name, content } = revision;
    this.#record({ type: 'offered', generation, revision: name, content: textOf(content), accepted });
  }

  /** Sets the suspension, asks for a sync, or gives an approval, as the API does. */
  steer(verb: 'suspend' | 'resume' | 'sync'): void {
    this.#record({ type: 'steered', verb });
    if (verb === 'sync') this.lane.sync();
    else {
      this.suspended = verb === 'suspend';
      if (this.suspended) this.lane.suspend();
      else this.lane.resume();
    }
  }

  /** Approves a plan by its fingerprint. */
  approve(fingerprint: string): void {
    this.#record({ type: 'approved', fingerprint });
    this.lane.approve(fingerprint);
  }

  /** Takes away or gives back the right to write. */
  lease(held: boolean): void {
    this.leaseHeld = held;
    this.#record({ type: 'lease', held });
  }

  /** Notes what waits, once nothing can go on by itself. */
  quiet(): void {
    this.#record({
      type: 'quiet',
      calls: this.destination.pending.length,
      timers: this.#timers,
      listeners: this.listeners,
    });
  }

  /** Listeners that were left on the signal that stops the lane. */
  get listeners(): number {
    return getEventListeners(this.#stop.signal, 'abort').length;
  }

  /** Opens the gate, or closes it until a time. */
  gate(closedUntil: number | null): void {
    this.closedUntil = closedUntil;
    const until = closedUntil === Number.POSITIVE_INFINITY ? null : closedUntil;
    this.#record({ type: 'gate', open: closedUntil === null, until });
    this.lane.reconsider();
  }

  #rollout(): Pick<LaneWorld, 'gate' | 'health' | 'soaksMs'> {
    const { name, gated, after, onUnhealthy } = this.shape;
    const behindThis = (this.#world.shapes ?? []).flatMap((shape) => (shape.after?.lane === name ? [shape.after] : []));
    const behind = (this.#world.makeLane.gateOf ?? gateOf)(
      { after: after === undefined ? [] : [after.lane], soakMs: after?.soakMs ?? 0, windows: [], freeze: null },
      (other) => this.#world.statusOf?.(other),
      undefined,
      (other) => this.#world.shapes?.find((shape) => shape.name === other)?.drift !== 'ignore',
    );
    const gate: Gate = (offer, now) => {
      const until = this.closedUntil;
      if (until === null || now >= until) return behind?.(offer, now) ?? null;
      return { reason: 'closed', waitingFor: 'the gate', until: Number.isFinite(until) ? until : null };
    };
    const probes = [
      { name: 'simulated', withinMs: 3_000, ask: (signal: AbortSignal) => this.destination.probe(signal) },
    ];
    return {
      soaksMs: behindThis.map(({ soakMs }) => soakMs).filter((ms) => ms > 0),
      ...(gated === true || behind !== undefined ? { gate } : {}),
      ...(onUnhealthy === undefined ? {} : { health: { probes, updateIntervalMs: 5_000, onUnhealthy } }),
    };
  }

  #known(revision: SimRevision): Offer {
    const offer = offerOf(revision);
    this.#generations.set(offer.build(null).state, revision.generation);
    const onInvalid = this.shape.onInvalid ?? 'reject';
    return {
      ...offer,
      lastGood: async (_, passedOver) => lastGoodOf(this.#earlier(revision), onInvalid, passedOver),
    };
  }

  #earlier({ generation }: SimRevision): readonly SimRevision[] {
    return this.published.filter((one) => one.generation < generation);
  }

  #countingClock(): Clock {
    const { clock } = this.#world;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: async (ms, signal) => {
        this.#timers += 1;
        try {
          await clock.sleep(ms, signal);
        } finally {
          this.#timers -= 1;
        }
      },
    };
  }

  #said(status: LaneStatus): void {
    const { applied, appliedAt, appliedDigest, state } = status;
    if (appliedAt !== null && appliedDigest !== null && state === 'applied' && appliedAt !== this.#confirmed?.at) {
      this.#confirmed = { revision: applied, digest: appliedDigest, at: appliedAt };
    }
    this.#record({ type: 'status', status });
  }

  #record(happening: Happening): void {
    this.#world.record({ lane: this.shape.name, at: this.#world.clock.now(), ...happening });
  }
}
