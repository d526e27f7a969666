import {
  type AliasEvent,
  type DocumentDirective,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { isJsonArray, isJsonObject, type Json, setOwn } from '../model/json.ts';
import * as texts from './compose-findings.ts';
import type { Findings, FindingText } from './findings.ts';
import type { ManifestLimits } from './limits.ts';
import { type Anchor, type Key, keyText, type Node, type OpenCollection, type OpenMapping } from './open-collection.ts';
import { PlaceWriter } from './place-writer.ts';
import { Places } from './places.ts';
import { type ScalarValue, taggedValue, untaggedValue } from './scalar-value.ts';
import type { SourceText } from './source-text.ts';
import { fullTagName, tagNames } from './tags.ts';
import type { Masked } from './template/mask.ts';

/** A document's value and its root place; broken when one of its findings is an error. */
export interface Composed {
  readonly value: Json;
  readonly root: number;
  readonly broken: boolean;
}

/** What is composed: a file, its text as it was parsed, and the templates that were covered for that. */
export interface Composition {
  readonly source: SourceText;
  readonly text: string;
  readonly masked: Masked | null;
}

/**
 * Values and places from a parser's events. Does the work of js-yaml's own constructor, because all findings are wanted
 * rather than the first, a clash with both its places, and a bomb of aliases counted before it goes off.
 */
export class Composer {
  readonly places: Places;
  readonly #writer: PlaceWriter;
  readonly #source: SourceText;
  readonly #text: string;
  readonly #masked: Masked | null;
  readonly #limits: ManifestLimits;
  readonly #findings: Findings;
  #open: OpenCollection[] = [];
  #root: Node | null = null;
  #anchors = new Map<string, Anchor>();
  #directives: readonly DocumentDirective[] = [];
  #broken = false;
  #aliases = 0;
  #mergedKeys = 0;
  #tooLarge = false;

  /** `capacity` is the number of events that are values or keys. */
  constructor(composition: Composition, limits: ManifestLimits, findings: Findings, capacity: number) {
    const { source, text, masked } = composition;
    this.places = new Places(source.text, capacity);
    this.#source = source;
    this.#text = text;
    this.#writer = new PlaceWriter(this.places, this.#text);
    this.#masked = masked;
    this.#limits = limits;
    this.#findings = findings;
  }

  /** The documents of a whole file, in order. */
  compose(events: readonly Event[]): readonly Composed[] {
    const documents: Composed[] = [];
    for (let index = 0; index < events.length; index += 1) {
      const event = events[index];
      if (event === undefined) break;
      switch (event.type) {
        case EVENT_ID.DOCUMENT:
          this.#startDocument(event.directives);
          break;
        case EVENT_ID.SCALAR:
          this.#scalar(event);
          break;
        case EVENT_ID.SEQUENCE:
        case EVENT_ID.MAPPING:
          this.#startCollection(event, events[index + 1]);
          break;
        case EVENT_ID.ALIAS:
          this.#alias(event);
          break;
        case EVENT_ID.POP:
          if (this.#open.length > 0) this.#endCollection();
          else documents.push({ value: this.#root?.value ?? null, root: this.#root?.place ?? 0, broken: this.#broken });
          break;
      }
    }
    return documents;
  }

  #startDocument(directives: readonly DocumentDirective[]): void {
    this.#open = [];
    this.#root = null;
    this.#anchors = new Map();
    this.#directives = directives;
    this.#broken = false;
    this.#aliases = 0;
    this.#tooLarge = false;
  }

  #startCollection(event: SequenceEvent | MappingEvent, next: Event | undefined): void {
    const bracketed = this.#writer.isBracketed(event, next);
    const place = this.#writer.open(event, bracketed);
    const anchor = this.#setAnchor(event, null);
    const size = { nodes: 1, length: 0, height: 1 };
    if (event.type === EVENT_ID.SEQUENCE) {
      this.#checkTag(event, tagNames.sequence);
      this.#open.push({ mapping: false, value: [], place, bracketed, anchor, ...size });
    } else {
      this.#checkTag(event, tagNames.mapping);
      this.#open.push({ mapping: true, value: {}, key: null, merged: null, place, bracketed, anchor, ...size });
    }
  }

  #checkTag(event: SequenceEvent | MappingEvent, expected: string): void {
    if (event.tagStart === -1) return;
    const name = this.#tagName(event);
    if (name !== expected && name !== '!') this.#add(texts.unknownTag, event.tagStart, event.tagEnd);
  }

  #endCollection(): void {
    const ended = this.#open.pop();
    if (ended === undefined) return;
    this.#writer.close(ended.place, ended.bracketed);
    const { place, value, nodes, length, height } = ended;
    const node: Node = { place, value, nodes, length, height };
    if (ended.anchor !== null) ended.anchor.node = node;
    this.#put(node);
  }

  #scalar(event: ScalarEvent): void {
    const written = getScalarValue(this.#text, event);
    const source = this.#masked === null ? written : this.#masked.restore(written, event);
    const parent = this.#open.at(-1);
    const place = this.#writer.scalar(event, parent?.mapping === false && !parent.bracketed);
    const { value, problem } = this.#scalarValue(event, source, parent?.mapping === true && parent.key === null);
    if (problem !== null) {
      if (problem.rule === texts.unknownTag.rule) this.#add(problem, event.tagStart, event.tagEnd);
      else this.#addAt(problem, place);
    }
    const node: Node = { place, value, nodes: 1, length: source.length, height: 0 };
    this.#setAnchor(event, node);
    this.#put(node, source, event.style === SCALAR_STYLE.PLAIN && source === '<<' && event.tagStart === -1);
  }

  #scalarValue(event: ScalarEvent, source: string, isKey: boolean): ScalarValue {
    return event.tagStart === -1 ? untaggedValue(event, source, isKey) : taggedValue(source, this.#tagName(event));
  }

  #alias(event: AliasEvent): void {
    const [start, end] = [event.anchorStart - 1, event.anchorEnd];
    this.#aliases += 1;
    if (this.#aliases === this.#limits.aliases + 1) this.#add(texts.tooManyAliases(this.#limits.aliases), start, end);
    // The name is not shown: an unquoted password may begin with an asterisk.
    const anchor = this.#anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd));
    const node = anchor?.node ?? null;
    const place = this.#writer.alias(event, node?.place ?? null);
    if (node === null) {
      this.#add(anchor === undefined ? texts.unknownAlias : texts.cyclicAlias, start, end);
      this.#put({ place, value: null, nodes: 1, length: 0, height: 0 });
      return;
    }
    if (this.#open.length + node.height > this.#limits.depth) {
      this.#addOnce(texts.tooDeep(this.#limits.depth), place);
    }
    const { value, nodes, length, height } = node;
    this.#put({ place, value, nodes, length, height });
  }

  /** Puts a finished value where it belongs; `source` is a scalar's text, which makes a key. */
  #put(node: Node, source?: string, merge = false): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#root = node;
      return;
    }
    this.#grow(parent, node);
    if (!parent.mapping) parent.value.push(node.value);
    else if (parent.key === null) parent.key = this.#key(parent, node, source, merge);
    else {
      const { key } = parent;
      parent.key = null;
      if (key.merge) this.#merge(parent, key, node.value);
      else if (key.text !== null) setOwn(parent.value, key.text, node.value);
    }
  }

  #key(mapping: OpenMapping, node: Node, source: string | undefined, merge: boolean): Key {
    const { place } = node;
    const text = keyText(node.value, source);
    if (text === null) {
      this.#addAt(node.value === null ? texts.emptyKey : texts.complexKey, place, mapping.place);
      return { text, merge: false, place };
    }
    if (!merge && Object.hasOwn(mapping.value, text) && mapping.merged?.delete(text) !== true) {
      this.#duplicate(mapping, text, place);
    }
    this.places.setKey(place, text, merge);
    // Set at once, so that keys keep the order of writing and a twin is seen before its value is read.
    if (!merge) setOwn(mapping.value, text, null);
    return { text, merge, place };
  }

  #duplicate(mapping: OpenMapping, text: string, place: number): void {
    // Nothing is lost where the earlier one has no value: everybody takes the later one.
    const isEmpty = mapping.value[text] === null;
    if (!isEmpty) this.#broken = true;
    if (this.#findings.full) return;
    const first = this.places.earlierKey(mapping.place, text);
    const other = this.#source.location(this.places.start(first), this.places.end(first));
    const here = this.#source.location(this.places.start(place), this.places.end(place));
    const found = texts.duplicateKey(text, other.line);
    this.#findings.add(isEmpty ? { ...found, severity: 'warning' } : found, here, other);
  }

  #merge(mapping: OpenMapping, key: Key, value: Json): void {
    const sources = isJsonArray(value) ? value : [value];
    for (const source of sources) {
      if (!isJsonObject(source)) {
        this.#addAt(texts.unfitMerge, key.place);
        return;
      }
      const keys = Object.keys(source);
      this.#mergedKeys += keys.length + 1;
      if (this.#mergedKeys > this.#limits.mergedKeys) {
        this.#addOnce(texts.tooManyMergedKeys(this.#limits.mergedKeys), key.place);
        return;
      }
      for (const name of keys) {
        if (Object.hasOwn(mapping.value, name)) continue;
        setOwn(mapping.value, name, source[name] ?? null);
        mapping.merged ??= new Set();
        mapping.merged.add(name);
      }
    }
  }

  #grow(open: OpenCollection, node: Node): void {
    open.nodes += node.nodes;
    open.length += node.length;
    if (node.height >= open.height) open.height = node.height + 1;
    if (open.nodes > this.#limits.expandedNodes || open.length > this.#limits.expandedLength) {
      this.#addOnce(texts.tooLarge, node.place);
    }
  }

  #setAnchor(event: ScalarEvent | SequenceEvent | MappingEvent, node: Node | null): Anchor | null {
    if (event.anchorStart === -1) return null;
    const anchor: Anchor = { node };
    this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), anchor);
    return anchor;
  }

  #tagName(event: ScalarEvent | SequenceEvent | MappingEvent): string {
    return fullTagName(this.#text.slice(event.tagStart, event.tagEnd), this.#directives);
  }

  /** Reports the first breach of a size in a document; more would only repeat it. */
  #addOnce(text: FindingText, place: number): void {
    if (this.#tooLarge) return;
    this.#tooLarge = true;
    this.#addAt(text, place);
  }

  #addAt(text: FindingText, place: number, otherwise = place): void {
    const shown = this.places.start(place) === -1 ? otherwise : place;
    this.#add(text, this.places.start(shown), Math.max(this.places.end(shown), this.places.start(shown) + 1));
  }

  #add(text: FindingText, start: number, end: number): void {
    if ((text.severity ?? 'error') === 'error') this.#broken = true;
    if (!this.#findings.full) this.#findings.add(text, this.#source.location(start, end));
  }
}
