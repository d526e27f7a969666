import { describe, expect, onTestFinished, test } from 'vitest';
import { backoffMs } from '../../src/lane/backoff.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type Bench, type BenchWish, openBench } from './bench.ts';
import { applied, deck } from './changing.ts';
import { deliver, wordsOf } from './deliver.ts';
import { behave } from './faults.ts';
import { edit, type Walk } from './walk/edits.ts';
import { type Held, held, leastWrites, mostForProtection } from './walk/oracle.ts';
import { Chance } from './walk/random.ts';
import { asDeck, shapes, type Thing, walked } from './walk/repository.ts';

/** How long a walk is: `WALK_EDITS` makes it longer, `WALK_SEED` another one. */
const edits = Number(process.env['WALK_EDITS'] ?? 60);
const seed = Number(process.env['WALK_SEED'] ?? 1);

/** Deliveries after which one that met faults has to be through: a fault meets three requests at most. */
const mostTries = 8;

const stopped = new AbortController().signal;

/**
 * A walk through repositories, one random edit after the other, each delivered: half of them undisturbed, where the
 * writes are counted, and half through faults, where deliveries are repeated as a lane does. After each, the server holds
 * what the repository says, and a second plan is empty.
 */
export function randomWalk(wish: BenchWish): void {
  describe(wish.name, () => {
    test(`stays in step over ${edits} random edits (seed ${seed})`, { timeout: 60_000 + edits * 2_000 }, async () => {
      const bench = await openBench(wish);
      onTestFinished(() => bench.close());
      await bench.reset();
      const walk: Walk = { chance: new Chance(seed), things: [], next: 1 };
      for (let warm = 0; warm < 40; warm += 1) edit(walk);
      await applied(bench, deck(asDeck(walk.things)));
      let before = await heldBy(bench);
      for (let step = 1; step <= edits; step += 1) {
        // Mostly one edit a commit; now and then several, which may meet.
        const together = walk.chance.once(3) ? 2 + walk.chance.below(3) : 1;
        const said = Array.from({ length: together }, () => edit(walk)).join(', then ');
        const label = `step ${step} of seed ${seed}: ${said}`;
        const destination = bench.open();
        const files = deck(asDeck(walk.things));
        bench.forget();
        const fault = walk.chance.once(2) ? disturb(bench, walk.chance) : null;
        const tries = fault === null ? 1 : mostTries;
        let last = await deliver(bench, files, { destination });
        for (let tried = 1; last.end !== 'applied' && tried < tries; tried += 1) {
          await bench.clock.sleep(backoffMs({ failures: tried, retryAfterMs: null, random: 0 }), stopped);
          last = await deliver(bench, files, { destination });
        }
        expect(last.end, `${label} (${fault ?? 'undisturbed'}): ${wordsOf(last)} ${JSON.stringify(last.ended)}`).toBe(
          'applied',
        );
        behave(bench, { fail: null, loseAnswer: null });
        const after = await heldBy(bench);
        if (fault === null) expectLeast(bench, before, after, label);
        expect(shownBy(after), label).toEqual(shownIn(walk.things));
        bench.forget();
        const again = await deliver(bench, files, { destination });
        expect(again.plan?.changes, label).toEqual([]);
        expect(bench.writes(), label).toBe(0);
        await destination.close();
        before = after;
      }
    });
  });
}

/** Has the server fail for a few requests, of all or of those that write. */
function disturb(bench: Bench, chance: Chance): string {
  const writes = bench.mode === 'dbless' ? ['POST'] : ['PUT', 'PATCH', 'DELETE', 'POST'];
  const methods = chance.once(3) ? ['GET'] : writes;
  const count = 1 + chance.below(3);
  const after = chance.below(3);
  if (chance.once(3)) {
    behave(bench, { loseAnswer: { methods, count } });
    return `${count} answers to ${methods} lost`;
  }
  const status = chance.pick([409, 429, 500, 503]) ?? 500;
  const afterWrite = chance.once(2);
  behave(bench, { fail: { methods, status, count, after, afterWrite } });
  return `${count} times ${status} to ${methods} after ${after}${afterWrite ? ', the write done' : ''}`;
}

async function heldBy(bench: Bench): Promise<Held> {
  const all = await Promise.all(walked.map(async (kind) => [...held(kind, await bench.list(kind))]));
  return new Map(all.flat());
}

function expectLeast(bench: Bench, before: Held, after: Held, label: string): void {
  if (bench.mode === 'dbless') {
    expect(bench.writes(), label).toBeLessThanOrEqual(bench.emulators.length);
    return;
  }
  const least = leastWrites(before, after);
  const sent = bench.emulators
    .flatMap((emulator) => emulator.log())
    .filter(({ method, path }) => {
      return method !== 'GET' && !path.includes('/validate');
    });
  const words = sent.map(({ method, path, status }) => `${method} ${path} ${status}`).join('\n');
  const most = least.writes + mostForProtection(before, after);
  expect.soft(sent.length, `${label}\n${least.words}\n${words}`).toBeGreaterThanOrEqual(least.writes);
  expect.soft(sent.length, `${label}, ${most} at most\n${least.words}\n${words}`).toBeLessThanOrEqual(most);
}

/** What can be seen of an entity without knowing ids: what it is called, what it belongs to, and what was written. */
function shownBy(all: Held): readonly string[] {
  const nameOf = (kind: string, id: string): string => {
    const fields = all.get(`${kind}/${id}`)?.fields ?? {};
    return kind === 'certificates' ? id : String(fields['name'] ?? fields['username']);
  };
  return [...all.values()]
    .map(({ kind, fields }) => {
      const shape = shapes[kind];
      const under = (shape?.parents ?? []).flatMap(({ field, kind: parent }) => {
        const to = fields[field] as JsonObject | null | undefined;
        return to === null || to === undefined ? [] : [`${field}=${nameOf(parent, String(to['id']))}`];
      });
      return shown(kind, fields, under);
    })
    .sort();
}

function shownIn(things: readonly Thing[]): readonly string[] {
  const byNumber = new Map(things.map((thing) => [thing.number, thing]));
  return things
    .map(({ kind, fields, under }) => {
      const owners = (shapes[kind]?.parents ?? []).flatMap(({ field }) => {
        const to = byNumber.get(under[field] ?? -1);
        if (to === undefined) return [];
        return [`${field}=${to.kind === 'certificates' ? to.id : String(to.fields['name'] ?? to.fields['username'])}`];
      });
      return shown(kind, fields, owners);
    })
    .sort();
}

const compared = ['name', 'username', 'custom_id', 'key', 'group', 'target', 'weight', 'prefix', 'host', 'port', 'kid'];

function shown(kind: string, fields: JsonObject, under: readonly string[]): string {
  const defaults: JsonObject = { services: { port: 80 }, targets: { weight: 100 } };
  const own = { ...(defaults[kind] as JsonObject | undefined), ...fields };
  const values = compared.flatMap((field) => {
    const value = own[field];
    if (value === undefined || value === null || (kind === 'certificates' && field === 'key')) return [];
    return [`${field}=${JSON.stringify(value)}`];
  });
  const { tags } = fields;
  const tagged = Array.isArray(tags) && tags.length > 0 ? [`tags=${[...tags].sort().join()}`] : [];
  return [kind, ...values, ...under, ...tagged].join(' ');
}
