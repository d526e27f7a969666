import { type Entity, type Reference, referenceOf } from '../../model/entity.ts';
import type { KindName } from '../../model/kind.ts';
import { kinds } from '../../model/kinds.ts';
import type { State } from '../../model/state.ts';

/** Where an entity is written: in a list under another one, or in one at the top. */
export type Placement =
  | { readonly under: Entity; readonly key: string; readonly field: string }
  | { readonly under: null; readonly key: string };

/** The field by which decK lets a reference name an entity of a kind. */
const nameFields: { readonly [K in KindName]?: string } = { consumers: 'username', vaults: 'prefix' };

/** All that decK takes of a plugin that stands under a consumer group (deck.md 1.4). */
const groupPluginFields = new Set(['name', 'instance_name', 'config', 'tags', 'partials']);

/** The name by which a reference can name an entity, or null where only its id will do. */
export function referenceName(entity: Entity): string | null {
  const name = entity.fields[nameFields[entity.kind] ?? 'name'];
  return typeof name === 'string' && name !== '' ? name : null;
}

/** The entity of the state that a reference names. */
export function referenced(state: State, reference: Reference): Entity | undefined {
  return reference.resolved && reference.id !== null ? state.byId(reference.kind, reference.id) : undefined;
}

/**
 * Where decK users write an entity: under its parent, and at the top what has none or several. Of several parents one
 * without a name goes first, for only nesting can name it.
 */
export function placementOf(entity: Entity, state: State): Placement {
  const { deck } = kinds[entity.kind];
  const parents = deck.nested.flatMap(({ parent, key, field }) => {
    const reference = referenceOf(entity, field);
    if (reference === undefined || !isNestedByDeck(parent, entity)) return [];
    const under = referenced(state, reference);
    return under === undefined ? [] : [{ under, key, field }];
  });
  const scopes = deck.nested.filter(({ field }) => referenceOf(entity, field) !== undefined);
  const nameless = parents.find(({ under }) => referenceName(under) === null);
  const [first] = parents;
  if (nameless !== undefined) return nameless;
  if (first !== undefined && scopes.length === 1 && fitsUnder(first.under, entity)) return first;
  return { under: null, key: deck.topLevel ?? first?.key ?? entity.kind };
}

/** decK writes keys at the top, with the name of their set. */
function isNestedByDeck(parent: KindName, entity: Entity): boolean {
  return !(parent === 'key_sets' && entity.kind === 'keys');
}

function fitsUnder(parent: Entity, entity: Entity): boolean {
  if (parent.kind !== 'consumer_groups' || entity.kind !== 'plugins') return true;
  return Object.keys(entity.fields).every((field) => groupPluginFields.has(field));
}
