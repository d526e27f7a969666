import { z } from 'zod';
import type { ForgeClient, Whole } from './forge-client.ts';

/** Pages that are read of one list at most, so that no forge can keep us reading. */
export const mostPages = 50;

/** How much is kept for conditions that may still hold. */
export interface Keeping {
  /** Pages. */
  readonly pages: number;
  /** Answers longer than this, in characters, are asked for again. */
  readonly length: number;
  /** How many items a page has at most. A last page that is full stays as it is when another one comes after it. */
  readonly full: number;
}

interface Kept<T> {
  readonly etag: string;
  readonly items: readonly T[];
  readonly next: string | null;
}

/**
 * Lists whose pages are linked by a `Link` header (RFC 8288), asked for under the condition of the last answer where it
 * came with an entity tag (RFC 9110, 13.1.2). Of a link only the query is taken: the token goes to no other address.
 */
export class LinkedPages<T> {
  readonly #client: ForgeClient;
  readonly #schema: z.ZodType<readonly T[]>;
  readonly #keeping: Keeping;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(client: ForgeClient, item: z.ZodType<T>, keeping: Keeping) {
    this.#client = client;
    this.#schema = z.array(item);
    this.#keeping = keeping;
  }

  /** All items, page by page as they are taken. `path` has a query. Throws Failure. */
  async *all(path: string, signal: AbortSignal): AsyncGenerator<T> {
    const address = path.replace(/\?.*/s, '');
    let asked: string | null = path;
    for (let read = 0; read < mostPages && asked !== null; read += 1) {
      const page: Pick<Kept<T>, 'items' | 'next'> = await this.#page(asked, signal);
      yield* page.items;
      asked = page.next === null ? null : `${address}${page.next}`;
    }
  }

  async #page(path: string, signal: AbortSignal): Promise<Pick<Kept<T>, 'items' | 'next'>> {
    const kept = this.#kept.get(path);
    const condition = kept === undefined ? {} : { headers: { 'if-none-match': kept.etag }, accept: [304] };
    const request = { method: 'GET', path, ...condition } as const;
    const whole: Whole<readonly T[]> = await this.#client.readWhole(request, this.#schema, signal);
    this.#kept.delete(path);
    if (whole.data === null) {
      if (kept === undefined) return { items: [], next: null };
      this.#keep(path, kept);
      return kept;
    }
    const page = { items: whole.data, next: nextQuery(whole.headers['link']) };
    const etag = whole.headers['etag'];
    const mayGrowUnseen = page.next === null && page.items.length >= this.#keeping.full;
    if (etag !== undefined && !mayGrowUnseen && whole.length <= this.#keeping.length)
      this.#keep(path, { etag, ...page });
    return page;
  }

  /** The page that was used longest ago makes room. */
  #keep(path: string, page: Kept<T>): void {
    this.#kept.set(path, page);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > this.#keeping.pages) this.#kept.delete(oldest);
  }
}

/** The query of the link to the next page, with its `?`; null where there is none. */
export function nextQuery(link: string | undefined): string | null {
  for (const [, address = '', parameters = ''] of (link ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel="?(?:[^"]*\s)?next\b/i.test(parameters)) return queryOf(address);
  }
  return null;
}

/** The query of an address, with its `?`; null where it is no address. */
export function queryOf(address: string): string | null {
  return URL.canParse(address, 'https://forge.invalid') ? new URL(address, 'https://forge.invalid').search : null;
}
