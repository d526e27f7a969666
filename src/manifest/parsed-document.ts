import { isJsonArray, isJsonObject, type Json, type JsonPath, toPointer } from '../model/json.ts';
import type { Location } from '../model/location.ts';
import type { Document } from './document.ts';
import { type Places, placeKind } from './places.ts';
import type { SourceText } from './source-text.ts';
import { ExpandedText } from './template/expanded-text.ts';

/** How a text was written. */
export type ScalarStyle = 'plain' | 'quoted' | 'block';

/** How the text at a path was written; a block's indentation in columns, else 0. */
export interface ScalarForm {
  readonly style: ScalarStyle;
  readonly indent: number;
}

const nothing: ReadonlyMap<string, string> = new Map();
const noKeys: ReadonlySet<string> = new Set();

/** What templates brought when they were carried out in a text. */
interface Expansion {
  /** By pointer, the variables that the value or its key was made of. */
  readonly values: ReadonlyMap<string, string>;
  readonly keys: ReadonlySet<string>;
  readonly keyPointers: ReadonlySet<string>;
}

/** A document as it was parsed: its value, and the file's places to look its own up in. */
export class ParsedDocument implements Document {
  readonly file: string;
  readonly index: number;
  readonly value: Json;
  readonly #source: SourceText;
  readonly #places: Places;
  readonly #root: number;
  #expansion: Expansion | null = null;

  constructor(source: SourceText, index: number, value: Json, places: Places, root: number) {
    this.file = source.file;
    this.index = index;
    this.value = value;
    this.#source = source;
    this.#places = places;
    this.#root = root;
  }

  get fromEnvironment(): ReadonlyMap<string, string> {
    return this.#brought()?.values ?? nothing;
  }

  get environmentKeys(): ReadonlySet<string> {
    return this.#brought()?.keys ?? noKeys;
  }

  at(path: JsonPath, part: 'value' | 'key' = 'value'): Location {
    const { place, key, parent, steps } = this.#find(path);
    const shown = this.#shown(place, steps === path.length ? part : 'value', key, parent);
    return this.#source.location(
      this.#places.start(shown),
      this.#places.end(shown),
      this.#pointer(existing(this.value, path)),
    );
  }

  /** How the value at a path (or its key) was written, or null where no text of this document stands there. */
  form(path: JsonPath, part: 'value' | 'key' = 'value'): ScalarForm | null {
    const { place, key, steps } = this.#find(path, true);
    if (steps < path.length) return null;
    const at = this.#places.resolve(part === 'key' ? key : place);
    switch (this.#places.kind(at)) {
      case placeKind.plain:
        return { style: 'plain', indent: 0 };
      case placeKind.singleQuoted:
      case placeKind.doubleQuoted:
        return { style: 'quoted', indent: 0 };
      case placeKind.literal:
      case placeKind.folded:
        return { style: 'block', indent: this.#places.indent(at) };
      case placeKind.empty:
      case placeKind.sequence:
      case placeKind.mapping:
      case placeKind.alias:
      case placeKind.merge:
        return null;
    }
  }

  /** The pointer of a path, without the keys that templates brought. */
  #pointer(path: JsonPath): string {
    const keys = this.#brought()?.keyPointers;
    if (keys === undefined || keys.size === 0) return toPointer(path);
    return toPointer(path.map((step, index) => (keys.has(toPointer(path.slice(0, index + 1))) ? '***' : step)));
  }

  /** What templates brought when they were carried out in the text; null where none were. */
  #brought(): Expansion | null {
    if (!(this.#source instanceof ExpandedText)) return null;
    this.#expansion ??= this.#expanded(this.#source);
    return this.#expansion;
  }

  /** Whatever overlaps what templates brought, with its key. */
  #expanded(source: ExpandedText): Expansion {
    const found = { values: new Map<string, string>(), keys: new Set<string>(), keyPointers: new Set<string>() };
    const variablesOf = (at: number): readonly string[] =>
      at === -1 || this.#places.start(at) === -1
        ? []
        : (source.variablesIn(this.#places.start(at), this.#places.end(at)) ?? []);
    const visit = (value: Json, path: JsonPath): void => {
      const { place, key } = this.#find(path, true);
      const ofKey = variablesOf(key);
      const ofValue = isJsonArray(value) || isJsonObject(value) ? [] : variablesOf(place);
      const variables = [...ofKey, ...ofValue];
      if (variables.length > 0) found.values.set(toPointer(path), [...new Set(variables)].join(', '));
      if (ofKey.length > 0) {
        found.keys.add(String(path.at(-1)));
        found.keyPointers.add(toPointer(path));
      }
      if (isJsonArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index]);
      else if (isJsonObject(value)) for (const [name, item] of Object.entries(value)) visit(item, [...path, name]);
    };
    visit(this.value, []);
    return found;
  }

  /** Whether a text occurs anywhere in the file that the document came from. */
  mentions(text: string): boolean {
    return this.#source.text.includes(text);
  }

  /** The place at a path, or the last one on the way to it; `steps` is how far the way went. Merged keys are not on the way unless asked for. */
  #find(path: JsonPath, throughMerges = false): { place: number; key: number; parent: number; steps: number } {
    const places = this.#places;
    let found = { place: this.#root, key: -1, parent: -1, steps: 0 };
    for (const step of path) {
      const parent = places.resolve(found.place);
      const kind = places.kind(parent);
      if (kind === placeKind.mapping) {
        const own = places.key(parent, String(step));
        const key = own === -1 && throughMerges ? places.mergedKey(parent, String(step)) : own;
        if (key === -1) return found;
        found = { place: key + 1, key, parent, steps: found.steps + 1 };
      } else if (kind === placeKind.sequence) {
        const place = places.item(parent, Number(step));
        if (place === -1) return found;
        found = { place, key: -1, parent, steps: found.steps + 1 };
      } else return found;
    }
    return found;
  }

  #shown(place: number, part: 'value' | 'key', key: number, parent: number): number {
    if (part === 'key' && key !== -1) return key;
    if (this.#places.kind(place) !== placeKind.empty || this.#places.start(place) !== -1) return place;
    if (key !== -1) return key;
    return parent === -1 ? place : parent;
  }
}

/** The longest part of a path that the value has. */
function existing(value: Json, path: JsonPath): JsonPath {
  let current: Json | undefined = value;
  for (const [index, step] of path.entries()) {
    if (isJsonArray(current)) current = current[Number(step)];
    else if (isJsonObject(current) && Object.hasOwn(current, step)) current = current[step];
    else return path.slice(0, index);
    if (current === undefined) return path.slice(0, index);
  }
  return path;
}
