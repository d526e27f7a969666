import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import type { Choices } from './choices.ts';
import {
  brokenValue,
  type Content,
  type Flaw,
  objectionable,
  refusedValue,
  type SimRevision,
  unhealthyValue,
} from './content.ts';
import type { Answer, SimEvent } from './events.ts';
import { type LaneShape, type MakeLane, SimLane } from './sim-lane.ts';

/** How a simulation may go. */
export interface SimulationShape {
  readonly lanes: readonly LaneShape[];
  /** Revisions that the first phase publishes at most. */
  readonly revisions: number;
  readonly flaws: readonly Flaw[];
  /** What each revision may hold, the first one's first; the last are those of all later ones. */
  readonly contents: readonly (readonly Content[])[];
  readonly answers: readonly Answer[];
  /** How many restarts, changes by another writer, and acts of people the first phase has at most. */
  readonly restarts: number;
  readonly drifts: number;
  readonly acts: number;
  /** Whether offers may come late and out of order. */
  readonly late: boolean;
}

/** One thing that can happen next. */
interface Option {
  readonly weight: number;
  readonly happen: () => void;
}

/** What revisions hold. */
export const contents: readonly Content[] = [
  new Map([
    ['a', '1'],
    ['b', '1'],
    ['c', '1'],
  ]),
  new Map([
    ['a', '2'],
    ['b', '1'],
    ['c', '1'],
  ]),
  new Map([
    ['a', '2'],
    ['c', '2'],
    ['d', '1'],
  ]),
  new Map([['a', '3']]),
];

/** Several lanes, their destinations and a clock, moved step by step by what the choices say. */
export class Simulation {
  readonly clock = new VirtualClock(0);
  readonly lanes: readonly SimLane[];
  readonly history: SimEvent[] = [];
  readonly #shape: SimulationShape;
  readonly #choices: Choices;
  #published = 0;
  #restarts = 0;
  #drifts = 0;
  #acts = 0;

  constructor(shape: SimulationShape, makeLane: MakeLane, choices: Choices) {
    this.#shape = shape;
    this.#choices = choices;
    const world = {
      makeLane,
      clock: this.clock,
      record: (event: SimEvent) => {
        this.history.push(event);
      },
      landsWhenGivenUp: () => choices.pick([1, 1]) === 1,
      shapes: shape.lanes,
      statusOf: (name: string) => this.lanes.find((lane) => lane.shape.name === name)?.lane.status,
      said: () => {
        // What the daemon does: who waits for another one looks again.
        for (const lane of this.lanes) if (lane.shape.after !== undefined) lane.lane.reconsider();
      },
    };
    this.lanes = shape.lanes.map((lane) => new SimLane(lane, world));
  }

  /** Starts every lane. */
  async begin(): Promise<void> {
    for (const lane of this.lanes) lane.start();
    await this.settle();
  }

