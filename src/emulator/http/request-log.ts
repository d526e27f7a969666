import type { JsonObject } from '../../model/json.ts';

/** One request as the log has it. */
export interface LogEntry {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Null where no answer was sent. */
  readonly status: number | null;
  /** How long the emulator itself worked, in milliseconds, its answer written out: no waiting in it. */
  readonly workMs: number;
}

/** How many requests there were. `/schemas/…/validate` counts as a read: it changes nothing. */
export interface Counters extends JsonObject {
  readonly reads: number;
  readonly writes: number;
  readonly byMethod: { readonly [method: string]: number };
  /** How long the emulator itself worked on all of them, in milliseconds. */
  readonly workMs: number;
}

/** How many requests are kept; counters go on beyond it. */
const kept = 100_000;

/** The requests that came in, and how many. */
export class RequestLog {
  #entries: LogEntry[] = [];
  #reads = 0;
  #writes = 0;
  #workMs = 0;
  readonly #byMethod = new Map<string, number>();

  /** Notes a request. */
  add(entry: LogEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * kept) this.#entries = this.#entries.slice(-kept);
    if (isRead(entry)) this.#reads += 1;
    else this.#writes += 1;
    this.#workMs += entry.workMs;
    this.#byMethod.set(entry.method, (this.#byMethod.get(entry.method) ?? 0) + 1);
  }

  /** The last requests, oldest first. */
  entries(): readonly LogEntry[] {
    return this.#entries.slice(-kept);
  }

  /** How many there were since the log was cleared. */
  counters(): Counters {
    const byMethod = Object.fromEntries(this.#byMethod);
    return { reads: this.#reads, writes: this.#writes, byMethod, workMs: this.#workMs };
  }

  /** Forgets all of them. */
  clear(): void {
    this.#entries = [];
    [this.#reads, this.#writes, this.#workMs] = [0, 0, 0];
    this.#byMethod.clear();
  }
}

function isRead({ method, path }: LogEntry): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method) || /\/schemas\/.*\/validate(\?|$)/.test(path);
}
