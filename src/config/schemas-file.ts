import { ConfigurationError } from './configuration-error.ts';
import { type Base, pathBeside } from './connection.ts';
import { reasonOf } from './interpolate.ts';
import type { SectionReader } from './section-reader.ts';
import { type KeyPath, keyText } from './tree.ts';

/** A file of schemas that were pulled from a destination, as it was read. */
export interface SchemasFile {
  /** The key that names it; null where it was found by the destination's name. */
  readonly key: string | null;
  readonly path: string;
  readonly text: string;
}

/** Where the schemas of a destination are, unless the configuration says another place: beside the configuration file. */
export function usualSchemasPath(base: Base, name: string): string {
  return pathBeside(base, `schemas/${name}.json`);
}

/** The file that a key names. Throws ConfigurationError where it cannot be read. */
export function namedSchemas(written: string, key: KeyPath, reader: SectionReader, base: Base): SchemasFile {
  const path = pathBeside(base, written);
  try {
    return { key: keyText(key, reader.tree), path, text: base.readFile(path) };
  } catch (thrown) {
    const message = `names a file that cannot be read${reasonOf(thrown)}`;
    throw reader.error([{ path: key, message, hint: 'Write it with `konverge schemas pull`' }]);
  }
}

/** The file in the usual place of a destination, or null where there is none. */
export function usualSchemas(name: string, base: Base): SchemasFile | null {
  const path = usualSchemasPath(base, name);
  try {
    return { key: null, path, text: base.readFile(path) };
  } catch (thrown) {
    const code = reasonOf(thrown);
    if (code === '' || code === ' (ENOENT)' || code === ' (ENOTDIR)') return null;
    const message = `are to be in ${path}, which cannot be read${code}`;
    throw new ConfigurationError([{ key: `the schemas of ${name}`, message, hint: '', place: null }]);
  }
}
