import { join } from 'node:path';
import { z } from 'zod';
import { approvalText } from '../lane/approval-text.ts';
import { driftText, foundLast } from '../lane/drift.ts';
import type { LaneStatus } from '../lane/lane-status.ts';
import { atRest, beingPutBack, beingRead } from '../lane/sayings.ts';
import { isKindName, kinds } from '../model/kinds.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { printable } from '../render/source-line.ts';
import type { Validation } from './daemon.ts';
import { HistoryFile } from './history-file.ts';
import { keptEvent, type LastInPlace, lastInPlace } from './last-in-place.ts';
import { refusedEntry } from './refused-entry.ts';

const change = z.object({ action: z.string(), kind: z.string(), name: z.string(), fields: z.array(z.string()) });

const plan = z.object({
  fingerprint: z.string(),
  summary: z.object({ create: z.int(), update: z.int(), delete: z.int(), unchanged: z.int() }),
  changes: z.array(change),
  /** Changes that are not listed. */
  more: z.int(),
});

/** An approval as it is written down and shown. */
export const approvalShape = z.object({
  fingerprint: z.string(),
  by: z.enum(['person', 'trailer']),
  who: z.string().nullable(),
  reason: z.string().nullable().default(null),
});

/** One thing that happened at a destination. Holds no secret. */
export const historyEntry = z.object({
  at: z.string(),
  destination: z.string(),
  /** A state of docs/states.md that was entered, `approved`, `resumed`, `drift-corrected`, or `refused`. */
  event: z.string(),
  revision: z.string().nullable(),
  /** SHA-256 over what is signed of the commit, where signatures are verified. */
  signed: z.string().nullable().default(null),
  detail: z.string(),
  failure: z.object({ code: z.string(), message: z.string() }).nullable(),
  plan: plan.nullable(),
  /** What was approved and by whom, where the event is `approved`. */
  approval: approvalShape.nullable().default(null),
  /** Who suspended it and why, where the event is `suspended`. */
  suspension: z.object({ who: z.string().nullable(), reason: z.string().nullable() }).nullable().default(null),
  /** What tells the content that was confirmed, and in what bounds, from any other; where the event is `applied`. */
  content: z.string().optional(),
});

/** A change of a kept plan in words: `create route "orders"`. A kind of another version is named as it is kept. */
export function keptChangeWords({ action, kind, name }: z.infer<typeof change>): string {
  return `${action} ${isKindName(kind) ? kinds[kind].label : kind} ${printable(JSON.stringify(name))}`;
}

/** One thing that happened at a destination. */
export type HistoryEntry = z.infer<typeof historyEntry>;

/** Events that no failure is part of, whatever failed before. */
const withoutFailure: ReadonlySet<string> = new Set([
  'delivering',
  'drift-corrected',
  'approved',
  'suspended',
  'resumed',
]);

/** So many changes of a plan are listed. */
const mostChanges = 50;

/**
 * What happened at each destination, kept for looking back: deliveries with their plans, holds, approvals, drift,
 * failures. Where it cannot be written, that is said once, and delivery goes on. A restart decides by it: nothing older
 * is put in force than what is known to have been, what was taken back is not delivered again, what was approved stays
 * so, and what was suspended too.
 */
export class History {
  readonly #folder: string;
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #mark: ContentMark;
  readonly #files = new Map<string, HistoryFile>();
  readonly #last = new Map<string, LaneStatus>();
  /** What was last told to be in place, and how many deliveries there had been. */
  readonly #inPlace = new Map<string, InPlace>();
  /** Tries and failures that were told since anything else happened: the same again is no news. */
  readonly #tries = new Map<string, Set<string>>();
  /** The revision that was told last to be refused for a destination. */
  readonly #refused = new Map<string, string>();
  readonly #failing = new Set<string>();

  /** `folder` is made when there is something to keep; `mark` tells contents of a destination apart. */
  constructor(folder: string, log: Log, clock: Pick<Clock, 'now'>, mark: ContentMark = (_, digest) => digest) {
    this.#folder = folder;
    this.#log = log;
    this.#clock = clock;
    this.#mark = mark;
  }

  /** Takes note of how destinations stand, where that is news. Returns at once and never throws. */
  note(lanes: readonly LaneStatus[], validation: Validation | null = null): void {
    if (validation !== null) this.#noteRefused(validation);
    for (const status of lanes) {
      const before = this.#last.get(status.destination);
      if (before === status) continue;
      this.#last.set(status.destination, status);
      for (const event of eventsBetween(before, status)) this.#tell(event, status);
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

  /** What was in place at a destination last, as far as is kept; nothing is known where it cannot be read. */
  async lastInPlace(destination: string): Promise<LastInPlace> {
    return lastInPlace(await this.entries(destination, Number.MAX_SAFE_INTEGER));
  }

  /** Waits until what was noted is written, or was given up. */
  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.settled()));
  }

  /** A revision that is invalid for a destination, or not accepted, is never offered to its lane. */
  #noteRefused(validation: Validation): void {
    for (const destination of validation.invalidFor) {
      if (this.#refused.get(destination) === validation.revision) continue;
      this.#refused.set(destination, validation.revision);
      this.#keep(refusedEntry(destination, validation, this.#clock.now()));
    }
  }

  #tell(event: string, status: LaneStatus): void {
    const { destination, revision, counts, appliedDigest } = status;
    const entry = entryOf(event, status, this.#clock.now());
    if (!this.#isNews(entry)) return;
    if (event !== 'applied' && event !== 'applied-degraded') {
      this.#keep(entry);
      return;
    }
    const isWhole = event === 'applied' && appliedDigest !== null;
    const content = isWhole ? { content: this.#mark(destination, appliedDigest) } : {};
    const known = this.#inPlace.get(destination);
    const isKnown = known?.event === event && known.revision === revision && known.deliveries === counts.deliveries;
    this.#inPlace.set(destination, { event, revision, deliveries: counts.deliveries });
    // The status still says what was delivered when the revision was put in place.
    const detail = isKnown ? entry.detail.replace(/^[^;]*/, 'nothing to change') : entry.detail;
    this.#keep({ ...entry, detail, ...content });
  }

  #isNews({ destination, event, revision, failure, plan: made }: HistoryEntry): boolean {
    if (event !== 'delivering' && event !== 'retrying' && event !== 'unreachable') {
      this.#tries.delete(destination);
      return true;
    }
    const told = this.#tries.get(destination) ?? new Set<string>();
    this.#tries.set(destination, told);
    const key = JSON.stringify([event, revision, made?.fingerprint, failure?.code]);
    const isNews = !told.has(key);
    told.add(key);
    return isNews;
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
    this.#log.warn({ destination, failure, unaffected: 'delivery' }, 'history cannot be kept');
  }

  #file(destination: string): HistoryFile {
    const known = this.#files.get(destination);
    if (known !== undefined) return known;
    const made = new HistoryFile(join(this.#folder, `${destination}.jsonl`), undefined, (value) => {
      const parsed = historyEntry.safeParse(value);
      return parsed.success ? keptEvent(parsed.data) : null;
    });
    this.#files.set(destination, made);
    return made;
  }
}

