/** Values by key, up to a total size; what was used longest ago goes first. */
export class ByteCache<V> {
  readonly #limitBytes: number;
  readonly #entries = new Map<string, { readonly value: V; readonly bytes: number }>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // A map keeps the order of insertion: putting it back makes it the newest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value; one that would take half of the cache for itself is not kept. */
  set(key: string, value: V, bytes: number): void {
    if (bytes * 2 > this.#limitBytes) return;
    this.#remove(key);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limitBytes) break;
      this.#remove(oldest);
    }
  }

  /** The sizes of what is kept, added up. */
  get bytes(): number {
    return this.#bytes;
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
