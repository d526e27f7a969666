import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { State } from '../../src/model/state.ts';
import type { PlannedDelivery } from '../../src/plan/plan.ts';
import { renderPlansText } from '../../src/render/plan-text.ts';
import { deliver, Store } from './store.ts';
import { planFrom, schemas } from './support.ts';

/*
 * Each folder holds `live.yaml`, which is put into an empty Kong, `target.yaml`, which is planned against it, and
 * `plan.txt`, what is then shown and sent. Every variable of the environment differs between the two.
 * UPDATE=1 writes `plan.txt` anew.
 */
const folder = join(import.meta.dirname, '..', 'cases', 'plan');

describe.each(readdirSync(folder))('plan case %s', (name) => {
  const read = (side: 'live' | 'target'): State => {
    const file = `${side}.yaml`;
    return build(
      {
        revision: null,
        entries: new Map([[file, { type: 'file', bytes: readFileSync(join(folder, name, file)), blob: null }]]),
      },
      { scope: null, schemas, rules: {}, environment: () => `value-of-${side}`, instant: 0 },
    ).state;
  };

  test('shows and sends what is expected, and is then in place', () => {
    const store = new Store();
    deliver(store, planFrom(store.read(), read('live')));
    const target = read('target');
    const delivery = planFrom(store.read(), target);
    const shown = `${renderPlansText([delivery.plan], { color: false })}\n${writeLines(delivery)}`;
    const expected = join(folder, name, 'plan.txt');
    if (process.env['UPDATE'] === '1') writeFileSync(expected, shown);
    expect(shown).toBe(readFileSync(expected, 'utf8'));
    deliver(store, delivery);
    expect(planFrom(store.read(), target).plan.changes).toEqual([]);
  });
});

/** The writes, with what each waits for and stands for besides its own change. */
function writeLines({ plan, writes }: PlannedDelivery): string {
  const nameOf = (change: number) => `${plan.changes[change]?.kind} ${plan.changes[change]?.name}`;
  return writes
    .map(({ change, covers, action, kind, body, after }, at) => {
      const name = body?.['name'] ?? body?.['username'];
      return [
        `${at}: ${action} ${nameOf(change)}`,
        ...(typeof name === 'string' && name.startsWith('konverge-') ? [' under a temporary name'] : []),
        ...(kind === 'certificates' && body?.['snis'] !== undefined
          ? [` with SNIs ${JSON.stringify(body['snis'])}`]
          : []),
        ...(after.length === 0 ? [] : [` after ${after.join(', ')}`]),
        ...(covers.length === 0 ? [] : [`, and with it ${covers.map(nameOf).join(', ')}`]),
        '\n',
      ].join('');
    })
    .join('');
}
