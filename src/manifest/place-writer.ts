import {
  type AliasEvent,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { type Places, placeKind } from './places.ts';
import { skipTo, trimEnd } from './scan.ts';

/**
 * Notes the places of a file from a parser's events, in their order. The events give no ends of collections, no signs of
 * blocks and no dashes, so these are looked for in the text from where the last token ended.
 */
export class PlaceWriter {
  readonly places: Places;
  /** The text as it was parsed. */
  readonly #text: string;
  #cursor = 0;

  /** `capacity` is the number of events that are values or keys. */
  constructor(places: Places, parsed: string) {
    this.places = places;
    this.#text = parsed;
  }

  /** Whether a collection has brackets or braces of its own: not so a pair in a flow list, as in `[a: 1]`. */
  isBracketed(event: SequenceEvent | MappingEvent, next: Event | undefined): boolean {
    if (event.style !== COLLECTION_STYLE.FLOW) return false;
    if (event.type === EVENT_ID.SEQUENCE) return true;
    if (this.#text.charAt(event.start) !== '{') return false;
    return next === undefined || !('start' in next) || next.start !== event.start;
  }

  open(event: SequenceEvent | MappingEvent, bracketed: boolean): number {
    this.#cursor = bracketed ? event.start + 1 : Math.max(this.#cursor, event.start);
    const kind = event.type === EVENT_ID.SEQUENCE ? placeKind.sequence : placeKind.mapping;
    return this.places.add(kind, event.start, event.start);
  }

  close(place: number, bracketed: boolean): void {
    if (bracketed) {
      const at = skipTo(this.#text, this.#cursor, ',:?');
      if (at < this.#text.length) this.#cursor = at + 1;
    }
    this.places.close(place, this.#cursor);
  }

  /** An alias; without what it stands for, it has a place but no value. */
  alias(event: AliasEvent, standsFor: number | null): number {
    const start = event.anchorStart - 1;
    this.#cursor = event.anchorEnd;
    return standsFor === null
      ? this.places.add(placeKind.empty, start, event.anchorEnd)
      : this.places.add(placeKind.alias, start, event.anchorEnd, standsFor);
  }

  scalar(event: ScalarEvent, inBlockList: boolean): number {
    const { style, valueStart: start, valueEnd: end } = event;
    if (start === -1) return this.#empty(event, inBlockList);
    switch (style) {
      case SCALAR_STYLE.PLAIN:
        this.#cursor = end;
        return this.places.add(placeKind.plain, start, end);
      case SCALAR_STYLE.SINGLE_QUOTED:
        this.#cursor = end + 1;
        return this.places.add(placeKind.singleQuoted, start - 1, end + 1);
      case SCALAR_STYLE.DOUBLE_QUOTED:
        this.#cursor = end + 1;
        return this.places.add(placeKind.doubleQuoted, start - 1, end + 1);
      case SCALAR_STYLE.LITERAL_BLOCK:
      case SCALAR_STYLE.FOLDED_BLOCK:
        return this.#block(event);
    }
  }

  /** A block begins with its sign and ends with its last line that is not empty. */
  #block(event: ScalarEvent): number {
    const { valueStart, valueEnd, indent } = event;
    const from = Math.max(this.#cursor, event.tagEnd, event.anchorEnd);
    const sign = Math.min(skipTo(this.#text, from, ':?-'), valueStart);
    this.#cursor = trimEnd(this.#text, sign, valueEnd);
    const kind = event.style === SCALAR_STYLE.LITERAL_BLOCK ? placeKind.literal : placeKind.folded;
    return this.places.add(kind, sign, this.#cursor, indent);
  }

  /** The place of a value that was left out: its tag or anchor, or the dash of its list item; else that of its key. */
  #empty(event: ScalarEvent, inBlockList: boolean): number {
    if (event.tagStart !== -1 || event.anchorStart !== -1) {
      this.#cursor = Math.max(event.tagEnd, event.anchorEnd);
      const [start, end] =
        event.tagStart !== -1 ? [event.tagStart, event.tagEnd] : [event.anchorStart - 1, event.anchorEnd];
      return this.places.add(placeKind.empty, start, end);
    }
    if (inBlockList) {
      const dash = skipTo(this.#text, this.#cursor, ':?');
      if (this.#text.charAt(dash) === '-') {
        this.#cursor = dash + 1;
        return this.places.add(placeKind.empty, dash, dash + 1);
      }
    }
    return this.places.add(placeKind.empty, -1, -1);
  }
}
