import { canonicalJson, type Json } from '../model/json.ts';
import { kinds } from '../model/kinds.ts';
import type { Change, FieldChange, Plan } from '../plan/plan.ts';
import type { DriftSeen } from './lane-status.ts';

/** How often the same difference is put right before it is left to whoever makes it. */
const correctionLimit = 3;

/** Within how many drift intervals that has to happen. */
const withinIntervals = 12;

/** How many changes by other writers the status keeps. */
const keptChanges = 20;

interface Seen {
  /** As it was found last: the same fields may be set to something else each time. */
  change: Change;
  /** When it was put right, in milliseconds since 1970. */
  corrections: number[];
  times: number;
  seenAt: number;
  outcome: DriftSeen['outcome'];
}

/** What other writers do to one destination: described, counted, and left to them where they do it over and over. */
export class Drift {
  readonly #intervalMs: number;
  #seen = new Map<string, Seen>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** A revision is put in force, or a person asks for another try: what was before does not count any more. */
  forget(): void {
    this.#seen = new Map();
  }

  /** A difference was found that no revision made. Whether any part of it was put right too often already. */
  found(plan: Plan, corrects: boolean, now: number): boolean {
    let isFlapping = false;
    for (const change of plan.changes) {
      const key = keyOf(change);
      const seen = this.#seen.get(key) ?? { change, corrections: [], times: 0, seenAt: now, outcome: 'reported' };
      seen.change = change;
      seen.corrections = seen.corrections.filter((at) => now - at <= withinIntervals * this.#intervalMs);
      const flaps = corrects && seen.corrections.length >= correctionLimit;
      isFlapping ||= flaps;
      seen.times += 1;
      seen.seenAt = now;
      seen.outcome = flaps ? 'flapping' : 'reported';
      // Newest last.
      this.#seen.delete(key);
      this.#seen.set(key, seen);
    }
    return isFlapping;
  }

  /** A difference is being put right. */
  corrected(plan: Plan, now: number): void {
    for (const change of plan.changes) {
      const seen = this.#seen.get(keyOf(change));
      if (seen === undefined) continue;
      seen.corrections.push(now);
      seen.outcome = 'corrected';
    }
  }

  /** Live entities that are left as they are: `kind/id`. What was deleted over and over cannot be left so, part by part. */
  leave(now: number): ReadonlySet<string> {
    const left = new Set<string>();
    for (const { change, corrections } of this.#seen.values()) {
      const recent = corrections.filter((at) => now - at <= withinIntervals * this.#intervalMs);
      if (recent.length >= correctionLimit && change.action !== 'create') left.add(`${change.kind}/${change.id}`);
    }
    return left;
  }

  /** What was left to another writer in the last pass; what differs no longer is forgotten. */
  left(changes: readonly Change[], now: number): void {
    const still = new Map(changes.map((change) => [keyOf(change), change]));
    for (const [key, seen] of this.#seen) {
      const change = still.get(key);
      if (change !== undefined) {
        seen.change = change;
        seen.times += 1;
        seen.seenAt = now;
        seen.outcome = 'flapping';
        // As long as it is done, it is left.
        seen.corrections = seen.corrections.map(() => now);
      } else if (seen.outcome === 'flapping') seen.corrections = [];
    }
  }

  /** What is only reported, as the policy asks. */
  reported(changes: readonly Change[], now: number): void {
    for (const change of changes) {
      const key = keyOf(change);
      const { times, ...before } = this.#seen.get(key) ?? { times: 0, corrections: [] };
      this.#seen.delete(key);
      this.#seen.set(key, { ...before, change, times: times + 1, seenAt: now, outcome: 'reported' });
    }
  }

  /** For the status: the newest first. */
  get seen(): readonly DriftSeen[] {
    return [...this.#seen.values()]
      .slice(-keptChanges)
      .reverse()
      .map(({ change, times, seenAt, outcome }) => ({
        seenAt,
        times,
        ...doneBy(change),
        outcome,
      }));
  }
}

/** Of what other writers did, what was found at the last look. */
export function foundLast(seen: readonly DriftSeen[]): readonly DriftSeen[] {
  const at = Math.max(...seen.map(({ seenAt }) => seenAt));
  return seen.filter(({ seenAt }) => seenAt === at);
}

/** What the other writer did, by what would put it right. */
const did = { create: 'deleted', update: 'changed', delete: 'made' } as const;

/** What another writer did, in the words of the status. */
export function doneBy(change: Change): Pick<DriftSeen, 'did' | 'entity' | 'fields'> {
  return {
    did: did[change.action],
    entity: { kind: change.kind, name: change.name },
    fields: change.fields.map(reversed),
  };
}

/** The same fields of the same entity, whatever they are set to. */
function keyOf({ action, kind, id, fields }: Change): string {
  return canonicalJson([action, kind, id, fields.map(({ path }) => path)]);
}

/** From what was delivered to what was found. */
function reversed({ path, from, to, secret }: FieldChange): FieldChange {
  return {
    path,
    ...(to === undefined ? {} : { from: to }),
    ...(from === undefined ? {} : { to: from }),
    ...(secret === undefined ? {} : { secret }),
  };
}

/** What other writers did, in words: `service "a" was changed (/host: "x" → "y")`. */
export function driftText(seen: readonly Pick<DriftSeen, 'did' | 'entity' | 'fields'>[], shown = 3): string {
  const words = seen.slice(0, shown).map(({ did: what, entity, fields }) => {
    const places = fields.slice(0, shown).map(({ path, from, to }) => `${path}: ${value(from)} → ${value(to)}`);
    const more = fields.length > places.length ? ', …' : '';
    const detail = what === 'changed' && places.length > 0 ? ` (${places.join(', ')}${more})` : '';
    return `${kinds[entity.kind].label} "${entity.name}" was ${what}${detail}`;
  });
  const more = seen.length > words.length ? ` (+${seen.length - words.length} more)` : '';
  return `${words.join('; ')}${more}`;
}

function value(json: Json | undefined): string {
  if (json === undefined) return 'nothing';
  const text = JSON.stringify(json);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
