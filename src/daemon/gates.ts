import type { Rollout } from '../config/settings.ts';
import { openingAt } from '../config/windows.ts';
import type { Closed, Gate } from '../lane/gate.ts';
import type { LaneStatus } from '../lane/lane-status.ts';
import type { LastInPlace } from './last-in-place.ts';

/**
 * The gate of one destination: a freeze, the destinations that have to have confirmed the revision first, and its
 * windows. Looks at what the others say now, and at what the check of the revision found for them, and waits for none; undefined where nothing is asked for.
 * A soak ends with a look at the other destination, where that is looked at by itself.
 */
export function gateOf(
  rollout: Pick<Rollout, 'after' | 'soakMs' | 'windows' | 'freeze'>,
  statusOf: (destination: string) => LaneStatus | undefined,
  isInvalidFor: (destination: string, revision: string) => boolean = () => false,
  isLookedAt: (destination: string) => boolean = () => true,
): Gate | undefined {
  const { after, soakMs, windows, freeze } = rollout;
  if (after.length === 0 && windows.length === 0 && freeze === null) return undefined;
  return ({ revision }, now) => {
    if (freeze !== null && now < freeze.until) {
      const why = freeze.reason === null ? '' : ` (${freeze.reason})`;
      return {
        reason: `frozen until ${time(freeze.until)}${why}`,
        waitingFor: 'the end of the freeze',
        until: freeze.until,
      };
    }
    for (const name of after) {
      const closed = isInvalidFor(name, revision)
        ? invalidThere(name)
        : notYet(name, statusOf(name), { revision, soakMs, isLookedAt: isLookedAt(name) }, now);
      if (closed !== null) return closed;
    }
    const { open, until } = openingAt(windows, now);
    if (open) return null;
    const next = until === null ? 'none opens any more' : `the next opens at ${time(until)}`;
    return { reason: `outside of its windows: ${next}`, waitingFor: 'a window', until };
  };
}

/**
 * The gate of a destination, which an earlier process has put a revision in place at: until this one has confirmed
 * anything, that revision is nothing new, and is let through to be found in place, or put right.
 */
export function gateAfterStart(gate: Gate, { whole, attempted }: LastInPlace, knowsMore: () => boolean): Gate {
  if (whole === null || attempted !== null) return gate;
  return (offer, now) => (offer.revision === whole && !knowsMore() ? null : gate(offer, now));
}

function invalidThere(name: string): Closed {
  return {
    reason: `held back by ${name}, for which this revision is invalid`,
    waitingFor: `a revision that is valid for ${name}`,
    until: null,
  };
}

/** Why one destination has not cleared the way for a revision, or null. */
function notYet(
  name: string,
  status: LaneStatus | undefined,
  asked: { readonly revision: string; readonly soakMs: number; readonly isLookedAt: boolean },
  now: number,
): Closed | null {
  const { revision, soakMs, isLookedAt } = asked;
  const waitingFor = `${name} to confirm this revision${soakMs > 0 ? ` and to stay so for ${words(soakMs)}` : ''}`;
  if (status === undefined || status.revision !== revision) {
    return { reason: `waiting for ${name}, which has not taken up this revision`, waitingFor, until: null };
  }
  if (status.state !== 'applied' || status.applied !== revision) {
    return { reason: `${howItFares(name, status)}`, waitingFor, until: null };
  }
  const until = status.since + soakMs;
  if (now >= until) {
    const isSeen = soakMs === 0 || !isLookedAt || (status.appliedAt !== null && status.appliedAt >= until);
    const reason = `${name} has had this revision for ${words(soakMs)}, and is looked at once more`;
    return isSeen ? null : { reason, waitingFor, until: null };
  }
  return { reason: `${name} has confirmed this revision; it soaks until ${time(until)}`, waitingFor, until };
}

function howItFares(name: string, { state, detail }: LaneStatus): string {
  switch (state) {
    case 'pending':
    case 'waiting':
    case 'delivering':
    case 'applied':
      return `waiting for ${name}, which is ${state}: ${detail}`;
    case 'applied-degraded':
    case 'held':
    case 'rejected':
    case 'retrying':
    case 'unreachable':
    case 'drifted':
    case 'rolled-back':
    case 'suspended':
      return `held back by ${name}, which is ${state}: ${detail}`;
  }
}

function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

function words(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'm'],
  ] as const;
  const [size, unit] = units.find(([length]) => ms % length === 0) ?? [1000, 's'];
  return `${Math.round(ms / size)}${unit}`;
}
