import { isDegraded } from '../build/built.ts';
import type { Plan } from '../plan/plan.ts';
import { deniesAccess, type FailureFacts } from '../platform/failure.ts';
import { doneBy, driftText, foundLast } from './drift.ts';
import { type Around, explained } from './explained.ts';
import type { DriftSeen, LaneState, LaneStatus } from './lane-status.ts';
import type { Applied, PassEnd } from './pass.ts';
import { degradedText } from './quarantine-text.ts';

/** What follows from the end of a pass: what to say (null: nothing new), and how long to rest (null: until nudged). */
export interface Ending {
  readonly status: (EndingWords & Pick<LaneStatus, 'concerns' | 'unaffected'>) | null;
  readonly restMs: number | null;
}

type EndingWords = Pick<LaneStatus, 'state' | 'detail' | 'waitingFor' | 'failure' | 'diagnostics' | 'plan'>;

/** What an ending depends on besides the pass. */
export interface EndingInput extends Around {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly backoffMs: (failure: FailureFacts | null) => number;
  /** Until the next drift check, in milliseconds; null where drift is ignored. */
  readonly driftIntervalMs: number | null;
  /** Whether what works is asked about again in between. */
  readonly isWatched?: boolean;
  /** Until each end of a soak at which others want to know that it is still in place, in milliseconds; none where left out. */
  readonly untilSoakedMs?: readonly number[];
  /** Until a refused revision is tried again unchanged, in milliseconds. */
  readonly retryIntervalMs: number;
  /** Whether a delivery left the same difference unconfirmed before. */
  readonly repeated: boolean;
  /** What was delivered when this revision was put in place, where this lane did it: `3 created`. */
  readonly deliveredWords: string | null;
  /** Why the trailer of the commit does not let a held plan through; null where there is none. */
  readonly trailer?: string | null;
  /** What other writers did, newest first. */
  readonly drift: readonly DriftSeen[];
}

/** How often the probes are asked again where they failed, in milliseconds. */
const probeIntervalMs = 30_000;

/** How often a lane without the right to write asks for it again, in milliseconds. */
const leaseIntervalMs = 10_000;

/** The message of a log line about a state that is not the wanted one. */
export const stateWords: { readonly [S in LaneState]: string } = {
  pending: 'nothing is known of the destination yet',
  waiting: 'waiting before delivering',
  delivering: 'delivering',
  applied: 'the destination was confirmed',
  'applied-degraded': 'the destination was confirmed without what is in quarantine',
  held: 'held until a person approves',
  rejected: 'the destination refused the revision',
  retrying: 'the delivery failed and will be tried again',
  unreachable: 'the destination does not answer',
  drifted: 'the destination has drifted and is left as it is',
  'rolled-back': 'the destination was taken back to an earlier revision',
  suspended: 'the destination is suspended',
};

/** The status and the rest that follow from the end of a pass. Pure. */
export function endingOf(ended: PassEnd, input: EndingInput): Ending {
  const { status, restMs } = wordsOf(ended, input);
  return { status: status === null ? null : { ...status, ...explained(ended, input) }, restMs };
}

interface Said {
  readonly status: EndingWords | null;
  readonly restMs: number | null;
}

