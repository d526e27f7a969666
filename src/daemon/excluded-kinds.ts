import { ConfigurationError } from '../config/configuration-error.ts';
import type { KindName } from '../model/kind.ts';
import { isKindName, kindsInOrder } from '../model/kinds.ts';
import { nearestWord } from '../model/suggest.ts';

/** The kinds that a destination's `exclude.kinds` names. Throws ConfigurationError for a word that names none. */
export function excludedKinds(destination: string, words: readonly string[]): readonly KindName[] {
  const names = kindsInOrder.map((kind) => kind.name);
  return words.map((word) => {
    if (isKindName(word)) return word;
    const near = nearestWord(word, names);
    throw new ConfigurationError([
      {
        key: `destinations.${destination}.exclude.kinds`,
        message: `has "${word}", which is no kind of entity`,
        hint: near === undefined ? `There are: ${[...names].sort().join(', ')}` : `Is it "${near}"?`,
        place: null,
      },
    ]);
  });
}
