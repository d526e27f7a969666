import { longestWaitMs } from '../../src/lane/backoff.ts';
import type { LaneStatus } from '../../src/lane/lane-status.ts';
import { beingPutBack, beingTakenBack } from '../../src/lane/sayings.ts';
import { contentFrom, heldBetween, unhealthyValue } from './content.ts';
import type { SimEvent } from './events.ts';
import { pastOf } from './past.ts';
import type { LaneShape } from './sim-lane.ts';

/** Looks through all that happened to one lane for what must never be; gives a sentence for each. */
export type Checker = (
  events: readonly SimEvent[],
  shape: Pick<LaneShape, 'drift' | 'after' | 'onUnhealthy'>,
  /** What happened to all lanes. */
  history: readonly SimEvent[],
) => readonly string[];

/** Whether a lane is putting an older revision in the place of one that does not work. */
function takesBack({ detail, state }: LaneStatus): boolean {
  return state === 'rolled-back' || detail.startsWith('being taken back');
}

/** Whether a lane waits for its probes, which are asked on where they failed. */
function isProbed({ detail, plan }: LaneStatus): boolean {
  return detail.startsWith('delivered; the probes') || plan?.held?.code === 'unhealthy';
}

/** A lane asks one thing at a time: only the writes of one delivery may be under way together. */
export const oneAtATime: Checker = (events) => {
  const open = new Map<number, string>();
  const found: string[] = [];
  for (const event of events) {
    if (event.type === 'started') open.clear();
    if (event.type === 'answered') open.delete(event.call);
    if (event.type !== 'called') continue;
    const others = [...open.values()].filter((method) => method !== 'write' || event.method !== 'write');
    if (others.length > 0) found.push(`${event.method} #${event.call} began while ${others.join(', ')} was under way`);
    open.set(event.call, event.method);
  }
  return found;
};

/** No delivery begins but after a complete read in the same pass, all of whose steps succeeded (invariants 2 and 9). */
export const readBeforeWritten: Checker = (events) => {
  let steps: string[] = [];
  const found: string[] = [];
  for (const event of events) {
    if (event.type === 'started' || (event.type === 'called' && event.method === 'identify')) steps = [];
    if (event.type === 'answered') steps.push(`${event.method} ${event.answer}`);
    if (event.type !== 'applying') continue;
    if (!/^identify ok,read ok(?:,schemas ok)+,preflight ok$/.test(steps.join())) {
      found.push(`generation ${event.generation} was delivered after only: ${steps.join(', ')}`);
    }
  }
  return found;
};

/** What is in place already is not delivered: a restart on a destination that matches writes nothing (invariant 2). */
export const nothingInVain: Checker = (events) => {
  let read: string | null = null;
  const found: string[] = [];
  for (const event of events) {
    if (event.type === 'answered' && event.method === 'read') read = event.content;
    if (event.type === 'applying' && event.content === read) {
      found.push(`generation ${event.generation} was delivered though it was read to be in place`);
    }
  }
  return found;
};

