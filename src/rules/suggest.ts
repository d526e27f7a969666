/** The candidate that a mistyped word most likely means, or undefined where none is near. For short lists. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = normal(word);
  let best: { readonly text: string; readonly distance: number } | undefined;
  for (const text of candidates) {
    if (text === word) continue;
    const candidate = normal(text);
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    const distance = prefixed(wanted, candidate) ? limit : editDistance(wanted, candidate, limit);
    if (distance > limit) continue;
    if (best === undefined || distance < best.distance || (distance === best.distance && text < best.text)) {
      best = { text, distance };
    }
  }
  return best?.text;
}

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

function prefixed(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a));
}

/** Edit distance with swapped neighbours counted once; stops beyond `limit` and then gives more than it. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, (before[j - 2] ?? 0) + 1);
      row.push(value);
      if (value < least) least = value;
    }
    if (least > limit) return limit + 1;
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? limit + 1;
}
