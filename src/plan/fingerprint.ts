import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '../model/json.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';

/**
 * SHA-256 over a plan, as `sha256:` and hex: the destination, the digest of the target state, and the ordered changes
 * with the live values they start from. Secret values are in it only as parts of the whole, so it tells that one
 * changed and not what it is.
 */
export function fingerprintOf(
  destination: string,
  digest: string,
  ordered: readonly Operation[],
  matching: Matching,
): string {
  const hash = createHash('sha256').update(canonicalJson([destination, digest]));
  for (const operation of ordered) hash.update('\n').update(canonicalJson(canonical(operation, matching)));
  return `sha256:${hash.digest('hex')}`;
}

function canonical(operation: Operation, matching: Matching): Json {
  const { action, entity, live, target, normalLive } = operation;
  const references = (live?.references ?? []).map((reference) => `${reference.field} ${reference.id}`).sort();
  return [
    action,
    entity.kind,
    target === null ? entity.id : matching.idOf(target),
    normalLive === null ? null : startingFrom(normalLive),
    references,
    operation.fields.map(({ path }) => path),
  ];
}

/** The rest of a credential's time to live changes with every read and decides nothing. */
function startingFrom(live: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(live).filter(([field]) => field !== 'ttl'));
}