/** A lane says that a revision is applied only when it read just that, and wrote nothing since (invariant 8). */
export const verdictTrue: Checker = (events) => {
  const past = pastOf(events);
  const found: string[] = [];
  let read: string | null = null;
  let [applied, since, appliedAt]: [string | null, string, number | null] = [null, '', null];
  for (const event of events) {
    if (event.type === 'started') [applied, since, appliedAt, read] = [null, '', null, null];
    if (event.type === 'status' && event.status.state === 'applied-degraded' && since !== 'applied-degraded') {
      const { revision, quarantine } = event.status;
      if (quarantine.length === 0) found.push(`${revision} is degraded, and nothing is in quarantine`);
      if (read === null || read !== past.goodOf(revision)) {
        found.push(`${revision} was called degraded when ${read ?? 'nothing'} was read, not ${past.goodOf(revision)}`);
      }
    }
    if (event.type === 'landed') read = null;
    if (event.type === 'answered' && event.method === 'read') read = event.content;
    if (event.type !== 'status') continue;
    const { status } = event;
    const claims =
      (status.state === 'applied' && since !== 'applied') ||
      status.applied !== applied ||
      status.appliedAt !== appliedAt;
    [applied, since, appliedAt] = [status.applied, status.state, status.appliedAt];
    if (!claims) continue;
    // After a restart an older revision can be found to be in force while the newest is refused.
    const isRefused = ['rejected', 'waiting', 'held'].includes(status.state);
    if (isRefused && read !== null && read === past.contentOf(status.applied)) continue;
    if (status.state === 'rolled-back' && read !== null && past.isOf(status.applied, read)) continue;
    if (status.state !== 'applied') found.push(`${status.applied} was called applied in state ${status.state}`);
    if (status.applied !== status.revision)
      found.push(`applied is ${status.applied}, and ${status.revision} is worked on`);
    if (read === null || read !== past.contentOf(status.revision)) {
      found.push(`${status.revision} was called applied when ${read ?? 'nothing'} was read`);
    }
  }
  return found;
};

/** A failure is said only where there was one: what was stopped, or is no longer ours to write, has not failed. */
export const failureTrue: Checker = (events) => {
  const found: string[] = [];
  let [excuse, until]: [boolean, number | null] = [false, null];
  for (const event of events) {
    if (event.type === 'started') [excuse, until] = [false, null];
    if (event.type === 'called' && event.method === 'identify') excuse = false;
    // Another writer came between, or an answer was none.
    if (event.type === 'drifted') excuse = true;
    if (event.type === 'answered' && event.answer !== 'ok') excuse = true;
    if (event.type !== 'status' || event.status.nextTryAt === until) continue;
    const { state, nextTryAt, failure } = event.status;
    until = nextTryAt;
    if (until === null || (state !== 'retrying' && state !== 'unreachable') || failure?.code === 'internal-fault')
      continue;
    if (!excuse) found.push(`${state} is said, and nothing failed`);
  }
  return found;
};

/** The generation that a lane works on never goes back, and one that does not grow is refused (invariant 6). */
export const generationGrows: Checker = (events) => {
  const found: string[] = [];
  let [status, offered] = [0, 0];
  for (const event of events) {
    if (event.type === 'started') [status, offered] = [0, 0];
    if (event.type === 'status') {
      if (event.status.generation < status)
        found.push(`generation ${status} was followed by ${event.status.generation}`);
      status = event.status.generation;
    }
    if (event.type !== 'offered') continue;
    if (event.accepted !== event.generation > offered) {
      found.push(`generation ${event.generation} was ${event.accepted ? 'taken' : 'refused'} after ${offered}`);
    }
    offered = Math.max(offered, event.generation);
  }
  return found;
};

/**
 * No write of an older generation begins once a newer one was offered, but to keep the last good revision in force
 * while the newer one is refused, which is said all the while (invariants 4 and 6).
 */
export const latestWins: Checker = (events) => {
  const past = pastOf(events);
  const found: string[] = [];
  let newest = 0;
  let state = '';
  let working = 0;
  let [inForce, applied]: (string | null)[] = [null, null];
  let [goesBack, putsBack] = [false, false];
  for (const event of events) {
    if (event.type === 'started') {
      [newest, state, working, inForce, applied] = [0, '', 0, null, null];
      goesBack = false;
    }
    if (event.type === 'offered') {
      newest = Math.max(newest, event.generation);
      goesBack = false;
    }
    if (event.type === 'status') {
      [state, working] = [event.status.state, event.status.generation];
      putsBack = event.status.detail === beingPutBack.detail;
      // The probes failed, and what was good before is taken up: it is said when the first write begins.
      goesBack = isProbed(event.status) || takesBack(event.status) || (goesBack && state !== 'applied');
      if (state === 'applied-degraded') inForce = event.status.revision;
      else if (event.status.applied !== applied) inForce = event.status.applied;
      applied = event.status.applied;
    }
    if (event.type !== 'called' || event.generation === null || event.generation === newest) continue;
    // After a restart the newest good one is looked for in the past.
    const isLastGood = inForce === null || past.revisionOf(event.generation) === inForce;
    const keeps = (['rejected', 'waiting', 'held'].includes(state) || putsBack) && working === newest && isLastGood;
    if (goesBack) continue;
    if (!keeps) found.push(`${event.method} for ${event.generation} began when ${newest} was there, in state ${state}`);
  }
  return found;
};

