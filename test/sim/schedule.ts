import { checkers } from './checkers.ts';
import type { Choices } from './choices.ts';
import { allFlaws, type Content, type Flaw, goodContent, heldBetween, refusedValue, textOf } from './content.ts';
import { lineOf, type SimEvent } from './events.ts';
import { driftIntervalMs, type MakeLane, type SimLane } from './sim-lane.ts';
import { contents, drift, Simulation, type SimulationShape } from './simulation.ts';

/** One run of a simulation. */
export interface Schedule {
  readonly shape: SimulationShape;
  readonly makeLane: MakeLane;
  readonly choices: Choices;
  /** Steps of the first phase, in which anything may go wrong. */
  readonly steps: number;
  /** What chooses in the second phase, in which faults stop and at most one destination more hangs. */
  readonly recovery: Choices;
  /** Of the four parts of the second phase, how many there are. */
  readonly parts: number;
}

/** What came of a run: sentences for what must not be (none is right), and every line of what happened. */
export interface Ran {
  readonly violations: readonly string[];
  readonly trace: readonly string[];
}

/** The steps within which healthy lanes must have got where they should. */
const recoverySteps = 400;

/** The turns within which every lane must have ended after it was told to. */
const stopTurns = 20;

/** Runs a schedule: first with faults, then without, then a stop. */
export async function runSchedule(schedule: Schedule): Promise<Ran> {
  const simulation = new Simulation(schedule.shape, schedule.makeLane, schedule.choices);
  const violations: string[] = [];
  await simulation.begin();
  for (let step = 0; step < schedule.steps; step += 1) if (!(await simulation.step())) break;
  await recover(simulation, schedule, violations);
  await stop(simulation, violations);
  for (const lane of simulation.lanes) {
    const { name } = lane.shape;
    const events = simulation.history.filter((event) => event.lane === name);
    for (const [checker, check] of Object.entries(checkers)) {
      violations.push(
        ...check(events, lane.shape, simulation.history).map((sentence) => `${checker}: ${name}: ${sentence}`),
      );
    }
  }
  return { violations, trace: traceOf(simulation.history) };
}

/** The lines of what happened. */
export function traceOf(history: readonly SimEvent[]): readonly string[] {
  return history.flatMap((event) => lineOf(event) ?? []);
}

/**
 * Faults stop, and at most one more destination hangs: every lane whose destination answers must reach the newest
 * revision, and again after another writer changed what is live and after one more revision, good or not.
 */
async function recover(simulation: Simulation, schedule: Schedule, violations: string[]): Promise<void> {
  const choices = schedule.recovery;
  const answering = simulation.lanes.filter((lane) => !lane.shape.hangs);
  const hangs = choices.pick([2, ...answering.map(() => 1)]) - 1;
  const healthy = answering.filter((_, index) => index !== hangs || answering.length === 1);
  const publish = (flaw: Flaw) => simulation.publish(contents[choices.pick(contents.map(() => 1))] ?? new Map(), flaw);
  const parts: readonly (readonly [string, () => void])[] = [
    ['after the faults', () => choices.pick([3, 1]) === 0 && publish('none')],
    ['after drift', () => healthy.map((lane) => drift(lane, choices))],
    ['after one more', () => publish(allFlaws[choices.pick(allFlaws.map(() => 1))] ?? 'none')],
    ['after drift from it', () => healthy.map((lane) => drift(lane, choices))],
  ];
  for (const [when, happen] of parts.slice(0, schedule.parts)) {
    happen();
    for (const lane of simulation.lanes) calm(lane, choices);
    await simulation.settle();
    await converge(simulation, healthy, choices, violations, when);
  }
}

function calm(lane: SimLane, choices: Choices): void {
  if (!lane.leaseHeld) lane.lease(true);
  if (lane.suspended) lane.steer('resume');
  if (lane.closedUntil !== null) lane.gate(null);
  while (lane.onTheirWay.length > 0) lane.hand(choices.pick(lane.onTheirWay.map(() => 1)));
}

