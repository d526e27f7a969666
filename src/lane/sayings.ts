import { elsewhere } from './explained.ts';
import { type GivenBy, givenByWords } from './given-by.ts';
import type { LaneStatus } from './lane-status.ts';

/** What a lane says of where it is, while there is no outcome to speak of. */
type Saying = Pick<LaneStatus, 'state' | 'detail' | 'waitingFor' | 'nextTryAt' | 'concerns' | 'unaffected'>;

const nothingConcerned = { concerns: null, unaffected: null };

/** Before the first revision. */
export const nothingOffered: Saying = {
  state: 'pending',
  detail: 'no revision was offered yet',
  waitingFor: 'the first revision',
  nextTryAt: null,
  ...nothingConcerned,
};

/** A revision was taken up, and nothing is sent yet. */
export const beingRead: Saying = {
  state: 'delivering',
  detail: 'the live state is being read',
  waitingFor: "the destination's answer",
  nextTryAt: null,
  ...nothingConcerned,
};

/** Suspended by a person, who may have said why. */
export const atRest = (given: GivenBy): Saying => ({
  state: 'suspended',
  detail: `nothing is delivered and drift is not corrected${suspendedWords(given)}`,
  waitingFor: 'resume',
  nextTryAt: null,
  concerns: 'everything at this destination',
  unaffected: `${elsewhere}; what is live here stays as it is`,
});

function suspendedWords(given: GivenBy): string {
  const words = givenByWords(given);
  return words === '' ? '' : `; suspended${words}`;
}

/** A delivery began: of a revision, to put drift from it right, or to feed nodes that lack it. */
export function beingDelivered(why: 'revision' | 'drift' | 'nodes'): Saying {
  const details = {
    revision: 'being delivered',
    drift: 'putting drift right',
    nodes: 'feeding nodes that lack what was delivered',
  };
  return {
    state: 'delivering',
    detail: details[why],
    waitingFor: 'the end of the delivery',
    nextTryAt: null,
    ...nothingConcerned,
  };
}

/** What is in force is being put back, before the plan for a newer revision can be judged. */
export const beingPutBack: Saying = {
  state: 'delivering',
  detail: 'what is in force has lost parts, and is put right first',
  waitingFor: 'the end of that',
  nextTryAt: null,
  ...nothingConcerned,
};

/** A delivery was confirmed, and is being probed. */
export const beingProbed: Saying = {
  state: 'delivering',
  detail: 'delivered; the probes are being asked',
  waitingFor: 'the answers of the probes',
  nextTryAt: null,
  ...nothingConcerned,
};

/** An older revision is being delivered in the place of one that does not work. */
export const beingTakenBack: Saying = {
  state: 'delivering',
  detail: 'being taken back to the last good revision',
  waitingFor: 'the end of the delivery',
  nextTryAt: null,
  ...nothingConcerned,
};

/** What a lane says before it did anything. `now` is in milliseconds since 1970. */
export function firstStatus(destination: string, now: number): LaneStatus {
  return {
    ...nothingOffered,
    destination,
    since: now,
    generation: 0,
    revision: null,
    attempted: null,
    applied: null,
    appliedAt: null,
    appliedDigest: null,
    failure: null,
    diagnostics: [],
    plan: null,
    approval: null,
    suspension: null,
    quarantine: [],
    drift: [],
    corrected: null,
    nodes: [],
    identified: null,
    counts: { deliveries: 0, failures: 0, writes: 0, driftsCorrected: 0 },
  };
}
