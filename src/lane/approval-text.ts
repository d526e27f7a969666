import type { Approval } from './approvals.ts';
import { givenByWords } from './given-by.ts';

/** Who approved what waits, and why, in words: `approved by ann: incident 42`. */
export function approvalText({ by, ...given }: Pick<Approval, 'by' | 'who' | 'reason'>): string {
  if (by === 'person') return `approved${given.who === null ? ' by a person' : ''}${givenByWords(given)}`;
  const signer = given.who === null ? '' : `, signed by ${given.who}`;
  return `approved by the trailer Konverge-Approve of the commit${signer}`;
}
