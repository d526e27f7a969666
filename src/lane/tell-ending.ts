import type { FailureFacts } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { stateWords } from './ending.ts';
import type { LaneStatus } from './lane-status.ts';
import type { PassEnd } from './pass.ts';

/** One log line that explains itself: what happened, what waits, and what would end the wait sooner. */
export function tellEnding(
  world: { readonly log: Log; readonly now: number },
  revision: string,
  status: LaneStatus,
  ended: PassEnd,
): void {
  const { log, now } = world;
  const { destination, state, detail, waitingFor, nextTryAt, failure } = status;
  const fields = {
    destination,
    revision,
    state,
    detail,
    waitingFor,
    nextTryInSeconds: nextTryAt === null ? null : Math.round((nextTryAt - now) / 1000),
    ...failureFields(failure),
  };
  if (ended.end === 'applied') {
    if (ended.delivered === null) log.debug(fields, 'the destination matches');
    else log.info(fields, 'the destination was confirmed');
  } else if (ended.end !== 'superseded')
    log.warn({ ...fields, unaffected: 'every other destination' }, stateWords[state]);
}

function failureFields(failure: FailureFacts | null): { [field: string]: string | number | null } {
  if (failure === null) return {};
  const { code, message, method, url, status } = failure;
  return { code, failure: message, method, url, status };
}
