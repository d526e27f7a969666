import { describe, expect, test } from 'vitest';
import { Lane } from '../../src/lane/lane.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { type SimRevision, textOf } from './content.ts';
import type { Answer, SimEvent } from './events.ts';
import { mutants } from './mutants.ts';
import { plant } from './plant.ts';
import { traceOf } from './schedule.ts';
import { type LaneShape, type MakeLane, SimLane } from './sim-lane.ts';

const shipped: MakeLane = (world) => new Lane(world);

/** How the other destination fares. */
type Peer = 'absent' | 'ok' | 'failing' | 'lagging' | 'hung';

const shape: LaneShape = {
  name: 'gateway',
  takes: 'services',
  atOnce: new Set(),
  drift: 'correct',
  hangs: false,
  content: new Map([['z', '9']]),
};

const tickMs = 500;
const ticks = 2_000;

/** The same script for a gateway beside another destination; gives what happened to the gateway, line by line. */
async function gatewayBeside(peer: Peer, makeLane: MakeLane): Promise<readonly string[]> {
  const clock = new VirtualClock(0);
  const history: SimEvent[] = [];
  const record = (event: SimEvent) => {
    history.push(event);
  };
  const world = { makeLane, clock, record, landsWhenGivenUp: () => false };
  const gateway = new SimLane(shape, world);
  const other = new SimLane({ ...shape, name: 'konnect' }, world);
  // The other one begins first, so that it would be the first to hold what must not be shared.
  const lanes = peer === 'absent' ? [gateway] : [other, gateway];
  for (const lane of lanes) lane.start();
  let asked = 0;
  for (let tick = 0; tick < ticks; tick += 1) {
    if (tick % 150 === 3) for (const lane of lanes) offer(lane, tick);
    if (tick === 1_200) gateway.destination.drift(new Map());
    for (const call of other.destination.pending) {
      const answer = answerOf(peer, tick, call.answers);
      if (answer !== null) call.answer(answer);
    }
    await clock.settle();
    for (let turn = 0; turn < 10; turn += 1) {
      const [call] = gateway.destination.pending;
      if (call === undefined) break;
      asked += 1;
      call.answer(asked % 11 === 0 ? 'unreachable' : (call.answers[0] ?? 'ok'));
      await clock.settle();
    }
    await clock.advance(tickMs);
  }
  for (const lane of lanes) lane.stop();
  await clock.settle();
  return traceOf(history.filter((event) => event.lane === 'gateway'));
}

function offer(lane: SimLane, tick: number): void {
  const generation = tick + 1;
  const content = new Map([
    ['a', `${tick}`],
    ['b', `${tick % 4}`],
  ]);
  lane.publish({ generation, revision: `r${generation}`, content, flaw: 'none' });
  lane.hand(0);
}

function answerOf(peer: Peer, tick: number, answers: readonly Answer[]): Answer | null {
  switch (peer) {
    case 'absent':
    case 'hung':
      return null;
    case 'ok':
      return answers[0] ?? 'ok';
    case 'lagging':
      return tick % 37 === 0 ? (answers[0] ?? 'ok') : null;
    case 'failing':
      return 'transient';
  }
}

describe('what another destination does', () => {
  test('is not to be seen in the trace of a gateway, line by line', async () => {
    const alone = await gatewayBeside('absent', shipped);
    expect(alone.filter((line) => line.includes('says applied')).length).toBeGreaterThan(12);
    for (const peer of ['ok', 'failing', 'lagging', 'hung'] as const) {
      expect(await gatewayBeside(peer, shipped), peer).toEqual(alone);
    }
  });

  test('would be seen if the lanes shared a lock, where the other one hangs', async () => {
    const mutant = mutants.find(({ name }) => name === 'one lock is shared by all lanes');
    const alone = await gatewayBeside('absent', await plant(mutant ?? null));
    expect(await gatewayBeside('hung', await plant(mutant ?? null))).not.toEqual(alone);
  });
});

test('beside a destination that hangs, ten commits are confirmed one by one; when it is back it gets the newest, once', async () => {
  const clock = new VirtualClock(0);
  const history: SimEvent[] = [];
  const record = (event: SimEvent) => {
    history.push(event);
  };
  const world = { makeLane: shipped, clock, record, landsWhenGivenUp: () => false };
  const hung = new SimLane({ ...shape, name: 'konnect', takes: 'whole' }, world);
  const gateway = new SimLane(shape, world);
  for (const lane of [hung, gateway]) lane.start();
  const answerAll = async (lane: SimLane) => {
    for (;;) {
      await clock.settle();
      const [call] = lane.destination.pending;
      if (call === undefined) return;
      call.answer(call.answers[0] ?? 'ok');
    }
  };
  for (let generation = 1; generation <= 10; generation += 1) {
    const content = new Map([['a', `${generation}`]]);
    const revision: SimRevision = { generation, revision: `r${generation}`, content, flaw: 'none' };
    for (const lane of [hung, gateway]) {
      lane.publish(revision);
      lane.hand(0);
    }
    await answerAll(gateway);
    expect(gateway.lane.status).toMatchObject({ state: 'applied', applied: `r${generation}` });
    expect(hung.lane.status).toMatchObject({ state: 'delivering', waitingFor: "the destination's answer" });
  }
  expect(clock.now()).toBe(0);
  await answerAll(hung);
  expect(hung.lane.status).toMatchObject({ state: 'applied', applied: 'r10' });
  const applied = history.filter((event) => event.lane === 'konnect' && event.type === 'applying');
  expect(applied.map((event) => event.type === 'applying' && event.revision)).toEqual(['r10']);
  expect(textOf(hung.destination.content)).toBe('a=10');
});
