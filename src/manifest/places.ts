/** What stands at a place; numbers, because a large file has millions of them. */
export const placeKind = {
  empty: 0,
  plain: 1,
  singleQuoted: 2,
  doubleQuoted: 3,
  literal: 4,
  folded: 5,
  sequence: 6,
  mapping: 7,
  alias: 8,
  /** The key `<<` of a merge. */
  merge: 9,
} as const;

/** One of the values of `placeKind`. */
export type PlaceKind = (typeof placeKind)[keyof typeof placeKind];

/** From this many children on, a collection's children are indexed when first asked for. */
const indexedFrom = 24;

/**
 * The places of every key and value of a file, in order of writing: a collection is followed by its children (in a
 * mapping, key and value by turns). Kept as arrays of numbers, 13 bytes a place, instead of objects; everything that
 * people ask for is worked out when they ask.
 */
export class Places {
  readonly #text: string;
  readonly #kinds: Uint8Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  /** Of a collection: the place after its last child. Of an alias: what it stands for. Of a block scalar: its indent. */
  readonly #links: Int32Array;
  /** Keys whose text is not what stands between their quotes. */
  readonly #oddKeys = new Map<number, string>();
  readonly #indexes = new Map<number, Int32Array | ReadonlyMap<string, number>>();
  #count = 0;

  constructor(text: string, capacity: number) {
    this.#text = text;
    this.#kinds = new Uint8Array(capacity);
    this.#starts = new Int32Array(capacity);
    this.#ends = new Int32Array(capacity);
    this.#links = new Int32Array(capacity);
  }

  add(kind: PlaceKind, start: number, end: number, link = -1): number {
    const place = this.#count;
    this.#kinds[place] = kind;
    this.#starts[place] = start;
    this.#ends[place] = end;
    this.#links[place] = link;
    this.#count += 1;
    return place;
  }

  /** Ends a collection: all places added since belong to it. */
  close(place: number, end: number): void {
    this.#ends[place] = end;
    this.#links[place] = this.#count;
  }

  /** Notes a key: its text, and whether it is a merge. */
  setKey(place: number, text: string, merge: boolean): void {
    if (merge) this.#kinds[place] = placeKind.merge;
    else if (!this.#writtenAs(place, text)) this.#oddKeys.set(place, text);
  }

  kind(place: number): PlaceKind {
    return (this.#kinds[place] ?? 0) as PlaceKind;
  }

  start(place: number): number {
    return this.#starts[place] ?? 0;
  }

  end(place: number): number {
    return this.#ends[place] ?? 0;
  }

  /** The indentation of a block scalar's text, in columns. */
  indent(place: number): number {
    return this.#links[place] ?? 0;
  }

  /** What an alias stands for; any other place is itself. */
  resolve(place: number): number {
    let at = place;
    while (this.#kinds[at] === placeKind.alias) at = this.#links[at] ?? 0;
    return at;
  }

  /** The place after a value and all that is in it. */
  after(place: number): number {
    const kind = this.#kinds[place];
    return kind === placeKind.sequence || kind === placeKind.mapping ? (this.#links[place] ?? 0) : place + 1;
  }

  /** The place of an item of a list, or -1. */
  item(sequence: number, index: number): number {
    const known = this.#indexes.get(sequence);
    if (known instanceof Int32Array) return known[index] ?? -1;
    const end = this.#links[sequence] ?? 0;
    const children: number[] = [];
    for (let at = sequence + 1; at < end; at = this.after(at)) {
      if (index < indexedFrom && children.length === index) return at;
      children.push(at);
    }
    if (children.length >= indexedFrom) this.#indexes.set(sequence, Int32Array.from(children));
    return children[index] ?? -1;
  }

  /** The place of a key of a mapping, or -1. Its value is the next place. */
  key(mapping: number, text: string): number {
    const known = this.#indexes.get(mapping);
    if (known instanceof Map) return known.get(text) ?? -1;
    const end = this.#links[mapping] ?? 0;
    let seen = 0;
    let empty = -1;
    for (let at = mapping + 1; at < end; at = this.after(this.after(at))) {
      if (this.#kinds[at] !== placeKind.merge && this.#isKey(at, text)) {
        // A key without a value may be written again, with one.
        if (this.#kinds[this.after(at)] !== placeKind.empty) return at;
        empty = at;
      }
      seen += 1;
      if (seen === indexedFrom) return this.#indexKeys(mapping, end).get(text) ?? -1;
    }
    return empty;
  }

  /** The place of a key that merges (`<<`) brought into a mapping, or -1. */
  mergedKey(mapping: number, text: string, seen = new Set<number>()): number {
    // Without this, merges of merges could be gone through more often than anybody can wait for.
    if (seen.has(mapping)) return -1;
    seen.add(mapping);
    const end = this.#links[mapping] ?? 0;
    for (let at = mapping + 1; at < end; at = this.after(this.after(at))) {
      if (this.#kinds[at] !== placeKind.merge) continue;
      const merged = this.resolve(at + 1);
      const sources = this.#kinds[merged] === placeKind.sequence ? this.#items(merged) : [merged];
      for (const source of sources) {
        const own = this.key(source, text);
        const found = own === -1 ? this.mergedKey(source, text, seen) : own;
        if (found !== -1) return found;
      }
    }
    return -1;
  }

  #items(sequence: number): readonly number[] {
    const items: number[] = [];
    const end = this.#links[sequence] ?? 0;
    for (let at = sequence + 1; at < end; at = this.after(at)) items.push(this.resolve(at));
    return items;
  }

  /** The first key of an unfinished mapping with a text, or -1. */
  earlierKey(mapping: number, text: string): number {
    for (let at = mapping + 1; at < this.#count; at = this.after(this.after(at))) {
      if (this.#kinds[at] !== placeKind.merge && this.#isKey(at, text)) return at;
    }
    return -1;
  }

  #indexKeys(mapping: number, end: number): ReadonlyMap<string, number> {
    const index = new Map<string, number>();
    for (let at = mapping + 1; at < end; at = this.after(this.after(at))) {
      if (this.#kinds[at] !== placeKind.merge) index.set(this.#oddKeys.get(at) ?? this.#inner(at), at);
    }
    this.#indexes.set(mapping, index);
    return index;
  }

  #isKey(place: number, text: string): boolean {
    const odd = this.#oddKeys.get(place);
    return odd === undefined ? this.#writtenAs(place, text) : odd === text;
  }

  #writtenAs(place: number, text: string): boolean {
    const quote = this.#quote(place);
    const start = this.start(place) + quote;
    return this.end(place) - quote - start === text.length && this.#text.startsWith(text, start);
  }

  #inner(place: number): string {
    const quote = this.#quote(place);
    return this.#text.slice(this.start(place) + quote, this.end(place) - quote);
  }

  #quote(place: number): 0 | 1 {
    const kind = this.#kinds[place];
    return kind === placeKind.singleQuoted || kind === placeKind.doubleQuoted ? 1 : 0;
  }
}
