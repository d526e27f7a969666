/** The nearest of many names, by one edit (a letter too many, missing, wrong, or two swapped); case and separators aside. */
export interface TypoIndex {
  readonly nearest: (word: string) => string | undefined;
}

/** An index of names; making it and asking it are linear in the names' length. */
export function typoIndex(names: Iterable<string>): TypoIndex {
  const byVariant = new Map<string, string>();
  for (const name of names) {
    // Long names would make the index large, and a typo in one is rare.
    if (name.length > 80) continue;
    for (const variant of variants(normal(name))) {
      const known = byVariant.get(variant);
      if (known === undefined || name < known) byVariant.set(variant, name);
    }
  }
  return {
    nearest: (word) => {
      for (const variant of variants(normal(word))) {
        const name = byVariant.get(variant);
        if (name !== undefined && name !== word) return name;
      }
      return undefined;
    },
  };
}

/** The text itself, then the text without each one of its letters. */
function* variants(text: string): Iterable<string> {
  yield text;
  if (text.length < 3) return;
  for (let index = 0; index < text.length; index += 1) yield text.slice(0, index) + text.slice(index + 1);
}

function normal(word: string): string {
  return word.toLowerCase().replace(/[-_. ]/g, '');
}
