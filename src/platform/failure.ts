/**
 * What a failure asks of the loop that meets it: `rejected`, wait for a change; `transient`, try again after back-off;
 * `unreachable`, there was no answer, so the outcome is unknown and the live state has to be read again.
 */
export type FailureClass = 'rejected' | 'transient' | 'unreachable';

/** The facts of a failed exchange. Neither text holds a secret, and the URL has neither userinfo nor query. */
export interface FailureFacts {
  readonly class: FailureClass;
  /** A kebab-case word that never changes meaning: `timeout`, `connection-refused`, `http-409`, `body-too-large`, … */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly method: string | null;
  readonly url: string | null;
  readonly status: number | null;
  /** How long the server asks to wait, in milliseconds; null where it does not say. */
  readonly retryAfterMs: number | null;
  /** The answer's body, bounded, for the client that knows how to read it; never logged. */
  readonly body: unknown;
}

/** A failure, thrown at the edge and turned into a value by the lane, the watcher or the command that meets it. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly facts: FailureFacts;

  constructor(facts: FailureFacts) {
    super(facts.message);
    this.facts = facts;
  }
}

/** Whether a server has refused who asks, and not what was asked. */
export function deniesAccess({ status }: Pick<FailureFacts, 'status'>): boolean {
  return status === 401 || status === 403 || status === 407;
}

/** The failure inside anything that was thrown; what is none is a fault of ours and comes back as it is. */
export function asFailure(thrown: unknown): Failure | undefined {
  return thrown instanceof Failure ? thrown : undefined;
}

/** A fault of Konverge itself as a failure to try again after: it ends neither the loop that met it nor another one. */
export function ownFault(): FailureFacts {
  return {
    class: 'transient',
    code: 'internal-fault',
    message: 'a fault of Konverge itself, which its log describes',
    hint: 'Report it together with the log line "a fault of Konverge itself".',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  };
}

/** What a log line says of a fault of Konverge itself. */
export function faultText(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
