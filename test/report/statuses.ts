import type { LaneState, LaneStatus } from '../../src/lane/lane-status.ts';
import { firstStatus } from '../../src/lane/sayings.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { FailureFacts } from '../../src/platform/failure.ts';
import type { ReportInput } from '../../src/report/commit-status.ts';

export const head = 'a'.repeat(40);
export const older = 'b'.repeat(40);

/** A lane that works on the newest revision. */
export function lane(destination: string, state: LaneState, more: Partial<LaneStatus> = {}): LaneStatus {
  return {
    ...firstStatus(destination, 0),
    state,
    generation: 1,
    revision: head,
    attempted: head,
    applied: state === 'applied' ? head : null,
    detail: state === 'applied' ? '3 created; live on 2/2 nodes' : `detail of ${state}`,
    waitingFor: null,
    ...more,
  };
}

/** A finding at a line of a file. */
export function finding(
  file: string,
  line: number,
  message: string,
  severity: Diagnostic['severity'] = 'error',
): Diagnostic {
  return {
    rule: 'some-rule',
    severity,
    message,
    hint: '',
    locations: [{ file, line, column: 1, endLine: line, endColumn: 2, pointer: null }],
    entities: [],
  };
}

/** A failure of a request to an address that must not be shown. */
export function failed(facts: Partial<FailureFacts>): FailureFacts {
  return {
    class: 'unreachable',
    code: 'connection-refused',
    message: 'GET https://kong-admin.internal:8444/: nothing listens',
    hint: '',
    method: 'GET',
    url: 'https://kong-admin.internal:8444/',
    status: null,
    retryAfterMs: null,
    body: null,
    ...facts,
  };
}

/** A newest revision that is valid unless something is found. */
export function input(
  lanes: readonly LaneStatus[],
  diagnostics: readonly Diagnostic[] = [],
  invalidFor: readonly string[] = [],
): ReportInput {
  return {
    validation: {
      revision: head,
      valid: !diagnostics.some((one) => one.severity === 'error'),
      diagnostics,
      invalidFor: new Set(invalidFor),
    },
    lanes,
    context: 'konverge',
  };
}
