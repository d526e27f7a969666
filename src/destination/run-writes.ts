import type { PlannedDelivery, Write } from '../plan/plan.ts';
import { asFailure, type FailureFacts } from '../platform/failure.ts';
import type { ChangeOutcome } from './destination.ts';

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
  /** The failure that the lane should act on: no answer before try again before refused. */
  readonly failure: FailureFacts | null;
  readonly sent: number;
}

type WriteState = 'waiting' | 'sending' | 'done' | { readonly failed: FailureFacts } | { readonly skipped: string };

/**
 * Carries out writes, each as soon as those it comes after have succeeded, with bounded concurrency. A write that
 * fails does not stop unrelated ones; what comes after it is skipped. After a write without an answer nothing further
 * is started: the outcome is unknown, and the live state has to be read again.
 */
export async function runWrites(delivery: PlannedDelivery, run: WriteRun, signal: AbortSignal): Promise<WriteResult> {
  const { writes, plan } = delivery;
  const states: WriteState[] = writes.map(() => 'waiting');
  const followers = writes.map((): number[] => []);
  const missing = writes.map((write, index) => {
    for (const before of write.after) followers[before]?.push(index);
    return write.after.length;
  });
  const ready = writes.flatMap((_, index) => (missing[index] === 0 ? [index] : []));
  const under = new Set<Promise<void>>();
  let done = 0;
  let sent = 0;
  let stop: string | null = null;

  const settle = (index: number, state: WriteState): void => {
    states[index] = state;
    done += 1;
    for (const next of followers[index] ?? []) {
      if (state === 'done') {
        missing[next] = (missing[next] ?? 0) - 1;
        if (missing[next] === 0 && states[next] === 'waiting') ready.push(next);
      } else if (states[next] === 'waiting') settle(next, { skipped: skippedBecause(plan, writes[index]) });
    }
  };
  const start = (index: number, write: Write): void => {
    states[index] = 'sending';
    sent += 1;
    const task = run.sendWrite(write, signal).then(
      () => settle(index, 'done'),
      (thrown: unknown) => {
        const failure = asFailure(thrown);
        if (failure === undefined) throw thrown;
        if (failure.facts.class !== 'rejected') stop ??= 'an earlier write had no usable answer';
        settle(index, { failed: failure.facts });
      },
    );
    const tracked = task.finally(() => under.delete(tracked));
    under.add(tracked);
  };

  for (;;) {
    while (ready.length > 0 && under.size < run.concurrency && stop === null) {
      if (signal.aborted || !run.goOn(done, writes.length)) {
        stop = 'a newer revision is taken up instead';
        break;
      }
      const index = ready.shift();
      const write = index === undefined ? undefined : writes[index];
      if (index !== undefined && write !== undefined && states[index] === 'waiting') start(index, write);
    }
    if (under.size === 0) break;
    await Promise.race(under);
  }
  signal.throwIfAborted();
  const left = stop ?? 'it was never its turn';
  const finals = states.map((state): WriteState => (state === 'waiting' ? { skipped: left } : state));
  return { changes: outcomes(plan.changes.length, writes, finals), failure: worst(finals), sent };
}

function skippedBecause(plan: PlannedDelivery['plan'], before: Write | undefined): string {
  const change = before === undefined ? undefined : plan.changes[before.change];
  return change === undefined ? 'what it depends on failed' : `${change.kind} "${change.name}" failed before it`;
}

/** A change is applied when all of its writes are; else the worst of them decides. What a write covers goes as it goes. */
function outcomes(count: number, writes: readonly Write[], states: readonly WriteState[]): readonly ChangeOutcome[] {
  const byChange = new Map<number, ChangeOutcome>();
  writes.forEach((write, index) => {
    const outcome = outcomeOf(write.change, states[index] ?? 'waiting');
    const known = byChange.get(write.change);
    if (known === undefined || rank(outcome) > rank(known)) byChange.set(write.change, outcome);
    for (const covered of write.covers) byChange.set(covered, { ...outcome, change: covered });
  });
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
