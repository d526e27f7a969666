import type { CommitText } from '../model/commit-text.ts';
import { trailersOf } from '../model/trailers.ts';

/** What a commit's message says about holds at one destination, by the trailer `Konverge-Approve`. */
export type TrailerApproval =
  /** Who signed it. */
  | { readonly counts: true; readonly who: string }
  /** Why it does not count, as the end of a sentence. */
  | { readonly counts: false; readonly why: string };

/** What the trailers of a commit say about one destination, by its name; null where none names it. */
export function trailerApproval({ message, signature }: CommitText, destination: string): TrailerApproval | null {
  if (!approvedBy(message).has(destination)) return null;
  // Anybody can write anything into a message.
  if (signature === null) return { counts: false, why: 'signatures are not verified (repository.verify)' };
  return signature.accepted ? { counts: true, who: signature.by } : { counts: false, why: signature.message };
}

/** The destinations that a message's trailers `Konverge-Approve` name; one line may name several. */
export function approvedBy(message: string): ReadonlySet<string> {
  const values = trailersOf(message).filter(({ key }) => key.toLowerCase() === 'konverge-approve');
  return new Set(values.flatMap(({ value }) => value.split(/[\s,]+/)).filter((name) => name !== ''));
}
