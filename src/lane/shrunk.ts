import type { Live } from '../model/live.ts';
import type { State } from '../model/state.ts';
import { isEmpty } from '../plan/guard.ts';
import type { Hold } from '../plan/plan.ts';
import type { MakePlan, PlanRequest } from './survey.ts';

/** What was in force before a revision; `unknown` where nothing tells what nodes that have nothing had. */
export type InForceBefore = State | 'unknown' | null;

/** Whether all that answers are nodes that have nothing: they were restarted, or are new, and what they had is not told. */
export function isEmptied(live: Live): boolean {
  return live.nodes.length > 0 && isEmpty(live.state);
}

/**
 * Why a plan is held that nothing holds as it stands, or null: what it would delete went by itself, so that the live
 * state does not show it. It is judged by what was in force instead.
 */
export function heldForLost(make: MakePlan, request: PlanRequest, inForce: InForceBefore): Hold | null {
  const { built, live } = request;
  if (inForce === null) return null;
  if (inForce === 'unknown') return isEmpty(built.state) ? unknownBefore : null;
  if (!hides(inForce, built.state, live.state)) return null;
  const { leave: _, report: __, ...rest } = request;
  return make({ ...rest, live: { ...live, state: inForce } }).plan.held;
}

const unknownBefore: Hold = {
  code: 'empty-target',
  message: 'the target state is empty, and so are the nodes: what they had before is not known',
  hint: 'check that the right path and branch are followed; if it is meant, approve this plan by its fingerprint',
};

/** Whether something was in force that the target state lacks, and the live state does not show to be lost. */
function hides(inForce: State, target: State, live: State): boolean {
  for (const list of inForce.entities.values()) {
    for (const { kind, identity } of list) {
      if (target.byIdentity(kind, identity) === undefined && live.byIdentity(kind, identity) === undefined) return true;
    }
  }
  return false;
}