/** A refused revision and the last good one do not take turns. */
export const noTakingTurns: Checker = (events) => {
  const found: string[] = [];
  let landed: number[] = [];
  for (const event of events) {
    const back = event.type === 'status' && takesBack(event.status);
    if (event.type === 'started' || event.type === 'drifted' || back) landed = [];
    if (event.type !== 'landed' || landed.at(-1) === event.generation) continue;
    landed.push(event.generation);
    const [before, between] = [landed.at(-3), landed.at(-2)];
    if (before === event.generation) found.push(`${before} was replaced by ${between} and that by ${before} again`);
  }
  return found;
};

/** Nothing is written while suspended, without the lease, or after the stop. */
export const onlyWhenAllowed: Checker = (events) => {
  const found: string[] = [];
  let [suspended, lease, stopping] = [false, true, false];
  for (const event of events) {
    if (event.type === 'started') [suspended, stopping] = [false, false];
    if (event.type === 'stopping') stopping = true;
    if (event.type === 'lease') lease = event.held;
    if (event.type === 'steered' && event.verb !== 'sync') suspended = event.verb === 'suspend';
    if (event.type !== 'called') continue;
    if (stopping) found.push(`${event.method} began after the stop`);
    if (event.method !== 'write' && event.method !== 'push') continue;
    if (suspended) found.push(`${event.method} began while suspended`);
    if (!lease) found.push(`${event.method} began without the lease`);
  }
  return found;
};

/** A plan that is held goes out only by an approval of just that plan, and by each only once. */
export const heldUntilApproved: Checker = (events) => {
  const past = pastOf(events);
  const found: string[] = [];
  let approved: string | null = null;
  let newest = 0;
  let isBack = false;
  for (const event of events) {
    if (event.type === 'started') [approved, newest] = [null, 0];
    if (event.type === 'offered' && event.accepted) newest = event.generation;
    if (event.type === 'approved') approved = event.fingerprint;
    if (event.type === 'status') isBack = event.status.detail === beingTakenBack.detail;
    if (event.type !== 'applying') continue;
    // What a revision brought goes with it when it is taken back.
    const undoes = isBack && onlyDeletes(event.fingerprint, past.contentOf(past.revisionOf(newest)) ?? '');
    if (event.held && event.fingerprint !== approved && !undoes)
      found.push(`${event.fingerprint} went out without an approval`);
    // What is in force is put right beside a plan that waits, and leaves it its approval.
    if (event.fingerprint === approved || event.generation === newest) approved = null;
  }
  return found;
};

/** Whether all that a plan deletes is of a content: `a:1,b:2:delete` of `b=2 c=3`. */
function onlyDeletes(fingerprint: string, content: string): boolean {
  const names = content.split(' ').map((part) => part.replace(/=.*/, ''));
  return [...fingerprint.matchAll(/(\w+):[^,]*:delete/g)].every(([, name = '']) => names.includes(name));
}

