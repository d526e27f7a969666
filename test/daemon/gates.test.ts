import { expect, test } from 'vitest';
import { parseCron } from '../../src/config/cron.ts';
import { plainRollout } from '../../src/config/rollout.ts';
import { gateOf } from '../../src/daemon/gates.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import { firstStatus } from '../../src/lane/sayings.ts';

const now = Date.UTC(2026, 10, 30, 12);

function status(state: LaneStatus['state'], revision: string, applied: string | null, since = now): LaneStatus {
  return {
    ...firstStatus('staging', 0),
    state,
    revision,
    applied,
    since,
    appliedAt: applied === null ? null : now,
    detail: `detail of ${state}`,
  };
}

function closed(
  rollout: Partial<typeof plainRollout>,
  staging: LaneStatus | undefined = undefined,
  at = now,
): string | null {
  const gate = gateOf({ ...plainRollout, ...rollout }, (name) => (name === 'staging' ? staging : undefined));
  const found = gate?.({ revision: 'r2' }, at) ?? null;
  return found === null
    ? null
    : `${found.reason} [${found.until === null ? '-' : new Date(found.until).toISOString()}]`;
}

test('there is none where nothing is asked for', () => {
  expect(gateOf(plainRollout, () => undefined)).toBeUndefined();
});

test('a freeze closes it until its end', () => {
  const freeze = { until: now + 60_000, reason: 'holidays' };
  expect(closed({ freeze })).toBe('frozen until 2026-11-30 12:01Z (holidays) [2026-11-30T12:01:00.000Z]');
  expect(closed({ freeze }, undefined, freeze.until)).toBeNull();
});

test('windows open and close it', () => {
  const cron = parseCron('0 8 * * *');
  if (cron === null) throw new Error('it is a cron expression');
  const windows = [{ cron, durationMs: 3_600_000, timeZone: 'UTC' }];
  expect(closed({ windows })).toBe(
    'outside of its windows: the next opens at 2026-12-01 08:00Z [2026-12-01T08:00:00.000Z]',
  );
  expect(closed({ windows }, undefined, Date.UTC(2026, 11, 1, 8))).toBeNull();
});

test('another destination opens it by confirming this very revision, and staying so', () => {
  const after = ['staging'];
  expect(closed({ after })).toContain('waiting for staging, which has not taken up this revision');
  expect(closed({ after }, status('applied', 'r1', 'r1'))).toContain('has not taken up this revision');
  expect(closed({ after }, status('delivering', 'r2', 'r1'))).toContain('waiting for staging, which is delivering');
  expect(closed({ after }, status('applied', 'r2', 'r1'))).toContain('waiting for staging');
  expect(closed({ after }, status('applied', 'r2', 'r2'))).toBeNull();
  const soaking = { after, soakMs: 600_000 };
  expect(closed(soaking, status('applied', 'r2', 'r2', now - 1000))).toBe(
    'staging has confirmed this revision; it soaks until 2026-11-30 12:09Z [2026-11-30T12:09:59.000Z]',
  );
  expect(closed(soaking, status('applied', 'r2', 'r2', now - 600_000))).toBeNull();
  const seenBefore = { ...status('applied', 'r2', 'r2', now - 600_000), appliedAt: now - 1 };
  expect(closed(soaking, seenBefore)).toBe('staging has had this revision for 10m, and is looked at once more [-]');
});

test.each([
  'applied-degraded',
  'held',
  'rejected',
  'retrying',
  'unreachable',
  'drifted',
  'rolled-back',
  'suspended',
] as const)('a step that is %s holds the rest, and it is said so', (state) => {
  expect(closed({ after: ['staging'] }, status(state, 'r2', 'r2'))).toContain(
    `held back by staging, which is ${state}: detail of ${state}`,
  );
});
