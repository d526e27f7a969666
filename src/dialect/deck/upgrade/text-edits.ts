import type { Location } from '../../../model/location.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits of a text at known places; all else of it stays as it is, comments and layout included. */
export class TextEdits {
  readonly text: string;
  readonly #edits = new Map<number, Edit>();
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.text = text;
    const starts = [0];
    for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
    this.#lineStarts = starts;
  }

  /** How the text ends its lines. */
  get newline(): string {
    return this.text.includes('\r\n') ? '\r\n' : '\n';
  }

  /** Whether anything is edited. */
  get isEmpty(): boolean {
    return this.#edits.size === 0;
  }

  /** The offset of a line and column, each from 1. */
  offset(line: number, column: number): number {
    return (this.#lineStarts[line - 1] ?? this.text.length) + column - 1;
  }

  /** The text at a place. */
  at({ line, column, endLine, endColumn }: Location): string {
    return this.text.slice(this.offset(line, column), this.offset(endLine, endColumn));
  }

  /** The text of a line before a column. */
  before({ line, column }: Location): string {
    return this.text.slice(this.offset(line, 1), this.offset(line, column));
  }

  /** The rest of a line from a column on, without its line break. */
  restOfLine(line: number, column: number): string {
    return /^[^\r\n]*/.exec(this.text.slice(this.offset(line, column)))?.[0] ?? '';
  }

  /** Replaces what stands at a place. A place that is edited already (several aliases of one anchor) keeps its edit. */
  replace({ line, column, endLine, endColumn }: Location, text: string): void {
    this.#put({ start: this.offset(line, column), end: this.offset(endLine, endColumn), text });
  }

  /** Puts a text before an offset. */
  insert(offset: number, text: string): void {
    this.#put({ start: offset, end: offset, text });
  }

  /** Replaces whole lines, from the first to the last. An empty text removes them. */
  replaceLines(first: number, last: number, text: string): void {
    this.#put({ start: this.offset(first, 1), end: this.offset(last + 1, 1), text });
  }

  /** The text with all edits made. */
  apply(): string {
    let result = '';
    let at = 0;
    for (const { start, end, text } of [...this.#edits.values()].sort((a, b) => a.start - b.start)) {
      // Of edits that overlap, the one that begins first covers the other.
      if (start < at) continue;
      result += this.text.slice(at, start) + text;
      at = end;
    }
    return result + this.text.slice(at);
  }

  #put(edit: Edit): void {
    if (!this.#edits.has(edit.start)) this.#edits.set(edit.start, edit);
  }
}
