import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Answer, answer, foreignViolation, methodNotAllowed, notFound } from '../http/answers.ts';
import type { Gateway } from '../state/gateway.ts';
import { select } from './select.ts';

/** Refuses a plugin that names a partial which is not there; null where all are, or where it names none. */
export function missingPartial(gateway: Gateway, plugin: JsonObject): Answer | null {
  const partials = gateway.collections.get('partials');
  const links = plugin['partials'];
  if (partials === undefined || !isJsonArray(links)) return null;
  for (const link of links) {
    const key = isJsonObject(link) ? (link['id'] ?? link['name']) : undefined;
    if (typeof key !== 'string') continue;
    const selected = select(gateway, partials, key);
    if ('refused' in selected || selected.found === undefined) return foreignViolation('partials', key, 'partials');
  }
  return null;
}

/** The plugins that a partial is used by, as they are listed under it. */
export function linksOf(gateway: Gateway, partialId: string): readonly JsonObject[] {
  const names: Json = gateway.store.get('partials', partialId)?.['name'] ?? null;
  return gateway.store.all('plugins').flatMap((plugin) => {
    const links = plugin['partials'];
    if (!isJsonArray(links)) return [];
    const uses = links.some(
      (link) => isJsonObject(link) && (link['id'] === partialId || (names !== null && link['name'] === names)),
    );
    const { id, name, instance_name: instance } = plugin;
    return uses ? [{ id, name: name ?? null, instance_name: instance ?? null }] : [];
  });
}

/** Answers `partials/{partial}/links`; null for any other path, and where there are no partials. */
export function handlePartialLinks(gateway: Gateway, method: string, segments: readonly string[]): Answer | null {
  const [first, key, what, more] = segments;
  const partials = gateway.collections.get('partials');
  if (first !== 'partials' || key === undefined || what !== 'links' || more !== undefined) return null;
  if (partials === undefined) return notFound;
  if (method !== 'GET') return methodNotAllowed;
  const selected = select(gateway, partials, key);
  if ('refused' in selected) return selected.refused;
  if (selected.found === undefined) return notFound;
  const data = linksOf(gateway, selected.found.id);
  return answer(200, { data, count: data.length, next: null });
}
