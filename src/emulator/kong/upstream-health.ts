import { isUuid } from '../../model/derived-id.ts';
import { listChildren } from '../entities/listing.ts';
import { select } from '../entities/select.ts';
import { type Answer, answer, methodNotAllowed, notFound } from '../http/answers.ts';
import type { Gateway } from '../state/gateway.ts';
import type { Stored } from '../state/store.ts';

/**
 * Answers what is below an upstream beside its targets: all targets, their health, and the word that one is healthy or
 * not; null for any other path. Nothing is proxied here, so health is what was said or `HEALTHCHECKS_OFF`.
 */
export function handleUpstreamHealth(
  gateway: Gateway,
  method: string,
  segments: readonly string[],
  query: ReadonlyMap<string, string>,
): Answer | null {
  const [first, key, what, which, last] = segments;
  if (first !== 'upstreams' || key === undefined) return null;
  const isHealth = what === 'health' && which === undefined;
  const isAll = what === 'targets' && which === 'all' && last === undefined;
  const isWord =
    what === 'targets' && which !== undefined && (segments.at(-1) === 'healthy' || segments.at(-1) === 'unhealthy');
  if (!isHealth && !isAll && !(isWord && segments.length > 4)) return null;
  const collection = gateway.collections.get('upstreams');
  const targets = gateway.collections.get('targets');
  if (collection === undefined || targets === undefined) return null;
  const upstream = select(gateway, collection, key);
  if ('refused' in upstream) return upstream.refused;
  if (upstream.found === undefined) return notFound;
  const own = gateway.store.childrenOf('targets', 'upstream', upstream.found.id);
  if (isWord) {
    if (method !== 'PUT') return methodNotAllowed;
    return own.some((target) => isNamed(target, which)) ? answer(204) : notFound;
  }
  if (method !== 'GET') return methodNotAllowed;
  if (isAll) return listChildren(gateway, targets, own, `/upstreams/${key}/targets/all`, query);
  const data = own.map((target) => ({ ...target, health: 'HEALTHCHECKS_OFF', data: { addresses: [] } }));
  return answer(200, { node_id: gateway.nodeId, data, next: null });
}

function isNamed(target: Stored, key: string): boolean {
  return isUuid(key) ? target.id === key.toLowerCase() : target['target'] === key;
}
