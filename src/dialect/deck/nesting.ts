import type { KindName } from '../../model/kind.ts';
import { kindsInOrder } from '../../model/kinds.ts';

/** What a key under a parent lists: children of a kind, whose foreign key the nesting sets. */
export interface Nesting {
  readonly kind: KindName;
  readonly field: string;
}

/** The keys that list children, by the kind of the parent. */
export const nestings: ReadonlyMap<KindName, ReadonlyMap<string, Nesting>> = collectNestings();

/** The kinds under which a key lists children; for saying where a list belongs. */
export const parentsOf: ReadonlyMap<string, readonly KindName[]> = collectParents();

/** The keys at the top of a document that list entities, in decK's form or in that of a DB-less Kong. */
export const topLevelKinds: ReadonlyMap<string, KindName> = new Map([
  ...kindsInOrder.flatMap((kind): [string, KindName][] =>
    kind.deck.topLevel === null ? [] : [[kind.deck.topLevel, kind.name]],
  ),
  // Plugins of a consumer group had a collection of their own (deck.md 1.2).
  ['consumer_group_plugins', 'plugins'],
]);

function collectNestings(): ReadonlyMap<KindName, ReadonlyMap<string, Nesting>> {
  const found = new Map<KindName, Map<string, Nesting>>();
  const put = (parent: KindName, key: string, nesting: Nesting) => {
    const known = found.get(parent);
    if (known === undefined) found.set(parent, new Map([[key, nesting]]));
    else known.set(key, nesting);
  };
  for (const kind of kindsInOrder) {
    for (const { parent, key, field } of kind.deck.nested) put(parent, key, { kind: kind.name, field });
  }
  // As a DB-less Kong nests any child under its parents.
  put('consumers', 'consumer_group_consumers', { kind: 'consumer_group_consumers', field: 'consumer' });
  put('consumer_groups', 'consumer_group_consumers', { kind: 'consumer_group_consumers', field: 'consumer_group' });
  put('consumer_groups', 'consumer_group_plugins', { kind: 'plugins', field: 'consumer_group' });
  return found;
}

function collectParents(): ReadonlyMap<string, readonly KindName[]> {
  const parents = new Map<string, KindName[]>();
  for (const [parent, keys] of nestings) {
    for (const key of keys.keys()) {
      const list = parents.get(key);
      if (list === undefined) parents.set(key, [parent]);
      else list.push(parent);
    }
  }
  return parents;
}
