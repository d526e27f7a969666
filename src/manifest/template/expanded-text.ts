import type { Location } from '../../model/location.ts';
import { SourceText } from '../source-text.ts';

/** A stretch of an expanded text: a copy of the file, or what an action of the file brought. */
export interface Segment {
  /** Its offset in the expanded text. */
  readonly at: number;
  readonly length: number;
  /** The range of the file that it stands for. */
  readonly start: number;
  readonly end: number;
  /** The variables of the environment that it was made of; null for a copy. */
  readonly variables: readonly string[] | null;
}

/** The text of a file after its templates were carried out, whose places are those of the file as it was written. */
export class ExpandedText extends SourceText {
  readonly #original: SourceText;
  readonly #segments: readonly Segment[];

  constructor(original: SourceText, text: string, segments: readonly Segment[]) {
    super(original.file, text);
    this.#original = original;
    this.#segments = segments;
  }

  override location(start: number, end: number, pointer: string | null = null): Location {
    const from = this.#segment(start);
    const to = this.#segment(Math.max(start, end - 1));
    if (from === undefined || to === undefined) {
      const { length } = this.#original.text;
      return this.#original.location(from === undefined ? length : this.#mapped(from, start), length, pointer);
    }
    const last = to.variables === null ? this.#mapped(to, Math.max(start, end)) : to.end;
    return this.#original.location(this.#mapped(from, start), last, pointer);
  }

  /** The variables that what stands between two offsets was made of; null where all of it stands in the file. */
  variablesIn(start: number, end: number): readonly string[] | null {
    const found = this.#segments.filter(
      ({ at, length, variables }) => variables !== null && at < Math.max(end, start + 1) && at + length > start,
    );
    return found.length === 0 ? null : [...new Set(found.flatMap(({ variables }) => variables ?? []))];
  }

  /** Whether a place of the file is that of an action. */
  isOfAction({ line, column }: Location): boolean {
    return this.#segments.some((segment) => {
      if (segment.variables === null) return false;
      const place = this.#original.location(segment.start, segment.end);
      return place.line === line && place.column === column;
    });
  }

  #segment(offset: number): Segment | undefined {
    return this.#segments.find(({ at, length }) => offset >= at && offset < at + length);
  }

  #mapped(segment: Segment, offset: number): number {
    return segment.variables === null ? segment.start + offset - segment.at : segment.start;
  }
}