function wordsOf(ended: PassEnd, input: EndingInput): Said {
  const newer = 'a newer revision, or sync';
  switch (ended.end) {
    case 'superseded':
    case 'refused-in-part':
      return { status: null, restMs: 0 };
    case 'not-ours':
      return {
        status: {
          state: 'waiting',
          detail: 'another instance of Konverge has the right to write to this destination',
          waitingFor: 'the lease',
          failure: null,
          diagnostics: [],
          plan: null,
        },
        restMs: leaseIntervalMs,
      };
    case 'applied': {
      if (ended.left.length > 0 || ended.reported.length > 0) return leftTo(ended, input);
      const { built } = ended;
      const degraded = isDegraded(built);
      const without = degraded ? `; ${degradedText(built.quarantine?.leftOut ?? [], built.diagnostics)}` : '';
      return {
        status: {
          state: degraded ? 'applied-degraded' : 'applied',
          detail: `${input.deliveredWords ?? 'nothing to change'}; ${ended.confirmation.detail}${without}`,
          waitingFor: degraded ? 'a revision without these errors, or sync' : null,
          failure: null,
          diagnostics: ended.built.diagnostics,
          plan: null,
        },
        restMs: untilNextLook(input),
      };
    }
    case 'drifted':
      return {
        status: {
          state: 'drifted',
          detail: `live state differs: ${changeWords(ended.plan, 'missing')}; ${driftText(foundLast(input.drift))}`,
          waitingFor: 'a newer revision, or another writer that puts it right',
          failure: null,
          diagnostics: [],
          plan: ended.plan,
        },
        restMs: input.driftIntervalMs,
      };
    case 'held':
      return {
        status: {
          state: 'held',
          detail: ended.plan.held?.message ?? 'held',
          waitingFor: `approval of ${ended.plan.fingerprint}, or a newer revision${notByTrailer(input)}`,
          failure: null,
          diagnostics: [],
          plan: ended.plan,
        },
        restMs: input.retryIntervalMs,
      };
    case 'waiting': {
      const { reason, waitingFor, until } = ended.closed;
      const status = { state: 'waiting', detail: reason, waitingFor, failure: null, diagnostics: [] } as const;
      const longest = input.retryIntervalMs;
      return {
        status: { ...status, plan: ended.plan },
        restMs: until === null ? longest : Math.min(longest, Math.max(0, until - input.now)),
      };
    }
    case 'unhealthy': {
      const message = `delivered, and not healthy: ${ended.wrong.join('; ')}`;
      const hint = 'Approve the plan to keep what was delivered, or push a revision that works.';
      return {
        status: {
          state: 'held',
          detail: message,
          waitingFor: `healthy answers, approval of ${ended.plan.fingerprint}, or a newer revision`,
          failure: null,
          diagnostics: [],
          plan: { ...ended.plan, held: { code: 'unhealthy', message, hint } },
        },
        restMs: Math.min(probeIntervalMs, input.retryIntervalMs),
      };
    }
    case 'rejected':
      return {
        status: {
          state: 'rejected',
          detail: refusal(ended),
          waitingFor:
            ended.failure !== null && deniesAccess(ended.failure)
              ? `access (a restart takes up another token), ${newer}`
              : newer,
          failure: ended.failure,
          diagnostics: ended.diagnostics,
          plan: ended.plan,
        },
        restMs: input.retryIntervalMs,
      };
    case 'failed':
      return {
        status: {
          state: ended.failure.class === 'unreachable' ? 'unreachable' : 'retrying',
          detail: ended.failure.message,
          waitingFor: `the next try, ${newer}`,
          failure: ended.failure,
          diagnostics: [],
          plan: ended.plan,
        },
        restMs: input.backoffMs(ended.failure),
      };
    case 'unconfirmed':
      return {
        status: {
          state: input.repeated ? 'rejected' : 'retrying',
          detail: `not confirmed after the delivery: ${ended.confirmation.detail}`,
          waitingFor: input.repeated ? newer : `the next try, ${newer}`,
          failure: null,
          diagnostics: [],
          plan: ended.plan,
        },
        restMs: input.repeated ? input.retryIntervalMs : input.backoffMs(null),
      };
  }
}

/** Where drift is ignored nothing is looked at, whoever waits for it. */
function untilNextLook({ driftIntervalMs, isWatched, untilSoakedMs = [] }: EndingInput): number | null {
  if (driftIntervalMs === null) return null;
  return Math.min(driftIntervalMs, ...(isWatched === true ? [probeIntervalMs] : []), ...untilSoakedMs);
}

