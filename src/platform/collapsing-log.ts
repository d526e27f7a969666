import type { Clock } from './clock.ts';
import type { Log, LogFields } from './log.ts';

/** For how long a line that is no news is only counted, in milliseconds. */
const quietMs = 60 * 60_000;

/** So many different lines are remembered for one destination. */
const keptLines = 100;

/** What differs from one time to the next and is no news by itself. */
const varying: ReadonlySet<string> = new Set(['nextTryInSeconds', 'attempt']);

interface Known {
  at: number;
  count: number;
}

/**
 * A log that says a warning about a destination once, and from then on once an hour with how often it came
 * (`repeated`), until something else than a warning is said of the same destination. What it says word for word again,
 * with nothing but warnings in between, is nothing else: a try like the one before, a wait that goes on. What a person
 * did (`action`) is always said.
 */
export function collapsing(log: Log, clock: Pick<Clock, 'now'>): Log {
  return over(log, clock, new Map(), '');
}

function over(log: Log, clock: Pick<Clock, 'now'>, known: Map<string, Map<string, Known>>, of: string): Log {
  const owner = ({ destination }: LogFields) => (typeof destination === 'string' ? destination : of);
  return {
    debug: (fields, message) => {
      known.delete(owner(fields));
      log.debug(fields, message);
    },
    info: (fields, message) => {
      const whose = owner(fields);
      const key = keyOf(fields, message);
      const isSaid = known.get(whose)?.has(key) === true && whose !== '' && fields['action'] === undefined;
      if (!isSaid) known.delete(whose);
      const repeated = countedIn(known, whose, key, clock.now());
      if (repeated === null) return;
      log.info(repeated === 0 ? fields : { ...fields, repeated }, message);
    },
    warn: (fields, message) => {
      const repeated = countedIn(known, owner(fields), keyOf(fields, message), clock.now());
      if (repeated === null) return;
      log.warn(repeated === 0 ? fields : { ...fields, repeated }, message);
    },
    error: (fields, message) => log.error(fields, message),
    child: (fields) => over(log.child(fields), clock, known, owner(fields)),
  };
}

/** How often a line came since it was said last; null where it is not to be said again yet. */
function countedIn(all: Map<string, Map<string, Known>>, owner: string, key: string, now: number): number | null {
  const own = all.get(owner) ?? new Map<string, Known>();
  all.set(owner, own);
  const before = own.get(key);
  if (before !== undefined && now - before.at < quietMs) {
    before.count += 1;
    return null;
  }
  own.delete(key);
  own.set(key, { at: now, count: 0 });
  for (const oldest of own.keys()) {
    if (own.size <= keptLines) break;
    own.delete(oldest);
  }
  return before === undefined ? 0 : before.count + 1;
}

function keyOf(fields: LogFields, message: string): string {
  return JSON.stringify([message, Object.entries(fields).filter(([name]) => !varying.has(name))]);
}
