import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { Seeded } from './choices.ts';
import { driftIntervalMs, type MakeLane, SimLane } from './sim-lane.ts';

const names = ['a', 'b', 'c'] as const;
const target = new Map(names.map((name) => [name, '1']));

/** So many times within so many intervals the same is put right. */
const limit = 3;
const withinIntervals = 12;

/** How one entity fared at the last looks: when it was put right, and whether it was left to the other writer. */
interface Fared {
  readonly corrected: number[];
  left: boolean;
}

/**
 * One lane beside other writers, which change what it delivered now and then, or for a while at every look. Gives what
 * must never be: a fight that does not end, a change that is left though it is not done over and over, one that is
 * taken up again while the other writer goes on, and a status that does not say so.
 */
export async function runFlapping(seed: number, makeLane: MakeLane): Promise<readonly string[]> {
  const choices = new Seeded(seed);
  const clock = new VirtualClock(0);
  const lane = new SimLane(
    { name: 'prod', takes: 'services', atOnce: new Set(), drift: 'correct', hangs: false, content: new Map() },
    { makeLane, clock, record: () => undefined, landsWhenGivenUp: () => false },
  );
  lane.start();
  lane.publish({ generation: 1, revision: 'r1', content: target, flaw: 'none' });
  lane.hand(0);
  await settle(lane, clock);
  const found: string[] = [];
  const fared = new Map(names.map((name): readonly [string, Fared] => [name, { corrected: [], left: false }]));
  const busy = new Set<string>();
  for (let look = 1; look <= 60; look += 1) {
    const changed = new Set<string>();
    const live = new Map(lane.destination.content);
    for (const name of names) {
      if (choices.pick([8, 1]) === 1) busy.has(name) ? busy.delete(name) : busy.add(name);
      const changes = busy.has(name) || choices.pick([12, 1]) === 1;
      if (changes) live.set(name, `by hand ${look}`);
      // The other writer may think better of it.
      else if (choices.pick([2, 1]) === 1) live.set(name, '1');
      if (live.get(name) !== '1') changed.add(name);
    }
    lane.destination.drift(live);
    await clock.advance(driftIntervalMs);
    await settle(lane, clock);
    const after = lane.destination.content;
    for (const name of names) {
      const one = fared.get(name);
      if (one === undefined) continue;
      if (!changed.has(name)) {
        // The other writer has stopped: it begins anew.
        if (one.left) one.corrected.length = 0;
        one.left = false;
        continue;
      }
      const recent = one.corrected.filter((at) => look - at <= withinIntervals).length;
      const isRight = after.get(name) === '1';
      if (isRight && one.left) found.push(`look ${look}: ${name} is fought over again`);
      if (isRight && recent >= limit) found.push(`look ${look}: ${name} was put right ${recent + 1} times in a row`);
      if (!isRight && recent < limit && !one.left) found.push(`look ${look}: ${name} is left after ${recent} times`);
      if (isRight) one.corrected.push(look);
      one.left = !isRight;
    }
    const { state, drift } = lane.lane.status;
    const left = names.filter((name) => fared.get(name)?.left === true);
    if (state !== (left.length > 0 ? 'drifted' : 'applied'))
      found.push(`look ${look}: ${state}, with ${left.length} left`);
    const said = drift.filter(({ outcome }) => outcome === 'flapping').map(({ entity }) => entity.name);
    if (left.some((name) => !said.includes(name))) found.push(`look ${look}: ${left.join()} left, ${said.join()} told`);
  }
  lane.stop();
  return found;
}

/** Answers everything rightly until the lane rests. */
async function settle(lane: SimLane, clock: VirtualClock): Promise<void> {
  await clock.settle();
  for (let calls = 0; calls < 100; calls += 1) {
    const call = lane.destination.pending[0];
    if (call === undefined) return;
    call.answer(call.answers[0] ?? 'ok');
    await clock.settle();
  }
  throw new Error('the lane does not come to rest');
}
