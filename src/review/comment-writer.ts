import { cutTo } from './words.ts';

/** Writes Markdown up to a bound, the most important first, and remembers what was left out. */
export class CommentWriter {
  readonly #blocks: string[] = [];
  readonly #omitted: string[] = [];
  readonly #limit: number;
  #size = 0;

  /** `limit` is in UTF-16 units, of which no forge counts more than there are. */
  constructor(limit: number) {
    this.#limit = Math.max(0, limit - reserve);
  }

  /** How much room there is. */
  get room(): number {
    return this.#limit - this.#size;
  }

  /** Adds a block, or notes that it was left out, in the words given; says whether it was added. */
  block(text: string, omitted: string): boolean {
    if (text.length + separator.length > this.room) {
      this.#omitted.push(omitted);
      return false;
    }
    this.#blocks.push(text);
    this.#size += text.length + separator.length;
    return true;
  }

  /**
   * Adds a block of items, one a line, between what opens and closes it: as many as fit, but at most `most`, and how
   * many more there are. `what` names the items for what is said at the end.
   */
  list(
    opening: string,
    items: readonly string[],
    closing: string,
    { most, what }: { readonly most: number; readonly what: string },
  ): void {
    if (items.length === 0) return;
    const shown: string[] = [];
    let size = opening.length + closing.length + separator.length + moreRoom;
    for (const item of items.slice(0, most)) {
      size += item.length + 1;
      if (size > this.room) break;
      shown.push(item);
    }
    const rest = items.length - shown.length;
    if (shown.length === 0) {
      this.#omitted.push(`${rest} ${what}`);
      return;
    }
    if (rest > 0 && shown.length < most) this.#omitted.push(`${rest} ${what}`);
    const more = rest === 0 ? [] : [`- … and ${rest} more`];
    const text = `${opening}${[...shown, ...more].join('\n')}${closing}`;
    this.#blocks.push(text);
    this.#size += text.length + separator.length;
  }

  /** Notes that something was left out. */
  omit(what: string): void {
    this.#omitted.push(what);
  }

  /** All of it. */
  text(): string {
    const left = this.#omitted.length === 0 ? [] : [`_Left out for want of room: ${listed(this.#omitted)}._`];
    return `${[...this.#blocks, ...left].join(separator)}\n`;
  }
}

const separator = '\n\n';
/** Room for what is said of what was left out. */
const reserve = 400;
/** Room for how many more items there are. */
const moreRoom = 40;

function listed(omitted: readonly string[]): string {
  const most = 4;
  const shown = omitted.slice(0, most).map((text) => cutTo(text, 80));
  return omitted.length <= most ? shown.join(', ') : `${shown.join(', ')} and more`;
}
