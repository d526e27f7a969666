import { Lane } from './lane.ts';
import type { LaneState, LaneStatus } from './lane-status.ts';
import type { LaneWorld } from './lane-world.ts';
import type { Offer } from './offer.ts';

/** Whether a state is the end of a first try, for good or bad. */
export function isSettled(state: LaneState): boolean {
  switch (state) {
    case 'pending':
    case 'waiting':
    case 'delivering':
      return false;
    case 'applied':
    case 'applied-degraded':
    case 'held':
    case 'rejected':
    case 'retrying':
    case 'unreachable':
    case 'drifted':
    case 'rolled-back':
    case 'suspended':
      return true;
  }
}

/**
 * Delivers one offer by a lane of its own and ends with the first try: applied, held, refused or failed. `approve` is
 * the fingerprint of a plan that a person let through.
 */
export async function deliverOnce(
  world: Omit<LaneWorld, 'report'>,
  offer: Offer,
  approve: string | null,
  signal: AbortSignal,
): Promise<LaneStatus> {
  const ended = new AbortController();
  const lane: Lane = new Lane({
    ...world,
    report: (status) => {
      if (isSettled(status.state)) ended.abort();
    },
  });
  if (approve !== null) lane.approve(approve);
  lane.offer(offer);
  await lane.run(AbortSignal.any([ended.signal, signal]));
  signal.throwIfAborted();
  return lane.status;
}
