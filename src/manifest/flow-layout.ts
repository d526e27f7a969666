import { lineEnd } from './scan.ts';

/**
 * A text with the line breaks inside of its flow lists and mappings made blanks, or null where that changes nothing.
 * js-yaml 5 wants each line of `[…]` and `{…}` indented further than its parent, as the YAML specification does; decK
 * and Kubernetes read with libyaml's rules, which do not, and a closing bracket below its key is a common way to write.
 * All offsets stay. Only for texts that were refused for their indentation: what begins a flow is told by the look of
 * each line, which a plain text of several lines can mislead.
 */
export function flattenFlows(text: string): string | null {
  const scanner = new FlowScanner(text);
  scanner.scan();
  return scanner.blanked.length === 0 ? null : blank(text, scanner.blanked);
}

type Range = readonly [start: number, end: number];

class FlowScanner {
  readonly blanked: Range[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): void {
    while (this.#at < this.#text.length) this.#line();
  }

  /** Goes through one line from its beginning, or through as many as its values take. */
  #line(): void {
    const start = this.#at;
    let parent = -1;
    for (;;) {
      this.#skipBlanks();
      const column = this.#at - start;
      const sign = this.#text.charAt(this.#at);
      if (sign === '' || sign === '\n' || sign === '\r') break;
      if (sign === '#') this.#at = lineEnd(this.#text, this.#at);
      else if (/[-?:]/.test(sign) && this.#endsToken(this.#at + 1)) {
        if (sign !== ':') parent = column;
        this.#at += 1;
      } else if (sign === '&' || sign === '!') this.#word();
      else if (sign === '[' || sign === '{') this.#flow();
      else if (sign === '|' || sign === '>') {
        this.#block(parent);
        return;
      } else {
        parent = column;
        if (sign === '"' || sign === "'") this.#quoted(sign);
        else this.#plain();
      }
    }
    this.#at += this.#text.startsWith('\r\n', this.#at) ? 2 : 1;
  }

  #skipBlanks(): void {
    while (this.#text.charAt(this.#at) === ' ' || this.#text.charAt(this.#at) === '\t') this.#at += 1;
  }

  #endsToken(at: number): boolean {
    return at >= this.#text.length || /\s/.test(this.#text.charAt(at));
  }

  #word(): void {
    while (!this.#endsToken(this.#at)) this.#at += 1;
  }

  #quoted(quote: string): void {
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const sign = this.#text.charAt(this.#at);
      // Two single quotes within single quotes are one that is meant.
      const pair = quote === '"' ? sign === '\\' : this.#text.startsWith("''", this.#at);
      this.#at += pair ? 2 : 1;
      if (sign === quote && !pair) return;
    }
  }

  /** A plain text ends at a colon and blank, at a blank and number sign, or with its line. */
  #plain(): void {
    const end = lineEnd(this.#text, this.#at);
    while (this.#at < end) {
      const sign = this.#text.charAt(this.#at);
      if (sign === ':' && this.#endsToken(this.#at + 1)) return;
      if (sign === '#' && this.#endsToken(this.#at - 1)) return;
      this.#at += 1;
    }
  }

  /** Skips the lines of a block: those that are empty, or indented further than its parent. */
  #block(parent: number): void {
    this.#at = this.#nextLine(lineEnd(this.#text, this.#at));
    while (this.#at < this.#text.length) {
      const start = this.#at;
      this.#skipBlanks();
      const indent = this.#at - start;
      const end = lineEnd(this.#text, this.#at);
      if (this.#at < end && indent <= parent) {
        this.#at = start;
        return;
      }
      this.#at = this.#nextLine(end);
    }
  }

  #nextLine(end: number): number {
    return end + (this.#text.startsWith('\r\n', end) ? 2 : 1);
  }

  #flow(): void {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const sign = this.#text.charAt(this.#at);
      if (sign === '"' || sign === "'") {
        // Within a plain text a quote is a letter like any other.
        if (/[[\]{},:\s]/.test(this.#text.charAt(this.#at - 1))) this.#quoted(sign);
        else this.#at += 1;
      } else if (sign === '\n' || sign === '\r' || (sign === '#' && this.#endsToken(this.#at - 1))) this.#break();
      else {
        this.#at += 1;
        if (sign === '[' || sign === '{') depth += 1;
        else if (sign === ']' || sign === '}') depth -= 1;
        if (depth === 0) return;
      }
    }
  }

  /** Blanks comments and line breaks between two tokens; a plain text that goes over a line stays as it is. */
  #break(): void {
    const start = this.#at;
    for (;;) {
      const sign = this.#text.charAt(this.#at);
      if (sign === '#' && this.#endsToken(this.#at - 1)) this.#at = lineEnd(this.#text, this.#at);
      else if (sign !== '' && /\s/.test(sign)) this.#at += 1;
      else break;
    }
    const before = this.#text
      .slice(Math.max(0, start - 200), start)
      .trimEnd()
      .slice(-1);
    const after = this.#text.charAt(this.#at);
    if (/[[{,:]/.test(before) || /[\]},]/.test(after)) this.blanked.push([start, this.#at]);
  }
}

function blank(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    parts.push(text.slice(at, start), ' '.repeat(end - start));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