async function converge(
  simulation: Simulation,
  healthy: readonly SimLane[],
  choices: Choices,
  violations: string[],
  when: string,
): Promise<void> {
  // What is reached has to stay so when it is looked at again.
  const stays = simulation.clock.now() + 2 * driftIntervalMs;
  const shaken = new Set<SimLane>();
  for (let step = 0; step < recoverySteps; step += 1) {
    for (const lane of healthy.filter((one) => isHeld(one) && !shaken.has(one))) {
      // What is in force changes while a person thinks.
      shaken.add(lane);
      drift(lane, choices);
    }
    if (healthy.every((lane) => missing(simulation, lane) === null)) {
      if (simulation.clock.now() >= stays) return;
    }
    const options = healthy.flatMap((lane) => [
      ...lane.destination.pending.map((call) => () => call.answer(call.answers[0] ?? 'ok')),
      ...approval(lane, simulation.clock.now()),
    ]);
    // Time passes only where all that answers has been answered: nothing is late any more.
    if (options.length === 0 && !simulation.clock.fireEarliest()) break;
    if (options.length > 0) options[choices.pick(options.map(() => 1))]?.();
    await simulation.settle();
  }
  for (const lane of healthy) {
    const what = missing(simulation, lane);
    if (what !== null) violations.push(`convergence: ${lane.shape.name}: ${when}: ${what}`);
  }
}

/** A person looks at a plan that is held before anything was written only after the lane has looked again itself. */
function approval(lane: SimLane, now: number): readonly (() => void)[] {
  const { state, plan, since, nextTryAt } = lane.lane.status;
  if (state !== 'held' || plan === null || lane.destination.pending.length > 0) return [];
  // While the probes are asked again, an approval waits for their answers.
  if (nextTryAt === null) return [];
  return isHeld(lane) && now < since + 2 * driftIntervalMs ? [] : [() => lane.approve(plan.fingerprint)];
}

function isHeld({ lane, destination }: SimLane): boolean {
  const { state, plan } = lane.status;
  return state === 'held' && plan?.held?.code !== 'unhealthy' && destination.pending.length === 0;
}

/** What a lane has not reached yet; null where it is where it should be. */
function missing(simulation: Simulation, lane: SimLane): string | null {
  const { newest, destination, shape } = lane;
  const { status } = lane.lane;
  if (newest === null) return null;
  const said = `says ${status.state} ${status.revision} and holds ${textOf(destination.content)}`;
  if (status.state === 'waiting' && isBehind(simulation, lane)) return null;
  if (status.state === 'rolled-back') return wasTakenBack(lane) ? null : `it was taken back to something else: ${said}`;
  const isLeft = status.state === 'drifted' && shape.drift !== 'correct';
  if (newest.flaw === 'unhealthy' && shape.onUnhealthy !== undefined && status.state !== 'applied' && !isLeft) {
    // What is looked for in the past may be refused here in part.
    if (status.state === 'rejected' && status.applied === null && shape.onUnhealthy === 'rollback') return null;
    return `${newest.revision} was neither held nor taken back: ${said}`;
  }
  if (status.generation !== newest.generation) return `${newest.revision} was not taken up: ${said}`;
  if (newest.flaw === 'none' || newest.flaw === 'faulty' || newest.flaw === 'unhealthy') {
    if (status.applied !== newest.revision) return `${newest.revision} was not applied: ${said}`;
    // Drift that is not to be put right is found at its time, or not looked for.
    if (shape.drift !== 'correct') return status.state === 'applied' || status.state === 'drifted' ? null : said;
    const holds = textOf(destination.content) === textOf(newest.content);
    return status.state === 'applied' && holds ? null : `${newest.revision} is not in place: ${said}`;
  }
  if (shape.onInvalid === 'quarantine' && newest.flaw !== 'invalid') {
    const good = goodContent(newest, lane.published.slice(1));
    if (status.state === 'drifted' && shape.drift !== 'correct') return null;
    if (status.state !== 'applied-degraded') return `${newest.revision} is not degraded: ${said}`;
    if (shape.drift !== 'correct') return null;
    return textOf(good) === textOf(destination.content) ? null : `${textOf(good)} is not in place: ${said}`;
  }
  if (status.state !== 'rejected') return `${newest.revision} was not refused: ${said}`;
  const wanted = whereRefused(simulation, lane);
  return wanted === null || textOf(wanted) === textOf(destination.content)
    ? null
    : `${textOf(wanted)} should be in force: ${said}`;
}