/** All is in place but for what another writer keeps changing, and what is only reported. */
function leftTo({ built, left, reported }: Applied, { drift, driftIntervalMs }: EndingInput): Said {
  const flapping = drift.filter(({ outcome }) => outcome === 'flapping');
  const words = [
    ...(left.length === 0
      ? []
      : [`another writer keeps changing the same, and it is left as it is: ${driftText(flapping)}`]),
    ...(reported.length === 0
      ? []
      : [`live state differs where policy.driftReport leaves it: ${driftText(reported.map(doneBy))}`]),
  ];
  const other = left.length === 0 ? 'another writer that puts it right' : 'the other writer to stop';
  return {
    status: {
      state: 'drifted',
      detail: words.join('; '),
      waitingFor: left.length === 0 ? `a newer revision, or ${other}` : `${other}, a newer revision, or sync`,
      failure: null,
      diagnostics: built.diagnostics,
      plan: null,
    },
    restMs: driftIntervalMs,
  };
}

/** Whether a state says that a revision is in place as it was written. */
export function isInPlace(state: LaneState): boolean {
  return state === 'applied' || state === 'rolled-back';
}

/** A revision that was taken back, and why. */
export interface TakenBack {
  readonly revision: string;
  readonly why: string;
}

/** What follows from a pass that put an older revision in the place of one that does not work. */
export function takenBack(ending: Ending, { why }: TakenBack, kept: string): Ending {
  const { status } = ending;
  if (status?.state === 'held' || status?.state === 'rejected') {
    const ended = status.state === 'held' ? 'held' : 'refused';
    const detail = `${why}; to take it back to ${kept.slice(0, 7)} is ${ended}: ${status.detail}`;
    return { ...ending, status: { ...status, detail } };
  }
  if (status === null || (status.state !== 'applied' && status.state !== 'applied-degraded')) return ending;
  return {
    ...ending,
    status: {
      ...status,
      state: 'rolled-back',
      detail: `taken back to ${kept.slice(0, 7)}: ${why}`,
      waitingFor: 'a newer revision, or sync to try this one again',
    },
  };
}

/** Why a pass did not end with the revision in place, in one sentence. */
export function refusal(ended: PassEnd): string {
  switch (ended.end) {
    case 'rejected': {
      if (ended.why !== undefined) return ended.why;
      const errors = ended.diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
      const first = errors[0];
      if (first === undefined) return ended.failure?.message ?? 'refused';
      const place = first.locations[0];
      const where = place === undefined ? '' : `${place.file}:${place.line} `;
      return `${where}${first.message}${errors.length > 1 ? ` (+${errors.length - 1} more)` : ''}`;
    }
    case 'failed':
      return ended.failure.message;
    case 'held':
      return ended.plan.held?.message ?? 'held';
    case 'waiting':
      return ended.closed.reason;
    case 'unhealthy':
      return `not healthy: ${ended.wrong.join('; ')}`;
    case 'unconfirmed':
      return ended.confirmation.detail;
    case 'drifted':
      return 'live state differs';
    case 'applied':
    case 'superseded':
    case 'refused-in-part':
    case 'not-ours':
      return '';
  }
}

/** The plan's changes in words: `3 created, 1 updated`. With `tense: 'missing'`, as what is yet to be done. */
export function changeWords(plan: Plan, tense: 'done' | 'missing' = 'done'): string {
  const words = tense === 'done' ? ['created', 'updated', 'deleted'] : ['to create', 'to update', 'to delete'];
  const counts = [plan.summary.create, plan.summary.update, plan.summary.delete];
  const parts = counts.flatMap((count, index) => (count === 0 ? [] : [`${count} ${words[index]}`]));
  return parts.length === 0 ? 'nothing changed' : parts.join(', ');
}

/** The plan's counts as log fields. */
export function countChanges(plan: Plan): { create: number; update: number; delete: number } {
  const { create, update, delete: deleted } = plan.summary;
  return { create, update, delete: deleted };
}

function notByTrailer({ trailer = null }: EndingInput): string {
  return trailer === null ? '' : `; the trailer Konverge-Approve of the commit does not count: ${trailer}`;
}
