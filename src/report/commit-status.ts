import type { LaneStatus } from '../lane/lane-status.ts';
import { degradedText } from '../lane/quarantine-text.ts';
import { errorsText, failureText, leadWith, pendingText, shortRevision } from './status-text.ts';

/** One status that a commit should have. */
export interface DesiredStatus {
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure';
  readonly description: string;
  /** Whether it stays true when a newer revision comes; what does not ends as superseded. */
  readonly settled: boolean;
}

/** All statuses that the newest revision should have now. */
export interface Report {
  readonly revision: string;
  readonly statuses: readonly DesiredStatus[];
  /** What the check found, and the context that shows it at its lines; left out where it found nothing. */
  readonly findings?: { readonly context: string; readonly diagnostics: LaneStatus['diagnostics'] };
}

/** What the statuses are made from. */
export interface ReportInput {
  /** What the check of the newest revision found; null before there is one. */
  readonly validation: {
    readonly revision: string;
    readonly valid: boolean;
    readonly diagnostics: LaneStatus['diagnostics'];
    readonly invalidFor: ReadonlySet<string>;
    readonly withheld?: ReadonlyMap<string, { readonly text: string }>;
  } | null;
  readonly lanes: readonly LaneStatus[];
  /** What every context begins with: `konverge`. */
  readonly context: string;
}

type Verdict = Omit<DesiredStatus, 'context'>;

/**
 * The statuses of the newest revision: `…/validate`, one for each destination, and the roll-up. Success is said only of
 * a destination whose lane has confirmed this very revision. Pure; null before a revision was checked.
 */
export function commitStatuses(input: ReportInput): Report | null {
  const { validation, lanes, context } = input;
  if (validation === null) return null;
  const validate = validationVerdict(validation);
  const parts = lanes.map((lane) => ({
    name: lane.destination,
    verdict: validation.invalidFor.has(lane.destination)
      ? failure(invalidText(validation, lane.destination))
      : laneVerdict(lane, validation.revision),
  }));
  const rollUp = rollUpVerdict(validate, parts);
  const { diagnostics } = validation;
  return {
    revision: validation.revision,
    ...(diagnostics.length === 0 ? {} : { findings: { context: `${context}/validate`, diagnostics } }),
    statuses: [
      { context: `${context}/validate`, ...validate },
      ...parts.map(({ name, verdict }) => ({ context: `${context}/${name}`, ...verdict })),
      { context, ...rollUp },
    ],
  };
}

function invalidText({ diagnostics, withheld }: NonNullable<ReportInput['validation']>, destination: string): string {
  const held = withheld?.get(destination);
  return `invalid: ${errorsText(diagnostics)}${held === undefined ? '' : `; ${held.text}`}`;
}

function validationVerdict(validation: NonNullable<ReportInput['validation']>): Verdict {
  const { diagnostics, valid } = validation;
  if (!valid || diagnostics.some(({ severity }) => severity === 'error')) return failure(errorsText(diagnostics));
  const warnings = diagnostics.filter((diagnostic) => diagnostic.severity === 'warning').length;
  return success(warnings === 0 ? 'valid' : `valid, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`);
}

/** What a lane's status says of one revision. */
function laneVerdict(lane: LaneStatus, revision: string): Verdict {
  if (lane.revision !== revision) return pending(pendingText(lane, revision));
  switch (lane.state) {
    case 'applied':
      return lane.applied === revision ? success(lane.detail) : pending(pendingText(lane, revision));
    case 'applied-degraded':
      return failure(`in place but for ${degradedText(lane.quarantine, lane.diagnostics)}`);
    case 'held':
      return { ...failure(leadWith('held', lane.detail)), settled: false };
    case 'rejected':
      return failure(failureText(lane));
    case 'drifted':
    case 'rolled-back':
      return failure(lane.detail);
    case 'pending':
    case 'waiting':
    case 'delivering':
    case 'retrying':
    case 'unreachable':
    case 'suspended':
      // It was confirmed, and looking for drift again does not unsay that.
      return lane.applied === revision ? success(`applied; now ${lane.state}`) : pending(pendingText(lane, revision));
  }
}

function rollUpVerdict(
  validate: Verdict,
  parts: readonly { readonly name: string; readonly verdict: Verdict }[],
): Verdict {
  if (validate.state === 'failure') return validate;
  const failed = parts.filter(({ verdict }) => verdict.state === 'failure');
  const first = failed[0];
  if (first !== undefined) {
    const more = failed.length > 1 ? ` (+${failed.length - 1} more)` : '';
    const settled = failed.every(({ verdict }) => verdict.settled);
    return { ...failure(`${first.name}: ${first.verdict.description}${more}`), settled };
  }
  const open = parts.filter(({ verdict }) => verdict.state === 'pending').map(({ name }) => name);
  const done = `${parts.length - open.length}/${parts.length} destinations`;
  if (open.length > 0) return pending(`in place on ${done}; waiting for ${open.join(', ')}`);
  return success(parts.length === 0 ? validate.description : `in place on ${done}`);
}

/** The description of a status whose revision was replaced before it was applied. */
export function supersededText(by: string): string {
  return `${supersededWords} ${shortRevision(by)}`;
}

/** What the description of a superseded status begins with. */
export const supersededWords = 'superseded by';

function success(description: string): Verdict {
  return { state: 'success', description, settled: true };
}

function failure(description: string): Verdict {
  return { state: 'failure', description, settled: true };
}

function pending(description: string): Verdict {
  return { state: 'pending', description, settled: false };
}
