import type { Document } from '../../manifest/document.ts';

/** Pointers and what is said of them, under each pointer that they are at or below. */
type Index = ReadonlyMap<string, readonly (readonly [string, string])[]>;

const none: readonly (readonly [string, string])[] = [];

/** Which values below a place of a document came from the environment. */
export class EnvironmentIndex {
  readonly #byDocument = new Map<Document, Index>();
  readonly #texts = new Map<Document, Index>();

  /** Pointers relative to `base`, each with the variable's name. Constant time, however many values there are. */
  below(document: Document, base: string): readonly (readonly [string, string])[] {
    return lookUp(this.#byDocument, document, document.fromEnvironment, base);
  }

  /** Pointers relative to `base` of those that YAML read as no text, each with the text that it read. */
  textsBelow(document: Document, base: string): readonly (readonly [string, string])[] {
    const texts = document.environmentTexts;
    return texts === undefined ? none : lookUp(this.#texts, document, texts, base);
  }

  /** Whether any value at or below a place came from the environment, so that it must not be shown. */
  has(document: Document, base: string): boolean {
    return this.below(document, base).length > 0;
  }
}

function lookUp(
  indexes: Map<Document, Index>,
  document: Document,
  pointers: ReadonlyMap<string, string>,
  base: string,
): readonly (readonly [string, string])[] {
  if (pointers.size === 0) return none;
  let index = indexes.get(document);
  if (index === undefined) {
    index = indexed(pointers);
    indexes.set(document, index);
  }
  return index.get(base) ?? none;
}

/** Every pointer under each of its prefixes. */
function indexed(pointers: ReadonlyMap<string, string>): Index {
  const index = new Map<string, (readonly [string, string])[]>();
  for (const [pointer, variable] of pointers) {
    for (let end = pointer.length; end >= 0; end = end === 0 ? -1 : pointer.lastIndexOf('/', end - 1)) {
      const prefix = pointer.slice(0, end);
      const entry: readonly [string, string] = [pointer.slice(end), variable];
      const list = index.get(prefix);
      if (list === undefined) index.set(prefix, [entry]);
      else list.push(entry);
    }
  }
  return index;
}
