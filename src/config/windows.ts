import { type Cron, fitsDay } from './cron.ts';

/** A time in which changes may go out: it opens whenever the expression fits, for so many milliseconds. */
export interface Window {
  readonly cron: Cron;
  readonly durationMs: number;
  /** A name of the IANA time zone database. */
  readonly timeZone: string;
}

/** Whether changes may go out now, and when that ends or begins, in milliseconds since 1970 (null: not foreseeable). */
export interface Opening {
  readonly open: boolean;
  readonly until: number | null;
}

const dayMs = 24 * 60 * 60_000;

/** How far ahead an opening is looked for, in days: a 29th of February is never farther. */
const horizonDays = 8 * 366;

/** Whether one of the windows is open. Without windows it always is. */
export function openingAt(windows: readonly Window[], now: number): Opening {
  if (windows.length === 0) return { open: true, until: null };
  let end: number | null = null;
  let next: number | null = null;
  for (const window of windows) {
    for (const start of startsFrom(window, now - window.durationMs)) {
      if (start > now) {
        next = next === null ? start : Math.min(next, start);
        break;
      }
      if (start + window.durationMs > now) end = Math.max(end ?? 0, start + window.durationMs);
    }
  }
  return end === null ? { open: false, until: next } : { open: true, until: end };
}

/** The openings of a window after an instant, in order. */
function* startsFrom({ cron, timeZone }: Window, after: number): Generator<number> {
  const clock = zoneClock(timeZone);
  const times = [...cron.hours].flatMap((hour) => [...cron.minutes].map((minute) => hour * 60 + minute));
  times.sort((a, b) => a - b);
  const [today] = [Math.floor((after + clock(after)) / dayMs)];
  for (let day = today - 1; day < today + horizonDays; day += 1) {
    const date = new Date(day * dayMs);
    if (!fitsDay(cron, date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())) continue;
    let last = Number.NEGATIVE_INFINITY;
    for (const time of times) {
      const start = instantOf(day * dayMs + time * 60_000, clock);
      // An hour that the clock skips opens once, when it has been put forward.
      if (start > after && start > last) yield start;
      last = Math.max(last, start);
    }
  }
}

/** The instant at which the clocks of a zone show a time; where they show it twice the first, where they skip it the end of the gap. */
function instantOf(local: number, clock: (instant: number) => number): number {
  const [before, after] = [local - clock(local - dayMs), local - clock(local + dayMs)];
  const [early, late] = before < after ? [before, after] : [after, before];
  if (early + clock(early) === local) return early;
  if (late + clock(late) === local) return late;
  let [from, to] = [early, late];
  while (to - from > 60_000) {
    const middle = from + Math.floor((to - from) / 120_000) * 60_000;
    if (clock(middle) === clock(early)) from = middle;
    else to = middle;
  }
  return to;
}

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function zoneClock(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return local - Math.floor(instant / 1000) * 1000;
  };
}

/** Whether a name is one of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
