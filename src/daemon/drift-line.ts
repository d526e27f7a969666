import { driftText } from '../lane/drift.ts';
import type { DriftSeen } from '../lane/lane-status.ts';

const outcomes = {
  corrected: 'put right',
  reported: 'left as it is',
  flapping: 'left to the other writer, who does it over and over',
} as const;

/** One change by another writer and what became of it: `service "a" was made: put right`. Holds no secret. */
export function driftLine(seen: DriftSeen): string {
  return `${driftText([seen])}: ${outcomes[seen.outcome]}`;
}
