import type { Document } from '../../manifest/document.ts';

const none: readonly (readonly [string, string])[] = [];

/** Which values below a place of a document came from the environment. */
export class EnvironmentIndex {
  readonly #byDocument = new Map<Document, ReadonlyMap<string, readonly (readonly [string, string])[]>>();

  /** Pointers relative to `base`, each with the variable's name. Constant time, however many values there are. */
  below(document: Document, base: string): readonly (readonly [string, string])[] {
    if (document.fromEnvironment.size === 0) return none;
    let index = this.#byDocument.get(document);
    if (index === undefined) {
      index = indexed(document.fromEnvironment);
      this.#byDocument.set(document, index);
    }
    return index.get(base) ?? none;
  }

  /** Whether any value at or below a place came from the environment, so that it must not be shown. */
  has(document: Document, base: string): boolean {
    return this.below(document, base).length > 0;
  }
}

/** Every pointer under each of its prefixes. */
function indexed(pointers: ReadonlyMap<string, string>): ReadonlyMap<string, readonly (readonly [string, string])[]> {
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
