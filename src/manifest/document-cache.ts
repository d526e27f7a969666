import type { ManifestLimits } from './limits.ts';
import type { ParsedFile } from './parse.ts';

interface Entry {
  readonly parsed: ParsedFile;
  readonly limits: ManifestLimits;
  readonly bytes: number;
}

/**
 * Parsed files by content and name, so that what did not change from one revision to the next is not parsed again.
 * Bounded by the size of the sources; what was not asked for longest goes first.
 */
export class DocumentCache {
  readonly #limitBytes: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** A cache for sources of up to so many bytes in all. What is kept takes several times as much memory. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** How many files are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** What a blob of this name was parsed to under the same limits, or null. */
  get(blob: string, file: string, limits: ManifestLimits): ParsedFile | null {
    const key = keyOf(blob, file);
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.limits !== limits) return null;
    // A Map keeps the order of insertion, so this makes the entry the youngest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.parsed;
  }

  set(blob: string, file: string, limits: ManifestLimits, parsed: ParsedFile, bytes: number): void {
    const key = keyOf(blob, file);
    this.#remove(key);
    if (bytes > this.#limitBytes) return;
    this.#entries.set(key, { parsed, limits, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limitBytes) break;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

function keyOf(blob: string, file: string): string {
  return `${blob} ${file}`;
}
