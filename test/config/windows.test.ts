import { describe, expect, test } from 'vitest';
import { fitsDay, fitsNoDay, parseCron } from '../../src/config/cron.ts';
import { isTimeZone, openingAt, type Window } from '../../src/config/windows.ts';

function window(text: string, hours: number, timeZone = 'UTC'): Window {
  const cron = parseCron(text);
  if (cron === null) throw new Error(`${text} is no cron expression`);
  return { cron, durationMs: hours * 3_600_000, timeZone };
}

function at(windows: readonly Window[], instant: string): string {
  const { open, until } = openingAt(windows, Date.parse(instant));
  return `${open ? 'open' : 'closed'} until ${until === null ? '-' : new Date(until).toISOString().slice(0, 16)}`;
}

describe('a cron expression', () => {
  test.each([
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    '*-5 * * * *',
    'x * * * *',
    '1, * * * *',
    '* * * foo *',
    '',
  ])('%j is none', (text) => {
    expect(parseCron(text)).toBeNull();
  });

  test('takes ranges, steps, lists and names', () => {
    const cron = parseCron('*/20,7 1-3,22/1 1,15 jan-mar,DEC mon-fri/2');
    expect([...(cron?.minutes ?? [])].sort((a, b) => a - b)).toEqual([0, 7, 20, 40]);
    expect([...(cron?.hours ?? [])]).toEqual([1, 2, 3, 22, 23]);
    expect([...(cron?.months ?? [])]).toEqual([1, 2, 3, 12]);
    expect([...(cron?.weekdays ?? [])]).toEqual([1, 3, 5]);
    expect(parseCron('0 0 * * 7')?.weekdays.has(0)).toBe(true);
  });

  test('of a day of the month and one of the week fits either, of one of them just that', () => {
    const either = parseCron('0 0 13 * fri');
    const friday = parseCron('0 0 * * fri');
    if (either === null || friday === null) throw new Error('both are cron expressions');
    expect([13, 16, 17].map((day) => fitsDay(either, 2026, 10, day))).toEqual([true, true, false]);
    expect([13, 16, 17].map((day) => fitsDay(friday, 2026, 10, day))).toEqual([false, true, false]);
  });
});

describe('a cron expression that is well-formed', () => {
  const never = (text: string) => {
    const cron = parseCron(text);
    return cron !== null && fitsNoDay(cron);
  };

  test.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 30-31 feb *', '0 0 31 4 */2'])('%j fits no day', (text) => {
    expect(never(text)).toBe(true);
  });

  test.each(['0 0 29 2 *', '0 0 29 2 */7', '0 0 31 1 *', '0 0 30 2 mon', '0 0 30 2,3 *', '* * * * *'])(
    '%j fits a day',
    (text) => {
      expect(never(text)).toBe(false);
    },
  );
});

describe('windows', () => {
  test('are open always where there are none', () => {
    expect(openingAt([], 0)).toEqual({ open: true, until: null });
  });

  test('open and close, and say when', () => {
    const office = [window('0 8 * * mon-fri', 9)];
    expect(at(office, '2026-11-30T07:59:59Z')).toBe('closed until 2026-11-30T08:00');
    expect(at(office, '2026-11-30T08:00:00Z')).toBe('open until 2026-11-30T17:00');
    expect(at(office, '2026-11-30T16:59:59Z')).toBe('open until 2026-11-30T17:00');
    expect(at(office, '2026-11-30T17:00:00Z')).toBe('closed until 2026-12-01T08:00');
    expect(at(office, '2026-12-04T17:00:00Z')).toBe('closed until 2026-12-07T08:00');
  });

  test('may last over midnight, and several are open where one of them is', () => {
    const both = [window('0 22 * * *', 4), window('0 12 * * *', 1)];
    expect(at(both, '2026-11-30T01:00:00Z')).toBe('open until 2026-11-30T02:00');
    expect(at(both, '2026-11-30T02:00:00Z')).toBe('closed until 2026-11-30T12:00');
    expect(at(both, '2026-11-30T12:30:00Z')).toBe('open until 2026-11-30T13:00');
  });

  test('go by the clocks of their zone', () => {
    const berlin = [window('30 2 * * *', 1, 'Europe/Berlin')];
    expect(at(berlin, '2026-01-10T00:00:00Z')).toBe('closed until 2026-01-10T01:30');
    expect(at(berlin, '2026-07-10T00:00:00Z')).toBe('closed until 2026-07-10T00:30');
    // The clocks go from 02:00 to 03:00: there is no 02:30, and it opens when they have been put forward.
    expect(at(berlin, '2026-03-29T00:00:00Z')).toBe('closed until 2026-03-29T01:00');
    // They go from 03:00 to 02:00: there are two, and it opens at the first.
    expect(at(berlin, '2026-10-25T00:00:00Z')).toBe('closed until 2026-10-25T00:30');
    expect(at(berlin, '2026-10-25T01:45:00Z')).toBe('closed until 2026-10-26T01:30');
    expect(at([window('0 0 * * *', 1, 'Asia/Kathmandu')], '2026-11-30T00:00:00Z')).toBe(
      'closed until 2026-11-30T18:15',
    );
    expect(at([window('0 12 * * *', 1, 'Pacific/Kiritimati')], '2026-11-30T21:00:00Z')).toBe(
      'closed until 2026-11-30T22:00',
    );
  });

  test('look ahead to a day that is rare, and say where there is none', () => {
    expect(at([window('0 0 29 2 *', 1)], '2026-11-30T00:00:00Z')).toBe('closed until 2028-02-29T00:00');
    expect(at([window('0 0 31 2 *', 1)], '2026-11-30T00:00:00Z')).toBe('closed until -');
  });

  test('know the names of time zones', () => {
    expect(['UTC', 'Europe/Berlin', 'Europe/Nowhere', ''].map(isTimeZone)).toEqual([true, true, false, false]);
  });
});
