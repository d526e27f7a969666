import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../../platform/log.ts';

/** A small file that is replaced whole whenever something in it has changed. Where it cannot be written, that is said. */
export class KeptFile {
  readonly #path: string;
  readonly #log: Log;
  readonly #failed: string;
  #writing: Promise<void> = Promise.resolve();
  #isDirty = false;

  /** `failed` is what is logged where it cannot be written. */
  constructor(path: string, log: Log, failed: string) {
    this.#path = path;
    this.#log = log;
    this.#failed = failed;
  }

  /** What it holds; null where it is missing or cannot be read. */
  async read(): Promise<string | null> {
    return await readFile(this.#path, 'utf8').catch(() => null);
  }

  /** Has it written soon. Several changes at once are one write of what `text` gives by then. */
  write(text: () => string): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#writing = this.#writing.then(async () => {
      this.#isDirty = false;
      await this.#replace(text());
    });
  }

  /** Resolves when all that was kept is on disk, or could not be written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #replace(text: string): Promise<void> {
    try {
      await mkdir(dirname(this.#path), { recursive: true });
      await writeFile(`${this.#path}.new`, text);
      await rename(`${this.#path}.new`, this.#path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      this.#log.warn({ code, unaffected: 'every destination' }, this.#failed);
    }
  }
}
