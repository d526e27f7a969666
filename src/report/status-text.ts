import type { LaneStatus } from '../lane/lane-status.ts';
import type { FailureFacts } from '../platform/failure.ts';

/** A revision as people write it. */
export function shortRevision(revision: string): string {
  return revision.slice(0, 7);
}

/** The first error with its place, and how many more there are: `a.yaml:14 key used by two consumers (+2 more)`. */
export function errorsText(diagnostics: LaneStatus['diagnostics']): string {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  const first = errors[0];
  if (first === undefined) return 'invalid';
  const place = first.locations[0];
  const where = place === undefined ? '' : `${place.file}:${place.line} `;
  return `${where}${first.message}${errors.length > 1 ? ` (+${errors.length - 1} more)` : ''}`;
}

/** Why a destination refused, without addresses: a commit status may be read by more people than the configuration. */
export function failureText(lane: LaneStatus): string {
  if (lane.diagnostics.some((diagnostic) => diagnostic.severity === 'error')) return errorsText(lane.diagnostics);
  return lane.failure === null ? leadWith('refused', lane.detail) : `refused: ${failureWords(lane.failure)}`;
}

/** What a lane waits for, in words that stay the same while it waits, so that they are not posted over and over. */
export function pendingText(lane: LaneStatus, revision: string): string {
  const why = lane.failure === null ? '' : `: ${failureWords(lane.failure)}`;
  switch (lane.state) {
    case 'unreachable':
      return `unreachable${why}; will be tried again`;
    case 'retrying':
      return why === '' ? leadWith('retrying', lane.detail) : `retrying${why}`;
    case 'suspended':
      return 'suspended: nothing is delivered until it is resumed';
    case 'delivering':
      if (lane.revision === revision || lane.revision === null) return 'being delivered';
      return `waits for the delivery of ${shortRevision(lane.revision)} to end`;
    case 'waiting':
      // What another destination waits for has the address that it was asked at.
      return leadWith('waiting', withoutAddresses(lane.detail));
    case 'pending':
    case 'applied':
    case 'applied-degraded':
    case 'held':
    case 'rejected':
    case 'drifted':
    case 'rolled-back':
      return 'waits to be delivered';
  }
}

/** A text that leads with a word, unless it does already. */
export function leadWith(word: string, detail: string): string {
  return detail.startsWith(word) ? detail : `${word}: ${detail}`;
}

function withoutAddresses(text: string): string {
  return text.replace(/ https?:\/\/[^\s"]*[^\s":,;]/g, '');
}

function failureWords(failure: FailureFacts): string {
  return failure.status === null ? failure.code.replaceAll('-', ' ') : `answered ${failure.status}`;
}