/** What a lane was seen to have put in force, and what went out since. */
function inForceOf(event: SimEvent, before: InForceSeen): InForceSeen {
  if (event.type === 'started') return nothingSeen;
  if (event.type === 'answered' && event.method === 'read') return { ...before, read: event.content };
  if (event.type === 'applying') return { ...before, begun: [...before.begun, event.generation] };
  if (event.type !== 'status') return before;
  const { state, appliedAt } = event.status;
  const confirms =
    state !== before.state && (state === 'applied' || state === 'applied-degraded' || state === 'rolled-back');
  if (!confirms && appliedAt === before.appliedAt) return { ...before, state };
  return { ...before, content: before.read, begun: [], state, appliedAt };
}

interface InForceSeen {
  readonly content: string | null;
  readonly read: string | null;
  readonly state: string;
  readonly appliedAt: number | null;
  /** The generations of which a delivery began since. */
  readonly begun: readonly number[];
}

const nothingSeen: InForceSeen = { content: null, read: null, state: '', appliedAt: null, begun: [] };

/**
 * What a plan would have to be held for, had nothing been lost of what is in force, goes out only by an approval: a loss
 * lets nothing through (invariant 9).
 */
export const lossLetsNothingThrough: Checker = (events, { drift }) => {
  if (drift !== 'correct') return [];
  const found: string[] = [];
  let seen = nothingSeen;
  let [approved, back]: [string | null, boolean] = [null, false];
  for (const event of events) {
    if (event.type === 'started') approved = null;
    if (event.type === 'approved') approved = event.fingerprint;
    if (event.type === 'status') back = takesBack(event.status) || isProbed(event.status);
    if (event.type === 'applying' && seen.content !== null && !back && !seen.begun.includes(event.generation)) {
      const isHeld = heldBetween(contentFrom(seen.content), contentFrom(event.content));
      if (isHeld && event.fingerprint !== approved)
        found.push(`${event.revision} went out round a hold: ${seen.content} became ${event.content}`);
    }
    seen = inForceOf(event, seen);
  }
  return found;
};

/** What is in force is put right while a plan is held: the plan is made from what it would replace (invariant 4). */
export const keptWhileHeld: Checker = (events, { drift }) => {
  if (drift !== 'correct') return [];
  const past = pastOf(events);
  const found: string[] = [];
  let seen = nothingSeen;
  let [held, until, excuse, drifts, lease]: [string | null, number | null, boolean, number, boolean] = [
    null,
    null,
    false,
    0,
    true,
  ];
  for (const event of events) {
    seen = inForceOf(event, seen);
    if (event.type === 'started') [held, until, excuse, drifts] = [null, null, true, 0];
    if (event.type === 'lease') lease = event.held;
    if (event.type === 'drifted') drifts += 1;
    if (event.type === 'drifted' || event.type === 'lease' || event.type === 'steered') excuse = true;
    if (event.type === 'answered' && event.answer !== 'ok') excuse = true;
    if (event.type !== 'status' || event.status.nextTryAt === until) continue;
    const { state, nextTryAt, plan, revision, detail } = event.status;
    until = nextTryAt;
    if (until === null) {
      excuse = !lease;
      continue;
    }
    const isHeld = state === 'held' && plan?.held?.code !== 'unhealthy';
    const wasHeld = isHeld && held === revision;
    held = isHeld ? revision : null;
    // What another writer does over and over is left to it, and what was begun is not undone.
    if (
      !wasHeld ||
      excuse ||
      drifts >= 3 ||
      seen.content === null ||
      seen.read === null ||
      seen.begun.some((one) => past.contentOf(past.revisionOf(one)) !== seen.content)
    )
      continue;
    if (seen.read === seen.content || heldBetween(contentFrom(seen.read), contentFrom(seen.content))) continue;
    found.push(`${revision} is held (${detail}), and ${seen.content} is not kept: ${seen.read} is live`);
  }
  return found;
};

interface Confirmed {
  readonly revision: string | null;
  readonly content: string | null;
  readonly at: number | null;
}

const neverConfirmed: Confirmed = { revision: null, content: null, at: null };

/**
 * What was lost or changed by hand of a content that was confirmed is put right, also after a restart, where all that is
 * held is what its plan would delete (invariant 4).
 */
