import { isSignatureFault } from '../model/commit-text.ts';
import { deniesAccess, type FailureFacts } from '../platform/failure.ts';
import type { Log, LogFields } from '../platform/log.ts';
import { doneBy, driftText } from './drift.ts';
import { refusal, stateWords } from './ending.ts';
import type { LaneStatus } from './lane-status.ts';
import type { PassEnd } from './pass.ts';

/** How many of what is in quarantine a log line names. */
const shown = 10;

/** For so long after it was entered a state is news, in milliseconds; a look at drift finds it to be older. */
const newsMs = 1_000;

/** One log line that explains itself: what happened, what waits, and what would end the wait sooner. */
export function tellEnding(
  world: { readonly log: Log; readonly now: number },
  revision: string,
  status: LaneStatus,
  ended: PassEnd,
): void {
  const { log, now } = world;
  const { state } = status;
  const fields = waitFields(status, revision, now);
  if (state === 'applied-degraded') {
    const first = status.quarantine.slice(0, shown).map(({ entity, why, cause, keptLastGood }) => {
      const through = cause === null ? '' : `, through ${cause.kind} ${cause.name}`;
      return `${entity.kind} ${entity.name} ${keptLastGood ? 'in its last good version' : 'left out'}${through}: ${why}`;
    });
    const quarantined = {
      ...fields,
      quarantined: status.quarantine.length,
      first: first.join('; '),
      unaffected: 'all else',
    };
    if (ended.end === 'applied' && ended.delivered === null) log.debug(quarantined, stateWords[state]);
    else log.warn(quarantined, stateWords[state]);
  } else if (ended.end === 'applied' && state === 'rolled-back') {
    // To keep what is back is no news; that a revision did not work is, and nothing that went as it should.
    if (ended.delivered === null) log.debug(fields, stateWords[state]);
    else log.warn(fields, stateWords[state]);
  } else if (ended.end === 'applied' && state !== 'drifted') {
    if (ended.delivered !== null) log.info(fields, 'the destination was confirmed');
    else if (now - status.since < newsMs) log.info(fields, 'the destination matches');
    else log.debug(fields, 'the destination matches');
  } else if (ended.end === 'waiting') log.info(fields, stateWords[state]);
  else if (ended.end !== 'superseded') {
    log.warn(fields, state === 'rejected' ? rejectedWords(status.failure) : stateWords[state]);
  }
}

function rejectedWords(failure: FailureFacts | null): string {
  if (failure !== null && deniesAccess(failure)) return 'the destination does not let Konverge in';
  const isOfSignature = failure !== null && isSignatureFault(failure.code);
  return isOfSignature ? 'the revision is not accepted any more' : stateWords.rejected;
}

/** What a log line says of a wait: what failed, what it concerns and does not, and what would end it when. */
export function waitFields(status: LaneStatus, revision: string | null, now: number): LogFields {
  const { destination, state, detail, concerns, unaffected, waitingFor, nextTryAt, failure, plan } = status;
  const hint = failure?.hint ?? (state === 'held' ? plan?.held?.hint : undefined) ?? '';
  return {
    destination,
    revision,
    state,
    detail,
    concerns,
    unaffected,
    waitingFor,
    nextTryInSeconds: nextTryAt === null ? null : Math.round((nextTryAt - now) / 1000),
    ...failureFields(failure),
    ...(hint === '' ? {} : { hint }),
  };
}

/** A line where the last good revision could not be kept in force beside a refused one. */
export function tellKept(
  log: Log,
  fields: { readonly destination: string; readonly revision: string },
  ended: PassEnd,
): void {
  if (ended.end === 'applied' && ended.reported.length > 0) {
    log.warn({ ...fields, what: driftText(ended.reported.map(doneBy)), policy: 'report' }, 'another writer was here');
  }
  if (['applied', 'superseded', 'refused-in-part', 'not-ours'].includes(ended.end)) return;
  // The status shows the refused revision's plan: this is the one place that names what could be approved.
  const fingerprint = ended.end === 'held' ? ended.plan.fingerprint : undefined;
  log.warn({ ...fields, why: refusal(ended), fingerprint }, 'the last good revision could not be kept in force');
}

function failureFields(failure: FailureFacts | null): { [field: string]: string | number | null } {
  if (failure === null) return {};
  const { code, message, method, url, status } = failure;
  return { code, failure: message, method, url, status };
}
