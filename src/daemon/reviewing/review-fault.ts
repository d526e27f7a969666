import { Failure } from '../../platform/failure.ts';

/** A fault of Konverge itself while something was reviewed: it is told there, and the next one is reviewed. */
export function reviewFault(): Failure {
  return new Failure({
    class: 'rejected',
    code: 'review-fault',
    message: 'a fault of Konverge itself, or not enough memory, ended the review',
    hint: 'The log of Konverge says more. It is reviewed again when it, the branch or what is live changes.',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}
