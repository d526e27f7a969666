import type { Arguments, Options } from './arguments.ts';
import type { Io } from './io.ts';

/** One command of the command line. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What follows the name in the usage line, such as `[PATH…]`. */
  readonly positionals: string;
  readonly options: Options;
  /** Runs it and gives its exit code. Throws UsageError, ConfigurationError or Failure. */
  readonly run: (args: Arguments, io: Io) => Promise<number>;
}
