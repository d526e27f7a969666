import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { allEntities } from '../../src/model/state.ts';
import { deliver, Store } from '../plan/store.ts';
import { planFrom } from '../plan/support.ts';
import { bundledSchemas, offerOf } from './bench.ts';
import { deck } from './changing.ts';
import { edit, type Walk } from './walk/edits.ts';
import { type Held, held, leastWrites, mostForProtection } from './walk/oracle.ts';
import { Chance } from './walk/random.ts';
import { asDeck, walked } from './walk/repository.ts';

/** The same walks as over servers, against a store in memory: more of them in the time. */
const edits = Number(process.env['WALK_EDITS'] ?? 60);
const from = Number(process.env['WALK_SEED'] ?? 1);
const seeds = Number(process.env['WALK_SEEDS'] ?? 2);

const scope = {
  include: [],
  excludeFiles: [],
  excludeKinds: [],
  excludeTags: [],
  tags: [],
  workspace: null,
  controlPlane: null,
};

const served = (await bundledSchemas()).oss;

function heldIn(store: Store): Held {
  const rows = new Map<string, JsonObject[]>();
  for (const { kind, id, fields, references } of allEntities(store.read())) {
    const keys: { [field: string]: Json } = {};
    for (const { field, id: to } of references) keys[field] = { id: to ?? '' };
    rows.set(kind, [...(rows.get(kind) ?? []), { ...fields, ...keys, id }]);
  }
  return new Map(walked.flatMap((kind) => [...held(kind, rows.get(kind) ?? [])]));
}

test.each(Array.from({ length: seeds }, (_, at) => from + at))(
  `the planner alone makes the least writes over ${edits} edits (seed %s)`,
  { timeout: 60_000 + edits * 2_000 },
  (seed) => {
    const walk: Walk = { chance: new Chance(seed), things: [], next: 1 };
    for (let warm = 0; warm < 40; warm += 1) edit(walk);
    const store = new Store();
    const wanted = () => offerOf(deck(asDeck(walk.things)), scope, served, {}).build(served).state;
    deliver(store, planFrom(store.read(), wanted()));
    for (let step = 1; step <= edits; step += 1) {
      const before = heldIn(store);
      const together = walk.chance.once(3) ? 2 + walk.chance.below(3) : 1;
      const said = Array.from({ length: together }, () => edit(walk)).join(', then ');
      const state = wanted();
      const delivery = planFrom(store.read(), state);
      deliver(store, delivery, (count) => walk.chance.below(count));
      const after = heldIn(store);
      const least = leastWrites(before, after);
      const words = delivery.writes
        .map(({ action, kind, id, after }, at) => `${at} ${action} ${kind}/${id} [${after}]`)
        .join('\n');
      const seen = `step ${step} of seed ${seed}: ${said}\n${least.words}\n${words}`;
      expect(delivery.writes.length, seen).toBeGreaterThanOrEqual(least.writes);
      // That nothing is served without its plugins may cost some more.
      expect(delivery.writes.length, seen).toBeLessThanOrEqual(least.writes + mostForProtection(before, after));
      expect(planFrom(store.read(), state).plan.changes).toEqual([]);
    }
  },
);

test('circles that meet in two live routes', () => {
  const of = (services: readonly [string, string][], routes: readonly [string, string, string][]) =>
    offerOf(
      deck({
        services: services.map(([id, name]) => ({ id: uuid(id), name, host: 'a.test' })),
        routes: routes.map(([id, name, service]) => ({
          id: uuid(id),
          name,
          paths: ['/'],
          service: { id: uuid(service) },
        })),
      }),
      scope,
      served,
      {},
    ).build(served).state;
  const store = new Store();
  deliver(
    store,
    planFrom(
      store.read(),
      of(
        [
          ['1', 'a'],
          ['4', 'b'],
        ],
        [
          ['3', 'r', '1'],
          ['5', 's', '4'],
        ],
      ),
    ),
  );
  const before = heldIn(store);
  const delivery = planFrom(
    store.read(),
    of(
      [
        ['2', 'a'],
        ['6', 'b'],
      ],
      [
        ['3', 's', '2'],
        ['5', 'r', '6'],
      ],
    ),
  );
  deliver(store, delivery);
  expect([delivery.writes.length, leastWrites(before, heldIn(store)).writes]).toEqual([9, 9]);
});

function uuid(digit: string): string {
  return `00000000-0000-4000-8000-00000000000${digit}`;
}
