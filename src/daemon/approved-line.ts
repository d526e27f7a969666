import { approvalText } from '../lane/approval-text.ts';
import type { LaneStatus } from '../lane/lane-status.ts';

/** That the plan that waits is approved, by whom and why; null where none is, or another one. */
export function approvedLine({ approval, plan }: Pick<LaneStatus, 'approval' | 'plan'>): string | null {
  return approval !== null && approval.fingerprint === plan?.fingerprint ? approvalText(approval) : null;
}
