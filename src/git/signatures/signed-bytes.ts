import { createHash } from 'node:crypto';
import { splitCommit } from './split-commit.ts';

/**
 * SHA-256, as hex, over what the signature of a commit is over; null where the commit cannot be taken apart. Whoever has
 * a signed commit can make others of it that differ by name alone, since the signature is no part of what it is over and
 * can be written in many ways: what was done once for a commit is known again by this.
 */
export function signedBytes(rawCommit: Uint8Array): string | null {
  const split = splitCommit(rawCommit);
  return split.readable ? createHash('sha256').update(split.payload).digest('hex') : null;
}
