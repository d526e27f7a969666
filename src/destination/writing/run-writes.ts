import { kinds } from '../../model/kinds.ts';
import type { PlannedDelivery, Write } from '../../plan/plan.ts';
import { asFailure, type FailureFacts } from '../../platform/failure.ts';
import type { ChangeOutcome } from '../destination.ts';
import { isConflict } from './objections.ts';

/** How the writes of a delivery are carried out. */
export interface WriteRun {
  /** Sends one write. Throws Failure. */
  readonly sendWrite: (write: Write, signal: AbortSignal) => Promise<void>;
  readonly concurrency: number;
  /** Asked before each write; no means that no further one is started. */
  readonly goOn: (done: number, total: number) => boolean;
}

/** What became of the writes, by change. */
export interface WriteResult {
  readonly changes: readonly ChangeOutcome[];
  /** The failure that the lane should act on: no answer before try again before refused. It names its entity. */
  readonly failure: FailureFacts | null;
  readonly sent: number;
}

type WriteState = 'waiting' | 'sending' | 'done' | { readonly failed: FailureFacts } | { readonly skipped: string };

/** Statuses by which a server says that it cannot go on, whatever it is sent. */
const overloaded: ReadonlySet<number | null> = new Set([408, 425, 429, 502, 503, 504]);

/** So many faults of the server in a row are its own, and not those of single entities. */
const mostFaultsInARow = 5;

const newerRevision = 'a newer revision is taken up instead';

/**
 * Carries out writes, each as soon as those it comes after have succeeded, with bounded concurrency. A write that
 * fails does not stop unrelated ones; what comes after it is skipped. After a write without an answer nothing further
 * is started: the outcome is unknown, and the live state has to be read again. The same where the server cannot go on.
 * A delete whose place nothing takes is taken back at once, whatever else is stopped; so is the closing of a route that
 * came to nothing.
 * Ends when nothing is under way any more; throws the signal's reason when it was aborted.
 */
export async function runWrites(delivery: PlannedDelivery, run: WriteRun, signal: AbortSignal): Promise<WriteResult> {
  const { writes, plan } = delivery;
  const queue = new WriteQueue(delivery);
  const under = new Set<Promise<void>>();
  let sent = 0;
  let faultsInARow = 0;
  let stop: string | null = null;
  let fault: { readonly thrown: unknown } | null = null;

  const failed = (index: number, thrown: unknown): void => {
    const facts = asFailure(thrown)?.facts;
    if (facts === undefined) {
      fault ??= { thrown };
      stop ??= 'an earlier write could not be sent';
      queue.settle(index, { skipped: stop });
      return;
    }
    faultsInARow = facts.class === 'transient' ? faultsInARow + 1 : 0;
    if (facts.class === 'unreachable') stop ??= 'an earlier write had no answer, so the live state is read again first';
    else if (overloaded.has(facts.status) || faultsInARow >= mostFaultsInARow) {
      stop ??= 'the destination cannot take writes now';
    }
    queue.settle(index, { failed: named(plan, writes[index], facts) });
  };
  const start = (index: number, write: Write): void => {
    sent += 1;
    const task = run.sendWrite(write, signal).then(
      () => {
        faultsInARow = 0;
        queue.settle(index, 'done');
      },
      (thrown: unknown) => failed(index, thrown),
    );
    const tracked = task.finally(() => under.delete(tracked));
    under.add(tracked);
  };

  const takeBack = (): void => {
    for (const { index, write, body, because } of queue.toTakeBack(stop !== null && under.size === 0)) {
      sent += 1;
      const task = run.sendWrite({ ...write, action: write.body === null ? 'create' : 'update', body }, signal).then(
        () => queue.tookBack(index, { skipped: `it was put back, because ${because}` }),
        (thrown: unknown) => {
          const facts = asFailure(thrown)?.facts;
          if (facts === undefined) fault ??= { thrown };
          else queue.tookBack(index, { failed: named(plan, write, facts) });
        },
      );
      const tracked = task.finally(() => under.delete(tracked));
      under.add(tracked);
    }
  };

  for (;;) {
    if (!signal.aborted) takeBack();
    while (under.size < run.concurrency && stop === null) {
      const index = queue.next();
      const write = index === null ? undefined : writes[index];
      if (index === null || write === undefined) break;
      if (signal.aborted || !run.goOn(queue.settled, writes.length)) stop = newerRevision;
      else {
        queue.take(index);
        start(index, write);
      }
    }
    if (under.size === 0 && !signal.aborted) takeBack();
    if (under.size === 0) break;
    await Promise.race(under);
  }
  signal.throwIfAborted();
  if (fault !== null) throw (fault as { readonly thrown: unknown }).thrown;
  const finals = queue.finals(stop ?? 'it was never its turn');
  return { changes: outcomes(plan.changes.length, writes, finals), failure: worst(finals), sent };
}

/** A write to be taken back, and why. */
interface TakingBack {
  readonly index: number;
  readonly write: Write;
  readonly body: NonNullable<Write['body']>;
  readonly because: string;
}

/** Which writes wait for which, and which may be sent. */
class WriteQueue {
  readonly #plan: PlannedDelivery['plan'];
  readonly #writes: readonly Write[];
  readonly #states: WriteState[];
  readonly #followers: readonly number[][];
  /** Per write, how many of those that it comes after have not succeeded yet. */
  readonly #missing: number[];
  readonly #ready: number[] = [];
  /** Writes that may have to be taken back. */
  readonly #revocable = new Set<number>();
  #taken = 0;
  #settled = 0;

