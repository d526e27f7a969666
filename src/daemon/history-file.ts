import { appendFile, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../platform/make-folder.ts';

/** The size beyond which the older half of a log is let go, in bytes. */
const limitBytes = 1024 * 1024;

/**
 * A log of one line of JSON for each entry, added to and never changed. A process that is killed leaves half a line at
 * most, which is passed over; a disk that is full costs the entries of that time, but for those that have to last, which
 * are written as soon as there is room.
 */
export class HistoryFile {
  readonly #path: string;
  readonly #limitBytes: number;
  readonly #lasting: (entry: unknown) => string | null;
  #size: number | null = null;
  /** Lines that could not be written and have to last, the newest for each word. */
  readonly #owed = new Map<string, string>();
  #writing: Promise<void> = Promise.resolve();

  /** The newest entry that `lasting` gives each of its words for is never let go. */
  constructor(path: string, limit = limitBytes, lasting: (entry: unknown) => string | null = () => null) {
    this.#path = path;
    this.#limitBytes = limit;
    this.#lasting = lasting;
  }

  /** Adds an entry, after those before it. Rejects where it could not be written. */
  append(entry: object): Promise<void> {
    const added = this.#writing.then(() => this.#write(entry));
    this.#writing = added.catch(() => undefined);
    return added;
  }

  /** Every entry that can be read, oldest first. What was never written has none. */
  async entries(): Promise<readonly unknown[]> {
    await this.#writing;
    return (await this.#lines()).flatMap(parsed);
  }

  /** Waits until all that was added is written, or was given up. */
  async settled(): Promise<void> {
    await this.#writing;
    if (this.#owed.size === 0) return;
    this.#writing = this.#add('').catch(() => undefined);
    await this.#writing;
  }

  async #write(entry: object): Promise<void> {
    const line = `${JSON.stringify(entry)}\n`;
    try {
      await this.#add(line);
    } catch (thrown) {
      const word = this.#lasting(entry);
      if (word !== null) {
        this.#owed.delete(word);
        this.#owed.set(word, line);
      }
      throw thrown;
    }
    if ((this.#size ?? 0) > this.#limitBytes) await this.#shorten();
  }

  async #add(line: string): Promise<void> {
    const text = `${[...this.#owed.values()].join('')}${line}`;
    const size = this.#size ?? (await this.#begin());
    // Part of it may be there where it fails: what comes then begins anew.
    this.#size = null;
    await appendFile(this.#path, text);
    this.#size = size + Buffer.byteLength(text);
    this.#owed.clear();
  }

  /** Ends the half line that a killed process may have left, so that the next entry has a line of its own. */
  async #begin(): Promise<number> {
    await makeFolder(dirname(this.#path));
    const file = await open(this.#path, 'a+');
    try {
      const { size } = await file.stat();
      if (size === 0) return 0;
      const last = Buffer.alloc(1);
      await file.read(last, 0, 1, size - 1);
      if (last[0] === 0x0a) return size;
      await file.appendFile('\n');
      return size + 1;
    } finally {
      await file.close();
    }
  }

  /** Keeps the newer half: in a file beside it first, so that nothing is lost when that fails or is cut short. */
  async #shorten(): Promise<void> {
    const lines = await this.#lines();
    const kept: string[] = [];
    const known = new Set<string>();
    let size = 0;
    for (const line of lines.toReversed()) {
      const [word = null] = parsed(line).map(this.#lasting);
      size += Buffer.byteLength(line) + 1;
      if (size <= this.#limitBytes / 2 || (word !== null && !known.has(word))) kept.push(line);
      if (word !== null) known.add(word);
    }
    const beside = `${this.#path}.new`;
    const text = kept.reverse().map((line) => `${line}\n`);
    try {
      await writeFile(beside, text.join(''));
      await rename(beside, this.#path);
    } catch (thrown) {
      // Where there is no room, half of it would take what is left.
      await rm(beside, { force: true });
      throw thrown;
    }
    this.#size = (await stat(this.#path)).size;
  }

  async #lines(): Promise<readonly string[]> {
    try {
      return (await readFile(this.#path, 'utf8')).split('\n').filter((line) => line !== '');
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return [];
      throw thrown;
    }
  }
}

/** The entry of a line; none where a killed process wrote half of it. */
function parsed(line: string): readonly unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
