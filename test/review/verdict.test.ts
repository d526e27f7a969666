import { describe, expect, test } from 'vitest';
import type { Built } from '../../src/build/built.ts';
import type { RiskNote } from '../../src/build/risk/risk.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { fileLocation } from '../../src/model/location.ts';
import { stateOf } from '../../src/model/state.ts';
import type { Plan } from '../../src/plan/plan.ts';
import type { Review, ReviewedDestination } from '../../src/review/review.ts';
import { verdictOf } from '../../src/review/verdict.ts';

const finding: Diagnostic = {
  rule: 'unique-credential',
  severity: 'error',
  message: 'key used by two consumers',
  hint: '',
  locations: [{ ...fileLocation('eu/orders.yaml'), line: 14 }],
  entities: [],
};
const note: RiskNote = {
  code: 'route-unmatched',
  severity: 'danger',
  message: 'The route "a" is lost.',
  locations: [],
};

function built(...diagnostics: readonly Diagnostic[]): Built {
  const valid = !diagnostics.some(({ severity }) => severity === 'error');
  return { revision: null, state: stateOf([]), digest: null, diagnostics, valid };
}

function planOf(create: number, more: Partial<Plan> = {}): Plan {
  const change = {
    action: 'create',
    kind: 'services',
    id: '',
    name: 's',
    parent: null,
    fields: [],
    location: null,
  } as const;
  return {
    destination: 'prod',
    revision: null,
    digest: '',
    fingerprint: '',
    summary: { create, update: 0, delete: 0, unchanged: 0 },
    changes: Array.from({ length: create }, () => change),
    warnings: [],
    held: null,
    ...more,
  };
}

function destination(more: Partial<ReviewedDestination> = {}): ReviewedDestination {
  const plain = { name: 'prod', base: built(), head: built(), plan: planOf(0), liveAt: 0, noPlan: null, risks: [] };
  return { ...plain, ...more };
}

function said(
  destinations: readonly ReviewedDestination[],
  fail: readonly string[] = [],
  more: Partial<Review> = {},
): string {
  const { state, description } = verdictOf(
    { head: 'a', base: 'b', conflicts: [], destinations, at: 0, ...more },
    { fail },
  );
  return `${state}: ${description}`;
}

describe('the verdict', () => {
  test('is success with the counts', () => {
    const two = [destination({ plan: planOf(2) }), destination({ plan: planOf(1) }), destination()];
    expect(said(two)).toBe('success: 3 to create at 2 destinations');
    expect(said([destination()])).toBe('success: nothing to do at 1 destination');
    expect(said([])).toBe('success: no destination to plan for');
  });

  test('counts what is new and to be known', () => {
    const warning: Diagnostic = { ...finding, severity: 'warning' };
    const held = { code: 'mass-delete', message: 'much', hint: 'look' } as const;
    expect(
      said([
        destination({
          plan: planOf(1, { held }),
          head: built(warning, { ...warning, message: 'known' }),
          base: built({ ...warning, message: 'known', locations: [{ ...fileLocation('eu/orders.yaml'), line: 3 }] }),
          risks: [
            { ...note, severity: 'warning' },
            { ...note, severity: 'notice' },
          ],
          notCompared: ['one'],
        }),
        destination({ plan: null, noPlan: 'never read' }),
      ]),
    ).toBe(
      'success: 1 to create at 1 destination; 1 will be held; no plan for 1; 1 not compared; 1 danger; 2 warnings',
    );
  });

  test('is failure where the change is wrong, with the first place', () => {
    expect(said([destination({ head: built(finding, { ...finding, message: 'other' }), plan: null })])).toBe(
      'failure: eu/orders.yaml:14 key used by two consumers (+1 more)',
    );
    expect(said([], [], { conflicts: ['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml'] })).toBe(
      'failure: does not merge: conflicts in 4 files (a.yaml, b.yaml, c.yaml and 1 more)',
    );
  });

  test('is failure for the notes that the configuration names', () => {
    const risky = [destination({ risks: [note] })];
    expect(said(risky)).toMatch(/^success/);
    expect(said(risky, ['warning', 'route-moved'])).toMatch(/^success/);
    for (const fail of ['danger', 'route-unmatched']) {
      expect(said(risky, [fail])).toBe('failure: route-unmatched: The route "a" is lost.');
    }
    const held = { code: 'mass-delete', message: 'much', hint: 'look' } as const;
    expect(said([destination({ plan: planOf(0, { held }) })], ['deletes-held'])).toMatch(/^failure: deletes-held/);
  });

  test('is error where nothing could be planned', () => {
    expect(said([destination({ plan: null, noPlan: 'prod was never read' })])).toBe(
      'error: nothing could be planned; prod: prod was never read',
    );
  });

  test('is success where nothing was to be planned', () => {
    expect(said([destination({ plan: null, noPlan: 'checked only', checkedOnly: true })])).toBe(
      'success: valid for 1 destination; not planned',
    );
  });
});