export const putRightBesideHolds: Checker = (events, { drift }) => {
  if (drift !== 'correct') return [];
  const found: string[] = [];
  let known = neverConfirmed;
  let [read, until, excuse, drifts]: [string | null, number | null, boolean, number] = [null, null, false, 0];
  for (const event of events) {
    if (event.type === 'started') [read, until, excuse, drifts] = [null, null, false, 0];
    if (event.type === 'drifted') drifts += 1;
    if (event.type === 'called' && event.method === 'identify') excuse = false;
    if (['drifted', 'lease', 'steered', 'gate'].includes(event.type)) excuse = true;
    if (event.type === 'answered' && event.answer !== 'ok') excuse = true;
    if (event.type === 'answered' && event.method === 'read') read = event.content;
    if (event.type === 'applying' && event.content !== known.content) known = neverConfirmed;
    if (event.type !== 'status') continue;
    const { state, applied, appliedAt, appliedDigest, nextTryAt, plan, revision } = event.status;
    if (state === 'applied' && appliedAt !== null && appliedDigest !== null && appliedAt !== known.at) {
      known = { revision: applied, content: appliedDigest, at: appliedAt };
    }
    if (nextTryAt === until) continue;
    until = nextTryAt;
    const isHeld = until !== null && state === 'held' && plan?.held?.code === 'mass-delete';
    // What another writer does over and over is left to it.
    if (!isHeld || excuse || drifts >= 3 || read === null || known.content === null || known.revision !== revision)
      continue;
    const live = contentFrom(read);
    const missing = [...contentFrom(known.content)].filter(([name, value]) => live.get(name) !== value);
    if (missing.length > 0) found.push(`${revision} lacks ${missing.join(' ')} beside what is held: ${read} is live`);
  }
  return found;
};

/** Drift that is only to be reported, or not even that, is left as it is. */
export const driftPolicyKept: Checker = (events, { drift }) => {
  if (drift === 'correct') return [];
  const past = pastOf(events);
  const found: string[] = [];
  let applied: string | null = null;
  let back = false;
  for (const event of events) {
    if (event.type === 'started') [applied, back] = [null, false];
    if (event.type === 'status') [applied, back] = [event.status.applied, takesBack(event.status)];
    if (event.type === 'applying' && !back && past.revisionOf(event.generation) === applied) {
      found.push(`drift from ${applied} was put right against the policy`);
    }
  }
  return found;
};

/** A wait is as long as was said, within bounds, and cut short only by what may cut it; so no loop is ever busy. */
export const waitsWithinBounds: Checker = (events, { after }) => {
  const found: string[] = [];
  let until: number | null = null;
  let [generation, nudged, keeping, waited, put] = [0, false, 0, false, false];
  for (const event of events) {
    if (event.type === 'started') [until, generation, nudged, keeping, waited] = [null, 0, false, 0, false];
    if (event.type === 'steered' || event.type === 'approved' || event.type === 'gate') nudged = true;
    // What is held is planned anew once what it would replace was put right.
    if (event.type === 'applying') put = true;
    // What another lane says may open the way at any time.
    if (after !== undefined && event.type === 'status' && event.status.state === 'delivering') nudged = true;
    if (event.type === 'called' && event.method === 'identify' && until !== null) {
      // Right after a refused revision the last good one is looked at, once where it is known.
      if (keeping === 0) found.push(`a pass began, and the next one was said to begin at ${until}`);
      keeping -= 1;
    }
    if (event.type !== 'status' || event.status.nextTryAt === until) continue;
    const { state, nextTryAt } = event.status;
    if (until !== null && event.at < until) {
      const cutShort = waited || put || nudged || event.status.generation > generation;
      if (!cutShort) found.push(`a wait until ${until} was cut short for nothing`);
    }
    if (until !== null) nudged = false;
    generation = event.status.generation;
    until = nextTryAt;
    const keeps = ['rejected', 'waiting', 'held'].includes(state);
    // What it waited for may have come while the last good revision was looked at.
    waited = state === 'waiting';
    put = false;
    keeping = !keeps ? 0 : event.status.applied === null ? 6 : 1;
    const wait = nextTryAt === null ? null : nextTryAt - event.at;
    const backsOff = wait !== null && (state === 'retrying' || state === 'unreachable');
    if (backsOff && (wait < 500 || wait > longestWaitMs)) found.push(`a wait of ${wait} ms in state ${state}`);
  }
  return found;
};

