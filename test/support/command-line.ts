import { setMaxListeners } from 'node:events';
import type { Io } from '../../src/cli/io.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';

/** How a command ended, and what it printed. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Konverge's command line in this process, with only these variables set. `logged` is told standard error at once. */
export async function konverge(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
  logged: (text: string) => void = () => undefined,
): Promise<Ran> {
  // As main does: each request under way listens to it.
  setMaxListeners(1_000, signal);
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    stdout: (text) => out.push(text),
    stderr: (text) => {
      err.push(text);
      logged(text);
    },
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    envNames: () => Object.keys(env),
    cwd,
    colour: { stdout: false, stderr: false },
    logsToTerminal: false,
    signal,
  };
  const code = await runCommandLine(words, io);
  return { code, stdout: out.join(''), stderr: err.join('') };
}
