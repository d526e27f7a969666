import { Failure } from '../platform/failure.ts';

/** A failure of pull requests that is not about one answer. */
export function pullRequestFailure(
  failureClass: 'rejected' | 'transient',
  code: string,
  texts: { readonly message: string; readonly hint: string; readonly retryAfterMs?: number },
): Failure {
  return new Failure({
    class: failureClass,
    code,
    message: texts.message,
    hint: texts.hint,
    method: null,
    url: null,
    status: null,
    retryAfterMs: texts.retryAfterMs ?? null,
    body: null,
  });
}