  constructor({ plan, writes }: PlannedDelivery) {
    this.#plan = plan;
    this.#writes = writes;
    this.#states = writes.map(() => 'waiting');
    this.#followers = writes.map(() => []);
    this.#missing = writes.map((write) => write.after.length);
    for (const [index, write] of writes.entries()) {
      for (const before of write.after) this.#followers[before]?.push(index);
      if (write.after.length === 0) this.#ready.push(index);
      if (write.takenBack !== undefined) this.#revocable.add(index);
    }
  }

  /** How many writes have come to an end. */
  get settled(): number {
    return this.#settled;
  }

  /** The write to be sent next, or null where none may be now. */
  next(): number | null {
    return this.#ready[this.#taken] ?? null;
  }

  take(index: number): void {
    this.#taken += 1;
    this.#states[index] = 'sending';
  }

  /** Notes the end of a write. What comes after one that failed is skipped, to any depth. */
  settle(index: number, state: WriteState): void {
    const ends: [number, WriteState][] = [[index, state]];
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
      const [at, outcome] = end;
      this.#states[at] = outcome;
      this.#settled += 1;
      for (const next of this.#followers[at] ?? []) {
        if (this.#states[next] !== 'waiting') continue;
        if (outcome === 'done') {
          this.#missing[next] = (this.#missing[next] ?? 0) - 1;
          if (this.#missing[next] === 0) this.#ready.push(next);
        } else {
          const because = `${changeName(this.#plan, this.#writes[at])} failed before it`;
          const skipped = typeof outcome === 'object' && 'skipped' in outcome ? outcome.skipped : because;
          this.#states[next] = { skipped };
          ends.push([next, { skipped }]);
        }
      }
    }
  }

  /** Writes that were carried out for nothing, each given once; `ended` where nothing more is sent. */
  toTakeBack(ended: boolean): readonly TakingBack[] {
    const found: TakingBack[] = [];
    for (const index of this.#revocable) {
      const write = this.#writes[index];
      if (write?.takenBack === undefined || this.#states[index] !== 'done') continue;
      const { body, unless, when } = write.takenBack;
      const isLost = (other: number) => {
        const state = this.#states[other] ?? 'waiting';
        if (typeof state === 'string') return ended && state === 'waiting';
        // Without an answer it may have been carried out all the same.
        return when === 'one-fails' || 'skipped' in state || state.failed.class === 'rejected';
      };
      const lost = when === 'one-fails' || unless.every(isLost) ? unless.find(isLost) : undefined;
      if (lost === undefined) continue;
      this.#revocable.delete(index);
      found.push({
        index,
        write,
        body,
        because: `${changeName(this.#plan, this.#writes[lost])} ${when === 'one-fails' ? 'did not take its place' : 'was not changed'}`,
      });
    }
    return found;
  }

  /** Notes what came of taking a write back. What took its place after all is in the way, and rightly so. */
  tookBack(index: number, state: WriteState): void {
    if (typeof state === 'object' && 'failed' in state && isConflict(state.failed)) return;
    this.#states[index] = state;
  }

  /** The states at the end, those that were never sent skipped for the reason given. */
  finals(left: string): readonly WriteState[] {
    return this.#states.map((state) => (state === 'waiting' ? { skipped: left } : state));
  }
}

function changeName(plan: PlannedDelivery['plan'], write: Write | undefined): string {
  const change = write === undefined ? undefined : plan.changes[write.change];
  return change === undefined ? 'what it depends on' : `${kinds[change.kind].label} "${change.name}"`;
}

function named(plan: PlannedDelivery['plan'], write: Write | undefined, facts: FailureFacts): FailureFacts {
  return { ...facts, message: `${changeName(plan, write)}: ${facts.message}` };
}

/** A change is applied when all of its writes are; else the worst of them decides. What a write covers goes as it goes. */
function outcomes(count: number, writes: readonly Write[], states: readonly WriteState[]): readonly ChangeOutcome[] {
  const byChange = new Map<number, ChangeOutcome>();
  const note = (outcome: ChangeOutcome): void => {
    const known = byChange.get(outcome.change);
    if (known === undefined || rank(outcome) > rank(known)) byChange.set(outcome.change, outcome);
  };
  for (const [index, write] of writes.entries()) {
    const outcome = outcomeOf(write.change, states[index] ?? 'waiting');
    note(outcome);
    for (const covered of write.covers) note({ ...outcome, change: covered });
  }
  return Array.from({ length: count }, (_, change) => byChange.get(change) ?? { change, result: 'applied' });
}

function outcomeOf(change: number, state: WriteState): ChangeOutcome {
  if (typeof state === 'string') return { change, result: 'applied' };
  if ('skipped' in state) return { change, result: 'skipped', because: state.skipped };
  const result = state.failed.class === 'rejected' ? 'rejected' : 'unknown';
  return { change, result, failure: state.failed };
}

function rank(outcome: ChangeOutcome): number {
  return { applied: 0, skipped: 1, rejected: 2, unknown: 3 }[outcome.result];
}

const severity: { readonly [C in FailureFacts['class']]: number } = { rejected: 1, transient: 2, unreachable: 3 };

function worst(states: readonly WriteState[]): FailureFacts | null {
  let found: FailureFacts | null = null;
  for (const state of states) {
    if (typeof state === 'string' || !('failed' in state)) continue;
    if (found === null || severity[state.failed.class] > severity[found.class]) found = state.failed;
  }
  return found;
}