/** Tells the content of a digest at a destination from any other, and from the same in other bounds. */
export type ContentMark = (destination: string, digest: string) => string;

/** What a destination was told to have. */
interface InPlace {
  readonly event: string;
  readonly revision: string | null;
  readonly deliveries: number;
}

/** What happened from one status to the next; a failure that comes again is told once. */
function eventsBetween(before: LaneStatus | undefined, now: LaneStatus): readonly string[] {
  const events: string[] = [];
  if (before !== undefined && before.counts.driftsCorrected < now.counts.driftsCorrected)
    events.push('drift-corrected');
  if (now.approval !== null && before?.approval !== now.approval) events.push('approved');
  // It is told when it is asked for: a kill may come before what is under way has ended.
  if (before?.suspension === null && now.suspension !== null) events.push('suspended');
  const wasSuspended = before?.state === 'suspended' || (before?.suspension ?? null) !== null;
  if (wasSuspended && now.state !== 'suspended' && now.suspension === null) events.push('resumed');
  // Before there is a plan nothing is delivered: what is in place may be found to be.
  if (now.state === 'delivering') return [...events, ...deliveryBegun(before, now)];
  const isNews =
    before === undefined ||
    before.state !== now.state ||
    (before.revision !== now.revision && now.state !== 'pending') ||
    (now.state === 'held' && before.plan?.fingerprint !== now.plan?.fingerprint) ||
    (now.failure !== null && before.failure?.code !== now.failure.code);
  const isTold = now.state === 'suspended' && now.suspension !== null;
  if (!isNews || isTold || now.state === 'pending') return events;
  return [...events, now.state];
}

function deliveryBegun(before: LaneStatus | undefined, now: LaneStatus): readonly string[] {
  if (!isSent(now)) return [];
  const isSame = before?.plan?.fingerprint === now.plan?.fingerprint && before?.revision === now.revision;
  return isSame && before !== undefined && isSent(before) ? [] : ['delivering'];
}

/** Whether a plan is being delivered, and not only known from before while the destination is read. */
function isSent({ state, plan: made, detail }: LaneStatus): boolean {
  return state === 'delivering' && made !== null && detail !== beingRead.detail && detail !== beingPutBack.detail;
}

function entryOf(event: string, status: LaneStatus, now: number): HistoryEntry {
  const { destination, failure } = status;
  // What is put right may be in force while another revision waits, or is refused.
  const revision = event === 'drift-corrected' ? (status.corrected ?? status.revision) : status.revision;
  return {
    at: new Date(now).toISOString(),
    destination,
    event,
    revision,
    signed: revision === status.revision ? (status.signed ?? null) : null,
    detail: detailOf(event, status),
    // A status remembers what failed last; that is told once, with the state that it led to.
    failure: failure === null || withoutFailure.has(event) ? null : { code: failure.code, message: failure.message },
    // That of the delivery is told with it; what the status shows may be the plan of another revision, which is refused.
    plan: event === 'drift-corrected' || event === 'resumed' ? null : planEntry(status),
    approval: event === 'approved' ? status.approval : null,
    suspension: event === 'suspended' ? status.suspension : null,
  };
}

function detailOf(event: string, { drift, detail, approval, suspension }: LaneStatus): string {
  if (event === 'approved' && approval !== null) return approvalText(approval);
  if (event === 'drift-corrected') return driftText(foundLast(drift));
  if (event === 'suspended' && suspension !== null) return atRest(suspension).detail;
  return event === 'resumed' ? 'delivers again, and corrects drift' : detail;
}

function planEntry({ plan: made }: LaneStatus): HistoryEntry['plan'] {
  if (made === null) return null;
  const isDelete = ({ action }: { readonly action: string }) => action === 'delete';
  // What a plan is held for are mostly its deletes: of a long plan they are what has to be seen.
  const changes =
    made.held === null
      ? made.changes
      : [...made.changes.filter(isDelete), ...made.changes.filter((one) => !isDelete(one))];
  return {
    fingerprint: made.fingerprint,
    summary: made.summary,
    changes: changes.slice(0, mostChanges).map(({ action, kind, name, fields }) => ({
      action,
      kind,
      name,
      fields: fields.map(({ path }) => path),
    })),
    more: Math.max(0, made.changes.length - mostChanges),
  };
}
