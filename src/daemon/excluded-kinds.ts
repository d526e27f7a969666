import { ConfigurationError } from '../config/configuration-error.ts';
import type { PathFault } from '../config/explain.ts';
import { hasPlaceholder } from '../config/interpolate.ts';
import type { KeyPath } from '../config/tree.ts';
import type { KindName } from '../model/kind.ts';
import { isKindName, kindsInOrder } from '../model/kinds.ts';
import { nearestWord } from '../model/suggest.ts';

/** The kinds that a destination's `exclude.kinds` names. Throws ConfigurationError with the words that name none. */
export function excludedKinds(destination: string, words: readonly string[]): readonly KindName[] {
  const faults = excludedKindFaults([], words);
  if (faults.length > 0) {
    const key = `destinations.${destination}.exclude.kinds`;
    throw new ConfigurationError(faults.map(({ message, hint }) => ({ key, message, hint, place: null })));
  }
  return words.filter(isKindName);
}

/** What is wrong with the words of an `exclude.kinds` at a path: each that names no kind. */
export function excludedKindFaults(path: KeyPath, words: readonly unknown[]): readonly PathFault[] {
  const names = kindsInOrder.map((kind) => kind.name);
  return words.flatMap((word, index): readonly PathFault[] => {
    if (typeof word !== 'string' || isKindName(word) || hasPlaceholder(word)) return [];
    const near = nearestWord(word, names);
    return [
      {
        path: [...path, index],
        message: `is "${word}", which is no kind of entity`,
        hint: near === undefined ? `There are: ${[...names].sort().join(', ')}` : `Is it "${near}"?`,
      },
    ];
  });
}
