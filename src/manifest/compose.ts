import {
  type AliasEvent,
  COLLECTION_STYLE,
  type DocumentDirective,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { isJsonArray, isJsonObject, type Json } from '../model/json.ts';
import * as texts from './compose-findings.ts';
import type { Findings, FindingText } from './findings.ts';
import type { ManifestLimits } from './limits.ts';
import { type PlaceKind, Places, placeKind } from './places.ts';
import { numberProblem, readPlain, readTagged } from './scalars.ts';
import { skipTo, trimEnd } from './scan.ts';
import type { SourceText } from './source-text.ts';
import { fullTagName, tagNames } from './tags.ts';
import type { Masked } from './template-mask.ts';

/** A document's value and its root place; broken when one of its findings is an error. */
export interface Composed {
  readonly value: Json;
  readonly root: number;
  readonly broken: boolean;
}

/** How large a value is when every alias in it is written out. */
interface Size {
  nodes: number;
  length: number;
  height: number;
}

interface Node extends Size {
  readonly place: number;
  readonly value: Json;
}

interface Anchor {
  node: Node;
  open: boolean;
}

interface Frame {
  readonly place: number;
  readonly flow: boolean;
  readonly list: Json[] | null;
  readonly object: { [key: string]: Json };
  readonly size: Size;
  readonly anchor: Anchor | null;
  /** The key that waits for its value, of a mapping. */
  key: Key | null;
  /** Keys that came in by a merge, which a written key replaces. */
  merged: Set<string> | null;
}

interface Key {
  /** Null for a key that cannot be one. */
  readonly text: string | null;
  readonly merge: boolean;
  readonly place: number;
}

/**
 * Values and places from a parser's events. Does the work of js-yaml's own constructor, because all findings are wanted
 * rather than the first, a clash with both its places, and a bomb of aliases counted before it goes off.
 */
export class Composer {
  readonly places: Places;
  readonly #source: SourceText;
  readonly #text: string;
  readonly #masked: Masked | null;
  readonly #limits: ManifestLimits;
  readonly #findings: Findings;
  #frames: Frame[] = [];
  #root: Node | null = null;
  #anchors = new Map<string, Anchor>();
  #directives: readonly DocumentDirective[] = [];
  #broken = false;
  #aliases = 0;
  #mergedKeys = 0;
  #tooLarge = false;
  /** Where the last token ended: what the events do not say is looked for from here. */
  #cursor = 0;

  constructor(source: SourceText, masked: Masked | null, limits: ManifestLimits, findings: Findings, capacity: number) {
    this.places = new Places(source.text, capacity);
    this.#source = source;
    this.#text = masked?.text ?? source.text;
    this.#masked = masked;
    this.#limits = limits;
    this.#findings = findings;
  }

  /** The documents of a whole file, in order. */
  compose(events: readonly Event[]): readonly Composed[] {
    const documents: Composed[] = [];
    for (const [index, event] of events.entries()) {
      switch (event.type) {
        case EVENT_ID.DOCUMENT:
          this.#startDocument(event.directives);
          break;
        case EVENT_ID.SCALAR:
          this.#scalar(event);
          break;
        case EVENT_ID.SEQUENCE:
          this.#startCollection(event, placeKind.sequence, false);
          break;
        case EVENT_ID.MAPPING:
          this.#startCollection(event, placeKind.mapping, this.#isPair(event, events[index + 1]));
          break;
        case EVENT_ID.ALIAS:
          this.#alias(event);
          break;
        case EVENT_ID.POP:
          if (this.#frames.length > 0) this.#endCollection();
          else documents.push({ value: this.#root?.value ?? null, root: this.#root?.place ?? 0, broken: this.#broken });
          break;
      }
    }
    return documents;
  }

  #startDocument(directives: readonly DocumentDirective[]): void {
    this.#frames = [];
    this.#root = null;
    this.#anchors = new Map();
    this.#directives = directives;
    this.#broken = false;
    this.#aliases = 0;
    this.#tooLarge = false;
  }

  /** Whether a mapping has no braces of its own: a pair in a flow list, as in `[a: 1]`. */
  #isPair(event: MappingEvent, next: Event | undefined): boolean {
    if (event.style !== COLLECTION_STYLE.FLOW) return false;
    if (this.#text.charAt(event.start) !== '{') return true;
    return next !== undefined && 'start' in next && next.start === event.start;
  }

  #startCollection(event: SequenceEvent | MappingEvent, kind: PlaceKind, pair: boolean): void {
    const place = this.places.add(kind, event.start, event.start);
    const expected = kind === placeKind.sequence ? tagNames.sequence : tagNames.mapping;
    if (event.tagStart !== -1 && ![expected, '!'].includes(this.#tagName(event))) {
      this.#add(texts.unknownTag, event.tagStart, event.tagEnd);
    }
    const list: Json[] | null = kind === placeKind.sequence ? [] : null;
    const object: { [key: string]: Json } = {};
    const size: Size = { nodes: 1, length: 0, height: 1 };
    const anchor = this.#setAnchor(event, { ...size, place, value: list ?? object }, true);
    const flow = event.style === COLLECTION_STYLE.FLOW && !pair;
    this.#frames.push({ place, flow, list, object, size, anchor, key: null, merged: null });
    this.#cursor = flow ? event.start + 1 : Math.max(this.#cursor, event.start);
  }

  #endCollection(): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    if (frame.flow) {
      const at = skipTo(this.#text, this.#cursor, ',:?');
      if (at < this.#text.length) this.#cursor = at + 1;
    }
    this.places.close(frame.place, this.#cursor);
    const node: Node = { ...frame.size, place: frame.place, value: frame.list ?? frame.object };
    if (frame.anchor !== null) {
      frame.anchor.node = node;
      frame.anchor.open = false;
    }
    this.#put(node);
  }

  #scalar(event: ScalarEvent): void {
    const written = getScalarValue(this.#text, event);
    const source = this.#masked === null ? written : this.#masked.restore(written, event);
    const place = this.#scalarPlace(event);
    const value = this.#scalarValue(event, source, place);
    const node: Node = { place, value, nodes: 1, length: source.length, height: 0 };
    this.#setAnchor(event, node, false);
    this.#put(node, source, event.style === SCALAR_STYLE.PLAIN && source === '<<' && event.tagStart === -1);
  }

  #scalarValue(event: ScalarEvent, source: string, place: number): Json {
    if (event.tagStart !== -1) return this.#taggedValue(event, source, place);
    if (event.style !== SCALAR_STYLE.PLAIN) {
      if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast && loneSurrogate.test(source)) {
        this.#addAt(texts.loneSurrogate, place);
      }
      return source;
    }
    const value = readPlain(source);
    const problem = typeof value === 'number' || isNumberLike(source) ? numberProblem(source, value) : null;
    // A key is a text whatever it looks like, so nothing of it is lost.
    if (problem !== null && !this.#awaitsKey()) this.#addAt(problem, place);
    return value;
  }

  #taggedValue(event: ScalarEvent, source: string, place: number): Json {
    const name = this.#tagName(event);
    if (name === tagNames.sequence && source === '') return [];
    if (name === tagNames.mapping && source === '') return {};
    const read = readTagged(source, name);
    if (!read.known || read.value === undefined) {
      const text = read.known || isCollectionTag(name) ? texts.unfitTag : texts.unknownTag;
      this.#add(text, event.tagStart, event.tagEnd);
      return source;
    }
    const problem = typeof read.value === 'number' ? numberProblem(source, read.value) : null;
    if (problem !== null) this.#addAt(problem, place);
    return read.value;
  }

  #scalarPlace(event: ScalarEvent): number {
    const { style, valueStart: start, valueEnd: end } = event;
    if (start === -1) return this.#emptyPlace(event);
    switch (style) {
      case SCALAR_STYLE.PLAIN:
        this.#cursor = end;
        return this.places.add(placeKind.plain, start, end);
      case SCALAR_STYLE.SINGLE_QUOTED:
      case SCALAR_STYLE.DOUBLE_QUOTED: {
        this.#cursor = end + 1;
        const kind = style === SCALAR_STYLE.SINGLE_QUOTED ? placeKind.singleQuoted : placeKind.doubleQuoted;
        return this.places.add(kind, start - 1, end + 1);
      }
      case SCALAR_STYLE.LITERAL_BLOCK:
      case SCALAR_STYLE.FOLDED_BLOCK: {
        const from = Math.max(this.#cursor, event.tagEnd, event.anchorEnd);
        const header = Math.min(skipTo(this.#text, from, ':?-'), start);
        this.#cursor = trimEnd(this.#text, start, end);
        const kind = style === SCALAR_STYLE.LITERAL_BLOCK ? placeKind.literal : placeKind.folded;
        const last = Math.max(this.#cursor, header + 1);
        return this.places.add(
          kind,
          header,
          last === start ? trimEnd(this.#text, header + 1, start) : last,
          event.indent,
        );
      }
    }
  }

  /** The place of a value that was left out: its tag, or the dash of its list item; else -1, for that of its key. */
  #emptyPlace(event: ScalarEvent): number {
    if (event.tagStart !== -1) {
      this.#cursor = Math.max(event.tagEnd, event.anchorEnd);
      return this.places.add(placeKind.empty, event.tagStart, event.tagEnd);
    }
    if (event.anchorStart !== -1) {
      this.#cursor = event.anchorEnd;
      return this.places.add(placeKind.empty, event.anchorStart - 1, event.anchorEnd);
    }
    const frame = this.#frames.at(-1);
    if (frame !== undefined && frame.list !== null && !frame.flow) {
      const dash = skipTo(this.#text, this.#cursor, ':?');
      if (this.#text.charAt(dash) === '-') {
        this.#cursor = dash + 1;
        return this.places.add(placeKind.empty, dash, dash + 1);
      }
    }
    return this.places.add(placeKind.empty, -1, -1);
  }

  #alias(event: AliasEvent): void {
    const [start, end] = [event.anchorStart - 1, event.anchorEnd];
    this.#cursor = end;
    this.#aliases += 1;
    if (this.#aliases === this.#limits.aliases + 1) this.#add(texts.tooManyAliases(this.#limits.aliases), start, end);
    // The name is not shown: an unquoted password may begin with an asterisk.
    const anchor = this.#anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd));
    const broken = anchor === undefined ? texts.unknownAlias : anchor.open ? texts.cyclicAlias : null;
    if (anchor === undefined || broken !== null) {
      this.#add(broken ?? texts.unknownAlias, start, end);
      const place = this.places.add(placeKind.empty, start, end);
      this.#put({ place, value: null, nodes: 1, length: 0, height: 0 });
      return;
    }
    const { node } = anchor;
    const place = this.places.add(placeKind.alias, start, end, node.place);
    if (this.#frames.length + node.height > this.#limits.depth) {
      this.#addOnce(texts.tooDeep(this.#limits.depth), place);
    }
    this.#put({ ...node, place }, typeof node.value === 'string' ? node.value : undefined);
  }

  /** Puts a finished value where it belongs; `source` is a scalar's text, which makes a key. */
  #put(node: Node, source?: string, merge = false): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      this.#root = node;
      return;
    }
    this.#grow(frame, node);
    if (frame.list !== null) frame.list.push(node.value);
    else if (frame.key === null) frame.key = this.#key(frame, node, source, merge);
    else {
      const { key } = frame;
      frame.key = null;
      if (key.merge) this.#merge(frame, key, node.value);
      else if (key.text !== null) setOwn(frame.object, key.text, node.value);
    }
  }

  #key(frame: Frame, node: Node, source: string | undefined, merge: boolean): Key {
    const { place } = node;
    const text = keyText(node.value, source);
    if (text === null) {
      this.#addAt(node.value === null ? texts.emptyKey : texts.complexKey, place, frame.place);
      return { text, merge: false, place };
    }
    if (!merge && Object.hasOwn(frame.object, text) && frame.merged?.delete(text) !== true) {
      this.#duplicate(frame, text, place);
    }
    this.places.setKey(place, text, merge);
    // Set at once, so that keys keep the order of writing and a twin is seen before its value is read.
    if (!merge) setOwn(frame.object, text, null);
    return { text, merge, place };
  }

  #duplicate(frame: Frame, text: string, place: number): void {
    this.#broken = true;
    if (this.#findings.full) return;
    const first = this.places.earlierKey(frame.place, text);
    const other = this.#source.location(this.places.start(first), this.places.end(first));
    const here = this.#source.location(this.places.start(place), this.places.end(place));
    this.#findings.add(texts.duplicateKey(text, other.line), here, other);
  }

  #merge(frame: Frame, key: Key, value: Json): void {
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
        if (Object.hasOwn(frame.object, name)) continue;
        setOwn(frame.object, name, source[name] ?? null);
        frame.merged ??= new Set();
        frame.merged.add(name);
      }
    }
  }

  #grow(frame: Frame, node: Node): void {
    const { size } = frame;
    size.nodes += node.nodes;
    size.length += node.length;
    size.height = Math.max(size.height, node.height + 1);
    if (size.nodes > this.#limits.expandedNodes || size.length > this.#limits.expandedLength) {
      this.#addOnce(texts.tooLarge, node.place);
    }
  }

  #setAnchor(event: ScalarEvent | SequenceEvent | MappingEvent, node: Node, open: boolean): Anchor | null {
    if (event.anchorStart === -1) return null;
    const anchor: Anchor = { node, open };
    this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), anchor);
    return anchor;
  }

  #awaitsKey(): boolean {
    const frame = this.#frames.at(-1);
    return frame !== undefined && frame.list === null && frame.key === null;
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

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Whether a plain text begins as a number does and holds a digit. */
function isNumberLike(text: string): boolean {
  const unit = text.charCodeAt(0);
  return (unit >= 48 && unit <= 57) || ((unit === 43 || unit === 45 || unit === 46) && text.length > 1);
}

function isCollectionTag(name: string): boolean {
  return name === tagNames.sequence || name === tagNames.mapping;
}

/** The text of a key: a scalar as it was written, for JSON's keys are texts. Null where it cannot be a key. */
function keyText(value: Json, source: string | undefined): string | null {
  if (value === null || typeof value === 'object') return null;
  return source ?? String(value);
}

/** Sets a property of an object's own, `__proto__` too. */
function setOwn(object: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}
