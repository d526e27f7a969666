import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, parse, sep } from 'node:path';
import { ConfigurationError } from '../../config/configuration-error.ts';
import type { KeyPattern } from '../../config/verify.ts';
import { gitFailure } from '../git-failure.ts';
import { KeyFault } from './key-fault.ts';
import { allKeys, readSigningKeys, type SigningKeys } from './signing-keys.ts';
import { fitsPattern } from './ssh-pattern.ts';

/** What a pattern of the configuration is to blame for. */
class PatternFault extends Error {
  override readonly name = 'PatternFault';
  readonly key: string;
  readonly hint: string;

  constructor(key: string, message: string, hint: string) {
    super(message);
    this.key = key;
    this.hint = hint;
  }
}

/** The largest file of keys that is read. */
const limitBytes = 10 * 1024 * 1024;

/** The accepted keys, read from files and read again as these change. */
export class KeyFiles {
  readonly #patterns: readonly KeyPattern[];
  #keys: SigningKeys = { pgp: [], ssh: [] };
  #version = '';
  #files: readonly string[] = [];
  #reading: Promise<void> = Promise.resolve();

  /** Reads the files for the first time. Throws ConfigurationError that names the key of the configuration. */
  static async open(patterns: readonly KeyPattern[]): Promise<KeyFiles> {
    const opened = new KeyFiles(patterns);
    try {
      await opened.#read();
    } catch (thrown) {
      if (!(thrown instanceof PatternFault)) throw thrown;
      const { key, message, hint } = thrown;
      throw new ConfigurationError([{ key, message, hint, place: null }]);
    }
    return opened;
  }

  private constructor(patterns: readonly KeyPattern[]) {
    this.#patterns = patterns;
  }

  /** The keys as they were read last. */
  get keys(): SigningKeys {
    return this.#keys;
  }

  /** Changes whenever what the files hold does. */
  get version(): string {
    return this.#version;
  }

  /** The paths of the files, in order. */
  get files(): readonly string[] {
    return this.#files;
  }

  /**
   * Reads the files again. Throws Failure where they cannot be used: nobody knows then which keys are meant, so nothing
   * may be judged by those from before, of which one may have been taken out.
   */
  async refresh(): Promise<void> {
    try {
      await this.#read();
    } catch (thrown) {
      if (!(thrown instanceof PatternFault)) throw thrown;
      throw gitFailure({
        class: 'transient',
        code: 'signing-keys',
        message: `The keys that commits have to be signed by cannot be used: ${thrown.key} ${thrown.message}.`,
        hint: `${thrown.hint} No revision is taken up until then.`.trim(),
      });
    }
  }

  /** Reads one after the other: what was read earlier must not come to count later. */
  #read(): Promise<void> {
    const read = this.#reading.then(() => this.#readNow());
    this.#reading = read.catch(() => undefined);
    return read;
  }

  async #readNow(): Promise<void> {
    const hash = createHash('sha256');
    const found = new Map<string, { readonly key: string; readonly bytes: Uint8Array }>();
    for (const { key, path } of this.#patterns) {
      const paths = await pathsOf(path);
      if (paths.length === 0) {
        throw new PatternFault(
          key,
          `matches no file: ${path}`,
          'A path starts from the folder of the configuration file.',
        );
      }
      for (const one of paths) {
        const bytes = await bytesOf(key, one);
        hash.update(`${JSON.stringify(one)} ${bytes.length}\n`).update(bytes);
        found.set(one, { key, bytes });
      }
    }
    const version = hash.digest('hex');
    if (version === this.#version) return;
    const parsed: SigningKeys[] = [];
    for (const [path, { key, bytes }] of found) parsed.push(await keysIn(key, path, bytes));
    this.#keys = await allKeys(parsed);
    this.#files = [...found.keys()];
    this.#version = version;
  }
}

async function bytesOf(key: string, path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > limitBytes)
      throw new PatternFault(key, `names a file of ${size} bytes: ${path}`, 'No file of keys is so large.');
    return await readFile(path);
  } catch (thrown) {
    if (!isFileError(thrown)) throw thrown;
    throw new PatternFault(key, `names a file that cannot be read (${thrown.code}): ${path}`, '');
  }
}

async function keysIn(key: string, path: string, bytes: Uint8Array): Promise<SigningKeys> {
  try {
    return await readSigningKeys(basename(path), bytes);
  } catch (thrown) {
    if (!(thrown instanceof KeyFault)) throw thrown;
    const line = thrown.line === null ? '' : `, whose line ${thrown.line}`;
    throw new PatternFault(key, `names ${path}${line === '' ? ', which' : line} ${thrown.message}`, thrown.hint);
  }
}

/** The files that a path with `*` and `?` in its parts names, sorted. What is hidden has to be named with its dot. */
async function pathsOf(pattern: string): Promise<readonly string[]> {
  const { root } = parse(pattern);
  const parts = pattern
    .slice(root.length)
    .split(sep === '/' ? '/' : /[\\/]/)
    .filter((part) => part !== '');
  let folders: readonly string[] = [root];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (!/[*?]/.test(part)) {
      folders = folders.map((folder) => join(folder, part));
      continue;
    }
    const next: string[] = [];
    for (const folder of folders) {
      for (const name of await namesIn(folder === '' ? '.' : folder)) {
        const isMeant = fitsPattern(name, part) && (!name.startsWith('.') || part.startsWith('.'));
        const path = join(folder, name);
        if (isMeant && (!isLast || (await isFile(path)))) next.push(path);
      }
    }
    folders = next;
  }
  const there: string[] = [];
  for (const path of folders) if (/[*?]/.test(pattern) ? await isFile(path) : await exists(path)) there.push(path);
  return there.sort();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch(
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
  return found !== false;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}

function isFileError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown && 'code' in thrown;
}
