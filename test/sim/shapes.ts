import type { Choices } from './choices.ts';
import { allFlaws, type Content } from './content.ts';
import type { Method } from './events.ts';
import type { LaneShape } from './sim-lane.ts';
import { contents, type SimulationShape } from './simulation.ts';

const starting: readonly Content[] = [
  new Map(),
  new Map([
    ['a', '1'],
    ['b', '1'],
    ['c', '1'],
  ]),
  new Map([
    ['a', '9'],
    ['z', '9'],
  ]),
];

/** A destination that answers nothing, ever: in every set, for a peer that hangs shows what one that fails does not. */
const silent: LaneShape = {
  name: 'silent',
  takes: 'services',
  atOnce: new Set(),
  drift: 'correct',
  hangs: true,
  content: new Map(),
};

const health: readonly Pick<LaneShape, 'onUnhealthy'>[] = [{}, { onUnhealthy: 'hold' }, { onUnhealthy: 'rollback' }];

const order: readonly Pick<LaneShape, 'after'>[] = [
  {},
  { after: { lane: 'alpha', soakMs: 0 } },
  { after: { lane: 'alpha', soakMs: 60_000 } },
  { after: { lane: 'silent', soakMs: 0 } },
];

/** A set of lanes and faults for the volume of seeds. */
export function anyShape(choices: Choices): SimulationShape {
  const lane = (name: string): LaneShape => ({
    ...silent,
    name,
    hangs: false,
    takes: choices.pick([1, 1]) === 0 ? 'services' : 'whole',
    drift: (['correct', 'report', 'ignore'] as const)[choices.pick([6, 1, 1])] ?? 'correct',
    onInvalid: choices.pick([1, 1]) === 0 ? 'reject' : 'quarantine',
    ...health[choices.pick([2, 1, 1])],
    gated: choices.pick([1, 1]) === 0,
    content: starting[choices.pick([1, 1, 1])] ?? new Map(),
  });
  const alpha = lane('alpha');
  const beta = { ...lane('beta'), ...order[choices.pick([3, 1, 1, 1])] };
  return {
    lanes: choices.pick([1, 1]) === 0 ? [silent, alpha, beta] : [alpha, beta, silent],
    revisions: 5,
    flaws: allFlaws,
    contents: [contents],
    answers: ['transient', 'unreachable', 'rejected', 'lost'],
    restarts: 2,
    drifts: 3,
    acts: 6,
    late: true,
  };
}

/** Few things that can happen, so that every order of them can be tried. */
export function smallShape(takes: LaneShape['takes'], flaws: SimulationShape['flaws']): SimulationShape {
  const atOnce = new Set<Method>(['identify', 'schemas', 'preflight']);
  return {
    lanes: [silent, { ...silent, name: 'alpha', hangs: false, takes, atOnce, content: new Map([['a', '9']]) }],
    revisions: 2,
    flaws,
    contents: [contents.slice(0, 1), contents.slice(1, 2)],
    answers: ['unreachable', 'lost'],
    restarts: 1,
    drifts: 0,
    acts: 0,
    late: false,
  };
}