/** Whether the lane before has not cleared the way for the newest revision. */
function isBehind(simulation: Simulation, { shape, newest }: SimLane): boolean {
  const { after } = shape;
  if (after === undefined) return false;
  const before = simulation.lanes.find((lane) => lane.shape.name === after.lane)?.lane.status;
  return before?.state !== 'applied' || before.applied !== newest?.revision;
}

/** Whether what was good before is in place where a lane took a revision back. */
function wasTakenBack({ lane, shape, destination, published }: SimLane): boolean {
  const { applied } = lane.status;
  const at = published.findIndex(({ revision }) => revision === applied);
  const kept = published[at];
  if (shape.onUnhealthy !== 'rollback' || kept === undefined) return false;
  if (shape.drift !== 'correct') return true;
  const possible = [kept.content, goodContent(kept, published.slice(at + 1))].map(textOf);
  return possible.includes(textOf(destination.content));
}

/** What a destination should hold where the newest revision is refused; null where anything may be. */
function whereRefused(simulation: Simulation, lane: SimLane): Content | null {
  const { newest, destination, shape } = lane;
  if (newest === null) return null;
  if (newest.flaw === 'refused' && shape.takes === 'services') {
    // What was not refused is delivered.
    return new Map([...newest.content].filter(([, value]) => value !== refusedValue));
  }
  if (shape.drift !== 'correct') return null;
  // What was never confirmed here has to pass the gate first, and the lane before may not be there yet.
  if (shape.after !== undefined && (shape.onInvalid === 'quarantine' || lane.lane.status.applied === null)) return null;
  if (shape.onInvalid === 'quarantine') {
    const possible = lane.published.slice(1).map((one, index) => goodContent(one, lane.published.slice(index + 2)));
    const held = possible.find((content) => textOf(content) === textOf(destination.content));
    const last = possible[0] ?? null;
    return held ?? (last === null || heldBetween(destination.content, last) ? null : last);
  }
  const inForce = lane.lane.status.applied;
  if (inForce === null) {
    const found = lastTaken(lane);
    return found === null || heldBetween(destination.content, found) ? null : found;
  }
  const offered = simulation.history.findLast((event) => event.type === 'published' && event.revision === inForce);
  if (offered?.type !== 'published') return null;
  const kept = new Map(offered.content.split(' ').map((part) => part.split('=') as [string, string]));
  // To keep it in force may itself take a person's approval, which is not asked for.
  return heldBetween(destination.content, kept) ? null : kept;
}

/** What is put in force after a restart on a refused revision: the newest before it that is not refused whole. */
function lastTaken({ published, shape, destination }: SimLane): Content | null {
  for (const { flaw, content } of published.slice(1)) {
    if (flaw === 'invalid' || flaw === 'broken') continue;
    // A person would have to let it through before it could be refused.
    if (heldBetween(destination.content, content)) return null;
    if (flaw === 'none' || flaw === 'faulty' || flaw === 'unhealthy') return content;
    if (flaw === 'refused' && shape.takes === 'services') {
      return new Map([...content].filter(([, value]) => value !== refusedValue));
    }
  }
  return null;
}

/** Every lane ends within a bound, and leaves no timer and no listener. */
async function stop(simulation: Simulation, violations: string[]): Promise<void> {
  for (const lane of simulation.lanes) lane.stop();
  for (let turn = 0; turn < stopTurns; turn += 1) {
    if (simulation.lanes.every((lane) => !lane.running)) break;
    await simulation.clock.settle();
  }
  for (const lane of simulation.lanes) {
    const { name } = lane.shape;
    if (lane.running) violations.push(`stop: ${name}: the lane has not ended`);
    if (lane.listeners > 0) violations.push(`stop: ${name}: ${lane.listeners} listeners are left`);
    const calls = lane.destination.pending.length;
    if (calls > 0) violations.push(`stop: ${name}: ${calls} calls are left`);
  }
  const timers = simulation.clock.pending().length;
  if (timers > 0) violations.push(`stop: ${timers} timers are left`);
}
