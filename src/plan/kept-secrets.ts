import { type Entity, type Reference, referenceOf } from '../model/entity.ts';
import { hashedSecrets } from '../model/hashed-secret.ts';
import { jsonEqual } from '../model/json.ts';

/**
 * Fields of an update that hold the hash which the destination has already. Sent like any other value, it would be
 * hashed again: a new secret, which nobody knows. `written` is what the update is to make of the live entity.
 */
export function keptSecrets(
  live: Entity,
  written: Entity,
  idOf: (reference: Reference) => string | null,
): readonly string[] {
  const secret = hashedSecrets[written.kind];
  if (secret === undefined) return [];
  const { field, hash, owner, when } = secret;
  const value = written.fields[field];
  if (typeof value !== 'string' || !hash.test(value) || value !== live.fields[field]) return [];
  if (when !== null && !jsonEqual(written.fields[when] ?? live.fields[when], live.fields[when])) return [];
  const to = owner === null ? undefined : referenceOf(written, owner);
  const isElsewhere = owner !== null && (to === undefined ? null : idOf(to)) !== (referenceOf(live, owner)?.id ?? null);
  if (isElsewhere) return [];
  // What is computed from each other goes together, or not at all.
  return [field, ...[owner, when].filter((one) => one !== null)];
}
