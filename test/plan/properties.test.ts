import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { twoWorlds } from './arbitrary.ts';
import { deliver, Store } from './store.ts';
import { changesOf, planFrom, stateFrom } from './support.ts';

const runs = { numRuns: Number(process.env['PLAN_RUNS'] ?? 200) };

describe('plan', () => {
  test('is empty where the live state is the target state', () => {
    fc.assert(
      fc.property(twoWorlds, ([entities]) => {
        const state = stateFrom(entities);
        const delivery = planFrom(state, state);
        expect(delivery.plan.changes).toEqual([]);
        expect(delivery.writes).toEqual([]);
      }),
      runs,
    );
  });

  test('leads from any state to any other without a conflict, in whatever order its edges allow', () => {
    fc.assert(
      fc.property(twoWorlds, fc.infiniteStream(fc.nat()), ([before, after], numbers) => {
        const store = new Store();
        const pick = (count: number) => (numbers.next().value ?? 0) % count;
        deliver(store, planFrom(store.read(), stateFrom(before)), pick);
        const target = stateFrom(after);
        const delivery = planFrom(store.read(), target);
        // Two CA certificates in use that swap their contents: nothing can be done, and the plan says so.
        fc.pre(!delivery.plan.warnings.some((warning) => warning.includes('may be refused')));
        expect(delivery.writes.every((write, at) => write.after.every((other) => other < at))).toBe(true);
        deliver(store, delivery, pick);
        expect(changesOf(planFrom(store.read(), target))).toEqual([]);
      }),
      runs,
    );
  });

  test('does not depend on the order in which entities come', () => {
    fc.assert(
      fc.property(twoWorlds, ([before, after]) => {
        const store = new Store();
        deliver(store, planFrom(store.read(), stateFrom(before)));
        const live = store.read();
        const forwards = planFrom(live, stateFrom(after));
        const backwards = planFrom(live, stateFrom([...after].reverse()));
        expect(backwards).toEqual(forwards);
      }),
      runs,
    );
  });
});
