import { Lane } from '../../src/lane/lane.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import type { LaneWorld } from '../../src/lane/lane-world.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import type { Content, Flaw, SimRevision } from '../sim/content.ts';
import type { Answer, Method, SimEvent } from '../sim/events.ts';
import { type LaneShape, SimLane } from '../sim/sim-lane.ts';

/** One lane on a bench: a test says what its destination answers and when time passes. */
export class Bench {
  readonly clock = new VirtualClock(0);
  readonly history: SimEvent[] = [];
  readonly sim: SimLane;
  #generation = 0;

  constructor(shape: Partial<LaneShape> = {}, world: Partial<LaneWorld> = {}) {
    this.sim = new SimLane(
      {
        name: 'prod',
        takes: 'services',
        atOnce: new Set(),
        drift: 'correct',
        hangs: false,
        content: new Map(),
        ...shape,
      },
      {
        makeLane: (made) => new Lane({ ...made, ...world }),
        clock: this.clock,
        record: (event) => {
          this.history.push(event);
        },
        landsWhenGivenUp: () => false,
      },
    );
    this.sim.start();
  }

  get status(): LaneStatus {
    return this.sim.lane.status;
  }

  /** Makes a revision that is not offered: one of the past, named `r1`, `r2` and so on. */
  publish(
    content: { readonly [name: string]: string },
    flaw: Flaw = 'none',
    more: Partial<Pick<SimRevision, 'commit' | 'earlier' | 'refusal' | 'revision'>> = {},
  ): SimRevision {
    this.#generation += 1;
    const made: Content = new Map(Object.entries(content));
    const revision = { generation: this.#generation, revision: `r${this.#generation}`, content: made, flaw, ...more };
    this.sim.publish(revision);
    return revision;
  }

  /** Makes a revision and offers it. */
  async offer(
    content: { readonly [name: string]: string },
    flaw: Flaw = 'none',
    more: Partial<Pick<SimRevision, 'commit' | 'earlier' | 'refusal' | 'revision'>> = {},
  ): Promise<SimRevision> {
    const revision = this.publish(content, flaw, more);
    this.sim.hand(this.sim.onTheirWay.length - 1);
    await this.clock.settle();
    return revision;
  }

  /** Answers the one call that waits, which must be of this method. */
  async answer(method: Method, answer: Answer = 'ok'): Promise<void> {
    const call = this.sim.destination.pending[0];
    if (call?.method !== method) throw new Error(`${call?.method ?? 'nothing'} waits, not ${method}`);
    call.answer(answer);
    await this.clock.settle();
  }

  /** Answers everything rightly, what is refused by its nature with a refusal, until the lane rests or `until` waits. */
  async settle(until: Method | null = null): Promise<void> {
    await this.clock.settle();
    for (let calls = 0; calls < 100; calls += 1) {
      const call = this.sim.destination.pending[0];
      if (call === undefined || call.method === until) return;
      call.answer(call.answers[0] ?? 'ok');
      await this.clock.settle();
    }
    throw new Error('the lane does not come to rest');
  }

  /** How many calls of a method began so far. */
  calls(method: Method): number {
    return this.history.filter((event) => event.type === 'called' && event.method === method).length;
  }

  /** The states that were said, in order, repeats dropped. */
  states(): readonly string[] {
    const said = this.history.flatMap((event) => (event.type === 'status' ? [event.status.state] : []));
    return said.filter((state, index) => state !== said[index - 1]);
  }

  holds(): { readonly [name: string]: string } {
    return Object.fromEntries(this.sim.destination.content);
  }
}
