/** A part of a pattern: a character of a set, or parts after, beside or within each other. */
type Part =
  | { readonly type: 'character'; readonly fits: (character: string) => boolean }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly Part[] }
  | { readonly type: 'repeat'; readonly part: Part; readonly atLeastOnce: boolean; readonly atMostOnce: boolean };

/**
 * Compiles the expressions by which patches choose objects: the common part of RE2 (characters, `.`, classes, groups,
 * `|`, `*`, `+`, `?`), for the whole of a text, as Kustomize means them. Null where one uses more than that. Takes time
 * in proportion to the text, whatever the pattern.
 */
export function compileNamePattern(pattern: string): ((text: string) => boolean) | null {
  if (pattern.length > 1_000) return null;
  const parser = new Parser(pattern);
  const part = parser.choice();
  if (part === null || !parser.isAtEnd) return null;
  return (text) => ends(part, text, new Set([0])).has(text.length);
}

/** Where a part may end that starts at one of these places. */
function ends(part: Part, text: string, starts: ReadonlySet<number>): ReadonlySet<number> {
  switch (part.type) {
    case 'character': {
      const found = new Set<number>();
      for (const start of starts) {
        const character = text[start];
        if (character !== undefined && part.fits(character)) found.add(start + 1);
      }
      return found;
    }
    case 'sequence':
      return part.parts.reduce((places, inner) => ends(inner, text, places), starts);
    case 'choice':
      return new Set(part.parts.flatMap((inner) => [...ends(inner, text, starts)]));
    case 'repeat': {
      const first = ends(part.part, text, starts);
      const found = new Set(part.atLeastOnce ? first : [...starts, ...first]);
      let fresh = part.atMostOnce ? new Set<number>() : first;
      while (fresh.size > 0) {
        const next = [...ends(part.part, text, fresh)].filter((place) => !found.has(place));
        for (const place of next) found.add(place);
        fresh = new Set(next);
      }
      return found;
    }
  }
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    // The whole of a text has to fit anyway.
    this.#text = text.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  choice(): Part | null {
    const parts: Part[] = [];
    do {
      const part = this.#sequence();
      if (part === null) return null;
      parts.push(part);
    } while (this.#take('|'));
    return { type: 'choice', parts };
  }

  #sequence(): Part | null {
    const parts: Part[] = [];
    while (!this.isAtEnd && !')|'.includes(this.#text[this.#at] ?? '')) {
      const part = this.#repeated();
      if (part === null) return null;
      parts.push(part);
    }
    return { type: 'sequence', parts };
  }

  #repeated(): Part | null {
    const part = this.#single();
    if (part === null) return null;
    const mark = this.#text[this.#at] ?? '';
    if (mark === '' || !'*+?{'.includes(mark)) return part;
    this.#at += 1;
    // Neither counts nor repeats of repeats.
    if (mark === '{' || '*+?{'.includes(this.#text[this.#at] ?? ' ')) return null;
    return { type: 'repeat', part, atLeastOnce: mark === '+', atMostOnce: mark === '?' };
  }

  #single(): Part | null {
    const character = this.#text[this.#at] ?? '';
    this.#at += 1;
    if (character === '.') return { type: 'character', fits: () => true };
    if (character === '(') return this.#group();
    if (character === '[') return this.#class();
    if (character === '\\') return this.#escaped();
    return '*+?{}]^$'.includes(character) ? null : { type: 'character', fits: (other) => other === character };
  }

  #group(): Part | null {
    this.#depth += 1;
    if (this.#depth > 20) return null;
    if (this.#take('?') && !this.#take(':')) return null;
    const inner = this.choice();
    this.#depth -= 1;
    return inner !== null && this.#take(')') ? inner : null;
  }

  #escaped(): Part | null {
    const character = this.#text[this.#at] ?? '';
    this.#at += 1;
    if (character === 'd') return { type: 'character', fits: (other) => /[0-9]/.test(other) };
    if (character === 'w') return { type: 'character', fits: (other) => /[0-9A-Za-z_]/.test(other) };
    if (character === '' || /[0-9A-Za-z]/.test(character)) return null;
    return { type: 'character', fits: (other) => other === character };
  }

  #class(): Part | null {
    const isNegated = this.#take('^');
    const end = this.#text.indexOf(']', this.#at + 1);
    if (end === -1) return null;
    const inner = this.#text.slice(this.#at, end);
    if (inner.includes('[') || inner.includes('\\')) return null;
    this.#at = end + 1;
    const ranges: [string, string][] = [];
    for (let index = 0; index < inner.length; index += 1) {
      const [from = '', dash, to] = inner.slice(index);
      if (dash === '-' && to !== undefined) {
        ranges.push([from, to]);
        index += 2;
      } else ranges.push([from, from]);
    }
    return {
      type: 'character',
      fits: (other) => ranges.some(([from, to]) => from <= other && other <= to) !== isNegated,
    };
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}
