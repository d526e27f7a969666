import type { JsonPath } from '../model/json.ts';

/** What is wrong with one value, by schema. The path starts at the value that was checked. */
export interface Fault {
  readonly path: JsonPath;
  /**
   * `unknown-field`, `required`, `type`, `one-of`, `between`, `length`, `pattern`, `format`, `unique-elements`, or for
   * an entity check its name: `at-least-one-of`, `only-one-of`, `mutually-required`, `mutually-exclusive`,
   * `conditional`, `custom`, …
   */
  readonly code: string;
  /** What is wrong, in a sentence of ours without the value where the field is secret. */
  readonly message: string;
  /** What to do, or an empty text. */
  readonly hint: string;
  /** Whether the fault is of the whole record rather than of the field at `path` (Kong's `@entity`). */
  readonly ofEntity: boolean;
  /** Of a check between fields: the fields that it looked at, as paths like `path`. */
  readonly basis?: readonly JsonPath[];
}
