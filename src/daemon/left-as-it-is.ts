import { leftAsItIs } from '../lane/offer.ts';
import { Failure } from '../platform/failure.ts';
import type { OutsideFault } from './outside-fault.ts';

/** That nothing older may be put in the place of what is in force, and why: the destination is left as it is. */
export function left(why: string, until: string): Failure {
  return new Failure({
    class: 'rejected',
    code: leftAsItIs,
    message: `${why}; left as it is, and nothing older is put in its place`,
    hint: until,
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}

/** A revision is invalid for what is not in it: it may be what is in force. */
export function leftForOutside(revision: string, { words }: OutsideFault): Failure {
  const why = `${revision.slice(0, 7)} may be what is in force, and is invalid for what is not in its files: ${words}`;
  return left(why, 'a restart with that put right, or a valid revision');
}

/** The revision that was applied last is not valid any more. */
export function leftForInvalid(revision: string): Failure {
  const why = `${revision.slice(0, 7)} was applied last, and is not valid any more`;
  return left(why, 'a valid revision, or a restart with the settings that it was applied with');
}

/** The revision that was applied last is none of the branch's past. */
export function leftForUnknown(revision: string, searched: number): Failure {
  const why = `${revision.slice(0, 7)} was applied last, and is none of the last ${searched} commits of the branch`;
  return left(why, 'a valid revision');
}
