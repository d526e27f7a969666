import type { z } from 'zod';
import { ConfigurationError, type ConfigurationPlace } from './configuration-error.ts';
import { explainIssue, type PathFault } from './explain.ts';
import { type InterpolationFault, type InterpolationSources, interpolate } from './interpolate.ts';
import { type KeyPath, keyText, valueAt } from './tree.ts';

/** Reads sections of a tree, resolving what they hold. */
export class SectionReader {
  readonly #tree: unknown;
  readonly #sources: InterpolationSources;
  readonly #placeOf: (path: KeyPath) => ConfigurationPlace | null;

  constructor(tree: unknown, sources: InterpolationSources, placeOf: (path: KeyPath) => ConfigurationPlace | null) {
    this.#tree = tree;
    this.#sources = sources;
    this.#placeOf = placeOf;
  }

  /** The tree as it was written. */
  get tree(): unknown {
    return this.#tree;
  }

  /**
   * The section at a path, parsed, or what the schema makes of `otherwise` where it is not written. Throws
   * ConfigurationError with all that is wrong in it.
   */
  read<S extends z.ZodType>(path: KeyPath, schema: S, otherwise: unknown = {}): z.output<S> {
    return this.parse(path, valueAt(this.#tree, path) ?? otherwise, schema);
  }

  /** A value that belongs at a path, resolved and parsed. */
  parse<S extends z.ZodType>(path: KeyPath, written: unknown, schema: S): z.output<S> {
    const missing: InterpolationFault[] = [];
    const value = interpolate(written, path, this.#sources, missing);
    if (missing.length > 0) throw this.error(missing);
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const faults = parsed.error.issues.flatMap((issue) => {
      const within = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
      return explainIssue(issue, within, value).map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
    });
    throw this.error(faults);
  }

  /** An error about faults, with their keys and places. */
  error(faults: readonly PathFault[]): ConfigurationError {
    return new ConfigurationError(
      faults.map(({ path, message, hint }) => ({
        key: keyText(path, this.#tree),
        message,
        hint,
        place: this.#placeOf(path),
      })),
    );
  }
}