/** Whenever nothing goes on, the lane says so truly, waits for one thing only, and has not left a newer revision lying. */
export const restsRightly: Checker = (events, { after }) => {
  const found: string[] = [];
  let closed = false;
  let [newest, generation, state, suspended, ended] = [0, 0, 'pending', false, false];
  let [probed, detail] = [false, ''];
  for (const event of events) {
    if (event.type === 'started') [newest, generation, state, suspended, ended] = [0, 0, 'pending', false, false];
    if (event.type === 'ended') ended = true;
    if (event.type === 'offered' && event.accepted) newest = event.generation;
    if (event.type === 'status') {
      [generation, state, detail] = [event.status.generation, event.status.state, event.status.detail];
      probed = isProbed(event.status);
    }
    if (event.type === 'steered' && event.verb !== 'sync') suspended = event.verb === 'suspend';
    if (event.type === 'gate') closed = !event.open;
    if (event.type !== 'quiet' || ended) continue;
    if (event.timers > (event.calls > 0 ? 0 : 1)) {
      found.push(`${event.timers} timers wait beside ${event.calls} calls`);
    }
    if (event.listeners > Math.max(1, event.calls)) {
      found.push(`${event.listeners} listeners wait beside ${event.calls} calls`);
    }
    // Between two questions a second passes, which nothing cuts short.
    if (event.calls > 0 || (probed && event.timers === 1)) continue;
    if (state === 'delivering') found.push('delivering is said, and nothing is under way');
    if ((state === 'suspended') !== suspended)
      found.push(`${state} is said, and it is ${suspended ? '' : 'not '}suspended`);
    if (!suspended && generation < newest) found.push(`generation ${newest} waits, and nothing is under way`);
    const waits = state === 'waiting' && detail === 'closed' && after === undefined;
    if (waits && !closed && !suspended) found.push(`generation ${generation} waits at a gate that is open`);
  }
  return found;
};

/** A lane ends when it is told to, and by nothing else. */
export const endsOnlyWhenTold: Checker = (events) => {
  const found: string[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type !== 'ended') continue;
    if (event.fault !== null) found.push(`the lane ended by a fault: ${event.fault}`);
    if (!events.slice(0, index).some(({ type }) => type === 'stopping'))
      found.push('the lane ended without being told');
  }
  return found;
};

/** What a gate holds back is not delivered, but for what is in force already, or is taken back to. */
export const gateKept: Checker = (events) => {
  const past = pastOf(events);
  const found: string[] = [];
  let closedUntil: number | null = null;
  let [inForce, confirmed]: (string | null)[] = [null, null];
  for (const event of events) {
    if (event.type === 'started') [inForce, confirmed] = [null, null];
    if (event.type === 'gate') closedUntil = event.open ? null : (event.until ?? Number.POSITIVE_INFINITY);
    if (event.type === 'status') {
      const { state, revision, applied } = event.status;
      if (state === 'applied' || state === 'applied-degraded') inForce = revision;
      else if (applied !== confirmed) inForce = applied;
      confirmed = applied;
    }
    if (event.type !== 'applying' || closedUntil === null || event.at >= closedUntil) continue;
    if (past.revisionOf(event.generation) === inForce) continue;
    found.push(`generation ${event.generation} was delivered while the gate was closed`);
  }
  return found;
};

