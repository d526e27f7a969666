import { claimOf } from '../config/claims.ts';
import type { DestinationSettings } from '../config/settings.ts';
import { canonicalJson } from '../model/json.ts';
import { sha256 } from '../model/kind-parts.ts';

/**
 * One text for what a destination was given: the content of this digest, and where and in what bounds it was compared. A
 * destination that is configured otherwise gets another one for the same content.
 */
export function contentMark(destination: DestinationSettings, digest: string): string {
  const { exclude, tags, policy } = destination;
  const { prune, protect, driftIgnore } = policy;
  const bounds = [exclude.kinds, exclude.tags, tags, protect, driftIgnore].map((list) => [...list].sort());
  const { places } = claimOf(destination);
  return `sha256:${sha256(canonicalJson([digest, [...places].sort(), bounds, exclude.prune, prune]))}`;
}
