import { type Entity, entityName, referenceOf } from '../model/entity.ts';
import { type Clash, clashPlace } from './clash.ts';
import type { Finding } from './rule.ts';

/** The finding for a clash: it names every entity concerned, the one written last first, each with its place. */
export function clashFinding(clash: Clash, message: string, hint: string): Finding {
  return {
    message,
    hint,
    locations: clash.entities.flatMap((entity) => clashPlace(entity, clash.constraint) ?? []),
    entities: clash.entities.map(entityName),
  };
}

/** Names of what entities belong to, for a sentence: `consumers "a" and "b"`, or `consumer "a"` where it is one. */
export function parentsOf(entities: readonly Entity[], field: string, singular: string): string {
  const names = [...new Set(entities.flatMap((entity) => referenceOf(entity, field)?.identity ?? []))].sort();
  return names.length === 1 ? `${singular} ${listed(names)}` : `${singular}s ${listed(names)}`;
}

/** Words in quotes for a sentence; after five, only how many more there are. */
export function listed(words: readonly string[]): string {
  const quoted = words.slice(0, words.length > 6 ? 5 : 6).map((word) => JSON.stringify(word));
  if (words.length > quoted.length) quoted.push(`${words.length - quoted.length} more`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} and ${last}`;
}
