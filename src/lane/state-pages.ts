import type { Pages } from '../model/page.ts';
import type { LaneState } from './lane-status.ts';

/** What each state of a destination means; docs/states.md has the same sentences. */
export const statePages: Pages<LaneState> = {
  pending: {
    what: 'Nothing is known of the destination yet: no revision was offered to it since the start. Where the newest one is invalid, the last good one is looked for, again after a growing wait and with each poll while that fails; where that might put an older one over what is live, the destination is left as it is. The detail says so.',
    why: 'Nothing is written before the whole target state is known, and that takes a revision.',
    fix: 'It ends with the first valid revision. `konverge status` says what is looked for; when it stays, see whether the repository can be read (`konverge doctor`).',
  },
  waiting: {
    what: 'There is a revision, and something else comes first: a freeze, a window, another destination that has to confirm it and to stay so, or another instance of Konverge that has the right to write. What is in force is kept against drift.',
    why: 'The detail has the reason: `frozen until …` (`freeze`), `outside of its windows` (`windows`), `waiting for NAME`, `held back by NAME` or `it soaks until …` (`after`, `soak`), or another instance that holds the lease.',
    fix: 'It ends by itself. To let a revision out earlier, change the configuration, or deliver it with `konverge apply --to NAME`, which asks for none of this. `sync` and `approve` open no window.',
  },
  delivering: {
    what: 'The destination is being read, compared, or written to.',
    why: 'A delivery is read back before it counts, so that it takes as long as reading everything twice.',
    fix: 'It ends by itself. A destination that hangs ends it as `unreachable`.',
  },
  applied: {
    what: 'The revision was confirmed in place by reading everything back, or, without a database, by the hash that the nodes report.',
    why: 'It is the only state that makes a commit status a success.',
    fix: 'There is nothing to do.',
  },
  'applied-degraded': {
    what: 'Applied, but for objects in quarantine: they are in their last good version or left out, and the status names each.',
    why: '`policy.onInvalid: quarantine` lets the rest go out. It is a failure on the commit, since the commit is not what is live.',
    fix: 'Correct what the status names: the next commit takes it out of quarantine. A refusal of the destination is tried again after an hour, and by `konverge sync`.',
  },
  held: {
    what: 'The plan deletes or leaves behind more than it may, and nothing was written; or it was delivered and the probes say that it does not work. A person decides.',
    why: 'A mistake must not empty a gateway. The plan names the reason, such as `mass-delete`; `konverge explain` has a page for each.',
    fix: 'Look at the plan, then commit what should stay, or `konverge approve NAME FINGERPRINT`.',
  },
  rejected: {
    what: "The destination refused the revision, or it is invalid by the destination's own schemas, or its signature is not accepted any more; the detail has file and line.",
    why: 'A refusal is not tried again before something changes, or the drift interval is over: it would be refused again.',
    fix: 'Correct what the detail names. Where the destination is to blame (a missing permission, another version), correct that and run `konverge sync`.',
  },
  retrying: {
    what: 'The destination answered that it cannot now (429, 5xx), or did not confirm; it is tried again after a growing wait.',
    why: 'The destination is there, so that its answer is believed: it cannot now.',
    fix: "It ends by itself when the destination can; `nextTryAt` says when it is tried next, and `konverge sync` tries at once. `lastError` has the server's words.",
  },
  unreachable: {
    what: 'The destination does not answer, so it is unknown what it has; nothing is assumed and it is tried again after a growing wait.',
    why: 'Without an answer it is not known what was taken in. Everything is read again before anything else is written.',
    fix: 'See that the address, the network and the certificates are right: `konverge doctor` tries them one by one. It is tried again by itself.',
  },
  drifted: {
    what: 'Somebody changed the destination past the repository, and `policy.drift: report`, or `policy.driftReport` for a part of it, leaves it as it is; or another writer does the same over and over, and is left to it.',
    why: 'With `drift: correct` and no other writer at work, differences are put right and this state is not seen.',
    fix: 'Commit what was changed, or undo it, or let it be put right with `policy.drift: correct`; have the other writer stop, or name what it may change in `policy.driftIgnore`.',
  },
  'rolled-back': {
    what: 'The revision was delivered, its probes failed, and the last good revision is back in its place.',
    why: '`policy.onUnhealthy: rollback` was asked for. The revision is not tried again by itself, not after a restart either.',
    fix: 'Push a revision that works; where something else was to blame, `konverge sync` tries this one again.',
  },
  suspended: {
    what: 'A person suspended the destination: nothing is delivered and drift is not corrected until it is resumed.',
    why: '`konverge suspend NAME` was given, maybe before the last restart; the detail says who did and why, where they said so.',
    fix: '`konverge resume NAME` goes on with the newest revision.',
  },
};
