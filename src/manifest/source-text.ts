import type { Location } from '../model/location.ts';

/** The text of one file, and the lines and columns of offsets in it. Offsets and columns count UTF-16 units. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  #lineStarts: Int32Array | null = null;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  /** The range between two offsets, the end exclusive. Offsets past the end stand for the end. */
  location(start: number, end: number, pointer: string | null = null): Location {
    const from = this.#place(start);
    const to = this.#place(Math.max(start, end));
    return {
      file: this.file,
      line: from.line,
      column: from.column,
      endLine: to.line,
      endColumn: to.column,
      pointer,
    };
  }

  /** The line of an offset, from 1. */
  line(offset: number): number {
    return this.#place(offset).line;
  }

  /** The offset at which the line of an offset starts. */
  lineStart(offset: number): number {
    return this.#starts()[this.line(offset) - 1] ?? 0;
  }

  #place(offset: number): { readonly line: number; readonly column: number } {
    const bounded = Math.min(Math.max(offset, 0), this.text.length);
    const starts = this.#starts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= bounded) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: bounded - (starts[low] ?? 0) + 1 };
  }

  #starts(): Int32Array {
    if (this.#lineStarts !== null) return this.#lineStarts;
    const starts = [0];
    const { text } = this;
    // Two native searches are far quicker than a look at every character.
    let feed = text.indexOf('\n');
    let carriage = text.indexOf('\r');
    while (feed !== -1 || carriage !== -1) {
      if (carriage !== -1 && (feed === -1 || carriage < feed)) {
        const after = carriage + 1 === feed ? carriage + 2 : carriage + 1;
        starts.push(after);
        if (after === carriage + 2) feed = text.indexOf('\n', after);
        carriage = text.indexOf('\r', after);
      } else {
        starts.push(feed + 1);
        feed = text.indexOf('\n', feed + 1);
      }
    }
    this.#lineStarts = Int32Array.from(starts);
    return this.#lineStarts;
  }
}
