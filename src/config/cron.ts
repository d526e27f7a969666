/** A cron expression of five fields, read: the values that each field takes. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** From 0, Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Whether a day has to fit both of its fields: it fits either where both are given, as cron has it. */
  readonly bothDays: boolean;
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * Reads a cron expression: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday); each `*`, a
 * value, a range, a step (`1-5`, `*` with `/15`) or a list of these; months and days by their English names, too. Null
 * where it is none.
 */
export function parseCron(text: string): Cron | null {
  const parts = text.trim().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  if (parts.length !== 5) return null;
  const minutes = field(minute, 0, 59, []);
  const hours = field(hour, 0, 23, []);
  const days = field(day, 1, 31, []);
  const months = field(month, 1, 12, monthNames);
  const weekdays = field(weekday, 0, 7, dayNames);
  if (minutes === null || hours === null || days === null || months === null || weekdays === null) return null;
  if (weekdays.has(7)) weekdays.add(0);
  return { minutes, hours, days, months, weekdays, bothDays: day.startsWith('*') || weekday.startsWith('*') };
}

function field(text: string, from: number, to: number, names: readonly string[]): Set<number> | null {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, first = '', last, step] = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/i.exec(part) ?? [];
    const width = step === undefined ? 1 : Number(step);
    const start = first === '*' ? from : numberOf(first, from, names);
    // A step without an end goes on to the last value.
    const end =
      last !== undefined
        ? numberOf(last, from, names)
        : first === '*' || step !== undefined
          ? to
          : numberOf(first, from, names);
    const isWrong = first === '' || (first === '*' && last !== undefined) || width < 1;
    if (isWrong || start === null || end === null || start < from || end > to || start > end) return null;
    for (let value = start; value <= end; value += width) values.add(value);
  }
  return values;
}

function numberOf(text: string, from: number, names: readonly string[]): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  const at = names.indexOf(text.toLowerCase());
  return at === -1 ? null : at + (from === 1 ? 1 : 0);
}

/** Whether a day of the calendar fits. */
export function fitsDay(cron: Cron, year: number, month: number, day: number): boolean {
  if (!cron.months.has(month)) return false;
  const inMonth = cron.days.has(day);
  const inWeek = cron.weekdays.has(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
  return cron.bothDays ? inMonth && inWeek : inMonth || inWeek;
}

/** Days after which the calendar repeats itself, weekdays included, while no leap year is left out: 28 years. */
const cycleDays = 28 * 365 + 7;

/** Whether an expression fits no day of the calendar at all, such as a 30th of February. */
export function fitsNoDay(cron: Cron): boolean {
  for (let day = 1; day <= cycleDays; day += 1) {
    const date = new Date(Date.UTC(2001, 0, day));
    if (fitsDay(cron, date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())) return false;
  }
  return true;
}
