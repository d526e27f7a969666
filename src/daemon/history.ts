import { join } from 'node:path';
import { z } from 'zod';
import { driftText } from '../lane/drift.ts';
import type { LaneStatus } from '../lane/lane-status.ts';
import type { Log } from '../platform/log.ts';
import { HistoryFile } from './history-file.ts';

const change = z.object({ action: z.string(), kind: z.string(), name: z.string(), fields: z.array(z.string()) });

const plan = z.object({
  fingerprint: z.string(),
  summary: z.object({ create: z.int(), update: z.int(), delete: z.int(), unchanged: z.int() }),
  changes: z.array(change),
  /** Changes that are not listed. */
  more: z.int(),
});

/** One thing that happened at a destination. Holds no secret. */
export const historyEntry = z.object({
  at: z.string(),
  destination: z.string(),
  /** A state of docs/states.md that was entered, `approved`, or `drift-corrected`. */
  event: z.string(),
  revision: z.string().nullable(),
  detail: z.string(),
  failure: z.object({ code: z.string(), message: z.string() }).nullable(),
  plan: plan.nullable(),
});

/** One thing that happened at a destination. */
export type HistoryEntry = z.infer<typeof historyEntry>;

/** So many changes of a plan are listed. */
const mostChanges = 50;

/**
 * What happened at each destination, kept for looking back: deliveries with their plans, holds, approvals, drift,
 * failures. Nothing depends on it: where it cannot be written, that is said once, and delivery goes on.
 */
export class History {
  readonly #folder: string;
  readonly #log: Log;
  readonly #files = new Map<string, HistoryFile>();
  readonly #last = new Map<string, LaneStatus>();
  readonly #failing = new Set<string>();

  /** `folder` is made when there is something to keep. */
  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Takes note of how destinations stand, where that is news. Returns at once and never throws. */
  note(lanes: readonly LaneStatus[]): void {
    for (const status of lanes) {
      const before = this.#last.get(status.destination);
      if (before === status) continue;
      this.#last.set(status.destination, status);
      for (const event of eventsBetween(before, status)) this.#keep(entryOf(event, status));
    }
  }

  /** The newest entries of a destination, oldest of them first. Empty where there are none, or they cannot be read. */
  async entries(destination: string, limit: number): Promise<readonly HistoryEntry[]> {
    const found: HistoryEntry[] = [];
    try {
      for (const value of await this.#file(destination).entries()) {
        const parsed = historyEntry.safeParse(value);
        if (parsed.success) found.push(parsed.data);
      }
    } catch (thrown) {
      this.#say(destination, thrown);
    }
    return limit === 0 ? [] : found.slice(-limit);
  }

  /** Waits until what was noted is written, or was given up. */
  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.settled()));
  }

  #keep(entry: HistoryEntry): void {
    this.#file(entry.destination)
      .append(entry)
      .then(
        () => this.#failing.delete(entry.destination),
        (thrown: unknown) => this.#say(entry.destination, thrown),
      );
  }

  #say(destination: string, thrown: unknown): void {
    if (this.#failing.has(destination)) return;
    this.#failing.add(destination);
    const failure = thrown instanceof Error ? thrown.message : String(thrown);
    this.#log.warn(
      { destination, failure, unaffected: 'delivery: history is for looking back only' },
      'history cannot be kept',
    );
  }

  #file(destination: string): HistoryFile {
    const known = this.#files.get(destination);
    if (known !== undefined) return known;
    const made = new HistoryFile(join(this.#folder, `${destination}.jsonl`));
    this.#files.set(destination, made);
    return made;
  }
}

/** What happened from one status to the next; a failure that comes again is told once. */
function eventsBetween(before: LaneStatus | undefined, now: LaneStatus): readonly string[] {
  const events: string[] = [];
  if (before !== undefined && before.counts.driftsCorrected < now.counts.driftsCorrected)
    events.push('drift-corrected');
  const isNews =
    before === undefined ||
    before.state !== now.state ||
    (before.revision !== now.revision && now.state !== 'pending') ||
    (now.state === 'held' && before.plan?.fingerprint !== now.plan?.fingerprint) ||
    (now.failure !== null && before.failure?.code !== now.failure.code);
  if (!isNews || now.state === 'pending') return events;
  const wasHeld = before?.state === 'held' && before.plan !== null;
  if (wasHeld && now.state === 'delivering' && before.plan?.fingerprint === now.plan?.fingerprint) {
    events.push('approved');
  }
  return [...events, now.state];
}

function entryOf(event: string, status: LaneStatus): HistoryEntry {
  const { destination, revision, failure } = status;
  const detail = event === 'drift-corrected' ? driftText(status.drift) : status.detail;
  return {
    at: new Date(status.since).toISOString(),
    destination,
    event,
    revision,
    detail,
    failure: failure === null ? null : { code: failure.code, message: failure.message },
    plan: planEntry(status),
  };
}

function planEntry({ plan: made }: LaneStatus): HistoryEntry['plan'] {
  if (made === null) return null;
  return {
    fingerprint: made.fingerprint,
    summary: made.summary,
    changes: made.changes.slice(0, mostChanges).map(({ action, kind, name, fields }) => ({
      action,
      kind,
      name,
      fields: fields.map(({ path }) => path),
    })),
    more: Math.max(0, made.changes.length - mostChanges),
  };
}