  /** Lets one thing happen, whatever it is, and all that follows from it. False where nothing can. */
  async step(): Promise<boolean> {
    const options = [...this.#publishing(), ...this.#time(), ...this.lanes.flatMap((lane) => this.#ofLane(lane))];
    if (options.length === 0) return false;
    options[this.#choices.pick(options.map(({ weight }) => weight))]?.happen();
    await this.settle();
    return true;
  }

  /** Lets everything go on that can without a step, and notes what then waits. */
  async settle(): Promise<void> {
    await this.clock.settle();
    for (const lane of this.lanes) if (lane.running) lane.quiet();
  }

  /** Publishes a revision to every lane; the offers are on their way then. */
  publish(content: Content, flaw: Flaw): SimRevision {
    this.#published += 1;
    const revision = {
      // The number after it is that of a roll-back from it.
      generation: 2 * this.#published,
      revision: `r${this.#published}`,
      content: flawed(content, flaw),
      flaw,
    };
    for (const lane of this.lanes) lane.publish(revision);
    return revision;
  }

  #publishing(): readonly Option[] {
    if (this.#published >= this.#shape.revisions) return [];
    return this.#shape.flaws.map((flaw, index) => ({
      weight: index === 0 ? 4 : 1,
      happen: () => {
        const possible = this.#shape.contents[this.#published] ?? this.#shape.contents.at(-1) ?? [];
        const chosen = this.#choices.pick(possible.map(() => 1));
        this.publish(possible[chosen] ?? new Map(), flaw);
        for (const lane of this.lanes) {
          const late = this.#shape.late && this.#choices.pick([3, 1]) === 1;
          if (!late) lane.hand(lane.onTheirWay.length - 1);
        }
      },
    }));
  }

  #time(): readonly Option[] {
    const next = this.clock.pending()[0];
    return next === undefined ? [] : [{ weight: 4, happen: () => this.clock.fire(next.id) }];
  }

  #ofLane(lane: SimLane): readonly Option[] {
    const options: Option[] = lane.onTheirWay.map((_, index) => ({ weight: 2, happen: () => lane.hand(index) }));
    if (lane.shape.hangs) return options;
    for (const call of lane.destination.pending) {
      for (const answer of call.answers) {
        if (!this.#shape.answers.includes(answer) && answer !== call.answers[0]) continue;
        options.push({ weight: answer === call.answers[0] ? 12 : 1, happen: () => call.answer(answer) });
      }
    }
    if (this.#restarts < this.#shape.restarts) options.push({ weight: 1, happen: () => this.#restart(lane) });
    if (this.#drifts < this.#shape.drifts) options.push({ weight: 1, happen: () => this.#drift(lane) });
    if (this.#acts < this.#shape.acts) options.push(...this.#actsOn(lane));
    return options;
  }

  #restart(lane: SimLane): void {
    this.#restarts += 1;
    lane.stop();
    lane.start();
    // The new process finds the newest revision, or finds nothing for a while.
    lane.onTheirWay.length = 0;
    if (lane.newest !== null) lane.onTheirWay.push(lane.newest);
    if (lane.newest !== null && this.#choices.pick([2, 1]) === 0) lane.hand(0);
  }

  #drift(lane: SimLane): void {
    this.#drifts += 1;
    drift(lane, this.#choices);
  }

  #gating(lane: SimLane, act: (happen: () => void) => Option): Option {
    if (lane.closedUntil !== null) return act(() => lane.gate(null));
    const until = this.clock.now() + 600_000;
    return act(() => lane.gate(this.#choices.pick([1, 1]) === 0 ? until : Number.POSITIVE_INFINITY));
  }

  #actsOn(lane: SimLane): readonly Option[] {
    const act = (happen: () => void): Option => ({
      weight: 1,
      happen: () => {
        this.#acts += 1;
        happen();
      },
    });
    const { plan, state } = lane.lane.status;
    return [
      act(() => lane.steer(lane.suspended ? 'resume' : 'suspend')),
      act(() => lane.steer('sync')),
      act(() => lane.lease(!lane.leaseHeld)),
      ...(lane.shape.gated === true ? [this.#gating(lane, act)] : []),
      ...(state === 'held' && plan !== null ? [{ ...act(() => lane.approve(plan.fingerprint)), weight: 6 }] : []),
    ];
  }
}

/** What is live changes by itself: one service more, one less, one different, all as it was before, or all lost. */
export function drift({ destination }: SimLane, choices: Choices): void {
  const next = new Map(destination.content);
  const [first] = next.keys();
  const how = choices.pick([1, 1, 1, 1, 1]);
  if (how === 4) destination.drift(new Map());
  else if (how === 3) destination.drift(destination.before);
  else {
    if (how === 0 || first === undefined) next.set('x', 'foreign');
    else if (how === 1) next.delete(first);
    else next.set(first, 'changed by hand');
    destination.drift(next);
  }
}

function flawed(content: Content, flaw: Flaw): Content {
  // One that may have been good before, and one that is new.
  if (flaw === 'broken') return new Map([...content, ['a', brokenValue], ['q', brokenValue]]);
  if (flaw === 'unhealthy') return new Map([...content, ['h', unhealthyValue]]);
  if (flaw === 'objectionable') return new Map([...content, ['f', objectionable]]);
  // One service of several is refused: the others are written.
  if (flaw === 'refused') return new Map([...content, ['e', '1'], ['f', refusedValue]]);
  return content;
}
