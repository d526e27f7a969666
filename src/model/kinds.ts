import type { Kind, KindName } from './kind.ts';
import { accessKinds } from './kinds-access.ts';
import { enterpriseKinds } from './kinds-enterprise.ts';
import { trafficKinds } from './kinds-traffic.ts';

/** The registry: the only list of the kinds of entities. Forgetting a kind, or part of one, does not compile. */
export const kinds: { readonly [K in KindName]: Kind & { readonly name: K } } = {
  ...trafficKinds,
  ...accessKinds,
  ...enterpriseKinds,
};

/** Every kind, parents before children (by level, then by name). */
export const kindsInOrder: readonly Kind[] = Object.values(kinds).sort(
  (a, b) => a.level - b.level || (a.name < b.name ? -1 : 1),
);

/** The deepest level of the registry. */
export const deepestLevel: number = Math.max(...kindsInOrder.map((kind) => kind.level));

/** Whether a word is the name of a kind. */
export function isKindName(word: string): word is KindName {
  return Object.hasOwn(kinds, word);
}

/** The foreign key of a kind by its field, or undefined. */
export function foreignKey(kind: KindName, field: string): Kind['foreign'][number] | undefined {
  return kinds[kind].foreign.find((key) => key.field === field);
}
