/** The world of a command: what it may read and where it prints. */
export interface Io {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly env: (name: string) => string | undefined;
  /** The names of the variables that there are; none are known where it is left out. */
  readonly envNames?: () => readonly string[];
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Whether standard output, and standard error, are terminals that may have colours (`NO_COLOR` respected). */
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether results go to a terminal, where somebody may read along; they do not where it is left out. */
  readonly resultsToTerminal?: boolean;
  /** Whether logs go to a person rather than to a pipe. */
  readonly logsToTerminal: boolean;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  /**
   * From here on nothing listens to `signal` any more: a command that only computes and prints ends at once when it is
   * asked to. Where it is left out, it goes on to its end.
   */
  readonly endAtOnce?: () => void;
}

/** Exit codes (DESIGN.md 5). */
export const exitCode = { ok: 0, failed: 1, changes: 2, usage: 64, configuration: 78 } as const;