/** A revision is delivered only after the lane before has confirmed it, and has stayed so for as long as was asked. */
export const orderKept: Checker = (events, { after }, history) => {
  if (after === undefined) return [];
  const [own] = events;
  const past = pastOf(events);
  const found: string[] = [];
  let before: LaneStatus | null = null;
  let [inForce, confirmed]: (string | null)[] = [null, null];
  for (const event of history) {
    if (event.lane === after.lane) {
      if (event.type === 'started') before = null;
      if (event.type === 'status') before = event.status;
    }
    if (event.lane !== own?.lane) continue;
    if (event.type === 'started') [inForce, confirmed] = [null, null];
    if (event.type === 'status') {
      const { state, revision, applied } = event.status;
      if (state === 'applied' || state === 'applied-degraded') inForce = revision;
      else if (applied !== confirmed) inForce = applied;
      confirmed = applied;
    }
    if (event.type !== 'applying') continue;
    const revision = past.revisionOf(event.generation);
    if (revision === inForce) continue;
    const isClear =
      before?.state === 'applied' && before.applied === revision && event.at >= before.since + after.soakMs;
    if (!isClear) found.push(`${revision} was delivered when ${after.lane} said ${before?.state} ${before?.applied}`);
  }
  return found;
};

/** What was delivered and does not work is not called applied, unless a person says that it is good. */
export const healthTrue: Checker = (events, { onUnhealthy }) => {
  if (onUnhealthy === undefined) return [];
  const past = pastOf(events);
  const found: string[] = [];
  const landed = new Set<string | null>();
  let approved = false;
  let applied: string | null = null;
  for (const event of events) {
    if (event.type === 'started') {
      // What is live stays so over a restart, and is known to work no better.
      [approved, applied] = [false, null];
    }
    if (event.type === 'approved') approved = true;
    // Another writer may have put it right.
    if (event.type === 'drifted') landed.clear();
    if (event.type === 'landed' && past.revisionOf(event.generation) !== applied) {
      landed.add(past.revisionOf(event.generation));
    }
    if (event.type === 'status') applied = event.status.applied;
    if (event.type === 'status' && onUnhealthy === 'rollback' && event.status.plan?.held?.code === 'unhealthy') {
      const { applied: before, revision } = event.status;
      if (before !== null && before !== revision)
        found.push(`${revision} does not work and stays, though ${before} was good`);
    }
    if (event.type !== 'status' || event.status.state !== 'applied' || approved) continue;
    const { revision } = event.status;
    const works = !(past.contentOf(revision) ?? '').includes(`=${unhealthyValue}`);
    if (!works && landed.has(revision)) found.push(`${revision} was called applied, and does not work`);
  }
  return found;
};

/** A revision that was taken back is not delivered again, but for a newer offer or a person who asks for it. */
export const staysBack: Checker = (events) => {
  const past = pastOf(events);
  const found: string[] = [];
  let back: string | null = null;
  for (const event of events) {
    if (event.type === 'status' && event.status.state === 'rolled-back') back = event.status.revision;
    if (event.type === 'started' || event.type === 'steered' || (event.type === 'offered' && event.accepted))
      back = null;
    if (event.type !== 'applying' || back === null || past.revisionOf(event.generation) !== back) continue;
    found.push(`${back} was delivered again after it was taken back`);
  }
  return found;
};

/** Every checker by its name. */
export const checkers: { readonly [name: string]: Checker } = {
  oneAtATime,
  readBeforeWritten,
  nothingInVain,
  verdictTrue,
  failureTrue,
  generationGrows,
  latestWins,
  noTakingTurns,
  onlyWhenAllowed,
  heldUntilApproved,
  lossLetsNothingThrough,
  keptWhileHeld,
  putRightBesideHolds,
  driftPolicyKept,
  waitsWithinBounds,
  restsRightly,
  endsOnlyWhenTold,
  gateKept,
  orderKept,
  healthTrue,
  staysBack,
};
