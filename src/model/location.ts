import type { JsonPath } from './json.ts';

/**
 * A range of one file. Lines and columns start at 1, columns count UTF-16 units, the end is exclusive.
 * `pointer` is the JSON pointer of the value meant within its document, or null where no value is meant.
 */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly pointer: string | null;
}

/** Where an entity was written: the place of the whole, and of each part. */
export interface Source {
  /** The entity as a whole: its first key or its name. */
  readonly location: Location;
  /**
   * The place of one of the entity's fields, by its path in `fields` (or the name of a reference); the value, or with
   * `part: 'key'` its key. Where the path was not written, the nearest enclosing place that was.
   */
  at(path: JsonPath, part?: 'value' | 'key'): Location;
}

/** The place to name when all that is known is the file. */
export function fileLocation(file: string): Location {
  return { file, line: 1, column: 1, endLine: 1, endColumn: 1, pointer: null };
}

/** Order by file (code units), then line, then column. */
export function compareLocations(a: Location, b: Location): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
