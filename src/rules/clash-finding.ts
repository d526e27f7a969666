import { type Entity, entityName, referenceOf } from '../model/entity.ts';
import { kinds } from '../model/kinds.ts';
import type { Location } from '../model/location.ts';
import type { Clash } from './clash.ts';
import type { Finding } from './rule.ts';
import { shownValue } from './secret.ts';

/** The finding for a clash: it names every entity concerned, the one written last first, each with its place. */
export function clashFinding(clash: Clash, message: string, hint: string): Finding {
  return {
    message,
    hint,
    locations: clash.entities.flatMap((entity) => placeOf(entity, clash) ?? []),
    entities: clash.entities.map(entityName),
  };
}

/** What clashes, as a sentence without its end: `2 services have the same name "orders"`. */
export function sameValues(clash: Clash): string {
  const [first] = clash.entities;
  if (first === undefined) return '';
  const things = counted(clash.entities.length, kinds[first.kind].label);
  return `${things} have the same ${clash.fields.map((field) => sameValue(clash, first, field)).join(' and ')}`;
}

function sameValue(clash: Clash, first: Entity, field: string): string {
  const reference = referenceOf(first, field);
  if (reference !== undefined) return `${kinds[reference.kind].label} ${JSON.stringify(reference.identity)}`;
  const word = field === 'cert' ? 'certificate' : field;
  const shown = clash.entities.every((entity) => shownValue(entity, [field]) !== null);
  const text = shown && field !== 'cert' ? shownValue(first, [field]) : null;
  return text === null ? word : `${word} ${text}`;
}

/** `2 services`; a label's plural is made as English makes most. */
export function counted(count: number, label: string): string {
  if (count === 1) return `1 ${label}`;
  return `${count} ${label.endsWith('y') && !label.endsWith('ey') ? `${label.slice(0, -1)}ies` : `${label}s`}`;
}

/** Names of what entities belong to, for a sentence: `consumers "a" and "b"`, or `consumer "a"` where it is one. */
export function parentsOf(entities: readonly Entity[], field: string, singular: string): string {
  const names = [...new Set(entities.flatMap((entity) => referenceOf(entity, field)?.identity ?? []))].sort();
  return names.length === 1 ? `${singular} ${listed(names)}` : `${singular}s ${listed(names)}`;
}

/** Words in quotes for a sentence; after six, only how many more there are. */
export function listed(words: readonly string[]): string {
  const shown = words.slice(0, words.length > 6 ? 5 : 6).map((word) => JSON.stringify(word));
  if (words.length > shown.length) shown.push(`${words.length - shown.length} more`);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** The place of the field that a reader should look at: the first that the entity itself holds. */
function placeOf(entity: Entity, clash: Clash): Location | undefined {
  const own = clash.fields.find((field) => referenceOf(entity, field) === undefined) ?? clash.fields[0];
  return own === undefined ? entity.source?.location : entity.source?.at([own]);
}
