import { parseArgs } from 'node:util';

/** One option of a command. `value` is what stands for its value in the usage; a switch has none. */
export interface Option {
  readonly value?: string;
  readonly repeatable?: true;
  readonly help: string;
}

/** The options of a command by name, without their dashes. */
export type Options = { readonly [name: string]: Option };

/** What was written after a command's name. */
export interface Arguments {
  readonly positionals: readonly string[];
  /** The last value of an option, or undefined. */
  value(name: string): string | undefined;
  /** Every value of an option, in order. */
  values(name: string): readonly string[];
  /** Whether a switch was given. */
  has(name: string): boolean;
}

/** Wrong usage: exit 64. The message is for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads a command's arguments. Throws UsageError for an option that it does not have or a value that is missing. */
export function readArguments(words: readonly string[], options: Options): Arguments {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      option.value === undefined ? ({ type: 'boolean' } as const) : ({ type: 'string', multiple: true } as const),
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: config,
      allowPositionals: true,
      strict: true,
    });
    const all = (name: string): readonly string[] => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
    };
    for (const [name, option] of Object.entries(options)) {
      if (option.repeatable !== true && all(name).length > 1) throw new UsageError(`--${name} can be given once only`);
    }
    return {
      positionals,
      values: all,
      value: (name) => all(name).at(-1),
      has: (name) => values[name] === true,
    };
  } catch (thrown) {
    if (thrown instanceof UsageError || !(thrown instanceof Error)) throw thrown;
    // Node words these well; what it says about escaping positionals does not help here.
    throw new UsageError(thrown.message.replace(/\. To specify a positional.*$/s, ''));
  }
}

/** The value of an option that has to be one of a few. Throws UsageError for another one. */
export function oneOf<T extends string>(args: Arguments, name: string, allowed: readonly [T, ...T[]]): T {
  const written = args.value(name);
  if (written === undefined) return allowed[0];
  const found = allowed.find((word) => word === written);
  if (found === undefined) throw new UsageError(`--${name} has to be one of ${allowed.join(', ')}`);
  return found;
}

/** The value of an option that has to be a port. Throws UsageError for anything else. */
export function portOf(args: Arguments, name: string): number | null {
  const written = args.value(name);
  if (written === undefined) return null;
  const port = Number(written);
  if (!/^\d+$/.test(written) || port > 65_535) throw new UsageError(`--${name} has to be a port, from 0 to 65535`);
  return port;
}
