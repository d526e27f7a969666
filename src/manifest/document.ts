import type { Json, JsonPath } from '../model/json.ts';
import type { Location } from '../model/location.ts';

/** One YAML or JSON document of a snapshot, with a place for every key and value. */
export interface Document {
  readonly file: string;
  /** Its place among the file's documents, from 0. */
  readonly index: number;
  readonly value: Json;
  /**
   * The place of a value (or, with `part: 'key'`, of its key) by its path. A value that is empty has the place of its
   * key, a key that came in by a merge that of its mapping, and a path that is not there the nearest enclosing place.
   */
  at(path: JsonPath, part?: 'value' | 'key'): Location;
  /** JSON pointers of values that came from the environment, with the variable's name. */
  readonly fromEnvironment: ReadonlyMap<string, string>;
  /**
   * Of those that YAML read as no text (a number, a list), the text that it read, by JSON pointer: where Kong wants a
   * text, that is what was meant.
   */
  readonly environmentTexts?: ReadonlyMap<string, string>;
  /** Keys that the environment brought, as they are in `value`: like its values, they are never shown. */
  readonly environmentKeys?: ReadonlySet<string>;
}
